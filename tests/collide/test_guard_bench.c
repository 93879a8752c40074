/* Benchmark of the edit guard: time per query, and time to insert all faces and those of an
 * obstacle. Printed; the limits are several times the target, for busy machines. */
#include "guard_fixture.h"

enum { ROUNDS = 5 };

static double best_of(double best, double start) { return vo_min(best, test_seconds() - start); }

/* Returns the time to insert all faces, the best of several rounds. */
static double begin_seconds(guard_fixture *w, double clearance) {
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = test_seconds();
        fixture_begin(w, clearance);
        best = best_of(best, start);
    }
    return best;
}

/* Returns the time per query of one kind over all possible edits, and the number allowed. */
static double query_seconds(guard_fixture *w, edit_kind kind, int *queried, int *allowed) {
    double best = INFINITY;
    int capacity = 0;
    for (int i = 0; i < w->cloth_count; i++) capacity += w->mesh[i]->edge_count;
    edit_request *request = test_malloc((size_t)capacity * sizeof *request);
    *queried = 0;
    for (int i = 0; i < w->cloth_count; i++)
        for (int edge = 0; edge < w->mesh[i]->edge_count; edge++) {
            edit_request e = {kind, i, edge, edge & 1};
            if (edit_is_possible(w, e)) request[(*queried)++] = e;
        }
    for (int round = 0; round < ROUNDS; round++) {
        double start = test_seconds();
        *allowed = 0;
        for (int k = 0; k < *queried; k++) *allowed += guard_allows(w, request[k]);
        best = best_of(best, start);
    }
    test_free(request);
    return best / *queried;
}

static int face_total(const guard_fixture *w) {
    int faces = 0;
    for (int i = 0; i < w->cloth_count; i++) faces += w->mesh[i]->face_count;
    return faces;
}

static void check_costs(fixture_kind kind, int cells, double gap, double clearance) {
    guard_fixture w = fixture_make(kind, cells, gap, 1);
    double begin = begin_seconds(&w, clearance * gap / cells);
    int queried, allowed, faces = face_total(&w);
    for (int i = 0; i < w.obstacle_count; i++) faces += w.obstacle[i]->face_count;
    printf("%s: begin %.3f us per face (%d faces)\n", FIXTURE_NAME[kind], 1e6 * begin / faces,
           faces);
    assert_true(begin / faces < 1e-6 * TEST_SLOWNESS);
    for (edit_kind k = COLLAPSE; k <= FLIP; k++) {
        double seconds = query_seconds(&w, k, &queried, &allowed);
        printf("    %s %.2f us, %d of %d allowed\n", k == FLIP ? "flip" : "collapse", 1e6 * seconds,
               allowed, queried);
        assert_true(seconds < 20e-6 * TEST_SLOWNESS);
    }
    fixture_free(&w);
}

static void queries_are_within_time_limit(void **state) {
    (void)state;
    check_costs(FLAT, 100, 1, 0.01);
    check_costs(STACKED, 60, 0.1, 0.3);
    check_costs(PLEATED, 100, 0.2, 0.3);
    check_costs(AROUND, 60, 0.05, 0.3);
    check_costs(CRUMPLED, 100, 0.1, 0.3);
}

static void body_is_inserted_within_time_limit(void **state) {
    (void)state;
    guard_fixture w = {.ctx = test_context(1)};
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_SPHERE);
    def.radius = 0.5;
    def.edge_length = 0.0165;
    assert_ok(w.ctx, vo_mesh_create_shape(w.ctx, &def, &w.obstacle[w.obstacle_count++]));
    fixture_add_sheet(&w, 1, 4, place_cap, (double[]){2.2});
    w.mesh[0]->node_x[0] = v3(-1, -1, -1);
    double seconds = begin_seconds(&w, 0.001);
    printf("a body of %d faces: begin %.2f ms\n", w.obstacle[0]->face_count, 1e3 * seconds);
    assert_true(seconds < 20e-3 * TEST_SLOWNESS);
    fixture_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_within_time_limit),
        cmocka_unit_test(body_is_inserted_within_time_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
