/* Sewing: turns flat panels around a body into a garment that the body wears.
 *
 *     place    moves panels clear of the body, of inner garments and of each other      sew_place.c
 *     pull     stitches between linked nodes pull the panels together around the body   sew_pull.c
 *     merge    linked nodes become one node (garment/pattern.h)
 *     relax    the garments settle under gravity until they are at rest                 sew_relax.c
 *
 * Pulling and relaxing are ordinary simulations with scenes of their own, so that contact prevents
 * intersections with the body and with cloth. Stitches are glue handles whose stiffness is set
 * before every step so that their force does not depend on their length: springs would pull too
 * hard from afar and too little at close range. The force increases when the gaps stop shrinking.
 *
 * Garments are sewn from the innermost to the outermost. A finished garment is an obstacle for the
 * next one; at the end all of them settle together. Seams are merged while their sides are a few
 * millimetres apart, the distance that contact maintains; the report states the largest gap. */
#ifndef VO_SEW_SEW_H
#define VO_SEW_SEW_H

#include "garment/wear.h"
#include "material/material.h"
#include "scene/scene.h"

#include <voile/sew.h>
#include <voile/sim.h>

/* One garment; constant. */
typedef struct vo_sew_piece {
    const vo_pattern *pattern;
    const vo_garment *garment; /* of that pattern, where the pattern places it */
    int material_count;
    const vo_material *material;
    int axis_count; /* limb axes that the garment was placed with */
    const vo_limb_axis *axis;
} vo_sew_piece;

/* Garments for one body, the innermost first. */
typedef struct vo_sew_task {
    vo_context *ctx;
    const vo_mesh *body;   /* in its rest pose; NULL: sew without a body */
    const char *body_name; /* for warnings, such as "characters[0]" */
    int piece_count;
    const vo_sew_piece *piece;
    double thickness; /* m, distance that contact keeps */
    vo_vec3 gravity;  /* m/s^2 */
    vo_sew_progress_fn *progress;
    void *user;
} vo_sew_task;

/* sew.c: fills sewn[piece_count]; all NULL on failure. Nodes are those of vo_pattern_merge of the
 * garment's mesh and links. */
vo_result vo_sew_outfit(const vo_sew_task *task, vo_mesh **sewn, vo_sew_report *report);

/* ---- parts of vo_sew, sew_call.c ------------------------------------------------------------ */

/* VO_BAD_ARGUMENT with the member that is out of range. */
vo_result vo_sew_check_def(vo_context *ctx, const vo_sew_def *def);
/* Creates the body in its rest pose, placed where its file has it; NULL with no_body. Implausible
 * sizes are logged as warnings. The caller destroys it. */
vo_result vo_sew_create_body(vo_context *ctx, const vo_sew_def *def, vo_body **out);
/* Creates the wearer of a body; one without a mesh if `body` is NULL. The caller frees it. */
vo_result vo_sew_create_wearer(vo_context *ctx, const vo_sew_def *def, const vo_body *body,
                               vo_wearer *out);
/* Sews a pattern whose panels are placed around the wearer. *out is in the wearer's frame, NULL on
 * failure; its verts are those of the panels. */
vo_result vo_sew_fitted_pattern(vo_context *ctx, const vo_sew_def *def, const vo_wearer *wearer,
                                const vo_fitted_pattern *cut, vo_mesh **out, vo_sew_report *report);
/* Loads a fabric by path or name; `pattern` is the file beside which it is searched. */
vo_result vo_sew_load_fabric(vo_context *ctx, const char *pattern, const char *name,
                             vo_fabric **out);
/* Loads the materials of a pattern: def->fabric for all, or those that it names. *out has
 * pattern->fabric_count elements and must be freed also on failure. */
vo_result vo_sew_load_materials(vo_context *ctx, const vo_sew_def *def, const vo_pattern *pattern,
                                vo_material **out);
void vo_sew_free_materials(vo_context *ctx, int count, vo_material *material);

/* ---- the passes ----------------------------------------------------------------------------- */

/* State of a sewing task. */
typedef struct vo_sewing {
    const vo_sew_task *task;
    int piece;      /* current garment */
    vo_mesh **sewn; /* [piece_count] */
    vo_sew_progress progress;
    double start_s;
} vo_sewing;

/* Reports the completed fraction, 0 to 1, to the work callback of the context. */
void vo_sew_report_work(const vo_context *ctx, double done);

/* Reports progress; VO_CANCELLED if the callback returns false. */
vo_result vo_sewing_report_progress(vo_sewing *s, vo_sew_phase phase, double gap, double speed);

/* Computes positions of all nodes of the piece's mesh, free of intersections where possible. */
vo_result vo_sew_place(const vo_sewing *s, vo_vec3 *x);

/* Pulls the panels of `mesh` together and updates its positions; `gap` receives the largest
 * remaining distance, m. */
vo_result vo_sew_pull(vo_sewing *s, vo_mesh *mesh, double *gap);

/* Lets the sewn garments settle; after the last garment until they are at rest. */
vo_result vo_sew_relax(vo_sewing *s, vo_sew_report *report);

/* Warns about garments with a pinned label that ended far from where the pattern places it, for
 * example a cape that rests on a hat. */
void vo_sew_check_anchors(const vo_sewing *s);

/* Creates a scene with the body, if any, as obstacle 0. */
vo_result vo_sew_scene(const vo_sewing *s, vo_vec3 gravity, double friction, vo_scene **out);
/* Adds a mesh of a piece as a cloth whose bending stiffness is multiplied by `stiff` and whose
 * principal stretch is limited to `stretch`. */
vo_result vo_sew_add_cloth(const vo_sewing *s, vo_scene *scene, int piece, double stiff,
                           double stretch, const vo_mesh *mesh);

/* Factor on the bending stiffness while sewing, which removes creases. */
#define VO_SEW_STARCH 30

/* Stiffness-proportional damping while sewing, s. */
#define VO_SEW_DAMPING 0.005

/* sew_scene.c: like vo_sim_create_with_progress, without solver (vo_sim_create_without_solver). */
vo_result vo_sim_create_sewn(vo_context *ctx, const vo_scene *scene, vo_sew_progress_fn *progress,
                             void *user, vo_sim **out);

#endif
