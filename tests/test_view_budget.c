/* The budget on a model of a mesh: it settles, stays, and asks for no more than it is given. */
#include "support.h"

#include "view/budget.h"

/* A mesh: `rest` faces that the screen does not decide, `seen` faces at l = 1 with at most `finest`
 * of them, and a part of the way to what is asked for each frame. */
typedef struct plant {
    double rest, seen, finest, follow, faces;
} plant;

static void run_frame(plant *p, double l) {
    double wanted = p->rest + vo_min(p->seen / (l * l), p->finest);
    p->faces += p->follow * (wanted - p->faces);
}

static double settle(const vo_budget_def *def, plant *p, double l, int frames) {
    for (int i = 0; i < frames; i++) {
        run_frame(p, l);
        l = vo_budget_next(def, l, p->faces, p->faces * 2e-5);
    }
    return l;
}

static void faces_are_held(void **state) {
    (void)state;
    double follow[] = {1, 0.6, 0.3}, wanted[] = {6000, 20000, 45000};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            vo_budget_def def = vo_budget_def_default();
            plant p = {.rest = 3000, .seen = 100000, .finest = 60000, .follow = follow[i]};
            def.faces = wanted[k];
            double l = settle(&def, &p, 0, 80);
            assert_near(p.faces / def.faces, 1, 0.06);
            for (int frame = 0; frame < 100; frame++) { /* it stays, and soon nothing changes */
                double next = settle(&def, &p, l, 1);
                assert_near(p.faces / def.faces, 1, 0.06);
                if (frame > 60) assert_near(next, l, 0);
                l = next;
            }
        }
}

static void seconds_are_held(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.rest = 1000, .seen = 80000, .finest = 1e9, .follow = 0.5};
    def.seconds = 0.2; /* 10,000 faces */
    settle(&def, &p, 0, 80);
    assert_near(p.faces / 10000, 1, 0.06);
    def.faces = 5000; /* the one that asks for less counts */
    settle(&def, &p, 3, 80);
    assert_near(p.faces / 5000, 1, 0.06);
}

/* Steps back to a fine mesh when the figure walks away, and no finer than the user asked for. */
static void limits_are_kept(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    plant p = {.rest = 0, .seen = 100000, .finest = 1e9, .follow = 1};
    def.faces = 10000, def.pixels = 2;
    double l = settle(&def, &p, 0, 80);
    assert_true(l > 3);
    p.seen = 1000;
    l = settle(&def, &p, l, 80);
    assert_near(l, 2, 0);
    p.rest = 1e6; /* cannot be met */
    l = settle(&def, &p, l, 200);
    assert_near(l, def.pixels_most, 0);
    double before = 4;
    double next = vo_budget_next(&def, before, 1e12, 0);
    assert_near(next, before * def.step, 1e-12);
    next = vo_budget_next(&def, before, 1, 0);
    assert_near(next, before / def.step, 1e-12);
}

static void excess_is_relative(void **state) {
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

/* A few faces too many, which are left alone, are not what a frame is blamed for that takes twice
 * the seconds. */
static void the_larger_load_is_named(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    def.faces = 1000;
    assert_true(vo_budget_is_of_faces(&def, 1500, 9));
    def.seconds = 2;
    assert_false(vo_budget_is_of_faces(&def, 1010, 4));
    assert_false(vo_budget_is_of_faces(&def, 1500, 4));
    assert_true(vo_budget_is_of_faces(&def, 1500, 2.1));
    assert_true(vo_budget_is_of_faces(&def, 1500, NAN));
    def.faces = 0;
    assert_false(vo_budget_is_of_faces(&def, 1500, 4));
}

static void nothing_wanted_or_known(void **state) {
    (void)state;
    vo_budget_def def = vo_budget_def_default();
    assert_near(vo_budget_next(&def, 5, 1000, 1), 5, 0);
    assert_near(vo_budget_next(&def, 0, 1000, 1), def.pixels, 0);
    def.faces = 100;
    double odd[] = {NAN, INFINITY, -1, 0};
    for (int i = 0; i < 4; i++) {
        assert_near(vo_budget_next(&def, 5, odd[i], 1), 5, 0);
        double l = vo_budget_next(&def, odd[i], 100, 1);
        assert_true(l >= def.pixels && l <= def.pixels_most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_held),           cmocka_unit_test(seconds_are_held),
        cmocka_unit_test(limits_are_kept),          cmocka_unit_test(excess_is_relative),
        cmocka_unit_test(the_larger_load_is_named), cmocka_unit_test(nothing_wanted_or_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
