/* The triangulation while it is worked on: triangles that know their neighbours.
 *
 *              v[0]               Side k of a triangle lies opposite corner k: it joins v[k + 1]
 *             /    \              and v[k + 2] (mod 3), near[k] is the triangle beyond it (-1:
 *     near[2]/      \near[1]      none) and fixed[k] says that it is a segment of the region.
 *           /        \
 *        v[1] ------ v[2]         The first three points are the corners of a triangle around
 *             near[0]             everything; the region's points follow, so every one of them is
 *                                 surrounded by triangles. */
#ifndef VO_MESH_TRIANGULATE_NET_H
#define VO_MESH_TRIANGULATE_NET_H

#include "mesh/triangulate.h"

enum { VO_NET_FRAME = 3 };                                /* points before the region's */
enum { VO_SIDE_FREE, VO_SIDE_LINE, VO_SIDE_OUTLINE = 2 }; /* what a side may be fixed as */

typedef struct vo_net_triangle {
    int v[3], near[3];
    uint8_t fixed[3];
    bool inside; /* in the region; set by vo_net_carve */
} vo_net_triangle;

typedef struct vo_net_side {
    int triangle, side;
} vo_net_side;

typedef struct vo_net {
    vo_context *ctx;
    const vo_region *region;
    const vo_triangulate_def *def;
    int point_count, point_capacity;
    vo_vec2 *point;
    int at_capacity;
    int *at; /* a triangle at each point */
    int size_capacity;
    double *size; /* m, wanted length of edges around each point; for refinement */
    int triangle_count, triangle_capacity;
    vo_net_triangle *triangle;
    int stack_count, stack_capacity;
    vo_net_side *stack; /* sides still to be looked at */
    int last;           /* where the last search ended */
} vo_net;

/* Where a point is: in a triangle (side -1), on one of its sides, or at a corner. */
typedef struct vo_net_place {
    int triangle;
    int side;     /* -1: inside */
    int corner;   /* -1: not at one */
    bool blocked; /* a fixed side lies between; only if asked not to cross them */
} vo_net_place;

/* The frame and all points of the region, Delaunay. */
vo_result vo_net_create(vo_context *ctx, const vo_region *region, const vo_triangulate_def *def,
                        vo_net *net);
void vo_net_free(vo_net *net);
/* Makes the segments sides, and the rest Delaunay again. */
vo_result vo_net_recover(vo_net *net);
/* Marks what is inside. */
vo_result vo_net_carve(vo_net *net);
/* Passes 2 and 3. */
vo_result vo_net_refine(vo_net *net);
vo_result vo_net_smooth(vo_net *net);

/* Searches from triangle `from`. */
vo_net_place vo_net_locate(const vo_net *net, vo_vec2 p, int from, bool cross_fixed);
/* Adds a point at a place that is no corner and no fixed side, and restores Delaunay. */
vo_result vo_net_insert(vo_net *net, vo_vec2 p, vo_net_place place);
/* Looks at every free side; then at those that flips brought about. */
vo_result vo_net_legalize_all(vo_net *net);
/* Exchanges the diagonal of the two triangles at a side; the quadrilateral is convex. */
void vo_net_flip(vo_net *net, int triangle, int side);
/* The side from point u to point v; false if there is none. */
bool vo_net_find_side(const vo_net *net, int u, int v, vo_net_side *out);

static inline int vo_next(int k) { return k == 2 ? 0 : k + 1; }
static inline int vo_prev(int k) { return k == 0 ? 2 : k - 1; }
static inline int vo_net_corner_of(const vo_net_triangle *t, int point) {
    return t->v[0] == point ? 0 : t->v[1] == point ? 1 : 2;
}
/* The side of `t` that leads to triangle `other`. */
static inline int vo_net_side_to(const vo_net_triangle *t, int other) {
    return t->near[0] == other ? 0 : t->near[1] == other ? 1 : 2;
}
/* The next triangle around corner k, counter-clockwise. */
static inline int vo_net_turn(const vo_net_triangle *t, int k) { return t->near[vo_next(k)]; }

/* True only if d is certainly inside the circle through a, b, c (counter-clockwise). */
bool vo_in_circle(vo_vec2 a, vo_vec2 b, vo_vec2 c, vo_vec2 d);

#endif
