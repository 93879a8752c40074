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
 * momentum is kept to rounding, and angular momentum because sum w_i x_i goes along n at the time
 * of impact.
 *
 * Sweeping ends when all contacts have reached their goals, or these come no nearer. Then a zone
 * that is between two given motions (obstacles or pins) is taken to have no solution, and those of
 * its contacts that still do not come nearer are hopeless. Between one given motion and nothing
 * there is always one: to move along with it. If sweeps do not find it, contacts have misleading
 * normals, and it is worth while to look again.
 *
 * x* itself is not kept: impulses are stored beside x, which always has them in it. That is also
 * the warm start from one round to the next.
 *
 * A contact is a guess at what keeps a pair apart, since normals turn: the pair may collide again
 * although the contact is heeded. It is then looked at again, with the normal of the new impact.
 * For pairs that this does not settle there is something sure, if narrow: the plane across the
 * shortest connection at x0. It stands between the features at x0, so x0 heeds it; and features
 * that it stands between at x1, too, cannot have met, as heights above it are linear in time. Each
 * corner of the one feature against each of the other is then a contact of its own. So without
 * moving obstacles all constraints have a common solution, and each pair is settled for good after
 * a few looks.
 *
 * Goals may be larger than what there was at x0, so that gaps which are hardly any grow. Around a
 * sharp edge that can be more than there is room for. A zone with a pair that has failed a few
 * times is therefore modest: it asks for no more than x0 has. */
#ifndef VO_COLLIDE_ZONE_H
#define VO_COLLIDE_ZONE_H

#include "collide/impact.h"

typedef struct vo_zone_contact {
    vo_impact impact; /* weights all 0: has been replaced by a plane */
    double friction;
    vo_vec3 rest;  /* m, sum of w_i x0_i: sliding counts from here */
    double push;   /* kg m, along the normal */
    vo_vec3 drag;  /* kg m, across it */
    int next;      /* contact of the same first node, -1: none */
    int looks;     /* how often its pair was found colliding although it had reached its goal */
    int failures;  /* rounds of rung 2 that did not settle the pair; the ladder's */
    bool is_plane; /* of two corners, by the plane between the features at x0 */
    bool live;     /* found in the last search; of planes, one of the pair's contacts */
    bool unsolved; /* missed its goal in the last sweep */
    bool hopeless; /* and nothing can be done about it */
    bool crushed;  /* and hardly anything was left of its gap, or less than nothing */
    bool zoned;    /* has been solved by rung 2 */
} vo_zone_contact;

/* A contact as the sweeps need it, close together in the order of zones. */
typedef struct vo_zone_row {
    int node[4];
    double weight[4];
    double pull[4]; /* 1/kg, weight times mobility: what an impulse does to the node */
    vo_vec3 normal;
    double goal;
    double mobility; /* 1/kg, of the gap; 0: the row is skipped */
    double friction;
    vo_vec3 rest, drag;
    double push;
    double missing; /* part of the goal, when last looked at */
    double enough;  /* part of the goal that counts as reached */
    bool unsolved, hopeless;
} vo_zone_row;

typedef struct vo_zones {
    vo_context *ctx;
    const vo_surface *surface; /* of the present step */
    int node_count;
    double *mobility; /* [node_count] 1/kg; 0: has a given position */
    int *parent;      /* [node_count] of the forest of zones, roots are their own; -1: no contact */
    int *first;       /* [node_count] first contact of which this is the first node; -1: none */
    int *zone_of;     /* [node_count] of roots: index of a zone to be solved, -1: none */
    vo_vec3 *before;  /* [node_count] m, where nodes were before a solve */
    unsigned char
        *stirred; /* [node_count] of roots: a node of the zone was fixed since its solve */
    vo_zone_contact *contact;
    int count, capacity;
    vo_zone_row *row; /* of contacts to be solved, zone by zone */
    int *order;       /* and which contacts these are */
    int row_capacity, order_capacity;
    int *start;  /* [zones to be solved + 1] into row and order */
    int *sweeps; /* [zones to be solved] that the last solve made */
    int start_capacity, sweeps_capacity;
    int64_t swept; /* rows of the last solve, each as often as it was swept over */
} vo_zones;

vo_result vo_zones_create(vo_context *ctx, int node_count, vo_zones *out);
void vo_zones_free(vo_zones *zones);

/* No contacts. */
void vo_zones_clear(vo_zones *zones, const vo_surface *surface);

typedef struct vo_friction {
    double cloth, obstacle;
} vo_friction;

/* Takes an impact in, as a new contact or as a new look at one that there is, and makes it live.
 * Its index is in `out`. */
vo_result vo_zones_add(vo_zones *zones, vo_surface *surface, const vo_impact *impact,
                       vo_friction friction, int *out);

/* Makes one zone of all nodes of a pair that can be moved. */
void vo_zones_join(vo_zones *zones, const int node[4]);

/* The node has a given position from now on. What is left of its zone is solved again. */
void vo_zones_fix(vo_zones *zones, int node);

/* All nodes with mass can be moved again. Contacts stay, without impulses, and are to be solved. */
void vo_zones_restart(vo_zones *zones);

/* Whether the contact's nodes can be moved so that its gap grows. It cannot where only nodes far
 * from the closest points are free: they would have to go ten times as far and more, with
 * everything around them. */
bool vo_zones_movable(const vo_zones *zones, const vo_zone_contact *contact);

/* Sweeps over the zones of live contacts, at most `sweeps` times each and in parallel, and marks
 * the nodes that moved in `moved`. Goals may be missed; contacts tell. */
vo_result vo_zones_solve(vo_zones *zones, vo_vec3 *x, int sweeps, unsigned char *moved);

/* How many zones have a contact that is zoned. */
int vo_zones_count(vo_zones *zones);

#endif
