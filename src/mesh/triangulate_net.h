/* Triangulation data structure during construction: triangles with neighbour links.
 *
 *              v[0]               Side k of a triangle is opposite corner k: it joins v[k + 1] and
 *             /    \              v[k + 2] (mod 3), neighbour[k] is the triangle across it (-1:
 *  neighbour[2]     neighbour[1]  none), and fixed[k] marks a segment of the region.
 *           /        \
 *        v[1] ------ v[2]         The first three points are the corners of a bounding triangle,
 *          neighbour[0]           the frame; the region's points follow, so each one is surrounded
 *                                 by triangles. */
#ifndef VO_MESH_TRIANGULATE_NET_H
#define VO_MESH_TRIANGULATE_NET_H

#include "mesh/corner.h"
#include "mesh/triangulate.h"

enum { VO_NET_FRAME = 3 };                                /* number of frame points */
enum { VO_SIDE_FREE, VO_SIDE_LINE, VO_SIDE_OUTLINE = 2 }; /* values of `fixed` */

typedef struct vo_net_triangle {
    int v[3], neighbour[3];
    uint8_t fixed[3];
    bool inside; /* in the region; set by triangulate.c */
} vo_net_triangle;

typedef struct vo_net_side {
    int triangle, side;
} vo_net_side;

typedef struct vo_net {
    vo_context *ctx;
    const vo_planar_region *region;
    const vo_triangulate_def *def;
    int point_count, point_capacity;
    vo_vec2 *point;
    int at_capacity;
    int *at; /* an incident triangle of each point */
    int size_capacity;
    double *size; /* m, target edge length around each point; for refinement */
    int triangle_count, triangle_capacity;
    vo_net_triangle *triangle;
    int stack_count, stack_capacity;
    vo_net_side *stack; /* work stack of sides */
    int last;           /* triangle at which the last search ended */
} vo_net;

/* Location of a point: inside a triangle (side -1), on one of its sides, or at a corner. */
typedef struct vo_net_location {
    int triangle;
    int side;     /* -1: inside */
    int corner;   /* -1: not at a corner */
    bool blocked; /* the walk met a fixed side; only without cross_fixed */
} vo_net_location;

/* Creates the Delaunay triangulation of the frame and all points of the region. */
vo_result vo_net_create(vo_context *ctx, const vo_planar_region *region,
                        const vo_triangulate_def *def, vo_net *net);
void vo_net_free(vo_net *net);
/* Passes 2 and 3 of mesh/triangulate.h. */
vo_result vo_net_refine(vo_net *net);
vo_result vo_net_smooth(vo_net *net);

/* Locates p by a walk from triangle `from`. */
vo_net_location vo_net_locate(const vo_net *net, vo_vec2 p, int from, bool cross_fixed);
/* Inserts a point at a location that is neither a corner nor a fixed side; restores Delaunay. */
vo_result vo_net_insert(vo_net *net, vo_vec2 p, vo_net_location place);
/* Flips until all free sides are Delaunay. */
vo_result vo_net_legalize_all(vo_net *net);
/* Flips the diagonal of the two triangles at a side; the quadrilateral must be convex. */
void vo_net_flip(vo_net *net, int triangle, int side);
/* Finds the side from point u to point v; false if there is none. */
bool vo_net_find_side(const vo_net *net, int u, int v, vo_net_side *out);

static inline int vo_net_corner_of(const vo_net_triangle *t, int point) {
    return t->v[0] == point ? 0 : t->v[1] == point ? 1 : 2;
}
/* The side of `t` that leads to triangle `other`. */
static inline int vo_net_side_to(const vo_net_triangle *t, int other) {
    return t->neighbour[0] == other ? 0 : t->neighbour[1] == other ? 1 : 2;
}
/* The next triangle around corner k, counter-clockwise. */
static inline int vo_net_next_around(const vo_net_triangle *t, int k) {
    return t->neighbour[vo_next_corner(k)];
}

/* True only if d is inside the circumcircle of a, b, c (counter-clockwise) beyond rounding. */
bool vo_in_circle(vo_vec2 a, vo_vec2 b, vo_vec2 c, vo_vec2 d);

#endif
