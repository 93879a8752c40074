/* Tests of the occlusion falloff against all-pairs shortest paths along occluded faces. */
#include "support.h"

#include "core/random.h"
#include "view/occlusion_falloff.h"

enum { CELLS = 9, NODES = (CELLS + 1) * (CELLS + 1), FACES = 2 * CELLS * CELLS };

/* A crumpled sheet that is partly visible, some of it to one of two viewpoints only. */
typedef struct sheet {
    vo_context *ctx;
    vo_mesh *mesh;
    unsigned char asked[FACES], seen[FACES];
    double factor[FACES], worth[NODES];
} sheet;

static sheet make_sheet(vo_random *r, double part_seen) {
    sheet s = {.ctx = test_context(1)};
    s.mesh = test_grid(s.ctx, 1, 1, CELLS, CELLS);
    for (int i = 0; i < NODES; i++)
        s.mesh->node_x[i] = v3_add(
            s.mesh->node_x[i], v3_scale(0.05, v3(vo_random_real(r, 0, 1), vo_random_real(r, 0, 1),
                                                 vo_random_real(r, 0, 1))));
    for (int f = 0; f < FACES; f++) {
        s.asked[f] = vo_random_real(r, 0, 1) < 0.9 ? 3 : 0;
        s.seen[f] = vo_random_real(r, 0, 1) < part_seen ? 3 : vo_random_real(r, 0, 1) < 0.1;
        s.seen[f] &= s.asked[f];
        s.factor[f] = s.seen[f] ? 0.5 + 0.5 * vo_random_real(r, 0, 1) : 0.2;
    }
    return s;
}

static void free_sheet(sheet *s) {
    vo_mesh_destroy(s->mesh);
    vo_context_destroy(s->ctx);
}

static bool is_hidden(const sheet *s, int face) { return s->asked[face] & ~s->seen[face]; }

/* Shortest path lengths between all nodes along occluded faces (Floyd and Warshall). */
static void find_path_lengths(const sheet *s, double path_length[NODES][NODES]) {
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) path_length[i][j] = i == j ? 0 : INFINITY;
    for (int f = 0; f < FACES; f++)
        for (int k = 0; k < 3 && is_hidden(s, f); k++) {
            int a = vo_mesh_face_node(s->mesh, f, k),
                b = vo_mesh_face_node(s->mesh, f, (k + 1) % 3);
            path_length[a][b] = path_length[b][a] =
                v3_distance(s->mesh->node_x[a], s->mesh->node_x[b]);
        }
    for (int m = 0; m < NODES; m++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                path_length[i][j] =
                    vo_min(path_length[i][j], path_length[i][m] + path_length[m][j]);
}

/* Expected factor of an occluded face from all paths to its corners. */
static double expected_factor(const sheet *s, double fall, double path_length[NODES][NODES],
                              int face) {
    double most = s->factor[face];
    for (int f = 0; f < FACES; f++)
        for (int i = 0; i < 9 && (s->asked[f] & s->seen[f]); i++) {
            int from = vo_mesh_face_node(s->mesh, f, i / 3),
                to = vo_mesh_face_node(s->mesh, face, i % 3);
            most = vo_max(most, s->factor[f] - fall * path_length[from][to]);
        }
    return most;
}

static void falloff_agrees_with_shortest_paths(void **state) {
    (void)state;
    static double path_length[NODES][NODES], expected[FACES];
    vo_random r = vo_random_seed(5);
    int raised = 0, kept = 0;
    for (int i = 0; i < 30; i++) {
        sheet s = make_sheet(&r, i % 3 == 0 ? 0.02 : 0.3);
        double margin = i % 2 ? 0.1 : 0.5;
        vo_occlusion_falloff_def def = {
            .slope = 0.8 / margin, .candidate = s.asked, .visible = s.seen};
        find_path_lengths(&s, path_length);
        for (int f = 0; f < FACES; f++)
            expected[f] =
                is_hidden(&s, f) ? expected_factor(&s, def.slope, path_length, f) : s.factor[f];
        vo_occlusion_falloff_apply(s.mesh, &def, s.factor, s.worth);
        for (int f = 0; f < FACES; f++) {
            assert_near(s.factor[f], expected[f], 1e-12);
            raised += s.factor[f] > 0.2 && is_hidden(&s, f);
            kept += s.factor[f] == 0.2;
        }
        free_sheet(&s);
    }
    assert_true(raised > 500 && kept > 500);
}

/* If nothing or everything is visible, nothing changes; collapsed cloth terminates. */
static void degenerate_input_is_handled(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    for (int i = 0; i < 3; i++) {
        sheet s = make_sheet(&r, 0.5);
        vo_occlusion_falloff_def def = {.slope = 8, .candidate = s.asked, .visible = s.seen};
        for (int f = 0; f < FACES; f++) {
            s.asked[f] = 1, s.seen[f] = i == 1 || (i == 2 && f == 0);
            s.factor[f] = s.seen[f] ? 1 : 0.2;
        }
        for (int n = 0; n < NODES && i == 2; n++) s.mesh->node_x[n] = v3_zero();
        vo_occlusion_falloff_apply(s.mesh, &def, s.factor, s.worth);
        for (int f = 0; f < FACES; f++) assert_near(s.factor[f], i == 0 ? 0.2 : 1, 0);
        free_sheet(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falloff_agrees_with_shortest_paths),
        cmocka_unit_test(degenerate_input_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
