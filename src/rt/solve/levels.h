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
 * levels between it and its neighbours, which conserves momentum.
 *
 * Bending has the same problem: a pass over the leaf elements flattens each of them, but stiffness
 * reaches one element far, and cloth under pressure forms bumps of a few of the finest triangles.
 * vo_rt_solve_kernels.bend_levels therefore treats each split edge as a strip that bends over its
 * midpoint, from coarse to fine, by the part of the stiffness that finer elements lack.
 *
 * Like the leaf springs, the edges are stored in groups of eight that share no vertex. The list is
 * written again after each change of topology, in the order of the midpoints: an edge is put into
 * the first of up to 32 open groups of its level without its ends, which a bit set per vertex
 * finds, so that the whole list costs about 10 ns per edge. */
#ifndef VO_RT_SOLVE_LEVELS_H
#define VO_RT_SOLVE_LEVELS_H

#include "rt/hierarchy/mesh.h"

/* Eight split edges of a level without common ends. 320 bytes. */
typedef struct vo_rt_split_group {
    int32_t middle[VO_RT_LANES]; /* slots of the midpoints; 0: unused lane */
    int32_t a[VO_RT_LANES], b[VO_RT_LANES]; /* slots of the ends */
    float rest[VO_RT_LANES];                /* m */
    float wa[VO_RT_LANES], wb[VO_RT_LANES]; /* 1/kg, inverse masses of the ends at this level */
    /* Bending: inverse masses at the next level, and the stiffness of the height of the midpoint
     * above the middle of the ends, N/m, for a fabric of 1 N m. */
    float bend_wm[VO_RT_LANES], bend_wa[VO_RT_LANES], bend_wb[VO_RT_LANES], bend[VO_RT_LANES];
} vo_rt_split_group;

/* Split edges of a cloth by level. */
typedef struct vo_rt_levels {
    vo_rt_split_group *group; /* [begin[VO_RT_MAX_LEVEL + 1]] memory of the world, [capacity] */
    vo_rt_vec4 *shift;        /* [shift_capacity] m, displacement of a vertex slot; solver */
    uint32_t *open;           /* [open_capacity] open groups with a vertex; 0 between updates */
    int capacity, shift_capacity, open_capacity;
    int begin[VO_RT_MAX_LEVEL + 2]; /* first group of a level */
} vo_rt_levels;

/* Memory for all vertices of the front; serial part of a step. */
bool vo_rt_levels_reserve(vo_rt_levels *levels, vo_rt_heap *heap, const vo_rt_mesh *mesh);
void vo_rt_levels_free(vo_rt_levels *levels, vo_rt_heap *heap);
/* Lists the split edges after a change of topology. Memory must be reserved. */
void vo_rt_levels_update(vo_rt_levels *levels, const vo_rt_mesh *mesh);
/* Number of groups. */
static inline int vo_rt_levels_count(const vo_rt_levels *levels) {
    return levels->begin[VO_RT_MAX_LEVEL + 1];
}

/* Shortens split edges that are longer than at rest, and moves the midpoints along. Vertices with
 * inverse mass 0 do not move. */
void vo_rt_levels_project(vo_rt_levels *levels, vo_rt_front *front, bool use_avx2);

#endif
