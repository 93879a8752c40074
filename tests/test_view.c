/* The view of whole cloths: clusters against single faces, silhouettes, several eyes, any number of
 * threads, memory and time. */
#include "support.h"

#include "core/memory.h"
#include "remesh/metric.h"
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
    assert_ok(ctx, vo_mesh_create_grid(ctx, size, size, n, n, &c.mesh));
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

/* Wound around the z axis into a tube with its front outside, height along z. */
static void wind(cloth *c, double size) {
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

/* Samples of a camera that goes around a point at a distance. */
static int go_around(double distance, double angle, int count, double length, vo_view_sample *s) {
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
    def.screen.pixels = 2;
    def.silhouette = INFINITY;
    return def;
}

static void update(vo_context *ctx, const vo_view_def *def, int eyes, const vo_view_eye *eye,
                   int cloths, const vo_view_cloth *c, vo_view_report *report) {
    vo_view *view;
    assert_ok(ctx, vo_view_create(ctx, def, &view));
    assert_ok(ctx, vo_view_update(view, eyes, eye, cloths, c, 0, NULL, report));
    vo_view_destroy(view);
}

/* ---- results -------------------------------------------------------------------------------- */

/* A face on its own, by the parts that are tested on their own. */
static void expect_face(const vo_view_def *def, int count, const vo_moment *m,
                        const vo_view_cloth *c, int face) {
    vo_view_face f = vo_view_face_make(c->mesh, face);
    double factor = c->factor[face], largest = c->finest > 0 ? pow(c->finest, -2) : INFINITY;
    vo_sym2 bound = c->bound[face];
    f.two_sided = c->two_sided;
    vo_sym2 joined = {0};
    double nu = 0;
    bool any = false;
    for (int k = 0; k < count; k++) {
        vo_sight s = vo_factor_look(&def->factor, &m[k], &f);
        nu = vo_max(nu, m[k].weight * s.factor);
        if (!s.near) continue;
        vo_sym2 b = vo_screen_bound(&def->screen, &m[k], &f, &s);
        b = vo_screen_limit(b, m[k].front * m[k].front * largest);
        b = sym2_scale(pow(m[k].weight * s.factor / m[k].front, 2), b);
        joined = any ? vo_screen_join(joined, b) : b;
        any = true;
    }
    assert_near(factor, nu, 1e-15);
    if (!any) assert_true(isinf(bound.xx));
    if (any)
        assert_near(bound.xx + bound.yy, joined.xx + joined.yy, 1e-12 * (joined.xx + joined.yy));
    if (any) assert_near(bound.xy, joined.xy, 1e-12 * (joined.xx + joined.yy));
}

/* Clusters and lanes save work and change nothing. */
static void clusters_are_faces(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        vo_context *ctx = test_context(1);
        cloth c = make_cloth(ctx, 2, 37);
        crumple(&c, 2, 1);
        vo_view_sample s[8], light = {.camera = camera_at(v3(2, 2, 5), v3(0.8, 0, 0), 0.1, 0.1)};
        vo_view_def def = view_def();
        vo_view_eye eye[2] = {{go_around(kind < 3 ? 2 : 0.6, 0.5, 8, 0.2, s), s, 1},
                              {1, &light, 0.5}};
        vo_view_cloth looked = looked_at(&c);
        vo_view_report report;
        vo_moment m[9];
        looked.two_sided = kind == 1;
        looked.finest = kind == 2 ? 0.02 : kind == 3 ? 0.004 : 0;
        if (kind == 4) def.factor.margin = 0;
        if (kind == 5) def.screen.grazing = 0;
        update(ctx, &def, 2, eye, 1, &looked, &report);
        int moments = vo_moments_make(&eye[0], 0, def.window, m);
        moments += vo_moments_make(&eye[1], 1, def.window, m + moments);
        int out = 0, front = 0;
        for (int f = 0; f < c.mesh->face_count; f++) {
            expect_face(&def, moments, m, &looked, f);
            out += c.factor[f] == 0.01, front += c.factor[f] == 1;
        }
        assert_true(out > 100 && front > 100 && report.moments == moments);
        assert_true(report.faces == c.mesh->face_count && report.seen > front);
        free_cloth(ctx, &c);
        vo_context_destroy(ctx);
    }
}

/* nu(t) >= nu~(t); in frame and from the front it is front. */
static void never_below_now(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 20);
    crumple(&c, 2, 2);
    vo_view_def def = view_def();
    def.silhouette = 0.25;
    for (int step = 0; step < 10; step++) {
        vo_view_sample s[6];
        vo_view_eye eye = {go_around(1 + 0.3 * step, 3, 6, 0.2, s), s, 1};
        vo_view_cloth looked = looked_at(&c);
        vo_view_eye now = {1, s, 1};
        vo_moment m;
        update(ctx, &def, 1, &eye, 1, &looked, NULL);
        vo_moments_make(&now, 0, def.window, &m);
        for (int f = 0; f < c.mesh->face_count; f++) {
            vo_view_face face = vo_view_face_make(c.mesh, f);
            vo_sight sight = vo_factor_look(&def.factor, &m, &face);
            assert_true(c.factor[f] >= sight.factor);
            if (sight.factor == 1) assert_near(c.factor[f], 1, 0);
        }
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* From k times as far, with a lens k times as long less: edges k times as long. */
static void distance_coarsens(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth a = make_cloth(ctx, 0.01, 4), b = make_cloth(ctx, 0.01, 4);
    crumple(&a, 0.01, 3);
    crumple(&b, 0.01, 3);
    vo_view_def def = view_def();
    vo_view_sample near = {.camera = camera_at(v3(0, -4, 0), v3_zero(), 0.5, 0.3)};
    vo_view_sample far = {.camera = camera_at(v3(0, -12, 0), v3_zero(), 0.5, 0.3)};
    vo_view_eye eye[2] = {{1, &near, 1}, {1, &far, 1}};
    vo_view_cloth looked[2] = {looked_at(&a), looked_at(&b)};
    update(ctx, &def, 1, &eye[0], 1, &looked[0], NULL);
    update(ctx, &def, 1, &eye[1], 1, &looked[1], NULL);
    for (int f = 0; f < a.mesh->face_count; f++) {
        double ratio = (a.bound[f].xx + a.bound[f].yy) / (b.bound[f].xx + b.bound[f].yy);
        assert_near(sqrt(ratio), 3, 0.1); /* the sheet is not quite flat to the camera */
    }
    free_cloth(ctx, &a);
    free_cloth(ctx, &b);
    vo_context_destroy(ctx);
}

/* The finest edge of the cloth keeps what is seen from next to it within reason. */
static void finest_edges_bound(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 10);
    crumple(&c, 1, 4);
    vo_view_def def = view_def();
    vo_view_sample s[2] = {{.camera = camera_at(v3(0, -90, 0), v3_zero(), 0.5, 0.3)},
                           {.ahead = 0.16, .cut = true}}; /* the second has a weight of 0.2 */
    s[1].camera = camera_at(v3(0, -0.5, 0), v3_zero(), 2, 2);
    vo_view_eye eye = {2, s, 1};
    vo_view_cloth looked = looked_at(&c);
    looked.finest = 0.01;
    update(ctx, &def, 1, &eye, 1, &looked, NULL);
    for (int f = 0; f < c.mesh->face_count; f++) {
        double large = vo_sym2_eigen(c.bound[f]).large;
        assert_true(large <= 1e4 * 0.04 * 1.2 && large > 0); /* (0.2 / 0.01 m)^2 */
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* ---- silhouettes ---------------------------------------------------------------------------- */

static void silhouettes_by_hand(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create_grid(ctx, 4, 1, 4, 1, &mesh)); /* a strip of 8 faces */
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

/* Around a tube: factors of 1 in front, 0.2 behind, 0.6 next to the outline, bounds with them. */
static void outline_of_a_tube(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 40), plain = make_cloth(ctx, 2, 40);
    wind(&c, 2);
    wind(&plain, 2);
    vo_view_sample s = {.camera = camera_at(v3(5, -7, 1), v3(0, 0, 1), 0.5, 0.3)};
    vo_view_eye eye = {1, &s, 1};
    vo_view_cloth looked = looked_at(&c), plainly = looked_at(&plain);
    vo_view_def def = view_def();
    update(ctx, &def, 1, &eye, 1, &plainly, NULL);
    def.silhouette = 0.25;
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

/* ---- odd calls ------------------------------------------------------------------------------ */

static void without_eyes_all_is_seen(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 3);
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    vo_view_sample s = {.camera = camera_at(v3(0, 0, 9), v3_zero(), 0.5, 0.3)};
    vo_view_eye nobody[2] = {{0, NULL, 1}, {1, &s, 0}};
    for (int eyes = 0; eyes <= 2; eyes++) {
        update(ctx, &def, eyes, nobody, 1, &looked, NULL);
        for (int f = 0; f < c.mesh->face_count; f++)
            assert_true(c.factor[f] == 1 && isinf(c.bound[f].xx));
    }
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

/* Nodes that are nowhere, and settings of zero, make no result that is not a number. */
static void nowhere_counts_as_seen(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 1, 12);
    crumple(&c, 1, 5);
    vo_random r = vo_random_seed(6);
    double odd[] = {NAN, INFINITY, 1e300, 1e18};
    for (int i = 0; i < 30; i++)
        c.mesh->node_x[vo_random_int(&r, c.mesh->node_count)].y = odd[i % 4];
    vo_view_sample s[4];
    vo_view_eye eye = {go_around(1, 3, 4, 0.2, s), s, 1};
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

static void threads_make_no_difference(void **state) {
    (void)state;
    double factor[4][800];
    vo_sym2 bound[4][800];
    for (int threads = 1; threads <= 4; threads++) {
        vo_context *ctx = test_context(threads);
        if (threads == 4) ctx->use_avx2 = false; /* nor do instructions */
        cloth c = make_cloth(ctx, 2, 20);
        crumple(&c, 2, 7);
        vo_view_sample s[9];
        vo_view_eye eye = {go_around(2, 1, 9, 0.2, s), s, 1};
        vo_view_cloth looked = looked_at(&c);
        vo_view_def def = view_def();
        def.silhouette = 0.25;
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

static void no_memory_after_warming_up(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    cloth c = make_cloth(ctx, 2, 20);
    vo_view_sample s[9];
    vo_view_eye eye = {go_around(2, 1, 9, 0.2, s), s, 1};
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
    vo_view_eye eye = {go_around(2, 1, 5, 0.2, s), s, 1};
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 4, 4, &mesh);
    if (result == VO_OK) result = vo_view_create(ctx, def, &view);
    vo_view_cloth looked = {.mesh = mesh, .factor = factor, .bound = bound};
    vo_hiding hiding[2] = {{.mesh = mesh, .velocity = {1, 0, 0}}, {.mesh = NULL}};
    if (result == VO_OK) result = vo_view_update(view, 1, &eye, 1, &looked, 2, hiding, NULL);
    vo_view_destroy(view);
    vo_mesh_destroy(mesh);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    vo_view_def def = view_def();
    test_every_allocation(whole_update, &def);
    def.occlusion = true, def.fringe = 0.1;
    test_every_allocation(whole_update, &def);
}

/* 10,000 faces from 10 moments: 3 ms on a quiet machine. */
static void ten_thousand_faces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    cloth c = make_cloth(ctx, 2, 71);
    crumple(&c, 2, 8);
    vo_view_sample s[10];
    vo_view_eye eye = {go_around(4, 0.3, 10, 0.2, s), s, 1};
    vo_view_cloth looked = looked_at(&c);
    vo_view_def def = view_def();
    vo_view *view;
    double best = 1;
    def.silhouette = 0.25;
    assert_ok(ctx, vo_view_create(ctx, &def, &view));
    for (int i = 0; i < 20; i++) {
        double start = test_seconds();
        assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &looked, 0, NULL, NULL));
        best = vo_min(best, test_seconds() - start);
    }
    printf("%d faces, 10 moments: %.2f ms\n", c.mesh->face_count, 1e3 * best);
    assert_true(best < 0.012 * TEST_SLOWNESS);
    vo_view_destroy(view);
    free_cloth(ctx, &c);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_faces),         cmocka_unit_test(never_below_now),
        cmocka_unit_test(distance_coarsens),          cmocka_unit_test(finest_edges_bound),
        cmocka_unit_test(silhouettes_by_hand),        cmocka_unit_test(outline_of_a_tube),
        cmocka_unit_test(without_eyes_all_is_seen),   cmocka_unit_test(nowhere_counts_as_seen),
        cmocka_unit_test(threads_make_no_difference), cmocka_unit_test(no_memory_after_warming_up),
        cmocka_unit_test(every_allocation_may_fail),  cmocka_unit_test(ten_thousand_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
