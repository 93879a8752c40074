/* Tests of the sizing field: closed forms, symmetries, and bit-identical results of incremental
 * updates. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "remesh/sizing.h"

#include <math.h>
#include <string.h>

/* ---- sheets --------------------------------------------------------------------------------- */

enum { MAX_CELLS = 48, MAX_NODES = (MAX_CELLS + 1) * (MAX_CELLS + 1) };
enum { RISING, FALLING, ALTERNATING, RANDOM };

/* A unit square of n x n cells; interior nodes are jittered by a fraction of a cell, material space
 * is rotated. */
typedef struct sheet_def {
    int n, diagonals;
    double jitter, turn;
    bool seam; /* cut along the middle in material space; the right half is rotated and moved */
} sheet_def;

typedef struct sheet {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_vec2 flat[MAX_NODES]; /* node coordinates before the rotation */
    int n;
} sheet;

static vo_vec2 rotate2(vo_vec2 p, double angle) {
    return v2(cos(angle) * p.x - sin(angle) * p.y, sin(angle) * p.x + cos(angle) * p.y);
}

static const double seam_turn = 1.1;

static void place_nodes(const sheet_def *def, sheet *s, vo_random *random) {
    int n = def->n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            bool inside = i > 0 && j > 0 && i < n && j < n && 2 * i != n;
            double a = inside ? def->jitter * vo_random_real(random, -1, 1) : 0;
            double b = inside ? def->jitter * vo_random_real(random, -1, 1) : 0;
            s->flat[j * (n + 1) + i] = v2((i + a) / n, (j + b) / n);
        }
}

static sheet make_sheet(vo_context *ctx, const sheet_def *def) {
    static vo_vec3 x[MAX_NODES];
    static vo_vec2 u[2 * MAX_NODES];
    static int node[2 * MAX_NODES], face[2 * MAX_CELLS * MAX_CELLS][3];
    sheet s = {.ctx = ctx, .n = def->n};
    vo_random random = vo_random_seed(11);
    int n = def->n, nodes = (n + 1) * (n + 1), faces = 0;
    place_nodes(def, &s, &random);
    for (int k = 0; k < nodes; k++) {
        x[k] = v3(s.flat[k].x, s.flat[k].y, 0);
        u[k] = rotate2(s.flat[k], def->turn);
        u[nodes + k] = v2_add(rotate2(s.flat[k], seam_turn), v2(5, -3));
        node[k] = node[nodes + k] = k;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = j * (n + 1) + i + (def->seam && 2 * i >= n ? nodes : 0);
            int b = a + 1, c = a + n + 1, d = c + 1;
            int kind[] = {0, 1, (i + j) % 2, vo_random_int(&random, 2)};
            int cell[2][2][3] = {{{a, b, d}, {a, d, c}}, {{a, b, c}, {b, d, c}}};
            memcpy(face[faces], cell[kind[def->diagonals]], sizeof cell[0]);
            faces += 2;
        }
    assert_ok(ctx, vo_mesh_create(ctx, nodes, x, def->seam ? 2 * nodes : nodes, u, node, faces,
                                  (const int(*)[3])face, VO_MESH_FOR_CLOTH, &s.mesh));
    return s;
}

/* Rolls the sheet around a cylinder that bends it along the direction at `angle`. */
static void roll(sheet *s, double radius, double angle) {
    for (int k = 0; k < s->mesh->node_count; k++) {
        vo_vec2 p = rotate2(s->flat[k], -angle);
        s->mesh->node_x[k] = v3(radius * sin(p.x / radius), p.y, radius * cos(p.x / radius));
    }
}

/* Sets waves and velocities. */
static void ruffle(sheet *s, double phase) {
    for (int k = 0; k < s->mesh->node_count; k++) {
        vo_vec2 p = s->flat[k];
        double z = 0.05 * sin(9 * p.x + 4 * p.y + phase) + 0.03 * cos(13 * p.y - 2 * p.x);
        s->mesh->node_x[k] = v3(0.95 * p.x, p.y + 0.02 * sin(5 * p.x), z);
        s->mesh->node_v[k] = v3(sin(3 * p.y), p.x * p.y, cos(4 * p.x + phase));
    }
}

static bool is_inside(const sheet *s, int node, int margin) {
    int i = node % (s->n + 1), j = node / (s->n + 1);
    return i >= margin && j >= margin && i <= s->n - margin && j <= s->n - margin;
}

static vo_sizing update(sheet *s, const vo_sizing_def *def, const vo_sizing_input *input) {
    vo_sizing sizing;
    vo_sizing_init(&sizing, s->ctx, def);
    assert_ok(s->ctx, vo_sizing_update(&sizing, s->mesh, input));
    return sizing;
}

static vo_sym2 rotated(vo_sym2 m, double angle) {
    vo_vec2 a = rotate2(v2(1, 0), -angle), b = rotate2(v2(0, 1), -angle); /* R m R^T */
    return (vo_sym2){sym2_dot(m, a, a), sym2_dot(m, a, b), sym2_dot(m, b, b)};
}

static void assert_tensor_near(vo_sym2 a, vo_sym2 b, double tolerance) {
    assert_near(a.xx, b.xx, tolerance);
    assert_near(a.xy, b.xy, tolerance);
    assert_near(a.yy, b.yy, tolerance);
}

static void assert_definite(vo_sym2 m) {
    assert_true(sym2_is_finite(m));
    assert_true(m.xx > 0 && m.yy > 0 && sym2_det(m) > 0);
}

/* ---- bending -------------------------------------------------------------------------------- */

/* On a cylinder of radius r the eigenvalues are (1 / (r refine_angle))^2 across and 1 / size_max^2
 * along. Both are compared relative to the first. */
static void check_cylinder(sheet *s, const vo_sizing_def *def, double radius, double angle,
                           double tolerance) {
    double across = 1 / (radius * def->refine_angle * radius * def->refine_angle);
    double along = 1 / (def->size_max * def->size_max);
    roll(s, radius, angle);
    vo_sizing sizing = update(s, def, NULL);
    for (int v = 0; v < s->mesh->vert_count; v++) {
        if (!is_inside(s, v, 2)) continue;
        vo_sym2 m = sizing.vert[v];
        vo_vec2 a = rotate2(v2(1, 0), angle), b = rotate2(v2(0, 1), angle);
        assert_near(sym2_dot(m, a, a) / across, 1, tolerance);
        assert_near((sym2_dot(m, b, b) - along) / across, 0, tolerance);
        assert_near(sym2_dot(m, a, b) / across, 0, tolerance);
    }
    vo_sizing_free(&sizing);
}

static void cylinder_refines_across_and_not_along(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.3;
    def.size_min = 1e-3;
    def.size_max = 2;
    for (int diagonals = RISING; diagonals <= ALTERNATING; diagonals++)
        for (int n = 12; n <= 48; n *= 2) {
            sheet s = make_sheet(ctx, &(sheet_def){.n = n, .diagonals = diagonals});
            for (int size = 0; size < 4; size++)
                for (int turn = 0; turn < 8; turn++) {
                    double radius = 0.2 * (1 << size);
                    /* Chord of a cell at 45 degrees relative to its arc. */
                    double cell = 1.5 / (n * radius);
                    check_cylinder(&s, &def, radius, turn * VO_PI / 8, 1e-6 + 0.15 * cell * cell);
                }
            vo_mesh_destroy(s.mesh);
        }
    vo_context_destroy(ctx);
}

/* Returns the mean field of a cylinder across and along, over an irregular mesh. */
static vo_vec2 irregular_cylinder(vo_context *ctx, bool hinge_sum) {
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.3;
    def.hinge_sum = hinge_sum;
    sheet s = make_sheet(ctx, &(sheet_def){.n = 24, .diagonals = RANDOM, .jitter = 0.25});
    vo_vec2 mean = {0, 0};
    int count = 0;
    for (int turn = 0; turn < 4; turn++) {
        vo_vec2 a = rotate2(v2(1, 0), turn * VO_PI / 4), b = rotate2(v2(0, 1), turn * VO_PI / 4);
        roll(&s, 0.3, turn * VO_PI / 4);
        vo_sizing sizing = update(&s, &def, NULL);
        for (int v = 0; v < s.mesh->vert_count; v++) {
            if (!is_inside(&s, v, 2)) continue;
            mean.x += sym2_dot(sizing.vert[v], a, a) * 0.09 * 0.09;
            mean.y += sym2_dot(sizing.vert[v], b, b) * 0.09 * 0.09;
            count++;
        }
        vo_sizing_free(&sizing);
    }
    vo_mesh_destroy(s.mesh);
    return v2_scale(1.0 / count, mean);
}

/* The least-squares fit is accurate in the mean where the usual hinge sum is off by half. */
static void irregular_mesh_keeps_a_cylinder_anisotropic(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec2 fit = irregular_cylinder(ctx, false), sum = irregular_cylinder(ctx, true);
    assert_true(fit.x > 0.98 && fit.x < 1.12);
    assert_true(fit.y < 0.05);
    assert_true(sum.x > 1.2 && sum.y > 0.1);
    vo_context_destroy(ctx);
}

/* The middle of a spherical cap, flattened along great circles from the pole. */
static void sphere_refines_isotropically(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.2;
    for (int diagonals = RISING; diagonals <= ALTERNATING; diagonals++)
        for (int size = 0; size < 3; size++) {
            double radius = 3 << size;
            sheet s = make_sheet(ctx, &(sheet_def){.n = 16, .diagonals = diagonals});
            for (int k = 0; k < s.mesh->node_count; k++) {
                vo_vec2 p = v2_sub(s.flat[k], v2(0.5, 0.5));
                double r = v2_length(p), sine = r > 0 ? radius * sin(r / radius) / r : 1;
                s.mesh->node_x[k] = v3(sine * p.x, sine * p.y, radius * cos(r / radius));
            }
            vo_sizing sizing = update(&s, &def, NULL);
            double expected = 1 / (radius * 0.2 * radius * 0.2);
            for (int v = 0; v < s.mesh->vert_count; v++) {
                if (!is_inside(&s, v, 2)) continue;
                assert_tensor_near(sizing.vert[v], sym2_diagonal(expected), 0.02 * expected);
            }
            vo_sizing_free(&sizing);
            vo_mesh_destroy(s.mesh);
        }
    vo_context_destroy(ctx);
}

/* Folds one face wide: the node normals are all vertical, only the dihedral angles show the
 * folds. */
static void zigzag_with_parallel_normals_is_refined(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 12, .diagonals = RISING});
    for (int k = 0; k < s.mesh->node_count; k++) s.mesh->node_x[k].z = k % (s.n + 1) % 2 ? 0.02 : 0;
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.3;
    vo_sizing sizing = update(&s, &def, NULL);
    double fold = 2 * atan(0.02 * s.n), expected = fold * s.n / 0.3; /* fold angle per cell */
    for (int v = 0; v < s.mesh->vert_count; v++) {
        if (!is_inside(&s, v, 2)) continue;
        assert_near(v3_length(v3_sub(sizing.node_normal[v], v3(0, 0, 1))), 0, 1e-12);
        assert_near(sizing.vert[v].xx, expected * expected, 1e-6 * expected * expected);
        assert_near(sizing.vert[v].yy, 0, 1e-6 * expected * expected);
    }
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static void flat_sheet_at_rest_has_size_max(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 12, .diagonals = RANDOM, .jitter = 0.3, .turn = 1});
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.3;
    def.refine_velocity = 0.5;
    def.refine_compression = 0.005;
    def.size_min = 0.01;
    def.size_max = 0.2;
    def.aspect_min = 0.2;
    vo_sizing sizing = update(&s, &def, NULL);
    for (int v = 0; v < s.mesh->vert_count; v++)
        assert_tensor_near(sizing.vert[v], sym2_diagonal(25), 1e-8);
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static void plastic_curvature_applies_when_enabled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 4});
    assert_ok(ctx, vo_mesh_add_optional_arrays(s.mesh, false, true));
    double *p = s.mesh->face_curvature[3];
    p[0] = 5, p[1] = p[2] = 1, p[3] = 2;
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.5;
    vo_sizing sizing = update(&s, &def, NULL);
    assert_near(sizing.face[3].xx, 0, 1e-9);
    def.plastic = true;
    vo_sizing_set(&sizing, &def);
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_tensor_near(sizing.face[3], (vo_sym2){104, 28, 20}, 1e-9);
    /* A change of the curvature alone visits that face alone. */
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, 0);
    p[0] = 6;
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, 1);
    assert_tensor_near(sizing.face[3], (vo_sym2){148, 32, 20}, 1e-9);
    assert_int_equal(sizing.changed_verts, 3);
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* ---- velocity, compression, obstacles ------------------------------------------------------- */

static void velocity_gradient_is_exact(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 8, .diagonals = RANDOM, .jitter = 0.3, .turn = 2});
    vo_random random = vo_random_seed(12);
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_velocity = 0.5;
    for (int trial = 0; trial < 20; trial++) {
        vo_vec3 g[2], rest = v3(1, 2, 3);
        for (int i = 0; i < 2; i++)
            g[i] = v3(vo_random_real(&random, -2, 2), vo_random_real(&random, -2, 2),
                      vo_random_real(&random, -2, 2));
        for (int k = 0; k < s.mesh->node_count; k++) {
            vo_vec2 u = s.mesh->vert_u[k];
            s.mesh->node_v[k] = v3_add_scaled(v3_add_scaled(rest, u.x, g[0]), u.y, g[1]);
        }
        vo_sizing sizing = update(&s, &def, NULL);
        vo_sym2 expected = {v3_dot(g[0], g[0]) * 4, v3_dot(g[0], g[1]) * 4, v3_dot(g[1], g[1]) * 4};
        for (int v = 0; v < s.mesh->vert_count; v++)
            assert_tensor_near(sizing.vert[v], expected, 1e-10);
        vo_sizing_free(&sizing);
    }
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* x = A u with A = diag(a, b) rotated: strain eigenvalues (a^2 - 1) / 2 and (b^2 - 1) / 2. */
static void compression_is_exact_and_tension_has_no_effect(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 8, .diagonals = RANDOM, .jitter = 0.3});
    const double stretch[][2] = {{0.9, 0.8}, {0.9, 1.2}, {1.3, 0.5}, {1.1, 1.2}, {0.01, 0.99}};
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_compression = 0.02;
    for (int trial = 0; trial < 5; trial++) {
        double angle = 0.7 * trial, value[2];
        vo_vec2 axis[2] = {rotate2(v2(1, 0), angle), rotate2(v2(0, 1), angle)};
        for (int k = 0; k < s.mesh->node_count; k++) {
            double p = stretch[trial][0] * v2_dot(axis[0], s.flat[k]);
            double q = stretch[trial][1] * v2_dot(axis[1], s.flat[k]);
            s.mesh->node_x[k] = v3(p, 0.6 * q, 0.8 * q);
        }
        for (int i = 0; i < 2; i++)
            value[i] = vo_max(0, (1 - stretch[trial][i] * stretch[trial][i]) / 2) / (0.02 * 0.02);
        vo_sym2 expected = sym2_add(sym2_outer(value[0], axis[0]), sym2_outer(value[1], axis[1]));
        vo_sizing sizing = update(&s, &def, NULL);
        for (int f = 0; f < s.mesh->face_count; f++)
            assert_tensor_near(sizing.face[f], expected, 1e-7);
        vo_sizing_free(&sizing);
    }
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* One face, compressed along x by the strain e and curved across by k: the term solves c^2 x^2 + e
 * x + rib k^2 = 0 and is 0 if the ribs are too stiff for a solution. */
static void ribs_reduce_the_compression_term(void **state) {
    (void)state;
    double e = -0.02, c = 0.01, length = sqrt(1 + 2 * e);
    const vo_vec2 u[3] = {{0, 0}, {1, 0}, {0, 1}};
    vo_vec3 x[3] = {{0, 0, 0}, {length, 0, 0}, {0, 1, 0}};
    double before = INFINITY;
    for (int step = 0; step < 40; step++) {
        double k = 0.05 * step;
        vo_sizing_weights w = {.compression = c, .rib = 1};
        vo_sym2 along = {0, 0, k * k}, across = {k * k, 0, 0};
        vo_sym2 got = vo_sizing_compression(&w, vo_sizing_gradient(u), x, along);
        if (e * e > 4 * c * c * k * k) {
            assert_near(c * c * got.xx * got.xx + e * got.xx + k * k, 0, 1e-12);
            assert_true(got.xx >= -e / (2 * c * c));
        }
        assert_true(got.xx <= before && got.xx >= 0);
        assert_near(got.yy, 0, 1e-9);
        before = got.xx;
        /* Curvature along the compression does not stiffen, and no curvature does with rib = 0. */
        assert_near(vo_sizing_compression(&w, vo_sizing_gradient(u), x, across).xx, -e / (c * c),
                    1e-9);
        w.rib = 0;
        assert_near(vo_sizing_compression(&w, vo_sizing_gradient(u), x, along).xx, -e / (c * c),
                    1e-9);
    }
    assert_true(before == 0);
}

/* A sheet that rises above a floor, and the nearest points of the floor. */
static void obstacle_refines_by_slope_over_height(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 8, .diagonals = RANDOM, .jitter = 0.2});
    static vo_vec3 near[MAX_NODES];
    double slope = 0.5, base = 0.02;
    vo_sizing_def def = vo_sizing_def_default();
    def.obstacle_range = 0.3;
    for (int k = 0; k < s.mesh->node_count; k++) {
        s.mesh->node_x[k].z = base + slope * s.flat[k].x;
        near[k] = v3(s.flat[k].x, s.flat[k].y, 0);
        if (k % 7 == 0) near[k] = v3(NAN, NAN, NAN);
    }
    vo_sizing sizing = update(&s, &def, &(vo_sizing_input){.nearest = near});
    for (int f = 0; f < s.mesh->face_count; f++) {
        double expected = 0;
        for (int i = 0; i < 3; i++) {
            int k = vo_mesh_face_node(s.mesh, f, i);
            double height = s.mesh->node_x[k].z;
            if (k % 7 && height <= 0.3) expected += slope * slope / (height * height) / 3;
        }
        assert_tensor_near(sizing.face[f], (vo_sym2){expected, 0, 0}, 1e-11 + 1e-9 * expected);
    }
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static void parallel_or_touching_obstacle_gives_finite_metric(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 4});
    static vo_vec3 near[MAX_NODES];
    vo_sizing_def def = vo_sizing_def_default();
    def.obstacle_range = 0.1;
    for (int touch = 0; touch < 2; touch++) {
        double height = touch ? 0 : 0.05;
        for (int k = 0; k < s.mesh->node_count; k++)
            near[k] = v3_sub(s.mesh->node_x[k], v3(0, 0, height));
        vo_sizing sizing = update(&s, &def, &(vo_sizing_input){.nearest = near});
        for (int v = 0; v < s.mesh->vert_count; v++)
            assert_tensor_near(sizing.vert[v], sym2_diagonal(VO_METRIC_MIN), 1e-9);
        vo_sizing_free(&sizing);
    }
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static vo_sizing_def all_terms_def(void) {
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = 0.3;
    def.refine_velocity = 0.5;
    def.refine_compression = 0.02;
    def.size_min = 0.01;
    def.size_max = 0.2;
    def.aspect_min = 0.2;
    def.obstacle_range = 0.2;
    return def;
}

static void sum_is_at_least_the_maximum(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 12, .diagonals = RANDOM, .jitter = 0.2});
    ruffle(&s, 0);
    vo_sizing_def def = all_terms_def();
    def.size_min = def.aspect_min = 0;
    def.size_max = INFINITY;
    vo_sizing max = update(&s, &def, NULL);
    def.combine_sum = true;
    vo_sizing sum = update(&s, &def, NULL);
    int larger = 0;
    for (int f = 0; f < s.mesh->face_count; f++) {
        double sum_trace = sum.face[f].xx + sum.face[f].yy,
               max_trace = max.face[f].xx + max.face[f].yy;
        assert_true(max_trace <= sum_trace * (1 + 1e-9));
        larger += max_trace < 0.9 * sum_trace;
    }
    assert_true(larger > 0);
    vo_sizing_free(&max);
    vo_sizing_free(&sum);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* ---- symmetries ----------------------------------------------------------------------------- */

static vo_vec3 moved(vo_vec3 p) {
    /* Columns of the rotation by the unit quaternion (1, 2, 3, 4) / sqrt(30). */
    return v3((-20 * p.x + 4 * p.y + 22 * p.z) / 30, (20 * p.x - 10 * p.y + 20 * p.z) / 30,
              (10 * p.x + 28 * p.y + 4 * p.z) / 30);
}

static void field_is_invariant_to_world_rotation(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 16, .diagonals = RANDOM, .jitter = 0.2});
    static vo_vec3 near[MAX_NODES];
    ruffle(&s, 1);
    for (int k = 0; k < s.mesh->node_count; k++)
        near[k] = v3_add_scaled(s.mesh->node_x[k], -0.1, v3(0.2, 0, 1));
    vo_sizing_def def = all_terms_def();
    vo_sizing_input input = {.nearest = near};
    vo_sizing before = update(&s, &def, &input);
    for (int k = 0; k < s.mesh->node_count; k++) {
        s.mesh->node_x[k] = v3_add(moved(s.mesh->node_x[k]), v3(10, -20, 5));
        s.mesh->node_v[k] = v3_add(moved(s.mesh->node_v[k]), v3(1, 2, 3));
        near[k] = v3_add(moved(near[k]), v3(10, -20, 5));
    }
    vo_sizing after = update(&s, &def, &input);
    for (int v = 0; v < s.mesh->vert_count; v++)
        assert_tensor_near(after.vert[v], before.vert[v], 1e-6 * (before.vert[v].xx + 100));
    vo_sizing_free(&before);
    vo_sizing_free(&after);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static void field_rotates_with_the_material(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet_def plain = {.n = 16, .diagonals = RANDOM, .jitter = 0.2}, turn = plain;
    vo_sizing_def def = all_terms_def();
    sheet s = make_sheet(ctx, &plain);
    ruffle(&s, 2);
    vo_sizing before = update(&s, &def, NULL);
    for (int trial = 0; trial < 7; trial++) {
        turn.turn = 0.3 + 0.9 * trial;
        sheet t = make_sheet(ctx, &turn);
        ruffle(&t, 2);
        vo_sizing after = update(&t, &def, NULL);
        for (int v = 0; v < s.mesh->vert_count; v++)
            assert_tensor_near(after.vert[v], rotated(before.vert[v], turn.turn),
                               1e-6 * (before.vert[v].xx + before.vert[v].yy));
        vo_sizing_free(&after);
        vo_mesh_destroy(t.mesh);
    }
    vo_sizing_free(&before);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* A cut in material space that is sewn in the world: the faces have the same metrics as without it,
 * each in its own frame, and verts of the seam average their own side only. */
static void seam_keeps_faces_and_separates_verts(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet_def whole = {.n = 16, .diagonals = RANDOM, .jitter = 0.2}, cut = whole;
    cut.seam = true;
    vo_sizing_def def = all_terms_def();
    sheet s = make_sheet(ctx, &whole), t = make_sheet(ctx, &cut);
    ruffle(&s, 3);
    ruffle(&t, 3);
    vo_sizing a = update(&s, &def, NULL), b = update(&t, &def, NULL);
    assert_true(t.mesh->vert_count == s.mesh->vert_count + 17);
    for (int f = 0; f < s.mesh->face_count; f++) {
        double turn = t.mesh->vert_u[t.mesh->face_vert[f][0]].x > 2 ? seam_turn : 0;
        assert_tensor_near(b.face[f], rotated(a.face[f], turn),
                           1e-6 * (a.face[f].xx + a.face[f].yy));
    }
    for (int v = 0; v < t.mesh->vert_count; v++) {
        vo_sym2 sum = {0};
        double area = 0;
        for (int f = 0; f < t.mesh->face_count; f++)
            for (int i = 0; i < 3; i++)
                if (t.mesh->face_vert[f][i] == v) {
                    double part = vo_mesh_face_area(t.mesh, f);
                    sum = sym2_add(sum, sym2_scale(part, b.face[f]));
                    area += part;
                }
        assert_tensor_near(b.vert[v], sym2_scale(1 / area, sum), 1e-9 * b.vert[v].xx);
    }
    vo_sizing_free(&a);
    vo_sizing_free(&b);
    vo_mesh_destroy(s.mesh);
    vo_mesh_destroy(t.mesh);
    vo_context_destroy(ctx);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void edge_size_is_the_larger_of_both_sides(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 4, .diagonals = RISING, .seam = true});
    static vo_sym2 metric[2 * MAX_NODES];
    const vo_mesh *m = s.mesh;
    int seams = 0;
    for (int v = 0; v < m->vert_count; v++)
        metric[v] = m->vert_u[v].x > 2 ? sym2_diagonal(9) : (vo_sym2){100, 99, 100};
    for (int e = 0; e < m->edge_count; e++) {
        double size2 = vo_sizing_edge_size2(m, metric, e), expected = 0;
        int side[2][2];
        for (int i = 0; i < 2; i++) {
            vo_mesh_edge_verts(m, e, i, side[i]);
            if (side[i][0] < 0) continue;
            vo_vec2 u = v2_sub(m->vert_u[side[i][0]], m->vert_u[side[i][1]]);
            expected = vo_max(expected, sym2_dot(metric[side[i][0]], u, u));
        }
        assert_near(size2, expected, 1e-12);
        seams += side[1][0] >= 0 && side[0][0] != side[1][0];
    }
    assert_int_equal(seams, 4);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* ---- incremental updates --------------------------------------------------------------------- */

static void assert_same_bits(const vo_sizing *a, const vo_sizing *b) {
    assert_int_equal(a->vert_count, b->vert_count);
    assert_memory_equal(a->vert, b->vert, (size_t)a->vert_count * sizeof *a->vert);
    assert_memory_equal(a->face, b->face, (size_t)a->face_count * sizeof *a->face);
}

/* Counts the faces with a node adjacent to one of the faces around `node`. */
static int faces_within_two_rings(const vo_mesh *m, int node) {
    static unsigned char ring[MAX_NODES];
    int count = 0;
    memset(ring, 0, sizeof ring);
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++)
            if (vo_mesh_face_node(m, f, i) == node)
                for (int j = 0; j < 3; j++) ring[vo_mesh_face_node(m, f, j)] = 1;
    for (int f = 0; f < m->face_count; f++)
        count += ring[vo_mesh_face_node(m, f, 0)] || ring[vo_mesh_face_node(m, f, 1)] ||
                 ring[vo_mesh_face_node(m, f, 2)];
    return count;
}

/* Changes a few inputs at random. */
static void change_inputs(sheet *s, vo_vec3 *near, double *factor, vo_sym2 *bound, vo_random *r) {
    int k = vo_random_int(r, s->mesh->node_count), f = vo_random_int(r, s->mesh->face_count);
    switch (vo_random_int(r, 5)) {
    case 0:
        s->mesh->node_x[k].z += vo_random_real(r, -0.01, 0.01);
        break;
    case 1:
        s->mesh->node_v[k].x += vo_random_real(r, -1, 1);
        break;
    case 2:
        near[k] =
            vo_random_int(r, 2) ? v3(NAN, 0, 0) : v3_sub(s->mesh->node_x[k], v3(0.01, 0.02, 0.03));
        break;
    case 3:
        factor[f] = vo_random_real(r, 0.1, 1);
        break;
    default:
        bound[f] = vo_random_int(r, 2) ? sym2_diagonal(INFINITY)
                                       : (vo_sym2){vo_random_real(r, 50, 500), 20, 90};
        break;
    }
}

static void incremental_update_equals_full_update(void **state) {
    (void)state;
    static vo_vec3 near[MAX_NODES];
    static double factor[2 * MAX_CELLS * MAX_CELLS];
    static vo_sym2 bound[2 * MAX_CELLS * MAX_CELLS];
    vo_context *ctx[3] = {test_context(1), test_context(2), test_context(3)};
    vo_random random = vo_random_seed(14);
    sheet s = make_sheet(ctx[0], &(sheet_def){.n = 48, .diagonals = RANDOM, .jitter = 0.2});
    vo_sizing_def def = all_terms_def();
    vo_sizing sizing[3];
    ruffle(&s, 0);
    for (int k = 0; k < MAX_NODES; k++) near[k] = v3(NAN, NAN, NAN);
    for (int f = 0; f < s.mesh->face_count; f++) factor[f] = 1, bound[f] = sym2_diagonal(INFINITY);
    for (int i = 0; i < 3; i++) vo_sizing_init(&sizing[i], ctx[i], &def);
    for (int step = 0; step < 60; step++) {
        vo_sizing_input input = {near, factor, bound};
        if (step % 10 == 7) input = (vo_sizing_input){.nearest = near};
        if (step % 20 == 19) input = (vo_sizing_input){.view_bound = bound};
        for (int i = vo_random_int(&random, 6); i > 0; i--)
            change_inputs(&s, near, factor, bound, &random);
        for (int i = 0; i < 3; i++) assert_ok(ctx[i], vo_sizing_update(&sizing[i], s.mesh, &input));
        vo_sizing fresh = update(&s, &def, &input);
        for (int i = 0; i < 3; i++) assert_same_bits(&fresh, &sizing[i]);
        assert_int_equal(sizing[0].visited_faces, sizing[2].visited_faces);
        assert_true(step == 0 || step % 20 == 19 || step % 20 == 0 ||
                    sizing[0].visited_faces < 400);
        vo_sizing_free(&fresh);
    }
    for (int i = 0; i < 3; i++) vo_sizing_free(&sizing[i]);
    vo_mesh_destroy(s.mesh);
    for (int i = 0; i < 3; i++) vo_context_destroy(ctx[i]);
}

static void update_visits_changed_faces_only(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 20, .diagonals = RANDOM, .jitter = 0.2});
    vo_sizing_def def = all_terms_def();
    ruffle(&s, 0);
    vo_sizing sizing = update(&s, &def, NULL);
    assert_int_equal(sizing.visited_faces, s.mesh->face_count);
    assert_int_equal(sizing.changed_verts, s.mesh->vert_count);
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, 0);
    assert_int_equal(sizing.changed_verts, 0);
    for (int v = 0; v < s.mesh->vert_count; v++) assert_int_equal(sizing.vert_changed[v], 0);
    for (int node = 0; node < s.mesh->node_count; node += 13) {
        static vo_sym2 old[MAX_NODES];
        memcpy(old, sizing.vert, (size_t)sizing.vert_count * sizeof *old);
        s.mesh->node_x[node].z += 0.003;
        assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
        assert_int_equal(sizing.visited_faces, faces_within_two_rings(s.mesh, node));
        int changed = 0;
        for (int v = 0; v < s.mesh->vert_count; v++) {
            assert_int_equal(sizing.vert_changed[v], !sym2_equal(old[v], sizing.vert[v]));
            changed += sizing.vert_changed[v];
        }
        assert_true(changed > 0);
        assert_int_equal(sizing.changed_verts, changed);
    }
    s.mesh->topology++; /* as every edit does */
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, s.mesh->face_count);
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* Returns the largest relative difference of squared edge sizes, among edges that are valid or
 * nearly so. */
static double edge_difference(const vo_mesh *m, const vo_sym2 *a, const vo_sym2 *b) {
    double worst = 0;
    for (int e = 0; e < m->edge_count; e++) {
        double now = vo_sizing_edge_size2(m, a, e), right = vo_sizing_edge_size2(m, b, e);
        worst = vo_max(worst, fabs(now - right) / vo_max(right, 1));
    }
    return worst;
}

static void drift_below_tolerance_is_skipped(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 20, .diagonals = RANDOM, .jitter = 0.2});
    vo_random random = vo_random_seed(15);
    vo_sizing_def def = all_terms_def();
    def.tolerance = 0.01;
    ruffle(&s, 0);
    vo_sizing sizing = update(&s, &def, NULL);
    assert_true(sizing.move_tolerance > 0 && sizing.speed_tolerance > 0);
    for (int k = 0; k < s.mesh->node_count; k++) {
        double x = 0.99 * sizing.move_tolerance, v = 0.99 * sizing.speed_tolerance;
        s.mesh->node_x[k].z += vo_random_real(&random, -x, x);
        s.mesh->node_v[k].y += vo_random_real(&random, -v, v);
    }
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, 0);
    vo_sizing fresh = update(&s, &def, NULL);
    assert_true(edge_difference(s.mesh, sizing.vert, fresh.vert) < 0.02);
    /* Accumulated drift is detected. */
    for (int k = 0; k < s.mesh->node_count; k++) s.mesh->node_x[k].z += 2 * sizing.move_tolerance;
    assert_ok(ctx, vo_sizing_update(&sizing, s.mesh, NULL));
    assert_int_equal(sizing.visited_faces, s.mesh->face_count);
    vo_sizing_free(&sizing);
    vo_sizing_free(&fresh);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* ---- view ----------------------------------------------------------------------------------- */

static void view_factor_coarsens_without_revisiting_faces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static double factor[2 * MAX_CELLS * MAX_CELLS];
    static vo_sym2 bound[2 * MAX_CELLS * MAX_CELLS];
    sheet s = make_sheet(ctx, &(sheet_def){.n = 16, .diagonals = RANDOM, .jitter = 0.2});
    vo_sizing_def def = all_terms_def();
    def.view_size_max = 0.5;
    ruffle(&s, 0);
    vo_sizing own = update(&s, &def, NULL), with_view = update(&s, &def, NULL);
    for (int f = 0; f < s.mesh->face_count; f++) {
        factor[f] = f % 3 == 0 ? 1 : f % 3 == 1 ? 0.5 : 0.0;
        bound[f] = f % 2 ? sym2_diagonal(INFINITY) : (vo_sym2){120, 30, 60};
    }
    vo_sizing_input input = {.view_factor = factor};
    assert_ok(ctx, vo_sizing_update(&with_view, s.mesh, &input));
    assert_int_equal(with_view.visited_faces, 0);
    assert_true(with_view.changed_verts > 0);
    for (int f = 0; f < s.mesh->face_count; f++) {
        vo_sym2 expected = sym2_scale(f % 3 == 0 ? 1 : 0.25, own.face[f]); /* eq. 2 */
        if (f % 3 == 2) expected = sym2_diagonal(4);                       /* 1 / view_size_max^2 */
        assert_tensor_near(with_view.face[f], expected, 1e-9 * (expected.xx + expected.yy));
    }
    input = (vo_sizing_input){.view_bound = bound};
    assert_ok(ctx, vo_sizing_update(&with_view, s.mesh, &input));
    for (int f = 0; f < s.mesh->face_count; f++) {
        vo_sym2 expected = f % 2 ? own.face[f] : vo_metric_bound(own.face[f], bound[f]);
        assert_tensor_near(with_view.face[f], vo_metric_limit(&with_view.view_limits, expected),
                           1e-9 * (expected.xx + expected.yy));
    }
    /* Without view input the field equals the full one. */
    assert_ok(ctx, vo_sizing_update(&with_view, s.mesh, NULL));
    assert_same_bits(&own, &with_view);
    assert_int_equal(with_view.visited_faces, 0);
    vo_sizing_free(&own);
    vo_sizing_free(&with_view);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* Queries of the face budget: the area in the metric, and scaled bounds that are bit-identical to
 * an update with those bounds. */
static void bounds_are_scaled_without_an_update(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    static vo_sym2 bound[2 * MAX_CELLS * MAX_CELLS], scaled[2 * MAX_CELLS * MAX_CELLS];
    sheet s = make_sheet(ctx, &(sheet_def){.n = 16, .diagonals = RANDOM, .jitter = 0.2});
    vo_sizing_def def = all_terms_def();
    def.view_size_max = 0.5;
    ruffle(&s, 0);
    for (int f = 0; f < s.mesh->face_count; f++) {
        bound[f] = f % 2 ? sym2_diagonal(INFINITY) : (vo_sym2){120, 30, 60};
        scaled[f] = f % 2 ? bound[f] : sym2_scale(0.25, bound[f]);
    }
    vo_sizing a = update(&s, &def, &(vo_sizing_input){.view_bound = bound});
    vo_sizing b = update(&s, &def, &(vo_sizing_input){.view_bound = scaled});
    double sum = 0, before = vo_sizing_area(&a, 1);
    for (int f = 0; f < s.mesh->face_count; f++) {
        const int *v = s.mesh->face_vert[f];
        vo_sym2 mean =
            sym2_scale(1.0 / 3, sym2_add(a.vert[v[0]], sym2_add(a.vert[v[1]], a.vert[v[2]])));
        sum += vo_mesh_face_area(s.mesh, f) * sqrt(sym2_det(mean));
    }
    assert_near(before, sum, 1e-9 * sum);
    double after = vo_sizing_area(&a, 0.25);
    assert_true(after < 0.99 * before);
    assert_near(after, vo_sizing_area(&b, 1), 0);
    vo_sizing_scale_bounds(&a, 0.25);
    assert_same_bits(&a, &b);
    assert_int_equal(a.changed_verts, s.mesh->vert_count);
    assert_near(vo_sizing_area(&a, 1), after, 0);
    vo_sizing_free(&a);
    vo_sizing_free(&b);
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

/* ---- robustness ----------------------------------------------------------------------------- */

static double extreme_number(vo_random *r) {
    const double extreme[] = {0, 1e30, -1e30, 1e-30, 5e-324, 1, -1};
    return vo_random_int(r, 3) ? vo_random_real(r, -1, 1) : extreme[vo_random_int(r, 7)];
}

static vo_vec3 extreme_point(vo_random *r) {
    double x = extreme_number(r), y = extreme_number(r);
    return v3(x, y, extreme_number(r));
}

static vo_sizing_def extreme_def(vo_random *r) {
    const double extreme[] = {INFINITY, -INFINITY, 0, NAN, 1e-300, 1e300, 0.01, 0.3, 1, -1};
    double value[9];
    for (int i = 0; i < 9; i++)
        value[i] =
            vo_random_int(r, 3) ? vo_random_real(r, 0.001, 1) : extreme[vo_random_int(r, 10)];
    return (vo_sizing_def){.refine_angle = value[0],
                           .refine_velocity = value[1],
                           .refine_compression = value[2],
                           .rib_stiffening = value[3],
                           .size_min = value[4],
                           .size_max = value[5],
                           .aspect_min = value[6],
                           .obstacle_range = value[7],
                           .view_size_max = value[8],
                           .combine_sum = vo_random_int(r, 2),
                           .hinge_sum = vo_random_int(r, 2),
                           .plastic = vo_random_int(r, 2),
                           .tolerance = vo_random_int(r, 2) * 0.01};
}

/* Moves nodes at random: coincident, collinear, far away. */
static void crumple(sheet *s, vo_vec3 *near, vo_random *r) {
    for (int k = 0; k < s->mesh->node_count; k++) {
        s->mesh->node_x[k] = extreme_point(r);
        s->mesh->node_v[k] = extreme_point(r);
        near[k] = vo_random_int(r, 2) ? extreme_point(r) : s->mesh->node_x[k];
        if (k > 0 && vo_random_int(r, 4) == 0) s->mesh->node_x[k] = s->mesh->node_x[k - 1];
        if (vo_random_int(r, 8) == 0) near[k].x = NAN;
    }
    for (int f = 0; f < s->mesh->face_count; f++)
        for (int i = 0; i < 4; i++) s->mesh->face_curvature[f][i] = extreme_number(r);
}

static void any_state_gives_definite_metrics(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random random = vo_random_seed(16);
    static vo_vec3 near[MAX_NODES];
    static double factor[200];
    static vo_sym2 bound[200];
    sheet s =
        make_sheet(ctx, &(sheet_def){.n = 6, .diagonals = RANDOM, .jitter = 0.45, .seam = true});
    assert_ok(ctx, vo_mesh_add_optional_arrays(s.mesh, false, true));
    for (int trial = 0; trial < 3000; trial++) {
        vo_sizing_def def = extreme_def(&random);
        crumple(&s, near, &random);
        for (int f = 0; f < s.mesh->face_count; f++) {
            factor[f] = vo_random_int(&random, 2) ? vo_random_real(&random, 0, 1)
                                                  : (double[]){0, NAN, -1, 7}[f % 4];
            bound[f] = (vo_sym2){fabs(extreme_number(&random)), 0, fabs(extreme_number(&random))};
        }
        vo_sizing_input input = {near, trial % 3 ? factor : NULL, trial % 2 ? bound : NULL};
        vo_sizing sizing = update(&s, &def, &input);
        for (int f = 0; f < s.mesh->face_count; f++) assert_definite(sizing.face[f]);
        for (int v = 0; v < s.mesh->vert_count; v++) assert_definite(sizing.vert[v]);
        vo_sizing_free(&sizing);
    }
    vo_mesh_destroy(s.mesh);
    vo_context_destroy(ctx);
}

static void empty_mesh_has_an_empty_field(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh mesh = {.ctx = ctx};
    vo_sizing_def def = all_terms_def();
    vo_sizing sizing;
    vo_sizing_init(&sizing, ctx, &def);
    for (int i = 0; i < 2; i++) assert_ok(ctx, vo_sizing_update(&sizing, &mesh, NULL));
    assert_int_equal(sizing.visited_faces, 0);
    vo_sizing_free(&sizing);
    vo_context_destroy(ctx);
}

static vo_result grow_field(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mesh *small = NULL, *large = NULL;
    vo_sizing_def def = all_terms_def();
    vo_sizing sizing;
    def.plastic = true;
    vo_sizing_init(&sizing, ctx, &def);
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 3, 3, &small);
    if (result == VO_OK) result = vo_mesh_create_grid(ctx, 1, 1, 30, 30, &large);
    if (result == VO_OK) result = vo_mesh_add_optional_arrays(large, false, true);
    if (result == VO_OK) result = vo_sizing_update(&sizing, small, NULL);
    if (result == VO_OK) result = vo_sizing_update(&sizing, large, NULL);
    vo_sizing_free(&sizing);
    vo_mesh_destroy(small);
    vo_mesh_destroy(large);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(grow_field, NULL);
}

static void repeated_update_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    sheet s = make_sheet(ctx, &(sheet_def){.n = 24}),
          smaller = make_sheet(ctx, &(sheet_def){.n = 9});
    vo_sizing_def def = all_terms_def();
    vo_sizing sizing = update(&s, &def, NULL);
    long calls = memory.calls;
    for (int step = 0; step < 20; step++) {
        ruffle(&s, step);
        assert_ok(ctx, vo_sizing_update(&sizing, step % 3 ? s.mesh : smaller.mesh, NULL));
        assert_int_equal(sizing.visited_faces > 0, 1);
    }
    assert_int_equal(memory.calls, calls);
    vo_sizing_free(&sizing);
    vo_mesh_destroy(s.mesh);
    vo_mesh_destroy(smaller.mesh);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_refines_across_and_not_along),
        cmocka_unit_test(irregular_mesh_keeps_a_cylinder_anisotropic),
        cmocka_unit_test(sphere_refines_isotropically),
        cmocka_unit_test(zigzag_with_parallel_normals_is_refined),
        cmocka_unit_test(flat_sheet_at_rest_has_size_max),
        cmocka_unit_test(plastic_curvature_applies_when_enabled),
        cmocka_unit_test(velocity_gradient_is_exact),
        cmocka_unit_test(compression_is_exact_and_tension_has_no_effect),
        cmocka_unit_test(ribs_reduce_the_compression_term),
        cmocka_unit_test(obstacle_refines_by_slope_over_height),
        cmocka_unit_test(parallel_or_touching_obstacle_gives_finite_metric),
        cmocka_unit_test(sum_is_at_least_the_maximum),
        cmocka_unit_test(field_is_invariant_to_world_rotation),
        cmocka_unit_test(field_rotates_with_the_material),
        cmocka_unit_test(seam_keeps_faces_and_separates_verts),
        cmocka_unit_test(edge_size_is_the_larger_of_both_sides),
        cmocka_unit_test(incremental_update_equals_full_update),
        cmocka_unit_test(update_visits_changed_faces_only),
        cmocka_unit_test(drift_below_tolerance_is_skipped),
        cmocka_unit_test(view_factor_coarsens_without_revisiting_faces),
        cmocka_unit_test(bounds_are_scaled_without_an_update),
        cmocka_unit_test(any_state_gives_definite_metrics),
        cmocka_unit_test(empty_mesh_has_an_empty_field),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(repeated_update_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
