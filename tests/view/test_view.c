/* Tests of vo_view_update: clusters against single faces, silhouettes, several viewpoints, thread
 * counts, memory and time. */
#include "support.h"

#include "core/memory.h"
#include "remesh/metric.h"
#include "screen_reference.h"
#include "view/silhouette.h"
#include "view/view.h"
#include "view_cases.h"

#include <stdio.h>
#include <string.h>

/* ---- cloths --------------------------------------------------------------------------------- */

typedef struct cloth {
    vo_mesh *mesh;
    double *factor;
    vo_sym2 *bound;
} cloth;

/* A sheet of n x n cells. */
static cloth make_cloth(vo_context *ctx, double size, int n) {
    cloth c = {0};
    c.mesh = test_grid(ctx, size, size, n, n);
    c.factor = vo_new_array(ctx, double, c.mesh->face_count);
    c.bound = vo_new_array(ctx, vo_sym2, c.mesh->face_count);
    assert_non_null(c.factor);
    assert_non_null(c.bound);
    return c;
}

static void free_cloth(vo_context *ctx, cloth *c) {
    vo_free_array(ctx, c->factor, c->mesh->face_count);
    vo_free_array(ctx, c->bound, c->mesh->face_count);
    vo_mesh_destroy(c->mesh);
}

/* Rolls the sheet around the z axis into a tube with its front outside, height along z. */
static void roll_up(cloth *c, double size) {
    double radius = size / (2 * VO_PI) * 1.02;
    for (int i = 0; i < c->mesh->node_count; i++) {
        vo_vec3 p = c->mesh->node_x[i];
        double angle = p.x / radius;
        c->mesh->node_x[i] = v3(radius * cos(angle), radius * sin(angle), p.y);
    }
}

/* A crumpled sheet around the origin. */
static void crumple(cloth *c, double size, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    for (int i = 0; i < c->mesh->node_count; i++) {
        vo_vec3 p = c->mesh->node_x[i];
        double bump = 0.2 * sin(9 * p.x) * cos(7 * p.y) + vo_random_real(&r, -0.005, 0.005);
        c->mesh->node_x[i] = v3(p.x - size / 2, bump, p.y - size / 2);
    }
}

static vo_view_cloth looked_at(const cloth *c) {
    return (vo_view_cloth){.mesh = c->mesh, .factor = c->factor, .bound = c->bound};
}

/* Samples of a camera that orbits a point at a distance. */
static int orbit_camera(double distance, double angle, int count, double length,
                        vo_view_sample *s) {
    for (int i = 0; i < count; i++) {
        double a = angle * i / count;
        vo_vec3 at = v3(distance * sin(a), -distance * cos(a), 0.4);
        s[i] = (vo_view_sample){.ahead = length * i / count,
                                .camera = camera_at(at, v3(0.3, 0, 0), 0.2, 0.12)};
    }
    return count;
}

static vo_view_def view_def(void) {
    vo_view_def def = vo_view_def_default();
    def.screen.min_edge_pixels = 2;
    def.silhouette_threshold = INFINITY;
    return def;
}

static void update(vo_context *ctx, const vo_view_def *def, int eyes, const vo_viewpoint *eye,
                   int cloths, const vo_view_cloth *c, vo_view_report *report) {
    vo_view *view;
    assert_ok(ctx, vo_view_create(ctx, def, &view));
    assert_ok(ctx, vo_view_update(view, eyes, eye, cloths, c, 0, NULL, report));
    vo_view_destroy(view);
}

/* ---- results -------------------------------------------------------------------------------- */

/* Expected result of a single face from the scalar reference. */
static void expected_face(const vo_view_def *def, int count, const vo_frustum_sample *m,
                          const vo_view_cloth *c, int face) {
    vo_view_face f = vo_view_face_make(c->mesh, face);
    double factor = c->factor[face], largest = c->min_edge > 0 ? pow(c->min_edge, -2) : INFINITY;
    vo_sym2 bound = c->bound[face];
    f.two_sided = c->two_sided;
    vo_sym2 joined = {0};
    double nu = 0;
    bool any = false;
    for (int k = 0; k < count; k++) {
        vo_face_visibility s = vo_factor_eval_face(&def->factor, &m[k], &f);
        nu = vo_max(nu, m[k].weight * s.factor);
        if (!s.near_frame) continue;
        vo_sym2 b = screen_bound(&def->screen, &m[k], &f, &s);
        b = limit_bound(b, m[k].front_factor * m[k].front_factor * largest);
        b = sym2_scale(pow(m[k].weight * s.factor / m[k].front_factor, 2), b);
        joined = any ? join_bounds(joined, b) : b;
        any = true;
    }
    assert_near(factor, nu, 1e-15);
    if (!any) assert_true(isinf(bound.xx));
    if (any)
        assert_near(bound.xx + bound.yy, joined.xx + joined.yy, 1e-12 * (joined.xx + joined.yy));
    if (any) assert_near(bound.xy, joined.xy, 1e-12 * (joined.xx + joined.yy));
}

/* Clusters and SIMD lanes give the same result as single faces. */
static void cluster_equals_single_faces(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        vo_context *ctx = test_context(1);
        cloth c = make_cloth(ctx, 2, 37);
        crumple(&c, 2, 1);
        vo_view_sample s[8], light = {.camera = camera_at(v3(2, 2, 5), v3(0.8, 0, 0), 0.1, 0.1)};
        vo_view_def def = view_def();
        vo_viewpoint eye[2] = {{orbit_camera(kind < 3 ? 2 : 0.6, 0.5, 8, 0.2, s), s, 1},
                               {1, &light, 0.5}};
        vo_view_cloth looked = looked_at(&c);
        vo_view_report report;
        vo_frustum_sample m[9];
        looked.two_sided = kind == 1;
        looked.min_edge = kind == 2 ? 0.02 : kind == 3 ? 0.004 : 0;
        if (kind == 4) def.factor.margin = 0;
        if (kind == 5) def.screen.grazing = 0;
        update(ctx, &def, 2, eye, 1, &looked, &report);
        int moments = vo_frustum_samples_make(&eye[0], 0, def.window, m);
        moments += vo_frustum_samples_make(&eye[1], 1, def.window, m + moments);
        int out = 0, front = 0;
        for (int f = 0; f < c.mesh->face_count; f++) {
            expected_face(&def, moments, m, &looked, f);
            out += c.factor[f] == 0.01, front += c.factor[f] == 1;
        }
        assert_true(out > 100 && front > 100 && report.samples == moments);
        assert_true(report.faces == c.mesh->face_count && report.visible > front);
        free_cloth(ctx, &c);
        vo_context_destroy(ctx);
    }
}

/* nu(t) >= nu~(t); equal to the front factor for visible front faces. */
static void factor_is_at_least_current_factor(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 20);
    crumple(&c, 2, 2);
    vo_view_def def = view_def();
    def.silhouette_threshold = 0.25;
    for (int step = 0; step < 10; step++) {
        vo_view_sample s[6];
        vo_viewpoint eye = {orbit_camera(1 + 0.3 * step, 3, 6, 0.2, s), s, 1};
        vo_view_cloth looked = looked_at(&c);
        vo_viewpoint now = {1, s, 1};
        vo_frustum_sample m;
        update(ctx, &def, 1, &eye, 1, &looked, NULL);
        vo_frustum_samples_make(&now, 0, def.window, &m);
        for (int f = 0; f < c.mesh->face_count; f++) {
            vo_view_face face = vo_view_face_make(c.mesh, f);
            vo_face_visibility sight = vo_factor_eval_face(&def.factor, &m, &face);
            assert_true(c.factor[f] >= sight.factor);
            if (sight.factor == 1) assert_near(c.factor[f], 1, 0);
        }
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* At k times the distance with the same lens, edges are k times as long. */
static void bound_scales_with_distance(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth a = make_cloth(ctx, 0.01, 4), b = make_cloth(ctx, 0.01, 4);
    crumple(&a, 0.01, 3);
    crumple(&b, 0.01, 3);
    vo_view_def def = view_def();
    vo_view_sample near = {.camera = camera_at(v3(0, -4, 0), v3_zero(), 0.5, 0.3)};
    vo_view_sample far = {.camera = camera_at(v3(0, -12, 0), v3_zero(), 0.5, 0.3)};
    vo_viewpoint eye[2] = {{1, &near, 1}, {1, &far, 1}};
    vo_view_cloth looked[2] = {looked_at(&a), looked_at(&b)};
    update(ctx, &def, 1, &eye[0], 1, &looked[0], NULL);
    update(ctx, &def, 1, &eye[1], 1, &looked[1], NULL);
    for (int f = 0; f < a.mesh->face_count; f++) {
        double ratio = (a.bound[f].xx + a.bound[f].yy) / (b.bound[f].xx + b.bound[f].yy);
        assert_near(sqrt(ratio), 3, 0.1); /* the sheet is not exactly parallel to the image plane */
    }
    free_cloth(ctx, &a);
    free_cloth(ctx, &b);
    vo_context_destroy(ctx);
}

/* The minimum edge length limits the bound of very close faces. */
static void min_edge_limits_bound(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 10);
    crumple(&c, 1, 4);
    vo_view_def def = view_def();
    vo_view_sample s[2] = {{.camera = camera_at(v3(0, -90, 0), v3_zero(), 0.5, 0.3)},
                           {.ahead = 0.16, .cut = true}}; /* the second has a weight of 0.2 */
    s[1].camera = camera_at(v3(0, -0.5, 0), v3_zero(), 2, 2);
    vo_viewpoint eye = {2, s, 1};
    vo_view_cloth looked = looked_at(&c);
    looked.min_edge = 0.01;
    update(ctx, &def, 1, &eye, 1, &looked, NULL);
    for (int f = 0; f < c.mesh->face_count; f++) {
        double large = vo_sym2_eigen(c.bound[f]).lambda_max;
        assert_true(large <= 1e4 * 0.04 * 1.2 && large > 0); /* (0.2 / 0.01 m)^2 */
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* ---- silhouettes ---------------------------------------------------------------------------- */

static void silhouette_known_values(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = test_grid(ctx, 4, 1, 4, 1); /* a strip of 8 faces */
    double factor[8] = {1, 1, 1, 1, 0.2, 0.2, 0.2, 0.2};
    int raised = 0;
    for (int f = 0; f < 8; f++) {
        double nu = vo_silhouette_factor(mesh, 0.25, factor, f);
        bool next = false;
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 2; k++) {
                int other = mesh->edge_face[mesh->face_edge[f][e]][k];
                next = next || (other >= 0 && factor[other] == 1);
            }
        if (factor[f] == 1) assert_near(nu, 1, 0);
        if (factor[f] < 1) assert_near(nu, next ? 0.6 : 0.2, 1e-15);
        raised += nu == 0.6;
        assert_near(vo_silhouette_factor(mesh, 0.9, factor, f), factor[f], 0);
    }
    assert_int_equal(raised, 1);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* A tube has factors of 1 in front, 0.2 behind and 0.6 next to the outline, with bounds scaled
 * accordingly. */
static void silhouette_of_tube(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 40), plain = make_cloth(ctx, 2, 40);
    roll_up(&c, 2);
    roll_up(&plain, 2);
    vo_view_sample s = {.camera = camera_at(v3(5, -7, 1), v3(0, 0, 1), 0.5, 0.3)};
    vo_viewpoint eye = {1, &s, 1};
    vo_view_cloth looked = looked_at(&c), plainly = looked_at(&plain);
    vo_view_def def = view_def();
    update(ctx, &def, 1, &eye, 1, &plainly, NULL);
    def.silhouette_threshold = 0.25;
    update(ctx, &def, 1, &eye, 1, &looked, NULL);
    int count[3] = {0};
    for (int f = 0; f < c.mesh->face_count; f++) {
        int kind = c.factor[f] == 1 ? 0 : c.factor[f] == 0.2 ? 1 : 2;
        double s2 = pow(c.factor[f] / plain.factor[f], 2);
        count[kind]++;
        if (kind == 2) assert_near(c.factor[f], 0.6, 1e-15);
        assert_near(c.bound[f].xx, s2 * plain.bound[f].xx, 1e-9 * c.bound[f].xx);
    }
    assert_true(count[0] > 1000 && count[1] > 1000 && count[2] >= 80 && count[2] <= 170);
    free_cloth(ctx, &c);
    free_cloth(ctx, &plain);
    vo_context_destroy(ctx);
}

/* ---- invalid input -------------------------------------------------------------------------- */

static void no_viewpoint_gives_full_factor(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 3);
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    vo_view_sample s = {.camera = camera_at(v3(0, 0, 9), v3_zero(), 0.5, 0.3)};
    vo_viewpoint nobody[2] = {{0, NULL, 1}, {1, &s, 0}};
    for (int eyes = 0; eyes <= 2; eyes++) {
        update(ctx, &def, eyes, nobody, 1, &looked, NULL);
        for (int f = 0; f < c.mesh->face_count; f++)
            assert_true(c.factor[f] == 1 && isinf(c.bound[f].xx));
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* Positions that are not finite and zero settings give finite results. */
static void nonfinite_positions_give_full_factor(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 12);
    crumple(&c, 1, 5);
    vo_random r = vo_random_seed(6);
    double odd[] = {NAN, INFINITY, 1e300, 1e18};
    for (int i = 0; i < 30; i++)
        c.mesh->node_x[vo_random_int(&r, c.mesh->node_count)].y = odd[i % 4];
    vo_view_sample s[4];
    vo_viewpoint eye = {orbit_camera(1, 3, 4, 0.2, s), s, 1};
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    for (int zero = 0; zero < 2; zero++) {
        if (zero) def.factor = (vo_factor_def){0};
        update(ctx, &def, 1, &eye, 1, &looked, NULL);
        for (int f = 0; f < c.mesh->face_count; f++) {
            vo_vec3 n = vo_mesh_face_normal(c.mesh, f);
            assert_true(c.factor[f] > 0 && c.factor[f] <= 1);
            assert_true(isinf(c.bound[f].xx) || sym2_is_finite(c.bound[f]));
            if (!isfinite(n.x + n.y + n.z)) assert_near(c.factor[f], 1, 0);
        }
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* ---- threads, memory, time ------------------------------------------------------------------ */

static void result_is_independent_of_threads(void **state) {
    (void)state;
    double factor[4][800];
    vo_sym2 bound[4][800];
    for (int threads = 1; threads <= 4; threads++) {
        vo_context *ctx = test_context(threads);
        if (threads == 4) ctx->use_avx2 = false; /* nor does the instruction set */
        cloth c = make_cloth(ctx, 2, 20);
        crumple(&c, 2, 7);
        vo_view_sample s[9];
        vo_viewpoint eye = {orbit_camera(2, 1, 9, 0.2, s), s, 1};
        vo_view_cloth looked = looked_at(&c);
        vo_view_def def = view_def();
        def.silhouette_threshold = 0.25;
        update(ctx, &def, 1, &eye, 1, &looked, NULL);
        memcpy(factor[threads - 1], c.factor, sizeof factor[0]);
        memcpy(bound[threads - 1], c.bound, sizeof bound[0]);
        free_cloth(ctx, &c);
        vo_context_destroy(ctx);
    }
    for (int k = 1; k < 4; k++) {
        assert_memory_equal(factor[0], factor[k], sizeof factor[0]);
        assert_memory_equal(bound[0], bound[k], sizeof bound[0]);
    }
}

static void repeated_update_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    cloth c = make_cloth(ctx, 2, 20);
    vo_view_sample s[9];
    vo_viewpoint eye = {orbit_camera(2, 1, 9, 0.2, s), s, 1};
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    vo_view *view;
    assert_ok(ctx, vo_view_create(ctx, &def, &view));
    assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &looked, 0, NULL, NULL));
    long calls = memory.calls;
    for (int i = 0; i < 3; i++)
        assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &looked, 0, NULL, NULL));
    assert_int_equal(memory.calls, calls);
    vo_view_destroy(view);
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

static vo_result whole_update(vo_context *ctx, void *arg) {
    const vo_view_def *def = arg;
    double factor[32];
    vo_sym2 bound[32];
    vo_mesh *mesh = NULL;
    vo_view *view = NULL;
    vo_view_sample s[5];
    vo_viewpoint eye = {orbit_camera(2, 1, 5, 0.2, s), s, 1};
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 4, 4, &mesh);
    if (result == VO_OK) result = vo_view_create(ctx, def, &view);
    vo_view_cloth looked = {.mesh = mesh, .factor = factor, .bound = bound};
    vo_occluder hiding[2] = {{.mesh = mesh, .velocity = {1, 0, 0}}, {.mesh = NULL}};
    if (result == VO_OK) result = vo_view_update(view, 1, &eye, 1, &looked, 2, hiding, NULL);
    vo_view_destroy(view);
    vo_mesh_destroy(mesh);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_view_def def = view_def();
    test_every_allocation(whole_update, &def);
    def.occlusion = true, def.occlusion_falloff = 0.1;
    test_every_allocation(whole_update, &def);
}

/* 10,000 faces and 10 frustum samples: 3 ms on an idle machine. */
static void update_time_of_10000_faces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 71);
    crumple(&c, 2, 8);
    vo_view_sample s[10];
    vo_viewpoint eye = {orbit_camera(4, 0.3, 10, 0.2, s), s, 1};
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    vo_view *view;
    double best = 1;
    def.silhouette_threshold = 0.25;
    assert_ok(ctx, vo_view_create(ctx, &def, &view));
    for (int i = 0; i < 20; i++) {
        double start = test_seconds();
        assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &looked, 0, NULL, NULL));
        best = vo_min(best, test_seconds() - start);
    }
    printf("%d faces, 10 samples: %.2f ms\n", c.mesh->face_count, 1e3 * best);
    assert_true(best < 0.012 * TEST_SLOWNESS);
    vo_view_destroy(view);
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cluster_equals_single_faces),
        cmocka_unit_test(factor_is_at_least_current_factor),
        cmocka_unit_test(bound_scales_with_distance),
        cmocka_unit_test(min_edge_limits_bound),
        cmocka_unit_test(silhouette_known_values),
        cmocka_unit_test(silhouette_of_tube),
        cmocka_unit_test(no_viewpoint_gives_full_factor),
        cmocka_unit_test(nonfinite_positions_give_full_factor),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(repeated_update_allocates_nothing),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(update_time_of_10000_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
