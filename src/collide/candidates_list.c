/* The lists of runs: which pairs of features are close enough to be looked at one by one. */
#include "collide/candidates_run.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { LIST_GRAIN = 8 };

/* Features of one kind of a cluster with their boxes, less those too far from the other cluster. */
typedef struct features {
    int count;
    int id[VO_CLUSTER_NODES];
    vo_box box[VO_CLUSTER_NODES];
} features;

/* Where pairs go; without arrays they are only counted. */
typedef struct sink {
    vo_feature_key *key;
    float *low;
    int count;
} sink;

typedef struct listing {
    const vo_surface *s;
    double limit2; /* square of the distance of boxes up to which pairs are listed */
    sink to;
} listing;

static void add_feature(features *f, int id, vo_box box, const vo_box *other, double limit2) {
    f->id[f->count] = id;
    f->box[f->count] = box;
    f->count += !(vo_box_gap2(&box, other) > limit2);
}

static vo_box point_box(vo_vec3 x) { return (vo_box){x, x}; }

static void gather_nodes(const listing *l, const vo_clusters *c, int a, const vo_box *other,
                         features *out) {
    out->count = 0;
    for (int i = c->own_node.begin[a]; i < c->own_node.begin[a + 1]; i++) {
        int n = c->own_node.item[i];
        add_feature(out, n, point_box(l->s->x0[n]), other, l->limit2);
    }
}

static void gather_faces(const listing *l, const vo_clusters *c, int a, const vo_box *other,
                         features *out) {
    out->count = 0;
    for (int i = c->face.begin[a]; i < c->face.begin[a + 1]; i++) {
        const int *n = l->s->face[c->face.item[i]];
        vo_box box = box_triangle(l->s->x0[n[0]], l->s->x0[n[1]], l->s->x0[n[2]]);
        add_feature(out, c->face.item[i], box, other, l->limit2);
    }
}

static void gather_edges(const listing *l, const vo_clusters *c, int a, const vo_box *other,
                         features *out) {
    out->count = 0;
    for (int i = c->own_edge.begin[a]; i < c->own_edge.begin[a + 1]; i++) {
        const int *n = l->s->edge[c->own_edge.item[i]];
        vo_box box = box_add(point_box(l->s->x0[n[0]]), l->s->x0[n[1]]);
        add_feature(out, c->own_edge.item[i], box, other, l->limit2);
    }
}

static void add_pair(sink *to, vo_feature_key key, double gap2) {
    if (to->key) {
        to->key[to->count] = key;
        to->low[to->count] = vo_low_distance(gap2);
    }
    to->count++;
}

/* Nodes of one cluster with faces of the other. */
static void list_node_faces(listing *l, const features *nodes, const features *faces) {
    int node[4];
    for (int i = 0; i < nodes->count; i++)
        for (int j = 0; j < faces->count; j++) {
            double gap2 = vo_box_gap2(&nodes->box[i], &faces->box[j]);
            vo_feature_key key = {nodes->id[i], faces->id[j]};
            if (!(gap2 > l->limit2) && vo_node_face_nodes(l->s, key, node))
                add_pair(&l->to, key, gap2);
        }
}

static void list_edges(listing *l, const features *a, const features *b) {
    int node[4];
    for (int i = 0; i < a->count; i++)
        for (int j = a == b ? i + 1 : 0; j < b->count; j++) {
            double gap2 = vo_box_gap2(&a->box[i], &b->box[j]);
            int p = a->id[i], q = b->id[j];
            vo_feature_key key = {vo_min_int(p, q), vo_max_int(p, q)};
            if (!(gap2 > l->limit2) && vo_edge_edge_nodes(l->s, key, node))
                add_pair(&l->to, key, gap2);
        }
}

/* All pairs of a run up to the limit. Returns how many of them, the first, are nodes with faces. */
static int list_run(listing *l, const vo_clusters *c, const vo_run *run, const vo_box *box) {
    features p, q;
    int a = run->a, b = run->b;
    gather_nodes(l, c, a, &box[b], &p);
    gather_faces(l, c, b, &box[a], &q);
    list_node_faces(l, &p, &q);
    if (a != b) {
        gather_nodes(l, c, b, &box[a], &p);
        gather_faces(l, c, a, &box[b], &q);
        list_node_faces(l, &p, &q);
    }
    int node_faces = l->to.count;
    gather_edges(l, c, a, &box[b], &p);
    if (a != b) gather_edges(l, c, b, &box[a], &q);
    list_edges(l, &p, a == b ? &p : &q);
    return node_faces;
}

/* How far a list of a run shall reach: the need, and room for some steps at its pace. */
static double list_limit(const vo_runs *r, int index) {
    double need = (double)r->need[index], pace = (double)r->run[index].pace;
    return need + vo_clamp(8 * pace, 0.1 * r->slack, vo_max(r->slack, 0.25 * need));
}

/* Whether the clusters themselves are far enough: then no list is needed. */
static bool is_apart(const vo_runs *r, int index, const vo_box *box, double *gap2) {
    const vo_run *run = &r->run[index];
    double limit = list_limit(r, index);
    *gap2 = run->a == run->b ? 0 : vo_box_gap2(&box[run->a], &box[run->b]);
    return *gap2 > limit * limit;
}

typedef struct list_job {
    vo_runs *runs;
    const vo_box *box;
} list_job;

static listing start_list(const vo_runs *r, int index) {
    double limit = list_limit(r, index);
    return (listing){.s = r->surface, .limit2 = limit * limit};
}

/* First pass: sizes. */
static void count_lists(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    list_job *job = arg;
    vo_runs *r = job->runs;
    for (int k = begin; k < end; k++) {
        double gap2;
        r->size[k][0] = r->size[k][1] = 0;
        if (is_apart(r, r->stale[k], job->box, &gap2)) continue;
        listing l = start_list(r, r->stale[k]);
        r->size[k][0] = list_run(&l, r->clusters, &r->run[r->stale[k]], job->box);
        r->size[k][1] = l.to.count;
    }
}

/* Second pass: each list into its place. */
static void fill_lists(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    list_job *job = arg;
    vo_runs *r = job->runs;
    for (int k = begin; k < end; k++) {
        int index = r->stale[k];
        vo_run *run = &r->run[index];
        double gap2;
        run->way = 0;
        run->wake = INFINITY;
        if (is_apart(r, index, job->box, &gap2)) {
            run->rest = vo_low_distance(gap2);
            continue;
        }
        listing l = start_list(r, index);
        l.to = (sink){r->pool.key + run->begin, r->pool.low + run->begin, 0};
        list_run(&l, r->clusters, run, job->box);
        run->rest = vo_low_distance(l.limit2);
        for (int i = run->begin; i < run->begin + run->count; i++)
            run->wake = r->pool.low[i] < run->wake ? r->pool.low[i] : run->wake;
    }
}

static bool reserve_pool(vo_context *ctx, vo_pair_pool *pool, int need) {
    return vo_reserve(ctx, &pool->key, &pool->key_capacity, need) &&
           vo_reserve(ctx, &pool->low, &pool->low_capacity, need);
}

/* Moves all lists together, into the spare pool, in the order of runs. */
static bool compact_pool(vo_runs *r, int more) {
    if (!reserve_pool(r->ctx, &r->spare_pool, r->live + more)) return false;
    int used = 0;
    for (int i = 0; i < r->count; i++) {
        vo_run *run = &r->run[i];
        if (run->count == 0) continue;
        size_t n = (size_t)run->count;
        memcpy(r->spare_pool.key + used, r->pool.key + run->begin, n * sizeof *r->pool.key);
        memcpy(r->spare_pool.low + used, r->pool.low + run->begin, n * sizeof *r->pool.low);
        run->begin = used;
        used += run->count;
    }
    vo_pair_pool pool = r->pool;
    r->pool = r->spare_pool;
    r->spare_pool = pool;
    r->used = used;
    return true;
}

/* Places for lists of the sizes that were counted. The old ones are given up. */
static bool place_lists(vo_runs *r) {
    int64_t need = 0;
    for (int k = 0; k < r->stale_count; k++) {
        vo_run *run = &r->run[r->stale[k]];
        r->live -= run->count;
        run->count = 0;
        need += r->size[k][1];
    }
    if (need > INT32_MAX / 4) return false;
    if ((r->used + need > r->pool.key_capacity || r->used > 2 * (r->live + need) + 4096) &&
        !compact_pool(r, (int)need))
        return false;
    if (!reserve_pool(r->ctx, &r->pool, r->used + (int)need)) return false;
    for (int k = 0; k < r->stale_count; k++) {
        vo_run *run = &r->run[r->stale[k]];
        run->begin = r->used;
        run->node_faces = r->size[k][0];
        run->count = r->size[k][1];
        r->used += run->count;
    }
    r->live += (int)need;
    return true;
}

vo_result vo_runs_make_lists(vo_runs *r, const vo_box *box) {
    if (r->stale_count == 0) return VO_OK;
    list_job job = {r, box};
    vo_parallel_for(r->ctx, r->stale_count, LIST_GRAIN, count_lists, &job);
    if (!place_lists(r)) return vo_fail_memory(r->ctx, "candidates");
    vo_parallel_for(r->ctx, r->stale_count, LIST_GRAIN, fill_lists, &job);
    return VO_OK;
}
