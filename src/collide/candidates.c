#include "collide/pair_cache/candidates_private.h"

#include "collide/arrays.h"
#include "collide/dense_region.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/timer.h"

#include <string.h>

/* Smallest list margin, in thicknesses: below it, lists are not rebuilt with less. */
static const double MIN_MARGIN = 0.01;

/* ---- memory --------------------------------------------------------------------------------- */

static bool allocate(vo_candidates *c) {
    vo_context *ctx = c->ctx;
    c->start_count = vo_max_int(c->surface->node_count, c->surface->edge_count);
    int64_t features = (int64_t)c->surface->node_count + c->surface->edge_count;
    c->max_hits = vo_pair_budget(VO_MAX_PROXIMITIES, features);
    c->max_swept = vo_pair_budget(VO_MAX_SWEPT_PAIRS, features);
    return VO_PADDED_NEW(ctx, c->cluster_flags, c->clusters.count) &&
           (c->batch_hit =
                vo_new_array(ctx, vo_proximity_hit, VO_BATCHES_PER_PASS * VO_BATCH_PAIRS)) &&
           (c->batch_key =
                vo_new_array(ctx, vo_feature_key, VO_BATCHES_PER_PASS * VO_BATCH_PAIRS)) &&
           VO_PADDED_NEW(ctx, c->start, c->start_count);
}

static vo_result create_parts(vo_candidates *c, vo_obstacle_cache *obstacles) {
    VO_TRY(vo_clusters_create(c->ctx, c->surface, obstacles, &c->clusters));
    double rigid_tolerance = c->thickness * 0x1p-10;
    VO_TRY(vo_cluster_kinematics_create(c->ctx, c->surface, &c->clusters, rigid_tolerance,
                                        &c->kinematics));
    VO_TRY(vo_broad_phase_create(c->ctx, &c->kinematics, obstacles, &c->broad_phase));
    VO_TRY(vo_pair_cache_create(c->ctx, c->surface, &c->clusters, c->thickness, &c->cache));
    return allocate(c) ? VO_OK : vo_fail_memory(c->ctx, "candidates");
}

vo_result vo_candidates_save_obstacles(vo_candidates *c, vo_obstacle_cache *obstacles) {
    return vo_obstacle_cache_save(c->ctx, c->surface, &c->clusters, &c->broad_phase, obstacles);
}

vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_obstacle_cache *obstacles, vo_candidates **out) {
    *out = NULL;
    vo_candidates *c = vo_new(ctx, vo_candidates);
    if (!c) return vo_fail_memory(ctx, "candidates");
    c->ctx = ctx;
    c->surface = surface;
    c->thickness = vo_max(thickness, VO_MIN_THICKNESS);
    c->swept_distance = c->thickness * VO_SWEPT_DISTANCE_RATIO;
    vo_result result = create_parts(c, obstacles);
    if (result == VO_OK)
        *out = c;
    else
        vo_candidates_destroy(c);
    return result;
}

void vo_candidates_destroy(vo_candidates *c) {
    if (!c) return;
    vo_context *ctx = c->ctx;
    VO_PADDED_FREE(ctx, c->cluster_flags, c->clusters.count);
    vo_free_array(ctx, c->batch_hit, VO_BATCHES_PER_PASS * VO_BATCH_PAIRS);
    vo_free_array(ctx, c->batch_key, VO_BATCHES_PER_PASS * VO_BATCH_PAIRS);
    VO_PADDED_FREE(ctx, c->start, c->start_count);
    vo_free_array(ctx, c->hit, c->hit_capacity);
    vo_free_array(ctx, c->proximity, c->proximity_capacity);
    vo_free_array(ctx, c->swept, c->swept_capacity);
    vo_free_array(ctx, c->swept_key, c->swept_key_capacity);
    vo_free_array(ctx, c->spare_key, c->spare_key_capacity);
    vo_free_array(ctx, c->order, c->order_capacity);
    vo_pair_cache_free(&c->cache);
    vo_broad_phase_free(&c->broad_phase);
    vo_cluster_kinematics_free(&c->kinematics);
    vo_clusters_free(&c->clusters);
    vo_delete(ctx, c);
}

void vo_candidates_invalidate(vo_candidates *c) {
    c->kinematics.valid = c->kinematics.step_valid = false;
    vo_broad_phase_invalidate(&c->broad_phase);
    c->cache.count = 0;
}

vo_candidates_report vo_candidates_reset_report(vo_candidates *c) {
    vo_candidates_report report = c->report;
    report.pair_count = c->cache.live;
    c->report = (vo_candidates_report){0};
    return report;
}

/* ---- state before a query -------------------------------------------------------------------- */

void vo_candidates_sync(vo_candidates *c) {
    double start = vo_now();
    if (vo_cluster_kinematics_sync(&c->kinematics))
        vo_pair_cache_advance(&c->cache, c->kinematics.motion);
    c->report.broad_phase_s += vo_now() - start;
}

void vo_candidates_update_step(vo_candidates *c) {
    double start = vo_now();
    vo_cluster_kinematics_update_step(&c->kinematics);
    c->report.broad_phase_s += vo_now() - start;
}

vo_result vo_candidates_update_broad_phase(vo_candidates *c, bool swept, double distance) {
    double start = vo_now();
    vo_broad_phase_report report;
    vo_result result = vo_broad_phase_update(&c->broad_phase, swept, distance, &report);
    c->over_budget = result == VO_OK && report.over_budget;
    if (c->over_budget)
        vo_candidates_invalidate(c);
    else if (result == VO_OK && report.updated)
        result =
            vo_pair_cache_merge(&c->cache, c->broad_phase.pairs.count, c->broad_phase.pairs.pair,
                                c->kinematics.start_box, c->kinematics.motion);
    c->report.broad_phase_updated |= report.updated;
    c->report.broad_phase_s += vo_now() - start;
    return result;
}

bool vo_candidates_over_budget(const vo_candidates *c) { return c->over_budget; }

/* ---- active pairs --------------------------------------------------------------------------- */

static vo_result activate_entries(vo_candidates *c, int begin, int end) {
    double start = vo_now();
    vo_result result = vo_pair_cache_activate(&c->cache, c->kinematics.start_box, begin, end);
    c->report.broad_phase_s += vo_now() - start;
    return result;
}

vo_result vo_candidates_activate(vo_candidates *c, bool *fits) {
    vo_pair_cache *r = &c->cache;
    for (;;) {
        VO_TRY(activate_entries(c, 0, r->count));
        *fits = !r->over_budget;
        if (*fits || r->margin < MIN_MARGIN) return VO_OK;
        r->margin *= 0.25;
    }
}

/* Writes the range in the pool of the pairs of one kind. */
static void find_kind(const vo_pair_cache_entry *entry, vo_feature_kind kind, int range[2]) {
    bool faces = kind == VO_NODE_FACE;
    range[0] = entry->begin + (faces ? 0 : entry->node_face_count);
    range[1] = entry->begin + (faces ? entry->node_face_count : entry->count);
}

/* Visits all active pairs of a batch; returns the number of results. */
static int visit_batch(const vo_pair_pass *b, int batch, int to) {
    const vo_pair_cache *r = &b->c->cache;
    const vo_clusters *clusters = &b->c->clusters;
    vo_active_pair active[VO_MEASURE_BATCH];
    int index[VO_BATCH_PAIRS], n = 0, found = 0;
    for (int k = r->batch_begin[batch]; k < r->batch_begin[batch + 1]; k++) {
        int run = r->active[k], range[2];
        find_kind(&r->entry[run], b->kind, range);
        int count = r->kernels->select_expired(r->pool.expiry + range[0], range[1] - range[0],
                                               vo_pair_cache_threshold(r, run), index);
        for (int i = 0; i < count; i++) {
            int place = range[0] + index[i];
            vo_local_pair pair = r->pool.pair[place];
            vo_feature_key key =
                b->kind == VO_NODE_FACE
                    ? vo_node_face_key(clusters, r->entry[run].a, r->entry[run].b, pair)
                    : vo_edge_edge_key(clusters, r->entry[run].a, r->entry[run].b, pair);
            active[n++] = (vo_active_pair){key, run, place};
            if (n < VO_MEASURE_BATCH) continue;
            found += b->visit(b, n, active, to + found);
            n = 0;
        }
    }
    return found + b->visit(b, n, active, to + found);
}

/* Edge pairs are visited last; then all expiries of the entries are new. */
static void visit_batches(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const vo_pair_pass *b = arg;
    for (int i = begin; i < end; i++) {
        b->c->batch_found[i] = visit_batch(b, b->first_batch + i, i * VO_BATCH_PAIRS);
        if (b->kind == VO_EDGE_EDGE) vo_pair_cache_commit(&b->c->cache, b->first_batch + i);
    }
}

/* Visits all active pairs, until the result exceeds its budget. Returns false if out of memory. */
static bool visit_active(vo_pair_pass *b) {
    vo_candidates *c = b->c;
    for (b->first_batch = 0; b->first_batch < c->cache.batch_count && !c->over_budget;
         b->first_batch += VO_BATCHES_PER_PASS) {
        int batches = vo_min_int(c->cache.batch_count - b->first_batch, VO_BATCHES_PER_PASS);
        vo_parallel_for(c->ctx, batches, 1, visit_batches, b);
        if (!b->merge(c, batches)) return false;
    }
    return true;
}

vo_result vo_candidates_visit_pairs(vo_pair_pass *b, bool fits, vo_feature_kind kind) {
    vo_candidates *c = b->c;
    vo_pair_cache *r = &c->cache;
    b->kind = kind;
    for (int begin = 0, end; begin < (fits ? 1 : r->count) && !c->over_budget; begin = end) {
        end = fits ? 1 : vo_pair_cache_slice_end(r, begin);
        if (!fits) {
            vo_pair_cache_invalidate(r);
            VO_TRY(activate_entries(c, begin, end));
        }
        if (!visit_active(b)) return vo_fail_memory(c->ctx, "candidates");
    }
    return VO_OK;
}

void vo_candidates_commit(vo_candidates *c, bool fits) {
    if (!fits) vo_pair_cache_invalidate(&c->cache);
    if (!fits || !c->over_budget) return;
    for (int i = 0; i < c->cache.batch_count; i++) vo_pair_cache_commit(&c->cache, i);
}

double vo_active_pair_thickness(const vo_candidates *c, const vo_active_pair *p, const int node[4],
                                double *thickness_offset) {
    const vo_pair_cache_entry *run = &c->cache.entry[p->entry];
    *thickness_offset = 0;
    if (!(run->thickness_offset > 0)) return c->thickness;
    double thickness = vo_pair_thickness(c->surface, node, c->thickness);
    *thickness_offset = (double)vo_pair_thickness_offset((double)run->thickness, thickness);
    return thickness;
}

void vo_candidates_set_expiry(vo_candidates *c, const vo_active_pair *p, double min_distance,
                              double thickness_offset) {
    c->cache.pool.expiry[p->slot] =
        vo_float_below(c->cache.entry[p->entry].motion_sum + (min_distance + thickness_offset));
}

/* ---- proximity query ------------------------------------------------------------------------ */

/* Writes the proximity of one lane; returns false if it is not closer than the thickness. */
static bool make_hit(const vo_candidates *c, const int node[4], vo_feature_kind kind,
                     const vo_distance_lanes *m, int lane, double thickness,
                     vo_proximity *proximity) {
    if (m->min_distance[lane] > thickness) return false;
    double distance = sqrt(m->squared[lane]);
    if (!(distance < thickness)) return false;
    vo_vec3 offset = v3(m->offset[0][lane], m->offset[1][lane], m->offset[2][lane]);
    *proximity = (vo_proximity){.pair = {{node[0], node[1], node[2], node[3]}, kind},
                                .normal = v3_scale(1 / distance, offset),
                                .distance = distance,
                                .thickness = thickness};
    for (int k = 0; k < 4; k++) proximity->weight[k] = m->weight[k][lane];
    if (!(distance > 0)) proximity->normal = vo_pair_fallback_normal(c->surface, &proximity->pair);
    return kind == VO_NODE_FACE || vo_weights_are_interior(proximity->weight);
}

/* Measures pairs at x0 and collects those closer than their thickness. */
static int visit_proximities(const vo_pair_pass *b, int count, const vo_active_pair *active,
                             int to) {
    vo_candidates *c = b->c;
    int node[VO_MEASURE_BATCH][4];
    vo_distance_lanes measured[VO_MEASURE_BATCH / 4];
    for (int i = 0; i < count; i++) vo_pair_nodes(c->surface, b->kind, active[i].key, node[i]);
    c->cache.kernels->measure(c->surface, b->kind, count, (const int(*)[4])node, measured);
    vo_proximity_hit *hit = c->batch_hit + to;
    for (int i = 0; i < count; i++) {
        const vo_distance_lanes *m = &measured[i / 4];
        double thickness_offset,
            thickness = vo_active_pair_thickness(c, &active[i], node[i], &thickness_offset);
        hit->key = active[i].key;
        hit += make_hit(c, node[i], b->kind, m, i % 4, thickness, &hit->proximity);
        vo_candidates_set_expiry(c, &active[i], m->min_distance[i % 4], thickness_offset);
    }
    return (int)(hit - (c->batch_hit + to));
}

int vo_candidates_count_found(const vo_candidates *c, int batches) {
    int sum = 0;
    for (int i = 0; i < batches; i++) sum += c->batch_found[i];
    return sum;
}

static bool merge_hits(vo_candidates *c, int batches) {
    int need = c->hit_count + vo_candidates_count_found(c, batches);
    if (!vo_reserve(c->ctx, &c->hit, &c->hit_capacity, need)) return false;
    for (int i = 0; i < batches; i++) {
        size_t hits = (size_t)c->batch_found[i];
        if (hits)
            memcpy(c->hit + c->hit_count, c->batch_hit + (size_t)i * VO_BATCH_PAIRS,
                   hits * sizeof *c->hit);
        c->hit_count += c->batch_found[i];
    }
    c->over_budget = c->hit_count > c->max_hits;
    if (c->over_budget) c->hit_count = c->max_hits;
    return true;
}

static vo_result find_hits(vo_candidates *c) {
    bool fits;
    bool known = c->kinematics.valid;
    c->hit_count = 0;
    vo_candidates_sync(c);
    if (!known)
        vo_candidates_update_step(
            c); /* recent_motion of new entries sets how long their lists last */
    VO_TRY(vo_candidates_update_broad_phase(c, false, c->thickness));
    VO_TRY(vo_pair_cache_reserve_query(&c->cache));
    for (int i = 0; i < c->cache.count; i++)
        c->cache.query_distance[i] = c->cache.entry[i].thickness;
    c->cache.add_thickness_offset = false;
    VO_TRY(vo_candidates_activate(c, &fits));
    vo_pair_pass b = {.c = c, .visit = visit_proximities, .merge = merge_hits};
    VO_TRY(vo_candidates_visit_pairs(&b, fits, VO_NODE_FACE));
    VO_TRY(vo_candidates_visit_pairs(&b, fits, VO_EDGE_EDGE));
    vo_candidates_commit(c, fits);
    bool ok = vo_reserve(c->ctx, &c->proximity, &c->proximity_capacity, c->hit_count) &&
              vo_reserve(c->ctx, &c->order, &c->order_capacity, c->hit_count);
    return ok ? VO_OK : vo_fail_memory(c->ctx, "candidates");
}

vo_result vo_candidates_find_proximities(vo_candidates *c, int *count,
                                         const vo_proximity **proximity) {
    *count = 0;
    *proximity = NULL;
    vo_result result = find_hits(c);
    if (result != VO_OK) {
        vo_candidates_invalidate(c);
        return result;
    }
    *count =
        vo_select_proximities(c->surface, c->hit_count, c->hit, c->order, c->start, c->proximity);
    *proximity = c->proximity;
    return VO_OK;
}
