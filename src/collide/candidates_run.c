#include "collide/candidates_run.h"

#include "collide/clump.h"
#include "core/memory.h"
#include "core/parallel.h"

enum { RUN_GRAIN = 1024, ACTIVE_GRAIN = 64 };
enum { SLICE_PAIRS = 1 << 20 };

vo_result vo_runs_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                         double thickness, vo_runs *runs) {
    int64_t features = (int64_t)surface->node_count + surface->edge_count;
    *runs = (vo_runs){.ctx = ctx,
                      .surface = surface,
                      .clusters = clusters,
                      .thickness = thickness,
                      .slack = 2,
                      .most = vo_max_int(2 * SLICE_PAIRS, vo_clump_bound(VO_LIST_PAIRS, features)),
                      .kernels = vo_candidates_kernels_for(ctx)};
    return vo_runs_create_lists(runs);
}

void vo_runs_free(vo_runs *r) {
    vo_context *ctx = r->ctx;
    vo_free_array(ctx, r->run, r->capacity);
    vo_free_array(ctx, r->spare, r->spare_capacity);
    vo_free_array(ctx, r->pool.key, r->pool.key_capacity);
    vo_free_array(ctx, r->pool.low, r->pool.low_capacity);
    vo_free_array(ctx, r->spare_pool.key, r->spare_pool.key_capacity);
    vo_free_array(ctx, r->spare_pool.low, r->spare_pool.low_capacity);
    vo_free_array(ctx, r->need, r->need_capacity);
    vo_free_array(ctx, r->active, r->active_capacity);
    vo_free_array(ctx, r->stale, r->stale_capacity);
    vo_free_array(ctx, r->awake, r->awake_capacity);
    vo_free_array(ctx, r->offset, r->offset_capacity);
    if (ctx) vo_runs_free_lists(r);
    *r = (vo_runs){0};
}

/* ---- which runs there are ------------------------------------------------------------------- */

/* The largest thickness of a pair of features of two clusters. */
static double run_thickness(const vo_runs *r, int a, int b) {
    const vo_clusters *c = r->clusters;
    if (c->part[a] != c->part[b]) return r->thickness;
    return vo_min(r->thickness, vo_min(c->reach[a], c->reach[b]));
}

static vo_run new_run(const vo_runs *r, vo_pair pair, const vo_box *box) {
    return (vo_run){.a = pair.a,
                    .b = pair.b,
                    .thickness = vo_float_above(run_thickness(r, pair.a, pair.b)),
                    .wake = INFINITY,
                    .rest = vo_low_distance(vo_box_gap2(&box[pair.a], &box[pair.b]))};
}

static bool run_before(const vo_run *run, vo_pair pair) {
    return run->a != pair.a ? run->a < pair.a : run->b < pair.b;
}

vo_result vo_runs_merge(vo_runs *r, int count, const vo_pair *pairs, const vo_box *box) {
    if (!vo_reserve(r->ctx, &r->spare, &r->spare_capacity, count))
        return vo_fail_memory(r->ctx, "candidates");
    int old = 0;
    r->live = 0;
    for (int i = 0; i < count; i++) {
        while (old < r->count && run_before(&r->run[old], pairs[i])) old++;
        bool known = old < r->count && r->run[old].a == pairs[i].a && r->run[old].b == pairs[i].b;
        r->spare[i] = known ? r->run[old] : new_run(r, pairs[i], box);
        r->live += r->spare[i].count;
    }
    vo_run *run = r->run;
    int capacity = r->capacity;
    r->run = r->spare;
    r->capacity = r->spare_capacity;
    r->spare = run;
    r->spare_capacity = capacity;
    r->count = count;
    return VO_OK;
}

/* ---- ways ----------------------------------------------------------------------------------- */

typedef struct advance_job {
    vo_runs *runs;
    const vo_cluster_motion *motion;
} advance_job;

static void advance_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    advance_job *job = arg;
    for (int i = begin; i < end; i++) {
        vo_run *run = &job->runs->run[i];
        double travel = vo_cluster_travel(&job->motion[run->a], &job->motion[run->b]);
        run->way += travel;
        run->pace = (float)vo_max(travel, 0.75 * (double)run->pace);
        if (run->way < 1e6) continue;
        /* Too far to count, or not a number: nothing is known any more. */
        run->way = 0;
        run->pace = 0;
        run->wake = run->rest = -INFINITY;
    }
}

void vo_runs_advance(vo_runs *r, const vo_cluster_motion *motion) {
    advance_job job = {r, motion};
    vo_parallel_for(r->ctx, r->count, RUN_GRAIN, advance_range, &job);
}

vo_result vo_runs_reserve_need(vo_runs *r) {
    bool ok = vo_reserve(r->ctx, &r->need, &r->need_capacity, r->count) &&
              vo_reserve(r->ctx, &r->active, &r->active_capacity, r->count) &&
              vo_reserve(r->ctx, &r->stale, &r->stale_capacity, r->count) &&
              vo_reserve(r->ctx, &r->offset, &r->offset_capacity, r->count);
    return ok ? VO_OK : vo_fail_memory(r->ctx, "candidates");
}

/* ---- who is awake --------------------------------------------------------------------------- */

/* The point of the way below which a low is awake, and a float that is not lower. */
static double alarm(const vo_runs *r, int i) { return r->run[i].way + (double)r->need[i]; }
static float alarm_low(const vo_runs *r, int i) { return vo_float_above(alarm(r, i)); }

/* Lists the runs that are awake, and those of them whose list must be made. */
static void find_active(vo_runs *r, int begin, int end) {
    r->active_count = r->stale_count = 0;
    for (int i = begin; i < end; i++) {
        if (!(r->need[i] >= 0)) continue;
        const vo_run *run = &r->run[i];
        float at = alarm_low(r, i);
        bool stale = !(run->rest > at);
        if (!stale && run->wake > at) continue;
        if (stale) r->stale[r->stale_count++] = i;
        r->active[r->active_count++] = i;
    }
}

/* Counts the awake pairs of each active run. */
static void count_awake(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_runs *r = arg;
    for (int k = begin; k < end; k++) {
        const vo_run *run = &r->run[r->active[k]];
        const float *low = r->pool.low + run->begin;
        float at = alarm_low(r, r->active[k]);
        int faces = 0, edges = 0;
        for (int i = 0; i < run->node_faces; i++) faces += !(low[i] > at);
        for (int i = run->node_faces; i < run->count; i++) edges += !(low[i] > at);
        r->offset[k][0] = faces;
        r->offset[k][1] = edges;
    }
}

/* Counts become places: all nodes with faces, then all edges. False if there are too many. */
static bool sum_awake(vo_runs *r) {
    int64_t sum = 0;
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 1) r->awake_faces = (int)sum;
        for (int k = 0; k < r->active_count; k++) {
            int n = r->offset[k][kind];
            r->offset[k][kind] = (int)sum;
            sum += n;
            if (sum > INT32_MAX / 2) return false;
        }
    }
    r->awake_count = (int)sum;
    return true;
}

static void fill_awake(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_runs *r = arg;
    for (int k = begin; k < end; k++) {
        int index = r->active[k];
        const vo_run *run = &r->run[index];
        float at = alarm_low(r, index);
        vo_awake *to = r->awake + r->offset[k][0];
        for (int i = run->begin; i < run->begin + run->count; i++) {
            if (i == run->begin + run->node_faces) to = r->awake + r->offset[k][1];
            if (!(r->pool.low[i] > at)) *to++ = (vo_awake){r->pool.key[i], index, i};
        }
    }
}

void vo_runs_forget(vo_runs *r) {
    for (int i = 0; i < r->count; i++) {
        vo_run *run = &r->run[i];
        run->begin = run->count = run->node_faces = 0;
        run->way = 0;
        run->wake = run->rest = -INFINITY;
    }
    r->used = r->live = 0;
    r->active_count = r->awake_count = r->awake_faces = 0;
}

int vo_runs_slice_end(const vo_runs *r, int begin) {
    int end = begin, pairs = 0;
    while (end < r->count && pairs < SLICE_PAIRS) pairs += vo_run_all_pairs(r, &r->run[end++]);
    return end;
}

vo_result vo_runs_wake(vo_runs *r, const vo_box *box, int begin, int end) {
    find_active(r, begin, end);
    VO_TRY(vo_runs_make_lists(r, box));
    if (r->crowded) {
        vo_runs_forget(r);
        return VO_OK;
    }
    vo_parallel_for(r->ctx, r->active_count, ACTIVE_GRAIN, count_awake, r);
    if (!sum_awake(r) || !vo_reserve(r->ctx, &r->awake, &r->awake_capacity, r->awake_count))
        return vo_fail_memory(r->ctx, "candidates");
    vo_parallel_for(r->ctx, r->active_count, ACTIVE_GRAIN, fill_awake, r);
    return VO_OK;
}

static void settle_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_runs *r = arg;
    for (int k = begin; k < end; k++) {
        vo_run *run = &r->run[r->active[k]];
        float wake = INFINITY;
        for (int i = run->begin; i < run->begin + run->count; i++)
            wake = r->pool.low[i] < wake ? r->pool.low[i] : wake;
        run->wake = wake;
    }
}

void vo_runs_settle(vo_runs *r) {
    vo_parallel_for(r->ctx, r->active_count, ACTIVE_GRAIN, settle_range, r);
}
