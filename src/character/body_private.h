/* Internals of bodies, shared by the files body*.c. */
#ifndef VO_CHARACTER_BODY_PRIVATE_H
#define VO_CHARACTER_BODY_PRIVATE_H

#include "character/body.h"
#include "character/clip.h"
#include "character/import/sequence.h"
#include "character/mannequin.h"

typedef enum vo_body_kind {
    VO_BODY_MANNEQUIN,
    VO_BODY_CHARACTER, /* a character without joints is a static surface */
    VO_BODY_SEQUENCE,
} vo_body_kind;

/* Mapping from simulation time to motion time. */
typedef struct vo_body_time {
    double start, speed; /* s; motion seconds per second */
    double preroll;      /* s */
    double length;       /* s, length of the motion */
    double lead_in;      /* s, skipped at the beginning: a first pose unrelated to the motion */
    bool endless;        /* continues beyond its length and before 0, as loops of Voile clips do */
    bool repeats; /* otherwise, after its length: true restarts it, false holds the last pose */
} vo_body_time;

struct vo_body {
    vo_context *ctx;
    vo_body_kind kind;
    char *path; /* path of the body's file; NULL for mannequins */
    vo_import_options options;
    bool has_motion;
    vo_body_time time;
    vo_transform placement;
    double self_gap, sample_interval; /* as in vo_body_placement_def */
    vo_transform own_frame;           /* own frame -> frame of the body's file */
    vo_mesh *rest;                    /* NULL until vo_body_set_placement */

    /* kind mannequin; moved by `clip` or `joint_clip` */
    vo_mannequin mannequin;
    vo_mannequin_def sizes;
    vo_clip *clip;
    vo_joint *bone_joint; /* [VO_BONE_COUNT] the bones as joints, for retargeting */

    vo_character character;
    vo_affine *bind_local; /* [joint_count] bind pose, relative to the parents */

    vo_arena memory;          /* owns joint_clip and bone_joint */
    vo_joint_clip joint_clip; /* clip of mannequins and characters; name NULL: none */

    vo_mesh_sequence sequence;
};

/* Sample of a motion: `time` in the motion, s, and the `weight` of the motion in the pose; weight 0
 * is the rest pose. In the preroll (0 < weight < 1) the pose is interpolated from rest to the pose
 * at `start`, followed by the motion from `start` to `time`. */
typedef struct vo_motion_sample {
    double time, weight, start;
} vo_motion_sample;

vo_motion_sample vo_body_sample_motion(const vo_body *body, double t);

/* body_surface.c */
int vo_body_node_count(const vo_body *body);
/* Returns the node indices of the faces; *count receives their number. */
typedef const int vo_body_face[3];
vo_body_face *vo_body_faces(const vo_body *body, int *count);
/* body_pose.c: node positions at a motion sample and at a time, both without the self gap. */
void vo_body_eval_sample(vo_body_evaluator *evaluator, vo_motion_sample at, vo_vec3 *x);
void vo_body_eval_without_gap(vo_body_evaluator *evaluator, double t, vo_vec3 *x);

/* body_motion.c. vo_body_find_clip selects a clip of an imported file; name NULL: the first.
 * vo_body_retarget imports the file of `def` and retargets its clip to the given joints. */
vo_result vo_body_find_clip(vo_context *ctx, const char *path, const vo_character *source,
                            const char *name, const vo_joint_clip **out);
vo_result vo_body_retarget(vo_body *body, const vo_motion_def *def, int joint_count,
                           const vo_joint *joint, vo_affine world);
/* Returns true if a file name has this extension, ignoring case. */
bool vo_body_file_has_extension(const char *path, const char *extension);

/* body_mannequin.c */
vo_result vo_body_mannequin_set_motion(vo_body *body, const vo_motion_def *def);
/* Returns the pose at a time of the motion, s. */
vo_body_pose vo_body_mannequin_pose(const vo_body *body, double time);
void vo_body_mannequin_eval(vo_context *ctx, const vo_body *body, vo_motion_sample at, vo_vec3 *x);
/* Skinning transforms from the own frame of the rest pose to the world. */
void vo_body_mannequin_eval_bones(const vo_body *body, vo_motion_sample at,
                                  vo_transform motion[VO_BONE_COUNT]);
void vo_body_mannequin_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]);

/* body_character.c */
vo_result vo_body_character_bind(vo_body *body);
vo_result vo_body_character_set_motion(vo_body *body, const vo_motion_def *def);
void vo_body_character_eval(vo_body_evaluator *evaluator, vo_motion_sample at, vo_vec3 *x);
/* Sets evaluator->motion. */
void vo_body_character_eval_bones(vo_body_evaluator *evaluator, vo_motion_sample at);
/* Finds position and facing direction of the rest pose from the thighs; z is 0. Returns false if
 * the bones are unknown. */
bool vo_body_character_find_frame(const vo_body *body, vo_transform *own);
/* Replaces the axes of limbs whose bones are found by name. */
void vo_body_character_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]);

/* body_sequence.c */
vo_result vo_body_sequence_set_motion(vo_body *body, const vo_motion_def *def, double fps);
/* Turns a static surface into a sequence with the positions of a cache. */
vo_result vo_body_cache_set_motion(vo_body *body, const vo_motion_def *def, double fps);
void vo_body_sequence_eval(vo_context *ctx, const vo_body *body, vo_motion_sample at, vo_vec3 *x);

/* body_self_gap.c: self gap of an evaluator. vo_body_gap_apply adds the offsets at time t to x;
 * vo_body_gap_free does not clear the pointers. */
vo_result vo_body_gap_init(vo_body_evaluator *evaluator);
void vo_body_gap_free(vo_body_evaluator *evaluator);
void vo_body_gap_apply(vo_body_evaluator *evaluator, double t, vo_vec3 *x);

/* body_axes.c */
vo_transform vo_body_find_frame(const vo_body *body);

#endif
