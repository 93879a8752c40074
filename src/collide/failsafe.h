/* Fail-safe: stages 3 to 5 of the response, in which nodes move by a fraction of their motion.
 *
 * A node that impulses and zones could not resolve gets a level. From then on its position at the
 * end of the step depends on the level alone. With x its position when it was first raised
 * (target_x) and c the motion of what pushes it (contact_motion):
 *
 *     level   x1                               stage
 *     0       free                             1, 2
 *     1, 2    x0 + c + (x - x0 - c) / 2, / 8   3 truncate: motion relative to what pushes
 *     3       x0 + c                           4 freeze: moves along
 *     4, 5    x0 + c / 2, x0 + c / 4           5 yield
 *     6       x0                               5 yield
 *
 * For nodes with prescribed motion (obstacles, pins) c is that motion, so the same table leaves
 * them unchanged up to level 3 and then truncates them: they yield.
 *
 * Levels only rise, except that all cloth is released once per step (response.c). Termination: each
 * time a pair without a free node is found colliding, the level of at least one of its nodes rises,
 * and a pair with all four nodes at level 6 is at rest and never found. The stages of the response
 * make it terminate early. */
#ifndef VO_COLLIDE_FAILSAFE_H
#define VO_COLLIDE_FAILSAFE_H

#include "collide/impact_zone.h"

enum { VO_LEVEL_FREE = 0, VO_LEVEL_TRUNCATED = 2, VO_LEVEL_FROZEN = 3, VO_LEVEL_MAX = 6 };

typedef struct vo_failsafe {
    vo_context *ctx;
    int node_count;
    unsigned char *level;    /* [node_count] */
    unsigned char *state;    /* [node_count] VO_FAILSAFE_* bits */
    vo_vec3 *target_x;       /* [node_count] m, x in the table */
    vo_vec3 *contact_motion; /* [node_count] m, c in the table */
    int *raised;             /* nodes raised since the last vo_failsafe_apply */
    int raised_count;
} vo_failsafe;

enum {
    VO_FAILSAFE_HAS_MOTION = 1, /* target_x and contact_motion are set */
    VO_FAILSAFE_RAISED = 2,     /* listed in `raised` */
};

vo_result vo_failsafe_create(vo_context *ctx, int node_count, vo_failsafe *out);
void vo_failsafe_free(vo_failsafe *failsafe);
void vo_failsafe_clear(vo_failsafe *failsafe);

/* Raises the movable nodes of a contact that have its lowest level by one, and all movable nodes to
 * at least `min_level` (0 to 6). Nodes with prescribed motion are raised too if the level is above
 * 3 or if no other node is movable. Raised nodes become fixed in `zones`. */
void vo_failsafe_raise(vo_failsafe *failsafe, vo_impact_zones *zones, const vo_surface *surface,
                       const vo_impact_contact *contact, int min_level);

/* Raises one node to a level; does nothing if it has that level. */
void vo_failsafe_raise_node(vo_failsafe *failsafe, vo_impact_zones *zones, int node, int level);

/* Makes a node free again; the caller sets its position. */
void vo_failsafe_release(vo_failsafe *failsafe, int node);

/* Moves the raised nodes to the positions of their levels and marks them in `moved`; nodes that
 * were free get their contact motion from the contacts. */
void vo_failsafe_apply(vo_failsafe *failsafe, const vo_impact_zones *zones, vo_surface *surface,
                       unsigned char *moved);

#endif
