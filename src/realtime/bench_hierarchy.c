/* Tables 1 and 2 of Simnett et al. 2010: transitions between configurations, and a simulation step
 * on leaf lists against one that traverses the tree. */
#include "realtime/bench.h"

#include "core/memory.h"
#include "rt/hierarchy/mesh_private.h"
#include "rt/solve/kernels.h"

#include <stdio.h>

/* A mesh with its asset and heap. */
typedef struct rig {
    vo_rt_asset *asset;
    vo_rt_heap heap;
    vo_rt_mesh mesh;
} rig;

static void free_rig(rig *r) {
    if (r->heap.memory) {
        vo_rt_mesh_free(&r->mesh, &r->heap);
        vo_rt_heap_free(&r->heap);
    }
    vo_rt_asset_destroy(r->asset);
}

static vo_result create_rig(vo_bench *b, const vo_rt_asset_def *def, size_t heap_bytes, rig *r) {
    vo_rt_message message = {{0}};
    *r = (rig){0};
    vo_result result = vo_rt_asset_create(&b->ctx->allocator, def, &r->asset, &message);
    if (result != VO_OK) return vo_bench_fail(b, result, message.text);
    if (vo_rt_heap_init(&r->heap, &b->ctx->allocator, heap_bytes) &&
        vo_rt_mesh_init(&r->mesh, r->asset, &r->heap))
        return VO_OK;
    free_rig(r);
    return vo_fail_memory(b->ctx, "an adaptive mesh");
}

/* --- Table 1: transitions ----------------------------------------------------------------------*/

enum { SOUP = 256, TRANSITION_REPEATS = 8, PAPER_TRANSITIONS = 6, ALL_TRANSITIONS = 104 };

static const struct {
    int from, to;
    double paper; /* us */
} paper_transitions[PAPER_TRANSITIONS] = {{0, 1, 0.199257}, {1, 4, 0.177083}, {1, 5, 0.236971},
                                          {2, 5, 0.173625}, {4, 1, 0.070819}, {4, 10, 0.257016}};

/* Triangles without neighbours. */
static vo_result create_soup(vo_bench *b, rig *r) {
    vo_rt_vec3 x[3 * SOUP];
    int32_t triangle[3 * SOUP];
    for (int i = 0; i < 3 * SOUP; i++) {
        x[i] = (vo_rt_vec3){(float)(i % 3 == 1) + 2 * (float)(i / 3), (float)(i % 3 == 2), 0};
        triangle[i] = i;
    }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = 3 * SOUP;
    def.positions = x;
    def.triangle_count = SOUP;
    def.triangles = triangle;
    def.max_level = 1;
    VO_TRY(create_rig(b, &def, (size_t)8 << 20, r));
    if (vo_rt_mesh_reserve_splits(&r->mesh, &r->heap, 3 * SOUP)) return VO_OK;
    free_rig(r);
    return vo_fail_memory(b->ctx, "an adaptive mesh");
}

/* Divides or joins the edges of all triangles; the triangles follow. */
static void change_edges(vo_rt_mesh *mesh, int state, int to_state) {
    for (int k = 0; k < SOUP; k++)
        for (int i = 0; i < 3; i++) {
            int edge = mesh->triangle[k].edge[i];
            if (state & ~to_state & 1 << i) vo_rt_mesh_begin_join(mesh, edge);
            if (~state & to_state & 1 << i) vo_rt_mesh_divide_edge(mesh, edge);
        }
}

/* Changes all triangles to a configuration; returns the seconds of the triangles alone. */
static double change_all(vo_rt_mesh *mesh, int to) {
    int to_state = vo_rt_configurations[to].state;
    int state = vo_rt_configurations[mesh->triangle[0].configuration].state;
    change_edges(mesh, state, to_state);
    double start = vo_bench_thread_time();
    for (int k = 0; k < SOUP; k++) vo_rt_mesh_change_configuration(mesh, k, to);
    double elapsed = vo_bench_thread_time() - start;
    for (int k = 0; k < SOUP; k++)
        for (int i = 0; i < 3; i++)
            if (state & ~to_state & 1 << i) vo_rt_mesh_end_join(mesh, mesh->triangle[k].edge[i]);
    vo_rt_mesh_finish(mesh);
    return elapsed;
}

/* Best time of one transition, us. */
static double time_transition(rig *r, int repeats, int from, int to) {
    double best = INFINITY;
    for (int i = 0; i < repeats; i++) {
        if (r->mesh.triangle[0].configuration != 0) change_all(&r->mesh, 0);
        if (from > 0) change_all(&r->mesh, from);
        best = fmin(best, change_all(&r->mesh, to));
    }
    return 1e6 * best / SOUP;
}

static const char transition_limit[] =
    "cache lines of edges (80 bytes) and triangles (68 bytes), masses and dirty marks";

static void report_paper_transitions(vo_bench *b, rig *r, int repeats) {
    for (int i = 0; i < PAPER_TRANSITIONS; i++) {
        char name[32], text[64];
        int from = paper_transitions[i].from, to = paper_transitions[i].to;
        snprintf(name, sizeof name, "transition-C%d-C%d", from, to);
        snprintf(text, sizeof text, "change of configuration C%d to C%d", from, to);
        vo_bench_report(b, (vo_bench_row){.name = name,
                                          .text = text,
                                          .value = time_transition(r, repeats, from, to),
                                          .unit = "us",
                                          .target = (double)NAN,
                                          .paper = paper_transitions[i].paper,
                                          .limit = transition_limit});
    }
}

static double time_all_transitions(rig *r, int repeats) {
    double sum = 0;
    for (int from = 0; from < VO_RT_CONFIGURATIONS; from++)
        for (int to = 0; to < VO_RT_CONFIGURATIONS; to++)
            if (vo_rt_configurations[from].state != vo_rt_configurations[to].state)
                sum += time_transition(r, repeats, from, to);
    return sum / ALL_TRANSITIONS;
}

vo_result vo_bench_transitions(vo_bench *b) {
    rig r;
    int repeats = TRANSITION_REPEATS * b->def->repeat;
    VO_TRY(create_soup(b, &r));
    report_paper_transitions(b, &r, repeats);
    if (vo_bench_wants(b, "transition-mean"))
        vo_bench_report(b, (vo_bench_row){.name = "transition-mean",
                                          .text = "mean of all 104 transitions",
                                          .value = time_all_transitions(&r, repeats),
                                          .unit = "us",
                                          .target = 0.06,
                                          .paper = (double)NAN,
                                          .limit = transition_limit});
    free_rig(&r);
    return VO_OK;
}

/* --- Table 2: leaf lists -------------------------------------------------------------------------
 *
 * A step of both variants is SUBSTEPS times prediction and a pass over the springs. The variants
 * differ in how the springs are found. */

enum { BASE_CELLS = 8, TABLE_LEVELS = 4, SUBSTEPS = 4, LIST_REPEATS = 20 };

static const double paper_tree[TABLE_LEVELS] = {0.049832, 0.214280, 0.880447, 2.964748};
static const double paper_list[TABLE_LEVELS] = {0.033908, 0.136197, 0.573544, 2.407764};
static const double paper_create[TABLE_LEVELS] = {0.001453, 0.006593, 0.033203, 0.136163};

/* A flat sheet of 128 triangles, attached at one side. */
static vo_result create_sheet(vo_bench *b, rig *r) {
    enum { ROW = BASE_CELLS + 1 };
    vo_rt_vec3 x[ROW * ROW];
    float attachment[ROW * ROW];
    int32_t triangle[6 * BASE_CELLS * BASE_CELLS];
    for (int i = 0; i < ROW * ROW; i++) {
        x[i] = (vo_rt_vec3){0.125f * (float)(i % ROW), 0, -0.125f * (float)(i / ROW)};
        attachment[i] = i < ROW;
    }
    for (int i = 0; i < BASE_CELLS * BASE_CELLS; i++) {
        int a = i / BASE_CELLS * ROW + i % BASE_CELLS;
        const int32_t corner[6] = {a, a + ROW, a + 1, a + 1, a + ROW, a + ROW + 1};
        for (int k = 0; k < 6; k++) triangle[6 * i + k] = corner[k];
    }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = ROW * ROW;
    def.positions = x;
    def.triangle_count = 2 * BASE_CELLS * BASE_CELLS;
    def.triangles = triangle;
    def.attachment = attachment;
    def.tethers = false;
    return create_rig(b, &def, (size_t)32 << 20, r);
}

static vo_rt_demand demand_level(void *user, const vo_rt_mesh *mesh, int edge, bool is_split) {
    const int *level = user;
    return !is_split && mesh->edge[edge].level < *level ? VO_RT_SPLIT : VO_RT_KEEP;
}

/* Refines everything to a level. */
static vo_result refine(vo_bench *b, rig *r, int level) {
    for (int pass = 0; pass < 2 * TABLE_LEVELS; pass++) {
        int capacity = r->mesh.edge_end;
        int32_t *lists = vo_new_array(b->ctx, int32_t, 2 * capacity);
        if (!lists) return vo_fail_memory(b->ctx, "edits");
        vo_rt_edits edits = {.split = lists, .join = lists + capacity, .capacity = capacity};
        vo_rt_mesh_collect(&r->mesh, demand_level, &level, &edits);
        vo_rt_mesh_reserve(&r->mesh, &r->heap, &edits);
        vo_rt_mesh_apply(&r->mesh, &edits, 10, NULL, NULL, NULL);
        vo_free_array(b->ctx, lists, 2 * capacity);
        if (edits.split_count == 0) break;
    }
    return VO_OK;
}

static const vo_rt_substep table_substep = {.h = 1.0f / 480,
                                            .inverse_h = 480,
                                            .acceleration = {0, 0, -9.81f},
                                            .retention = 1,
                                            .max_speed = 50};

static void step_lists(vo_rt_front *f, const vo_rt_solve_kernels *kernels) {
    vo_rt_spring_pass pass = {.limit = 0.05f, .compression = 0.1f};
    for (int k = 0; k < SUBSTEPS; k++) {
        kernels->predict(f, &table_substep, k == 0);
        kernels->project_springs(f, &pass);
    }
    kernels->finish(f, &table_substep);
}

static void project_edge(vo_rt_front *f, const vo_rt_edge *e) {
    vo_rt_vec4 *a = &f->position[e->vertex[0]], *b = &f->position[e->vertex[1]];
    vo_rt_vec3 d = f3_sub(f4_xyz(*b), f4_xyz(*a));
    float length = f3_length(d), w = a->w + b->w;
    if (!(w > 0 && length > 0)) return;
    vo_rt_vec3 shift = f3_scale((length - e->rest) / (w * length), d);
    a->x += a->w * shift.x, a->y += a->w * shift.y, a->z += a->w * shift.z;
    b->x -= b->w * shift.x, b->y -= b->w * shift.y, b->z -= b->w * shift.z;
}

static void visit_edge(vo_rt_mesh *m, int edge) {
    const vo_rt_edge *e = &m->edge[edge];
    if (e->child < 0) {
        project_edge(&m->front, e);
        return;
    }
    visit_edge(m, e->child);
    visit_edge(m, e->child + 1);
}

static void visit_triangle(vo_rt_mesh *m, int triangle) {
    const vo_rt_triangle *t = &m->triangle[triangle];
    if (t->configuration == 0) return;
    for (int i = 0; i < 3; i++)
        if (t->interior[i] >= 0) visit_edge(m, t->interior[i]);
    for (int i = 0; i < 4; i++)
        if (t->child[i] >= 0) visit_triangle(m, t->child[i]);
}

static void step_tree(vo_rt_mesh *m, const vo_rt_solve_kernels *kernels) {
    for (int k = 0; k < SUBSTEPS; k++) {
        kernels->predict(&m->front, &table_substep, k == 0);
        for (int i = 0; i < m->asset->edge_count; i++) visit_edge(m, i);
        for (int i = 0; i < m->asset->triangle_count; i++) visit_triangle(m, i);
    }
    kernels->finish(&m->front, &table_substep);
}

/* Writes all leaf lists again. */
static void rewrite_lists(vo_rt_mesh *m) {
    for (int i = 0; i < m->front.triangle_count; i++)
        vo_rt_write_leaf(m, m->front.triangle_source[i]);
    vo_rt_mesh_rebuild_lanes(m);
}

/* Updates the entries of about 2 % of the leaf edges, as after a major step with a few dozen edits:
 * their bending elements are removed and inserted again. */
static double time_update(vo_rt_mesh *m) {
    int stride = 50;
    for (int i = m->edge_end % stride; i < m->edge_end; i += stride) {
        const vo_rt_edge *e = &m->edge[i];
        if (!(e->flags & VO_RT_EDGE_USED) || e->child >= 0) continue;
        if (e->bend >= 0) vo_rt_mesh_remove_bend(m, i);
        vo_rt_mark_dirty(m, i);
    }
    double start = vo_bench_thread_time();
    vo_rt_mesh_update_lists(m);
    return vo_bench_thread_time() - start;
}

typedef struct list_times {
    double tree, list, rewrite, update; /* s */
    int triangles;
} list_times;

static list_times time_lists(vo_bench *b, rig *r) {
    list_times best = {INFINITY, INFINITY, INFINITY, INFINITY, r->mesh.front.triangle_count};
    const vo_rt_solve_kernels *kernels = vo_rt_solve_select_kernels(b->ctx->use_avx2);
    for (int i = 0; i < LIST_REPEATS * b->def->repeat; i++) {
        double t[4];
        t[0] = vo_bench_thread_time();
        step_tree(&r->mesh, kernels);
        t[1] = vo_bench_thread_time();
        step_lists(&r->mesh.front, kernels);
        t[2] = vo_bench_thread_time();
        rewrite_lists(&r->mesh);
        t[3] = vo_bench_thread_time();
        best.tree = fmin(best.tree, t[1] - t[0]);
        best.list = fmin(best.list, t[2] - t[1]);
        best.rewrite = fmin(best.rewrite, t[3] - t[2]);
        best.update = fmin(best.update, time_update(&r->mesh));
    }
    return best;
}

static void report_list(vo_bench *b, const char *kind, int level, const char *what, int triangles,
                        double seconds, double paper, const char *limit) {
    char name[32], text[120];
    snprintf(name, sizeof name, "lists-%s-%d", kind, level);
    snprintf(text, sizeof text, "level %d, %d triangles: %s", level, triangles, what);
    vo_bench_report(b, (vo_bench_row){.name = name,
                                      .text = text,
                                      .value = 1e3 * seconds,
                                      .unit = "ms",
                                      .target = (double)NAN,
                                      .paper = paper,
                                      .limit = limit});
}

static void report_level(vo_bench *b, int level, const list_times *t) {
    report_list(b, "tree", level, "simulation step that traverses the tree", t->triangles, t->tree,
                paper_tree[level], "dependent loads, one edge at a time");
    report_list(b, "step", level, "simulation step on leaf lists", t->triangles, t->list,
                paper_list[level], "gathers and scatters of the spring pass, eight lanes wide");
    report_list(b, "rewrite", level, "leaf lists written again entirely", t->triangles, t->rewrite,
                paper_create[level], "loads of edges and their triangles, in the order of lanes");
    if (level < TABLE_LEVELS - 1) return;
    vo_bench_report(b, (vo_bench_row){.name = "lists-update",
                                      .text = "update of the leaf lists of 8,192 triangles in "
                                              "which 2 % of the edges changed",
                                      .value = 1e3 * t->update,
                                      .unit = "ms",
                                      .target = 0.05,
                                      .paper = paper_create[level],
                                      .limit = "search for a group without common vertices"});
}

vo_result vo_bench_lists(vo_bench *b) {
    rig r;
    vo_result result = create_sheet(b, &r);
    for (int level = 0; level < TABLE_LEVELS && result == VO_OK; level++) {
        result = refine(b, &r, level);
        if (result != VO_OK) break;
        list_times times = time_lists(b, &r);
        report_level(b, level, &times);
    }
    free_rig(&r);
    return result;
}
