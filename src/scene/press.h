/* Limbs that press into each other are drawn in, like flesh.
 *
 * A skinned body overlaps itself where it bends: behind the knee, in the groin and the armpit, an
 * arm against the chest, a hand on the hip. Cloth between two such surfaces would have no room at
 * all. So the body makes room before any cloth sees it:
 *
 *         ___ thigh ___                          Every node looks along its normal, a little way
 *                      \  n                      out and some way in, for a part of the body that
 *      ------+----------\-^---- calf             faces it. s is how far that is: negative where the
 *            |  overlap  \|                      two overlap. Each side is drawn in by half of what
 *      ------+------------+----                  is missing, (gap - s) / 2, against its normal, and
 *             thigh    s < 0                     they end `gap` apart.
 *
 * Who faces a node may be the other side of its own limb, or the next finger. These do not count as
 * long as they are where the rest pose has them: seen from the node, in a frame that turns with the
 * surface, a point q at v counts in the measure in which it has moved, |v - v_rest| against |v|.
 * That tells without any names of limbs a fold (the sides of which were neighbours in a plane) from
 * the back of an arm (which goes where its front goes), for any body at all.
 *
 * What is drawn in pulls its surroundings along, with a slope and a blur, so that no spike stands
 * out; and never deeper than a share of the limb, so that it does not come out on the other side.
 * What cannot be had within that is left. A few rounds of looking again make up for normals that
 * are not parallel. Before any of this, skin that has crumpled in a fold is smoothed into a web
 * (press_unfold.c): normals say nothing there.
 *
 * The depths are a continuous function of the pose alone: the weight of what is seen vanishes
 * before it slips out of sight (edge-on surfaces weigh nothing), and of all that is seen the
 * largest wish counts, not the first. Nodes that have nothing near them have a depth of exactly 0.
 *
 * Rejected: pushing crossing faces apart pair by pair, as cloth is: which way is out is not a local
 * question, and answers flip from frame to frame. Asking for the nearest point instead of along the
 * normal: it jumps at the middle of every limb. Smoothing the whole pose (delta mush), which also
 * opens folds: it moves everything else, too. */
#ifndef VO_SCENE_PRESS_H
#define VO_SCENE_PRESS_H

#include "core/context.h"

typedef struct vo_press vo_press;

/* For a surface of triangles, counter-clockwise from outside, usually closed, in the pose in which
 * nothing presses. Copies what it needs. */
vo_result vo_press_create(vo_context *ctx, int node_count, const vo_vec3 *rest, int face_count,
                          const int (*face)[3], vo_press **out);
void vo_press_destroy(vo_press *press); /* NULL is allowed */

/* How far every node of the pose x is to be drawn in so that parts that face each other are `gap`
 * apart, m: depth[node_count], finite, not negative. In parallel, allocates nothing; one caller at
 * a time, since the press has the memory for it. */
void vo_press_measure(vo_press *press, const vo_vec3 *x, double gap, double *depth);

/* Draws the nodes of a pose in, in place, by the depths measured for it. Nodes that are neither
 * drawn in nor crumpled keep their bits. */
void vo_press_apply(vo_press *press, const double *depth, vo_vec3 *x);

/* Both at once, in little more than half the time. */
void vo_press_draw_in(vo_press *press, double gap, vo_vec3 *x);

/* The depth that is never exceeded at a node, m. */
double vo_press_limit(const vo_press *press, int node);

#endif
