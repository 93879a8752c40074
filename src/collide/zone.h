/* Impact zones: all impacts of a step so far, and the smallest change of motion that heeds them.
 *
 * Harmon, Vouga, Tamstorf, Grinspun 2008, "Robust treatment of simultaneous collisions".
 *
 * Every impact stays as a contact, a linear constraint on the positions at the end of the step:
 *
 *     n . sum_i w_i x_i >= goal
 *
 * Two contacts that share a node that can be moved belong to one zone. Nodes that cannot be moved
 * (obstacles, pins, what the ladder holds) are given positions and join nothing: otherwise the
 * floor would make one zone of all that lies on it.
 *
 * A zone minimizes 1/2 |x - x*|^2 in the metric of mass, x* being where the nodes wanted to go,
 * under its constraints. In terms of the impulses, push p >= 0 along the normal and drag q across,
 *
 *     x_i = x*_i + 1/m_i sum_c w_ci (p_c n_c + q_c)
 *
 * and every contact by itself is solved by a formula. Sweeping over the contacts, forth and back,
 * converges to the minimum (projected Gauss-Seidel). Drag is friction: it takes off what is left of
 * the sliding, within |q| <= mu p. Impulses of a contact cancel (the weights' sum is 0), so linear
 * momentum is kept to rounding, and angular momentum because w_i x_i goes along n.
 *
 * x* itself is not kept: impulses are stored beside x, which always has them in it. That is also
 * the warm start from one round to the next. */
#ifndef VO_COLLIDE_ZONE_H
#define VO_COLLIDE_ZONE_H

#include "collide/impact.h"

typedef struct vo_zone_contact {
    vo_impact impact;
    double friction;
    vo_vec3 rest;  /* sum of w_i x0_i: sliding counts from here */
    double push;   /* kg m, along the normal */
    vo_vec3 drag;  /* kg m, across it */
    int next;      /* contact of the same first node, -1: none */
    int found;     /* how often it was found colliding */
    bool live;     /* found in the last search */
    bool unsolved; /* missed its goal in the last sweep */
    bool zoned;    /* has been solved by rung 2 */
} vo_zone_contact;

typedef struct vo_zones {
    vo_context *ctx;
    int node_count;
    double *mobility; /* [node_count] 1/kg; 0: has a given position */
    int *parent;      /* [node_count] of the forest of zones, roots are their own; -1: no contact */
    int *first;       /* [node_count] first contact of which this is the first node; -1: none */
    int *zone_of;     /* [node_count] of roots: index of a zone to be solved, -1: none */
    vo_zone_contact *contact;
    int count, capacity;
    int *order; /* contacts to be solved, zone by zone */
    int order_capacity;
    int *start; /* [zones to be solved + 1] into order */
    int start_capacity;
} vo_zones;

vo_result vo_zones_create(vo_context *ctx, int node_count, vo_zones *out);
void vo_zones_free(vo_zones *zones);

/* No contacts. */
void vo_zones_clear(vo_zones *zones, const double *inverse_mass);

typedef struct vo_friction {
    double cloth, obstacle;
} vo_friction;

/* Takes an impact in, as a new contact or as a new look at one that there is, and makes it live.
 * Its index is in `out`. */
vo_result vo_zones_add(vo_zones *zones, vo_surface *surface, const vo_impact *impact,
                       vo_friction friction, int *out);

/* The node has a given position from now on. */
void vo_zones_fix(vo_zones *zones, int node);

/* Whether a node of the contact can be moved. */
bool vo_zones_movable(const vo_zones *zones, const vo_zone_contact *contact);

/* Sweeps over the zones of live contacts, at most `sweeps` times each and in parallel, and marks
 * their nodes in `moved`. Returns VO_NO_MEMORY, or VO_OK, also where goals were not reached. */
vo_result vo_zones_solve(vo_zones *zones, vo_vec3 *x, int sweeps, unsigned char *moved);

/* How many zones have a contact that is zoned. */
int vo_zones_count(vo_zones *zones);

#endif
