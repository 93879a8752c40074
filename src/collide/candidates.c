#include "collide/candidates.h"

#include "collide/candidates_run.h"
#include "collide/candidates_walk.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/timer.h"

#include <string.h>

enum {
    CLUSTER_GRAIN = 64,
    PAIR_GRAIN = 256, /* pairs measured by one thread at a time */
    BLOCK = 64,       /* such grains before results are put together */
};

struct vo_candidates {
    vo_context *ctx;
    const vo_surface *surface;
    double thickness;
    double keep; /* m, see vo_candidates_swept */
    vo_clusters clusters;
    vo_walks walks;
    vo_runs runs;

    bool known;                   /* runs are about positions `at` */
    bool stepped;                 /* `motion` and `hull` are about the step from `at` to `to` */
    vo_vec3 *at, *to;             /* [node_count] */
    vo_box *box, *end_box, *hull; /* [clusters] at `at`, at the end of the step and over it */
    vo_cluster_motion *motion;    /* [clusters] */
    unsigned char *dirty;         /* [clusters] */

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

#define NEW(ctx, array, n)  ((array) = vo_alloc_zero((ctx), ((size_t)(n) + 1) * sizeof *(array)))
#define FREE(ctx, array, n) vo_free((ctx), (array), ((size_t)(n) + 1) * sizeof *(array))

static bool allocate(vo_candidates *c) {
    vo_context *ctx = c->ctx;
    int nodes = c->surface->node_count, clusters = c->clusters.count;
    c->start_count = vo_max_int(nodes, c->surface->edge_count);
    return NEW(ctx, c->at, nodes) && NEW(ctx, c->to, nodes) && NEW(ctx, c->box, clusters) &&
           NEW(ctx, c->end_box, clusters) && NEW(ctx, c->hull, clusters) &&
           NEW(ctx, c->motion, clusters) && NEW(ctx, c->dirty, clusters) &&
           NEW(ctx, c->grain_hit, BLOCK * PAIR_GRAIN) &&
           NEW(ctx, c->grain_key, BLOCK * PAIR_GRAIN) && NEW(ctx, c->start, c->start_count);
}

static vo_result set_up(vo_candidates *c) {
    VO_TRY(vo_clusters_create(c->ctx, c->surface, &c->clusters));
    VO_TRY(vo_walks_create(c->ctx, c->surface, &c->clusters, &c->walks));
    VO_TRY(vo_runs_create(c->ctx, c->surface, &c->clusters, c->thickness, &c->runs));
    return allocate(c) ? VO_OK : vo_fail_memory(c->ctx, "candidates");
}

vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_candidates **out) {
    *out = NULL;
    vo_candidates *c = vo_new(ctx, vo_candidates);
    if (!c) return vo_fail_memory(ctx, "candidates");
    c->ctx = ctx;
    c->surface = surface;
    c->thickness = thickness;
    c->keep = thickness * VO_SWEPT_KEEP;
    vo_result result = set_up(c);
    if (result == VO_OK)
        *out = c;
    else
        vo_candidates_destroy(c);
    return result;
}

void vo_candidates_destroy(vo_candidates *c) {
    if (!c) return;
    vo_context *ctx = c->ctx;
    int nodes = c->surface->node_count, clusters = c->clusters.count;
    FREE(ctx, c->at, nodes);
    FREE(ctx, c->to, nodes);
    FREE(ctx, c->box, clusters);
    FREE(ctx, c->end_box, clusters);
    FREE(ctx, c->hull, clusters);
    FREE(ctx, c->motion, clusters);
    FREE(ctx, c->dirty, clusters);
    FREE(ctx, c->grain_hit, BLOCK * PAIR_GRAIN);
    FREE(ctx, c->grain_key, BLOCK * PAIR_GRAIN);
    FREE(ctx, c->start, c->start_count);
    vo_free_array(ctx, c->hit, c->hit_capacity);
    vo_free_array(ctx, c->near, c->near_capacity);
    vo_free_array(ctx, c->swept, c->swept_capacity);
    vo_free_array(ctx, c->swept_key, c->swept_key_capacity);
    vo_free_array(ctx, c->spare_key, c->spare_key_capacity);
    vo_free_array(ctx, c->order, c->order_capacity);
    vo_runs_free(&c->runs);
    vo_walks_free(&c->walks);
    vo_clusters_free(&c->clusters);
    vo_delete(ctx, c);
}

void vo_candidates_forget(vo_candidates *c) {
    c->known = c->stepped = c->walks.valid = false;
    c->runs.count = 0;
}

vo_candidates_report vo_candidates_report_take(vo_candidates *c) {
    vo_candidates_report report = c->report;
    report.pair_count = c->runs.live;
    c->report = (vo_candidates_report){0};
    return report;
}

/* ---- where everything is -------------------------------------------------------------------- */

typedef struct move_job {
    vo_candidates *c;
    const vo_vec3 *to;
    bool all; /* or only the clusters marked as dirty */
} move_job;

/* Motions of clusters, and their boxes at the end and over the way. */
static void move_clusters(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    move_job *job = arg;
    vo_candidates *c = job->c;
    for (int i = begin; i < end; i++) {
        if (!job->all && !c->dirty[i]) continue;
        c->runs.kernels->move(&c->clusters, i, c->at, job->to, &c->motion[i], &c->end_box[i]);
        c->hull[i] = box_join(c->box[i], c->end_box[i]);
    }
}

static void move_all(vo_candidates *c, const vo_vec3 *to, bool all) {
    move_job job = {c, to, all};
    vo_parallel_for(c->ctx, c->clusters.count, CLUSTER_GRAIN, move_clusters, &job);
}

static bool same_positions(const vo_candidates *c, const vo_vec3 *a, const vo_vec3 *b) {
    size_t bytes = (size_t)c->surface->node_count * sizeof *a;
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static void copy_positions(const vo_candidates *c, vo_vec3 *to, const vo_vec3 *from) {
    if (c->surface->node_count > 0) memcpy(to, from, (size_t)c->surface->node_count * sizeof *to);
}

/* Brings what is known to x0. Mostly that is where the step before was to end. */
static void arrive(vo_candidates *c) {
    const vo_vec3 *x0 = c->surface->x0;
    if (c->known && same_positions(c, c->at, x0)) return;
    double start = vo_now();
    if (!c->known) copy_positions(c, c->at, x0);
    if (!c->stepped || !same_positions(c, c->to, x0)) move_all(c, x0, true);
    vo_runs_advance(&c->runs, c->motion);
    copy_positions(c, c->at, x0);
    memcpy(c->box, c->end_box, (size_t)c->clusters.count * sizeof *c->box);
    c->known = true;
    c->stepped = false;
    c->report.tree_s += vo_now() - start;
}

/* Marks the clusters with a node whose x1 is not what it was. */
static void find_changed(vo_candidates *c) {
    const vo_surface *s = c->surface;
    const vo_lists *of = &c->clusters.of_node;
    memset(c->dirty, 0, (size_t)c->clusters.count);
    for (int n = 0; n < s->node_count; n++) {
        if (memcmp(&c->to[n], &s->x1[n], sizeof s->x1[n]) == 0) continue;
        c->to[n] = s->x1[n];
        for (int i = of->begin[n]; i < of->begin[n + 1]; i++) c->dirty[of->item[i]] = 1;
    }
}

/* Motions and hulls of the step from x0 to x1. */
static void step(vo_candidates *c) {
    const vo_surface *s = c->surface;
    double start = vo_now();
    if (c->stepped) {
        find_changed(c);
        move_all(c, s->x1, false);
    } else {
        copy_positions(c, c->to, s->x1);
        move_all(c, s->x1, true);
    }
    c->stepped = true;
    c->report.tree_s += vo_now() - start;
}

/* Sees to it that all clusters closer than 2 margin are runs. */
static vo_result cover(vo_candidates *c, const vo_box *box, double margin) {
    double start = vo_now();
    vo_result result = VO_OK;
    if (!vo_walks_hold(&c->walks, box, margin)) {
        c->report.searched = true;
        result = vo_walks_search(&c->walks, box, margin);
        if (result == VO_OK)
            result = vo_runs_merge(&c->runs, c->walks.count, c->walks.pairs, c->box);
    }
    c->report.tree_s += vo_now() - start;
    return result;
}

static vo_result wake(vo_candidates *c) {
    double start = vo_now();
    vo_result result = vo_runs_wake(&c->runs, c->box);
    c->report.tree_s += vo_now() - start;
    return result;
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

/* Adds what the grains of a block of n pairs have found. */
static bool take_hits(vo_candidates *c, int n) {
    int grains = vo_chunk_count(n, PAIR_GRAIN);
    if (!vo_reserve(c->ctx, &c->hit, &c->hit_capacity, c->hit_count + n)) return false;
    for (int g = 0; g < grains; g++) {
        size_t hits = (size_t)c->grain_count[g];
        memcpy(c->hit + c->hit_count, c->grain_hit + (size_t)g * PAIR_GRAIN, hits * sizeof *c->hit);
        c->hit_count += c->grain_count[g];
    }
    return true;
}

/* Measures the awake pairs from `first` to `end`, all of one kind. */
static bool find_hits(vo_candidates *c, vo_feature_kind kind, int first, int end) {
    for (; first < end; first += BLOCK * PAIR_GRAIN) {
        int n = vo_min_int(end - first, BLOCK * PAIR_GRAIN);
        block b = {.c = c, .kind = kind, .first = first};
        vo_parallel_for(c->ctx, n, PAIR_GRAIN, measure_near, &b);
        if (!take_hits(c, n)) return false;
    }
    return true;
}

static bool find_near(vo_candidates *c) {
    int faces = c->runs.awake_faces, all = c->runs.awake_count;
    c->hit_count = 0;
    bool ok = find_hits(c, VO_NODE_FACE, 0, faces) && find_hits(c, VO_EDGE_EDGE, faces, all);
    vo_runs_settle(&c->runs);
    return ok && vo_reserve(c->ctx, &c->near, &c->near_capacity, c->hit_count) &&
           vo_reserve(c->ctx, &c->order, &c->order_capacity, c->hit_count);
}

static vo_result answer_near(vo_candidates *c) {
    arrive(c);
    VO_TRY(cover(c, c->box, c->thickness / 2));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    for (int i = 0; i < c->runs.count; i++) c->runs.need[i] = c->runs.run[i].thickness;
    VO_TRY(wake(c));
    return find_near(c) ? VO_OK : vo_fail_memory(c->ctx, "candidates");
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

static void measure_swept(void *arg, int begin, int end, int chunk) {
    block *b = arg;
    vo_candidates *c = b->c;
    vo_feature_key *to = c->grain_key + begin;
    for (int i = begin; i < end; i++) {
        const vo_awake *p = &c->runs.awake[b->first + i];
        vo_feature_pair pair = {.kind = b->kind};
        vo_pair_nodes(c->surface, b->kind, p->key, pair.node);
        if (!is_marked(&pair, b->moved)) continue;
        double least = (double)c->runs.pool.low[p->place] - c->runs.run[p->run].way;
        if (vo_pair_travel(c->surface, &pair) + c->keep < least) continue;
        *to = p->key;
        to += !vo_pair_is_clear(c->surface, &pair, c->keep, &least);
        note_distance(c, p, least);
    }
    c->grain_count[chunk] = (int)(to - (c->grain_key + begin));
}

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
    return true;
}

/* Tests the awake pairs from `first` to `end`, all of one kind. */
static bool find_swept(vo_candidates *c, vo_feature_kind kind, int first, int end,
                       const unsigned char *moved) {
    for (; first < end; first += BLOCK * PAIR_GRAIN) {
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

/* Marks the clusters that have a marked node; without marks, all. */
static void mark_clusters(vo_candidates *c, const unsigned char *moved) {
    const vo_lists *of = &c->clusters.of_node;
    memset(c->dirty, !moved, (size_t)c->clusters.count);
    if (!moved) return;
    for (int n = 0; n < c->surface->node_count; n++) {
        if (!moved[n]) continue;
        for (int i = of->begin[n]; i < of->begin[n + 1]; i++) c->dirty[of->item[i]] = 1;
    }
}

/* What is asked of each run in this step. */
static void find_needs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_candidates *c = arg;
    for (int i = begin; i < end; i++) {
        const vo_run *run = &c->runs.run[i];
        bool concerned = c->dirty[run->a] | c->dirty[run->b];
        double travel = concerned ? vo_cluster_travel(&c->motion[run->a], &c->motion[run->b]) : -1;
        c->runs.need[i] = concerned ? vo_float_above(travel + c->keep) : -1;
    }
}

static vo_result answer_swept(vo_candidates *c, const unsigned char *moved) {
    arrive(c);
    step(c);
    VO_TRY(cover(c, c->hull, c->keep / 2));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    mark_clusters(c, moved);
    vo_parallel_for(c->ctx, c->runs.count, 1024, find_needs, c);
    VO_TRY(wake(c));
    int faces = c->runs.awake_faces, all = c->runs.awake_count;
    c->swept_count = 0;
    bool ok = find_swept(c, VO_NODE_FACE, 0, faces, moved) && place_swept(c, 0, VO_NODE_FACE);
    int face_pairs = c->swept_count;
    ok = ok && find_swept(c, VO_EDGE_EDGE, faces, all, moved) &&
         place_swept(c, face_pairs, VO_EDGE_EDGE);
    vo_runs_settle(&c->runs);
    return ok ? VO_OK : vo_fail_memory(c->ctx, "candidates");
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
