/* BVH pair queries against brute force. */
#include "codec/hash.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"
#include "spatial/bvh.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vo_box *new_boxes(int n) {
    vo_box *boxes = calloc((size_t)n + 1, sizeof *boxes);
    assert_non_null(boxes);
    return boxes;
}

/* Boxes of all sizes; some are points, some are copies of their predecessor. */
static vo_box *random_boxes(int n, double size, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    vo_box *boxes = new_boxes(n);
    for (int i = 0; i < n; i++) {
        double s = vo_random_int(&r, 5) ? size * vo_random_real(&r, 0, 1) : 0;
        vo_vec3 p = test_random_vec3(&r, 1);
        boxes[i] = box_add(box_add(box_empty(), p), v3_add_scaled(p, s, test_random_vec3(&r, 1)));
        if (i > 0 && vo_random_int(&r, 10) == 0) boxes[i] = boxes[i - 1];
    }
    return boxes;
}

/* A point of a sheet with folds; with time it moves and the folds deepen. */
static vo_vec3 sheet_point(double u, double v, double time) {
    return v3(u + 0.1 * time * sin(9 * v), v, 0.3 * time * sin(6 * u) * cos(5 * v + time));
}

/* Boxes of the triangles of a k x k sheet, swept a little and thickened: 2 k^2. */
static void sheet_boxes(int k, double time, double thickness, vo_box *boxes) {
    for (int i = 0; i < 2 * k * k; i++) {
        int cell = i / 2, x = cell % k, y = cell / k, upper = i % 2;
        double h = 1.0 / k;
        vo_box b = box_empty();
        for (int end = 0; end < 2; end++) {
            double t = time + 0.01 * end;
            vo_vec3 p = sheet_point((x + upper) * h, (y + upper) * h, t);
            b = box_join(b, box_triangle(p, sheet_point((x + 1) * h, y * h, t),
                                         sheet_point(x * h, (y + 1) * h, t)));
        }
        boxes[i] = box_grow(b, thickness);
    }
}

/* The box as stored in the tree, rounded outward. */
static vo_box rounded(vo_box b) {
    return (vo_box){
        v3((double)vo_float_below(b.min.x), (double)vo_float_below(b.min.y),
           (double)vo_float_below(b.min.z)),
        v3((double)vo_float_above(b.max.x), (double)vo_float_above(b.max.y),
           (double)vo_float_above(b.max.z)),
    };
}

static int compare_pairs(const void *x, const void *y) {
    const vo_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Compares a list with all pairs of a and b; if b is NULL, with pairs i < j of a. */
static void check_pairs(vo_pair_list *list, const vo_box *a, int na, const vo_box *b, int nb) {
    if (list->count > 0)
        qsort(list->pairs, (size_t)list->count, sizeof *list->pairs, compare_pairs);
    int at = 0;
    for (int i = 0; i < na; i++)
        for (int j = b ? 0 : i + 1; j < (b ? nb : na); j++) {
            vo_box p = a[i], q = b ? b[j] : a[j];
            bool expected = box_overlaps(rounded(p), rounded(q));
            if (box_overlaps(p, q)) assert_true(expected);
            bool found = at < list->count && list->pairs[at].a == i && list->pairs[at].b == j;
            if (found != expected) fail_msg("pair %d %d: %d, expected %d", i, j, found, expected);
            at += found;
        }
    assert_int_equal(at, list->count);
}

/* Invariants of the tree: each box in one leaf, children inside their parents, correct links, tight
 * bounds. */
static void check_tree(const vo_bvh *tree, const vo_box *boxes) {
    char *seen = calloc((size_t)tree->box_count + 1, 1);
    assert_int_equal(tree->node_count, tree->box_count ? 2 * tree->box_count - 1 : 0);
    for (int i = tree->node_count - 1; i >= 0; i--) {
        const vo_bvh_node *n = &tree->nodes[i];
        if (n->leaves == 1) {
            assert_in_range(n->link, 0, tree->box_count - 1);
            assert_false(seen[n->link]++);
            vo_box b = rounded(boxes[n->link]);
            assert_true((double)n->min[0] == b.min.x && (double)n->max[2] == b.max.z);
            continue;
        }
        const vo_bvh_node *l = &tree->nodes[i + 1], *r = &tree->nodes[n->link];
        assert_int_equal(n->link, i + 2 * l->leaves);
        assert_int_equal(n->leaves, l->leaves + r->leaves);
        assert_in_range(r->leaves - l->leaves, 0, 1);
        for (int k = 0; k < 3; k++) {
            assert_true(n->min[k] == fminf(l->min[k], r->min[k]));
            assert_true(n->max[k] == fmaxf(l->max[k], r->max[k]));
        }
    }
    free(seen);
}

static void check_self(vo_context *ctx, const vo_box *boxes, int n) {
    vo_bvh tree = {0};
    vo_pair_list list = {0};
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, n));
    check_tree(&tree, boxes);
    for (int round = 0; round < 2; round++) { /* without a pool, and with one */
        assert_ok(ctx, vo_bvh_self_pairs(ctx, &tree, &list));
        check_pairs(&list, boxes, n, NULL, 0);
    }
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &tree);
}

static void test_self_random(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 31, 64, 100, 511, 512, 513, 1025, 2500};
    vo_context *ctx = test_context(2);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int size = 0; size < 3; size++) {
            vo_box *boxes = random_boxes(counts[i], 0.05 + 0.2 * size, i);
            check_self(ctx, boxes, counts[i]);
            free(boxes);
        }
    vo_context_destroy(ctx);
}

static void test_between_random(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 2, 17, 300, 2000};
    vo_context *ctx = test_context(2);
    vo_bvh a = {0}, b = {0}; /* reused for every size */
    vo_pair_list list = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            vo_box *p = random_boxes(counts[i], 0.2, 10), *q = random_boxes(counts[j], 0.1, 20);
            assert_ok(ctx, vo_bvh_build(ctx, &a, p, counts[i]));
            assert_ok(ctx, vo_bvh_build(ctx, &b, q, counts[j]));
            assert_ok(ctx, vo_bvh_tree_pairs(ctx, &a, &b, &list));
            check_pairs(&list, p, counts[i], q, counts[j]);
            free(p);
            free(q);
        }
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &a);
    vo_bvh_free(ctx, &b);
    vo_context_destroy(ctx);
}

/* A folding sheet: refitted trees find the same pairs as rebuilt ones and stay well formed. */
static void test_sheet_refit(void **state) {
    (void)state;
    enum { K = 32, N = 2 * K * K };
    vo_context *ctx = test_context(2);
    vo_box *boxes = new_boxes(N);
    vo_bvh tree = {0};
    vo_pair_list list = {0};
    sheet_boxes(K, 0, 0.001, boxes);
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
    for (int frame = 0; frame < 8; frame++) {
        sheet_boxes(K, 0.5 * frame, 0.001, boxes);
        vo_bvh_refit(ctx, &tree, boxes);
        check_tree(&tree, boxes);
        assert_ok(ctx, vo_bvh_self_pairs(ctx, &tree, &list));
        check_pairs(&list, boxes, N, NULL, 0);
    }
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &tree);
    free(boxes);
    vo_context_destroy(ctx);
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The boxes of a subtree, ascending. */
static int list_subtree(const vo_bvh *tree, int root, int *out) {
    int count = 0;
    for (int i = root; i < root + 2 * tree->nodes[root].leaves - 1; i++)
        if (tree->nodes[i].leaves == 1) out[count++] = tree->nodes[i].link;
    qsort(out, (size_t)count, sizeof *out, compare_ints);
    return count;
}

/* Groups are the largest subtrees within the limit; a copied tree equals the original. */
static void test_groups(void **state) {
    (void)state;
    enum { MOST = 700 };
    vo_context *ctx = test_context(1);
    vo_bvh tree = {0}, spare = {0}, copy = {0};
    int order[MOST], begin[MOST + 1], inside[MOST], groups;
    for (int n = 0; n <= MOST; n = 3 * n + 1) {
        vo_box *boxes = random_boxes(n, 0.1, (uint64_t)n + 7);
        assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, n));
        assert_ok(ctx, vo_bvh_group(ctx, &spare, boxes, n, 16, order, begin, &groups));
        assert_ok(ctx, vo_bvh_copy(ctx, &tree, &copy));
        assert_int_equal(copy.node_count, tree.node_count);
        assert_int_equal(copy.subtree_count, tree.subtree_count);
        size_t bytes = (size_t)copy.node_count * sizeof *copy.nodes;
        if (n) assert_memory_equal(copy.nodes, tree.nodes, bytes);
        int g = 0, next;
        for (int i = 0; i < tree.node_count; i = next) {
            int leaves = tree.nodes[i].leaves;
            next = i + 1;
            if (leaves > 16) continue;
            next = i + 2 * leaves - 1;
            int count = list_subtree(&tree, i, inside);
            assert_int_equal(begin[g + 1] - begin[g], count);
            qsort(order + begin[g], (size_t)count, sizeof *order, compare_ints);
            assert_memory_equal(order + begin[g++], inside, (size_t)count * sizeof *order);
        }
        assert_int_equal(g, groups);
        free(boxes);
    }
    vo_bvh_free(ctx, &tree);
    vo_bvh_free(ctx, &spare);
    vo_bvh_free(ctx, &copy);
    vo_context_destroy(ctx);
}

/* Copies, empty boxes, infinite boxes, and NaN bounds. */
static void test_degenerate_boxes(void **state) {
    (void)state;
    enum { N = 300 };
    vo_context *ctx = test_context(2);
    vo_box boxes[N];
    for (int i = 0; i < N; i++) boxes[i] = (vo_box){v3(1, 2, 3), v3(1, 2, 3)};
    check_self(ctx, boxes, N);
    for (int i = 0; i < N; i++) boxes[i] = box_empty();
    check_self(ctx, boxes, N);
    boxes[7].min.x = boxes[7].max.x = NAN;
    boxes[9] = (vo_box){v3(-INFINITY, -1e300, 0), v3(INFINITY, 1e300, 0)};
    for (int i = 20; i < N; i++) boxes[i] = (vo_box){v3(-i, 1e15, 4e-324), v3(i, 1e15, 1e-310)};
    check_self(ctx, boxes, N);
    vo_context_destroy(ctx);
}

static void test_rounding(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(vo_random_real(&r, -1, 1), vo_random_int(&r, 400) - 200);
        if (i % 3 == 0) x = (double)(float)x;
        double low = (double)vo_float_below(x), high = (double)vo_float_above(x);
        assert_true(low <= x && x <= high);
        if (fabs(x) > 1e-30 && fabs(x) < 1e30) assert_true(high - low <= 5e-7 * fabs(x));
    }
    assert_true(vo_float_below(0) <= 0 && vo_float_above(0) >= 0);
    assert_true(vo_float_below(1e39) == FLT_MAX && vo_float_above(1e39) == INFINITY);
    assert_true(vo_float_below(NAN) == -INFINITY && vo_float_above(NAN) == INFINITY);
}

/* Hash of tree and pairs before and after a refit, with the given number of threads. */
static uint64_t fingerprint(int threads) {
    enum { K = 60, N = 2 * K * K };
    vo_context *ctx = test_context(threads);
    vo_box *boxes = new_boxes(N), *body = random_boxes(3000, 0.2, 4);
    vo_bvh tree = {0}, other = {0};
    vo_pair_list list = {0};
    uint64_t hash = 0;
    sheet_boxes(K, 1, 0.01, boxes);
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
    assert_ok(ctx, vo_bvh_build(ctx, &other, body, 3000));
    for (int frame = 0; frame < 4; frame++) {
        sheet_boxes(K, 1 + frame, 0.01 * (1 + frame), boxes);
        vo_bvh_refit(ctx, &tree, boxes);
        hash = vo_hash_more(hash, tree.nodes, (size_t)tree.node_count * sizeof *tree.nodes);
        assert_ok(ctx, vo_bvh_self_pairs(ctx, &tree, &list));
        hash = vo_hash_more(hash, list.pairs, (size_t)list.count * sizeof *list.pairs);
        assert_ok(ctx, vo_bvh_tree_pairs(ctx, &tree, &other, &list));
        assert_true(list.count > 1000);
        hash = vo_hash_more(hash, list.pairs, (size_t)list.count * sizeof *list.pairs);
    }
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &tree);
    vo_bvh_free(ctx, &other);
    free(boxes);
    free(body);
    vo_context_destroy(ctx);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    uint64_t one = fingerprint(1);
    for (int threads = 2; threads <= 3; threads++)
        for (int round = 0; round < 3; round++) assert_true(fingerprint(threads) == one);
}

/* Uses every function once; releases everything on success and failure. */
static vo_result use_everything(vo_context *ctx, void *arg) {
    const vo_box *boxes = arg;
    vo_bvh a = {0}, b = {0};
    vo_pair_list list = {0};
    vo_result result = vo_bvh_build(ctx, &a, boxes, 1000);
    if (result == VO_OK) result = vo_bvh_build(ctx, &b, boxes, 10);
    if (result == VO_OK) result = vo_bvh_tree_pairs(ctx, &a, &b, &list);
    if (result == VO_OK) result = vo_bvh_self_pairs(ctx, &a, &list);
    if (result == VO_OK) result = vo_bvh_build(ctx, &b, boxes, 1000);
    if (result != VO_OK) assert_true(list.count == 0 || b.box_count == 0);
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &a);
    vo_bvh_free(ctx, &b);
    return result;
}

static void test_allocations(void **state) {
    (void)state;
    vo_box *boxes = random_boxes(1000, 0.3, 3);
    test_every_allocation(use_everything, boxes);
    free(boxes);
}

/* Once a list has grown, refits and traversals do not allocate. */
static void test_no_allocation_after_growth(void **state) {
    (void)state;
    enum { K = 40, N = 2 * K * K };
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    vo_box *boxes = new_boxes(N);
    vo_bvh tree = {0};
    vo_pair_list list = {0};
    sheet_boxes(K, 2, 0.05, boxes);
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
    assert_ok(ctx, vo_bvh_self_pairs(ctx, &tree, &list));
    long calls = memory.calls;
    for (int frame = 0; frame < 10; frame++) {
        sheet_boxes(K, 2 + 0.01 * frame, 0.04, boxes);
        vo_bvh_refit(ctx, &tree, boxes);
        assert_ok(ctx, vo_bvh_self_pairs(ctx, &tree, &list));
        assert_true(list.count > 0);
    }
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
    assert_int_equal(memory.calls, calls);
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &tree);
    free(boxes);
    vo_context_destroy(ctx);
}

/* Tens of thousands of mutually overlapping boxes are rejected quickly. */
static void test_too_many_pairs(void **state) {
    (void)state;
    enum { N = 100000 };
    vo_context *ctx = test_context(2);
    vo_box *boxes = new_boxes(N);
    vo_bvh tree = {0};
    vo_pair_list list = {0};
    assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
    assert_int_equal(vo_bvh_self_pairs(ctx, &tree, &list), VO_NO_MEMORY);
    assert_int_equal(list.count, 0);
    vo_pair_list_free(ctx, &list);
    vo_bvh_free(ctx, &tree);
    free(boxes);
    vo_context_destroy(ctx);
}

/* Time of the fastest of several refits or traversals, s. */
static double best(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, vo_pair_list *list) {
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        double start = vo_now();
        if (list)
            assert_ok(ctx, vo_bvh_self_pairs(ctx, tree, list));
        else
            vo_bvh_refit(ctx, tree, boxes);
        least = vo_min(least, vo_now() - start);
    }
    return least;
}

static void test_speed(void **state) {
    (void)state;
    enum { K = 224, N = 2 * K * K };
    vo_box *boxes = new_boxes(N);
    sheet_boxes(K, 1, 0.0005, boxes);
    for (int threads = 1; threads <= 2; threads++) {
        vo_context *ctx = test_context(threads);
        vo_bvh tree = {0};
        vo_pair_list list = {0};
        double start = vo_now();
        assert_ok(ctx, vo_bvh_build(ctx, &tree, boxes, N));
        double build = vo_now() - start, refit = best(ctx, &tree, boxes, NULL);
        double walk = best(ctx, &tree, boxes, &list);
        printf("%d boxes, %d thread(s): build %.1f ms, refit %.2f ms, self-walk %.2f ms, "
               "%.1f pairs a box\n",
               N, threads, build * 1e3, refit * 1e3, walk * 1e3, (double)list.count / N);
        vo_pair_list_free(ctx, &list);
        vo_bvh_free(ctx, &tree);
        vo_context_destroy(ctx);
    }
    free(boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_self_random),
        cmocka_unit_test(test_between_random),
        cmocka_unit_test(test_sheet_refit),
        cmocka_unit_test(test_degenerate_boxes),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_no_allocation_after_growth),
        cmocka_unit_test(test_too_many_pairs),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
