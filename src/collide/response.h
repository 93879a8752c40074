/* Continuous collision and what follows from it: x1 becomes a state that x0 reaches in straight
 * lines without any feature passing through another. It always ends so, by a ladder:
 *
 *   1 impulses   colliding pairs are stopped one by one, with friction, a few passes
 *   2 zones      what still collides forms zones that grow and merge; all impacts a zone has seen
 *                are constraints of one projection: the smallest change of motion, in the metric of
 *                mass, that keeps every one of them apart
 *   3 cut        a zone's nodes go only a part of their way (1/2, 1/4, ...), with what pushes them
 *   4 held       a zone stays at x0, or is carried along by the obstacle that touches it
 *   5 yield      two obstacles squeeze so that no solution exists: the obstacles' nodes of the zone
 *                go only a part of their way, at last none; then the cloth is let go and tries
 *                again with the room that this leaves
 *
 * With everything held and yielded x1 is x0, so the ladder cannot fail. A zone in which goals come
 * no nearer has no solution and goes on to rung 5 at once. Work is for what is in trouble: zones
 * that are settled, and obstacles that have no part in it, are left alone.
 *
 * A clump (collide/clump.h), more pairs in one place than can be listed, goes straight to the top:
 * its cloth stays at x0 and, where that is not enough, so do the obstacles in it. */
#ifndef VO_COLLIDE_RESPONSE_H
#define VO_COLLIDE_RESPONSE_H

#include "collide/candidates.h"

typedef struct vo_response_def {
    double thickness;         /* m, the separation at which impacts leave their features, where they
                                 had that much before */
    double friction;          /* cloth on cloth */
    double obstacle_friction; /* cloth on obstacles */
} vo_response_def;

/* How far up the ladder it went: counts since the call. */
typedef struct vo_response_report {
    int impacts;       /* pairs found colliding, over all passes */
    int passes;        /* rounds of detection */
    int impulses;      /* rung 1: pairs */
    int zones;         /* rung 2: zones at the end */
    int cut_nodes;     /* rung 3 */
    int held_nodes;    /* rung 4 */
    int yielded_nodes; /* rung 5: nodes of obstacles, and pinned ones */
    int worst_node;    /* of the highest rung, -1: none; to say where */
    int crowded_nodes; /* held since they are in a clump: counted above, too */
    int clump_node;    /* one of them, -1: none */
    double longest;    /* m, that a node wanted to go; known where there was something to do */
} vo_response_report;

typedef struct vo_response vo_response; /* memory kept from step to step */

vo_result vo_response_create(vo_context *ctx, const vo_surface *surface, vo_response **out);
void vo_response_destroy(vo_response *response); /* NULL is allowed */

/* Changes surface->x1, and nothing else. VO_NO_MEMORY leaves x1 undefined; the caller goes back
 * to x0. */
vo_result vo_respond(vo_response *response, const vo_response_def *def, vo_surface *surface,
                     vo_candidates *candidates, vo_response_report *report);

#endif
