/* Base meshes for tests of the real-time library, and an allocator that counts. */
#ifndef VOILE_TESTS_RT_ASSET_CASES_H
#define VOILE_TESTS_RT_ASSET_CASES_H

#include "support.h"

#include "rt/asset/asset_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *rt_test_allocate(void *user, size_t bytes, size_t alignment) {
    test_memory *m = user;
    if (m->calls++ == m->fail_at) return NULL;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) return NULL;
    memset(memory, 0xa5, bytes); /* uninitialised memory is never zero by chance */
    m->live++;
    m->bytes += (long)bytes;
    return memory;
}

static inline void rt_test_release(void *user, void *memory, size_t bytes) {
    test_memory *m = user;
    m->live--;
    m->bytes -= (long)bytes;
    free(memory);
}

static inline vo_allocator rt_test_allocator(test_memory *memory) {
    return (vo_allocator){memory, rt_test_allocate, rt_test_release};
}

enum { RT_TEST_VERTICES = 1024, RT_TEST_TRIANGLES = 2048, RT_TEST_FINE = 1 << 15 };
/* A mesh with all optional arrays; `def` refers to it. */
typedef struct rt_test_mesh {
    vo_rt_asset_def def;
    vo_rt_vec3 positions[RT_TEST_VERTICES];
    int32_t triangles[3 * RT_TEST_TRIANGLES];
    vo_rt_vec2 coordinates[3 * RT_TEST_TRIANGLES];
    float attachment[RT_TEST_VERTICES], max_distance[RT_TEST_VERTICES];
    float backstop[RT_TEST_VERTICES], backstop_radius[RT_TEST_VERTICES];
    float stiffness[RT_TEST_VERTICES];
    uint16_t bones[4 * RT_TEST_VERTICES];
    float weights[4 * RT_TEST_VERTICES];
    vo_rt_vec3 render_positions[RT_TEST_VERTICES];
    vo_rt_vec2 render_uv[RT_TEST_VERTICES];
    vo_rt_vec3 fine_positions[RT_TEST_FINE];
    vo_rt_vec2 fine_coordinates[RT_TEST_FINE];
} rt_test_mesh;

static inline void rt_test_bind(rt_test_mesh *mesh) {
    mesh->def = vo_rt_asset_def_default();
    mesh->def.positions = mesh->positions;
    mesh->def.triangles = mesh->triangles;
    mesh->def.coordinates = mesh->coordinates;
    mesh->def.max_level = 2;
}

/* Adds a flat sheet of columns x rows cells in the plane z = `z`, starting at x = `left`, with
 * material coordinates that equal x and y. Vertices are numbered by rows. Returns its first vertex.
 */
static inline int rt_test_add_sheet(rt_test_mesh *mesh, int columns, int rows, float left, float z,
                                    float cell) {
    vo_rt_asset_def *def = &mesh->def;
    int first = def->vertex_count, t = def->triangle_count;
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++)
            mesh->positions[def->vertex_count++] = f3(left + cell * (float)i, cell * (float)j, z);
    for (int c = 0; c < columns * rows; c++) {
        int a = first + c / columns * (columns + 1) + c % columns, b = a + 1;
        int d = a + columns + 1, e = d + 1;
        const int list[2][3] = {{a, b, e}, {a, e, d}};
        for (int k = 0; k < 2; k++, t++)
            for (int i = 0; i < 3; i++) mesh->triangles[3 * t + i] = list[k][i];
    }
    for (int i = 3 * def->triangle_count; i < 3 * t; i++)
        mesh->coordinates[i] =
            f2(mesh->positions[mesh->triangles[i]].x, mesh->positions[mesh->triangles[i]].y);
    def->triangle_count = t;
    return first;
}

static inline rt_test_mesh *rt_test_sheet(int columns, int rows) {
    rt_test_mesh *mesh = calloc(1, sizeof *mesh);
    assert_non_null(mesh);
    rt_test_bind(mesh);
    rt_test_add_sheet(mesh, columns, rows, 0, 0, 0.1f);
    return mesh;
}

/* A closed tetrahedron or octahedron without material coordinates. */
static inline rt_test_mesh *rt_test_octahedron(void) {
    static const float p[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const int t[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    rt_test_mesh *mesh = calloc(1, sizeof *mesh);
    assert_non_null(mesh);
    rt_test_bind(mesh);
    mesh->def.coordinates = NULL;
    mesh->def.vertex_count = 6;
    mesh->def.triangle_count = 8;
    for (int v = 0; v < 6; v++) mesh->positions[v] = f3(p[v][0], p[v][1], p[v][2]);
    for (int i = 0; i < 24; i++) mesh->triangles[i] = t[i / 3][i % 3];
    return mesh;
}

/* Sets all optional arrays: maps, skin with two bones, a render mesh above the base mesh. */
static inline void rt_test_add_options(rt_test_mesh *mesh) {
    vo_rt_asset_def *def = &mesh->def;
    for (int v = 0; v < def->vertex_count; v++) {
        mesh->attachment[v] = v < 3 ? 1 : 0;
        mesh->max_distance[v] = v % 2 ? 0.5f : 3.4028235e38f;
        mesh->backstop[v] = 0.01f * (float)v;
        mesh->backstop_radius[v] = 0.3f;
        mesh->stiffness[v] = 1 + 0.5f * (float)v;
        mesh->bones[4 * v] = (uint16_t)(v % 2);
        mesh->weights[4 * v] = 0.75f;
        mesh->weights[4 * v + 1] = 0.25f;
        mesh->render_positions[v] = f3_add(mesh->positions[v], f3(0, 0, 0.01f));
        mesh->render_uv[v] = f2(mesh->positions[v].x, 1 - mesh->positions[v].y);
    }
    def->attachment = mesh->attachment;
    def->max_distance = mesh->max_distance;
    def->backstop = mesh->backstop;
    def->backstop_radius = mesh->backstop_radius;
    def->stiffness_factor = mesh->stiffness;
    def->bone_count = 2;
    def->skin_bones = mesh->bones;
    def->skin_weights = mesh->weights;
    def->render_vertex_count = def->vertex_count;
    def->render_positions = mesh->render_positions;
    def->render_triangle_count = def->triangle_count;
    def->render_triangles = mesh->triangles;
    def->render_uv = mesh->render_uv;
}

/* Adds finer levels to a flat sheet: points inside its outline move by up to 2 mm in material
 * space, each to the same place in all triangles; those of a curved border would move likewise. */
static inline void rt_test_add_fine(rt_test_mesh *mesh) {
    vo_rt_asset_def *def = &mesh->def;
    int n = 1 << def->max_level, at = 0;
    assert_true(def->triangle_count * vo_rt_fine_points(def->max_level) <= RT_TEST_FINE);
    for (int t = 0; t < def->triangle_count; t++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i + j <= n; i++, at++) {
                const int32_t *v = mesh->triangles + 3 * t;
                float w[3] = {(float)(n - i - j) / (float)n, (float)i / (float)n,
                              (float)j / (float)n};
                vo_rt_vec3 p = f3(0, 0, 0);
                for (int k = 0; k < 3; k++) p = f3_add_scaled(p, w[k], mesh->positions[v[k]]);
                mesh->fine_positions[at] = p;
                mesh->fine_coordinates[at] = f2(p.x + 0.002f * sinf(31.415927f * p.x),
                                                p.y + 0.002f * sinf(31.415927f * p.y));
            }
    def->fine_positions = mesh->fine_positions;
    def->fine_coordinates = mesh->fine_coordinates;
}

/* Creates an asset and validates it; fails the test on an error. */
static inline vo_rt_asset *rt_test_create(test_memory *memory, const vo_rt_asset_def *def) {
    vo_allocator allocator = rt_test_allocator(memory);
    vo_rt_asset *asset;
    vo_rt_message message = {{0}};
    if (vo_rt_asset_create(&allocator, def, &asset, &message) != VO_OK)
        fail_msg("vo_rt_asset_create: %s", message.text);
    if (vo_rt_check_content(asset, &message) != VO_OK)
        fail_msg("vo_rt_check_content: %s", message.text);
    return asset;
}

#endif
