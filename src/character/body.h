/* Body of a character: a surface of fixed topology whose nodes are a function of time.
 *
 *      time      -preroll                0                              s
 *                  |---- blends into ----|------- the motion ---------->
 *      pose       rest               as at `start`
 *
 * Node positions depend on the time t alone, not on earlier evaluations, so that a resumed run, a
 * renderer and a halved step evaluate the same body. There are three kinds:
 *
 *      mannequin    skeleton moved by a Voile clip or a retargeted one         body_mannequin.c
 *      character    joints moved by a clip of its file or a retargeted one     body_character.c
 *      sequence     positions from OBJ files or a PC2 cache                    body_sequence.c
 *
 * A body without a motion stays in its rest pose. Call order: create, vo_body_set_motion
 * (optional), vo_body_set_placement. Afterwards a body is constant and can be shared; each user
 * evaluates it with its own vo_body_evaluator. */
#ifndef VO_CHARACTER_BODY_H
#define VO_CHARACTER_BODY_H

#include "character/import/import.h"
#include "character/limb_axes.h"
#include "mesh/mesh.h"

#include <voile/character.h>

typedef struct vo_body vo_body;

/* ---- creation -------------------------------------------------------------------------------- */

/* On failure *out is NULL and the message names the value or file. */
vo_result vo_body_create_mannequin(vo_context *ctx, const vo_mannequin_def *def, vo_body **out);
/* Creates a skeleton without a surface, which is cheap. Only vo_body_set_motion and vo_body_hips
 * may be called on it. */
vo_result vo_body_create_skeleton(vo_context *ctx, const vo_mannequin_def *def, vo_body **out);
/* Copies a mannequin without its motion; creating one takes about a second, copying one does
 * not. */
vo_result vo_body_copy_mannequin(const vo_body *body, vo_body **out);
/* Returns true if the body is a mannequin with these sizes. */
bool vo_body_is_mannequin(const vo_body *body, const vo_mannequin_def *def);
/* Returns true if both have the same surface, rest pose and scale; motion and position may
 * differ. */
bool vo_body_has_equal_rest(const vo_body *a, const vo_body *b);
/* Loads a skinned character or a static surface. `options` may be NULL, here and below. */
vo_result vo_body_create_file(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_body **out);
/* Loads one OBJ file per frame; the sequence plays even if no motion is set. `pattern` is a file
 * name as in vo_sequence_load_obj; `fps` is the default frame rate of motions. */
vo_result vo_body_create_frames(vo_context *ctx, int count, const char *const *paths, double fps,
                                const vo_import_options *options, vo_body **out);
vo_result vo_body_create_sequence(vo_context *ctx, const char *pattern, double fps,
                                  const vo_import_options *options, vo_body **out);
void vo_body_destroy(vo_body *body); /* NULL is allowed */

/* Call it before vo_body_set_placement. `fps` is used where the motion specifies none. After a
 * failure only vo_body_destroy may be called. */
vo_result vo_body_set_motion(vo_body *body, const vo_motion_def *def, double fps);

typedef struct vo_body_placement_def {
    vo_transform placement; /* metres of the body's file, or of the mannequin -> world */
    double preroll;         /* s; 0: no preroll, the rest pose is not part of the motion */
    double self_gap;        /* m, minimum distance between parts of the body that would overlap
                               (character/self_gap.h); 0: they may overlap */
    double sample_interval; /* s, interval between the times at which the self gap is computed */
} vo_body_placement_def;

vo_result vo_body_set_placement(vo_body *body, const vo_body_placement_def *def);

/* Returns the position of the hips of a mannequin at time t >= 0, m, relative to its placement, if
 * its motion began at `start` s. Call it before vo_body_set_placement. */
vo_vec3 vo_body_hips(const vo_body *body, double start, double t);

/* ---- queries --------------------------------------------------------------------------------- */

/* Returns the obstacle mesh of the rest pose, placed in the world; owned by the body. */
const vo_mesh *vo_body_rest_mesh(const vo_body *body);

/* Returns the transform from the body's own frame to the world. In its own frame a body in the rest
 * pose stands on z = 0 at the origin, z up, facing -y. The facing direction of imported bodies
 * follows from their bones. */
vo_transform vo_body_placement(const vo_body *body);

/* Axes of trunk, neck, arms and legs of the rest pose in the own frame, named and ordered as
 * vo_default_limb_axes. Bodies without bones get the default axes, scaled by their height. */
void vo_body_get_axes(const vo_body *body, vo_limb_axis axis[VO_LIMB_AXES]);

/* Number of bones that move the surface; 0 for sequences and static surfaces. Bones of a mannequin
 * are those of character/skeleton.h; bones of a character are the binds of its file. */
int vo_body_bone_count(const vo_body *body);
/* Name of a bone, owned by the body; bones of a file may share one. */
const char *vo_body_bone_name(const vo_body *body, int bone);

typedef struct vo_bone_weight {
    int bone;
    double weight;
} vo_bone_weight;
/* Writes the bones of a node of a body with bones; the weights are positive and sum to 1. Returns
 * their number. */
int vo_body_get_weights(const vo_body *body, int node,
                        vo_bone_weight out[VO_IMPORT_MAX_INFLUENCES]);

/* Self-gap offsets of the nodes at time key * sample_interval. */
typedef struct vo_body_gap_key {
    int key;
    vo_vec3 *offset; /* [node_count] m */
} vo_body_gap_key;

/* Working memory for evaluating a body; zero is a valid empty one. */
typedef struct vo_body_evaluator {
    vo_context *ctx;
    const vo_body *body;
    vo_affine *joint;  /* [2 joint_count] characters only: pose at the time and, in the preroll, at
                          the start */
    vo_affine *motion; /* [bind_count] characters only: bind pose -> world */
    struct vo_self_gap *self_gap; /* NULL: no self gap, and the arrays below are unused */
    vo_vec3 *pose;                /* [node_count] m, pose at a key */
    vo_body_gap_key gap_key[2];
} vo_body_evaluator;

/* The body must outlive the evaluator. On failure *out is zero. */
vo_result vo_body_evaluator_init(vo_context *ctx, const vo_body *body, vo_body_evaluator *out);
void vo_body_evaluator_free(vo_body_evaluator *evaluator);

/* Computes the node positions at time t, m, in the world. Runs in the threads of the evaluator's
 * context; allocates nothing. */
void vo_body_eval_positions(vo_body_evaluator *evaluator, double t, vo_vec3 *x);

/* Computes the transform of each bone at time t from the rest mesh (vo_body_rest_mesh) to the
 * world, without the self gap: motion[vo_body_bone_count]. */
void vo_body_eval_bones(vo_body_evaluator *evaluator, double t, vo_affine *motion);

#endif
