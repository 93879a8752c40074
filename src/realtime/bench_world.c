/* Timed steps of a world, and the cost of a step as a function of the size of the front. */
#include "realtime/bench.h"

#include "core/memory.h"

#include <stdio.h>

static vo_result step_world(vo_bench *b, const vo_bench_steps *s, int step) {
    if (s->take_inputs) s->take_inputs(s->user, step);
    vo_result result = vo_rt_world_step(s->world, s->dt);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, vo_rt_world_message(s->world));
}

static vo_result run_once(vo_bench *b, const vo_bench_steps *s, double *best) {
    for (int i = 0; i < s->count; i++) {
        if (s->set_inputs) s->set_inputs(s->user, s->warm_up + i);
        double start = s->clock();
        VO_TRY(step_world(b, s, s->warm_up + i));
        best[i] = fmin(best[i], s->clock() - start);
        if (s->inspect) s->inspect(s->user, i);
    }
    return VO_OK;
}

static vo_result run_from_snapshot(vo_bench *b, const vo_bench_steps *s, double *best, void *data,
                                   size_t bytes) {
    vo_rt_world_save(s->world, data, bytes);
    for (int r = 0; r < b->def->repeat; r++) {
        VO_TRY(vo_check_cancel(b->ctx));
        vo_result result = vo_rt_world_restore(s->world, data, bytes);
        if (result != VO_OK) return vo_bench_fail(b, result, vo_rt_world_message(s->world));
        VO_TRY(run_once(b, s, best));
    }
    return VO_OK;
}

vo_result vo_bench_run_steps(vo_bench *b, const vo_bench_steps *s, double *best) {
    for (int i = 0; i < s->warm_up; i++) {
        VO_TRY(vo_check_cancel(b->ctx));
        if (s->set_inputs) s->set_inputs(s->user, i);
        VO_TRY(step_world(b, s, i));
    }
    for (int i = 0; i < s->count; i++) best[i] = INFINITY;
    size_t bytes = vo_rt_world_save(s->world, NULL, 0);
    void *data = vo_alloc(b->ctx, bytes);
    if (!data) return vo_fail_memory(b->ctx, "a snapshot");
    vo_result result = run_from_snapshot(b, s, best, data, bytes);
    vo_free(b->ctx, data, bytes);
    return result;
}

double vo_bench_mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

/* --- Linear cost --------------------------------------------------------------------------------
 *
 * Square sheets of cells of 4 cm that hang from one edge, refined once. All have the same edge
 * length and number of substeps, so that a triangle is the same work at every size. */

enum { LINEAR_SIZES = 4, LINEAR_WARM_UP = 10, LINEAR_STEPS = 8, LINEAR_SUBSTEPS = 16 };

typedef struct sheet {
    vo_rt_vec3 *positions;
    int32_t *triangles;
    float *attachment;
    int vertex_count, triangle_count;
} sheet;

static void fill_sheet(sheet *s, int cells) {
    int row = cells + 1;
    for (int i = 0; i < s->vertex_count; i++) {
        s->positions[i] = (vo_rt_vec3){0.04f * (float)(i % row), 0, -0.04f * (float)(i / row)};
        s->attachment[i] = i < row;
    }
    for (int i = 0; i < cells * cells; i++) {
        int a = i / cells * row + i % cells;
        int32_t corner[6] = {a, a + row, a + 1, a + 1, a + row, a + row + 1};
        for (int k = 0; k < 6; k++) s->triangles[6 * i + k] = corner[k];
    }
}

static vo_result create_sheet_asset(vo_bench *b, sheet *s, int cells, vo_rt_asset **out) {
    vo_rt_message message = {{0}};
    s->positions = vo_new_array(b->ctx, vo_rt_vec3, s->vertex_count);
    s->triangles = vo_new_array(b->ctx, int32_t, 3 * s->triangle_count);
    s->attachment = vo_new_array(b->ctx, float, s->vertex_count);
    if (!s->positions || !s->triangles || !s->attachment) return vo_fail_memory(b->ctx, "a sheet");
    fill_sheet(s, cells);
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = s->vertex_count;
    def.positions = s->positions;
    def.triangle_count = s->triangle_count;
    def.triangles = s->triangles;
    def.attachment = s->attachment;
    def.max_level = 1;
    def.tethers = false;
    vo_result result = vo_rt_asset_create(&b->ctx->allocator, &def, out, &message);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, message.text);
}

static vo_result create_sheet(vo_bench *b, int cells, vo_rt_asset **out) {
    sheet s = {.vertex_count = (cells + 1) * (cells + 1), .triangle_count = 2 * cells * cells};
    *out = NULL;
    vo_result result = create_sheet_asset(b, &s, cells, out);
    vo_free_array(b->ctx, s.positions, s.vertex_count);
    vo_free_array(b->ctx, s.triangles, 3 * s.triangle_count);
    vo_free_array(b->ctx, s.attachment, s.vertex_count);
    return result;
}

static vo_result time_sheet(vo_bench *b, const vo_rt_asset *asset, vo_rt_world *world, double *ms,
                            int *triangles) {
    double best[LINEAR_STEPS];
    vo_rt_cloth *cloth;
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset;
    def.min_level = def.max_level = 1;
    vo_result result = vo_rt_cloth_create(world, &def, &cloth);
    if (result != VO_OK) return vo_bench_fail(b, result, vo_rt_world_message(world));
    vo_bench_steps steps = {.world = world,
                            .warm_up = LINEAR_WARM_UP,
                            .count = LINEAR_STEPS,
                            .dt = 1.0f / 30,
                            .clock = vo_bench_thread_time};
    VO_TRY(vo_bench_run_steps(b, &steps, best));
    *ms = 1e3 * vo_bench_mean(best, LINEAR_STEPS);
    *triangles = vo_rt_cloth_get_info(cloth).triangles;
    return VO_OK;
}

static vo_result time_size(vo_bench *b, int cells, double *ms, int *triangles) {
    vo_rt_asset *asset;
    vo_rt_world *world;
    vo_rt_message message = {{0}};
    VO_TRY(create_sheet(b, cells, &asset));
    vo_rt_world_def def = vo_bench_world_def(b, 1);
    def.substeps = LINEAR_SUBSTEPS;
    vo_result result = vo_rt_world_create(&def, &world, &message);
    if (result != VO_OK)
        vo_bench_fail(b, result, message.text);
    else
        result = time_sheet(b, asset, world, ms, triangles);
    vo_rt_world_destroy(world);
    vo_rt_asset_destroy(asset);
    return result;
}

vo_result vo_bench_linear(vo_bench *b) {
    static const int cells[LINEAR_SIZES] = {8, 16, 32, 64};
    double per_thousand[LINEAR_SIZES];
    for (int i = 0; i < LINEAR_SIZES; i++) {
        char name[32], text[120];
        double ms = 0;
        int triangles = 0;
        VO_TRY(time_size(b, cells[i], &ms, &triangles));
        per_thousand[i] = 1e3 * ms / triangles;
        snprintf(name, sizeof name, "linear-%d", triangles);
        snprintf(text, sizeof text,
                 "major step of a hanging sheet of %d leaf triangles, per 1,000 triangles: %.3f ms "
                 "in all",
                 triangles, ms);
        vo_bench_report(b, (vo_bench_row){.name = name,
                                          .text = text,
                                          .value = per_thousand[i],
                                          .unit = "ms",
                                          .target = (double)NAN,
                                          .paper = (double)NAN,
                                          .limit = "spring passes"});
    }
    vo_bench_report(b, (vo_bench_row){.name = "linear-ratio",
                                      .text = "cost per triangle of the largest front relative to "
                                              "the smallest",
                                      .value = per_thousand[LINEAR_SIZES - 1] / per_thousand[0],
                                      .unit = "ratio",
                                      .target = 1.2,
                                      .paper = (double)NAN,
                                      .limit = "caches: leaf lists of 32,768 triangles exceed L2"});
    return VO_OK;
}
