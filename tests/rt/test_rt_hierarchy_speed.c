/* Times of transitions and leaf lists, and memory per leaf triangle (rt/hierarchy). Prints the
 * figures; fails only if they are ten times the targets, since machines differ. */
#include "rt_hierarchy_assets.h"

#include <voile/bench.h>

#include <stdio.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints a row and keeps the mean of all transitions. */
static void receive_row(void *user, const vo_bench_row *row) {
    double *mean = user;
    printf("%s: %.3f %s\n", row->name, row->value, row->unit);
    if (strcmp(row->name, "transition-mean") == 0) *mean = row->value;
}

static void test_transitions(void **state) {
    (void)state;
    double mean = 0;
    vo_context *ctx = test_context(1);
    vo_bench_rt_def def = vo_bench_rt_def_default();
    def.only = "transition";
    def.row = receive_row;
    def.user = &mean;
    assert_ok(ctx, vo_bench_rt(ctx, &def));
    assert_true(mean > 0 && mean < 0.6 * TEST_SLOWNESS);
    vo_context_destroy(ctx);
}

typedef struct disc {
    float x, y;
} disc;

static vo_rt_demand demand(void *user, const vo_rt_mesh *mesh, int edge, bool is_split) {
    const disc *d = user;
    const vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_vec4 a = mesh->front.position[e->vertex[0]], b = mesh->front.position[e->vertex[1]];
    float dx = 0.5f * (a.x + b.x) - d->x, dy = 0.5f * (a.y + b.y) - d->y;
    bool wants = dx * dx + dy * dy < 0.36f;
    return wants == is_split ? VO_RT_KEEP : wants ? VO_RT_SPLIT : VO_RT_JOIN;
}

/* A disc of refinement moves over a sheet; about 8,192 leaf triangles. */
static void test_adaption(void **state) {
    (void)state;
    vo_random random = vo_random_seed(1);
    enum { CAPACITY = 8192 };
    static int32_t split[CAPACITY], join[CAPACITY];
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(10, 10, 0.14f, 0.2f, false, 3, &random), 32 << 20);
    double collect = 0, apply = 0, lists = 0, edits_made = 0, leaves = 0;
    int steps = 60;
    for (int step = -20; step < steps; step++) {
        disc d = {0.6f + 0.003f * (float)step, 0.7f};
        vo_rt_edits edits = {.split = split, .join = join, .capacity = CAPACITY};
        double t0 = seconds();
        vo_rt_mesh_collect(&m.mesh, demand, &d, &edits);
        double t1 = seconds();
        vo_rt_mesh_reserve(&m.mesh, &m.heap, &edits);
        double t2 = seconds();
        vo_rt_mesh_apply(&m.mesh, &edits, 10, NULL, NULL, NULL);
        double t3 = seconds();
        if (step < 0) continue;
        collect += t1 - t0;
        apply += t3 - t2;
        edits_made += edits.split_count + edits.join_count;
        leaves += m.mesh.front.triangle_count;
    }
    /* The lists alone: all edges of the last step again. */
    double start = seconds();
    for (int r = 0; r < steps; r++) {
        for (int i = 0; i < 4 * (int)(edits_made / steps); i++) {
            int edge = vo_random_int(&random, m.mesh.edge_end);
            if (!(m.mesh.edge[edge].flags & VO_RT_EDGE_USED)) continue;
            vo_rt_mesh_remove_bend(&m.mesh, edge);
            vo_rt_mark_dirty(&m.mesh, edge);
        }
        vo_rt_mesh_update_lists(&m.mesh);
    }
    lists = seconds() - start;
    const vo_rt_front *f = &m.mesh.front;
    printf("adaption of %.0f leaf triangles, %.0f edits: collect %.3f ms, apply %.3f ms\n",
           leaves / steps, edits_made / steps, 1e3 * collect / steps, 1e3 * apply / steps);
    printf("lists of %.0f edges: %.3f ms\n", 4 * edits_made / steps, 1e3 * lists / steps);
    printf("lanes in use: springs %.3f, bends %.3f\n",
           f->spring_count / (8.0 * f->spring_group_count),
           f->bend_count / (8.0 * f->bend_group_count));
    double per_leaf = (double)vo_rt_mesh_bytes(&m.mesh) / f->triangle_count;
    vo_rt_mesh_counts count = vo_rt_mesh_count(&m.mesh);
    double in_use = 0;
    for (int i = 0; i < VO_RT_MESH_ARRAYS; i++) {
        vo_rt_array a = vo_rt_mesh_array(&m.mesh, i);
        in_use += (double)count.of[a.kind] * (double)a.size;
    }
    printf("bytes per leaf triangle: %.0f, in use %.0f\n", per_leaf, in_use / f->triangle_count);
    assert_true(in_use / f->triangle_count < 600);
    assert_true(apply / steps < 5e-3 * TEST_SLOWNESS);
    test_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transitions),
        cmocka_unit_test(test_adaption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
