/* Mesh building: random garments against brute force and the numbered invariants of mesh/mesh.h. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "mesh/data.h"
#include "mesh/polygon.h"
#include "mesh/validate.h"
#include "sim/sim.h"

#include <string.h>

static int add_node(vo_context *ctx, vo_mesh_data *d, vo_vec3 x) {
    assert_true(vo_mesh_data_reserve_nodes(ctx, d, d->node_count + 1));
    d->node_x[d->node_count] = x;
    return d->node_count++;
}

static int add_vert(vo_context *ctx, vo_mesh_data *d, vo_vec2 u, int node) {
    assert_true(vo_mesh_data_reserve_verts(ctx, d, d->vert_count + 1));
    d->vert_u[d->vert_count] = u;
    d->vert_node[d->vert_count] = node;
    return d->vert_count++;
}

static void add_face(vo_context *ctx, vo_mesh_data *d, int a, int b, int c) {
    assert_true(vo_mesh_data_reserve_faces(ctx, d, d->face_count + 1));
    int face[3] = {a, b, c};
    memcpy(d->face_vert[d->face_count++], face, sizeof face);
}

static void add_edge(vo_context *ctx, vo_mesh_data *d, int a, int b, double angle, int label) {
    assert_true(vo_mesh_data_reserve_edges(ctx, d, d->edge_count + 1));
    int node[2] = {a, b};
    memcpy(d->edge_node[d->edge_count], node, sizeof node);
    d->edge_rest_angle[d->edge_count] = angle;
    d->edge_label[d->edge_count++] = label;
}

/* A patch of rows x columns cells whose left column is sewn to the given nodes (NULL: free).
 * `right` receives the nodes of its right column. */
static void add_patch(vo_context *ctx, vo_mesh_data *d, vo_random *r, int columns, int rows,
                      double holes, const int *left, int *right) {
    int vert[40][40];
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++) {
            vo_vec3 x = v3(i + vo_random_real(r, -0.3, 0.3), j, vo_random_real(r, -1, 1));
            int node = i == 0 && left ? left[j] : add_node(ctx, d, x);
            vert[j][i] = add_vert(ctx, d, v2(i + vo_random_real(r, -0.2, 0.2), j), node);
            if (i == columns) right[j] = node;
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int a = vert[j][i], b = vert[j][i + 1], c = vert[j + 1][i], e = vert[j + 1][i + 1];
            if (vo_random_real(r, 0, 1) >= holes) add_face(ctx, d, a, b, e);
            if (vo_random_real(r, 0, 1) >= holes) add_face(ctx, d, e, c, a);
        }
}

static void shuffle_faces(vo_mesh_data *d, vo_random *r) {
    for (int f = d->face_count - 1; f > 0; f--) {
        int g = vo_random_int(r, f + 1), turn = vo_random_int(r, 3), face[3];
        for (int i = 0; i < 3; i++) face[i] = d->face_vert[f][(i + turn) % 3];
        memcpy(d->face_vert[f], d->face_vert[g], sizeof face);
        memcpy(d->face_vert[g], face, sizeof face);
    }
}

/* Several patches in a row, neighbours sewn or not. */
static void random_garment(vo_context *ctx, vo_mesh_data *d, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    *d = (vo_mesh_data){0};
    int patches = 1 + vo_random_int(&r, 4), rows = 1 + vo_random_int(&r, 8), border[40];
    for (int p = 0; p < patches; p++) {
        bool sewn = p > 0 && vo_random_int(&r, 3) > 0;
        add_patch(ctx, d, &r, 1 + vo_random_int(&r, 6), rows, vo_random_real(&r, 0, 0.4),
                  sewn ? border : NULL, border);
    }
    if (d->face_count == 0) add_face(ctx, d, 0, 1, 1 + (d->vert_count - 1) / (rows + 1));
    shuffle_faces(d, &r);
}

/* Invariants 1 to 5 of mesh/mesh.h; positive areas only for cloth. */
static void check_invariants(const vo_mesh *m, bool cloth) {
    for (int v = 0; v < m->vert_count; v++) assert_in_range(m->vert_node[v], 0, m->node_count - 1);
    for (int f = 0; f < m->face_count; f++) {
        int n[3];
        for (int i = 0; i < 3; i++) n[i] = vo_mesh_face_node(m, f, i);
        assert_true(n[0] != n[1] && n[1] != n[2] && n[2] != n[0]);
        if (cloth) assert_true(vo_mesh_face_area(m, f) > 0);
        for (int i = 0; i < 3; i++) {
            const int *e = m->edge_node[m->face_edge[f][i]];
            int a = n[i], b = n[(i + 1) % 3];
            assert_true((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a));
        }
    }
    for (int e = 0; e < m->edge_count; e++) {
        int v[2], opposite = vo_mesh_edge_opposite(m, e, 0), f0 = m->edge_face[e][0];
        assert_in_range(f0, 0, m->face_count - 1);
        vo_mesh_edge_verts(m, e, 0, v);
        assert_int_equal(m->vert_node[v[0]], m->edge_node[e][0]);
        assert_int_equal(m->vert_node[v[1]], m->edge_node[e][1]);
        /* face 0 visits v0, v1, opposite in this order */
        int k = 0;
        while (m->face_vert[f0][k] != v[0]) k++;
        assert_int_equal(m->face_vert[f0][(k + 1) % 3], v[1]);
        assert_int_equal(m->face_vert[f0][(k + 2) % 3], opposite);
        int f1 = m->edge_face[e][1];
        if (f1 < 0) {
            assert_int_equal(f1, -1);
            assert_int_equal(vo_mesh_edge_opposite(m, e, 1), -1);
            continue;
        }
        vo_mesh_edge_verts(m, e, 1, v);
        opposite = vo_mesh_edge_opposite(m, e, 1);
        assert_int_equal(m->vert_node[v[0]], m->edge_node[e][0]);
        assert_int_equal(m->vert_node[v[1]], m->edge_node[e][1]);
        for (k = 0; m->face_vert[f1][k] != v[1]; k++) {}
        assert_int_equal(m->face_vert[f1][(k + 1) % 3], v[0]);
        assert_int_equal(m->face_vert[f1][(k + 2) % 3], opposite);
    }
}

/* Finds edges by comparing every side with all earlier edges, in face order. */
static void check_edges_by_brute_force(const vo_mesh *m) {
    int count = 0, (*edge)[2] = test_malloc((size_t)(3 * m->face_count) * sizeof *edge);
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++) {
            int a = vo_mesh_face_node(m, f, i), b = vo_mesh_face_node(m, f, (i + 1) % 3), e = 0;
            while (e < count &&
                   !((edge[e][0] == a && edge[e][1] == b) || (edge[e][0] == b && edge[e][1] == a)))
                e++;
            if (e == count) {
                edge[count][0] = a;
                edge[count++][1] = b;
                assert_int_equal(m->edge_face[e][0], f);
            } else
                assert_int_equal(m->edge_face[e][1], f);
            assert_int_equal(m->face_edge[f][i], e);
        }
    assert_int_equal(m->edge_count, count);
    assert_memory_equal(edge, m->edge_node, (size_t)count * sizeof *edge);
    test_free(edge);
}

static vo_mesh *build(vo_context *ctx, const vo_mesh_data *d, vo_mesh_use use) {
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "test", d, use, &m));
    return m;
}

static void random_garments_keep_the_invariants(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 200; seed++) {
        vo_mesh_data d;
        random_garment(ctx, &d, seed);
        vo_mesh *m = build(ctx, &d, VO_MESH_FOR_CLOTH);
        assert_int_equal(m->face_count, d.face_count);
        assert_int_equal(m->node_count, d.node_count);
        check_invariants(m, true);
        check_edges_by_brute_force(m);
        vo_mesh_destroy(m);
        vo_mesh_data_free(ctx, &d);
    }
    vo_context_destroy(ctx);
}

/* Nodes that faces use - edges + faces. */
static int euler(const vo_mesh *m) {
    char *used = test_calloc((size_t)m->node_count, 1);
    int nodes = 0;
    for (int v = 0; v < m->vert_count; v++) used[m->vert_node[v]] = 1;
    for (int n = 0; n < m->node_count; n++) nodes += used[n];
    test_free(used);
    return nodes - m->edge_count + m->face_count;
}

/* A sheet whose last column is sewn to its first. */
static void tube(vo_context *ctx, vo_mesh_data *d, int columns, int rows) {
    *d = (vo_mesh_data){0};
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i < columns; i++)
            add_node(ctx, d, v3(cos(2 * VO_PI * i / columns), j, sin(2 * VO_PI * i / columns)));
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++) add_vert(ctx, d, v2(i, j), j * columns + i % columns);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int a = j * (columns + 1) + i;
            add_face(ctx, d, a, a + 1, a + columns + 2);
            add_face(ctx, d, a, a + columns + 2, a + columns + 1);
        }
}

static void euler_characteristic_matches_the_shape(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, 3, 2, 7, 5);
    assert_int_equal(euler(m), 1); /* a disk */
    vo_mesh_destroy(m);

    vo_mesh_data d;
    tube(ctx, &d, 6, 4);
    m = build(ctx, &d, VO_MESH_FOR_CLOTH);
    assert_int_equal(euler(m), 0);
    assert_int_equal(m->vert_count - m->node_count, 5); /* the seam has two verts per node */
    vo_mesh_destroy(m);
    d.face_count -= 2; /* a notch in the rim changes nothing */
    memmove(d.face_vert, d.face_vert + 2, (size_t)d.face_count * sizeof *d.face_vert);
    m = build(ctx, &d, VO_MESH_FOR_CLOTH);
    assert_int_equal(euler(m), 0);
    vo_mesh_destroy(m);
    vo_mesh_data_free(ctx, &d);

    d = (vo_mesh_data){0}; /* an octahedron */
    for (int i = 0; i < 6; i++) {
        double x[3] = {0, 0, 0};
        x[i / 2] = i % 2 ? -1 : 1;
        add_vert(ctx, &d, v2(x[0], x[1]), add_node(ctx, &d, v3(x[0], x[1], x[2])));
    }
    for (int k = 0; k < 8; k++) {
        int a = k & 1, b = 2 + (k >> 1 & 1), c = 4 + (k >> 2 & 1);
        bool even = (k & 1) + (k >> 1 & 1) + (k >> 2 & 1) == 0 || k == 3 || k == 5 || k == 6;
        add_face(ctx, &d, a, even ? b : c, even ? c : b);
    }
    m = build(ctx, &d, VO_MESH_FOR_OBSTACLE);
    assert_int_equal(m->edge_count, 12);
    assert_int_equal(euler(m), 2);
    for (int e = 0; e < 12; e++) assert_near(vo_mesh_bend_angle(m, e), acos(1.0 / 3), 1e-12);
    vo_mesh_destroy(m);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static void grid_has_documented_positions(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, 3, 2, 6, 4);
    vo_mesh_view view = vo_mesh_get_view(m);
    assert_int_equal(view.node_count, 35);
    assert_int_equal(view.face_count, 48);
    assert_int_equal(view.edge_count, 35 + 48 - 1);
    int diagonals[2] = {0, 0};
    double area = 0;
    for (int j = 0; j <= 4; j++)
        for (int i = 0; i <= 6; i++) {
            vo_vec3 x = view.node_x[j * 7 + i];
            assert_near(x.x, 0.5 * i, 1e-15);
            assert_near(x.y, 0.5 * j, 1e-15);
            assert_true(x.z == 0 && view.vert_node[j * 7 + i] == j * 7 + i);
        }
    for (int f = 0; f < 48; f++) area += vo_mesh_face_area(m, f);
    assert_near(area, 6, 1e-12);
    for (int e = 0; e < view.edge_count; e++) {
        vo_vec3 s = v3_sub(view.node_x[view.edge_node[e][1]], view.node_x[view.edge_node[e][0]]);
        if (s.x * s.y != 0) diagonals[s.x * s.y > 0]++;
    }
    assert_int_equal(diagonals[0], 12);
    assert_int_equal(diagonals[1], 12);
    check_invariants(m, true);
    assert_true(v3_equal(vo_mesh_size(m), v3(3, 2, 0)));
    assert_true(v3_equal(vo_mesh_size(&(vo_mesh){0}), v3_zero()));
    vo_mesh_destroy(m);
    assert_int_equal(vo_mesh_create_grid(ctx, 1, 1, 0, 3, &m), VO_BAD_ARGUMENT);
    assert_int_equal(vo_mesh_create_grid(ctx, -1, 1, 2, 3, &m), VO_BAD_ARGUMENT);
    assert_int_equal(vo_mesh_create_grid(ctx, NAN, 1, 2, 3, &m), VO_BAD_ARGUMENT);
    assert_int_equal(vo_mesh_create_grid(ctx, 1, 1, INT32_MAX, INT32_MAX, &m), VO_BAD_ARGUMENT);
    assert_null(m);
    vo_context_destroy(ctx);
}

/* Two triangles over the edge 0-1, the wings at height z. */
static vo_mesh *hinge(vo_context *ctx, double z) {
    vo_vec3 x[4] = {{0, 0, 0}, {0, 1, 0}, {-1, 0.5, z}, {1, 0.5, z}};
    vo_vec2 u[4] = {{0, 0}, {0, 1}, {-1, 0.5}, {1, 0.5}};
    int node[4] = {0, 1, 2, 3}, face[2][3] = {{0, 1, 2}, {1, 0, 3}};
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_create(ctx, 4, x, 4, u, node, 2, (const int(*)[3])face,
                                  VO_MESH_FOR_CLOTH, &m));
    return m;
}

static void dihedral_angle_is_positive_on_a_ridge(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    double heights[] = {-3, -1, -0.1, 0, 0.1, 1, 3};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        vo_mesh *m = hinge(ctx, heights[i]);
        assert_int_equal(m->edge_face[0][1], 1);
        assert_near(vo_mesh_bend_angle(m, 0), -2 * atan(heights[i]), 1e-14);
        for (int e = 1; e < m->edge_count; e++) assert_true(vo_mesh_bend_angle(m, e) == 0);
        /* independent of the order of the ends */
        int t = m->edge_node[0][0];
        m->edge_node[0][0] = m->edge_node[0][1];
        m->edge_node[0][1] = t;
        m->edge_face[0][0] = 1;
        m->edge_face[0][1] = 0;
        assert_near(vo_mesh_bend_angle(m, 0), -2 * atan(heights[i]), 1e-14);
        assert_near(vo_mesh_face_normal(m, 0).z, 1, 1e-15);
        assert_near(vo_mesh_face_area(m, 0), 0.5, 1e-15);
        vo_mat2 dm = vo_mesh_face_dm(m, 0);
        assert_true(dm.a == 0 && dm.c == 1 && dm.b == -1 && dm.d == 0.5);
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void listed_edges_keep_their_properties(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 50; seed++) {
        vo_mesh_data d;
        random_garment(ctx, &d, seed);
        vo_mesh *m = build(ctx, &d, VO_MESH_FOR_CLOTH);
        for (int e = 0; e < m->edge_count; e += 3)
            add_edge(ctx, &d, m->edge_node[e][1], m->edge_node[e][0], 0.5 + e, e + 1);
        vo_mesh *named = build(ctx, &d, VO_MESH_FOR_CLOTH);
        for (int e = 0; e < m->edge_count; e++) {
            assert_true(named->edge_rest_angle[e] == (e % 3 ? 0 : 0.5 + e));
            assert_int_equal(named->edge_label[e], e % 3 ? 0 : e + 1);
        }
        vo_mesh_destroy(m);
        vo_mesh_destroy(named);
        vo_mesh_data_free(ctx, &d);
    }
    vo_context_destroy(ctx);
}

static void copy_is_equal_and_independent(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m, *copy;
    m = test_grid(ctx, 1, 1, 5, 5);
    assert_ok(ctx, vo_mesh_add_optional_arrays(m, true, true));
    m->face_curvature[7][2] = 3;
    m->edge_label[4] = 9;
    m->topology = 77;
    assert_ok(ctx, vo_mesh_copy(ctx, m, &copy));
    assert_int_equal(copy->topology, 77);
    assert_memory_equal(copy->face_vert, m->face_vert, 50 * sizeof *m->face_vert);
    assert_memory_equal(copy->face_edge, m->face_edge, 50 * sizeof *m->face_edge);
    assert_memory_equal(copy->node_x, m->node_x, 36 * sizeof *m->node_x);
    assert_memory_equal(copy->edge_face, m->edge_face, 85 * sizeof *m->edge_face);
    assert_memory_equal(copy->face_curvature, m->face_curvature, 50 * sizeof *m->face_curvature);
    assert_int_equal(copy->edge_label[4], 9);
    copy->node_x[0].x = 5;
    assert_true(m->node_x[0].x == 0);
    assert_ok(ctx, vo_mesh_reserve(copy, 1000, 2000, 3000, 4000));
    assert_true(copy->node_x[0].x == 5 && copy->face_curvature[7][2] == 3 &&
                copy->face_curvature[3999][3] == 0 && copy->node_y[999].z == 0);
    vo_mesh_destroy(copy);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void obstacles_accept_any_triangle_soup(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 200; seed++) {
        vo_random r = vo_random_seed(seed);
        vo_mesh_data d = {0};
        int nodes = 3 + vo_random_int(&r, 10), faces = 1 + vo_random_int(&r, 60);
        for (int n = 0; n < nodes; n++)
            add_vert(ctx, &d, v2(0, 0), add_node(ctx, &d, v3(n, n * n, vo_random_real(&r, 0, 1))));
        for (int f = 0; f < faces; f++) {
            int a = vo_random_int(&r, nodes), b = (a + 1 + vo_random_int(&r, nodes - 1)) % nodes, c;
            do c = vo_random_int(&r, nodes);
            while (c == a || c == b);
            add_face(ctx, &d, a, b, c);
        }
        vo_mesh *m = build(ctx, &d, VO_MESH_FOR_OBSTACLE);
        check_invariants(m, false);
        int sides = 0;
        for (int e = 0; e < m->edge_count; e++) sides += 1 + (m->edge_face[e][1] >= 0);
        assert_int_equal(sides, 3 * faces);
        vo_mesh_destroy(m);
        vo_mesh_data_free(ctx, &d);
    }
    vo_context_destroy(ctx);
}

static vo_result build_under_pressure(vo_context *ctx, void *arg) {
    const vo_mesh_data *d = arg;
    vo_mesh *m, *copy = NULL;
    VO_TRY(vo_mesh_build_validated(ctx, "test", d, VO_MESH_FOR_CLOTH, &m));
    vo_result result = vo_mesh_copy(ctx, m, &copy);
    vo_mesh_destroy(copy);
    vo_mesh_destroy(m);
    if (result == VO_OK) {
        result = vo_mesh_create_grid(ctx, 1, 1, 3, 3, &m);
        vo_mesh_destroy(m);
    }
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh_data d;
    random_garment(ctx, &d, 4);
    for (int v = 0; v < d.vert_count; v++) d.vert_u[v].x *= -1; /* mirroring allocates too */
    add_edge(ctx, &d, 0, 1, 1, 1);
    assert_true(vo_mesh_data_enable_embedding(ctx, &d));
    assert_true(vo_mesh_data_enable_curvature(ctx, &d));
    test_every_allocation(build_under_pressure, &d);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static double polygon_check(int n, const vo_vec2 *p, const int (*t)[3]) {
    double area = 0;
    for (int i = 0; i < n - 2; i++) {
        double a = vo_polygon_area(3, (vo_vec2[3]){p[t[i][0]], p[t[i][1]], p[t[i][2]]});
        assert_true(a > 0);
        area += a;
    }
    return area;
}

static void polygon_triangles_are_upright(void **state) {
    (void)state;
    int scratch[200], t[200][3];
    vo_vec2 dart[4] = {{0, 0}, {4, -1}, {1, 0}, {4, 1}}; /* concave at corner 2 */
    vo_polygon_triangulate(4, dart, scratch, t);
    assert_near(polygon_check(4, dart, (const int(*)[3])t), vo_polygon_area(4, dart), 1e-12);
    vo_vec2 kite[4] = {{0, 0}, {1, -3}, {2, 0}, {1, 3}}; /* the short diagonal is 0-2 */
    vo_polygon_triangulate(4, kite, scratch, t);
    for (int i = 0; i < 2; i++)
        assert_true(t[i][0] != t[i][1] &&
                    (t[i][0] + t[i][1] + t[i][2] == 3 || t[i][0] + t[i][1] + t[i][2] == 5));
    for (uint64_t seed = 0; seed < 300; seed++) { /* star-shaped, mostly concave */
        vo_random r = vo_random_seed(seed);
        vo_vec2 p[40];
        int n = 3 + vo_random_int(&r, VO_POLYGON_MAX_OPTIMISED - 2);
        for (int i = 0; i < n; i++) {
            double radius = vo_random_real(&r, 0.2, 1), angle = 2 * VO_PI * i / n;
            p[i] = v2(radius * cos(angle), radius * sin(angle));
        }
        if (n < 5) continue; /* the centre may lie outside */
        vo_polygon_triangulate(n, p, scratch, t);
        assert_near(polygon_check(n, p, (const int(*)[3])t), vo_polygon_area(n, p), 1e-12);
    }
    vo_vec2 cap[150];
    vo_vec3 world[150];
    for (int i = 0; i < 150; i++) {
        double a = 2 * VO_PI * i / 150;
        world[i] = v3(cos(a), 2, sin(a));
    }
    vo_polygon_flatten(150, world, cap);
    vo_polygon_triangulate(150, cap, scratch, t);
    assert_near(polygon_check(150, cap, (const int(*)[3])t), vo_polygon_area(150, cap), 1e-12);
}

/* A fan around one node: the worst case for searching edges node by node. */
static void node_of_many_faces_builds_in_linear_time(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    enum { N = 100000 };
    vo_mesh_data d = {0};
    add_vert(ctx, &d, v2(0, 0), add_node(ctx, &d, v3(0, 0, 0)));
    for (int i = 0; i < N; i++) {
        double a = 2 * VO_PI * i / N;
        add_vert(ctx, &d, v2(cos(a), sin(a)), add_node(ctx, &d, v3(cos(a), sin(a), 0)));
    }
    for (int i = 0; i < N; i++) add_face(ctx, &d, 0, 1 + i, 1 + (i + 1) % N);
    double start = test_seconds();
    vo_mesh *m = build(ctx, &d, VO_MESH_FOR_CLOTH);
    assert_true(test_seconds() - start < 2 * TEST_SLOWNESS);
    assert_int_equal(m->edge_count, 2 * N);
    check_invariants(m, true);
    vo_mesh_destroy(m);
    /* and all faces on one edge */
    for (int i = 0; i < N; i++) memcpy(d.face_vert[i], (int[3]){0, 1, 2 + i % (N - 1)}, 12);
    start = test_seconds();
    m = build(ctx, &d, VO_MESH_FOR_OBSTACLE);
    assert_true(test_seconds() - start < 2 * TEST_SLOWNESS);
    vo_mesh_destroy(m);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_garments_keep_the_invariants),
        cmocka_unit_test(euler_characteristic_matches_the_shape),
        cmocka_unit_test(grid_has_documented_positions),
        cmocka_unit_test(dihedral_angle_is_positive_on_a_ridge),
        cmocka_unit_test(listed_edges_keep_their_properties),
        cmocka_unit_test(copy_is_equal_and_independent),
        cmocka_unit_test(obstacles_accept_any_triangle_soup),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(polygon_triangles_are_upright),
        cmocka_unit_test(node_of_many_faces_builds_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
