/* Tests of fabrics from definitions and solids, measured stiffness and its table, and plate
 * rigidities by direction and curvature. */
#include "support.h"

#include "core/random.h"
#include "material/measured.h"

#include <string.h>

static void moduli_give_plane_stress(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric_def def = vo_fabric_def_default();
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    vo_stiffness stiffness = vo_fabric_stiffness(fabric, (vo_sym2){0.1, 0.2, 0.3});
    const double *c = stiffness.c;
    double guu = 0.01, gvv = -def.poisson * guu; /* pull along U, V free */
    assert_near(c[1] * guu + c[2] * gvv, 0, 1e-12);
    assert_near(c[0] * guu + c[1] * gvv, def.young_warp * guu, 1e-12);
    gvv = 0.01;
    guu = -c[1] / c[0] * gvv; /* pull along V, U free */
    assert_near(c[1] * guu + c[2] * gvv, def.young_weft * gvv, 1e-12);
    assert_near(c[3], def.shear, 0);
    assert_near(fabric->density, def.density, 0);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

static void invalid_member_is_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const vo_fabric_def good = vo_fabric_def_default();
    vo_fabric_def def = good;
    struct {
        double *field;
        const char *name;
        double wrong[4];
    } cases[] = {{&def.density, "density", {0, -1, NAN, INFINITY}},
                 {&def.young_warp, "young_warp", {-1, NAN, INFINITY, 1e13}},
                 {&def.young_weft, "young_weft", {-1, NAN, INFINITY, 1e13}},
                 {&def.poisson, "poisson", {-0.1, 1.2, NAN, INFINITY}},
                 {&def.shear, "shear", {-1, NAN, INFINITY, 1e13}},
                 {&def.bend_warp, "bend_warp", {-1, NAN, INFINITY, 1e13}},
                 {&def.bend_weft, "bend_weft", {-1, NAN, INFINITY, 1e13}},
                 {&def.bend_bias, "bend_bias", {-1, NAN, INFINITY, 1e13}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int k = 0; k < 4; k++) {
            vo_fabric *fabric;
            def = good;
            *cases[n].field = cases[n].wrong[k];
            assert_int_equal(vo_fabric_create(ctx, &def, &fabric), VO_BAD_DATA);
            assert_null(fabric);
            assert_message_contains(ctx, cases[n].name);
        }
    vo_context_destroy(ctx);
}

static void zero_stiffness_is_valid(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric_def def = {.density = 0.1};
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    for (int k = 0; k < 4; k++) assert_true(fabric->linear.c[k] == 0);
    vo_fabric_destroy(fabric);
    def.poisson = 0.1;
    assert_int_equal(vo_fabric_create(ctx, &def, &fabric), VO_BAD_DATA);
    vo_context_destroy(ctx);
}

static void solid_gives_isotropic_sheet(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_solid solid = {
        .thickness = 2e-4, .density = 1000, .elastic_modulus = 1e6, .poisson_ratio = 0.3};
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_from_solid(ctx, &solid, &fabric));
    assert_near(fabric->density, 0.2, 1e-15);
    const double *c = fabric->linear.c;
    assert_near(c[0], 200 / (1 - 0.09), 1e-10);
    assert_near(c[1], 0.3 * 200 / (1 - 0.09), 1e-10);
    assert_near(c[2], c[0], 1e-10);
    assert_near(c[3], 0.5 * (c[0] - c[1]), 1e-10); /* isotropy */
    for (int row = 0; row < VO_BEND_DIRECTIONS; row++)
        for (int k = 0; k < VO_BEND_CURVATURES; k++)
            assert_near(fabric->bend[row][k], 1e6 * 8e-12 / 12 / (1 - 0.09), 1e-20);
    vo_fabric_destroy(fabric);
    const vo_solid good = solid;
    struct {
        double *field;
        const char *name;
        double wrong[3];
    } cases[] = {{&solid.thickness, "thickness", {0, -1, NAN}},
                 {&solid.density, "density", {0, -1, INFINITY}},
                 {&solid.elastic_modulus, "elastic_modulus", {0, -1, NAN}},
                 {&solid.poisson_ratio, "poisson_ratio", {-0.1, 0.6, NAN}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int k = 0; k < 3; k++) {
            solid = good;
            *cases[n].field = cases[n].wrong[k];
            assert_int_equal(vo_fabric_from_solid(ctx, &solid, &fabric), VO_BAD_DATA);
            assert_message_contains(ctx, cases[n].name);
        }
    vo_context_destroy(ctx);
}

static const vo_measured ponte = {{{31.1, -12.8, 44, 31.9},
                                   {78.7, 26.7, 268.7, 27.7},
                                   {67.3, 77.7, 182.3, -14.6},
                                   {113.4, 54.8, 175.1, 44.6},
                                   {144.3, 111.4, 138.4, -29.8},
                                   {143.9, 49.6, 191.8, 39.5}}};

/* Principal stretch w in the direction `angle`, the other one w2. */
static vo_sym2 pull(double w, double w2, double angle) {
    double c = cos(angle), s = sin(angle), a = 0.5 * (w * w - 1), b = 0.5 * (w2 * w2 - 1);
    return (vo_sym2){a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c};
}

static void measurement_is_exact_at_samples(void **state) {
    (void)state;
    for (int row = 0; row < VO_MEASURED_ROWS; row++) {
        double angle = vo_max(row - 1, 0) * VO_PI / 8;
        for (int mirror = 0; mirror < 2; mirror++) {
            vo_sym2 g = row ? pull(1 + 1.0 / 6, 0.98, mirror ? -angle : angle) : (vo_sym2){0, 0, 0};
            vo_stiffness c = vo_measured_stiffness(&ponte, g);
            const double *k = ponte.k[row];
            double limit = 2 * sqrt(k[0] * k[2]);
            assert_near(c.c[0], 2 * k[0], 1e-9);
            assert_near(c.c[1], vo_min(2 * vo_max(k[1], 0), limit), 1e-9);
            assert_near(c.c[2], 2 * k[2], 1e-9);
            assert_near(c.c[3], vo_max(k[3], 0), 1e-9);
        }
    }
    /* halfway in stretch and angle; beyond the last sample; compressed in all directions */
    vo_stiffness half = vo_measured_stiffness(&ponte, pull(1 + 1.0 / 12, 0.9, VO_PI / 16));
    assert_near(half.c[2], 44 + 0.5 * (268.7 + 182.3), 1e-9);
    vo_stiffness far = vo_measured_stiffness(&ponte, pull(1.3, 0.9, VO_PI / 2));
    assert_near(far.c[0], 2 * 143.9, 1e-9);
    vo_stiffness squeezed = vo_measured_stiffness(&ponte, pull(0.9, 0.8, 0.3));
    assert_near(squeezed.c[2], 2 * 44, 1e-9);
}

static void table_is_exact_at_samples(void **state) {
    (void)state;
    static vo_stiffness_sample table[VO_STRETCH_TABLE];
    vo_measured_tabulate(&ponte, table);
    vo_fabric fabric = {.table = table};
    vo_random r = vo_random_seed(1);
    for (int trial = 0; trial < 20000; trial++) {
        int i = vo_random_int(&r, 30), j = vo_random_int(&r, 30), k = vo_random_int(&r, 30);
        vo_sym2 node = {-0.25 + i / 30.0, (trial % 2 ? 1 : -1) * k / 30.0, -0.25 + j / 30.0};
        vo_stiffness exact = vo_measured_stiffness(&ponte, node);
        vo_stiffness found = vo_fabric_stiffness(&fabric, node);
        vo_sym2 any = {vo_random_real(&r, -0.4, 0.9), vo_random_real(&r, -1, 1),
                       vo_random_real(&r, -0.4, 0.9)};
        vo_stiffness between = vo_fabric_stiffness(&fabric, any);
        for (int n = 0; n < 4; n++) {
            assert_near(found.c[n], exact.c[n], 1e-4); /* float */
            assert_true(between.c[n] >= 0);
        }
        assert_true(between.c[1] * between.c[1] <= between.c[0] * between.c[2] * (1 + 1e-14));
    }
    /* constant outside the table */
    vo_stiffness border = vo_fabric_stiffness(&fabric, (vo_sym2){29 / 30.0 - 0.25, 0, -0.25});
    vo_stiffness outside = vo_fabric_stiffness(&fabric, (vo_sym2){40, 0, -3});
    for (int n = 0; n < 4; n++) assert_near(outside.c[n], border.c[n], 1e-9);
}

/* Rounding to float keeps the clamp of a too strong coupling between warp and weft. */
static void table_samples_are_exactly_positive_semidefinite(void **state) {
    (void)state;
    static vo_stiffness_sample table[VO_STRETCH_TABLE];
    vo_measured coupled = ponte;
    for (int row = 0; row < VO_MEASURED_ROWS; row++) coupled.k[row][1] = 1000;
    vo_measured_tabulate(&coupled, table);
    for (int i = 0; i < VO_STRETCH_TABLE; i++) {
        const float *c = table[i].c;
        double bound = (double)c[0] * c[2];
        assert_true((double)c[1] * c[1] <= bound && (double)c[1] * c[1] > 0.999999 * bound);
    }
}

/* Between samples the table deviates from the measurement by at most the interpolation error of a
 * cell. */
static void table_error_between_samples_is_bounded(void **state) {
    (void)state;
    static vo_stiffness_sample table[VO_STRETCH_TABLE];
    vo_measured gentle = ponte; /* one direction only: no kink at the axis of isotropy */
    for (int row = 2; row < VO_MEASURED_ROWS; row++)
        memcpy(gentle.k[row], gentle.k[1], sizeof gentle.k[1]);
    vo_measured_tabulate(&gentle, table);
    vo_fabric fabric = {.table = table};
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < 20000; trial++) {
        vo_sym2 g = {vo_random_real(&r, -0.2, 0.6), vo_random_real(&r, -0.6, 0.6),
                     vo_random_real(&r, -0.2, 0.6)};
        vo_stiffness exact = vo_measured_stiffness(&gentle, g),
                     found = vo_fabric_stiffness(&fabric, g);
        /* slope of c0 is 6 * 2 * 47.6 per unit of stretch, a cell is 1/30 of strain wide */
        assert_near(found.c[0], exact.c[0], 6 * 2 * 47.6 / 30);
    }
}

/* Rigidity of a plate that is bent to a cylinder along the direction `angle`. */
static double cylinder_rigidity(const vo_plate *plate, double angle) {
    double c = cos(angle), s = sin(angle), k[3] = {c * c, s * s, c * s}, sum = 0;
    for (int i = 0; i < 3; i++) sum += plate->d[i] * k[i] * k[i];
    return sum;
}

static void plate_has_defined_rigidities(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(3);
    for (int trial = 0; trial < 500; trial++) {
        vo_fabric_def def = vo_fabric_def_default();
        def.bend_warp = vo_random_real(&r, 0, 1e-4);
        def.bend_weft = vo_random_real(&r, 0, 1e-4);
        def.bend_bias = (def.bend_warp + def.bend_weft) * vo_random_real(&r, 0.276, 2);
        vo_fabric *fabric;
        assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
        vo_plate plate = vo_fabric_plate(fabric, vo_random_real(&r, 0, 60));
        for (int turn = 0; turn < 8; turn++) {
            const double expected[] = {def.bend_warp, def.bend_bias, def.bend_weft, def.bend_bias};
            assert_near(cylinder_rigidity(&plate, turn * VO_PI / 4), expected[turn % 4], 1e-18);
        }
        vo_fabric_destroy(fabric);
    }
    vo_context_destroy(ctx);
}

/* The plate of a solid is isotropic, in bending and twist. */
static void plate_of_solid_is_isotropic(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_solid solid = {
        .thickness = 2e-4, .density = 1000, .elastic_modulus = 1e6, .poisson_ratio = 0.3};
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_from_solid(ctx, &solid, &fabric));
    vo_plate plate = vo_fabric_plate(fabric, 3);
    double bend = 1e6 * 8e-12 / 12 / (1 - 0.09);
    for (int turn = 0; turn < 100; turn++)
        assert_near(cylinder_rigidity(&plate, 0.1 * turn), bend, 1e-12 * bend);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

/* Linear between samples in each rigidity, for either sign of curvature, and constant at the end.
 */
static void plate_interpolates_curvature(void **state) {
    (void)state;
    vo_fabric fabric = {.bend = {{10, 20, 0, 40, 80}, {30, 30, 20, 40, 80}, {40, 20, 30, 10, 60}}};
    const double curvature[] = {0, 5, 10, -15, 20, 35, 40, -500, 1e300, INFINITY, NAN};
    const double weft[] = {10, 15, 20, 10, 0, 60, 80, 80, 80, 80, 80};
    const double bias[] = {30, 30, 30, 25, 20, 60, 80, 80, 80, 80, 80};
    const double warp[] = {40, 30, 20, 25, 30, 35, 60, 60, 60, 60, 60};
    for (size_t n = 0; n < sizeof curvature / sizeof *curvature; n++) {
        vo_plate plate = vo_fabric_plate(&fabric, curvature[n]);
        assert_near(cylinder_rigidity(&plate, 0), warp[n], 1e-12);
        assert_near(cylinder_rigidity(&plate, VO_PI / 2), weft[n], 1e-12);
        assert_near(cylinder_rigidity(&plate, VO_PI / 4), bias[n], 1e-12);
    }
}

static void soft_bias_resists_twist(void **state) {
    (void)state;
    const double bias[] = {0, 1, 2.75, 2.8, 5}, twist[] = {1, 1, 1, 1.2, 10};
    for (int n = 0; n < 5; n++) {
        vo_fabric fabric = {0};
        for (int k = 0; k < VO_BEND_CURVATURES; k++) {
            fabric.bend[0][k] = 3;
            fabric.bend[1][k] = bias[n];
            fabric.bend[2][k] = 7;
        }
        vo_plate plate = vo_fabric_plate(&fabric, 10.0 * n);
        assert_near(plate.d[0], 7, 0);
        assert_near(plate.d[1], 3, 0);
        assert_near(plate.d[2], twist[n], 1e-12);
    }
    vo_fabric limp = {0};
    vo_plate plate = vo_fabric_plate(&limp, 25);
    for (int c = 0; c < 3; c++) assert_true(plate.d[c] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moduli_give_plane_stress),
        cmocka_unit_test(invalid_member_is_named),
        cmocka_unit_test(zero_stiffness_is_valid),
        cmocka_unit_test(solid_gives_isotropic_sheet),
        cmocka_unit_test(measurement_is_exact_at_samples),
        cmocka_unit_test(table_is_exact_at_samples),
        cmocka_unit_test(table_samples_are_exactly_positive_semidefinite),
        cmocka_unit_test(table_error_between_samples_is_bounded),
        cmocka_unit_test(plate_has_defined_rigidities),
        cmocka_unit_test(plate_of_solid_is_isotropic),
        cmocka_unit_test(plate_interpolates_curvature),
        cmocka_unit_test(soft_bias_resists_twist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
