/* Random edits of layers close to each other: every answer of the guard against a judge who looks
 * at all faces at many times, and many thousand allowed edits against the exact checker. */
#include "guard_world.h"

/* Sanitizers see the same code in a fraction of the edits. */
enum { SHARE = TEST_SLOWNESS > 1 ? 5 : 1 };

/* How answers and judgements fall together. */
typedef struct record {
    int asked, may[VERDICTS], no[VERDICTS];
} record;

static void judge_answers(world *w, vo_random *r, int questions, record *out) {
    while (out->asked < questions) {
        edit_wish e = wish_random(w, r, 900);
        if (e.cloth > 3) continue; /* small pieces stay as they are */
        bool may = guard_may(w, e);
        if (e.kind != SPLIT) {
            verdict v = world_judge(w, e, 24);
            out->asked++;
            *(may ? &out->may[v] : &out->no[v]) += 1;
        }
        if (may) assert_ok(w->ctx, wish_do(w, e));
    }
}

static void print_record(const char *name, double clearance, const record *t) {
    printf("%s, clearance %g: %d asked; may %d; no: passes %d, intersects %d, close %d, fine %d "
           "(%.2f %% of the fine ones)\n",
           name, clearance, t->asked, t->may[FINE], t->no[PASSES], t->no[INTERSECTS], t->no[CLOSE],
           t->no[FINE], 100.0 * t->no[FINE] / vo_max_int(t->no[FINE] + t->may[FINE], 1));
}

/* No edit is allowed that the judge calls bad; few are refused that he calls good. */
static void check_answers(world_kind kind, int cells, double gap, double clearance) {
    world w = world_make(kind, cells, gap, 1);
    vo_random r = vo_random_seed(5);
    record t = {0};
    assert_int_equal(world_crossings(&w), 0);
    world_begin(&w, clearance * gap / cells);
    judge_answers(&w, &r, 1500 / SHARE, &t);
    print_record(WORLD_NAME[kind], clearance, &t);
    assert_int_equal(t.may[PASSES], 0);
    assert_int_equal(t.may[INTERSECTS], 0);
    assert_int_equal(t.may[CLOSE], 0);
    assert_true(t.may[FINE] > 100 / SHARE);
    assert_true(20 * t.no[FINE] <= t.no[FINE] + t.may[FINE]);
    assert_int_equal(world_crossings(&w), 0);
    world_free(&w);
}

static void answers_are_those_of_the_judge(void **state) {
    (void)state;
    for (int kind = 0; kind < WORLD_KINDS; kind++) {
        check_answers((world_kind)kind, 10, 0.2, 0);
        check_answers((world_kind)kind, 10, 0.2, 0.3);
    }
}

static void check_sequence(world_kind kind, int cells, double gap, double clearance, int edits) {
    world w = world_make(kind, cells, gap, 2);
    vo_random r = vo_random_seed(6);
    int done = 0, asked = 0;
    assert_int_equal(world_crossings(&w), 0);
    world_begin(&w, clearance * gap / cells);
    while (done < edits / SHARE) {
        edit_wish e = wish_random(&w, &r, 2500);
        asked++;
        if (!guard_may(&w, e)) continue;
        assert_ok(w.ctx, wish_do(&w, e));
        if (++done % 250 == 0) assert_int_equal(world_crossings(&w), 0);
        if (done % 5000 == 0) world_begin(&w, w.clearance);
    }
    printf("%s: %d of %d edits done\n", WORLD_NAME[kind], done, asked);
    world_free(&w);
}

static void what_is_allowed_never_tangles(void **state) {
    (void)state;
    check_sequence(STACKED, 16, 0.1, 0.3, 20000);
    check_sequence(PLEATED, 24, 0.15, 0, 8000);
    check_sequence(PIECES, 10, 1, 0.01, 4000);
    check_sequence(AROUND, 14, 0.1, 0.5, 8000);
    check_sequence(CRUMPLED, 24, 0.1, 0, 8000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_judge),
        cmocka_unit_test(what_is_allowed_never_tangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
