/* Impact zones: accumulates the impacts of a step and computes the minimal change of motion, in the
 * mass norm, that satisfies all of them.
 *
 * Harmon, Vouga, Tamstorf, Grinspun 2008, "Robust treatment of simultaneous collisions".
 *
 * Every impact becomes a contact, a linear constraint on the positions at the end of the step:
 *
 *     n . sum_i w_i x_i >= target_distance
 *
 * Two contacts that share a movable node belong to one zone. Nodes that are not movable (obstacles,
 * pins, nodes raised by the fail-safe) have fixed positions and connect nothing: otherwise a floor
 * would join everything on it into one zone.
 *
 * A zone minimises 1/2 |x - x*|^2 in the mass norm, where x* are the target positions of its nodes,
 * subject to its constraints. In terms of the impulses, p >= 0 along the normal and q tangential,
 *
 *     x_i = x*_i + 1/m_i sum_c w_ci (p_c n_c + q_c)
 *
 * and each contact alone has a closed-form solution. Sweeps over the contacts, forward and
 * backward, converge to the minimum (projected Gauss-Seidel). q is Coulomb friction: it cancels
 * tangential motion within |q| <= mu p. The impulses of a contact cancel (the weights sum to 0), so
 * linear momentum is conserved up to rounding, and angular momentum because sum w_i x_i is parallel
 * to n at the time of impact.
 *
 * Sweeps stop when all contacts have reached their target distances or make no progress. A zone
 * without progress between two prescribed motions (obstacles or pins) is taken to be infeasible,
 * and those contacts that still make no progress are marked `infeasible`. With one prescribed
 * motion a solution always exists: to move along with it. If the sweeps do not find it, contact
 * normals are misleading, and impacts must be detected again.
 *
 * x* is not stored: impulses are stored with the contacts, and x includes their effect. This is
 * also the warm start of the next round.
 *
 * A contact is an approximation of what separates a pair, since normals rotate: the pair may
 * collide again although the contact is satisfied. It is then updated with the normal of the new
 * impact. Pairs that this does not resolve get a conservative constraint: the plane perpendicular
 * to the shortest connection at x0. It separates the features at x0, so x0 satisfies it; and
 * features that it also separates at x1 cannot have collided, because heights above it are linear
 * in time. Each corner of one feature against each corner of the other is then a separate contact.
 * So without moving obstacles all constraints have a common solution, and each pair is resolved
 * after a few updates.
 *
 * Target distances may be larger than the distances at x0, so that tiny gaps grow. Near a sharp
 * edge there may not be enough space. A zone with a pair that has failed several times therefore
 * reduces its targets to the distances at x0. */
#ifndef VO_COLLIDE_IMPACT_ZONE_H
#define VO_COLLIDE_IMPACT_ZONE_H

#include "collide/impact.h"

typedef struct vo_impact_contact {
    vo_impact impact; /* all weights 0: replaced by a plane */
    double friction;
    vo_vec3 start_offset;     /* m, sum of w_i x0_i, the reference of tangential motion */
    double normal_impulse;    /* kg m, p along the normal */
    vo_vec3 friction_impulse; /* kg m, tangential, q */
    int next;                 /* next contact with the same first node, -1: none */
    int retries;     /* times its pair was found colliding although the contact was satisfied */
    int failures;    /* rounds of stage 2 that did not resolve the pair; used by response.c */
    bool is_plane;   /* of two corners, by the separating plane at x0 */
    bool active;     /* found in the last search; of planes, one contact of the pair */
    bool unsolved;   /* missed its target distance in the last sweep */
    bool infeasible; /* unsolved, and no motion of the zone can solve it */
    bool gap_closed; /* infeasible, and its gap is closed or negative */
    bool in_zone;    /* has been part of a stage 2 solve */
} vo_impact_contact;

/* A contact in the layout of the sweeps, contiguous per zone. */
typedef struct vo_impact_row {
    int node[4];
    double weight[4];
    double weighted_mobility[4]; /* 1/kg, weight times mobility: displacement of the node per unit
                                    impulse */
    vo_vec3 normal;
    double target_distance;
    double mobility; /* 1/kg, of the gap; 0: skip the row */
    double friction;
    vo_vec3 start_offset, friction_impulse;
    double normal_impulse;
    double violation;          /* missing fraction of the target distance at the last check */
    double satisfied_fraction; /* fraction of the target distance that is sufficient */
    bool unsolved, infeasible;
} vo_impact_row;

typedef struct vo_impact_zones {
    vo_context *ctx;
    const vo_surface *surface; /* of the current step */
    int node_count;
    double *mobility;     /* [node_count] 1/kg; 0: fixed position */
    int *parent;          /* [node_count] union-find parent of the zones; -1: no contact */
    int *first_contact;   /* [node_count] first contact whose first node this is; -1: none */
    int *zone_of;         /* [node_count] roots: index of a zone to solve, -1: none */
    vo_vec3 *x_before;    /* [node_count] m, positions before a solve */
    unsigned char *dirty; /* [node_count] roots: a node was fixed since the last solve */
    vo_impact_contact *contact;
    int count, capacity;
    vo_impact_row *row; /* contacts to solve, zone by zone */
    int *order;         /* contact of each row */
    int row_capacity, order_capacity;
    int *start;  /* [zones to solve + 1] into row and order */
    int *sweeps; /* [zones to solve] sweeps of the last solve */
    int start_capacity, sweeps_capacity;
    int64_t row_updates; /* row updates of the last solve */
} vo_impact_zones;

vo_result vo_impact_zones_create(vo_context *ctx, int node_count, vo_impact_zones *out);
void vo_impact_zones_free(vo_impact_zones *zones);

/* Removes all contacts. */
void vo_impact_zones_clear(vo_impact_zones *zones, const vo_surface *surface);

typedef struct vo_friction {
    double cloth, obstacle;
} vo_friction;

/* Adds an impact as a new contact, or updates the contact of its pair, and makes it active. *out
 * receives its index. */
vo_result vo_impact_zones_add(vo_impact_zones *zones, vo_surface *surface, const vo_impact *impact,
                              vo_friction friction, int *out);

/* Merges the zones of all movable nodes of a pair. */
void vo_impact_zones_join(vo_impact_zones *zones, const int node[4]);

/* Fixes the position of a node; its zone is solved again. */
void vo_impact_zones_fix(vo_impact_zones *zones, int node);

/* Makes all nodes with mass movable again. Contacts are kept without impulses and become active. */
void vo_impact_zones_restart(vo_impact_zones *zones);

/* Returns true if moving the contact's nodes can open its gap. False if only nodes far from the
 * closest points are free: they would have to move ten times as far or more. */
bool vo_impact_zones_can_separate(const vo_impact_zones *zones, const vo_impact_contact *contact);

/* Solves the zones of active contacts with at most `sweeps` sweeps each, in parallel, and marks the
 * nodes that moved in `moved`. Target distances may be missed; the flags of the contacts report
 * it. */
vo_result vo_impact_zones_solve(vo_impact_zones *zones, vo_vec3 *x, int sweeps,
                                unsigned char *moved);

/* Returns the number of zones with a contact that is in_zone. */
int vo_impact_zones_count(vo_impact_zones *zones);

#endif
