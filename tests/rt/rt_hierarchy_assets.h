/* Small assets for the tests of rt/hierarchy, filled by hand: grids, random triangulations, a sheet
 * seamed to a cylinder, three pieces that meet at a vertex; and a mesh with its heap. */
#ifndef VOILE_TESTS_RT_HIERARCHY_ASSETS_H
#define VOILE_TESTS_RT_HIERARCHY_ASSETS_H

#include "support.h"

#include "rt/hierarchy/mesh_private.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_asset {
    vo_rt_asset asset;
    vo_rt_vec3 *position;
    vo_rt_base_triangle *triangle;
    vo_rt_base_edge *edge;
    vo_rt_vertex_maps *maps;
    float *stiffness;
} test_asset;

static inline void *test_array(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static inline void test_asset_free(test_asset *a) {
    free(a->position);
    free(a->triangle);
    free(a->edge);
    free(a->maps);
    free(a->stiffness);
}

/* Adds a side to the edge that runs from v0 to v1, or back. Edges are matched by their vertices,
 * and among several by their free sides. */
static inline int test_add_side(test_asset *a, int triangle, int v0, int v1, vo_rt_vec2 c0,
                                vo_rt_vec2 c1) {
    for (int i = 0; i < a->asset.edge_count; i++) {
        vo_rt_base_edge *e = &a->edge[i];
        if (e->vertex[0] != v1 || e->vertex[1] != v0 || e->triangle[1] >= 0) continue;
        e->triangle[1] = triangle;
        e->coordinate[1][1] = c0;
        e->coordinate[1][0] = c1;
        return i;
    }
    int i = a->asset.edge_count++;
    a->edge[i] = (vo_rt_base_edge){
        .vertex = {v0, v1}, .triangle = {triangle, -1}, .coordinate = {{c0, c1}, {{0, 0}, {0, 0}}}};
    return i;
}

/* Builds an asset from triangles [3 n] and the coordinates of their corners [3 n]. */
static inline test_asset test_asset_build(int vertex_count, const vo_rt_vec3 *positions,
                                          int triangle_count, const int *triangles,
                                          const vo_rt_vec2 *coordinates, int max_level) {
    test_asset a = {.position = test_array((size_t)vertex_count, sizeof(vo_rt_vec3)),
                    .triangle = test_array((size_t)triangle_count, sizeof(vo_rt_base_triangle)),
                    .edge = test_array(3 * (size_t)triangle_count, sizeof(vo_rt_base_edge)),
                    .maps = test_array((size_t)vertex_count, sizeof(vo_rt_vertex_maps)),
                    .stiffness = test_array((size_t)vertex_count, sizeof(float))};
    memcpy(a.position, positions, (size_t)vertex_count * sizeof *positions);
    for (int i = 0; i < vertex_count; i++) {
        a.maps[i] = (vo_rt_vertex_maps){0, FLT_MAX, -FLT_MAX, 0.2f};
        a.stiffness[i] = 1;
    }
    for (int t = 0; t < triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            a.triangle[t].vertex[k] = triangles[3 * t + k];
            a.triangle[t].edge[k] = test_add_side(&a, t, triangles[3 * t + p], triangles[3 * t + q],
                                                  coordinates[3 * t + p], coordinates[3 * t + q]);
        }
    a.asset.vertex_count = vertex_count;
    a.asset.triangle_count = triangle_count;
    a.asset.max_level = max_level;
    a.asset.fabric = (vo_rt_fabric){.density = 0.2f};
    a.asset.position = a.position;
    a.asset.triangle = a.triangle;
    a.asset.edge = a.edge;
    a.asset.maps = a.maps;
    a.asset.stiffness_factor = a.stiffness;
    return a;
}

/* A sheet of columns x rows cells of random diagonals, with displaced inner vertices. `wrap` seams
 * the last column to the first, so that coordinates are discontinuous there. */
static inline test_asset test_asset_sheet(int columns, int rows, float cell, float jitter,
                                          bool wrap, int max_level, vo_random *random) {
    int width = wrap ? columns : columns + 1, vertices = width * (rows + 1), n = 0;
    vo_rt_vec3 *x = test_array((size_t)vertices, sizeof *x);
    int *triangle = test_array(6 * (size_t)(columns * rows), sizeof *triangle);
    vo_rt_vec2 *corner = test_array(6 * (size_t)(columns * rows), sizeof *corner);
    vo_rt_vec2 *flat = test_array((size_t)((columns + 1) * (rows + 1)), sizeof *flat);
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++) {
            bool inner = i > 0 && i < columns && j > 0 && j < rows;
            float s = inner ? jitter * cell : 0;
            vo_rt_vec2 *u = &flat[j * (columns + 1) + i];
            *u = f2((float)i * cell + s * (float)vo_random_real(random, -1, 1),
                    (float)j * cell + s * (float)vo_random_real(random, -1, 1));
            float angle = 6.2831853f * u->x / (cell * (float)columns),
                  r = cell * (float)columns / 6.28f;
            x[j * width + i % width] = wrap ? f3(r * cosf(angle), u->y, r * sinf(angle))
                                            : f3(u->x, u->y, 0.1f * u->x * u->y);
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const int square[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};
            const int *order = square[vo_random_int(random, 2)];
            for (int k = 0; k < 6; k++, n++) {
                int ci = i + (order[k] == 1 || order[k] == 2), cj = j + (order[k] >= 2);
                triangle[n] = cj * width + ci % width;
                corner[n] = flat[cj * (columns + 1) + ci];
            }
        }
    test_asset a = test_asset_build(vertices, x, n / 3, triangle, corner, max_level);
    free(x);
    free(triangle);
    free(corner);
    free(flat);
    return a;
}

/* Three pieces around a vertex, each of two triangles in a frame of its own and with its own
 * scale, so that the rest lengths of seamed edges differ. */
static inline test_asset test_asset_pieces(int max_level) {
    vo_rt_vec3 x[7] = {{0, 0, 0}};
    int triangle[18];
    vo_rt_vec2 corner[18];
    for (int k = 0; k < 6; k++)
        x[1 + k] =
            f3(cosf(1.0471976f * (float)k), sinf(1.0471976f * (float)k), 0.1f * (float)(k % 2));
    for (int t = 0; t < 6; t++) {
        int v[3] = {0, 1 + t, 1 + (t + 1) % 6};
        for (int k = 0; k < 3; k++) {
            float scale = 1 + 0.1f * (float)(t / 2), c = cosf((float)t), s = sinf((float)t);
            vo_rt_vec3 p = x[v[k]];
            if (t % 2 == 1) c = cosf((float)(t - 1)), s = sinf((float)(t - 1));
            triangle[3 * t + k] = v[k];
            corner[3 * t + k] = f2(scale * (c * p.x - s * p.y) + 3, scale * (s * p.x + c * p.y));
        }
    }
    test_asset a = test_asset_build(7, x, 6, triangle, corner, max_level);
    for (int i = 0; i < a.asset.edge_count; i++)
        if (a.edge[i].triangle[1] >= 0) a.edge[i].control = i % 2;
    return a;
}

/* ---- A mesh with its heap ------------------------------------------------------------------- */

typedef struct test_mesh {
    test_asset asset;
    vo_rt_heap heap;
    vo_rt_mesh mesh;
} test_mesh;

static inline void *test_heap_allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void test_heap_release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}

static inline void test_mesh_init(test_mesh *m, test_asset asset, size_t heap_bytes) {
    vo_allocator allocator = {NULL, test_heap_allocate, test_heap_release};
    m->asset = asset;
    assert_true(vo_rt_heap_init(&m->heap, &allocator, heap_bytes));
    assert_true(vo_rt_mesh_init(&m->mesh, &m->asset.asset, &m->heap));
}

static inline void test_mesh_free(test_mesh *m) {
    vo_rt_mesh_free(&m->mesh, &m->heap);
    assert_int_equal(m->heap.used, 0);
    vo_rt_heap_free(&m->heap);
    test_asset_free(&m->asset);
}

static inline void test_mesh_check(const vo_rt_mesh *mesh) {
    const char *problem = vo_rt_mesh_validate(mesh);
    if (problem) fail_msg("%s", problem);
}

static inline void test_random_velocities(vo_rt_mesh *mesh, vo_random *random) {
    for (int i = 1; i < mesh->front.vertex_end; i++)
        if (mesh->front.flags[i] & VO_RT_VERTEX_USED)
            mesh->front.velocity[i] = (vo_rt_vec4){.x = (float)vo_random_real(random, -1, 1),
                                                   .y = (float)vo_random_real(random, -1, 1),
                                                   .z = (float)vo_random_real(random, 0, 2)};
}

/* Mass and linear momentum of all vertices. */
typedef struct test_momentum {
    double mass, x, y, z;
} test_momentum;

static inline test_momentum test_total(const vo_rt_mesh *mesh) {
    test_momentum p = {0, 0, 0, 0};
    for (int i = 1; i < mesh->front.vertex_end; i++) {
        double m = (double)mesh->front.mass[i];
        p.mass += m;
        p.x += m * (double)mesh->front.velocity[i].x;
        p.y += m * (double)mesh->front.velocity[i].y;
        p.z += m * (double)mesh->front.velocity[i].z;
    }
    return p;
}

/* Relative to the mass and a speed of 1 m/s. */
static inline void test_same_momentum(test_momentum a, test_momentum b, double tolerance) {
    assert_near(a.mass, b.mass, tolerance * a.mass);
    assert_near(a.x, b.x, tolerance * a.mass);
    assert_near(a.y, b.y, tolerance * a.mass);
    assert_near(a.z, b.z, tolerance * a.mass);
}

#endif
