/* What the guard costs: a question, taking all faces, taking an obstacle's. Printed; the limits are
 * several times what is meant, for busy machines. */
#include "guard_world.h"

enum { ROUNDS = 5 };

static double best_of(double best, double start) { return vo_min(best, test_seconds() - start); }

/* Seconds to take all faces, the best of some rounds. */
static double begin_seconds(world *w, double clearance) {
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = test_seconds();
        world_begin(w, clearance);
        best = best_of(best, start);
    }
    return best;
}

/* Seconds a question of one kind about every edge that may be edited so; how many may. */
static double question_seconds(world *w, edit_kind kind, int *asked, int *allowed) {
    double best = INFINITY;
    int capacity = 0;
    for (int i = 0; i < w->cloth_count; i++) capacity += w->mesh[i]->edge_count;
    edit_wish *wish = test_malloc((size_t)capacity * sizeof *wish);
    *asked = 0;
    for (int i = 0; i < w->cloth_count; i++)
        for (int edge = 0; edge < w->mesh[i]->edge_count; edge++) {
            edit_wish e = {kind, i, edge, edge & 1};
            if (wish_can(w, e)) wish[(*asked)++] = e;
        }
    for (int round = 0; round < ROUNDS; round++) {
        double start = test_seconds();
        *allowed = 0;
        for (int k = 0; k < *asked; k++) *allowed += guard_may(w, wish[k]);
        best = best_of(best, start);
    }
    test_free(wish);
    return best / *asked;
}

static int face_total(const world *w) {
    int faces = 0;
    for (int i = 0; i < w->cloth_count; i++) faces += w->mesh[i]->face_count;
    return faces;
}

static void check_costs(world_kind kind, int cells, double gap, double clearance) {
    world w = world_make(kind, cells, gap, 1);
    double begin = begin_seconds(&w, clearance * gap / cells);
    int asked, allowed, faces = face_total(&w);
    for (int i = 0; i < w.obstacle_count; i++) faces += w.obstacle[i]->face_count;
    printf("%s: begin %.3f us a face (%d faces)\n", WORLD_NAME[kind], 1e6 * begin / faces, faces);
    assert_true(begin / faces < 1e-6 * TEST_SLOWNESS);
    for (edit_kind k = COLLAPSE; k <= FLIP; k++) {
        double seconds = question_seconds(&w, k, &asked, &allowed);
        printf("    %s %.2f us, %d of %d allowed\n", k == FLIP ? "flip" : "collapse", 1e6 * seconds,
               allowed, asked);
        assert_true(seconds < 20e-6 * TEST_SLOWNESS);
    }
    world_free(&w);
}

static void questions_are_cheap(void **state) {
    (void)state;
    check_costs(FLAT, 100, 1, 0.01);
    check_costs(STACKED, 60, 0.1, 0.3);
    check_costs(PLEATED, 100, 0.2, 0.3);
    check_costs(AROUND, 60, 0.05, 0.3);
    check_costs(CRUMPLED, 100, 0.1, 0.3);
}

static void a_body_is_taken_quickly(void **state) {
    (void)state;
    world w = {.ctx = test_context(1)};
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_SPHERE);
    def.radius = 0.5;
    def.edge_length = 0.0165;
    assert_ok(w.ctx, vo_mesh_create_shape(w.ctx, &def, &w.obstacle[w.obstacle_count++]));
    world_add_sheet(&w, 1, 4, place_cap, (double[]){2.2});
    w.mesh[0]->node_x[0] = v3(-1, -1, -1);
    double seconds = begin_seconds(&w, 0.001);
    printf("a body of %d faces: begin %.2f ms\n", w.obstacle[0]->face_count, 1e3 * seconds);
    assert_true(seconds < 20e-3 * TEST_SLOWNESS);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_cheap),
        cmocka_unit_test(a_body_is_taken_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
