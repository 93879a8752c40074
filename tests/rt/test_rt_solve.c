/* Tests of the real-time solver: analytic motions, stretch, bending, conservation. */
#include "rt_sheet.h"

#include <math.h>

static void remove_gravity(rt_sheet *s) {
    s->def.gravity = f3(0, 0, 0);
    s->def.fabric.damping = 0;
}

static void scramble(rt_sheet *s, double size, double speed, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    for (int i = 1; i < s->front.vertex_end; i++) {
        float *x = &s->front.position[i].x, *v = &s->front.velocity[i].x;
        for (int k = 0; k < 3; k++) x[k] += (float)vo_random_real(&r, -size, size);
        for (int k = 0; k < 3; k++) v[k] += (float)vo_random_real(&r, -speed, speed);
    }
}

typedef struct momenta {
    vo_rt_vec3 linear, angular;
    double magnitude; /* sum of m |v| */
} momenta;

static momenta measure_momenta(const rt_sheet *s) {
    momenta m = {0};
    for (int i = 1; i < s->front.vertex_end; i++) {
        vo_rt_vec3 x = f4_xyz(s->front.position[i]);
        vo_rt_vec3 p = f3_scale(s->front.mass[i], f4_xyz(s->front.velocity[i]));
        m.linear = f3_add(m.linear, p);
        m.angular = f3_add(m.angular, f3_cross(x, p));
        m.magnitude += f3_length(p);
    }
    return m;
}

/* Internal forces of a deformed free sheet conserve linear and angular momentum. */
static void check_conservation(vo_rt_solver solver) {
    rt_sheet *s = rt_sheet_create(12, 9, 0.4f, 0.3f);
    remove_gravity(s);
    s->def.solver = solver;
    s->def.fabric.bend_stiffness = 1e-3f;
    scramble(s, 0.004, 0.5, 7);
    momenta before = measure_momenta(s);
    rt_sheet_run(s, 0.5f);
    momenta after = measure_momenta(s);
    assert_true(after.magnitude > 0.01 * before.magnitude);
    assert_near(f3_distance(before.linear, after.linear), 0, 2e-4 * before.magnitude);
    /* Projections at predicted positions conserve angular momentum to the first order of h. */
    assert_near(f3_distance(before.angular, after.angular), 0, 4e-3 * before.magnitude);
    rt_sheet_destroy(s);
}

static void test_xpbd_conserves_momentum(void **state) {
    (void)state;
    check_conservation(VO_RT_SOLVER_XPBD);
}

static void test_verlet_conserves_momentum(void **state) {
    (void)state;
    check_conservation(VO_RT_SOLVER_VERLET);
}

/* y = -g t^2 / 2 and v = -g t without damping; v = -g / d (1 - exp(-d t)) with it. */
static void check_free_fall(float damping) {
    rt_sheet *s = rt_sheet_create(4, 4, 0.2f, 0.2f);
    s->def.fabric.damping = damping;
    double d = damping, g = 9.81, t = 0.5;
    float y = rt_sheet_position(s, 2, 2).y;
    rt_sheet_run(s, (float)t);
    double speed = d > 0 ? g / d * (1 - exp(-d * t)) : g * t;
    double depth = d > 0 ? g / d * (t - (1 - exp(-d * t)) / d) : g * t * t / 2;
    assert_near(-s->front.velocity[rt_sheet_slot(s, 2, 2)].y, speed, 0.01 * speed);
    assert_near(y - rt_sheet_position(s, 2, 2).y, depth, 0.01 * depth);
    assert_near(vo_rt_solve_stretch(&s->front, 1), 0, 1e-3);
    rt_sheet_destroy(s);
}

static void test_free_fall_is_analytic(void **state) {
    (void)state;
    check_free_fall(0);
    check_free_fall(2);
}

/* The fictitious acceleration of the frame cancels gravity. */
static void test_frame_acceleration_adds_to_gravity(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(4, 4, 0.2f, 0.2f);
    s->def.frame_acceleration = f3(0, 9.81f, 0);
    rt_sheet_run(s, 0.2f);
    assert_near(rt_sheet_step(s).max_speed, 0, 1e-4);
    rt_sheet_destroy(s);
}

/* Largest 99th percentile of the elongation after the first half second. */
static float measure_stretch(rt_sheet *s, float seconds) {
    float worst = 0;
    rt_sheet_run(s, 0.5f);
    for (int i = 0; i < (int)(seconds / s->def.dt); i++) {
        assert_true(rt_sheet_step(s).is_finite);
        worst = f_max(worst, vo_rt_solve_stretch(&s->front, 0.99f));
    }
    return worst;
}

static void check_hanging(int cells, int substeps, int tether_spacing, float max_stretch) {
    rt_sheet *s = rt_sheet_create(cells, cells, 1, 1);
    s->def.substeps = substeps;
    rt_sheet_attach_row(s, 0);
    if (tether_spacing) rt_sheet_add_tethers(s, tether_spacing, 1.02f);
    float stretch = measure_stretch(s, 1.5f);
    if (!(stretch < max_stretch))
        fail_msg("%d rows, %d substeps: stretch %g", cells, substeps, (double)stretch);
    float bottom = rt_sheet_position(s, cells / 2, cells).y;
    assert_true(bottom < -0.99f && bottom > -1 - max_stretch);
    rt_sheet_destroy(s);
}

static void test_hanging_sheet_keeps_its_length(void **state) {
    (void)state;
    check_hanging(33, 4, 0, 0.05f);
    check_hanging(33, 8, 0, 0.05f);
    check_hanging(56, 4, 0, 0.05f);
    check_hanging(56, 4, 8, 0.05f);
}

/* Without other resistance the limit alone bounds the elongation. */
static void test_stretch_limit_holds_soft_cloth(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(6, 10, 0.3f, 0.5f);
    s->def.fabric.stretch_compliance = 1; /* 1 N/m: gravity alone would double its length */
    s->def.stretch_limit = 0.1f;
    s->def.substeps = 8;
    rt_sheet_attach_row(s, 0);
    rt_sheet_run(s, 3);
    float stretch = vo_rt_solve_stretch(&s->front, 1);
    assert_true(stretch > 0.05f && stretch < 0.1f);
    rt_sheet_destroy(s);
}

/* Elongation of a hanging strip: weight below / width * compliance, at any resolution. */
static void check_compliance(int rows) {
    rt_sheet *s = rt_sheet_create(rows / 2, rows, 0.2f, 0.4f);
    float compliance = 0.01f, load = 0.2f * 9.81f * 0.4f; /* N per metre of width, at the top */
    s->def.fabric.stretch_compliance = compliance;
    s->def.substeps = 16;
    s->def.fabric.damping = 5;
    rt_sheet_attach_row(s, 0);
    rt_sheet_run(s, 4);
    float elongation = -rt_sheet_position(s, rows / 4, rows).y - 0.4f;
    float expected = 0.5f * load * compliance * 0.4f;
    /* Diagonals share the load, so the sheet is stiffer than its vertical springs. */
    assert_true(elongation > 0.4f * expected && elongation < 1.1f * expected);
    rt_sheet_destroy(s);
}

static void test_compliance_does_not_depend_on_resolution(void **state) {
    (void)state;
    check_compliance(8);
    check_compliance(16);
}

/* A narrow strip swings about its attached end. Physical pendulum: T = 2 pi sqrt(2 L / (3 g)). */
static void test_pendulum_has_its_period(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(1, 1, 0.5f, 0.02f); /* a rigid bar: one cell */
    s->def.fabric.damping = 0;
    s->def.substeps = 8;
    /* Concentrated masses at the far end, 0.5 m from the axis x = 0 along z. */
    rt_sheet_attach(s, rt_sheet_slot(s, 0, 0), 1);
    rt_sheet_attach(s, rt_sheet_slot(s, 0, 1), 1);
    s->def.gravity = f3(9.81f, 0, 0); /* down is +x */
    for (int j = 0; j < 2; j++) {     /* deflect by 0.1 rad */
        vo_rt_vec4 *x = &s->front.position[rt_sheet_slot(s, 1, j)];
        x->z = 0.5f * sinf(0.1f), x->x = 0.5f * cosf(0.1f);
    }
    int slot = rt_sheet_slot(s, 1, 0), crossings = 0;
    float first = 0, last = 0, time = 0, z = s->front.position[slot].z;
    for (int i = 0; i < 1200; i++) {
        assert_true(rt_sheet_step(s).is_finite);
        float next = s->front.position[slot].z;
        float t = time + s->def.dt * z / (z - next);
        time += s->def.dt;
        if ((z > 0) != (next > 0)) {
            if (crossings++ == 0) first = t;
            last = t;
        }
        z = next;
    }
    assert_true(crossings > 4);
    float period = 2 * (last - first) / (float)(crossings - 1);
    float expected = 2 * 3.14159265f * sqrtf(0.5f / 9.81f);
    assert_near(period, expected, 0.01 * expected);
    rt_sheet_destroy(s);
}

/* Mean deflection of the free end of a clamped strip of 0.1 m, in a field that bends a plate of
 * stiffness `plate` by 5 mm: w = rho g L^4 / (8 D). */
static float measure_deflection(int cells, float stiffness, float plate) {
    int clamped = cells / 5;
    rt_sheet *s = rt_sheet_create(cells + clamped, 2 * clamped, 0.12f, 0.02f * 2);
    s->def.fabric.bend_stiffness = stiffness;
    s->def.fabric.damping = 2;
    s->def.gravity = f3(0, 0, -8 * plate * 0.005f / (0.1f * 0.1f * 0.1f * 0.1f) / 0.2f);
    for (int j = 0; j <= s->rows; j++)
        for (int i = 0; i <= clamped; i++) rt_sheet_attach(s, rt_sheet_slot(s, i, j), 1);
    rt_sheet_run(s, 12);
    float sum = 0;
    for (int i = 0; i < 480; i++) {
        rt_sheet_step(s);
        sum -= rt_sheet_position(s, s->columns, clamped).z;
    }
    rt_sheet_destroy(s);
    return sum / 480;
}

static void test_clamped_strip_bends_like_a_beam(void **state) {
    (void)state;
    static const float stiffness[] = {2e-6f, 2e-5f};
    for (int k = 0; k < 2; k++) {
        float coarse = measure_deflection(5, stiffness[k], stiffness[k]);
        float fine = measure_deflection(10, stiffness[k], stiffness[k]);
        assert_near(coarse, 0.005, 0.0025);
        assert_near(fine, 0.005, 0.0025);
        assert_near(fine / coarse, 1, 0.4);
    }
    float soft = measure_deflection(5, 1e-5f, 2e-5f), medium = measure_deflection(5, 2e-5f, 2e-5f);
    float stiff = measure_deflection(5, 8e-5f, 2e-5f);
    assert_true(soft > 1.4f * medium && medium > 2 * stiff && stiff > 0);
}

/* Deflects until the bend angles are the rest angles. */
static void test_rest_angle_is_reached(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        rt_sheet *s = rt_sheet_create(1, 1, 0.1f, 0.1f);
        remove_gravity(s);
        s->def.fabric.damping = 5;
        s->def.fabric.bend_stiffness = 1e-3f;
        s->front.bends[0].rest[0] = (float)sign * 1.0f;
        vo_rt_bend_group *g = &s->front.bends[0];
        rt_sheet_run(s, 3);
        vo_rt_vec3 a = f4_xyz(s->front.position[g->a[0]]), b = f4_xyz(s->front.position[g->b[0]]);
        vo_rt_vec3 c = f4_xyz(s->front.position[g->c[0]]), d = f4_xyz(s->front.position[g->d[0]]);
        vo_rt_vec3 n1 = f3_normalize(f3_cross(f3_sub(b, a), f3_sub(c, a)));
        vo_rt_vec3 n2 = f3_normalize(f3_cross(f3_sub(a, b), f3_sub(d, b)));
        assert_near(f3_dot(n1, n2), cos(1), 0.02);
        float cosine[VO_RT_LANES];
        s->front.bend_cosine = cosine;
        vo_rt_solve_bend_cosines(&s->front);
        assert_near(cosine[0], f3_dot(n1, n2), 1e-5);
        assert_near(cosine[1], 1, 0); /* unused */
        /* Positive: the opposite vertices rise on the side of the normals. */
        assert_true(f3_dot(n1, f3_sub(d, a)) * (float)sign > 0);
        rt_sheet_destroy(s);
    }
}

/* A folded sheet opens, and neither flat nor folded states produce anything that is not finite. */
static void test_folded_sheet_opens(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(1, 1, 0.1f, 0.1f);
    remove_gravity(s);
    s->def.fabric.damping = 3;
    s->def.fabric.bend_stiffness = 1e-3f;
    vo_rt_bend_group *g = &s->front.bends[0];
    s->front.position[g->d[0]] = s->front.position[g->c[0]];
    s->front.position[g->d[0]].z += 0.001f;
    rt_sheet_run(s, 4);
    vo_rt_vec3 c = f4_xyz(s->front.position[g->c[0]]), d = f4_xyz(s->front.position[g->d[0]]);
    assert_near(f3_distance(c, d), 0.1f * sqrtf(2), 0.01);
    rt_sheet_destroy(s);
}

static void test_normals_of_a_flat_sheet(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(5, 7, 0.2f, 0.3f);
    vo_rt_solve_normals(&s->front);
    for (int i = 1; i < s->front.vertex_end; i++) {
        assert_near(s->front.normal[i].z, 1, 1e-6);
        assert_near(s->front.normal[i].x, 0, 1e-6);
    }
    rt_sheet_destroy(s);
}

static void test_stretch_percentiles(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(10, 10, 1, 1);
    assert_near(vo_rt_solve_stretch(&s->front, 0.99f), 0, 1e-3);
    for (int i = 1; i < s->front.vertex_end; i++) s->front.position[i].y *= 1.2f;
    /* A third of the springs is horizontal, a third vertical (20 %), the rest diagonal. */
    assert_near(vo_rt_solve_stretch(&s->front, 0.2f), 0, 1e-3);
    assert_near(vo_rt_solve_stretch(&s->front, 0.5f), sqrt((1 + 1.44) / 2) - 1, 2e-3);
    assert_near(vo_rt_solve_stretch(&s->front, 0.99f), 0.2, 2e-3);
    for (int i = 1; i < s->front.vertex_end; i++) s->front.position[i].y *= 3;
    assert_near(vo_rt_solve_stretch(&s->front, 1), 2.6, 1e-3);
    for (int i = 1; i < s->front.vertex_end; i++)
        s->front.position[i] = f4_make(f3_scale(0.1f, f4_xyz(s->front.position[i])), 0);
    assert_true(vo_rt_solve_stretch(&s->front, 1) == 0);
    rt_sheet_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xpbd_conserves_momentum),
        cmocka_unit_test(test_verlet_conserves_momentum),
        cmocka_unit_test(test_free_fall_is_analytic),
        cmocka_unit_test(test_frame_acceleration_adds_to_gravity),
        cmocka_unit_test(test_hanging_sheet_keeps_its_length),
        cmocka_unit_test(test_stretch_limit_holds_soft_cloth),
        cmocka_unit_test(test_compliance_does_not_depend_on_resolution),
        cmocka_unit_test(test_pendulum_has_its_period),
        cmocka_unit_test(test_clamped_strip_bends_like_a_beam),
        cmocka_unit_test(test_rest_angle_is_reached),
        cmocka_unit_test(test_folded_sheet_opens),
        cmocka_unit_test(test_normals_of_a_flat_sheet),
        cmocka_unit_test(test_stretch_percentiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
