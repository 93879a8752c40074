/* Would an edit of a mesh pass through something?
 *
 * A split leaves the surface where it is. A flip and a collapse move it, and while they do, it
 * sweeps tetrahedra:
 *
 *          c                               c
 *        / | \     flip of ab:           /   \        collapse of u onto v: u goes straight to v,
 *       a--+--b    one, a b c d         p--u--v       and each face u p q that stays sweeps one,
 *        \ | /                           \ | /        u v p q
 *          d                               q
 *
 * An edit may be done if, for every face F of any cloth or obstacle that takes no part in it,
 *  1. F has no point of a swept tetrahedron, but for the corners that they share;
 *  2. F does not intersect the new faces, in the sense of collide/intersect.h, and neither do these
 *     each other;
 *  3. F, if it shares no corner with what is swept, comes no closer to the new faces than the
 *     clearance, or at least no closer than it was to the old ones. What rests on each other at
 *     less than the clearance can still be edited.
 * So a surface without intersections stays one, whatever the number of edits, and no layer changes
 * places with another. 1 and 2 are decided by exact signs (math/predicates.h); touching counts. It
 * is taken for granted that the old faces intersect nothing; where they do, edits may be refused.
 *
 * Corners that are shared need care, for there the two always touch. Seen from a common corner,
 * a face is a flat sector and a tetrahedron a cone, and whether these meet does not depend on how
 * far they reach; seen along a common side, a half plane and a wedge. So with one common corner
 * the sector must not meet the cone, with two the half plane must not lie in the wedge.
 *
 *      vo_guard_begin -> may this edit be done? -> the edit -> changed, removed -> ... -> begin
 *
 * Faces lie in a tree of cubes that changes with them (collide/guard_tree.h). A question looks up
 * the faces around what is swept and drops most of them by lines and planes between the two, in
 * plain arithmetic with a bound on its error (collide/guard_apart.h); the rest is asked exactly
 * (collide/guard_exact.c). Answers depend on the meshes alone, not on the order of edits. */
#ifndef VO_COLLIDE_GUARD_H
#define VO_COLLIDE_GUARD_H

#include "mesh/edit.h"

typedef struct vo_guard vo_guard;

/* Memory is kept from frame to frame. */
vo_result vo_guard_create(vo_context *ctx, vo_guard **out);
void vo_guard_destroy(vo_guard *guard); /* NULL is allowed */

/* Takes all that is there. Cloths may have holes; obstacles are where they are now, NULL where one
 * is not present. All must stay, and no node may move, until the last question; vo_edit_finish of
 * one of the cloths renumbers its faces and so ends it, too. After a failure every question is
 * answered with no. `clearance` is in metres, 0 or more. */
vo_result vo_guard_begin(vo_guard *guard, int cloth_count, const vo_edit *const *cloth,
                         int obstacle_count, const vo_mesh *const *obstacle, double clearance);

/* Edges and ends as for vo_edit_flip and vo_edit_collapse. False for an edge that is not there,
 * that cannot be flipped because it has one face, or has too many faces around it; all else that
 * mesh/edit.h asks for is not looked at. */
bool vo_guard_may_flip(vo_guard *guard, int cloth, int edge);
bool vo_guard_may_collapse(vo_guard *guard, int cloth, int edge, int end);

/* To be called after each edit, splits included, for every face that is new or has other corners,
 * and for every face that is no more. It does no harm for a face that is as it was. Without memory,
 * questions are answered with no from here on. */
vo_result vo_guard_changed(vo_guard *guard, int cloth, int face);
void vo_guard_removed(vo_guard *guard, int cloth, int face);

#endif
