/* Coarse-to-fine projection of stretch (Mueller 2008, "Hierarchical Position Based Dynamics").
 *
 * A pass over the leaf springs moves a correction by one edge, so that fine cloth needs many passes
 * to carry its weight. The split edges of the tree are a hierarchy of longer springs over the same
 * vertices: before each pass over the leaves, the split edges of level 0, 1, ... are projected in
 * this order, and after each level the midpoints of its edges move by the mean displacement of the
 * ends.
 *
 *     level 0    o---------------o     the ends are moved closer by the masses that they stand for
 *     level 1    o-------m-------o     m follows by the mean of the two displacements
 *     leaves     o---m---m---m---o     springs
 *
 * Only elongation is removed: a split edge that is shorter than at rest is bent, not
 * compressed. A vertex stands for its own mass and for half of that of the midpoints of finer
 * levels between it and its neighbours, which conserves momentum. */
#ifndef VO_RT_SOLVE_LEVELS_H
#define VO_RT_SOLVE_LEVELS_H

#include "rt/hierarchy/mesh.h"

/* A split edge: its midpoint and its ends. 24 bytes. */
typedef struct vo_rt_split_edge {
    int32_t middle, a, b; /* slots */
    float rest;           /* m */
    float wa, wb;         /* 1/kg, inverse masses of the ends at this level */
} vo_rt_split_edge;

/* Split edges of a cloth by level. */
typedef struct vo_rt_levels {
    vo_rt_split_edge *edge; /* [begin[VO_RT_MAX_LEVEL + 1]] memory of the world, [capacity] */
    vo_rt_vec4 *shift;      /* [shift_capacity] m, displacement of a vertex slot; solver */
    int capacity, shift_capacity;
    int begin[VO_RT_MAX_LEVEL + 2]; /* first edge of a level */
} vo_rt_levels;

/* Memory for all vertices of the front; serial part of a step. */
bool vo_rt_levels_reserve(vo_rt_levels *levels, vo_rt_heap *heap, const vo_rt_front *front);
void vo_rt_levels_free(vo_rt_levels *levels, vo_rt_heap *heap);
/* Lists the split edges after a change of topology. Memory must be reserved. */
void vo_rt_levels_update(vo_rt_levels *levels, const vo_rt_mesh *mesh);
/* Number of split edges. */
static inline int vo_rt_levels_count(const vo_rt_levels *levels) {
    return levels->begin[VO_RT_MAX_LEVEL + 1];
}

/* Shortens split edges that are longer than at rest, and moves the midpoints along. Vertices with
 * inverse mass 0 do not move. */
void vo_rt_levels_project(vo_rt_levels *levels, vo_rt_front *front);

#endif
