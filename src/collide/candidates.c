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
    PAIR_GRAIN = 256, /* pairs measured by one thread at a time */
    BLOCK = 64,       /* such grains before results are put together */
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

    vo_near_hit *grain_hit; /* [BLOCK * PAIR_GRAIN], and how many there are in each grain */
    vo_feature_key *grain_key;
    int grain_count[BLOCK];
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
           VO_PADDED_NEW(ctx, c->grain_hit, BLOCK * PAIR_GRAIN) &&
           VO_PADDED_NEW(ctx, c->grain_key, BLOCK * PAIR_GRAIN) &&
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
    VO_PADDED_FREE(ctx, c->grain_hit, BLOCK * PAIR_GRAIN);
    VO_PADDED_FREE(ctx, c->grain_key, BLOCK * PAIR_GRAIN);
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

/* Sees to it that all clusters that matter are runs. */
static vo_result cover(vo_candidates *c, bool swept, double distance) {
    double start = vo_now();
    vo_walks_report walks;
    vo_result result = vo_walks_cover(&c->walks, swept, distance, &walks);
    c->crowded = result == VO_OK && walks.crowded;
    if (c->crowded)
        vo_candidates_forget(c);
    else if (result == VO_OK && walks.searched)
        result = vo_runs_merge(&c->runs, c->walks.all.count, c->walks.all.pair, c->places.box);
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

/* Looks at a range of awake pairs, all of one kind; false without memory. */
typedef bool look_fn(vo_candidates *c, vo_feature_kind kind, int first, int end,
                     const unsigned char *moved);

/* Looks at the awake pairs of one kind. If they do not fit, slice by slice, until there are too
 * many to be returned. */
static vo_result look_at_kind(vo_candidates *c, bool fits, vo_feature_kind kind, look_fn *look,
                              const unsigned char *moved) {
    vo_runs *r = &c->runs;
    for (int begin = 0, end; begin < (fits ? 1 : r->count) && !c->crowded; begin = end) {
        end = fits ? 1 : vo_runs_slice_end(r, begin);
        if (!fits) {
            vo_runs_forget(r);
            VO_TRY(wake(c, begin, end));
        }
        int first = kind == VO_NODE_FACE ? 0 : r->awake_faces;
        int last = kind == VO_NODE_FACE ? r->awake_faces : r->awake_count;
        if (!look(c, kind, first, last, moved)) return vo_fail_memory(c->ctx, "candidates");
    }
    return VO_OK;
}

/* What was found is known from now on, if it can be kept. */
static void settle(vo_candidates *c, bool fits) {
    if (fits)
        vo_runs_settle(&c->runs);
    else
        vo_runs_forget(&c->runs);
}

/* ---- near ----------------------------------------------------------------------------------- */

/* What a pair was measured to have becomes its low. */
static void note_distance(vo_candidates *c, const vo_awake *p, double least) {
    c->runs.pool.low[p->place] = vo_float_below(c->runs.run[p->run].way + least);
}

/* A block of awake pairs of one kind. */
typedef struct block {
    vo_candidates *c;
    vo_feature_kind kind;
    int first;
    const unsigned char *moved; /* swept: NULL or the marks */
} block;

/* Takes a lane of what was measured as a hit, if it is one. */
static bool take_lane(const vo_candidates *c, const int node[4], vo_feature_kind kind,
                      const vo_measured *m, int lane, vo_near *near) {
    double distance = sqrt(m->squared[lane]);
    double thickness = vo_pair_thickness(c->surface, node, c->thickness);
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

/* Measures a grain of pairs and collects the hits. */
static void measure_near(void *arg, int begin, int end, int chunk) {
    block *b = arg;
    vo_candidates *c = b->c;
    const vo_awake *awake = c->runs.awake + b->first + begin;
    int node[PAIR_GRAIN][4], n = end - begin;
    vo_measured measured[PAIR_GRAIN / 4];
    for (int i = 0; i < n; i++) vo_pair_nodes(c->surface, b->kind, awake[i].key, node[i]);
    c->runs.kernels->measure(c->surface, b->kind, n, (const int(*)[4])node, measured);
    vo_near_hit *to = c->grain_hit + begin;
    for (int i = 0; i < n; i++) {
        const vo_measured *m = &measured[i / 4];
        to->key = awake[i].key;
        to += take_lane(c, node[i], b->kind, m, i % 4, &to->near);
        note_distance(c, &awake[i], m->least[i % 4]);
    }
    c->grain_count[chunk] = (int)(to - (c->grain_hit + begin));
}

/* Adds what the grains of a block of n pairs have found, as far as there may be so many. */
static bool take_hits(vo_candidates *c, int n) {
    int grains = vo_chunk_count(n, PAIR_GRAIN);
    if (!vo_reserve(c->ctx, &c->hit, &c->hit_capacity, c->hit_count + n)) return false;
    for (int g = 0; g < grains; g++) {
        size_t hits = (size_t)c->grain_count[g];
        memcpy(c->hit + c->hit_count, c->grain_hit + (size_t)g * PAIR_GRAIN, hits * sizeof *c->hit);
        c->hit_count += c->grain_count[g];
    }
    c->crowded = c->hit_count > c->most_hits;
    if (c->crowded) c->hit_count = c->most_hits;
    return true;
}

static bool find_hits(vo_candidates *c, vo_feature_kind kind, int first, int end,
                      const unsigned char *moved) {
    (void)moved;
    for (; first < end && !c->crowded; first += BLOCK * PAIR_GRAIN) {
        int n = vo_min_int(end - first, BLOCK * PAIR_GRAIN);
        block b = {.c = c, .kind = kind, .first = first};
        vo_parallel_for(c->ctx, n, PAIR_GRAIN, measure_near, &b);
        if (!take_hits(c, n)) return false;
    }
    return true;
}

static vo_result answer_near(vo_candidates *c) {
    bool fits;
    c->hit_count = 0;
    arrive(c);
    VO_TRY(cover(c, false, c->thickness));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    for (int i = 0; i < c->runs.count; i++) c->runs.need[i] = c->runs.run[i].thickness;
    VO_TRY(wake_all(c, &fits));
    VO_TRY(look_at_kind(c, fits, VO_NODE_FACE, find_hits, NULL));
    VO_TRY(look_at_kind(c, fits, VO_EDGE_EDGE, find_hits, NULL));
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

/* Tests a grain of pairs and collects those that are not cleared. What is known of a pair saves
 * measuring it, but only what was measured decides: so the answer depends on the state alone,
 * however old the lists are. */
static void measure_swept(void *arg, int begin, int end, int chunk) {
    block *b = arg;
    vo_candidates *c = b->c;
    vo_feature_key *to = c->grain_key + begin;
    for (int i = begin; i < end; i++) {
        const vo_awake *p = &c->runs.awake[b->first + i];
        vo_feature_pair pair = {.kind = b->kind};
        vo_pair_nodes(c->surface, b->kind, p->key, pair.node);
        if (!is_marked(&pair, b->moved)) continue;
        double known = (double)c->runs.pool.low[p->place] - c->runs.run[p->run].way, least;
        double reach = vo_min(vo_pair_travel(c->surface, &pair) + c->keep, c->runs.need[p->run]);
        if (reach < known) continue;
        bool clear = vo_pair_is_clear(c->surface, &pair, c->keep, &least);
        note_distance(c, p, least);
        *to = p->key;
        to += !clear && least <= reach && pair_moves(c->surface, &pair);
    }
    c->grain_count[chunk] = (int)(to - (c->grain_key + begin));
}

/* Adds what the grains of a block of n pairs have left, as far as there may be so many. */
static bool take_keys(vo_candidates *c, int n) {
    int grains = vo_chunk_count(n, PAIR_GRAIN);
    if (!vo_reserve(c->ctx, &c->swept_key, &c->swept_key_capacity, c->swept_count + n))
        return false;
    for (int g = 0; g < grains; g++) {
        size_t keys = (size_t)c->grain_count[g];
        memcpy(c->swept_key + c->swept_count, c->grain_key + (size_t)g * PAIR_GRAIN,
               keys * sizeof *c->swept_key);
        c->swept_count += c->grain_count[g];
    }
    c->crowded = c->swept_count > c->most_swept;
    if (c->crowded) c->swept_count = c->most_swept;
    return true;
}

static bool find_swept(vo_candidates *c, vo_feature_kind kind, int first, int end,
                       const unsigned char *moved) {
    for (; first < end && !c->crowded; first += BLOCK * PAIR_GRAIN) {
        int n = vo_min_int(end - first, BLOCK * PAIR_GRAIN);
        block b = {c, kind, first, moved};
        vo_parallel_for(c->ctx, n, PAIR_GRAIN, measure_swept, &b);
        if (!take_keys(c, n)) return false;
    }
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

/* Looks at the step from x0 to x1. */
static void step(vo_candidates *c) {
    double start = vo_now();
    vo_places_step(&c->places);
    c->report.tree_s += vo_now() - start;
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
static float find_need(const vo_candidates *c, const vo_run *run) {
    const vo_cluster_motion *a = &c->places.motion[run->a], *b = &c->places.motion[run->b];
    double reach = vo_walks_reach(&c->walks, run->a, run->b, c->keep);
    if (reach < 0) return -1;
    float need = vo_float_above(vo_cluster_travel(a, b) + c->keep);
    return reach < need ? vo_float_below(reach) : need;
}

static void find_needs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_candidates *c = arg;
    for (int i = begin; i < end; i++) {
        const vo_run *run = &c->runs.run[i];
        bool concerned = (c->marked[run->a] | c->marked[run->b]) == (HAS_MARKED | HAS_MOVING);
        c->runs.need[i] = concerned ? find_need(c, run) : -1;
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
    VO_TRY(wake_all(c, &fits));
    for (int kind = VO_NODE_FACE; kind <= VO_EDGE_EDGE; kind++) {
        int first = c->swept_count;
        VO_TRY(look_at_kind(c, fits, (vo_feature_kind)kind, find_swept, moved));
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
