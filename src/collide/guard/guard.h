/* Edit guard: collision check before a mesh edit.
 *
 * A split does not change the surface. A flip and a collapse do, and during the change the surface
 * sweeps tetrahedra:
 *
 *          c                               c
 *        / | \     flip of ab:           /   \        collapse of u onto v: u moves straight to v,
 *       a--+--b    one, a b c d         p--u--v       and each remaining face u p q sweeps one,
 *        \ | /                           \ | /        u v p q
 *          d                               q
 *
 * An edit is allowed if, for every face F of any cloth or obstacle that is not part of it,
 * 1. F contains no point of a swept tetrahedron, except shared corners;
 * 2. F does not intersect the new faces, in the sense of collide/intersect.h, and the new faces do
 *    not intersect each other;
 * 3. F, if it shares no corner with the sweep, is not closer to the new faces than the clearance,
 * or at least not closer than it was to the old ones. So layers that rest on each other at less
 * than the clearance can still be edited. A surface without intersections therefore stays free of
 * intersections after any number of edits, and layers never change their order. Tests 1 and 2 use
 * exact predicates (math/predicates.h); touching is an intersection. Precondition: the faces before
 * the edit are free of intersections. Otherwise valid edits may be rejected.
 *
 * Shared corners need care, because face and sweep always touch there. From a shared corner, a face
 * is a planar sector and a tetrahedron a cone, and whether they intersect does not depend on their
 * size; from a shared side they are a half plane and a wedge. So with one shared corner the sector
 * must not intersect the cone, with two the half plane must not lie in the wedge.
 *
 *     vo_guard_begin -> can_flip, can_collapse -> edit -> update_face, remove_face -> ... -> begin
 *
 * Faces are stored in a loose octree that is updated with the edits (collide/guard/loose_octree.h).
 * A query finds the faces around the sweep and excludes most of them by separating lines and
 * planes, in floating point with an error bound (collide/guard/separation.h); the rest is tested
 * exactly (collide/guard/exact.c). Results depend on the meshes alone, not on the order of
 * edits. */
#ifndef VO_COLLIDE_GUARD_GUARD_H
#define VO_COLLIDE_GUARD_GUARD_H

#include "mesh/edit/edit.h"

typedef struct vo_guard vo_guard;

/* Creates a guard; its memory is reused from frame to frame. */
vo_result vo_guard_create(vo_context *ctx, vo_guard **out);
void vo_guard_destroy(vo_guard *guard); /* NULL is allowed */

/* Inserts all faces. Cloths may have free slots; obstacles are at their current positions, NULL if
 * absent. The meshes must stay alive and no node may move until the last query; vo_edit_finish of a
 * cloth renumbers its faces and requires a new vo_guard_begin. `clearance` (m) is at least 0. After
 * a failure every query returns false. */
vo_result vo_guard_begin(vo_guard *guard, int cloth_count, const vo_edit *const *cloth,
                         int obstacle_count, const vo_mesh *const *obstacle, double clearance);

/* Return true if the edit causes no collision. Edges and ends as for vo_edit_flip and
 * vo_edit_collapse. False for an edge that does not exist, that has one face and cannot be flipped,
 * or that has too many adjacent faces; other preconditions of mesh/edit/edit.h are not tested. */
bool vo_guard_can_flip(vo_guard *guard, int cloth, int edge);
bool vo_guard_can_collapse(vo_guard *guard, int cloth, int edge, int end);

/* Must be called after each edit, including splits: update for every face that is new or has other
 * corners, remove for every deleted face. Calls for unchanged faces are allowed. Without memory,
 * all further queries return false. */
vo_result vo_guard_update_face(vo_guard *guard, int cloth, int face);
void vo_guard_remove_face(vo_guard *guard, int cloth, int face);

#endif
