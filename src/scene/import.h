/* Characters, motions and cameras from other programs' files.
 *
 *      file --> checks --> child process: Assimp --> message --> joints, skin, clips, cameras
 *               import_file.c   import_assimp.c    import_wire.h     import_build.c
 *
 * Assimp reads FBX, glTF, Collada and BVH. It has crashed, hung and run out of memory on damaged
 * files before and will again, and a simulator must not go down with it. So it runs in a child
 * process (import_child.c) that sends back flat arrays and nothing else; whatever becomes of the
 * child, the caller gets a result and a sentence. The parent believes no number it is sent before
 * it has checked it. Validating files beforehand was rejected as the only guard: it would take a
 * second parser for each format. OBJ is read by our own reader, without a child.
 *
 * Everything that comes out is in Voile's metres with z up; a character that stood upright facing
 * the viewer faces -y, and its left is +x.
 *
 * The skin. All meshes of a file become one surface in the *bind pose*. A bind is a joint and the
 * transform from the bind pose into the joint's frame; a node hangs on up to 8 binds:
 *
 *      x(t) = sum over its binds of  weight * world(joint, t) * inverse * x_bind
 *
 * Binds are not joints, since two meshes of a file may be tied to the same joint in different
 * poses. Meshes without bones get one bind of weight 1, so that a helmet follows the head. */
#ifndef VO_SCENE_IMPORT_H
#define VO_SCENE_IMPORT_H

#include "core/memory.h"
#include "math/mat.h"
#include "math/quat.h"

#include <voile/character.h>
#include <voile/mesh.h>

enum {
    VO_IMPORT_MAX_INFLUENCES = 8, /* binds of a node */
    VO_IMPORT_MAX_JOINTS = 20000,
};

/* p -> linear p + offset */
typedef struct vo_affine {
    vo_mat3 linear;
    vo_vec3 offset;
} vo_affine;

typedef struct vo_import_options {
    double units;       /* [0] metres in a unit of the file; 0: as the file or its format says */
    vo_up_axis up_axis; /* [VO_UP_FILE] */
    double patience;    /* [120] s after which reading is given up */
} vo_import_options;

/* A transform in parts, as keys give it: p -> translation + rotation (scale * p). */
typedef struct vo_parts {
    vo_vec3 translation;
    vo_quat rotation;
    vo_vec3 scale;
} vo_parts;

/* A node of the file's hierarchy, bone or not. In the units and axes of the file; the character's
 * `world` comes on top. */
typedef struct vo_joint {
    char *name;          /* never NULL, may be empty */
    int parent;          /* smaller than the joint's own index; -1: none */
    vo_affine rest;      /* relative to the parent */
    vo_parts rest_parts; /* the same without its shear */
} vo_joint;

typedef struct vo_vector_key {
    double time; /* s */
    vo_vec3 value;
} vo_vector_key;

typedef struct vo_turn_key {
    double time;   /* s */
    vo_quat value; /* unit */
} vo_turn_key;

/* What a clip does to one joint. Times ascend; where there are no keys the rest pose counts. */
typedef struct vo_joint_track {
    int joint;
    int move_count, turn_count, size_count;
    vo_vector_key *move, *size; /* translation, scale */
    vo_turn_key *turn;
    bool move_steps, turn_steps; /* the file says that keys are held until the next one */
} vo_joint_track;

/* The first key of a clip is at 0, the last one at its duration. */
typedef struct vo_joint_clip {
    char *name;      /* never NULL, may be empty */
    double duration; /* s */
    int track_count;
    vo_joint_track *track; /* at most one a joint */
} vo_joint_clip;

typedef struct vo_bind {
    int joint;
    vo_affine inverse; /* bind pose, Voile's metres -> the joint's frame */
} vo_bind;

/* A camera fixed to a joint, which may be animated. Its frame looks along -z with y up. */
typedef struct vo_import_camera {
    char *name;
    int joint;
    vo_affine local;      /* camera frame -> the joint's */
    double field_of_view; /* rad, vertical */
    double aspect;        /* width / height; 0: the file does not say */
} vo_import_camera;

/* A camera at a time, in Voile's metres. */
typedef struct vo_camera_view {
    vo_vec3 position;
    vo_quat rotation;     /* camera frame (-z ahead, y up, x right) -> world */
    double field_of_view; /* rad, vertical */
    double aspect;        /* 0: unknown */
    bool flat; /* its node is scaled to nothing along some axis: no telling where it looks */
} vo_camera_view;

typedef struct vo_character {
    vo_context *ctx;
    vo_arena memory; /* holds all of the arrays */
    vo_affine world; /* units and axes of the file -> Voile's */

    int joint_count; /* 0 for a static body */
    vo_joint *joint;

    int bind_count;
    vo_bind *bind;
    int node_count;
    vo_vec3 *node_x;   /* [node_count] m, bind pose */
    int *weight_begin; /* [node_count + 1] into the two below; NULL without joints */
    int *weight_bind;
    double *weight; /* positive, sums to 1 for each node */
    int face_count;
    int (*face)[3]; /* [face_count] nodes, counter-clockwise from outside */

    int clip_count;
    vo_joint_clip *clip;
    int camera_count;
    vo_import_camera *camera;
} vo_character;

vo_import_options vo_import_options_default(void);

/* Reads .fbx, .gltf, .glb, .dae, .bvh or .obj; `options` may be NULL. A file with neither a mesh, a
 * clip nor a camera is VO_BAD_DATA. What was converted and left out is logged, once. On failure
 * *out is cleared and the message says file, what is wrong and what to do. */
vo_result vo_import_character(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_character *out);
void vo_character_free(vo_character *character); /* a cleared one is allowed */

/* Whether this build has Assimp; without it all but .obj is refused with VO_BAD_CALL. */
bool vo_import_has_assimp(void);

/* The clip of this name (capitals count), or -1. */
int vo_character_find_clip(const vo_character *character, const char *name);

typedef enum vo_clip_end { VO_CLIP_HOLD, VO_CLIP_LOOP } vo_clip_end;

/* Where every joint is: joint[j] takes points of its frame to Voile's world. `clip` may be NULL for
 * the rest pose; before 0 and after the end the clip is held or repeated. */
void vo_character_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                       vo_clip_end end, vo_affine *joint);
/* The same for cameras: they jump where the file says so. Bodies pass from key to key, since cloth
 * cannot follow one that jumps. */
void vo_character_pose_stepping(const vo_character *character, const vo_joint_clip *clip,
                                double time, vo_clip_end end, vo_affine *joint);

/* The two halves of it: joints relative to their parents, and what these are in the world. */
void vo_character_locals(const vo_character *character, const vo_joint_clip *clip, double time,
                         vo_clip_end end, vo_affine *joint);
void vo_character_join(const vo_character *character, vo_affine *joint);

typedef enum vo_skin_blend { VO_BLEND_LINEAR, VO_BLEND_DUAL_QUATERNION } vo_skin_blend;

/* Positions of all nodes for joints as vo_character_pose gives them. `x` has room for node_count.
 * Fails only without memory. */
vo_result vo_character_skin(const vo_character *character, const vo_affine *joint,
                            vo_skin_blend blend, vo_vec3 *x);

/* Linear blending of given motions of the binds, from the bind pose to the world; at least one
 * bind. In the threads of `ctx`; allocates nothing. */
void vo_character_skin_linear(vo_context *ctx, const vo_character *character,
                              const vo_affine *motion, vo_vec3 *x);

/* Joints and skin in one. */
vo_result vo_character_positions(const vo_character *character, const vo_joint_clip *clip,
                                 double time, vo_clip_end end, vo_skin_blend blend, vo_vec3 *x);

vo_camera_view vo_character_camera(const vo_character *character, int camera,
                                   const vo_affine *joint);

/* The surface in the bind pose as a mesh for an obstacle, node for node. `name` is for messages. */
vo_result vo_character_mesh(const vo_character *character, const char *name, vo_mesh **out);

/* p -> a (b p) */
vo_affine vo_affine_mul(vo_affine a, vo_affine b);
vo_vec3 vo_affine_point(vo_affine a, vo_vec3 p);
vo_affine vo_affine_identity(void);
/* False where there is no inverse, or none worth its digits. */
bool vo_affine_inverse(vo_affine a, vo_affine *out);
vo_affine vo_affine_from_parts(vo_parts parts);
/* linear = rotation * stretch, the rotation being the nearest one; a mirrored or flat matrix gives
 * the rotation nearest to what is left of it. */
vo_quat vo_affine_rotation(vo_affine a);
vo_parts vo_affine_parts(vo_affine a);

#endif
