/* Frames of a scene of the engine realtime, as `voile simulate` runs it, without its files: a frame
 * is the poses of bodies and handles and the step of the world. */
#include "realtime/bench.h"

#include "core/file.h"
#include "core/timer.h"
#include "realtime/realtime_private.h"
#include "rt/hierarchy/mesh_private.h"
#include "rt/world/world.h"
#include "scene/scene.h"
#include "sew/sew.h"

#include <math.h>
#include <stdio.h>

/* Objects of a run in a context of its own, which has one thread. */
typedef struct scene_run {
    vo_bench *b;
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    vo_realtime *engine;
    void *snapshot;
    size_t snapshot_bytes;
    vo_bench_scene *out;
} scene_run;

/* Passes a failure in the run's context on. */
static vo_result pass_on(const scene_run *r, vo_result result) {
    return result == VO_OK ? VO_OK : vo_bench_fail(r->b, result, vo_context_message(r->ctx));
}

static vo_result create_context(scene_run *r) {
    vo_context_def def = vo_context_def_default();
    const vo_context *ctx = r->b->ctx;
    def.allocator = ctx->allocator;
    def.cancel = ctx->cancel;
    def.cancel_user = ctx->cancel_user;
    def.threads = 1;
    vo_result result = vo_context_create(&def, &r->ctx);
    return result == VO_OK ? VO_OK : vo_fail_memory(r->b->ctx, "a context");
}

static vo_result create_engine(scene_run *r, const char *name, int override_count,
                               const char *const *overrides) {
    char file[64], path[VO_PATH_SIZE];
    snprintf(file, sizeof file, "%s.json", name);
    vo_bench_path(r->b, "scenes", file, path);
    VO_TRY(create_context(r));
    VO_TRY(pass_on(r, vo_scene_load(r->ctx, path, override_count, overrides, &r->scene)));
    VO_TRY(pass_on(r, vo_sim_create_sewn(r->ctx, r->scene, NULL, NULL, &r->sim)));
    return pass_on(r, vo_realtime_create(r->sim, &r->engine));
}

static void free_run(scene_run *r) {
    vo_free(r->b->ctx, r->snapshot, r->snapshot_bytes);
    vo_realtime_destroy(r->engine);
    vo_sim_destroy(r->sim);
    vo_scene_destroy(r->scene);
    vo_context_destroy(r->ctx);
}

static vo_result reserve_times(vo_bench *b, vo_bench_scene *s, int count) {
    for (int k = 0; k < VO_BENCH_TIME_COUNT; k++) {
        s->ms[k] = vo_new_array(b->ctx, double, count);
        s->count = count;
        if (!s->ms[k]) return vo_fail_memory(b->ctx, "times");
        for (int i = 0; i < count; i++) s->ms[k][i] = INFINITY;
    }
    return VO_OK;
}

void vo_bench_scene_free(vo_bench *b, vo_bench_scene *s) {
    for (int k = 0; k < VO_BENCH_TIME_COUNT; k++) vo_free_array(b->ctx, s->ms[k], s->count);
}

/* --- Counters --------------------------------------------------------------------------------- */

/* Pairs of faces in one query of a group: of its cloths, and with faces of bodies near by. */
static double count_face_pairs(const vo_rt_self_set *set) {
    double faces = set->cloth_face_count;
    double others = set->face_count - VO_RT_SELF_CLUSTER * set->cloth_cluster_count;
    return 0.5 * faces * (faces - 1) + faces * fmax(others, 0);
}

/* Pairs in clusters of consecutive faces that overlap, and inside each cluster. */
static double count_cluster_pairs(const vo_rt_self_set *set, double pairs, double queries) {
    double size = VO_RT_SELF_CLUSTER;
    return size * size * pairs + 0.5 * size * (size - 1) * set->cloth_cluster_count * queries;
}

static void add_counts(const scene_run *r, vo_bench_scene_counts *sum) {
    sum->triangles += (double)vo_rt_world_get_stats(r->engine->world).triangles;
    for (int i = 0; i < r->sim->cloth_count; i++) {
        const vo_rt_cloth *c = r->engine->cloth[i].cloth;
        const vo_rt_cloth_stats *s = &c->stats;
        double queries = (double)s->self_queries;
        if (queries == 0) continue;
        sum->queries += queries;
        sum->face_pairs += queries * count_face_pairs(&c->self);
        sum->cluster_pairs += count_cluster_pairs(&c->self, (double)s->self_cluster_pairs, queries);
        sum->box_pairs += (double)s->self_face_pairs;
        sum->compared_pairs += (double)s->self_compared_pairs;
        sum->feature_pairs += (double)s->self_feature_pairs;
        sum->near_pairs += (double)s->self_near_pairs;
    }
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* Processor time of a frame, s, and its ratio to the time by the clock, with which the library
 * measures its stages. */
typedef struct frame_time {
    double seconds, ratio;
} frame_time;

static void take_times(vo_bench_scene *out, int frame, frame_time t, const vo_rt_stats *s) {
    double scale = 1e3 * t.ratio;
    const double ms[VO_BENCH_TIME_COUNT] = {
        [VO_BENCH_TIME_frame] = 1e3 * t.seconds,
        [VO_BENCH_TIME_simulation] = scale * s->solve_s,
        [VO_BENCH_TIME_collision] = scale * (s->collide_s + s->self_s),
        [VO_BENCH_TIME_adaption] = scale * s->adapt_s,
    };
    for (int k = 0; k < VO_BENCH_TIME_COUNT; k++)
        out->ms[k][frame] = fmin(out->ms[k][frame], ms[k]);
}

static void add_stages(vo_bench_scene *out, const vo_rt_stats *s, double weight) {
    int k = 0;
#define X(name, description) out->stage_ms[k++] += 1e3 * weight * s->name;
    VO_RT_STAGES(X)
#undef X
}

static vo_result run_frame(scene_run *r, int frame) {
    vo_sim_begin_frame(r->sim);
    double start = vo_bench_thread_time(), clock_start = vo_now();
    VO_TRY(pass_on(r, vo_realtime_advance(r->engine)));
    frame_time t = {.seconds = vo_bench_thread_time() - start};
    t.ratio = fmin(t.seconds / fmax(vo_now() - clock_start, 1e-9), 1);
    vo_sim_end_frame(r->sim);
    vo_rt_stats stats = vo_rt_world_get_stats(r->engine->world);
    take_times(r->out, frame, t, &stats);
    add_stages(r->out, &stats, t.ratio / r->out->count);
    r->out->last_ms += 1e3 * t.seconds / r->out->count;
    add_counts(r, &r->out->counts);
    return VO_OK;
}

/* Back to the state of the snapshot at a frame. Bodies have no earlier position to teleport from.
 */
static vo_result rewind_run(scene_run *r, int frame, double frame_start) {
    vo_rt_world *world = r->engine->world;
    vo_result result = vo_rt_world_restore(world, r->snapshot, r->snapshot_bytes);
    if (result != VO_OK) return vo_bench_fail(r->b, result, vo_rt_world_message(world));
    for (int i = 0; i < r->sim->obstacle_count; i++) r->engine->body[i].has_center = false;
    r->sim->frame = frame;
    r->sim->frame_start = frame_start;
    return VO_OK;
}

static vo_result repeat_frames(scene_run *r, int repeat) {
    int first = r->sim->frame;
    double frame_start = r->sim->frame_start;
    for (int k = 0; k < repeat; k++) {
        if (k > 0) VO_TRY(rewind_run(r, first, frame_start));
        r->out->counts = (vo_bench_scene_counts){0};
        for (int i = 0; i < 7; i++) r->out->stage_ms[i] = 0;
        r->out->last_ms = 0;
        for (int i = 0; i < r->out->count; i++) {
            VO_TRY(vo_check_cancel(r->b->ctx));
            VO_TRY(run_frame(r, i));
        }
    }
    return VO_OK;
}

/* Makes the means of the last repetition those of the best times. */
static void scale_stages(vo_bench_scene *out) {
    double best = vo_bench_mean(out->ms[VO_BENCH_TIME_frame], out->count);
    for (int i = 0; i < 7; i++) out->stage_ms[i] *= best / out->last_ms;
}

static vo_result run_frames(scene_run *r, int repeat) {
    while (vo_sim_frame(r->sim) < 0) {
        VO_TRY(vo_check_cancel(r->b->ctx));
        VO_TRY(pass_on(r, vo_realtime_step_frame(r->engine)));
    }
    r->snapshot_bytes = vo_rt_world_save(r->engine->world, NULL, 0);
    r->snapshot = vo_alloc(r->b->ctx, r->snapshot_bytes);
    if (!r->snapshot) return vo_fail_memory(r->b->ctx, "a snapshot");
    vo_rt_world_save(r->engine->world, r->snapshot, r->snapshot_bytes);
    int count = vo_scene_last_frame(&r->scene->def), most = r->b->def->max_frames;
    if (count < 1 || (most > 0 && most < count)) count = most > 0 ? most : 1;
    VO_TRY(reserve_times(r->b, r->out, count));
    VO_TRY(repeat_frames(r, repeat));
    scale_stages(r->out);
    return VO_OK;
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* True for arrays that only the hierarchy needs: a simulation of a fixed mesh would do without. */
static bool is_of_hierarchy(int array) {
    switch (array) {
    case VO_RT_ARRAY_MASS_UNITS:
    case VO_RT_ARRAY_VERTEX_EDGE:
    case VO_RT_ARRAY_EDGE:
    case VO_RT_ARRAY_DIRTY:
    case VO_RT_ARRAY_TRIANGLE:
    case VO_RT_ARRAY_TRIANGLE_SOURCE:
    case VO_RT_ARRAY_SPRING_LANES_USED:
    case VO_RT_ARRAY_BEND_LANES_USED:
    case VO_RT_ARRAY_SPRING_LANES_EDGE:
    case VO_RT_ARRAY_BEND_LANES_EDGE:
        return true;
    default:
        return false;
    }
}

static void measure_memory(scene_run *r) {
    vo_bench_scene *out = r->out;
    for (int i = 0; i < r->sim->cloth_count; i++) {
        const vo_rt_mesh *mesh = &r->engine->cloth[i].cloth->mesh;
        for (int k = 0; k < VO_RT_MESH_ARRAYS; k++) {
            double bytes = (double)mesh->capacity[k] * (double)vo_rt_mesh_array(mesh, k).size;
            *(is_of_hierarchy(k) ? &out->tree_bytes : &out->list_bytes) += bytes;
        }
    }
    out->pool_bytes = (double)vo_rt_world_get_stats(r->engine->world).pool_used;
}

vo_result vo_bench_run_scene(vo_bench *b, const char *name, int repeat, int override_count,
                             const char *const *overrides, vo_bench_scene *out) {
    scene_run r = {.b = b, .out = out};
    *out = (vo_bench_scene){0};
    vo_result result = create_engine(&r, name, override_count, overrides);
    if (result == VO_OK) result = run_frames(&r, repeat);
    if (result == VO_OK) {
        measure_memory(&r);
        vo_rt_asset_info info = vo_rt_asset_get_info(r.engine->asset[0].asset);
        out->even_colours = info.even_colours;
        out->odd_colours = info.odd_colours;
        out->max_level = info.max_level;
    }
    free_run(&r);
    return result;
}
