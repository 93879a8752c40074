/* Removal of self-intersections of a posed body: overlapping parts are inset until they are `gap`
 * apart.
 *
 * A skinned body overlaps itself where it bends: behind the knee, in the groin and the armpit, an
 * arm against the chest, a hand on the hip. Cloth between such surfaces would have no space.
 * Therefore the overlap is removed before cloth collides with the body:
 *
 *         ___ thigh ___                          For every node a line along its normal, a short
 *                      \  n                      distance out and a longer one in, is intersected
 *      ------+----------\-^---- calf             with faces that face the node. s is the distance
 *            |  overlap  \|                      along the normal, negative where the two overlap.
 *      ------+------------+----                  Each side is inset by (gap - s) / 2 against its
 *             thigh    s < 0                     normal, so that they end `gap` apart.
 *
 * A node may face the other side of its own limb or the next finger. These are ignored as long as
 * they are where the rest pose has them: in a frame that rotates with the surface of the node, a
 * point at v gets the motion weight |v - v_rest| relative to |v|. This distinguishes a fold, whose
 * sides were neighbours in a plane, from the back of an arm, which moves with its front, without
 * any knowledge of limbs.
 *
 * Insets are propagated to neighbouring nodes with a bounded slope and smoothed, so that no spikes
 * remain; they are bounded by a fraction of the thickness of the limb, so that it is not turned
 * inside out. Overlap beyond that bound remains. A few iterations account for normals that are not
 * parallel. Before, crumpled skin in folds is smoothed (self_gap_unfold.c), because its normals
 * carry no information.
 *
 * The depths are a continuous function of the pose alone: the weight of a face vanishes before it
 * leaves the line (edge-on faces have weight 0), and the largest requested depth is used, not the
 * first. Nodes without faces near them have a depth of exactly 0.
 *
 * Rejected: separating intersecting faces pair by pair, as for cloth: the outward direction is not
 * a local property and changes from frame to frame. The nearest point instead of the normal: it is
 * discontinuous at the medial axis of every limb. Smoothing the whole pose (delta mush), which also
 * opens folds: it moves all other nodes as well. */
#ifndef VO_CHARACTER_SELF_GAP_H
#define VO_CHARACTER_SELF_GAP_H

#include "core/context.h"

typedef struct vo_self_gap vo_self_gap;

/* Creates the data for a triangle mesh, counter-clockwise from outside, usually closed, in a pose
 * without overlaps. Copies its arguments. */
vo_result vo_self_gap_create(vo_context *ctx, int node_count, const vo_vec3 *rest, int face_count,
                             const int (*face)[3], vo_self_gap **out);
void vo_self_gap_destroy(vo_self_gap *self_gap); /* NULL is allowed */

/* Insets the nodes of a pose in place, so that parts that face each other are `gap` (m) apart.
 * Nodes that are neither inset nor crumpled keep their bits. Runs in parallel, allocates nothing;
 * not reentrant, because working memory is part of the object. */
void vo_self_gap_resolve(vo_self_gap *self_gap, double gap, vo_vec3 *x);

#endif
