/* Randomly edited meshes, as remeshing would produce them, and surfaces to place them on. */
#ifndef VOILE_TESTS_SCRAMBLE_H
#define VOILE_TESTS_SCRAMBLE_H

#include "edit_meshes.h"

#include "mesh/edit/edit.h"

/* Flips an edge if its other diagonal is shorter, or unconditionally (`any`). */
static inline void scramble_flip(vo_edit *e, int edge, bool any) {
    const vo_mesh *m = e->mesh;
    int end[2];
    if (m->edge_face[edge][1] < 0) return;
    vo_mesh_edge_verts(m, edge, 0, end);
    vo_vec2 c = m->vert_u[vo_mesh_edge_opposite(m, edge, 0)];
    vo_vec2 d = m->vert_u[vo_mesh_edge_opposite(m, edge, 1)];
    vo_vec2 other = v2_sub(c, d), own = v2_sub(m->vert_u[end[0]], m->vert_u[end[1]]);
    if (any || v2_length(other) < v2_length(own)) vo_edit_flip(e, edge);
}

/* `tries` random splits, collapses and flips; then as many flips that improve triangles. */
static inline void scramble(vo_mesh *m, uint64_t seed, int tries, double outline_tolerance) {
    vo_context *ctx = m->ctx;
    vo_random r = vo_random_seed(seed);
    vo_edit_def def = vo_edit_def_default();
    def.outline_tolerance = outline_tolerance;
    vo_edit *e;
    assert_ok(ctx, vo_edit_create(m, &def, &e));
    assert_ok(ctx, vo_edit_begin(e));
    for (int i = 0; i < 2 * tries; i++) {
        int edge = vo_random_int(&r, m->edge_count), what = vo_random_int(&r, 8);
        if (!vo_edit_has_edge(e, edge)) continue;
        if (i >= tries || what == 7)
            scramble_flip(e, edge, i < tries);
        else if (what < 2)
            vo_edit_split(e, edge, vo_random_real(&r, 0.3, 0.7), NULL);
        else
            vo_edit_collapse(e, edge, what & 1);
    }
    assert_ok(ctx, vo_edit_finish(e));
    vo_edit_destroy(e);
}

/* A sheet of two materials with a slit from the bottom to its middle; in the world the left half is
 * lower and the right border of the slit higher. */
static inline vo_mesh *make_slit(vo_context *ctx) {
    enum { N = 8 };
    garment g = {.ctx = ctx};
    int vert[2][N + 1][N + 1];
    for (int j = 0; j <= N; j++)
        for (int i = 0; i <= N; i++) {
            vo_vec2 u = v2(i / (double)N, j / (double)N);
            bool cut = i == N / 2 && j < N / 2;
            vert[0][j][i] = garment_vert(&g, u, v3(u.x, u.y, i < N / 2 || cut ? u.y - 1 : 0));
            vert[1][j][i] = cut ? garment_vert(&g, u, v3(u.x, u.y, 1 - u.y)) : vert[0][j][i];
        }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            int(*v)[N + 1] = vert[i >= N / 2];
            garment_face(&g, v[j][i], v[j][i + 1], v[j + 1][i + 1], i >= N / 2);
            garment_face(&g, v[j][i], v[j + 1][i + 1], v[j + 1][i], i >= N / 2);
        }
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "slit", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    return m;
}

/* A disk of radius 1 with a round rim and a round hole, and rings of `spokes` verts: flat, or, with
 * two `sides`, two cones sewn along their rims. */
static inline vo_mesh *make_disk(vo_context *ctx, int rings, int spokes, int sides) {
    garment g = {.ctx = ctx};
    for (int side = 0; side < sides; side++) {
        int vert[9][65];
        double sign = side ? -1 : 1, height = sides - 1;
        for (int j = 0; j <= rings; j++)
            for (int i = 0; i < spokes; i++) {
                double a = 2 * VO_PI * i / spokes, r = 0.3 + 0.7 * j / rings;
                vert[j][i] =
                    garment_vert(&g, v2(r * cos(a) + 3 * side, r * sin(a)),
                                 v3(r * cos(sign * a), r * sin(sign * a), height * sign * (1 - r)));
            }
        for (int j = 0; j < rings; j++)
            for (int i = 0; i < spokes; i++) {
                int k = (i + 1) % spokes;
                garment_face(&g, vert[j][i], vert[j + 1][i], vert[j + 1][k], 0);
                garment_face(&g, vert[j][i], vert[j + 1][k], vert[j][k], 0);
            }
    }
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "disk", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    return m;
}

/* World position of a point of the fabric. */
typedef vo_vec3 surface_fn(vo_vec2 u);

static const double SURFACE_RADIUS = 0.4; /* m, of cylinder and sphere */

static inline vo_vec3 surface_plane(vo_vec2 u) { return v3(u.x, 0.8 * u.y, 0.6 * u.y + 2); }

static inline vo_vec3 surface_cylinder(vo_vec2 u) {
    double r = SURFACE_RADIUS, angle = (0.9 * u.x - 0.4 * u.y) / r;
    return v3(r * sin(angle), 0.4 * u.x + 0.9 * u.y, r * cos(angle));
}

static inline vo_vec3 surface_sphere(vo_vec2 u) {
    double r = SURFACE_RADIUS, a = 1.5 * (u.x - 0.5), b = 1.5 * (u.y - 0.5);
    return v3(r * cos(b) * sin(a), r * sin(b), r * cos(b) * cos(a));
}

static inline vo_vec3 surface_saddle(vo_vec2 u) {
    double x = u.x - 0.5, y = u.y - 0.5;
    return v3(x, y, 0.8 * (x * x - y * y));
}

static inline void put_on_surface(vo_mesh *m, surface_fn *surface) {
    for (int v = 0; v < m->vert_count; v++) m->node_x[m->vert_node[v]] = surface(m->vert_u[v]);
}

#endif
