/* Rungs 3 to 5 of the response: nodes that go only a part of their way.
 *
 * A node that impulses and zones could not save gets a level, and from then on its position at the
 * end of the step is given by that level alone. With x the position it had when it was first held
 * back and c ("carry") the motion of what pushes it:
 *
 *     level   x1                               rung
 *     0       free                             1, 2
 *     1, 2    x0 + c + (x - x0 - c) / 2, / 8   3 cut: the motion relative to what pushes
 *     3       x0 + c                           4 held: carried along
 *     4, 5    x0 + c / 2, x0 + c / 4           5 yield
 *     6       x0                               5 yield
 *
 * For nodes that have a given motion (obstacles, pins) c is that motion, so that the same table
 * leaves them alone up to level 3 and then cuts them down: they yield.
 *
 * Levels rise; only once in a step is all cloth let go (response.c). Each time a pair is found
 * colliding of which nothing is free, the level of at least one of its nodes rises, since a pair
 * with all four at level 6 rests and is never found. So it ends; the ladder makes it end soon. */
#ifndef VO_COLLIDE_RESPONSE_HOLD_H
#define VO_COLLIDE_RESPONSE_HOLD_H

#include "collide/zone.h"

enum { VO_LEVEL_FREE = 0, VO_LEVEL_CUT = 2, VO_LEVEL_HELD = 3, VO_LEVEL_TOP = 6 };

typedef struct vo_holds {
    vo_context *ctx;
    int node_count;
    unsigned char *level; /* [node_count] */
    unsigned char *state; /* [node_count] VO_HOLD_* bits */
    vo_vec3 *wish;        /* [node_count] m, x of the table */
    vo_vec3 *carry;       /* [node_count] m, c of the table */
    int *raised;          /* nodes raised since they were last placed */
    int raised_count;
} vo_holds;

enum {
    VO_HOLD_KNOWN = 1,  /* wish and carry are set */
    VO_HOLD_RAISED = 2, /* is in `raised` */
};

vo_result vo_holds_create(vo_context *ctx, int node_count, vo_holds *out);
void vo_holds_free(vo_holds *holds);
void vo_holds_clear(vo_holds *holds);

/* Raises those nodes of a contact that can be moved and have the lowest level of these by one, and
 * all of them to `least` (0 to 6). Nodes with a given motion follow where that is beyond level 3,
 * or where there is nothing else. Free nodes become given ones in `zones`. */
void vo_holds_raise(vo_holds *holds, vo_zones *zones, const vo_surface *surface,
                    const vo_zone_contact *contact, int least);

/* Raises one node to a level. */
void vo_holds_raise_node(vo_holds *holds, vo_zones *zones, int node, int level);

/* The node is free again; its position is the caller's. */
void vo_holds_release(vo_holds *holds, int node);

/* Puts the nodes that were raised where their level says and marks them in `moved`; those that were
 * free get their carry from the contacts. */
void vo_holds_place(vo_holds *holds, const vo_zones *zones, vo_surface *surface,
                    unsigned char *moved);

#endif
