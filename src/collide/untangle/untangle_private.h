/* State shared by the passes of untangling. */
#ifndef VO_COLLIDE_UNTANGLE_UNTANGLE_PRIVATE_H
#define VO_COLLIDE_UNTANGLE_UNTANGLE_PRIVATE_H

#include "collide/untangle/untangle.h"

/* A region of a surface, as a range of u->region_node. */
typedef struct vo_contour_region {
    bool separate; /* bounded by the contour; false: the contour is open, and the region extends
                      around its end */
    bool pinned;   /* a node is pinned */
    int begin, end;
} vo_contour_region;

struct vo_untangler {
    vo_context *ctx;
    vo_untangle_def def;
    vo_contours contours;

    /* topology, computed once */
    int *node_start, *node_edge; /* [node_count + 1], [2 edge_count] edges of each node */
    int (*edge_face)[2];         /* [edge_count] adjacent faces; -1: none */
    int *node_part;              /* [node_count] -1: not in a face */
    int *node_sheet;             /* [node_count] connected component */
    int sheet_count;
    int *sheet_first;                 /* [sheet_count] node with the lowest index */
    unsigned char *part_closed;       /* [part_count] a closed, consistently oriented obstacle */
    unsigned char *part_is_container; /* [part_count] its solid surrounds it */
    int first_container, container_count; /* lowest index of a container, -1: none; their number */
    int *part_begin, *part_end; /* [part_count] range in the list of obstacle faces of `contours` */
    vo_box *part_box;           /* [part_count] current bounds of obstacles */
    double *edge_rest;          /* [edge_count] m, rest length */
    int *face_base;             /* [face_count] longest side at the start, 0 to 2 */
    double *face_height;        /* [face_count] m, height above that side at the start */
    double *node_size;          /* [node_count] m, mean length of its edges */

    /* the current step */
    double max_stretch;    /* largest edge length relative to the rest length */
    int level;             /* restart number; higher levels use larger neighbourhoods */
    vo_vec3 *push;         /* [node_count] m, displacement of each node */
    double *follow_radius; /* [node_count] m, radius within which neighbours follow a pushed node */
    unsigned char *driven; /* [node_count] */
    int *ring;             /* [node_count] edge distance from the nearest pushed node; -1: beyond */
    int *queue;            /* [2 node_count] */
    int *region_node;      /* [2 node_count] */
    int *node_mark;        /* [node_count] stamps of searches */
    int mark;
    int *winding;              /* [node_count] winding number of one obstacle, up to a constant */
    int *total_winding;        /* [node_count] sum of the winding numbers of all closed obstacles */
    int *edge_mark;            /* [edge_count] 0 between uses */
    int *inside_part;          /* [node_count] obstacle that contains it, or -1 */
    vo_vec3 *exit_direction;   /* [node_count] along which it leaves obstacles, since the restart */
    vo_vec3 *clean_x;          /* [node_count] last state without intersections */
    vo_vec3 *best_x, *start_x; /* [node_count] */
    vo_vec3 *scratch_x;        /* [node_count] */
    double *scale;             /* [node_count] */
    int64_t max_tests;         /* budget of tested face pairs */
    vo_tangle *tangle;
    int tangle_count, tangle_capacity;
};

/* Returns true if the last search found no intersection. */
static inline bool vo_untangle_is_clean(const vo_untangler *u) {
    return u->contours.pair_count == 0 && !u->contours.over_budget;
}

static inline bool vo_node_moves(const vo_untangler *u, int n) {
    return u->def.soup.inverse_mass[n] > 0;
}

/* Returns how far beyond the surface a node is pushed (m); minimal steps would converge slowly. */
static inline double vo_untangle_clearance(const vo_untangler *u, double size) {
    return u->def.gap + 0.05 * (1 + u->level) * size;
}

static inline int vo_edge_other(const vo_untangler *u, int e, int n) {
    return u->def.soup.edge[e][0] == n ? u->def.soup.edge[e][1] : u->def.soup.edge[e][0];
}

static inline bool vo_part_is_obstacle(const vo_untangler *u, int part) {
    return u->def.soup.part_flags[part] & VO_SOUP_OBSTACLE;
}

/* topology.c: topology and memory of the untangler. */
vo_result vo_untangle_topology(vo_untangler *u, const vo_vec3 *x);
/* Updates the bounds and trees of obstacles. */
void vo_untangle_set_obstacles(vo_untangler *u, const vo_vec3 *x);
void vo_untangle_free_topology(vo_untangler *u);

/* region.c: finds the region that a contour bounds on one of its surfaces: the side with fewer
 * nodes, or with `larger` the other one. Writes the nodes to u->region_node from `at` on. */
vo_contour_region vo_untangle_find_region(vo_untangler *u, const vo_contour *k, int surface,
                                          bool larger, int at);

/* inside.c: pushes nodes out of closed obstacles; fills u->inside_part. */
void vo_untangle_push_inside(vo_untangler *u, const vo_vec3 *x);
/* Moves each sheet that lies entirely inside closed obstacles outside, as a whole. */
void vo_untangle_eject(vo_untangler *u, vo_vec3 *x);
/* Adds a tangle for each sheet that lies entirely inside a closed obstacle. */
vo_result vo_untangle_list_inside(vo_untangler *u, const vo_vec3 *x);

/* query.c. Winding number of a closed part about a point, an integer except on the surface; vector
 * from a point to its nearest point on a part; distance along `direction` at which a point with
 * total winding number `winding` is outside all closed parts (infinity: never). */
double vo_untangle_winding(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p);
vo_vec3 vo_untangle_nearest(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p);
double vo_untangle_exit_distance(const vo_untangler *u, const vo_vec3 *x, int winding, vo_vec3 p,
                                 vo_vec3 direction);

/* report.c: adds a tangle; replaces the tangles by the remaining contours and touching pairs. */
vo_result vo_untangle_add_tangle(vo_untangler *u, const vo_tangle *t);
vo_result vo_untangle_list_tangles(vo_untangler *u, const vo_vec3 *x);

/* push.c: pushes from contours and from touching faces. */
void vo_untangle_push_contours(vo_untangler *u, const vo_vec3 *x);
/* Returns the direction of steepest descent of the contour length at a vertex, as a motion of the
 * edge relative to the face. */
vo_vec3 vo_untangle_gradient(const vo_contours *c, const vo_vec3 *x, const vo_contour *k, int v);

#define VO_UNTANGLE_MAX_STRETCH 1.1 /* largest edge stretch without a restart */

/* move.c: adds a push to a node, with a radius within which its neighbours follow; clears all
 * pushes; converts pushes into a motion of the cloth. */
void vo_untangle_push_node(vo_untangler *u, int node, vo_vec3 push, double follow_radius);
void vo_untangle_clear_pushes(vo_untangler *u);
void vo_untangle_move(vo_untangler *u, vo_vec3 *x);
/* Moves edges and faces around the first `count` nodes of the queue back to their strain limits. */
void vo_untangle_limit_strain(vo_untangler *u, vo_vec3 *x, int count, int sweeps);
/* Returns the sum of squared violations of the stretch limits over moved edges. */
double vo_untangle_strain_excess(const vo_untangler *u, const vo_vec3 *x);

/* gap.c: reduces strain and opens gaps; the state is free of intersections before and after.
 * vo_untangle_list_moved writes the nodes that have moved since the start to the queue; returns
 * their number. */
int vo_untangle_list_moved(vo_untangler *u, const vo_vec3 *x);
vo_result vo_untangle_relax(vo_untangler *u, vo_vec3 *x);
vo_result vo_untangle_open_gaps(vo_untangler *u, vo_vec3 *x, double *gap);

/* untangle.c: VO_CANCELLED if the caller may cancel and does. */
vo_result vo_untangle_poll_cancel(const vo_untangler *u);

#endif
