/* The state that the passes of untangling share. */
#ifndef VO_COLLIDE_UNTANGLE_PRIVATE_H
#define VO_COLLIDE_UNTANGLE_PRIVATE_H

#include "collide/untangle.h"

/* A part of a surface: nodes, in u->region_node. */
typedef struct vo_region {
    bool separate; /* the contour cuts it off; false: one can walk around the contour's end */
    bool pinned;   /* some node may not move */
    int begin, end;
} vo_region;

struct vo_untangler {
    vo_context *ctx;
    vo_untangle_def def;
    vo_contours contours;

    /* topology, made once */
    int *node_start, *node_edge; /* [node_count + 1], [2 edge_count] edges around a node */
    int (*edge_face)[2];         /* [edge_count] its faces; -1: none */
    int *node_part;              /* [node_count] -1: no face has it */
    int *node_sheet;             /* [node_count] which connected surface */
    int sheet_count;
    int *sheet_first;           /* [sheet_count] its lowest node */
    unsigned char *part_closed; /* [part_count] an obstacle with an inside */
    int *part_begin, *part_end; /* [part_count] its range among the finder's obstacle faces */
    vo_box *part_box;           /* [part_count] of obstacles, as they lie now */
    double *edge_rest;          /* [edge_count] m, at the start */
    int *face_base;             /* [face_count] its longest side at the start, 0 to 2 */
    double *face_height;        /* [face_count] m: above that side, at the start */
    double *node_size;          /* [node_count] m: mean length of the edges around */

    /* of the step being made */
    double longest;        /* that an edge may become, in parts of its length at rest */
    int level;             /* 0 at first; each restart is one higher and reaches further */
    vo_vec3 *push;         /* [node_count] m: where each node is to go */
    double *reach;         /* [node_count] m: how far around a driven node others follow */
    unsigned char *driven; /* [node_count] */
    int *ring;             /* [node_count] edges from the nearest driven node; -1: far */
    int *queue;            /* [2 node_count] */
    int *region_node;      /* [2 node_count] */
    int *node_mark;        /* [node_count] stamps of searches */
    int mark;
    int *turns;            /* [node_count] how often one obstacle goes round, up to a constant */
    int *wound;            /* [node_count] how often all closed obstacles go round */
    int *edge_mark;        /* [edge_count] 0 between uses */
    int *inside;           /* [node_count] part whose inside it is in, or -1 */
    vo_vec3 *way;          /* [node_count] along which it is leaving obstacles, since the restart */
    vo_vec3 *safe;         /* [node_count] the last clean state */
    vo_vec3 *best, *start; /* [node_count] */
    vo_vec3 *spare;        /* [node_count] */
    double *scale;         /* [node_count] */
    int64_t most_tested;   /* pairs that searches may look at before it is given up */
    vo_tangle *tangle;
    int tangle_count, tangle_capacity;
};

/* Whether the last search found nothing that intersects. */
static inline bool vo_untangle_is_clean(const vo_untangler *u) {
    return u->contours.pair_count == 0 && !u->contours.crowded;
}

static inline bool vo_node_moves(const vo_untangler *u, int n) {
    return u->def.soup.inverse_mass[n] > 0;
}

/* How far beyond the surface a node is pushed: steps that only just suffice take for ever. */
static inline double vo_clearance(const vo_untangler *u, double size) {
    return u->def.gap + 0.05 * (1 + u->level) * size;
}

static inline int vo_edge_other(const vo_untangler *u, int e, int n) {
    return u->def.soup.edge[e][0] == n ? u->def.soup.edge[e][1] : u->def.soup.edge[e][0];
}

static inline bool vo_part_is_obstacle(const vo_untangler *u, int part) {
    return u->def.soup.part_flags[part] & VO_SOUP_OBSTACLE;
}

/* untangle_topology.c */
vo_result vo_untangle_topology(vo_untangler *u, const vo_vec3 *x);
/* Takes the places of obstacles. */
void vo_untangle_place(vo_untangler *u, const vo_vec3 *x);
void vo_untangle_free_topology(vo_untangler *u);

/* untangle_region.c: what a contour cuts off one of its surfaces, of both sides the one with fewer
 * nodes; `other` asks for the larger. Nodes go to u->region_node from `at` on. */
vo_region vo_untangle_region(vo_untangler *u, const vo_contour *k, int surface, bool other, int at);

/* untangle_inside.c: pushes nodes out of closed obstacles; fills u->inside. */
void vo_untangle_push_inside(vo_untangler *u, const vo_vec3 *x);
/* Moves each sheet that lies wholly inside closed obstacles outside, as a whole. */
void vo_untangle_eject(vo_untangler *u, vo_vec3 *x);
/* Adds to the tangles each sheet that lies wholly inside a closed obstacle. */
vo_result vo_untangle_list_inside(vo_untangler *u, const vo_vec3 *x);

/* untangle_query.c: how often a closed part's surface goes round a point, a whole number except on
 * the surface; from a point to its
 * nearest point; how far a point that closed parts go round so many times has to go along a way
 * until it is outside all of them (infinity: it never is). */
double vo_untangle_winding(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p);
vo_vec3 vo_untangle_nearest(const vo_untangler *u, const vo_vec3 *x, int part, vo_vec3 p);
double vo_untangle_exit(const vo_untangler *u, const vo_vec3 *x, int turns, vo_vec3 p, vo_vec3 way);

/* untangle_report.c: what is left. */
vo_result vo_untangle_add_tangle(vo_untangler *u, const vo_tangle *t);
vo_result vo_untangle_list_tangles(vo_untangler *u, const vo_vec3 *x);

/* untangle_push.c: pushes along contours, and apart what only touches. */
void vo_untangle_push_contours(vo_untangler *u, const vo_vec3 *x);
/* The direction that shortens the contour most, at one of its vertices: of the edge relative to the
 * face. */
vo_vec3 vo_untangle_gradient(const vo_contours *c, const vo_vec3 *x, const vo_contour *k, int v);

#define VO_UNTANGLE_LONGEST 1.1 /* of edges, if nothing forces them to be longer */

/* untangle_move.c */
void vo_untangle_drive(vo_untangler *u, int node, vo_vec3 push, double reach);
void vo_untangle_clear(vo_untangler *u);
void vo_untangle_move(vo_untangler *u, vo_vec3 *x);
/* Brings edges and faces around the first `count` nodes of the queue back between their limits. */
void vo_untangle_limit(vo_untangler *u, vo_vec3 *x, int count, int sweeps);
/* How far edges that have moved are beyond their limits: the sum of squares. */
double vo_untangle_excess(const vo_untangler *u, const vo_vec3 *x);

/* untangle_gap.c: with nothing intersecting before and after, puts strained faces right and pushes
 * surfaces apart. */
/* Nodes that are not where they were at first go to the queue. */
int vo_untangle_list_moved(vo_untangler *u, const vo_vec3 *x);
vo_result vo_untangle_relax(vo_untangler *u, vo_vec3 *x);
vo_result vo_untangle_gap(vo_untangler *u, vo_vec3 *x, double *gap);

#endif
