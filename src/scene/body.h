/* A body of a scene: a surface of fixed topology whose nodes are a function of time.
 *
 *      time      -preroll                0                              s
 *                  |---- blends into ----|------- the motion ---------->
 *      pose       rest               as at `start`
 *
 * Whatever makes it move, a body answers one question: where are the nodes at time t? The answer
 * depends on t alone, not on what was asked before, so a resumed run, a renderer and a step that is
 * cut in two all see the same body. Three kinds give it:
 *
 *      mannequin    bones by a clip of ours, or by a file's, carried over    body_mannequin.c
 *      character    joints by a clip of the file or of another, carried over body_character.c
 *      sequence     positions by OBJ files or a PC2 cache                    body_sequence.c
 *
 * A body that was given no motion stays in its rest pose. Before it is of use it is put into the
 * world (vo_body_put), after which it never changes and may be shared: the memory of one who asks
 * is a follower of his own. */
#ifndef VO_SCENE_BODY_H
#define VO_SCENE_BODY_H

#include "scene/import.h"
#include "scene/pattern.h"

#include <voile/character.h>

typedef struct vo_body vo_body;

/* ---- making --------------------------------------------------------------------------------- */

/* On failure *out is NULL. Wrong values and files are named. */
vo_result vo_body_create_mannequin(vo_context *ctx, const vo_mannequin_def *def, vo_body **out);
/* One without a surface, which takes no time: it can be moved and asked for its hips, and is of no
 * other use. */
vo_result vo_body_create_bones(vo_context *ctx, const vo_mannequin_def *def, vo_body **out);
/* Making one takes about a second; copying one that is there does not. */
vo_result vo_body_copy_mannequin(const vo_body *body, vo_body **out);
/* Whether it is a mannequin of these sizes. */
bool vo_body_is_mannequin(const vo_body *body, const vo_mannequin_def *def);
/* Whether both are the same surface in the same rest pose and of the same size, whatever they do
 * and wherever they stand. */
bool vo_body_is_alike(const vo_body *a, const vo_body *b);
/* A skinned character, or a surface that does not move by itself. `options` may be NULL, here and
 * below. */
vo_result vo_body_create_file(vo_context *ctx, const char *path, const vo_import_options *options,
                              vo_body **out);
/* An OBJ file a frame; it moves also if no motion is set. `pattern` is as in
 * vo_sequence_load_obj. `fps` is the default of a motion's. */
vo_result vo_body_create_frames(vo_context *ctx, int count, const char *const *paths, double fps,
                                const vo_import_options *options, vo_body **out);
vo_result vo_body_create_pattern(vo_context *ctx, const char *pattern, double fps,
                                 const vo_import_options *options, vo_body **out);
void vo_body_destroy(vo_body *body); /* NULL is allowed */

/* Before it is put into the world. `fps` counts where the motion says none. After a failure only
 * vo_body_destroy is left. */
vo_result vo_body_set_motion(vo_body *body, const vo_motion_def *def, double fps);

typedef struct vo_body_place_def {
    vo_transform placement; /* metres of the body's file, or of the mannequin -> world */
    double preroll;         /* s; 0: it never is in its rest pose */
    double gap;  /* m, between parts of it that would press into each other (scene/press.h); 0: they
                    do */
    double step; /* s, from one look at that to the next */
} vo_body_place_def;

vo_result vo_body_put(vo_body *body, const vo_body_place_def *def);

/* Where the hips of a mannequin that is not yet put into the world are at time t >= 0, m, if its
 * motion starts `start` s into it, whatever start it was given. */
vo_vec3 vo_body_hips(const vo_body *body, double start, double t);

/* ---- asking --------------------------------------------------------------------------------- */

/* In the rest pose, placed in the world; for obstacles. */
const vo_mesh *vo_body_rest(const vo_body *body);

/* Own frame -> world. In its own frame a body in the rest pose stands on z = 0 at the origin, z up,
 * and faces -y; which way others than mannequins face their bones tell. */
vo_transform vo_body_placement(const vo_body *body);

/* Trunk, neck, arms and legs of the rest pose in the own frame, for placing patterns: named and
 * ordered as vo_pattern_axes. What has no bones has the usual ones, for its height. */
void vo_body_axes(const vo_body *body, vo_pattern_axis axis[VO_PATTERN_AXES]);

/* How far the nodes are drawn in at time key * step. */
typedef struct vo_body_pressed {
    int key;
    vo_vec3 *offset; /* [node_count] m */
} vo_body_pressed;

/* Memory of one who asks for places; zero is none. */
typedef struct vo_body_follower {
    vo_context *ctx;
    const vo_body *body;
    vo_affine *joint;       /* [2 joint_count] of characters; in the preroll also of the start */
    vo_affine *motion;      /* [bind_count] of characters */
    struct vo_press *press; /* NULL: nothing is drawn in, and there is nothing below */
    vo_vec3 *pose;          /* [node_count] m, of a key */
    vo_body_pressed pressed[2];
} vo_body_follower;

/* The body must outlive the follower. On failure *out is zero. */
vo_result vo_body_follow(vo_context *ctx, const vo_body *body, vo_body_follower *out);
void vo_body_follower_free(vo_body_follower *follower);

/* Positions of the nodes at time t, m, in the world. In the threads of the follower's context;
 * allocates nothing. */
void vo_body_place(vo_body_follower *follower, double t, vo_vec3 *x);

#endif
