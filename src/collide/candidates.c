#include "collide/candidates_private.h"

#include "collide/arrays.h"
#include "collide/clump.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/timer.h"

#include <string.h>

/* Of runs, see there: below this, lists are not made again with less. */
static const double LEAST_SLACK = 0.01;

/* ---- memory --------------------------------------------------------------------------------- */

static bool allocate(vo_candidates *c) {
    vo_context *ctx = c->ctx;
    c->start_count = vo_max_int(c->surface->node_count, c->surface->edge_count);
    int64_t features = (int64_t)c->surface->node_count + c->surface->edge_count;
    c->most_hits = vo_clump_bound(VO_NEAR_PAIRS, features);
    c->most_swept = vo_clump_bound(VO_SWEPT_PAIRS, features);
    return VO_PADDED_NEW(ctx, c->marked, c->clusters.count) &&
           (c->share_hit = vo_new_array(ctx, vo_near_hit, VO_LOOK_SHARES * VO_SHARE_PAIRS)) &&
           (c->share_key = vo_new_array(ctx, vo_feature_key, VO_LOOK_SHARES * VO_SHARE_PAIRS)) &&
           VO_PADDED_NEW(ctx, c->start, c->start_count);
}

static vo_result set_up(vo_candidates *c, vo_kept_obstacles *kept) {
    VO_TRY(vo_clusters_create(c->ctx, c->surface, kept, &c->clusters));
    double stray = c->thickness * 0x1p-10;
    VO_TRY(vo_places_create(c->ctx, c->surface, &c->clusters, stray, &c->places));
    VO_TRY(vo_walks_create(c->ctx, &c->places, kept, &c->walks));
    VO_TRY(vo_runs_create(c->ctx, c->surface, &c->clusters, c->thickness, &c->runs));
    return allocate(c) ? VO_OK : vo_fail_memory(c->ctx, "candidates");
}

vo_result vo_candidates_keep(vo_candidates *c, vo_kept_obstacles *kept) {
    return vo_kept_take(c->ctx, c->surface, &c->clusters, &c->walks, kept);
}

vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_kept_obstacles *kept, vo_candidates **out) {
    *out = NULL;
    vo_candidates *c = vo_new(ctx, vo_candidates);
    if (!c) return vo_fail_memory(ctx, "candidates");
    c->ctx = ctx;
    c->surface = surface;
    c->thickness = vo_max(thickness, VO_LEAST_THICKNESS);
    c->keep = c->thickness * VO_SWEPT_KEPT;
    vo_result result = set_up(c, kept);
    if (result == VO_OK)
        *out = c;
    else
        vo_candidates_destroy(c);
    return result;
}

void vo_candidates_destroy(vo_candidates *c) {
    if (!c) return;
    vo_context *ctx = c->ctx;
    VO_PADDED_FREE(ctx, c->marked, c->clusters.count);
    vo_free_array(ctx, c->share_hit, VO_LOOK_SHARES * VO_SHARE_PAIRS);
    vo_free_array(ctx, c->share_key, VO_LOOK_SHARES * VO_SHARE_PAIRS);
    VO_PADDED_FREE(ctx, c->start, c->start_count);
    vo_free_array(ctx, c->hit, c->hit_capacity);
    vo_free_array(ctx, c->near, c->near_capacity);
    vo_free_array(ctx, c->swept, c->swept_capacity);
    vo_free_array(ctx, c->swept_key, c->swept_key_capacity);
    vo_free_array(ctx, c->spare_key, c->spare_key_capacity);
    vo_free_array(ctx, c->order, c->order_capacity);
    vo_runs_free(&c->runs);
    vo_walks_free(&c->walks);
    vo_places_free(&c->places);
    vo_clusters_free(&c->clusters);
    vo_delete(ctx, c);
}

void vo_candidates_forget(vo_candidates *c) {
    c->places.known = c->places.stepped = false;
    vo_walks_forget(&c->walks);
    c->runs.count = 0;
}

vo_candidates_report vo_candidates_report_take(vo_candidates *c) {
    vo_candidates_report report = c->report;
    report.pair_count = c->runs.live;
    c->report = (vo_candidates_report){0};
    return report;
}

/* ---- before any question -------------------------------------------------------------------- */

void vo_candidates_arrive(vo_candidates *c) {
    double start = vo_now();
    if (vo_places_arrive(&c->places)) vo_runs_advance(&c->runs, c->places.motion);
    c->report.tree_s += vo_now() - start;
}

void vo_candidates_step(vo_candidates *c) {
    double start = vo_now();
    vo_places_step(&c->places);
    c->report.tree_s += vo_now() - start;
}

vo_result vo_candidates_cover(vo_candidates *c, bool swept, double distance) {
    double start = vo_now();
    vo_walks_report walks;
    vo_result result = vo_walks_cover(&c->walks, swept, distance, &walks);
    c->crowded = result == VO_OK && walks.crowded;
    if (c->crowded)
        vo_candidates_forget(c);
    else if (result == VO_OK && walks.searched)
        result = vo_runs_merge(&c->runs, c->walks.all.count, c->walks.all.pair, c->places.box,
                               c->places.motion);
    c->report.searched |= walks.searched;
    c->report.tree_s += vo_now() - start;
    return result;
}

bool vo_candidates_crowded(const vo_candidates *c) { return c->crowded; }

/* ---- looking at pairs ----------------------------------------------------------------------- */

static vo_result wake(vo_candidates *c, int begin, int end) {
    double start = vo_now();
    vo_result result = vo_runs_wake(&c->runs, c->places.box, begin, end);
    c->report.tree_s += vo_now() - start;
    return result;
}

vo_result vo_candidates_wake(vo_candidates *c, bool *fits) {
    vo_runs *r = &c->runs;
    for (;;) {
        VO_TRY(wake(c, 0, r->count));
        *fits = !r->crowded;
        if (*fits || r->slack < LEAST_SLACK) return VO_OK;
        r->slack *= 0.25;
    }
}

/* Where the pairs of a kind are in the pool. */
static void find_kind(const vo_run *run, vo_feature_kind kind, int range[2]) {
    bool faces = kind == VO_NODE_FACE;
    range[0] = run->begin + (faces ? 0 : run->node_faces);
    range[1] = run->begin + (faces ? run->node_faces : run->count);
}

/* Looks at all pairs of a share that are awake. */
static int look_at_share(const vo_look_block *b, int share, int to) {
    const vo_runs *r = &b->c->runs;
    const vo_clusters *clusters = &b->c->clusters;
    vo_awake awake[VO_HANDFUL];
    int index[VO_SHARE_PAIRS], n = 0, found = 0;
    for (int k = r->cut[share]; k < r->cut[share + 1]; k++) {
        int run = r->active[k], range[2];
        find_kind(&r->run[run], b->kind, range);
        int count = r->kernels->collect(r->pool.low + range[0], range[1] - range[0],
                                        vo_run_alarm(r, run), index);
        for (int i = 0; i < count; i++) {
            int place = range[0] + index[i];
            vo_local_pair pair = r->pool.pair[place];
            vo_feature_key key =
                b->kind == VO_NODE_FACE
                    ? vo_node_face_key(clusters, r->run[run].a, r->run[run].b, pair)
                    : vo_edge_edge_key(clusters, r->run[run].a, r->run[run].b, pair);
            awake[n++] = (vo_awake){key, run, place};
            if (n < VO_HANDFUL) continue;
            found += b->look(b, n, awake, to + found);
            n = 0;
        }
    }
    return found + b->look(b, n, awake, to + found);
}

/* Edges come last: then all that is known of the runs is new. */
static void look_at_shares(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const vo_look_block *b = arg;
    for (int i = begin; i < end; i++) {
        b->c->share_count[i] = look_at_share(b, b->first + i, i * VO_SHARE_PAIRS);
        if (b->kind == VO_EDGE_EDGE) vo_runs_settle(&b->c->runs, b->first + i);
    }
}

/* Looks at what is awake, until there is too much to be returned. */
static bool look_at_awake(vo_look_block *b) {
    vo_candidates *c = b->c;
    for (b->first = 0; b->first < c->runs.cut_count && !c->crowded; b->first += VO_LOOK_SHARES) {
        int shares = vo_min_int(c->runs.cut_count - b->first, VO_LOOK_SHARES);
        vo_parallel_for(c->ctx, shares, 1, look_at_shares, b);
        if (!b->take(c, shares)) return false;
    }
    return true;
}

vo_result vo_candidates_look(vo_look_block *b, bool fits, vo_feature_kind kind) {
    vo_candidates *c = b->c;
    vo_runs *r = &c->runs;
    b->kind = kind;
    for (int begin = 0, end; begin < (fits ? 1 : r->count) && !c->crowded; begin = end) {
        end = fits ? 1 : vo_runs_slice_end(r, begin);
        if (!fits) {
            vo_runs_forget(r);
            VO_TRY(wake(c, begin, end));
        }
        if (!look_at_awake(b)) return vo_fail_memory(c->ctx, "candidates");
    }
    return VO_OK;
}

void vo_candidates_settle(vo_candidates *c, bool fits) {
    if (!fits) vo_runs_forget(&c->runs);
    if (!fits || !c->crowded) return;
    for (int i = 0; i < c->runs.cut_count; i++) vo_runs_settle(&c->runs, i);
}

double vo_awake_thickness(const vo_candidates *c, const vo_awake *p, const int node[4],
                          double *lead) {
    const vo_run *run = &c->runs.run[p->run];
    *lead = 0;
    if (!(run->lead > 0)) return c->thickness;
    double thickness = vo_pair_thickness(c->surface, node, c->thickness);
    *lead = (double)vo_pair_lead((double)run->thickness, thickness);
    return thickness;
}

void vo_candidates_note(vo_candidates *c, const vo_awake *p, double least, double lead) {
    c->runs.pool.low[p->place] = vo_float_below(c->runs.run[p->run].way + (least + lead));
}

/* ---- near ----------------------------------------------------------------------------------- */

/* Takes a lane of what was measured as a hit, if it is one. */
static bool take_lane(const vo_candidates *c, const int node[4], vo_feature_kind kind,
                      const vo_measured *m, int lane, double thickness, vo_near *near) {
    if (m->least[lane] > thickness) return false;
    double distance = sqrt(m->squared[lane]);
    if (!(distance < thickness)) return false;
    vo_vec3 offset = v3(m->offset[0][lane], m->offset[1][lane], m->offset[2][lane]);
    *near = (vo_near){.pair = {{node[0], node[1], node[2], node[3]}, kind},
                      .normal = v3_scale(1 / distance, offset),
                      .distance = distance,
                      .thickness = thickness};
    for (int k = 0; k < 4; k++) near->weight[k] = m->weight[k][lane];
    if (!(distance > 0)) near->normal = vo_pair_across(c->surface, &near->pair);
    return kind == VO_NODE_FACE || vo_is_inside(near->weight);
}

/* Measures pairs and collects the hits. */
static int look_near(const vo_look_block *b, int count, const vo_awake *awake, int to) {
    vo_candidates *c = b->c;
    int node[VO_HANDFUL][4];
    vo_measured measured[VO_HANDFUL / 4];
    for (int i = 0; i < count; i++) vo_pair_nodes(c->surface, b->kind, awake[i].key, node[i]);
    c->runs.kernels->measure(c->surface, b->kind, count, (const int(*)[4])node, measured);
    vo_near_hit *hit = c->share_hit + to;
    for (int i = 0; i < count; i++) {
        const vo_measured *m = &measured[i / 4];
        double lead, thickness = vo_awake_thickness(c, &awake[i], node[i], &lead);
        hit->key = awake[i].key;
        hit += take_lane(c, node[i], b->kind, m, i % 4, thickness, &hit->near);
        vo_candidates_note(c, &awake[i], m->least[i % 4], lead);
    }
    return (int)(hit - (c->share_hit + to));
}

int vo_candidates_found(const vo_candidates *c, int shares) {
    int sum = 0;
    for (int i = 0; i < shares; i++) sum += c->share_count[i];
    return sum;
}

static bool take_hits(vo_candidates *c, int shares) {
    int need = c->hit_count + vo_candidates_found(c, shares);
    if (!vo_reserve(c->ctx, &c->hit, &c->hit_capacity, need)) return false;
    for (int i = 0; i < shares; i++) {
        size_t hits = (size_t)c->share_count[i];
        if (hits)
            memcpy(c->hit + c->hit_count, c->share_hit + (size_t)i * VO_SHARE_PAIRS,
                   hits * sizeof *c->hit);
        c->hit_count += c->share_count[i];
    }
    c->crowded = c->hit_count > c->most_hits;
    if (c->crowded) c->hit_count = c->most_hits;
    return true;
}

static vo_result answer_near(vo_candidates *c) {
    bool fits;
    bool known = c->places.known;
    c->hit_count = 0;
    vo_candidates_arrive(c);
    if (!known)
        vo_candidates_step(
            c); /* how everything is about to move tells how long lists should last */
    VO_TRY(vo_candidates_cover(c, false, c->thickness));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    for (int i = 0; i < c->runs.count; i++) c->runs.need[i] = c->runs.run[i].thickness;
    c->runs.leads = false;
    VO_TRY(vo_candidates_wake(c, &fits));
    vo_look_block b = {.c = c, .look = look_near, .take = take_hits};
    VO_TRY(vo_candidates_look(&b, fits, VO_NODE_FACE));
    VO_TRY(vo_candidates_look(&b, fits, VO_EDGE_EDGE));
    vo_candidates_settle(c, fits);
    bool ok = vo_reserve(c->ctx, &c->near, &c->near_capacity, c->hit_count) &&
              vo_reserve(c->ctx, &c->order, &c->order_capacity, c->hit_count);
    return ok ? VO_OK : vo_fail_memory(c->ctx, "candidates");
}

vo_result vo_candidates_near(vo_candidates *c, int *count, const vo_near **near) {
    *count = 0;
    *near = NULL;
    vo_result result = answer_near(c);
    if (result != VO_OK) {
        vo_candidates_forget(c);
        return result;
    }
    *count = vo_select_near(c->surface, c->hit_count, c->hit, c->order, c->start, c->near);
    *near = c->near;
    return VO_OK;
}
