/* Times of transitions and leaf lists, and memory per leaf triangle (rt/hierarchy). Prints the
 * figures; fails only if they are ten times the targets, since machines differ. */
#include "rt_hierarchy_assets.h"

#include <stdio.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { TRIANGLES = 256, REPEATS = 40 };

/* Triangles without neighbours. */
static test_asset soup(void) {
    static vo_rt_vec3 x[3 * TRIANGLES];
    static int triangle[3 * TRIANGLES];
    static vo_rt_vec2 corner[3 * TRIANGLES];
    for (int i = 0; i < 3 * TRIANGLES; i++) {
        x[i] = f3((float)(i % 3 == 1) + (float)i, (float)(i % 3 == 2), 0);
        triangle[i] = i;
        corner[i] = f2(x[i].x - (float)i, x[i].y);
    }
    return test_asset_build(3 * TRIANGLES, x, TRIANGLES, triangle, corner, 1);
}

/* Changes all triangles to a configuration; adds the times of edges and of triangles. */
static void change_all(vo_rt_mesh *mesh, int to, double *edge_time, double *triangle_time) {
    int to_state = vo_rt_configurations[to].state;
    int state = vo_rt_configurations[mesh->triangle[0].configuration].state;
    double start = seconds();
    for (int k = 0; k < TRIANGLES; k++)
        for (int i = 0; i < 3; i++) {
            int edge = mesh->triangle[k].edge[i];
            if (state & ~to_state & 1 << i) vo_rt_mesh_begin_join(mesh, edge);
            if (~state & to_state & 1 << i) vo_rt_mesh_divide_edge(mesh, edge);
        }
    double middle = seconds();
    for (int k = 0; k < TRIANGLES; k++) vo_rt_mesh_change_configuration(mesh, k, to);
    double end = seconds();
    for (int k = 0; k < TRIANGLES; k++)
        for (int i = 0; i < 3; i++)
            if (state & ~to_state & 1 << i) vo_rt_mesh_end_join(mesh, mesh->triangle[k].edge[i]);
    *edge_time += middle - start + seconds() - end;
    *triangle_time += end - middle;
    vo_rt_mesh_finish(mesh);
}

/* Mean times of one transition, us. */
static void time_transition(test_mesh *m, int from, int to, double *edges, double *triangles) {
    double none = 0;
    *edges = *triangles = 1e9;
    for (int r = 0; r < REPEATS; r++) {
        double e = 0, t = 0;
        if (m->mesh.triangle[0].configuration != 0) change_all(&m->mesh, 0, &none, &none);
        if (from > 0) change_all(&m->mesh, from, &none, &none);
        change_all(&m->mesh, to, &e, &t);
        if (e < *edges) *edges = e;
        if (t < *triangles) *triangles = t;
    }
    *edges *= 1e6 / TRIANGLES;
    *triangles *= 1e6 / TRIANGLES;
}

static void test_transitions(void **state) {
    (void)state;
    static const int paper[6][2] = {{0, 1}, {1, 4}, {1, 5}, {2, 5}, {4, 1}, {4, 10}};
    test_mesh m;
    double sum = 0, edges, triangles;
    test_mesh_init(&m, soup(), 8 << 20);
    assert_true(vo_rt_mesh_reserve_splits(&m.mesh, &m.heap, 3 * TRIANGLES));
    for (int i = 0; i < 6; i++) {
        time_transition(&m, paper[i][0], paper[i][1], &edges, &triangles);
        printf("C%d to C%d: %.3f us, edges %.3f us\n", paper[i][0], paper[i][1], triangles, edges);
    }
    for (int from = 0; from < VO_RT_CONFIGURATIONS; from++)
        for (int to = 0; to < VO_RT_CONFIGURATIONS; to++) {
            if (vo_rt_configurations[from].state == vo_rt_configurations[to].state) continue;
            time_transition(&m, from, to, &edges, &triangles);
            sum += triangles;
        }
    printf("mean of 104 transitions: %.3f us\n", sum / 104);
    assert_true(sum / 104 < 0.6 * TEST_SLOWNESS);
    test_mesh_free(&m);
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
