/* Import of characters, motions and cameras from files of other programs.
 *
 *      file --> checks --> child process: Assimp --> message --> joints, skin, clips, cameras
 *              inspect.c    child.c, assimp.c         wire.h     joints.c, surface.c, clips.c
 *
 * Assimp reads FBX, glTF, Collada and BVH. It can crash, hang or exhaust memory on damaged files.
 * Therefore it runs in a child process (child.c) that returns flat arrays; whatever happens to the
 * child, the caller gets a result and a message. The parent validates every number it receives.
 * Validating files beforehand was rejected as the only protection, because it needs a second parser
 * for each format. OBJ files are read by Voile's own reader, without a child.
 *
 * All results are in metres with z up; a character that stands upright and faces the viewer faces
 * -y, and its left is +x.
 *
 * Skinning. All meshes of a file become one surface in the *bind pose*. A bind is a joint and the
 * inverse bind transform from the bind pose to the joint's frame; a node has up to 8 binds:
 *
 *      x(t) = sum over its binds of  weight * world(joint, t) * inverse * x_bind
 *
 * Binds differ from joints, because two meshes of a file may be bound to the same joint in
 * different poses. Meshes without bones get one bind of weight 1, so that a helmet follows the
 * head. */
#ifndef VO_CHARACTER_IMPORT_IMPORT_H
#define VO_CHARACTER_IMPORT_IMPORT_H

#include "core/memory.h"
#include "math/mat.h"
#include "math/quat.h"

#include <voile/character.h>
#include <voile/mesh.h>

enum {
    VO_IMPORT_MAX_INFLUENCES = 8, /* binds per node */
    VO_IMPORT_MAX_JOINTS = 20000,
};

/* p -> linear p + offset */
typedef struct vo_affine {
    vo_mat3 linear;
    vo_vec3 offset;
} vo_affine;

typedef struct vo_import_options {
    double metres_per_unit; /* [0] m; 0: as the file or its format specifies */
    vo_up_axis up_axis;     /* [VO_UP_FILE] */
    double timeout;         /* [120] s, time limit of the child process */
} vo_import_options;

/* Translation, rotation and scale: p -> translation + rotation (scale * p). */
typedef struct vo_trs {
    vo_vec3 translation;
    vo_quat rotation;
    vo_vec3 scale;
} vo_trs;

/* Node of the file's hierarchy, bone or not, in units and axes of the file; `world` of the
 * character converts them. */
typedef struct vo_joint {
    char *name;      /* never NULL, may be empty */
    int parent;      /* smaller than the own index; -1: none */
    vo_affine rest;  /* relative to the parent */
    vo_trs rest_trs; /* `rest` without its shear */
} vo_joint;

typedef struct vo_vector_key {
    double time; /* s */
    vo_vec3 value;
} vo_vector_key;

typedef struct vo_rotation_key {
    double time;   /* s */
    vo_quat value; /* unit */
} vo_rotation_key;

/* Animation of one joint by a clip. Times ascend; components without keys keep the rest pose. */
typedef struct vo_joint_track {
    int joint;
    int translation_count, rotation_count, scale_count;
    vo_vector_key *translation, *scale;
    vo_rotation_key *rotation;
    bool translation_is_stepped,
        rotation_is_stepped; /* step interpolation: keys are held until the next one */
} vo_joint_track;

/* The first key of a clip is at time 0, the last one at its duration. */
typedef struct vo_joint_clip {
    char *name;      /* never NULL, may be empty */
    double duration; /* s */
    int track_count;
    vo_joint_track *track; /* at most one per joint */
} vo_joint_clip;

typedef struct vo_bind {
    int joint;
    vo_affine inverse; /* bind pose, m -> frame of the joint */
} vo_bind;

/* Camera fixed to a joint, which may be animated. Its frame looks along -z with y up. */
typedef struct vo_import_camera {
    char *name;
    int joint;
    vo_affine local; /* camera frame -> frame of the joint */
    double fov_y;    /* rad */
    double aspect;   /* width / height; 0: not specified in the file */
} vo_import_camera;

/* State of a camera at a time, m. */
typedef struct vo_camera_view {
    vo_vec3 position;
    vo_quat rotation;   /* camera frame (-z ahead, y up, x right) -> world */
    double fov_y;       /* rad */
    double aspect;      /* 0: unknown */
    bool is_degenerate; /* a zero scale of its node makes the viewing direction undefined */
} vo_camera_view;

typedef struct vo_character {
    vo_context *ctx;
    vo_arena memory; /* owns all arrays */
    vo_affine world; /* units and axes of the file -> m, z up */

    int joint_count; /* 0 for a static body */
    vo_joint *joint;

    int bind_count;
    vo_bind *bind;
    int node_count;
    vo_vec3 *node_x;   /* [node_count] m, bind pose */
    int *weight_begin; /* [node_count + 1] offsets into the arrays below; NULL without joints */
    int *weight_bind;
    double *weight; /* positive, sum 1 per node */
    int face_count;
    int (*face)[3]; /* [face_count] nodes, counter-clockwise from outside */

    int clip_count;
    vo_joint_clip *clip;
    int camera_count;
    vo_import_camera *camera;
} vo_character;

vo_import_options vo_import_options_default(void);

/* Reads a .fbx, .gltf, .glb, .dae, .bvh or .obj file; `options` may be NULL. A file without mesh,
 * clip and camera is VO_BAD_DATA. Conversions and ignored data are logged. On failure *out is
 * cleared and the message states file, reason and remedy. */
vo_result vo_import_character(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_character *out);
void vo_character_free(vo_character *character); /* a cleared one is allowed */

/* Returns true if this build has Assimp; without it only .obj is read and other files are
 * VO_BAD_ARGUMENT. */
bool vo_import_has_assimp(void);

/* Returns the index of the clip with this name (case-sensitive), or -1. */
int vo_character_find_clip(const vo_character *character, const char *name);

typedef enum vo_clip_end { VO_CLIP_HOLD, VO_CLIP_LOOP } vo_clip_end;

/* Computes the world transform of every joint: joint[j] maps points of its frame to the world.
 * `clip` may be NULL for the rest pose; before 0 and after the end the clip is held or repeated. */
void vo_character_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                       vo_clip_end end, vo_affine *joint);
/* Like vo_character_pose, with step interpolation where the file specifies it, for cameras with
 * cuts. Bodies always interpolate, because cloth cannot follow a discontinuous motion. */
void vo_character_pose_stepped(const vo_character *character, const vo_joint_clip *clip,
                               double time, vo_clip_end end, vo_affine *joint);

/* The two parts of vo_character_pose: transforms relative to the parents, and their conversion to
 * world transforms in place. */
void vo_character_local_pose(const vo_character *character, const vo_joint_clip *clip, double time,
                             vo_clip_end end, vo_affine *joint);
void vo_character_world_pose(const vo_character *character, vo_affine *joint);

/* Linear blend skinning with given transforms of the binds from the bind pose to the world; at
 * least one bind. Runs in the threads of `ctx`; allocates nothing. */
void vo_character_skin_linear(vo_context *ctx, const vo_character *character,
                              const vo_affine *motion, vo_vec3 *x);

vo_camera_view vo_character_camera(const vo_character *character, int camera,
                                   const vo_affine *joint);

/* p -> a (b p) */
vo_affine vo_affine_mul(vo_affine a, vo_affine b);
vo_vec3 vo_affine_point(vo_affine a, vo_vec3 p);
vo_affine vo_affine_identity(void);
/* Returns false if the map is singular or nearly singular. */
bool vo_affine_inverse(vo_affine a, vo_affine *out);
vo_affine vo_affine_from_trs(vo_trs trs);
/* Polar decomposition, linear = rotation * stretch: returns the nearest rotation; for a mirrored or
 * singular matrix the rotation nearest to the rest of it. */
vo_quat vo_affine_rotation(vo_affine a);
vo_trs vo_affine_to_trs(vo_affine a);

#endif
