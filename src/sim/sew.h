/* Sewing: from flat panels around a body to a garment that hangs on it.
 *
 *     place    panels stand clear of the body, of what is worn below and of each other  sew_place.c
 *     pull     threads between linked nodes draw the panels together around the body    sew_pull.c
 *     merge    linked nodes become one (scene/pattern.h)
 *     relax    everything hangs, until it is at rest and hardly strained                sew_relax.c
 *
 * Each of these is an ordinary simulation with a scene of its own, so what is known about contact
 * holds here, too: nothing passes through the body or through cloth. Threads are glue handles whose
 * stiffness is set before every step so that they pull with a force that does not depend on their
 * length: springs would snap the panels together from afar, and be slack when they are near. What
 * slows down gets stronger threads.
 *
 * Garments are sewn from the inside out. What is sewn already is an obstacle to the next; in the
 * end all hang together. Seams are merged while their sides are still a few millimetres apart:
 * contact keeps them from meeting. How far apart they were is told. */
#ifndef VO_SIM_SEW_H
#define VO_SIM_SEW_H

#include "material/material.h"
#include "scene/pattern.h"
#include "scene/scene.h"

#include <voile/sew.h>

/* One garment. Nothing of it changes. */
typedef struct vo_sew_piece {
    const vo_pattern *pattern;
    const vo_garment *garment; /* of that pattern, where the pattern places it */
    int material_count;
    const vo_material *material;
    int axis_count; /* those the garment was made with */
    const vo_pattern_axis *axis;
} vo_sew_piece;

/* Garments for one body, the innermost first. */
typedef struct vo_sew_task {
    vo_context *ctx;
    const vo_mesh *body; /* at rest; NULL: nobody */
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

/* ---- the parts ------------------------------------------------------------------------------ */

/* What is under way. */
typedef struct vo_sewing {
    const vo_sew_task *task;
    int piece;      /* the one in hand */
    vo_mesh **sewn; /* [piece_count] */
    vo_sew_progress progress;
    double start_s;
} vo_sewing;

/* Says how far it is; VO_STOPPED if that is enough. */
vo_result vo_sewing_tell(vo_sewing *s, vo_sew_stage stage, double gap, double speed);

/* Positions of all nodes of the piece's mesh, such that nothing intersects if that can be had. */
vo_result vo_sew_place(const vo_sewing *s, vo_vec3 *x);

/* Draws the panels of `mesh` together; it is changed. `gap` gets the largest distance left. */
vo_result vo_sew_pull(vo_sewing *s, vo_mesh *mesh, double *gap);

/* All that is sewn hangs; with the last garment until it is at rest. */
vo_result vo_sew_relax(vo_sewing *s, vo_sew_report *report);

/* A scene with the body as obstacle 0, if there is one. */
vo_result vo_sew_scene(const vo_sewing *s, vo_vec3 gravity, double friction, vo_scene **out);
/* Adds a mesh of a piece as a cloth, so many times as stiff against bending, and
 * stretched by no more than a factor. */
vo_result vo_sew_add_cloth(const vo_sewing *s, vo_scene *scene, int piece, double stiff,
                           double stretch, const vo_mesh *mesh);

/* Starch: cloth is so many times as stiff against bending while it is sewn, and so irons itself. */
#define VO_SEW_STARCH 30

/* Stiffness-proportional damping while sewing, s. */
#define VO_SEW_DAMPING 0.005

#endif
