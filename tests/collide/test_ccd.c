/* CCD: no collision is missed, few are invented, for any input. */
#include "ccd_cases.h"

#include "collide/distance.h"

#include <float.h>

static double distance_at(const ccd_case *c, double t) {
    vo_vec3 x[4];
    points_at(c, t, x);
    return sqrt(c->edges ? vo_distance_edge_edge(x[0], x[1], x[2], x[3]).squared
                         : vo_distance_vertex_face(x[0], x[1], x[2], x[3]).squared);
}

/* Asserts a collision at this time. */
static void expect_at(const ccd_case *c, double expected, double tolerance) {
    double time = -1;
    assert_true(ccd_query(NULL, c, &time));
    assert_near(time, expected, tolerance);
    assert_true(time <= expected);
}

static void expect_free(const ccd_case *c) {
    double time = -1;
    assert_false(ccd_query(NULL, c, &time));
    assert_true(time == 1);
}

/* ---- against sampling ---- */

enum { SAMPLES = 400, RANDOM_CASES = 4000 };

/* Returns the volume of the four points: 0 if they are coplanar. */
static double volume_at(const ccd_case *c, double t) {
    vo_vec3 x[4];
    points_at(c, t, x);
    vo_vec3 n = c->edges ? v3_cross(v3_sub(x[1], x[0]), v3_sub(x[3], x[2]))
                         : v3_cross(v3_sub(x[2], x[1]), v3_sub(x[3], x[1]));
    return v3_dot(n, v3_sub(x[2], x[0]));
}

/* Finds the coplanar time between two samples, by bisection. */
static double coplanar_time(const ccd_case *c, double low, double high) {
    bool sign = volume_at(c, low) > 0;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if ((volume_at(c, middle) > 0) == sign)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Returns the first contact found by sampling, 2 if none; *nearest receives the smallest sampled
 * distance. */
static double sampled_contact(const ccd_case *c, double *nearest) {
    double first = 2, before = volume_at(c, 0);
    *nearest = distance_at(c, 0);
    for (int i = 1; i <= SAMPLES && first > 1; i++) {
        double t = (double)i / SAMPLES, now = volume_at(c, t);
        *nearest = fmin(*nearest, distance_at(c, t));
        if ((now > 0) != (before > 0)) {
            double time_found = coplanar_time(c, t - 1.0 / SAMPLES, t);
            if (distance_at(c, time_found) < 1e-12) first = time_found;
        }
        before = now;
    }
    return first;
}

/* Contacts are found at their time, within 1e-9 for generic queries. */
static void random_contacts_match_sampling(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int contacts = 0;
    for (int i = 0; i < RANDOM_CASES; i++) {
        ccd_case c = random_case(&r, i % 2, 0.2 + i % 5);
        double nearest, time, expected = sampled_contact(&c, &nearest);
        bool touch = ccd_query(NULL, &c, &time);
        if (expected <= 1) {
            contacts++;
            assert_true(touch);
            assert_true(time <= expected + 1e-12);
            assert_true(time >= expected - 1e-9);
        } else if (nearest > 0.05) {
            assert_false(touch);
        }
        if (touch) assert_true(distance_at(&c, time) < 1e-9);
    }
    assert_in_range(contacts, RANDOM_CASES / 20, RANDOM_CASES / 2);
}

/* With a min_gap_ratio, the requested fraction of the gap remains, and not much more. */
static void min_gap_ratio_is_respected(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int stops = 0;
    for (int i = 0; i < RANDOM_CASES; i++) {
        ccd_case c = random_case(&r, i % 2, 1);
        vo_ccd_def def = vo_ccd_def_default();
        def.thickness = i % 3 * 0.01;
        def.min_gap_ratio = 0.1;
        double time, nearest, gap = distance_at(&c, 0) - def.thickness;
        bool touch = ccd_query(&def, &c, &time);
        if (gap <= 0) {
            assert_true(touch && time == 0);
            continue;
        }
        if (sampled_contact(&c, &nearest) <= 1) assert_true(touch);
        if (!touch) {
            assert_true(nearest >= def.thickness + 0.1 * gap - 1e-12);
            continue;
        }
        double left = distance_at(&c, time) - def.thickness;
        stops++;
        assert_true(left >= 0.1 * gap - 1e-12);
        assert_true(left <= 0.2 * gap + 1e-12);
    }
    assert_in_range(stops, RANDOM_CASES / 20, RANDOM_CASES);
}

/* With a thickness and few steps, the result is never later than the sampled contact. */
static void few_steps_are_conservative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int i = 0; i < RANDOM_CASES / 4; i++) {
        ccd_case c = random_case(&r, i % 2, 1);
        vo_ccd_def def = {0.05, 0, 1 + i % 7};
        double time;
        bool touch = ccd_query(&def, &c, &time);
        for (int k = 0; k <= SAMPLES; k++) {
            double t = (double)k / SAMPLES;
            if (distance_at(&c, t) < 0.05 - 1e-12) assert_true(touch && time <= t);
        }
    }
}

/* ---- exact ---- */

typedef struct whole3 {
    int64_t x, y, z;
} whole3;

static whole3 w_sub(whole3 a, whole3 b) { return (whole3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static int64_t w_dot(whole3 a, whole3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static whole3 w_cross(whole3 a, whole3 b) {
    return (whole3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static bool w_zero(whole3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static bool on_segment(whole3 p, whole3 a, whole3 b) {
    whole3 pa = w_sub(a, p), pb = w_sub(b, p);
    return w_zero(w_cross(pa, pb)) && w_dot(pa, pb) <= 0;
}

static bool in_face(whole3 p, whole3 a, whole3 b, whole3 c) {
    if (on_segment(p, a, b) || on_segment(p, b, c) || on_segment(p, c, a)) return true;
    whole3 n = w_cross(w_sub(b, a), w_sub(c, a));
    whole3 pa = w_sub(a, p), pb = w_sub(b, p), pc = w_sub(c, p);
    return !w_zero(n) && w_dot(n, pa) == 0 && w_dot(n, w_cross(pa, pb)) >= 0 &&
           w_dot(n, w_cross(pb, pc)) >= 0 && w_dot(n, w_cross(pc, pa)) >= 0;
}

static bool edges_meet(whole3 a, whole3 b, whole3 c, whole3 d) {
    if (on_segment(a, c, d) || on_segment(b, c, d) || on_segment(c, a, b) || on_segment(d, a, b))
        return true;
    whole3 u = w_sub(b, a), v = w_sub(d, c), r = w_sub(c, a), n = w_cross(u, v);
    int64_t s = w_dot(w_cross(r, v), n), t = w_dot(w_cross(r, u), n), n2 = w_dot(n, n);
    return n2 > 0 && w_dot(n, r) == 0 && s >= 0 && s <= n2 && t >= 0 && t <= n2;
}

/* Returns true if the features touch at time k / parts, for lattice points, in exact arithmetic. */
static bool touch_at(const ccd_case *c, int k, int parts) {
    whole3 x[4];
    for (int i = 0; i < 4; i++) {
        vo_vec3 p = v3_add(v3_scale(parts - k, c->start[i]), v3_scale(k, c->end[i]));
        x[i] = (whole3){(int64_t)p.x, (int64_t)p.y, (int64_t)p.z};
    }
    return c->edges ? edges_meet(x[0], x[1], x[2], x[3]) : in_face(x[0], x[1], x[2], x[3]);
}

/* Degenerate queries: contacts at rational times are found, and not later. */
static void lattice_contacts_are_found(void **state) {
    (void)state;
    enum { PARTS = 24, LATTICE_CASES = 40000 };
    vo_random r = vo_random_seed(4);
    int touching = 0, free = 0;
    for (int i = 0; i < LATTICE_CASES; i++) {
        ccd_case c = lattice_case(&r, i % 2, 1 + i % 3);
        double time;
        bool touch = ccd_query(NULL, &c, &time);
        free += !touch;
        for (int k = 0; k <= PARTS; k++) {
            if (!touch_at(&c, k, PARTS)) continue;
            assert_true(touch);
            assert_true(time * PARTS <= k);
            touching++;
            break;
        }
    }
    assert_true(touching > LATTICE_CASES / 10 && free > LATTICE_CASES / 10);
}

/* ---- symmetries ---- */

static void swap_points(ccd_case *c, int i, int j) {
    vo_vec3 start = c->start[i], end = c->end[i];
    c->start[i] = c->start[j], c->end[i] = c->end[j];
    c->start[j] = start, c->end[j] = end;
}

/* Returns the same query with permuted points. */
static ccd_case relabelled(ccd_case c, int permutation) {
    if (!c.edges) {
        if (permutation & 1) swap_points(&c, 1, 2);
        if (permutation & 2) swap_points(&c, 2, 3);
        return c;
    }
    if (permutation & 1) swap_points(&c, 0, 1);
    if (permutation & 2) swap_points(&c, 2, 3);
    if (permutation & 4) swap_points(&c, 0, 2), swap_points(&c, 1, 3);
    return c;
}

static void permuted_points_give_same_time(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    for (int i = 0; i < RANDOM_CASES; i++) {
        ccd_case c = random_case(&r, i % 2, 1), other = relabelled(c, 1 + i % 7);
        double time, other_time;
        assert_int_equal(ccd_query(NULL, &c, &time), ccd_query(NULL, &other, &other_time));
        assert_near(time, other_time, 1e-9);
    }
}

/* Translated by 1e8 units, moving together, scaled up or down: bit-identical results. Coordinates
 * are multiples of 2^-20, so that the translation does not round. */
static void translated_queries_are_bit_identical(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    vo_vec3 offset = v3(1e8, -1e8, 3e7), drift = v3(-5e7, 2e8, 1e8);
    for (int i = 0; i < RANDOM_CASES; i++) {
        ccd_case c = {.edges = i % 2}, moved = c, scaled = c;
        double scale = ldexp(1, i % 4 < 2 ? 400 : -400);
        for (int k = 0; k < 4; k++) {
            c.start[k] = v3_scale(0x1p-20, lattice_point(&r, 1 << 20));
            c.end[k] = v3_scale(0x1p-20, lattice_point(&r, 1 << 20));
            moved.start[k] = v3_add(c.start[k], offset);
            moved.end[k] = v3_add(c.end[k], drift);
            scaled.start[k] = v3_scale(scale, c.start[k]);
            scaled.end[k] = v3_scale(scale, c.end[k]);
        }
        double time, other;
        bool touch = ccd_query(NULL, &c, &time);
        assert_int_equal(ccd_query(NULL, &moved, &other), touch);
        assert_memory_equal(&time, &other, sizeof time);
        assert_int_equal(ccd_query(NULL, &scaled, &other), touch);
        assert_memory_equal(&time, &other, sizeof time);
    }
}

/* ---- single cases ---- */

static const ccd_case falling = {
    false,
    {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
};

static const ccd_case crossing = {
    true,
    {{-1, 0, 0}, {1, 0, 0}, {0, -1, 3}, {0, 1, 3}},
    {{-1, 0, 0}, {1, 0, 0}, {0, -1, -1}, {0, 1, -1}},
};

static void simple_contacts_have_exact_times(void **state) {
    (void)state;
    expect_at(&falling, 0.5, 1e-14);
    expect_at(&crossing, 0.75, 1e-14);
    vo_ccd_def thick = vo_ccd_def_default();
    thick.thickness = 0.5;
    double time;
    assert_true(ccd_query(&thick, &falling, &time));
    assert_near(time, 0.25, 1e-14);
    assert_true(time <= 0.25);
    assert_true(vo_ccd_vertex_face(NULL, falling.start, falling.end, NULL));
}

/* The vertex arrives at time 1 exactly, or stays at a tiny distance. */
static void contact_at_end_is_found(void **state) {
    (void)state;
    ccd_case c = falling;
    c.end[0].z = 0;
    expect_at(&c, 1, 1e-14);
    c.end[0].z = 1e-14;
    expect_free(&c);
    c.end[0].z = 1e-300;
    expect_free(&c);
}

/* Nothing moves. */
static void static_features_are_tested(void **state) {
    (void)state;
    ccd_case c = falling;
    memcpy(c.end, c.start, sizeof c.end);
    expect_free(&c);
    c.start[0].z = c.end[0].z = 1e-12;
    expect_free(&c);
    c.start[0].z = c.end[0].z = 0;
    expect_at(&c, 0, 0);
    c = crossing;
    memcpy(c.end, c.start, sizeof c.end);
    expect_free(&c);
}

/* Features in contact at the start are contacts, even if they separate. */
static void initial_contact_has_time_zero(void **state) {
    (void)state;
    ccd_case c = falling;
    c.start[0].z = 0, c.end[0].z = 1;
    expect_at(&c, 0, 0);
    c = crossing;
    c.start[2].z = c.start[3].z = 0, c.end[2].z = c.end[3].z = 1;
    expect_at(&c, 0, 0);
    vo_ccd_def thick = vo_ccd_def_default();
    thick.thickness = 1;
    double time;
    assert_true(ccd_query(&thick, &falling, &time));
    assert_true(time == 0);
}

/* Sliding at a tiny distance is decided immediately. */
static void sliding_is_free(void **state) {
    (void)state;
    ccd_case c = falling;
    c.start[0] = v3(-5, 0.25, 1e-9), c.end[0] = v3(5, 0.25, 1e-9);
    expect_free(&c);
    c.start[0].z = c.end[0].z = 0; /* in the plane, into the side */
    expect_at(&c, 0.5, 1e-13);
    c.start[0].y = c.end[0].y = -1e-9; /* in the plane, past it */
    expect_free(&c);
}

static void parallel_edges_are_handled(void **state) {
    (void)state;
    ccd_case c = {true,
                  {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {1.5, 1, 0}},
                  {{0, 0, 0}, {1, 0, 0}, {0.5, -1, 0}, {1.5, -1, 0}}};
    expect_at(&c, 0.5, 1e-14);
    ccd_case beside = c; /* on the same line, one behind the other */
    for (int k = 2; k < 4; k++) beside.start[k].y = 0, beside.end[k].y = 0;
    beside.start[2].x = 3, beside.start[3].x = 4, beside.end[2].x = 1.5, beside.end[3].x = 2.5;
    expect_free(&beside);
    beside.end[2].x = 0, beside.end[3].x = 1;
    expect_at(&beside, 2.0 / 3, 1e-14);
}

/* Faces that are lines or points, edges that are points. */
static void degenerate_features_are_handled(void **state) {
    (void)state;
    ccd_case c = falling;
    c.start[3] = c.end[3] = v3(0.5, 0, 0); /* a line, hit and missed */
    expect_free(&c);
    c.start[0].y = c.end[0].y = 0;
    expect_at(&c, 0.5, 1e-13);
    for (int k = 1; k < 4; k++) c.start[k] = c.end[k] = v3(0.25, 0, 0); /* a point */
    expect_at(&c, 0.5, 1e-13);
    for (int k = 1; k < 4; k++) c.start[k] = c.end[k] = v3(0.25, 1e-9, 0);
    expect_free(&c);
    c.edges = true; /* a point against a degenerate edge */
    for (int k = 0; k < 2; k++) c.start[k] = v3(0, 0, 1), c.end[k] = v3(0, 0, -1);
    for (int k = 2; k < 4; k++) c.start[k] = v3(1, 0, 0), c.end[k] = v3(-1, 0, 0);
    expect_at(&c, 0.5, 1e-13);
    ccd_case same = {false};
    expect_at(&same, 0, 0);
}

/* Motions by one unit in the last place. */
static void tiny_motions_are_resolved(void **state) {
    (void)state;
    ccd_case c = falling;
    c.start[0].z = DBL_EPSILON, c.end[0].z = 0;
    expect_at(&c, 1, 1e-12);
    c.end[0].z = DBL_EPSILON / 2;
    expect_free(&c);
}

/* Undecidable queries are contacts at time 0. */
static void non_finite_input_is_contact(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 8; k++) {
            ccd_case c = k % 2 ? falling : crossing;
            (k < 4 ? &c.start[k] : &c.end[k - 4])->y = bad[i];
            expect_at(&c, 0, 0);
        }
    ccd_case c = falling;
    c.start[0].x = DBL_MAX, c.start[1].x = -DBL_MAX;
    expect_at(&c, 0, 0);
}

static void invalid_definition_is_contact(void **state) {
    (void)state;
    const vo_ccd_def bad[] = {{-1, 0, 9},  {NAN, 0, 9}, {0, -1, 9}, {0, 0.6, 9},
                              {0, NAN, 9}, {0, 0, 0},   {0, 0, -3}, {INFINITY, 0, 9}};
    ccd_case c = falling;
    memcpy(c.end, c.start, sizeof c.end); /* free of contact with a valid definition */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double time = -1;
        assert_true(ccd_query(&bad[i], &c, &time));
        assert_true(time == 0);
    }
}

/* Values of any magnitude: a deterministic result in [0, 1]. */
static void any_values_give_deterministic_result(void **state) {
    (void)state;
    static const double values[] = {0,      -0.0,  1,        -1,    1e-308,      5e-324,
                                    1e-160, 1e150, -1e300,   1e308, DBL_EPSILON, 1 + DBL_EPSILON,
                                    0.1,    1e8,   -1e8 - 1, NAN,   INFINITY};
    enum { VALUES = sizeof values / sizeof values[0] };
    vo_random r = vo_random_seed(7);
    for (int i = 0; i < 100000; i++) {
        ccd_case c = {.edges = i % 2};
        int choice = i % 3 ? VALUES - 2 : VALUES;
        for (int k = 0; k < 4; k++) {
            c.start[k] = v3(values[vo_random_int(&r, choice)], values[vo_random_int(&r, choice)],
                            values[vo_random_int(&r, choice)]);
            c.end[k] = v3(values[vo_random_int(&r, choice)], values[vo_random_int(&r, choice)],
                          values[vo_random_int(&r, choice)]);
        }
        double time = -1, again = -1;
        bool touch = ccd_query(NULL, &c, &time);
        assert_int_equal(ccd_query(NULL, &c, &again), touch);
        assert_memory_equal(&time, &again, sizeof time);
        assert_true(touch ? time >= 0 && time < 1 : time == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_contacts_match_sampling),
        cmocka_unit_test(min_gap_ratio_is_respected),
        cmocka_unit_test(few_steps_are_conservative),
        cmocka_unit_test(lattice_contacts_are_found),
        cmocka_unit_test(permuted_points_give_same_time),
        cmocka_unit_test(translated_queries_are_bit_identical),
        cmocka_unit_test(simple_contacts_have_exact_times),
        cmocka_unit_test(contact_at_end_is_found),
        cmocka_unit_test(static_features_are_tested),
        cmocka_unit_test(initial_contact_has_time_zero),
        cmocka_unit_test(sliding_is_free),
        cmocka_unit_test(parallel_edges_are_handled),
        cmocka_unit_test(degenerate_features_are_handled),
        cmocka_unit_test(tiny_motions_are_resolved),
        cmocka_unit_test(non_finite_input_is_contact),
        cmocka_unit_test(invalid_definition_is_contact),
        cmocka_unit_test(any_values_give_deterministic_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
