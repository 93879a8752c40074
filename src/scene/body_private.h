/* The inside of a body, for its kinds. */
#ifndef VO_SCENE_BODY_PRIVATE_H
#define VO_SCENE_BODY_PRIVATE_H

#include "scene/body.h"
#include "scene/clip.h"
#include "scene/import_sequence.h"
#include "scene/mannequin.h"

typedef enum vo_body_kind {
    VO_BODY_MANNEQUIN,
    VO_BODY_CHARACTER, /* without joints: a surface that stands still */
    VO_BODY_SEQUENCE,
} vo_body_kind;

/* How time runs in the motion. */
typedef struct vo_body_time {
    double start, speed; /* s, s/s */
    double preroll;      /* s */
    double length;       /* s, of the motion */
    double lead;         /* s, of its beginning that is left out: a pose apart from the rest */
    bool endless;        /* it goes on by itself after its length, and did before 0 */
    bool repeats;        /* else, after its length: it begins again; if not, it is held */
} vo_body_time;

struct vo_body {
    vo_context *ctx;
    vo_body_kind kind;
    char *path; /* of the body's file; NULL for mannequins */
    vo_import_options options;
    bool moves;
    vo_body_time time;
    vo_transform placement;
    double gap, step; /* as in vo_body_place_def */
    vo_transform own; /* own frame -> where the body's file has it */
    vo_mesh *rest;    /* NULL until it is put into the world */

    /* a mannequin moves by one of these: */
    vo_mannequin mannequin;
    vo_mannequin_def sizes;
    vo_clip *clip;
    vo_joint *joint; /* [VO_BONE_COUNT] its bones as joints, for clips that are carried over */

    vo_character character;
    vo_affine *bound; /* [joint_count] joints of the bind pose relative to their parents */

    vo_arena memory;      /* of the next and of `joint` */
    vo_joint_clip follow; /* of mannequins and characters; its name is NULL: none */

    vo_mesh_sequence sequence;
};

/* When it is in the motion, s, and how much of the motion is in the pose: 0 is the rest pose. In
 * between, the pose is part of the way from rest to that at `start`, turned on by what leads from
 * the one at `start` to the one at `time`. */
typedef struct vo_body_moment {
    double time, share, start;
} vo_body_moment;

vo_body_moment vo_body_moment_at(const vo_body *body, double t);

int vo_body_node_count(const vo_body *body);
/* Nodes of its faces. */
typedef const int vo_body_face[3];
vo_body_face *vo_body_faces(const vo_body *body, int *count);
/* Without what presses. */
void vo_body_place_bare(vo_body_follower *follower, double t, vo_vec3 *x);

/* body_motion.c: the clip of a file that `def` means, imported into *source, which the caller frees
 * in any case. */
vo_result vo_body_find_clip(vo_context *ctx, const char *path, const vo_character *source,
                            const char *name, const vo_joint_clip **out);
vo_result vo_body_carry_over(vo_body *body, const vo_motion_def *def, int joint_count,
                             const vo_joint *joint, vo_affine world);
/* Whether the name of a file ends so; capitals do not matter. */
bool vo_body_file_is(const char *path, const char *ending);

/* body_mannequin.c */
vo_result vo_body_mannequin_moves(vo_body *body, const vo_motion_def *def);
/* The pose at a time of its motion. */
vo_body_pose vo_body_mannequin_pose(const vo_body *body, double time);
void vo_body_mannequin_place(vo_context *ctx, const vo_body *body, vo_body_moment at, vo_vec3 *x);
void vo_body_mannequin_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]);

/* body_character.c */
vo_result vo_body_character_bind(vo_body *body);
vo_result vo_body_character_moves(vo_body *body, const vo_motion_def *def);
void vo_body_character_place(vo_body_follower *follower, vo_body_moment at, vo_vec3 *x);
/* Where its bones say that it stands and faces, at height 0; false where none tells. */
bool vo_body_character_stands(const vo_body *body, vo_transform *own);
/* Replaces those of the axes that its bones tell. */
void vo_body_character_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]);

/* body_sequence.c */
vo_result vo_body_sequence_moves(vo_body *body, const vo_motion_def *def, double fps);
/* A surface that stands still becomes the sequence of a cache. */
vo_result vo_body_cache_moves(vo_body *body, const vo_motion_def *def, double fps);
void vo_body_sequence_place(vo_context *ctx, const vo_body *body, vo_body_moment at, vo_vec3 *x);

/* body_press.c: the follower's memory, and what it is for; freeing leaves the struct as it is. */
vo_result vo_body_press_follow(vo_body_follower *follower);
void vo_body_press_free(vo_body_follower *follower);
void vo_body_press(vo_body_follower *follower, double t, vo_vec3 *x);

/* body_axes.c: an axis of the own frame; `up` of any length. */
vo_pattern_axis vo_body_axis(int which, vo_vec3 origin, vo_vec3 up);
vo_transform vo_body_own_frame(const vo_body *body);

#endif
