/* Hash grid queries against brute force. */
#include "core/memory.h"
#include "core/random.h"
#include "spatial/grid.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 400 };

static unsigned char met[MAX][MAX];

typedef struct asking {
    int self, calls, stop_after;
} asking;

static bool note(void *arg, int id) {
    asking *a = arg;
    met[a->self][id]++;
    return ++a->calls != a->stop_after;
}

static bool is_there(vo_box b) { return b.min.x <= b.max.x; }

/* Pairs of one set: each is found once, by the smaller box, or the earlier one of equal class. */
static void check_pairs(vo_context *ctx, const vo_box *box, int n) {
    vo_grid grid = {0};
    assert_ok(ctx, vo_grid_build(ctx, &grid, box, n));
    memset(met, 0, sizeof met);
    for (int i = 0; i < n; i++) {
        asking a = {i, 0, 0};
        vo_grid_find(&grid, &box[i], vo_grid_class(box[i]), i + 1, note, &a);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            bool expected = is_there(box[i]) && is_there(box[j]) && box_overlaps(box[i], box[j]);
            if (met[i][j] + met[j][i] != expected)
                fail_msg("boxes %d and %d of %d: found %d times, expected %d", i, j, n,
                         met[i][j] + met[j][i], expected);
        }
    vo_grid_free(ctx, &grid);
}

/* Boxes with sizes over `decades` powers of ten, among them points, flat boxes, copies, empty ones.
 */
static void fill(vo_box *box, int n, double decades, double scale, vo_random *r) {
    for (int i = 0; i < n; i++) {
        double size = scale * pow(10, -vo_random_real(r, 0, decades));
        vo_vec3 p =
            v3(vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), vo_random_real(r, -1, 1));
        vo_vec3 d = v3(vo_random_real(r, 0, 1), vo_random_real(r, 0, 1), vo_random_real(r, 0, 1));
        if (vo_random_int(r, 4) == 0) d.z = 0;
        if (vo_random_int(r, 8) == 0) d = v3_zero();
        p = v3_scale(scale, p);
        if (vo_random_int(r, 2)) p = v3_scale(0.05, p);
        box[i] = (vo_box){p, v3_add_scaled(p, size, d)};
        if (i > 0 && vo_random_int(r, 9) == 0) box[i] = box[i - 1];
        if (vo_random_int(r, 20) == 0) box[i] = box_empty();
    }
}

static void test_random_pairs(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-6, 1e6, 1e-100, 1e100, 3e299};
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(1);
    static vo_box box[MAX];
    for (int round = 0; round < 120; round++) {
        int n = round < 5 ? round : 20 + vo_random_int(&r, MAX - 20);
        fill(box, n, round % 4 * 3, scales[round % 6], &r);
        check_pairs(ctx, box, n);
    }
    vo_context_destroy(ctx);
}

/* Corners on a lattice: boxes that touch exactly, also on cell borders. */
static void test_lattice(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    static vo_box box[MAX];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < MAX; i++) {
            vo_vec3 p = v3(vo_random_int(&r, 9), vo_random_int(&r, 9), vo_random_int(&r, 9));
            vo_vec3 d = v3(vo_random_int(&r, 3), vo_random_int(&r, 3), vo_random_int(&r, 3));
            box[i] = (vo_box){v3_scale(0.25, p), v3_scale(0.25, v3_add(p, d))};
        }
        check_pairs(ctx, box, MAX);
    }
    vo_context_destroy(ctx);
}

/* Boxes far outside the grid, and queries that cover every class. */
static void test_queries(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(3);
    static vo_box box[MAX];
    vo_grid grid = {0};
    fill(box, MAX, 3, 1, &r);
    assert_ok(ctx, vo_grid_build(ctx, &grid, box, MAX));
    for (int q = 0; q < MAX; q++) {
        vo_vec3 p = v3(vo_random_real(&r, -2, 2), vo_random_real(&r, -2, 2), 0.01 * q - 2);
        if (q % 7 == 0) p = v3_scale(1e200, p);
        vo_box ask = {p, v3_add(p, v3(0.02 * (q % 5), 0.02, 0))};
        asking a = {0, 0, 0};
        int expected = 0;
        memset(met, 0, sizeof met);
        vo_grid_find(&grid, &ask, VO_GRID_MIN_CLASS, 0, note, &a);
        for (int i = 0; i < MAX; i++) {
            bool here = is_there(box[i]) && box_overlaps(box[i], ask);
            assert_int_equal(met[0][i], here);
            expected += here;
        }
        assert_int_equal(a.calls, expected);
        asking short_one = {0, 0, 1};
        vo_grid_find(&grid, &ask, VO_GRID_MIN_CLASS, 0, note, &short_one);
        assert_int_equal(short_one.calls, expected > 0);
    }
    vo_grid_free(ctx, &grid);
    vo_context_destroy(ctx);
}

/* Invalid boxes are skipped and find nothing. */
static void test_invalid_boxes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_grid grid = {0};
    vo_box good = {v3_zero(), v3(1, 1, 1)};
    vo_box box[] = {{v3(NAN, 0, 0), v3(1, 1, 1)},
                    {v3(0, 0, 0), v3(INFINITY, 1, 1)},
                    {v3(1, 0, 0), v3(0, 1, 1)},
                    good,
                    {v3(0, 0, 0), v3(1, 1, 1e301)}};
    asking a = {0, 0, 0};
    memset(met, 0, sizeof met);
    assert_ok(ctx, vo_grid_build(ctx, &grid, box, 5));
    assert_int_equal(grid.count, 1);
    vo_grid_find(&grid, &good, VO_GRID_MIN_CLASS, 0, note, &a);
    assert_int_equal(met[0][3], 1);
    for (int i = 0; i < 5; i++)
        if (i != 3) vo_grid_find(&grid, &box[i], VO_GRID_MIN_CLASS, 0, note, &a);
    assert_int_equal(a.calls, 1);
    assert_ok(ctx, vo_grid_build(ctx, &grid, box, 0));
    vo_grid_find(&grid, &good, VO_GRID_MIN_CLASS, 0, note, &a);
    assert_int_equal(a.calls, 1);
    vo_grid_free(ctx, &grid);
    vo_context_destroy(ctx);
}

static vo_result build_once(vo_context *ctx, void *arg) {
    static vo_box box[50];
    vo_random r = vo_random_seed(4);
    vo_grid grid = {0};
    (void)arg;
    fill(box, 50, 2, 1, &r);
    vo_result result = vo_grid_build(ctx, &grid, box, 50);
    if (result != VO_OK) assert_int_equal(grid.count, 0);
    vo_grid_free(ctx, &grid);
    return result;
}

static void test_failed_allocations(void **state) {
    (void)state;
    test_every_allocation(build_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_invalid_boxes),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
