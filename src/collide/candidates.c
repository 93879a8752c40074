#include "collide/candidates.h"

#include "collide/arrays.h"
#include "collide/candidates_run.h"
#include "collide/candidates_walk.h"
#include "collide/clump.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/timer.h"

#include <string.h>

enum {
    RUN_GRAIN = 1024,
    HANDFUL = 64, /* pairs that are measured together */
    BLOCK = 8,    /* shares of active runs before results are put together */
};

/* Of runs, see there: below this, lists are not made again with less. */
static const double LEAST_SLACK = 0.01;

struct vo_candidates {
    vo_context *ctx;
    const vo_surface *surface;
    double thickness;
    double keep; /* m, see vo_candidates_swept */
    vo_clusters clusters;
    vo_places places;
    vo_walks walks;
    vo_runs runs;

    unsigned char *marked; /* [clusters] have a node that is marked as moved, and one that moves */
    bool crowded;          /* the last answer is not complete */
    int most_hits, most_swept;

    vo_near_hit *share_hit; /* [BLOCK * VO_SHARE_PAIRS], and how many there are of each share */
    vo_feature_key *share_key;
    int share_count[BLOCK];
    vo_near_hit *hit;
    int hit_count, hit_capacity;
    vo_near *near;
    int near_capacity;
    vo_feature_pair *swept;
    vo_feature_key *swept_key, *spare_key;
    int swept_count, swept_capacity, swept_key_capacity, spare_key_capacity;
    int32_t *order, *start;
    int order_capacity, start_count;
    vo_candidates_report report;
};

/* ---- memory --------------------------------------------------------------------------------- */

static bool allocate(vo_candidates *c) {
    vo_context *ctx = c->ctx;
    c->start_count = vo_max_int(c->surface->node_count, c->surface->edge_count);
    int64_t features = (int64_t)c->surface->node_count + c->surface->edge_count;
    c->most_hits = vo_clump_bound(VO_NEAR_PAIRS, features);
    c->most_swept = vo_clump_bound(VO_SWEPT_PAIRS, features);
    return VO_PADDED_NEW(ctx, c->marked, c->clusters.count) &&
           (c->share_hit = vo_new_array(ctx, vo_near_hit, BLOCK * VO_SHARE_PAIRS)) &&
           (c->share_key = vo_new_array(ctx, vo_feature_key, BLOCK * VO_SHARE_PAIRS)) &&
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
    vo_free_array(ctx, c->share_hit, BLOCK * VO_SHARE_PAIRS);
    vo_free_array(ctx, c->share_key, BLOCK * VO_SHARE_PAIRS);
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

/* Brings what is known to x0. */
static void arrive(vo_candidates *c) {
    double start = vo_now();
    if (vo_places_arrive(&c->places)) vo_runs_advance(&c->runs, c->places.motion);
    c->report.tree_s += vo_now() - start;
}

/* Looks at the step from x0 to x1. */
static void step(vo_candidates *c) {
    double start = vo_now();
    vo_places_step(&c->places);
    c->report.tree_s += vo_now() - start;
}

/* Sees to it that all clusters that matter are runs. */
static vo_result cover(vo_candidates *c, bool swept, double distance) {
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

/* Wakes all runs, with less slack where lists become too long. *fits: that was enough. */
static vo_result wake_all(vo_candidates *c, bool *fits) {
    vo_runs *r = &c->runs;
    for (;;) {
        VO_TRY(wake(c, 0, r->count));
        *fits = !r->crowded;
        if (*fits || r->slack < LEAST_SLACK) return VO_OK;
        r->slack *= 0.25;
    }
}

/* A pair that is awake. */
typedef struct awake_pair {
    vo_feature_key key;
    int run, place; /* in the pool */
} awake_pair;

struct block;

/* Looks at a handful of awake pairs. What is found goes to share_hit or share_key, from `to` on;
 * returns how many there are. */
typedef int look_fn(const struct block *b, int count, const awake_pair *awake, int to);
/* Adds what so many shares have found, as far as there may be so many; false without memory. */
typedef bool take_fn(vo_candidates *c, int shares);

/* A block of shares of which all pairs of one kind that are awake are looked at. */
typedef struct block {
    vo_candidates *c;
    vo_feature_kind kind;
    look_fn *look;
    take_fn *take;
    const unsigned char *moved; /* swept: NULL or the marks */
    int first;
} block;

/* Where the pairs of a kind are in the pool. */
static void find_kind(const vo_run *run, vo_feature_kind kind, int range[2]) {
    bool faces = kind == VO_NODE_FACE;
    range[0] = run->begin + (faces ? 0 : run->node_faces);
    range[1] = run->begin + (faces ? run->node_faces : run->count);
}

/* Looks at all pairs of a share that are awake. */
static int look_at_share(const block *b, int share, int to) {
    const vo_runs *r = &b->c->runs;
    const vo_clusters *clusters = &b->c->clusters;
    awake_pair awake[HANDFUL];
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
            awake[n++] = (awake_pair){key, run, place};
            if (n < HANDFUL) continue;
            found += b->look(b, n, awake, to + found);
            n = 0;
        }
    }
    return found + b->look(b, n, awake, to + found);
}

/* Edges come last: then all that is known of the runs is new. */
static void look_at_shares(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const block *b = arg;
    for (int i = begin; i < end; i++) {
        b->c->share_count[i] = look_at_share(b, b->first + i, i * VO_SHARE_PAIRS);
        if (b->kind == VO_EDGE_EDGE) vo_runs_settle(&b->c->runs, b->first + i);
    }
}

/* Looks at what is awake, until there is too much to be returned. */
static bool look_at_awake(block *b) {
    vo_candidates *c = b->c;
    for (b->first = 0; b->first < c->runs.cut_count && !c->crowded; b->first += BLOCK) {
        int shares = vo_min_int(c->runs.cut_count - b->first, BLOCK);
        vo_parallel_for(c->ctx, shares, 1, look_at_shares, b);
        if (!b->take(c, shares)) return false;
    }
    return true;
}

/* Looks at the awake pairs of one kind. If they do not fit, slice by slice. */
static vo_result look_at_kind(block *b, bool fits, vo_feature_kind kind) {
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

/* What was found is known from now on, if it can be kept. */
static void settle(vo_candidates *c, bool fits) {
    if (!fits) vo_runs_forget(&c->runs);
    if (!fits || !c->crowded) return;
    for (int i = 0; i < c->runs.cut_count; i++) vo_runs_settle(&c->runs, i);
}

/* The thickness of an awake pair, and its lead. */
static double thickness_of(const vo_candidates *c, const awake_pair *p, const int node[4],
                           double *lead) {
    const vo_run *run = &c->runs.run[p->run];
    *lead = 0;
    if (!(run->lead > 0)) return c->thickness;
    double thickness = vo_pair_thickness(c->surface, node, c->thickness);
    *lead = (double)vo_pair_lead((double)run->thickness, thickness);
    return thickness;
}

/* What a pair was measured to have becomes its low. */
static void note_distance(vo_candidates *c, const awake_pair *p, double least, double lead) {
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
static int look_near(const block *b, int count, const awake_pair *awake, int to) {
    vo_candidates *c = b->c;
    int node[HANDFUL][4];
    vo_measured measured[HANDFUL / 4];
    for (int i = 0; i < count; i++) vo_pair_nodes(c->surface, b->kind, awake[i].key, node[i]);
    c->runs.kernels->measure(c->surface, b->kind, count, (const int(*)[4])node, measured);
    vo_near_hit *hit = c->share_hit + to;
    for (int i = 0; i < count; i++) {
        const vo_measured *m = &measured[i / 4];
        double lead, thickness = thickness_of(c, &awake[i], node[i], &lead);
        hit->key = awake[i].key;
        hit += take_lane(c, node[i], b->kind, m, i % 4, thickness, &hit->near);
        note_distance(c, &awake[i], m->least[i % 4], lead);
    }
    return (int)(hit - (c->share_hit + to));
}

static int sum_counts(const vo_candidates *c, int shares) {
    int sum = 0;
    for (int i = 0; i < shares; i++) sum += c->share_count[i];
    return sum;
}

static bool take_hits(vo_candidates *c, int shares) {
    int need = c->hit_count + sum_counts(c, shares);
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
    arrive(c);
    if (!known) step(c); /* how everything is about to move tells how long lists should last */
    VO_TRY(cover(c, false, c->thickness));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    for (int i = 0; i < c->runs.count; i++) c->runs.need[i] = c->runs.run[i].thickness;
    c->runs.leads = false;
    VO_TRY(wake_all(c, &fits));
    block b = {.c = c, .look = look_near, .take = take_hits};
    VO_TRY(look_at_kind(&b, fits, VO_NODE_FACE));
    VO_TRY(look_at_kind(&b, fits, VO_EDGE_EDGE));
    settle(c, fits);
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

/* ---- swept ---------------------------------------------------------------------------------- */

static bool is_marked(const vo_feature_pair *p, const unsigned char *moved) {
    return !moved || moved[p->node[0]] | moved[p->node[1]] | moved[p->node[2]] | moved[p->node[3]];
}

static bool node_moves(const vo_surface *s, int n) {
    return memcmp(&s->x0[n], &s->x1[n], sizeof s->x0[n]) != 0;
}

static bool pair_moves(const vo_surface *s, const vo_feature_pair *p) {
    return node_moves(s, p->node[0]) || node_moves(s, p->node[1]) || node_moves(s, p->node[2]) ||
           node_moves(s, p->node[3]);
}

/* Tests pairs and collects those that are not cleared. What is known of a pair saves measuring it,
 * but only what was measured decides: so the answer depends on the state alone, however old the
 * lists are. */
static int look_swept(const block *b, int count, const awake_pair *awake, int to) {
    vo_candidates *c = b->c;
    vo_feature_key *key = c->share_key + to;
    for (int i = 0; i < count; i++) {
        const awake_pair *p = &awake[i];
        const vo_run *run = &c->runs.run[p->run];
        vo_feature_pair pair = {.kind = b->kind};
        vo_pair_nodes(c->surface, b->kind, p->key, pair.node);
        if (!is_marked(&pair, b->moved)) continue;
        double lead, least;
        thickness_of(c, p, pair.node, &lead);
        double known = (double)c->runs.pool.low[p->place] - run->way - lead;
        double reach = vo_min(vo_pair_travel(c->surface, &pair) + c->keep, c->runs.need[p->run]);
        if (reach < known) continue;
        bool clear = vo_pair_is_clear(c->surface, &pair, c->keep, &least);
        note_distance(c, p, least, lead);
        *key = p->key;
        key += !clear && least <= reach && pair_moves(c->surface, &pair);
    }
    return (int)(key - (c->share_key + to));
}

static bool take_keys(vo_candidates *c, int shares) {
    int need = c->swept_count + sum_counts(c, shares);
    if (!vo_reserve(c->ctx, &c->swept_key, &c->swept_key_capacity, need)) return false;
    for (int i = 0; i < shares; i++) {
        size_t keys = (size_t)c->share_count[i];
        if (keys)
            memcpy(c->swept_key + c->swept_count, c->share_key + (size_t)i * VO_SHARE_PAIRS,
                   keys * sizeof *c->swept_key);
        c->swept_count += c->share_count[i];
    }
    c->crowded = c->swept_count > c->most_swept;
    if (c->crowded) c->swept_count = c->most_swept;
    return true;
}

/* Sorts the keys from `first` on and writes their pairs. */
static bool place_swept(vo_candidates *c, int first, vo_feature_kind kind) {
    int n = c->swept_count - first;
    if (!vo_reserve(c->ctx, &c->spare_key, &c->spare_key_capacity, n) ||
        !vo_reserve(c->ctx, &c->swept, &c->swept_capacity, c->swept_count))
        return false;
    vo_sort_keys(n, c->swept_key + first, c->spare_key);
    for (int i = first; i < c->swept_count; i++) {
        c->swept[i].kind = kind;
        vo_pair_nodes(c->surface, kind, c->swept_key[i], c->swept[i].node);
    }
    return true;
}

enum { HAS_MARKED = 1, HAS_MOVING = 2 };

/* Marks the clusters that have a marked node (without marks, all), and those that have a node which
 * moves. */
static void mark_clusters(vo_candidates *c, const unsigned char *moved) {
    const vo_lists *of = &c->clusters.of_node;
    memset(c->marked, moved ? 0 : HAS_MARKED, (size_t)c->clusters.count);
    for (int n = 0; n < c->surface->node_count; n++) {
        int bits =
            (moved && moved[n] ? HAS_MARKED : 0) | (node_moves(c->surface, n) ? HAS_MOVING : 0);
        for (int i = of->begin[n]; bits && i < of->begin[n + 1]; i++)
            c->marked[of->item[i]] |= (unsigned char)bits;
    }
}

/* What is asked of a run in this step. */
static float find_need(const vo_candidates *c, const vo_run *run, vo_reach_memo *memo) {
    const vo_cluster_motion *a = &c->places.motion[run->a], *b = &c->places.motion[run->b];
    double reach = vo_walks_reach(&c->walks, run->a, run->b, c->keep, memo);
    if (reach < 0) return -1;
    float need = vo_float_above(vo_cluster_travel(a, b) + c->keep);
    return reach < need ? vo_float_below(reach) : need;
}

static void find_needs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_candidates *c = arg;
    vo_reach_memo memo = {-1, -1, 0};
    for (int i = begin; i < end; i++) {
        const vo_run *run = &c->runs.run[i];
        bool concerned = (c->marked[run->a] | c->marked[run->b]) == (HAS_MARKED | HAS_MOVING);
        c->runs.need[i] = concerned ? find_need(c, run, &memo) : -1;
    }
}

static vo_result answer_swept(vo_candidates *c, const unsigned char *moved) {
    bool fits;
    c->swept_count = 0;
    arrive(c);
    step(c);
    VO_TRY(cover(c, true, c->keep));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    mark_clusters(c, moved);
    vo_parallel_for(c->ctx, c->runs.count, RUN_GRAIN, find_needs, c);
    c->runs.leads = true;
    VO_TRY(wake_all(c, &fits));
    block b = {.c = c, .look = look_swept, .take = take_keys, .moved = moved};
    for (int kind = VO_NODE_FACE; kind <= VO_EDGE_EDGE; kind++) {
        int first = c->swept_count;
        VO_TRY(look_at_kind(&b, fits, (vo_feature_kind)kind));
        if (!place_swept(c, first, (vo_feature_kind)kind))
            return vo_fail_memory(c->ctx, "candidates");
    }
    settle(c, fits);
    return VO_OK;
}

vo_result vo_candidates_swept(vo_candidates *c, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs) {
    *count = 0;
    *pairs = NULL;
    vo_result result = answer_swept(c, moved);
    if (result != VO_OK) {
        vo_candidates_forget(c);
        return result;
    }
    *count = c->swept_count;
    *pairs = c->swept;
    return VO_OK;
}
