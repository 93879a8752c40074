/* Tests of the budget control on a model of a mesh: convergence, stability and limits. */
#include "support.h"

#include "view/budget.h"

/* Model of a mesh: `rest` faces are independent of l, `visible` faces at l = 1 with at most
 * `finest`. It approaches its target by a fraction per frame, and the estimate has an error factor
 * that is learned. */
typedef struct plant {
    double rest, seen, finest, follow, off, faces;
} plant;

static double faces_at(const plant *p, double l) {
    return p->rest + vo_min(p->seen / (l * l), p->finest);
}

static double expected(void *arg, double l) {
    const plant *p = arg;
    return p->off * faces_at(p, l);
}

static double settle(const vo_budget_def *def, plant *p, double l, int frames) {
    for (int i = 0; i < frames; i++) {
        l = vo_budget_next_pixels(def, l, p->faces, p->faces * 2e-5, expected, p);
        p->faces += p->follow * (faces_at(p, l) - p->faces);
        p->off = p->faces / faces_at(p, l);
    }
    return l;
}

/* The face target is met at once, also when new cloth becomes visible. */
static void face_target_is_met_at_once(void **state) {
    (void)state;
    for (double wanted = 6000; wanted < 50000; wanted *= 1.7) {
        vo_budget_def def = vo_budget_def_default();
        plant p = {.rest = 3000, .seen = 100000, .finest = 60000, .follow = 1, .off = 1};
        def.faces = wanted;
        double l = settle(&def, &p, 0, 1);
        assert_true(p.faces <= wanted && p.faces >= 0.93 * wanted);
        assert_near(settle(&def, &p, l, 3), l, 0); /* no change at rest */
        for (int frame = 0; frame < 50; frame++) {
            p.seen = 1e5 * (1.5 + sin(0.4 * frame));
            l = settle(&def, &p, l, 1);
            assert_true(p.faces <= wanted);
        }
    }
}

static void time_target_is_met(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    for (int i = 0; i < 3; i++) {
        plant p = {.rest = 1000, .seen = 80000, .finest = 1e9, .follow = 0.5, .off = 0.7 + 0.3 * i};
        def.faces = 0, def.seconds = 0.2; /* 10,000 faces */
        settle(&def, &p, 0, 80);
        assert_near(p.faces / 10000, 0.97, 0.06);
        def.faces = 5000; /* the smaller target applies */
        settle(&def, &p, 3, 80);
        assert_near(p.faces / 5000, 0.97, 0.06);
    }
}

/* l falls back step by step when the character moves away, not below its minimum. */
static void limits_of_l_are_respected(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.rest = 0, .seen = 100000, .finest = 1e9, .follow = 1, .off = 1};
    def.faces = 10000, def.min_pixels = 2;
    double l = settle(&def, &p, 0, 1);
    assert_true(l > 3);
    p.seen = 1000;
    assert_near(settle(&def, &p, l, 1), l / def.max_step, 1e-12);
    l = settle(&def, &p, l, 80);
    assert_near(l, 2, 0);
    p.rest = 1e6; /* cannot be met */
    assert_near(settle(&def, &p, l, 1), def.max_pixels, 0);
}

static void excess_is_relative_to_target(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    assert_near(vo_budget_excess(&def, 1e6, 1e6), 0, 0);
    def.faces = 1000;
    assert_near(vo_budget_excess(&def, 1000, 1e6), 0, 0);
    assert_near(vo_budget_excess(&def, 1010, 1e6), 0.01, 1e-12);
    assert_near(vo_budget_excess(&def, 10, 1e6), 0, 0);
    def.seconds = 2;
    assert_near(vo_budget_excess(&def, 1010, 3), 0.5, 1e-12);
    assert_near(vo_budget_excess(&def, 1010, NAN), 0.01, 1e-12);
}

/* The larger relative excess is reported: seconds, not a small excess of faces. */
static void larger_excess_is_reported(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    def.faces = 1000;
    assert_true(vo_budget_is_face_bound(&def, 1500, 9));
    def.seconds = 2;
    assert_false(vo_budget_is_face_bound(&def, 1010, 4));
    assert_false(vo_budget_is_face_bound(&def, 1500, 4));
    assert_true(vo_budget_is_face_bound(&def, 1500, 2.1));
    assert_true(vo_budget_is_face_bound(&def, 1500, NAN));
    def.faces = 0;
    assert_false(vo_budget_is_face_bound(&def, 1500, 4));
}

/* A single slow frame has a limited effect. */
static void slow_frame_has_limited_effect(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.rest = 900, .seen = 100, .finest = 1e9, .off = 1};
    def.seconds = 1;
    assert_near(vo_budget_next_pixels(&def, 4, 1000, 50, expected, &p), 4 * def.max_step, 1e-12);
    assert_near(vo_budget_next_pixels(&def, 4, 1000, 0.01, expected, &p), 4 / def.max_step, 1e-12);
    assert_near(vo_budget_next_pixels(&def, 4, 1000, 0.97, expected, &p), 4 / def.max_step, 1e-12);
    p.faces = faces_at(&p, 4);
    assert_near(vo_budget_next_pixels(&def, 4, p.faces, 0.97, expected, &p), 4, 0);
}

/* Spare time does not limit new faces. */
static void spare_time_allows_growth(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.rest = 0, .seen = 40000, .finest = 1e9, .off = 1};
    def.min_pixels = 2;
    for (def.seconds = 100; def.seconds < 1e16; def.seconds *= 100) /* 10,000 faces after 1,000 */
        assert_near(vo_budget_next_pixels(&def, 2, 1000, 1, expected, &p), 2, 0);
    def.seconds = 2; /* here for 1,516 */
    assert_true(vo_budget_next_pixels(&def, 2, 1000, 1, expected, &p) > 2);
}

static void no_target_or_measurement_keeps_l(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.seen = 1e5, .finest = 1e9, .off = 1};
    assert_near(vo_budget_next_pixels(&def, 5, 1000, 1, expected, &p), 5, 0);
    assert_near(vo_budget_next_pixels(&def, 0, 1000, 1, expected, &p), def.min_pixels, 0);
    def.seconds = 1;
    double odd[] = {NAN, INFINITY, -1, 0};
    for (int i = 0; i < 4; i++) {
        assert_near(vo_budget_next_pixels(&def, 5, 1000, odd[i], expected, &p), 5, 0);
        assert_near(vo_budget_next_pixels(&def, 5, odd[i], 1, expected, &p), 5, 0);
        double l = vo_budget_next_pixels(&def, odd[i], 1000, 1, expected, &p);
        assert_true(l >= def.min_pixels && l <= def.max_pixels);
    }
    def.faces = 1000;
    assert_near(expected(&p, vo_budget_next_pixels(&def, 5, NAN, NAN, expected, &p)), 970, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(face_target_is_met_at_once),
        cmocka_unit_test(time_target_is_met),
        cmocka_unit_test(slow_frame_has_limited_effect),
        cmocka_unit_test(limits_of_l_are_respected),
        cmocka_unit_test(excess_is_relative_to_target),
        cmocka_unit_test(larger_excess_is_reported),
        cmocka_unit_test(spare_time_allows_growth),
        cmocka_unit_test(no_target_or_measurement_keeps_l),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
