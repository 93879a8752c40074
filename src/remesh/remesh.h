/* Remeshing: coarsens and refines the mesh of a cloth to its metric field (remesh/metric.h).
 *
 *   sizing ──► flip ──► split every edge with s > 1 ──► collapse while s < 0.9 ──► mesh
 *               ▲          │ longest first   ▲             │ shortest first  ▲
 *               └──────────┴── local flips ──┘             └── local flips ──┘
 *
 * Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for cloth simulation", section 4; s
 * is the length of an edge in the metric (eq. 1 of Koh, Narain, O'Brien 2015).
 *
 * Remeshing terminates, and a second call with the same metric changes nothing, because
 *  1. only edges with s > 1 are split, and neither flips nor collapses create such an edge: a flip
 *     is skipped if the new diagonal is too long and longer than the old one, a collapse if a new
 *     edge is longer than `collapse_below`. The gap between `collapse_below` and 1 is a hysteresis;
 *  2. a flip increases the smallest angle of the two faces, each measured in the metric of its own
 *     corners. The anisotropic Delaunay criterion alone can cycle where the metric varies, because
 *     each quadrilateral measures angles in a different mean metric. With a measure per face, the
 *     sorted list of all angles grows with every flip, so no triangulation is visited twice. In a
 *     constant metric every Delaunay flip increases this measure;
 *  3. a collapse removes a node.
 * The metric is measured on the mesh, so edits change it. remesh_hysteresis.c prevents edits of
 * cloth at rest from alternating forever.
 *
 * An optional popping limit (vo_pop_limit) bounds the visible motion of the surface. Splits move
 * nothing. A flip or collapse that would move a visible point too far, summed over all edits of the
 * call, is deferred. Deferral removes edits and adds none, so remeshing still terminates. The next
 * call starts a new sum and may make the deferred edit. Until then the mesh stays finer there.
 *
 * Each edit pushes the edges and nodes that it affects onto work queues; remeshing ends when they
 * are empty. The queues start with the neighbourhoods of verts whose metric changed
 * (sizing->vert_changed), so a sheet at rest costs nothing.
 *
 * A new vert gets the arithmetic mean of the metrics at the ends of the edge; on a seam, each side
 * uses its own two verts. Rejected: the log-Euclidean mean, which requests fewer faces than the two
 * ends together. The sizing field consists of arithmetic means (faces at a vert, verts of an edge),
 * so the next update finds the same value.
 *
 * Memory is reused: a mesh no larger than an earlier one, with no more edits, allocates nothing. */
#ifndef VO_REMESH_REMESH_H
#define VO_REMESH_REMESH_H

#include "mesh/edit/edit.h"
#include "remesh/sizing.h"

typedef struct vo_guard vo_guard; /* collide/guard/guard.h */

/* Limit on visible popping: points of visible faces may move on screen by `max_shift` per call
 * (remesh_pop_limit.c). */
typedef struct vo_pop_limit {
    const unsigned char
        *face_visible; /* [face_count] nonzero: visible; indices of the mesh before the edits */
    double (*shift)(const void *user, vo_vec3 from, vo_vec3 to); /* displacement on screen */
    const void *user;
    double max_shift; /* in the unit of shift */
    /* True if a point at this position is visible. Edits of invisible faces that move a point into
     * or out of a visible position are limited too. NULL: only face_visible is used. */
    bool (*is_visible)(const void *user, vo_vec3 point);
} vo_pop_limit;

typedef struct vo_remesh_def {
    double flip_threshold; /* tolerated sine of the angle excess over Delaunay; 1e-2 */
    double collapse_below; /* s of the longest edge that a collapse may create; 0.9 */
    double aspect_min;     /* smallest aspect ratio in the metric of faces that a collapse creates:
                              1 equilateral, 0 degenerate. Lower values are accepted if the replaced
                              faces were no better. Not positive: no limit */
    double frame_time; /* s since the last call; velocity times frame_time decides which nodes are
                          at rest, where edits are damped (remesh_hysteresis.c). The editor's
                          node_split_cooldown and node_edit_penalty are then part of the saved
                          state. 0: no hysteresis between calls */
    double strain_allowed; /* a flip or collapse creates no face whose principal strain exceeds both
                              this and the strain of the replaced faces; infinite: no limit */
    int face_budget;       /* maximum number of faces; splits stop there; 0: no limit */
    const vo_pop_limit *pop_limit; /* NULL: no limit */
} vo_remesh_def;

vo_remesh_def vo_remesh_def_default(void);

typedef struct vo_remesh_report {
    int flips, splits, collapses;
    int rejected;      /* flips and collapses rejected by the edit guard */
    int deferred;      /* flips and collapses deferred by the popping limit */
    int visited_edges; /* number of edge visits, repeated visits included */
    bool budget_met;   /* no split was skipped because of face_budget */
    double popping;    /* m; largest displacement of a surface point by the edits: the maximum
                          distance in vo_remesher_pops */
} vo_remesh_report;

/* Work queues and per-element marks. One remesher can serve several cloths in turn. */
typedef struct vo_remesher vo_remesher;
vo_result vo_remesher_create(vo_context *ctx, vo_remesher **out);
void vo_remesher_destroy(vo_remesher *remesher);

/* Surface points displaced by the last remeshing. The surface is linear on each face before and
 * after, so the largest displacements are at removed nodes and where an old edge crosses a new one.
 * These points are tracked through all edits; each face keeps those that moved most. Crossings in
 * regions that an earlier edit has already moved are not added. */
typedef struct vo_pop {
    vo_vec3 from, to; /* m */
} vo_pop;
const vo_pop *vo_remesher_pops(const vo_remesher *remesher, int *count);

/* Remeshes one cloth; call it once after each vo_sizing_update of its mesh. Calls vo_edit_begin;
 * the caller calls vo_edit_finish, which renumbers, after the call for the last cloth: the guard
 * refers to faces by index while other cloths are edited. After vo_edit_finish the mesh has no free
 * slots, and edit->remap maps the elements from before the call to the new ones, also if nothing
 * changed. sizing->vert keeps the verts from before the call; vo_remap_transfer converts it to the
 * metrics of the new verts.
 *
 * `guard` (may be NULL) is queried before each flip and collapse and updated after each edit, in
 * indices before compaction; `cloth` is the guard's index of this mesh. Fails only without memory;
 * the mesh must then be destroyed. */
vo_result vo_remesh_edits(vo_remesher *remesher, const vo_remesh_def *def, vo_edit *edit,
                          const vo_sizing *sizing, vo_guard *guard, int cloth,
                          vo_remesh_report *out);

#endif
