/* Random edits of layers close to each other: each result of the guard compared with a brute-force
 * reference at many times, and thousands of allowed edits with the exact checker. */
#include "guard_fixture.h"

/* Sanitizer builds run a fraction of the edits. */
enum { REDUCTION = TEST_SLOWNESS > 1 ? 5 : 1 };

/* Counts of guard results by reference verdict. */
typedef struct record {
    int queries_made, allowed[VERDICTS], rejected[VERDICTS];
} record;

static void compare_results(guard_fixture *w, vo_random *r, int queries, record *out) {
    while (out->queries_made < queries) {
        edit_request e = random_edit(w, r, 900);
        if (e.cloth > 3) continue; /* small pieces are not edited */
        bool allowed = guard_allows(w, e);
        if (e.kind != SPLIT) {
            verdict v = judge_edit(w, e, 24);
            out->queries_made++;
            *(allowed ? &out->allowed[v] : &out->rejected[v]) += 1;
        }
        if (allowed) assert_ok(w->ctx, apply_edit(w, e));
    }
}

static void print_record(const char *name, double clearance, const record *t) {
    printf("%s, clearance %g: %d queries; allowed %d; rejected: passes %d, intersects %d, close "
           "%d, fine %d "
           "(%.2f %% of the fine ones)\n",
           name, clearance, t->queries_made, t->allowed[FINE], t->rejected[PASSES],
           t->rejected[INTERSECTS], t->rejected[CLOSE], t->rejected[FINE],
           100.0 * t->rejected[FINE] / vo_max_int(t->rejected[FINE] + t->allowed[FINE], 1));
}

/* No edit with a bad verdict is allowed; few edits with a good verdict are rejected. */
static void check_results(fixture_kind kind, int cells, double gap, double clearance) {
    guard_fixture w = fixture_make(kind, cells, gap, 1);
    vo_random r = vo_random_seed(5);
    record t = {0};
    assert_int_equal(count_intersections(&w), 0);
    fixture_begin(&w, clearance * gap / cells);
    compare_results(&w, &r, 1500 / REDUCTION, &t);
    print_record(FIXTURE_NAME[kind], clearance, &t);
    assert_int_equal(t.allowed[PASSES], 0);
    assert_int_equal(t.allowed[INTERSECTS], 0);
    assert_int_equal(t.allowed[CLOSE], 0);
    assert_true(t.allowed[FINE] > 100 / REDUCTION);
    assert_true(20 * t.rejected[FINE] <= t.rejected[FINE] + t.allowed[FINE]);
    assert_int_equal(count_intersections(&w), 0);
    fixture_free(&w);
}

static void results_match_reference(void **state) {
    (void)state;
    for (int kind = 0; kind < FIXTURE_KINDS; kind++) {
        check_results((fixture_kind)kind, 10, 0.2, 0);
        check_results((fixture_kind)kind, 10, 0.2, 0.3);
    }
}

static void check_sequence(fixture_kind kind, int cells, double gap, double clearance, int edits) {
    guard_fixture w = fixture_make(kind, cells, gap, 2);
    vo_random r = vo_random_seed(6);
    int done = 0, queries_made = 0;
    assert_int_equal(count_intersections(&w), 0);
    fixture_begin(&w, clearance * gap / cells);
    while (done < edits / REDUCTION) {
        edit_request e = random_edit(&w, &r, 2500);
        queries_made++;
        if (!guard_allows(&w, e)) continue;
        assert_ok(w.ctx, apply_edit(&w, e));
        if (++done % 250 == 0) assert_int_equal(count_intersections(&w), 0);
        if (done % 5000 == 0) fixture_begin(&w, w.clearance);
    }
    printf("%s: %d of %d edits done\n", FIXTURE_NAME[kind], done, queries_made);
    fixture_free(&w);
}

static void allowed_edits_never_intersect(void **state) {
    (void)state;
    check_sequence(STACKED, 16, 0.1, 0.3, 20000);
    check_sequence(PLEATED, 24, 0.15, 0, 8000);
    check_sequence(PIECES, 10, 1, 0.01, 4000);
    check_sequence(AROUND, 14, 0.1, 0.5, 8000);
    check_sequence(CRUMPLED, 24, 0.1, 0, 8000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_match_reference),
        cmocka_unit_test(allowed_edits_never_intersect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
