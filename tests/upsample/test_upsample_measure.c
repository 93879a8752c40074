/* Measures of upsampled surfaces against analytic cases. */
#include "upsample_fixture.h"

#include "core/memory.h"
#include "upsample/measure.h"

static const double PI = 3.14159265358979323846;

enum { CELLS = 64, ROW = CELLS + 1, COUNT = ROW * ROW, MODES = 12 };

typedef struct sheet {
    vo_context *ctx;
    vo_upsample_pairs *pairs; /* its fine mesh */
    vo_upsample_meter meter;
    vo_upsample_meter_scratch scratch;
    float a[COUNT][3], b[COUNT][3];
} sheet;

/* Makes the modes orthonormal with respect to the areas: Gram-Schmidt, twice. */
static void orthonormalize(const float *area, int count, float (*mode)[COUNT]) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++)
            for (int l = 0; l <= k; l++) {
                double sum = 0;
                for (int i = 0; i < COUNT; i++)
                    sum += (double)area[i] * (double)mode[k][i] * (double)mode[l][i];
                for (int i = 0; i < COUNT; i++)
                    mode[k][i] = (float)(l < k ? (double)mode[k][i] - sum * (double)mode[l][i]
                                               : (double)mode[k][i] / sqrt(sum));
            }
}

/* A sheet with the modes cos(pi k x), k < MODES. */
static sheet *create(void) {
    static float area[COUNT], mode[MODES][COUNT];
    static sheet s;
    s.ctx = test_context(1);
    s.pairs = synthetic_pairs(s.ctx, CELLS / 4, 2);
    assert_int_equal(s.pairs->fine.vertex_count, COUNT);
    vo_upsample_compute_areas(&s.pairs->fine, area);
    for (int k = 0; k < MODES; k++)
        for (int i = 0; i < COUNT; i++)
            mode[k][i] = (float)cos(PI * k * (double)s.pairs->fine.position[i].x);
    orthonormalize(area, MODES, mode);
    assert_ok(s.ctx,
              vo_upsample_meter_create(s.ctx, &s.pairs->fine, area, MODES, mode[0], &s.meter));
    assert_true(vo_upsample_meter_scratch_create(&s.meter, &s.scratch));
    memcpy(s.a, s.pairs->fine.position, sizeof s.a);
    memcpy(s.b, s.pairs->fine.position, sizeof s.b);
    return &s;
}

static void destroy(sheet *s) {
    vo_upsample_meter_scratch_free(s->ctx, &s->scratch);
    vo_upsample_meter_free(&s->meter);
    vo_upsample_pairs_destroy(s->pairs);
    vo_context_destroy(s->ctx);
}

static vo_upsample_frame_difference compare(sheet *s) {
    return vo_upsample_meter_compare(&s->meter, s->a[0], s->b[0], &s->scratch);
}

/* Sets the height of `x` to a sin(q x + phase). */
static void wave(const sheet *s, float (*x)[3], double a, double q, double phase) {
    for (int i = 0; i < COUNT; i++)
        x[i][2] = (float)(a * sin(q * (double)s->pairs->fine.position[i].x + phase));
}

static void rotate(float (*x)[3], double angle) {
    for (int i = 0; i < COUNT; i++) {
        double y = (double)x[i][1], z = (double)x[i][2];
        x[i][1] = (float)(cos(angle) * y - sin(angle) * z);
        x[i][2] = (float)(sin(angle) * y + cos(angle) * z);
    }
}

static void areas_sum_to_the_area(void **state) {
    (void)state;
    sheet *s = create();
    assert_near(s->meter.total_area, 1, 1e-5);
    assert_near(s->meter.area[ROW + 1], 1.0 / (CELLS * CELLS), 1e-9);
    destroy(s);
}

static void translation_is_a_distance(void **state) {
    (void)state;
    sheet *s = create();
    for (int i = 0; i < COUNT; i++) s->a[i][0] += 0.03f, s->a[i][2] -= 0.04f;
    vo_upsample_frame_difference d = compare(s);
    assert_near(sqrt(d.position_square), 0.05, 1e-6);
    assert_near(d.position_max, 0.05, 1e-6);
    assert_near(d.normal_angle, 0, 1e-3);
    assert_near(d.wrinkle_energy, 0, 1e-6);
    assert_near(d.wrinkle_difference, 0, 1e-6);
    destroy(s);
}

static void rotation_is_the_angle_of_the_normals(void **state) {
    (void)state;
    sheet *s = create();
    rotate(s->a, 0.3);
    vo_upsample_frame_difference d = compare(s);
    assert_near(d.normal_angle, 0.3 * 180 / PI, 1e-3);
    /* the chord of the angle times the distance from the axis: mean of y^2 is 1/3 */
    assert_near(sqrt(d.position_square), 2 * sin(0.15) * sqrt(1.0 / 3), 1e-3);
    destroy(s);
}

/* Wrinkle energy of a sin(q x): its slopes at the vertices are central differences. */
static double sine_energy(double a, double q) {
    double h = 1.0 / CELLS, slope = a * sin(q * h) / h;
    return slope * slope / 2;
}

static void sinusoid_has_the_wrinkle_energy_of_its_slope(void **state) {
    (void)state;
    sheet *s = create();
    const double a = 0.002;
    wave(s, s->a, a, 24 * PI, 0);
    wave(s, s->b, a, 14 * PI, 0);
    vo_upsample_frame_difference d = compare(s);
    assert_near(d.wrinkle_energy / sine_energy(a, 24 * PI), 1, 0.03);
    assert_near(d.reference_wrinkle_energy / sine_energy(a, 14 * PI), 1, 0.03);
    /* orthogonal waves: the energies add up */
    assert_near(d.wrinkle_difference / (d.wrinkle_energy + d.reference_wrinkle_energy), 1, 0.03);
    destroy(s);
}

/* Normals of the sinusoid (-a q cos(q x), 0, 1) lie in the modes for q = 5 pi. */
static void long_waves_are_no_wrinkles(void **state) {
    (void)state;
    sheet *s = create();
    wave(s, s->a, 0.005, 5 * PI, 0);
    wave(s, s->b, 0.005, 20 * PI, 0);
    vo_upsample_frame_difference d = compare(s);
    assert_true(d.wrinkle_energy < 0.01 * d.reference_wrinkle_energy);
    assert_true(d.normal_angle > 1);
    destroy(s);
}

static void wrinkle_energy_does_not_depend_on_the_pose(void **state) {
    (void)state;
    sheet *s = create();
    wave(s, s->a, 0.003, 20 * PI, 0.4);
    wave(s, s->b, 0.003, 20 * PI, 0.4);
    rotate(s->a, 1.1);
    for (int i = 0; i < COUNT; i++) s->a[i][1] += 3;
    vo_upsample_frame_difference d = compare(s);
    assert_near(d.wrinkle_energy, d.reference_wrinkle_energy, 1e-3 * d.wrinkle_energy);
    assert_true(d.wrinkle_energy > 1e-4);
    destroy(s);
}

static void degenerate_triangles_have_finite_measures(void **state) {
    (void)state;
    sheet *s = create();
    memset(s->a, 0, sizeof s->a);
    vo_upsample_frame_difference d = compare(s);
    assert_true(isfinite(d.normal_angle) && isfinite(d.wrinkle_energy));
    destroy(s);
}

static vo_result create_meter(vo_context *ctx, void *arg) {
    vo_upsample_pairs *pairs = arg;
    float area[25], mode[25];
    for (int i = 0; i < 25; i++) area[i] = mode[i] = 0.2f;
    vo_upsample_meter meter;
    vo_upsample_meter_scratch scratch;
    VO_TRY(vo_upsample_meter_create(ctx, &pairs->fine, area, 1, mode, &meter));
    vo_result result = VO_OK;
    if (vo_upsample_meter_scratch_create(&meter, &scratch))
        vo_upsample_meter_scratch_free(ctx, &scratch);
    else
        result = vo_fail_memory(ctx, "scratch");
    vo_upsample_meter_free(&meter);
    return result;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_upsample_pairs *pairs = synthetic_pairs(ctx, 1, 1);
    test_every_allocation(create_meter, pairs);
    vo_upsample_pairs_destroy(pairs);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_sum_to_the_area),
        cmocka_unit_test(translation_is_a_distance),
        cmocka_unit_test(rotation_is_the_angle_of_the_normals),
        cmocka_unit_test(sinusoid_has_the_wrinkle_energy_of_its_slope),
        cmocka_unit_test(long_waves_are_no_wrinkles),
        cmocka_unit_test(wrinkle_energy_does_not_depend_on_the_pose),
        cmocka_unit_test(degenerate_triangles_have_finite_measures),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
