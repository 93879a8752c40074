#include "collide/candidates_run.h"

#include "collide/clump.h"
#include "core/memory.h"
#include "core/parallel.h"

enum { RUN_GRAIN = 1024 };
enum { SLICE_PAIRS = 1 << 20 };

/* Own nodes with faces, both ways, and own edges with own edges. */
_Static_assert(2 * VO_CLUSTER_NODES * VO_CLUSTER_FACES + VO_CLUSTER_NODES * VO_CLUSTER_NODES <=
                   VO_SHARE_PAIRS,
               "a share has room for the pairs of two clusters");

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
    vo_free_array(ctx, r->pool.pair, r->pool.pair_capacity);
    vo_free_array(ctx, r->pool.low, r->pool.low_capacity);
    vo_free_array(ctx, r->spare_pool.pair, r->spare_pool.pair_capacity);
    vo_free_array(ctx, r->spare_pool.low, r->spare_pool.low_capacity);
    vo_free_array(ctx, r->need, r->need_capacity);
    vo_free_array(ctx, r->active, r->active_capacity);
    vo_free_array(ctx, r->stale, r->stale_capacity);
    vo_free_array(ctx, r->cut, r->cut_capacity);
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

/* No pair of them has a smaller one. */
static double least_thickness(const vo_runs *r, int a, int b) {
    const vo_clusters *c = r->clusters;
    if (c->part[a] != c->part[b]) return r->thickness;
    return vo_min(r->thickness, vo_min(c->least_reach[a], c->least_reach[b]));
}

static vo_run new_run(const vo_runs *r, vo_pair pair, const vo_box *box,
                      const vo_cluster_motion *motion) {
    float thickness = vo_float_above(run_thickness(r, pair.a, pair.b));
    double least = least_thickness(r, pair.a, pair.b);
    return (vo_run){.a = pair.a,
                    .b = pair.b,
                    .thickness = thickness,
                    .lead = least < r->thickness ? vo_float_above((double)thickness - least) : 0,
                    .wake = INFINITY,
                    .rest = vo_low_distance(vo_box_gap2(&box[pair.a], &box[pair.b])),
                    .pace = (float)vo_cluster_travel(&motion[pair.a], &motion[pair.b])};
}

static bool run_before(const vo_run *run, vo_pair pair) {
    return run->a != pair.a ? run->a < pair.a : run->b < pair.b;
}

vo_result vo_runs_merge(vo_runs *r, int count, const vo_pair *pairs, const vo_box *box,
                        const vo_cluster_motion *motion) {
    if (!vo_reserve(r->ctx, &r->spare, &r->spare_capacity, count))
        return vo_fail_memory(r->ctx, "candidates");
    int old = 0;
    r->live = 0;
    for (int i = 0; i < count; i++) {
        while (old < r->count && run_before(&r->run[old], pairs[i])) old++;
        bool known = old < r->count && r->run[old].a == pairs[i].a && r->run[old].b == pairs[i].b;
        r->spare[i] = known ? r->run[old] : new_run(r, pairs[i], box, motion);
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
              vo_reserve(r->ctx, &r->cut, &r->cut_capacity, r->count + 2);
    return ok ? VO_OK : vo_fail_memory(r->ctx, "candidates");
}

/* ---- who is awake --------------------------------------------------------------------------- */

/* Lists the runs that are awake, and those of them whose list must be made. */
static void find_active(vo_runs *r, int begin, int end) {
    r->active_count = r->stale_count = 0;
    for (int i = begin; i < end; i++) {
        if (!(r->need[i] >= 0)) continue;
        const vo_run *run = &r->run[i];
        float at = vo_run_alarm(r, i);
        bool stale = !(run->rest > at);
        if (!stale && run->wake > at) continue;
        if (stale) r->stale[r->stale_count++] = i;
        r->active[r->active_count++] = i;
    }
}

/* Cuts the active runs into shares. */
static void cut_active(vo_runs *r) {
    int pairs = VO_SHARE_PAIRS;
    r->cut_count = 0;
    for (int k = 0; k < r->active_count; k++) {
        int count = r->run[r->active[k]].count;
        pairs += count;
        if (pairs <= VO_SHARE_PAIRS) continue;
        r->cut[r->cut_count++] = k;
        pairs = count;
    }
    r->cut[r->cut_count] = r->active_count;
}

void vo_runs_forget(vo_runs *r) {
    for (int i = 0; i < r->count; i++) {
        vo_run *run = &r->run[i];
        run->begin = run->count = run->node_faces = 0;
        run->way = 0;
        run->wake = run->rest = -INFINITY;
    }
    r->used = r->live = 0;
    r->active_count = r->cut_count = 0;
}

int vo_runs_slice_end(const vo_runs *r, int begin) {
    int end = begin, pairs = 0;
    while (end < r->count && pairs < SLICE_PAIRS) pairs += vo_run_all_pairs(r, &r->run[end++]);
    return end;
}

vo_result vo_runs_wake(vo_runs *r, const vo_box *box, int begin, int end) {
    find_active(r, begin, end);
    VO_TRY(vo_runs_make_lists(r, box));
    if (r->crowded) vo_runs_forget(r);
    cut_active(r);
    return VO_OK;
}

void vo_runs_settle(vo_runs *r, int share) {
    for (int k = r->cut[share]; k < r->cut[share + 1]; k++) {
        vo_run *run = &r->run[r->active[k]];
        run->wake = vo_lowest(r->pool.low + run->begin, run->count);
    }
}
