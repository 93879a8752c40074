#include "collide/pair_cache/pair_cache.h"

#include "collide/dense_region.h"
#include "core/memory.h"
#include "core/parallel.h"

enum { ENTRY_GRAIN = 1024 };
enum { SLICE_PAIRS = 1 << 20 };

/* Own nodes of each cluster with the faces of the other, and own edges with own edges. */
_Static_assert(2 * VO_CLUSTER_NODES * VO_CLUSTER_FACES + VO_CLUSTER_NODES * VO_CLUSTER_NODES <=
                   VO_BATCH_PAIRS,
               "a batch holds the pairs of two clusters");

vo_result vo_pair_cache_create(vo_context *ctx, const vo_surface *surface,
                               const vo_clusters *clusters, double thickness,
                               vo_pair_cache *cache) {
    int64_t features = (int64_t)surface->node_count + surface->edge_count;
    *cache = (vo_pair_cache){
        .ctx = ctx,
        .surface = surface,
        .clusters = clusters,
        .thickness = thickness,
        .margin = 2,
        .max_pairs = vo_max_int(2 * SLICE_PAIRS, vo_pair_budget(VO_MAX_CACHED_PAIRS, features)),
        .kernels = vo_candidates_kernels_for(ctx)};
    return vo_pair_cache_create_lists(cache);
}

void vo_pair_cache_free(vo_pair_cache *r) {
    vo_context *ctx = r->ctx;
    vo_free_array(ctx, r->entry, r->capacity);
    vo_free_array(ctx, r->spare, r->spare_capacity);
    vo_free_array(ctx, r->pool.pair, r->pool.pair_capacity);
    vo_free_array(ctx, r->pool.expiry, r->pool.expiry_capacity);
    vo_free_array(ctx, r->spare_pool.pair, r->spare_pool.pair_capacity);
    vo_free_array(ctx, r->spare_pool.expiry, r->spare_pool.expiry_capacity);
    vo_free_array(ctx, r->query_distance, r->query_distance_capacity);
    vo_free_array(ctx, r->active, r->active_capacity);
    vo_free_array(ctx, r->stale, r->stale_capacity);
    vo_free_array(ctx, r->batch_begin, r->batch_capacity);
    if (ctx) vo_pair_cache_free_lists(r);
    *r = (vo_pair_cache){0};
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Returns the largest thickness of a feature pair of two clusters. */
static double max_entry_thickness(const vo_pair_cache *r, int a, int b) {
    const vo_clusters *c = r->clusters;
    if (c->part[a] != c->part[b]) return r->thickness;
    return vo_min(r->thickness, vo_min(c->max_self_thickness[a], c->max_self_thickness[b]));
}

/* Returns a lower bound of the thicknesses of their pairs. */
static double min_entry_thickness(const vo_pair_cache *r, int a, int b) {
    const vo_clusters *c = r->clusters;
    if (c->part[a] != c->part[b]) return r->thickness;
    return vo_min(r->thickness, vo_min(c->min_self_thickness[a], c->min_self_thickness[b]));
}

static vo_pair_cache_entry new_entry(const vo_pair_cache *r, vo_pair pair, const vo_box *box,
                                     const vo_cluster_motion *motion) {
    float thickness = vo_float_above(max_entry_thickness(r, pair.a, pair.b));
    double min_thickness = min_entry_thickness(r, pair.a, pair.b);
    return (vo_pair_cache_entry){
        .a = pair.a,
        .b = pair.b,
        .thickness = thickness,
        .thickness_offset =
            min_thickness < r->thickness ? vo_float_above((double)thickness - min_thickness) : 0,
        .next_expiry = INFINITY,
        .unlisted_expiry = vo_distance_below(vo_box_gap2(&box[pair.a], &box[pair.b])),
        .recent_motion = (float)vo_cluster_approach_bound(&motion[pair.a], &motion[pair.b])};
}

static bool entry_precedes(const vo_pair_cache_entry *e, vo_pair pair) {
    return e->a != pair.a ? e->a < pair.a : e->b < pair.b;
}

vo_result vo_pair_cache_merge(vo_pair_cache *r, int count, const vo_pair *pairs, const vo_box *box,
                              const vo_cluster_motion *motion) {
    if (!vo_reserve(r->ctx, &r->spare, &r->spare_capacity, count))
        return vo_fail_memory(r->ctx, "candidates");
    int old = 0;
    r->live = 0;
    for (int i = 0; i < count; i++) {
        while (old < r->count && entry_precedes(&r->entry[old], pairs[i])) old++;
        bool known =
            old < r->count && r->entry[old].a == pairs[i].a && r->entry[old].b == pairs[i].b;
        r->spare[i] = known ? r->entry[old] : new_entry(r, pairs[i], box, motion);
        r->live += r->spare[i].count;
    }
    vo_pair_cache_entry *e = r->entry;
    int capacity = r->capacity;
    r->entry = r->spare;
    r->capacity = r->spare_capacity;
    r->spare = e;
    r->spare_capacity = capacity;
    r->count = count;
    return VO_OK;
}

/* ---- motion sums ---------------------------------------------------------------------------- */

typedef struct advance_job {
    vo_pair_cache *cache;
    const vo_cluster_motion *motion;
} advance_job;

static void advance_range(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    advance_job *job = arg;
    for (int i = begin; i < end; i++) {
        vo_pair_cache_entry *e = &job->cache->entry[i];
        double approach = vo_cluster_approach_bound(&job->motion[e->a], &job->motion[e->b]);
        e->motion_sum += approach;
        e->recent_motion = (float)vo_max(approach, 0.75 * (double)e->recent_motion);
        if (e->motion_sum < 1e6) continue;
        /* Float precision is exhausted, or the motion is not finite: nothing is known any more. */
        e->motion_sum = 0;
        e->recent_motion = 0;
        e->next_expiry = e->unlisted_expiry = -INFINITY;
    }
}

void vo_pair_cache_advance(vo_pair_cache *r, const vo_cluster_motion *motion) {
    advance_job job = {r, motion};
    vo_parallel_for(r->ctx, r->count, ENTRY_GRAIN, advance_range, &job);
}

vo_result vo_pair_cache_reserve_query(vo_pair_cache *r) {
    bool ok = vo_reserve(r->ctx, &r->query_distance, &r->query_distance_capacity, r->count) &&
              vo_reserve(r->ctx, &r->active, &r->active_capacity, r->count) &&
              vo_reserve(r->ctx, &r->stale, &r->stale_capacity, r->count) &&
              vo_reserve(r->ctx, &r->batch_begin, &r->batch_capacity, r->count + 2);
    return ok ? VO_OK : vo_fail_memory(r->ctx, "candidates");
}

/* ---- active entries ------------------------------------------------------------------------- */

/* Lists the active entries, and those whose list must be rebuilt. */
static void find_active(vo_pair_cache *r, int begin, int end) {
    r->active_count = r->stale_count = 0;
    for (int i = begin; i < end; i++) {
        if (!(r->query_distance[i] >= 0)) continue;
        const vo_pair_cache_entry *e = &r->entry[i];
        float threshold = vo_pair_cache_threshold(r, i);
        bool stale = !(e->unlisted_expiry > threshold);
        if (!stale && e->next_expiry > threshold) continue;
        if (stale) r->stale[r->stale_count++] = i;
        r->active[r->active_count++] = i;
    }
}

/* Splits the active entries into batches. */
static void split_batches(vo_pair_cache *r) {
    int pairs = VO_BATCH_PAIRS;
    r->batch_count = 0;
    for (int k = 0; k < r->active_count; k++) {
        int count = r->entry[r->active[k]].count;
        pairs += count;
        if (pairs <= VO_BATCH_PAIRS) continue;
        r->batch_begin[r->batch_count++] = k;
        pairs = count;
    }
    r->batch_begin[r->batch_count] = r->active_count;
}

void vo_pair_cache_invalidate(vo_pair_cache *r) {
    for (int i = 0; i < r->count; i++) {
        vo_pair_cache_entry *e = &r->entry[i];
        e->begin = e->count = e->node_face_count = 0;
        e->motion_sum = 0;
        e->next_expiry = e->unlisted_expiry = -INFINITY;
    }
    r->used = r->live = 0;
    r->active_count = r->batch_count = 0;
}

int vo_pair_cache_slice_end(const vo_pair_cache *r, int begin) {
    int end = begin, pairs = 0;
    while (end < r->count && pairs < SLICE_PAIRS)
        pairs += vo_pair_cache_entry_max_pairs(r, &r->entry[end++]);
    return end;
}

vo_result vo_pair_cache_activate(vo_pair_cache *r, const vo_box *box, int begin, int end) {
    find_active(r, begin, end);
    VO_TRY(vo_pair_cache_build_lists(r, box));
    if (r->over_budget) vo_pair_cache_invalidate(r);
    split_batches(r);
    return VO_OK;
}

void vo_pair_cache_commit(vo_pair_cache *r, int batch) {
    for (int k = r->batch_begin[batch]; k < r->batch_begin[batch + 1]; k++) {
        vo_pair_cache_entry *e = &r->entry[r->active[k]];
        e->next_expiry = vo_min_expiry(r->pool.expiry + e->begin, e->count);
    }
}
