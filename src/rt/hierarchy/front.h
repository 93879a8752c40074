/* Leaf lists of one cloth: the flat arrays that the solver, contacts and outputs read.
 *
 * The hierarchy (hierarchy/mesh.h) keeps them in step with its leaves while edges split and join;
 * no other code reads the tree (Simnett et al. 2010, 6.2, where the lists are rewritten; here each
 * split or join changes only the entries that it affects).
 *
 * Vertices occupy slots. Slot 0 is a dummy vertex with inverse mass 0, to which unused SIMD lanes
 * refer. Slots 1 to base_vertex_count are the base vertices of the asset, in its order.
 *
 * Springs and bending elements are stored in groups of 8 whose elements share no vertex except slot
 * 0, so that a group is solved 8 wide. Groups are solved in index order (Gauss-Seidel). Triangles
 * are dense: the last one fills the gap of a removed one. */
#ifndef VO_RT_HIERARCHY_FRONT_H
#define VO_RT_HIERARCHY_FRONT_H

#include "rt/asset/asset.h"

enum { VO_RT_LANES = 8 };

/* One spring per leaf edge, between its ends. */
typedef struct vo_rt_spring_group {
    int32_t a[VO_RT_LANES], b[VO_RT_LANES]; /* vertex slots; 0 and 0: unused lane */
    float rest[VO_RT_LANES];                /* m, rest length of the control side */
    float width[VO_RT_LANES]; /* m, width of the strip that the spring stands for: rest area of the
                                 adjacent triangles / rest length; scales the compliance */
} vo_rt_spring_group;

/* One bending element per leaf edge with two adjacent leaf triangles: edge a-b, opposite vertices
 * c and d, so that a b c is counter-clockwise on one side and b a d on the other. */
typedef struct vo_rt_bend_group {
    int32_t a[VO_RT_LANES], b[VO_RT_LANES], c[VO_RT_LANES], d[VO_RT_LANES];
    float rest[VO_RT_LANES];      /* rad, rest bend angle: 0 flat */
    float stiffness[VO_RT_LANES]; /* 1: 3 l^2 / A of the edge (Grinspun et al. 2003) times the map;
                                     multiplied by vo_rt_fabric.bend_stiffness, N m */
} vo_rt_bend_group;

typedef struct vo_rt_leaf_triangle {
    int32_t vertex[3]; /* slots, counter-clockwise */
    float rest_area;   /* m^2 */
} vo_rt_leaf_triangle;

/* Flags of a vertex slot. */
enum {
    VO_RT_VERTEX_USED = 1,
    VO_RT_VERTEX_ATTACHED = 2, /* prescribed: attachment weight 1 */
    VO_RT_VERTEX_CONTACT = 4,  /* in contact with a body at the end of the last minor step */
    VO_RT_VERTEX_TRAPPED = 8,
    VO_RT_VERTEX_NEW = 16,    /* created in the last major step */
    VO_RT_VERTEX_TANGLED = 32 /* on the wrong side of a body: ignores bodies (contact/tangle.c) */
};

typedef struct vo_rt_front {
    /* name                 size            unit   written by */
    int vertex_end;   /* 1               slots in use are below; includes free slots */
    int vertex_count; /*                 used slots, without the dummy */
    int vertex_capacity;
    vo_rt_vec4
        *position; /* [vertex_end]  m, w: inverse mass, 1/kg, 0 if prescribed or free; solver */
    vo_rt_vec4 *velocity; /* [vertex_end]  m/s; solver */
    vo_rt_vec4 *previous; /* [vertex_end]  m, position at the start of the minor step; solver */
    vo_rt_vec4 *shown;    /* [vertex_end]  m, position at the end of the previous world step, used
                                           for interpolated output; world */
    vo_rt_vec4 *normal;   /* [vertex_end]  unit; world, after each minor step that ends a call */
    vo_rt_vec4 *target;   /* [vertex_end]  m, animated pose at the end of the minor step, w: its
                                           weight (maps.attachment); world */
    float *mass;          /* [vertex_end]  kg, a third of the adjacent leaf triangles; hierarchy */
    vo_rt_vertex_maps *maps; /* [vertex_end] hierarchy */
    uint8_t *flags;          /* [vertex_end]  hierarchy, contact */
    uint8_t *level;          /* [vertex_end]  level of the edge that created it + 1; 0: base */

    int spring_group_count, spring_group_capacity, spring_count;
    vo_rt_spring_group *springs; /* [spring_group_count] hierarchy */
    int bend_group_count, bend_group_capacity, bend_count;
    vo_rt_bend_group *bends; /* [bend_group_count] hierarchy */
    float *bend_cosine;      /* [8 bend_group_count] cosine of the bend angle of each lane, 1 in
                                unused ones; vo_rt_solve_bend_cosines */
    int triangle_count, triangle_capacity;
    vo_rt_leaf_triangle *triangles; /* [triangle_count] hierarchy */
    int32_t *triangle_source;       /* [triangle_count] index in the hierarchy */
    uint64_t topology;              /* changes with each split and join; hierarchy */
} vo_rt_front;

#endif
