/* Hierarchies of arbitrary meshes: a base mesh and the points of its finer levels on the input.
 *
 *     detection    levels_detect.c  a mesh that already has subdivision connectivity is coarsened,
 *                  levels_grid.c    and so is a grid of quadrilaterals with any diagonals
 *     remeshing    remesh.h         any other one is mapped to a coarse base mesh
 *     error        levels_error.c   distances between the levels and the input
 *     entry point  levels.c         chooses the number of base faces for a tolerance
 *
 * Each face of the base mesh is divided into n^2 triangles, n = 2^max_level, with lattice points
 * (i, j) of the weights (n - i - j, i, j) / n, by rising j, then i. Points
 * of an edge appear once per face, with the material coordinates of its side. */
#ifndef VO_COOK_LEVELS_H
#define VO_COOK_LEVELS_H

#include "cook/cook.h"

typedef struct vo_cook_levels {
    vo_mesh *base;
    int max_level;
    size_t point_count;      /* base->face_count * vo_cook_lattice_count(max_level) */
    vo_rt_vec3 *positions;   /* [point_count] m, on the input mesh */
    vo_rt_vec2 *coordinates; /* [point_count] m */
} vo_cook_levels;

static inline int vo_cook_lattice_count(int max_level) {
    int n = 1 << max_level;
    return (n + 1) * (n + 2) / 2;
}
/* Index of a lattice point in its face. */
static inline int vo_cook_lattice_index(int n, int i, int j) {
    return j * (n + 1) - j * (j - 1) / 2 + i;
}

/* Allocates the arrays for a base mesh, which the levels own from then on. */
vo_result vo_cook_levels_allocate(vo_context *ctx, vo_cook_levels *levels);
void vo_cook_levels_free(vo_context *ctx, vo_cook_levels *levels);
/* True if the triangles of all levels of all faces have positive areas in material space. */
bool vo_cook_levels_are_valid(const vo_cook_levels *levels);

/* True if all points are those of the plane subdivision of their face. */
bool vo_cook_levels_are_flat(const vo_cook_levels *levels);

/* levels_detect.c: coarsens a mesh with subdivision connectivity up to max_level times.
 * *found is the number of times; at 0 nothing is created. Missing levels of the remaining
 * max_level - *found are interpolated. */
vo_result vo_cook_detect_levels(vo_context *ctx, const vo_mesh *mesh, int max_level, int *found,
                                vo_cook_levels *out);

/* levels_grid.c: the same mesh with parallel diagonals, if it is a grid of quadrilaterals; *out is
 * NULL otherwise. Verts keep their order. */
vo_result vo_cook_align_grid(vo_context *ctx, const vo_mesh *mesh, vo_mesh **out);

/* levels_error.c: distances between a level and a mesh, in both directions: of the nodes, edge
 * midpoints and face centres of each from the other. */
typedef struct vo_cook_error {
    double max, rms; /* m; rms over all points of both */
} vo_cook_error;
vo_result vo_cook_measure_level(vo_context *ctx, const vo_mesh *mesh, const vo_cook_levels *levels,
                                int level, vo_cook_error *out);

/* levels.c: replaces c->base by the base mesh of a hierarchy within def->tolerance of it, sets
 * c->levels and the report; the input becomes the render mesh. */
vo_result vo_cook_create_levels(vo_cooking *c);
/* Mesh of one level, for measuring and for output. VO_MESH_FOR_OBSTACLE: without seams. */
vo_result vo_cook_level_mesh(vo_context *ctx, const vo_cook_levels *levels, int level,
                             vo_mesh **out);

/* True if no boundary, seam or label separates the faces at an edge (remesh_feature.c). */
bool vo_cook_is_smooth_edge(const vo_mesh *mesh, int edge);

#endif
