/* Shapes of collision bodies: distances against sampled surfaces, hulls, compounds, validation. */
#include "support.h"

#include "rt/body/hull.h"
#include "rt_body_fixture.h"

static void create(vo_rt_body *body, rt_memory *memory, const vo_rt_body_def *def) {
    vo_allocator allocator = rt_allocator(memory);
    vo_rt_message message = {{0}};
    if (vo_rt_body_init(body, &allocator, def, &message) != VO_OK)
        fail_msg("body: %s", message.text);
    body->message = NULL;
}

static void destroy(vo_rt_body *body, rt_memory *memory) {
    vo_allocator allocator = {memory, rt_allocate, rt_release};
    vo_rt_body_free(body, &allocator);
    assert_int_equal(memory->live, 0);
}

/* --- Reference: the solid as a union of balls, or a box --------------------------------------- */

/* Signed distance by definition: convex hulls of two balls are unions of interpolated balls. */
static double round_distance(const vo_rt_shape *s, vo_rt_vec3 x) {
    enum { SAMPLES = 4000 };
    double best = 1e30, h = s->kind == VO_RT_SPHERE ? 0 : (double)s->half_height;
    double a = (double)s->radius, b = s->kind == VO_RT_TAPERED_CAPSULE ? (double)s->end_radius : a;
    for (int i = 0; i <= SAMPLES; i++) {
        double t = (double)i / SAMPLES, y = (double)x.y - h * (2 * t - 1);
        double d = sqrt((double)x.x * (double)x.x + y * y + (double)x.z * (double)x.z);
        best = fmin(best, d - (a + t * (b - a)));
    }
    return best;
}

static double box_reference(vo_rt_vec3 half, vo_rt_vec3 x) {
    double d[3] = {fabs((double)x.x) - (double)half.x, fabs((double)x.y) - (double)half.y,
                   fabs((double)x.z) - (double)half.z};
    double inside = fmax(d[0], fmax(d[1], d[2])), out = 0;
    for (int k = 0; k < 3; k++) out += d[k] > 0 ? d[k] * d[k] : 0;
    return inside < 0 ? inside : sqrt(out);
}

static float host_torus(void *user, vo_rt_vec3 p, vo_rt_vec3 *gradient) {
    (void)user;
    float r = sqrtf(p.x * p.x + p.z * p.z), d = sqrtf((r - 0.3f) * (r - 0.3f) + p.y * p.y);
    float s = r > 0 ? (r - 0.3f) / r : 0;
    *gradient = f3(p.x * s, p.y, p.z * s); /* not a unit vector */
    return d - 0.1f;
}

static double reference(const vo_rt_shape *s, vo_rt_vec3 x) {
    vo_rt_vec3 unused;
    switch (s->kind) {
    case VO_RT_PLANE:
        return (double)x.y;
    case VO_RT_BOX:
        return box_reference(s->half_extents, x);
    case VO_RT_DISTANCE:
        return (double)host_torus(NULL, x, &unused);
    default:
        return round_distance(s, x);
    }
}

static vo_rt_shape draw_shape(vo_random *r, vo_rt_shape_kind kind) {
    vo_rt_shape s = vo_rt_shape_default(kind);
    s.radius = rt_real(r, 0.02, 0.2);
    s.end_radius = rt_real(r, 0.02, 0.2);
    s.half_height = rt_real(r, 0, 0.3);
    s.half_extents = f3(rt_real(r, 0.05, 0.3), rt_real(r, 0.05, 0.3), rt_real(r, 0.05, 0.3));
    s.local.position = rt_point(r, 0.2);
    s.local.rotation = rt_rotation(r);
    s.distance = host_torus;
    return s;
}

/* One shape under a transform or a bone with scale. */
static void check_shape(vo_random *r, vo_rt_shape shape) {
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.bone_count = 1;
    def.transform.position = rt_point(r, 1);
    def.transform.rotation = rt_rotation(r);
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    float scale = shape.bone < 0 ? 1.0f : 1.3f;
    vo_rt_vec3 x[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, at = def.transform.position;
    for (int k = 0; k < 3; k++) x[k] = f3_scale(scale, fq_rotate(def.transform.rotation, x[k]));
    vo_rt_matrix bone = {
        {x[0].x, x[1].x, x[2].x, at.x, x[0].y, x[1].y, x[2].y, at.y, x[0].z, x[1].z, x[2].z, at.z}};
    vo_rt_body_set_bones(&body, 1, &bone);
    vo_rt_body_begin_step(&body, 0.01f);
    vo_rt_body_advance(&body, 1);
    for (int i = 0; i < 300; i++) {
        vo_rt_vec3 local = rt_point(r, 0.6);
        vo_rt_vec3 p = ft_apply(def.transform, f3_scale(scale, ft_apply(shape.local, local)));
        double d = (double)scale * reference(&shape, local), offset = (double)body.offset;
        vo_rt_surface_point q;
        assert_true(vo_rt_body_find_nearest(&body, true, p, 10, -1, &q));
        assert_near((double)q.distance + offset, d, 2e-5);
        assert_near((double)f3_length(q.normal), 1, 1e-5);
        if (fabs(d) > 1e-3) assert_int_equal(vo_rt_body_contains(&body, true, p), d < 0);
        vo_rt_surface_point on;
        if (d > 0 && vo_rt_body_find_nearest(&body, true, q.point, 10, -1, &on))
            assert_near((double)on.distance, 0, 2e-5);
        vo_rt_vec3 min, max;
        vo_rt_body_get_bounds(&body, &min, &max);
        if (d < offset - 1e-5)
            assert_true(p.x > min.x && p.y > min.y && p.z > min.z && p.x < max.x && p.y < max.y &&
                        p.z < max.z);
    }
    destroy(&body, &memory);
}

static void distances_equal_reference(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    static const vo_rt_shape_kind kinds[] = {VO_RT_SPHERE, VO_RT_CAPSULE, VO_RT_TAPERED_CAPSULE,
                                             VO_RT_PLANE,  VO_RT_BOX,     VO_RT_DISTANCE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < 6; i++) {
            vo_rt_shape shape = draw_shape(&r, kinds[k]);
            shape.bone = i % 2 ? 0 : -1;
            check_shape(&r, shape);
        }
}

static void casts_of_shapes_reach_the_shell(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int hits = 0, exits = 0;
    for (int i = 0; i < 600; i++) {
        vo_rt_shape shape = draw_shape(&r, (vo_rt_shape_kind)(i % 7 == VO_RT_HULL ? 0 : i % 7));
        shape.local = vo_rt_transform_identity();
        vo_rt_body_def def = vo_rt_body_def_default();
        def.shapes = &shape;
        def.shape_count = 1;
        vo_rt_body body;
        rt_memory memory;
        create(&body, &memory, &def);
        vo_rt_vec3 a = rt_point(&r, 0.7), b = rt_point(&r, 0.7);
        double offset = (double)body.offset, tolerance = i % 7 == VO_RT_DISTANCE ? 4e-3 : 2e-4;
        vo_rt_surface_point p;
        float t;
        bool found = vo_rt_body_cast(&body, true, a, b, &t, &p);
        double least = 1e30;
        enum { STEPS = 500 };
        for (int k = 0; k <= STEPS; k++) {
            double s = (double)k / STEPS, d = reference(&shape, f3_lerp(a, b, (float)s)) - offset;
            if (!found || s < (double)t) least = fmin(least, d);
        }
        if (reference(&shape, a) < offset - 1e-4) {
            assert_false(found);
            vo_rt_vec3 d = f3_normalize(rt_point(&r, 1));
            if (vo_rt_body_find_exit(&body, true, a, d, 3, &p)) {
                exits++;
                assert_near(reference(&shape, p.point), offset, tolerance);
            }
        } else if (found) {
            hits++;
            assert_true(least > -tolerance);
            assert_near(reference(&shape, f3_lerp(a, b, t)), offset, tolerance);
        } else {
            assert_true(least > -tolerance);
        }
        destroy(&body, &memory);
    }
    if (hits < 50 || exits < 15) fail_msg("only %d hits and %d exits", hits, exits);
}

/* --- Hulls ------------------------------------------------------------------------------------ */

/* Closed, all points below every face, all vertices among the points. */
static void check_hull(int count, const vo_rt_vec3 *points) {
    rt_memory memory;
    vo_allocator allocator = rt_allocator(&memory);
    vo_rt_hull hull;
    assert_int_equal(vo_rt_hull_build(&allocator, count, points, &hull), VO_OK);
    assert_int_equal(memory.live, 0);
    assert_int_equal(hull.triangle_count, 2 * hull.vertex_count - 4); /* Euler */
    for (int i = 0; i < hull.triangle_count; i++) {
        const int32_t *t = hull.triangle + 3 * i;
        rt_d3 a = rt_d(hull.vertex[t[0]]), b = rt_d(hull.vertex[t[1]]), c = rt_d(hull.vertex[t[2]]);
        rt_d3 n = rt_cross(rt_sub(b, a), rt_sub(c, a));
        double length = sqrt(rt_dot(n, n));
        assert_true(length > 0);
        for (int k = 0; k < count; k++)
            assert_true(rt_dot(n, rt_sub(rt_d(points[k]), a)) / length < 1e-3);
    }
}

static void hulls_contain_their_points(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    vo_rt_vec3 p[256];
    for (int trial = 0; trial < 60; trial++) {
        int count = 4 + vo_random_int(&r, 253);
        for (int i = 0; i < count; i++) {
            p[i] = rt_point(&r, 1);
            if (trial % 3 == 1) p[i] = f3_normalize(p[i]);
            if (trial % 3 == 2) /* a lattice: many coplanar and equal points */
                p[i] = f3(roundf(2 * p[i].x) / 2, roundf(2 * p[i].y) / 2, roundf(2 * p[i].z) / 2);
        }
        if (trial % 3 == 2)
            for (int k = 0; k < 4; k++) p[k] = f3(k == 1, k == 2, k == 3);
        check_hull(count, p);
    }
    for (int i = 0; i < 256; i++) p[i] = rt_point(&r, 1), p[i].y = 0.5f * p[i].x;
    vo_rt_hull hull;
    rt_memory memory;
    vo_allocator allocator = rt_allocator(&memory);
    assert_int_equal(vo_rt_hull_build(&allocator, 256, p, &hull), VO_BAD_ARGUMENT);
    for (int i = 0; i < 4; i++) p[i] = f3(1, 2, 3);
    assert_int_equal(vo_rt_hull_build(&allocator, 4, p, &hull), VO_BAD_ARGUMENT);
}

/* A hull of a box's corners has the distances of the box. */
static void hull_of_a_box_equals_the_box(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    vo_rt_vec3 half = f3(0.2f, 0.1f, 0.3f), p[8];
    for (int i = 0; i < 8; i++)
        p[i] = f3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_HULL);
    shape.points = p;
    shape.point_count = 8;
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    for (int i = 0; i < 500; i++) {
        vo_rt_vec3 x = rt_point(&r, 0.5);
        vo_rt_surface_point q;
        assert_true(vo_rt_body_find_nearest(&body, true, x, 10, -1, &q));
        assert_near((double)(q.distance + body.offset), box_reference(half, x), 1e-5);
    }
    destroy(&body, &memory);
}

/* --- Compounds, motion ------------------------------------------------------------------------ */

static void compounds_are_unions_of_moving_shapes(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    vo_rt_shape shapes[12];
    for (int i = 0; i < 12; i++) {
        shapes[i] = draw_shape(&r, (vo_rt_shape_kind)(i % 3));
        shapes[i].bone = i % 4 - 1;
    }
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = 12;
    def.bone_count = 3;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    vo_rt_matrix bones[3];
    for (int i = 0; i < 3; i++) {
        bones[i] = (vo_rt_matrix){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        bones[i].m[3] = 0.1f * (float)(i + 1);
    }
    vo_rt_body_set_bones(&body, 3, bones);
    vo_rt_body_begin_step(&body, 0.1f);
    vo_rt_body_advance(&body, 0.5f);
    for (int i = 0; i < 200; i++) {
        vo_rt_vec3 x = rt_point(&r, 0.6);
        double best = 1e30;
        int nearest = 0;
        for (int k = 0; k < 12; k++) {
            vo_rt_vec3 p = x;
            p.x -= 0.05f * (float)(shapes[k].bone + 1);
            double d = reference(&shapes[k], ft_apply_inverse(shapes[k].local, p));
            if (d < best) best = d, nearest = k;
        }
        vo_rt_surface_point q;
        assert_true(vo_rt_body_find_nearest(&body, true, x, 10, -1, &q));
        assert_near((double)(q.distance + body.offset), best, 2e-5);
        if (q.shape == nearest)
            assert_near((double)q.velocity.x, 1.0 * (shapes[nearest].bone + 1), 1e-3);
    }
    destroy(&body, &memory);
}

/* A rotating capsule: velocities are finite differences of material points. */
static void rotating_shapes_have_velocities(void **state) {
    (void)state;
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_CAPSULE);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.offset = 0;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    float angle = 0.1f;
    vo_rt_quat q = {sinf(angle / 2), 0, 0, cosf(angle / 2)};
    vo_rt_body_set_transform(&body, (vo_rt_transform){{0, 0, 0}, q});
    vo_rt_body_begin_step(&body, 0.01f);
    vo_rt_body_advance(&body, 0.5f);
    vo_rt_body_advance(&body, 1);
    vo_rt_surface_point p;
    assert_true(vo_rt_body_find_nearest(&body, true, fq_rotate(q, f3(0, 1, 0)), 10, -1, &p));
    /* the top (0, 0.2, 0) rotates about x by 0.1 rad in 0.01 s: 10 rad/s times 0.2 m */
    assert_near((double)f3_length(p.velocity), 2, 2e-3);
    assert_true(p.velocity.z > 1.9f);
    destroy(&body, &memory);
}

/* --- Validation ------------------------------------------------------------------------------- */

static void expect_failure(vo_rt_shape shape, const char *text) {
    rt_memory memory;
    vo_allocator allocator = rt_allocator(&memory);
    vo_rt_message message = {{0}};
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    vo_rt_body body;
    assert_int_equal(vo_rt_body_init(&body, &allocator, &def, &message), VO_BAD_ARGUMENT);
    if (!strstr(message.text, text)) fail_msg("\"%s\" lacks \"%s\"", message.text, text);
    assert_int_equal(memory.live, 0);
}

static void invalid_shapes_are_rejected(void **state) {
    (void)state;
    vo_rt_shape s = vo_rt_shape_default(VO_RT_SPHERE);
    s.radius = NAN;
    expect_failure(s, "shapes[0].radius: is");
    s = vo_rt_shape_default(VO_RT_TAPERED_CAPSULE);
    s.end_radius = 0;
    expect_failure(s, "shapes[0].end_radius: is 0");
    s = vo_rt_shape_default(VO_RT_CAPSULE);
    s.half_height = -1;
    expect_failure(s, "shapes[0].half_height: is -1");
    s = vo_rt_shape_default(VO_RT_BOX);
    s.half_extents.z = INFINITY;
    expect_failure(s, "shapes[0].half_extents.z");
    s = vo_rt_shape_default(VO_RT_SPHERE);
    s.bone = 0;
    expect_failure(s, "shapes[0].bone: is 0");
    s.bone = -1;
    s.kind = (vo_rt_shape_kind)99;
    expect_failure(s, "shapes[0].kind: is 99");
    s = vo_rt_shape_default(VO_RT_SPHERE);
    s.local.rotation = (vo_rt_quat){0, 0, 0, 0};
    expect_failure(s, "shapes[0].local");
    vo_rt_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    s = vo_rt_shape_default(VO_RT_HULL);
    expect_failure(s, "shapes[0].point_count: is 0");
    s.points = p;
    s.point_count = 4;
    expect_failure(s, "shapes[0].points: are in a plane");
    p[2].x = NAN;
    expect_failure(s, "shapes[0].points[2]");
    s = vo_rt_shape_default(VO_RT_DISTANCE);
    expect_failure(s, "shapes[0].distance: is NULL");
    s.distance = host_torus;
    s.max = s.min;
    expect_failure(s, "shapes[0].min");
}

static float broken_distance(void *user, vo_rt_vec3 p, vo_rt_vec3 *gradient) {
    (void)user;
    *gradient = f3(NAN, NAN, NAN);
    return p.x > 0 ? NAN : p.y;
}

/* Garbage from the host and degenerate bones give no contact rather than garbage. */
static void degenerate_inputs_are_harmless(void **state) {
    (void)state;
    vo_rt_shape shapes[2] = {vo_rt_shape_default(VO_RT_DISTANCE),
                             vo_rt_shape_default(VO_RT_SPHERE)};
    shapes[0].distance = broken_distance;
    shapes[1].bone = 0;
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = 2;
    def.bone_count = 1;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    vo_rt_matrix zero = {{0}};
    assert_int_equal(vo_rt_body_set_bones(&body, 1, &zero), VO_OK); /* a hidden bone */
    vo_rt_body_begin_step(&body, 0.01f);
    vo_rt_body_advance(&body, 1);
    vo_rt_surface_point q;
    assert_false(vo_rt_body_find_nearest(&body, true, f3(0.5f, 0, 0), 10, -1, &q));
    assert_true(vo_rt_body_find_nearest(&body, true, f3(-0.5f, 0.1f, 0), 10, -1, &q));
    assert_true(f3_is_finite(q.point) && f3_is_finite(q.normal) && f3_is_finite(q.velocity));
    destroy(&body, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_equal_reference),
        cmocka_unit_test(casts_of_shapes_reach_the_shell),
        cmocka_unit_test(hulls_contain_their_points),
        cmocka_unit_test(hull_of_a_box_equals_the_box),
        cmocka_unit_test(compounds_are_unions_of_moving_shapes),
        cmocka_unit_test(rotating_shapes_have_velocities),
        cmocka_unit_test(invalid_shapes_are_rejected),
        cmocka_unit_test(degenerate_inputs_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
