/* Tests of oscillatory modes: travelling waves of known frequency are recovered. */
#include "support.h"

#include "upsample/fit/oscillation.h"

#include <math.h>
#include <stdlib.h>

static const double TWO_PI = 6.283185307179586;

/* A travelling wave r_i sin(theta t + k x_i + phase). */
typedef struct wave {
    double theta, k, amplitude;
} wave;

typedef struct fixture {
    vo_context *ctx;
    int vertices, frames;
    double *displacement;
    vo_oscillation found;
} fixture;

enum { MAX_MODES = 4 };

static fixture make_fixture(int vertices, int frames, int threads) {
    fixture f = {test_context(threads), vertices, frames};
    size_t n = (size_t)vertices;
    f.displacement = calloc(n * (size_t)frames, sizeof(double));
    f.found.theta = calloc(MAX_MODES, sizeof(double));
    f.found.fraction = calloc(MAX_MODES, sizeof(double));
    f.found.sine = calloc(MAX_MODES * n, sizeof(double));
    f.found.cosine = calloc(MAX_MODES * n, sizeof(double));
    return f;
}

static void free_fixture(fixture *f) {
    free(f->displacement), free(f->found.theta), free(f->found.fraction);
    free(f->found.sine), free(f->found.cosine);
    vo_context_destroy(f->ctx);
}

/* Amplitude grows along the cloth, as on a flag. */
static double amplitude_at(const fixture *f, wave w, int i) {
    return w.amplitude * (0.2 + (double)i / f->vertices);
}

static void add_wave(fixture *f, wave w, int begin, int end, double phase) {
    for (int i = 0; i < f->vertices; i++)
        for (int t = begin; t < end; t++)
            f->displacement[i * f->frames + t] +=
                amplitude_at(f, w, i) * sin(w.theta * t + w.k * i / f->vertices + phase);
}

static void add_noise(fixture *f, double size) {
    vo_random random = vo_random_seed(11);
    for (int i = 0; i < f->vertices * f->frames; i++)
        f->displacement[i] += vo_random_real(&random, -size, size);
}

static void find(fixture *f, int sequences, const int *first, int max_modes, double threshold) {
    vo_oscillation_def def = {f->vertices,     f->frames, sequences, first,
                              f->displacement, max_modes, threshold};
    assert_ok(f->ctx, vo_oscillation_find(f->ctx, &def, &f->found));
}

/* Periods that are no whole numbers of frames. */
static void frequency_is_refined_between_lags(void **state) {
    (void)state;
    double periods[] = {4.37, 7.5, 11.62, 23.81, 60.4};
    for (size_t k = 0; k < sizeof periods / sizeof *periods; k++) {
        fixture f = make_fixture(40, 400, 1);
        wave w = {TWO_PI / periods[k], 9, 0.05};
        add_wave(&f, w, 0, 400, 0.7);
        add_noise(&f, 0.01);
        find(&f, 1, (int[]){0, 400}, 1, 0.1);
        assert_int_equal(f.found.mode_count, 1);
        assert_near(f.found.theta[0], w.theta, 6e-5); /* four times the Cramer-Rao bound */
        assert_true(f.found.fraction[0] > 0.9);
        free_fixture(&f);
    }
}

static void fields_are_those_of_the_wave(void **state) {
    (void)state;
    fixture f = make_fixture(50, 300, 2);
    wave w = {TWO_PI / 13.3, 12, 0.04};
    add_wave(&f, w, 0, 300, 0.3);
    for (int i = 0; i < 50; i++) /* a constant offset per vertex is no oscillation */
        for (int t = 0; t < 300; t++) f.displacement[i * 300 + t] += 0.1 * sin(i);
    find(&f, 1, (int[]){0, 300}, 3, 1e-3);
    assert_int_equal(f.found.mode_count, 1);
    assert_near(f.found.fraction[0], 1, 1e-6);
    for (int i = 0; i < 50; i++) {
        double phase = 12.0 * i / 50 + 0.3, r = amplitude_at(&f, w, i);
        assert_near(f.found.sine[i], r * cos(phase), 1e-5); /* equation 7 of the paper */
        assert_near(f.found.cosine[i], r * sin(phase), 1e-5);
    }
    free_fixture(&f);
}

/* The strongest wave comes first; modes end at the threshold. */
static void waves_are_deflated_down_to_the_threshold(void **state) {
    (void)state;
    wave strong = {TWO_PI / 17.2, 7, 0.05}, weak = {TWO_PI / 6.9, 15, 0.02};
    wave weakest = {TWO_PI / 41.3, 3, 0.004};
    double thresholds[] = {0.5, 0.05, 0.002, 0};
    int expected[] = {1, 2, 3, 4};
    for (int k = 0; k < 4; k++) {
        fixture f = make_fixture(60, 500, 1);
        add_wave(&f, strong, 0, 500, 0);
        add_wave(&f, weak, 0, 500, 1);
        add_wave(&f, weakest, 0, 500, 2);
        add_noise(&f, 0.0005);
        find(&f, 1, (int[]){0, 500}, MAX_MODES, thresholds[k]);
        assert_int_equal(f.found.mode_count, expected[k]);
        assert_near(f.found.theta[0], strong.theta, 1e-4);
        if (k > 0) assert_near(f.found.theta[1], weak.theta, 1e-4);
        if (k > 1) assert_near(f.found.theta[2], weakest.theta, 1e-3);
        double sum = 0;
        for (int m = 0; m < f.found.mode_count; m++) {
            if (m) assert_true(f.found.fraction[m] <= f.found.fraction[m - 1]);
            sum += f.found.fraction[m];
        }
        assert_true(sum <= 1);
        free_fixture(&f);
    }
}

/* What remains after subtracting the modes has the energy that the fractions leave. */
static void fractions_are_the_energy_removed(void **state) {
    (void)state;
    enum { N = 40, F = 320 };
    fixture f = make_fixture(N, F, 1);
    add_wave(&f, (wave){TWO_PI / 9.4, 5, 0.05}, 0, F, 0);
    add_wave(&f, (wave){TWO_PI / 27.7, 8, 0.03}, 0, F, 1);
    add_noise(&f, 0.01);
    find(&f, 1, (int[]){0, F}, 2, 0);
    assert_int_equal(f.found.mode_count, 2);
    double rest = 0, sum = f.found.fraction[0] + f.found.fraction[1];
    for (int i = 0; i < N; i++) {
        double d[F], mean = 0;
        for (int t = 0; t < F; t++) {
            d[t] = f.displacement[i * F + t];
            for (int m = 0; m < 2; m++)
                d[t] -= f.found.sine[m * N + i] * sin(f.found.theta[m] * t) +
                        f.found.cosine[m * N + i] * cos(f.found.theta[m] * t);
            mean += d[t] / F;
        }
        for (int t = 0; t < F; t++) rest += (d[t] - mean) * (d[t] - mean);
    }
    assert_near(rest / f.found.energy, 1 - sum, 1e-6);
    free_fixture(&f);
}

/* Sequences start with different phases of the same wave. */
static void sequences_have_phases_of_their_own(void **state) {
    (void)state;
    fixture f = make_fixture(40, 600, 1);
    wave w = {TWO_PI / 14.7, 6, 0.05};
    int first[] = {0, 250, 420, 600};
    for (int q = 0; q < 3; q++) add_wave(&f, w, first[q], first[q + 1], 1.9 * q);
    add_noise(&f, 0.005);
    find(&f, 3, first, 1, 0.1);
    assert_int_equal(f.found.mode_count, 1);
    assert_near(f.found.theta[0], w.theta, 1e-4);
    assert_true(f.found.fraction[0] > 0.9);
    for (int i = 0; i < 40; i++) {
        double r = hypot(f.found.sine[i], f.found.cosine[i]);
        assert_near(r, amplitude_at(&f, w, i), 0.003);
    }
    free_fixture(&f);
}

static void noise_and_rest_have_no_modes(void **state) {
    (void)state;
    fixture f = make_fixture(30, 300, 1);
    find(&f, 1, (int[]){0, 300}, 2, 0.1);
    assert_int_equal(f.found.mode_count, 0);
    add_noise(&f, 0.01);
    find(&f, 1, (int[]){0, 300}, 2, 0.1);
    assert_int_equal(f.found.mode_count, 0);
    f.frames = 4; /* too few frames */
    find(&f, 1, (int[]){0, 4}, 2, 0.1);
    assert_int_equal(f.found.mode_count, 0);
    free_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequency_is_refined_between_lags),
        cmocka_unit_test(fields_are_those_of_the_wave),
        cmocka_unit_test(waves_are_deflated_down_to_the_threshold),
        cmocka_unit_test(fractions_are_the_energy_removed),
        cmocka_unit_test(sequences_have_phases_of_their_own),
        cmocka_unit_test(noise_and_rest_have_no_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
