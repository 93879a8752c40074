/* Tests of the orientation predicates against 256-bit integer arithmetic. */
#include "core/random.h"
#include "core/timer.h"
#include "math/predicates.h"
#include "support.h"

#include <stdio.h>

/* Two's complement, lowest limb first. */
typedef struct wide {
    uint64_t limb[4];
} wide;

static wide wide_add(wide a, wide b) {
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (unsigned __int128)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static wide wide_negate(wide a) {
    for (int i = 0; i < 4; i++) a.limb[i] = ~a.limb[i];
    return wide_add(a, (wide){{1}});
}

static uint64_t magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

/* a b c */
static wide wide_product(int64_t a, int64_t b, int64_t c) {
    unsigned __int128 ab = (unsigned __int128)magnitude(a) * magnitude(b);
    unsigned __int128 low = (unsigned __int128)(uint64_t)ab * magnitude(c);
    unsigned __int128 high = (ab >> 64) * magnitude(c) + (low >> 64);
    wide w = {{(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)}};
    return (a < 0) ^ (b < 0) ^ (c < 0) ? wide_negate(w) : w;
}

static int wide_sign(wide a) {
    if (a.limb[3] >> 63) return -1;
    return (a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3]) != 0;
}

typedef struct ipoint {
    int64_t c[3];
} ipoint;

/* Sum over the six permutations of the Leibniz formula. */
static int reference3(const ipoint p[4]) {
    static const int order[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                    {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
    wide sum = {{0}};
    for (int i = 0; i < 6; i++) {
        int64_t d[3];
        for (int k = 0; k < 3; k++) d[k] = p[k + 1].c[order[i][k]] - p[0].c[order[i][k]];
        wide term = wide_product(d[0], d[1], d[2]);
        sum = wide_add(sum, order[i][3] > 0 ? term : wide_negate(term));
    }
    return wide_sign(sum);
}

static int reference2(const ipoint p[3]) {
    wide left = wide_product(p[1].c[0] - p[0].c[0], p[2].c[1] - p[0].c[1], 1);
    wide right = wide_product(p[1].c[1] - p[0].c[1], p[2].c[0] - p[0].c[0], 1);
    return wide_sign(wide_add(left, wide_negate(right)));
}

static vo_vec3 point3(ipoint p, double s) {
    return v3(s * (double)p.c[0], s * (double)p.c[1], s * (double)p.c[2]);
}
static vo_vec2 point2(ipoint p, double s) { return v2(s * (double)p.c[0], s * (double)p.c[1]); }

static int orient3(const ipoint p[4], double s) {
    return vo_orient3d(point3(p[0], s), point3(p[1], s), point3(p[2], s), point3(p[3], s));
}
static int orient2(const ipoint p[3], double s) {
    return vo_orient2d(point2(p[0], s), point2(p[1], s), point2(p[2], s));
}

/* Returns an integer that a double represents: up to 53 bits, shifted to at most `bits`. */
static int64_t random_integer(vo_random *r, int bits) {
    int shift = vo_random_int(r, bits);
    int64_t x = (int64_t)(vo_random_u64(r) >> (64 - bits)) >> shift;
    x = (int64_t)(double)x; /* loses bits beyond 53 */
    return vo_random_int(r, 2) ? -x : x;
}

static ipoint random_point(vo_random *r, int bits) {
    ipoint p;
    for (int k = 0; k < 3; k++) p.c[k] = random_integer(r, bits);
    return p;
}

static int64_t as_double(int64_t x) { return (int64_t)(double)x; }

/* Returns a + s (b - a) + t (c - a), rounded to doubles and sometimes perturbed. */
static ipoint near_plane(vo_random *r, ipoint a, ipoint b, ipoint c) {
    int64_t s = vo_random_int(r, 5) - 2, t = vo_random_int(r, 5) - 2;
    ipoint p;
    for (int k = 0; k < 3; k++)
        p.c[k] = as_double(a.c[k] + s * (b.c[k] - a.c[k]) + t * (c.c[k] - a.c[k]));
    if (vo_random_int(r, 2)) p.c[vo_random_int(r, 3)] += vo_random_int(r, 3) - 1;
    for (int k = 0; k < 3; k++) p.c[k] = as_double(p.c[k]);
    return p;
}

static void check_orient3d(const ipoint p[4]) {
    static const double scales[] = {1, 0x1p-40, 0x1p-290, 0x1p230};
    int expected = reference3(p);
    for (int i = 0; i < 4; i++)
        if (orient3(p, scales[i]) != expected)
            fail_msg("scale %g: %d, expected %d", scales[i], orient3(p, scales[i]), expected);
}

static void check_orient2d(const ipoint p[3]) {
    static const double scales[] = {1, 0x1p-40, 0x1p-290, 0x1p230};
    int expected = reference2(p);
    for (int i = 0; i < 4; i++) assert_int_equal(orient2(p, scales[i]), expected);
}

static void random_orient3d_is_exact(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    int zeros = 0;
    for (int i = 0; i < 60000; i++) {
        int bits = 1 + vo_random_int(&r, 58);
        ipoint p[4];
        for (int k = 0; k < 4; k++) p[k] = random_point(&r, bits);
        if (i % 4) p[3] = near_plane(&r, p[0], p[1], p[2]);
        zeros += reference3(p) == 0;
        check_orient3d(p);
    }
    assert_true(zeros > 5000);
}

static void random_orient2d_is_exact(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int zeros = 0;
    for (int i = 0; i < 60000; i++) {
        int bits = 1 + vo_random_int(&r, 58);
        ipoint p[3];
        for (int k = 0; k < 2; k++) p[k] = random_point(&r, bits);
        p[2] = i % 4 ? near_plane(&r, p[0], p[1], p[0]) : random_point(&r, bits);
        zeros += reference2(p) == 0;
        check_orient2d(p);
    }
    assert_true(zeros > 5000);
}

/* A point and its neighbours on the grid of doubles, against a line through distant points. */
static void orient2d_near_a_line_is_exact(void **state) {
    (void)state;
    const int64_t one = (int64_t)1 << 53;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            /* (0.5 + i u, 0.5 + j u) with u = 2^-53, (12, 12), (24, 24), as integers */
            ipoint p[3] = {{{one / 2 + i, one / 2 + j, 0}},
                           {{12 * one, 12 * one, 0}},
                           {{24 * one, 24 * one, 0}}};
            assert_int_equal(reference2(p), (j > i) - (j < i));
            check_orient2d(p);
        }
}

static void swap_points(ipoint *a, ipoint *b) {
    ipoint t = *a;
    *a = *b;
    *b = t;
}

/* Swapping two points flips the sign, also for non-integer coordinates. */
static void orientation_is_antisymmetric(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int i = 0; i < 20000; i++) {
        ipoint p[4];
        for (int k = 0; k < 3; k++) p[k] = random_point(&r, 53);
        p[3] = near_plane(&r, p[0], p[1], p[2]);
        int before = orient3(p, 0.1), before2 = orient2(p, 0.1);
        int a = vo_random_int(&r, 4), b = (a + 1 + vo_random_int(&r, 3)) % 4;
        swap_points(&p[a], &p[b]);
        assert_int_equal(orient3(p, 0.1), -before);
        swap_points(&p[a], &p[b]);
        swap_points(&p[a % 3], &p[(a + 1) % 3]);
        assert_int_equal(orient2(p, 0.1), -before2);
    }
}

/* The smallest coordinates allowed, with differences in their last bits: products of three are
 * close to the smallest double. */
static void smallest_coordinates_are_exact(void **state) {
    (void)state;
    const double scale = 0x1p-350;
    vo_random r = vo_random_seed(5);
    assert_true(0x1p52 * scale >= VO_EXACT_MIN);
    for (int i = 0; i < 40000; i++) {
        int bits = 1 + vo_random_int(&r, 40);
        ipoint p[4];
        for (int k = 0; k < 3; k++) p[k] = random_point(&r, bits);
        p[3] = near_plane(&r, p[0], p[1], p[2]);
        for (int k = 0; k < 12; k++) p[k / 3].c[k % 3] += (int64_t)3 << 51;
        assert_int_equal(orient3(p, scale), reference3(p));
        assert_int_equal(orient2(p, scale), reference2(p));
    }
}

static void known_orientations_are_returned(void **state) {
    (void)state;
    assert_int_equal(vo_orient2d(v2(0, 0), v2(1, 0), v2(0, 1)), 1);
    assert_int_equal(vo_orient3d(v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)), 1);
    assert_int_equal(vo_orient3d(v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), v3(9, 9, -1e-90)), -1);
    vo_vec3 p = vo_exact_point(v3(1e-91, -1e-300, 1e-89));
    assert_true(p.x == 0 && p.y == 0 && p.z == 1e-89);
}

static void predicate_speed_is_reported(void **state) {
    (void)state;
    enum { N = 1000, ROUNDS = 200 };
    static ipoint far[N][4], flat[N][4];
    vo_random r = vo_random_seed(4);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++) far[i][k] = flat[i][k] = random_point(&r, 50);
        flat[i][3] = near_plane(&r, flat[i][0], flat[i][1], flat[i][2]);
    }
    int sum = 0;
    double t0 = vo_now();
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < N; i++) sum += orient3(far[i], 1);
    double t1 = vo_now();
    for (int k = 0; k < ROUNDS / 20; k++)
        for (int i = 0; i < N; i++) sum += orient3(flat[i], 0.1);
    double t2 = vo_now();
    printf("orient3d: %.1f ns far, %.0f ns on the plane (%d)\n", (t1 - t0) / (N * ROUNDS) * 1e9,
           (t2 - t1) / (N * (ROUNDS / 20)) * 1e9, sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_orientations_are_returned),
        cmocka_unit_test(random_orient2d_is_exact),
        cmocka_unit_test(random_orient3d_is_exact),
        cmocka_unit_test(orientation_is_antisymmetric),
        cmocka_unit_test(orient2d_near_a_line_is_exact),
        cmocka_unit_test(smallest_coordinates_are_exact),
        cmocka_unit_test(predicate_speed_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
