/* Collision response: changes x1 so that no feature passes through another on the linear
 * trajectories from x0 to x1. It always succeeds, in five stages:
 *
 *   1 impulses   colliding pairs are stopped one by one, with friction, in a few passes
 *   2 zones      pairs that still collide form impact zones, which grow and merge; all impacts of a
 *                zone are constraints of one projection: the minimal change of motion, in the mass
 *                norm, that satisfies all of them
 *   3 truncate   the nodes of a zone move by a fraction (1/2, 1/8) of their motion relative to what
 *                pushes them
 *   4 freeze     a zone stays at x0, or moves with the obstacle that touches it
 *   5 yield      two obstacles squeeze the cloth so that no solution exists: the obstacle nodes of
 * the zone move by a fraction of their motion, finally not at all; then the cloth is released and
 * solved again with the space that this leaves
 *
 * The last stage sets x1 = x0 for all nodes, which is free of intersections, so the response always
 * succeeds. A zone whose distances do not approach their targets is infeasible and goes to stage 5
 * directly. Work is spent on unsolved zones only; solved zones and uninvolved obstacles are not
 * changed.
 *
 * A dense region (collide/dense_region.h), with more pairs than the pair budget, goes directly to
 * the last stage: its cloth stays at x0 and, if that is not enough, so do the obstacles in it. */
#ifndef VO_COLLIDE_RESPONSE_H
#define VO_COLLIDE_RESPONSE_H

#include "collide/candidates.h"

typedef struct vo_response_def {
    double thickness; /* m, separation after an impact, if the features had as much before */
    double friction;  /* cloth on cloth */
    double obstacle_friction; /* cloth on obstacles */
} vo_response_def;

/* Statistics of one call, by stage. */
typedef struct vo_response_report {
    int impacts;         /* colliding pairs, summed over all passes */
    int passes;          /* collision detection passes */
    int impulses;        /* stage 1: pairs */
    int zones;           /* stage 2: zones at the end */
    int truncated_nodes; /* stage 3 */
    int frozen_nodes;    /* stage 4 */
    int lagging_nodes;   /* stage 5: nodes of obstacles, and pinned nodes */
    int worst_node;      /* a node of the highest stage reached, -1: none; locates the problem */
    int dense_nodes;     /* frozen because they are in a dense region; also counted above */
    int dense_node;      /* one of dense_nodes, -1: none */
    double max_motion;   /* m, largest requested motion of a node; 0 if there was no impact */
} vo_response_report;

typedef struct vo_response vo_response; /* memory that is reused from step to step */

vo_result vo_response_create(vo_context *ctx, const vo_surface *surface, vo_response **out);
void vo_response_destroy(vo_response *response); /* NULL is allowed */

/* Changes surface->x1 only. On VO_NO_MEMORY x1 is undefined; the caller must restore x0. */
vo_result vo_response_apply(vo_response *response, const vo_response_def *def, vo_surface *surface,
                            vo_candidates *candidates, vo_response_report *report);

#endif
