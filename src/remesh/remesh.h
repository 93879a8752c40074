/* Remeshing: makes the mesh of a cloth as coarse as its metric (remesh/metric.h) allows.
 *
 *   sizing ──► flip ──► split every edge with s > 1 ──► collapse what stays within 0.9 ──► mesh
 *               ▲          │ worst first     ▲             │ shortest first     ▲
 *               └──────────┴── flip around ──┘             └──── flip around ───┘
 *
 * Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for cloth simulation", section 4; s
 * is the size of an edge in the metric (eq. 1 of Koh, Narain, O'Brien 2015).
 *
 * It always ends, and a second call on the same metric changes nothing, because
 *  1. a split is made of edges with s > 1 only, and neither a flip nor a collapse makes one: a flip
 *     is left undone if the new diagonal were too long and longer than the old one, a collapse if a
 *     new edge were above `collapse_below`. The gap up to 1 is the hysteresis;
 *  2. a flip makes the smallest angle of the two faces larger, each face by its own metric. An
 *     anisotropic Delaunay criterion alone may go round in circles where the metric changes from
 *     place to place, since each quadrilateral has its own idea of an angle. By a measure of each
 *     face alone, the sorted list of all angles grows with every flip, so no mesh comes back. Where
 *     the metric is constant, every flip towards Delaunay does this anyway;
 *  3. a collapse takes a node away.
 * The metric is measured on the mesh, though, so edits change it. That edits of cloth at rest do
 * not go to and fro for ever by this is the task of remesh_calm.c.
 *
 * Somebody may watch (vo_watch). Splits move nothing. A flip or collapse that would move a watched
 * point of the surface by too much, all edits of the call taken together, is put off. That takes
 * edits away and adds none, so remeshing still ends; but what was put off may be made by the next
 * call, which begins to count anew. Then it is the surface that comes to rest: where it becomes
 * flat enough, or nobody watches any more, the edit is made, and while it is put off the mesh is
 * the finer of the two.
 *
 * What one edit changes for others is put on lists of edges and of nodes; remeshing has ended when
 * they are empty.
 *
 * The lists start with what is near verts whose metric changed (sizing->vert_changed): a sheet at
 * rest costs nothing at all.
 *
 * A new vert gets the mean of the metrics at the ends of the edge. Rejected: the mean of their
 * logarithms, which is the fairer one between sizes, but asks for less than the ends do together.
 * The field itself is made of plain means (of faces at a vert, of verts on an edge), so the plain
 * mean is what the next update finds there, and needs no roots. On a seam each side has its own
 * vert, and takes the mean of its own two ends.
 *
 * Memory is kept; a mesh that is no larger than one before, with no more edits, allocates nothing.
 */
#ifndef VO_REMESH_REMESH_H
#define VO_REMESH_REMESH_H

#include "mesh/edit.h"
#include "remesh/sizing.h"

typedef struct vo_guard vo_guard; /* collide/guard.h */

/* Who watches while a mesh is edited: points of watched faces may seem to move by `most` in one
 * call (remesh_watch.c). */
typedef struct vo_watch {
    const unsigned char *face; /* [face_count] nonzero: watched; of the mesh before the edits */
    double (*shift)(const void *user, vo_vec3 from, vo_vec3 to); /* how far that seems to be */
    const void *user;
    double most; /* in the unit of shift */
    /* Whether a point is, or would be, seen there. An edit that takes a point of unwatched faces to
     * such a place, or away from one, is watched, too. NULL: none is. */
    bool (*sees)(const void *user, vo_vec3 point);
} vo_watch;

typedef struct vo_remesh_def {
    double flip_threshold; /* sine of the excess over Delaunay that is tolerated; 1e-2 */
    double collapse_below; /* s of the longest edge that a collapse may make; 0.9 */
    double aspect_min;     /* of faces that a collapse makes, measured in the metric: 1 equilateral,
                              0 without area. A collapse may make faces below it where that is no
                              worse than what was there. Not positive: any */
    double frame_time; /* s since the last call, by which velocities tell which nodes are at rest;
                          there, edits do not go to and fro (remesh_calm.c). Then node_youth and
                          node_heat of the editor are part of the state. 0: no such memory */
    double strain_allowed; /* a flip or collapse makes no face that is stretched or compressed by
                              more than this and more than those it replaces; infinite: any */
    int face_budget;       /* splits stop where the mesh would have more faces; 0: never */
    const vo_watch *watch; /* NULL: nobody does */
} vo_remesh_def;

vo_remesh_def vo_remesh_def_default(void);

typedef struct vo_remesh_report {
    int flips, splits, collapses;
    int refused;       /* flips and collapses by the guard */
    int put_off;       /* flips and collapses that would have been seen */
    int visited_edges; /* looked at, those looked at again included */
    bool budget_met;   /* no split was left undone for want of faces */
    double popping; /* m; how far a point of the fabric has moved in the world by the edits alone:
                       the largest distance in vo_remesher_pops */
} vo_remesh_report;

/* Lists and marks. One can serve any number of cloths in turn. */
typedef struct vo_remesher vo_remesher;
vo_result vo_remesher_create(vo_context *ctx, vo_remesher **out);
void vo_remesher_destroy(vo_remesher *remesher);

/* Points of the fabric that the last remeshing moved, and where to. Before and after, the surface
 * is linear on each face, so the points that move most are nodes that went and places where an old
 * edge crosses a new one: these are followed from edit to edit, those that have moved most at each
 * face. What is left out are crossings that come about where the surface had moved before. */
typedef struct vo_pop {
    vo_vec3 from, to; /* m */
} vo_pop;
const vo_pop *vo_remesher_pops(const vo_remesher *remesher, int *count);

/* Remeshes one cloth, once after each vo_sizing_update of its mesh. It calls vo_edit_begin and
 * vo_edit_finish: afterwards the mesh has no holes and edit->remap tells what became of everything
 * since before the call, also if that is nothing. sizing->vert is still of the verts before;
 * vo_remap_carry turns it into the metrics that the final verts have.
 *
 * The guard, if any, is asked before each flip and collapse, and told about each change, in indices
 * of before vo_edit_finish; `cloth` is its name for this mesh. Fails for want of memory only; the
 * mesh is then good for nothing but being destroyed. */
vo_result vo_remesh(vo_remesher *remesher, const vo_remesh_def *def, vo_edit *edit,
                    const vo_sizing *sizing, vo_guard *guard, int cloth, vo_remesh_report *out);

/* The same without vo_edit_finish, which renumbers: the guard knows faces of one cloth by their
 * numbers while others are edited. To be called for all cloths before the first is finished. */
vo_result vo_remesh_edits(vo_remesher *remesher, const vo_remesh_def *def, vo_edit *edit,
                          const vo_sizing *sizing, vo_guard *guard, int cloth,
                          vo_remesh_report *out);

#endif
