/* Pair lists of the pair cache: the feature pairs that are close enough to be tested
 * individually. */
#include "collide/pair_cache/pair_cache.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum {
    LIST_GRAIN = 8,
    LIST_BATCH = 1024,       /* lists built before they are copied to the pool */
    SCRATCH_PAIRS = 1 << 18, /* capacity for them, more than the longest list */
};

/* ---- memory --------------------------------------------------------------------------------- */

static int list_size(const vo_csr *l, int c) { return l->begin[c + 1] - l->begin[c]; }

/* Returns the number of box blocks of a cluster. */
static int box_blocks(const vo_clusters *k, int c) {
    return 1 + vo_box8_count(list_size(&k->own_node, c)) + vo_box8_count(list_size(&k->face, c)) +
           vo_box8_count(list_size(&k->own_edge, c));
}

vo_result vo_pair_cache_create_lists(vo_pair_cache *r) {
    vo_context *ctx = r->ctx;
    const vo_clusters *k = r->clusters;
    size_t n = (size_t)k->count + 1;
    r->box_begin = vo_alloc_zero(ctx, n * sizeof *r->box_begin);
    if (!r->box_begin) return vo_fail_memory(ctx, "candidates");
    for (int c = 0; c < k->count; c++) r->box_begin[c + 1] = r->box_begin[c] + box_blocks(k, c);
    r->feature_box = vo_alloc(ctx, ((size_t)r->box_begin[k->count] + 1) * sizeof *r->feature_box);
    r->box_cluster = vo_alloc(ctx, n * sizeof *r->box_cluster);
    r->box_queued = vo_alloc_zero(ctx, n);
    r->scratch_begin = vo_alloc(ctx, LIST_BATCH * sizeof *r->scratch_begin);
    bool ok = r->feature_box && r->box_cluster && r->box_queued && r->scratch_begin &&
              vo_reserve(ctx, &r->scratch.pair, &r->scratch.pair_capacity, SCRATCH_PAIRS) &&
              vo_reserve(ctx, &r->scratch.expiry, &r->scratch.expiry_capacity, SCRATCH_PAIRS);
    return ok ? VO_OK : vo_fail_memory(ctx, "candidates");
}

void vo_pair_cache_free_lists(vo_pair_cache *r) {
    vo_context *ctx = r->ctx;
    size_t n = (size_t)r->clusters->count + 1;
    if (r->box_begin)
        vo_free(ctx, r->feature_box,
                ((size_t)r->box_begin[r->clusters->count] + 1) * sizeof *r->feature_box);
    vo_free(ctx, r->box_begin, n * sizeof *r->box_begin);
    vo_free(ctx, r->box_cluster, n * sizeof *r->box_cluster);
    vo_free(ctx, r->box_queued, n);
    vo_free(ctx, r->scratch_begin, LIST_BATCH * sizeof *r->scratch_begin);
    vo_free_array(ctx, r->scratch.pair, r->scratch.pair_capacity);
    vo_free_array(ctx, r->scratch.expiry, r->scratch.expiry_capacity);
}

/* ---- one list ------------------------------------------------------------------------------- */

/* Returns the boxes of the own nodes, faces and own edges of a cluster. */
static void find_boxes(const vo_pair_cache *r, int c, vo_feature_boxes out[3]) {
    const vo_clusters *k = r->clusters;
    const vo_csr *list[3] = {&k->own_node, &k->face, &k->own_edge};
    const vo_box8 *whole = r->feature_box + r->box_begin[c], *box = whole + 1;
    for (int kind = 0; kind < 3; kind++) {
        int n = list_size(list[kind], c);
        out[kind] = (vo_feature_boxes){box, whole, list[kind]->item + list[kind]->begin[c], n};
        box += vo_box8_count(n);
    }
}

int vo_pair_cache_entry_max_pairs(const vo_pair_cache *r, const vo_pair_cache_entry *e) {
    const vo_clusters *k = r->clusters;
    int a = e->a, b = e->b;
    return list_size(&k->own_node, a) * list_size(&k->face, b) +
           list_size(&k->own_node, b) * list_size(&k->face, a) +
           list_size(&k->own_edge, a) * list_size(&k->own_edge, b);
}

/* Returns the distance up to which pairs of an entry are listed: the query distance, and a margin
 * for several steps of its recent motion. */
static double list_distance(const vo_pair_cache *r, int index) {
    const vo_pair_cache_entry *e = &r->entry[index];
    double required = (double)r->query_distance[index] +
                      (r->add_thickness_offset ? (double)e->thickness_offset : 0);
    double margin = r->margin * (double)e->thickness;
    return required +
           vo_clamp(6 * (double)e->recent_motion, 0.25 * margin, vo_max(margin, 0.25 * required));
}

/* Lists the pairs of an entry up to a limit. */
static void list_entry(const vo_pair_cache *r, vo_pair_cache_entry *e, float limit,
                       vo_pair_output *to) {
    vo_feature_boxes a[3], b[3];
    bool one_part = r->clusters->part[e->a] == r->clusters->part[e->b];
    vo_list_rule rule = {limit, e->thickness, one_part};
    find_boxes(r, e->a, a);
    find_boxes(r, e->b, b);
    r->kernels->list_node_faces(r->surface, &a[0], &b[1], false, &rule, to);
    if (e->a != e->b) r->kernels->list_node_faces(r->surface, &b[0], &a[1], true, &rule, to);
    e->node_face_count = to->count;
    r->kernels->list_edges(r->surface, &a[2], &b[2], &rule, to);
    e->count = to->count;
}

/* Builds the list of an entry in the scratch memory. Clusters whose boxes are further apart need
 * none. */
static void build_list(vo_pair_cache *r, int index, const vo_box *box, int offset) {
    vo_pair_cache_entry *e = &r->entry[index];
    double limit = list_distance(r, index);
    double gap2 = e->a == e->b ? 0 : vo_box_gap2(&box[e->a], &box[e->b]);
    e->motion_sum = 0;
    e->next_expiry = INFINITY;
    e->count = e->node_face_count = 0;
    e->unlisted_expiry = vo_distance_below(gap2);
    if (gap2 > limit * limit) return;
    vo_pair_output to = {r->scratch.pair + offset, r->scratch.expiry + offset, 0};
    list_entry(r, e, (float)limit, &to);
    e->next_expiry = vo_min_expiry(to.expiry, to.count);
    e->unlisted_expiry = (float)limit * (1 - 0x1p-20f);
}

/* ---- all lists ------------------------------------------------------------------------------ */

/* A batch of stale entries. */
typedef struct batch {
    vo_pair_cache *cache;
    const vo_box *box;
    int first, count;
} batch;

static void build_batch(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    batch *b = arg;
    for (int k = begin; k < end; k++)
        build_list(b->cache, b->cache->stale[b->first + k], b->box, b->cache->scratch_begin[k]);
}

/* Takes as many entries as fit into the scratch memory. */
static batch next_batch(vo_pair_cache *r, const vo_box *box, int first) {
    batch b = {r, box, first, 0};
    int used = 0;
    while (first + b.count < r->stale_count && b.count < LIST_BATCH) {
        int pairs = vo_pair_cache_entry_max_pairs(r, &r->entry[r->stale[first + b.count]]);
        if (used + pairs > SCRATCH_PAIRS) break;
        r->scratch_begin[b.count++] = used;
        used += pairs;
    }
    return b;
}

static bool reserve_pool(vo_context *ctx, vo_pair_pool *pool, int required) {
    return vo_reserve(ctx, &pool->pair, &pool->pair_capacity, required) &&
           vo_reserve(ctx, &pool->expiry, &pool->expiry_capacity, required);
}

static void copy_pairs(vo_pair_pool *to, int offset, const vo_pair_pool *from, int begin, int n) {
    if (n == 0) return;
    memcpy(to->pair + offset, from->pair + begin, (size_t)n * sizeof *to->pair);
    memcpy(to->expiry + offset, from->expiry + begin, (size_t)n * sizeof *to->expiry);
}

/* Compacts all lists into the spare pool, in the order of the entries. */
static bool compact_pool(vo_pair_cache *r, int more) {
    if (!reserve_pool(r->ctx, &r->spare_pool, r->live + more)) return false;
    int used = 0;
    for (int i = 0; i < r->count; i++) {
        vo_pair_cache_entry *e = &r->entry[i];
        if (e->begin < 0) continue;
        copy_pairs(&r->spare_pool, used, &r->pool, e->begin, e->count);
        e->begin = used;
        used += e->count;
    }
    vo_pair_pool pool = r->pool;
    r->pool = r->spare_pool;
    r->spare_pool = pool;
    r->used = used;
    return true;
}

/* Copies the lists of a batch to the pool. Entries without a list have begin -1. */
static bool store_batch(vo_pair_cache *r, const batch *b) {
    int required = 0;
    for (int k = 0; k < b->count; k++) required += r->entry[r->stale[b->first + k]].count;
    bool full = (int64_t)r->used + required > r->pool.pair_capacity;
    bool sparse = r->used > 2 * ((int64_t)r->live + required) + 4096;
    r->over_budget = (int64_t)r->live + required > r->max_pairs;
    if (r->over_budget) return true;
    if ((full || sparse) && !compact_pool(r, required)) return false;
    if (!reserve_pool(r->ctx, &r->pool, r->used + required)) return false;
    for (int k = 0; k < b->count; k++) {
        vo_pair_cache_entry *e = &r->entry[r->stale[b->first + k]];
        copy_pairs(&r->pool, r->used, &r->scratch, r->scratch_begin[k], e->count);
        e->begin = r->used;
        r->used += e->count;
    }
    r->live += required;
    return true;
}

static void queue_boxes(vo_pair_cache *r, int c) {
    if (r->box_queued[c]) return;
    r->box_queued[c] = 1;
    r->box_cluster[r->box_cluster_count++] = c;
}

static void fill_queued(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_pair_cache *r = arg;
    for (int i = begin; i < end; i++) {
        int c = r->box_cluster[i];
        r->kernels->fill_boxes(r->surface, r->clusters, c, r->feature_box + r->box_begin[c]);
        r->box_queued[c] = 0;
    }
}

/* Computes the feature boxes of all stale entries and discards their old lists. */
static void prepare(vo_pair_cache *r) {
    r->box_cluster_count = 0;
    for (int k = 0; k < r->stale_count; k++) {
        vo_pair_cache_entry *e = &r->entry[r->stale[k]];
        queue_boxes(r, e->a);
        queue_boxes(r, e->b);
        r->live -= e->count;
        e->count = 0;
        e->begin = -1;
    }
    vo_parallel_for(r->ctx, r->box_cluster_count, 16, fill_queued, r);
}

vo_result vo_pair_cache_build_lists(vo_pair_cache *r, const vo_box *box) {
    prepare(r);
    r->over_budget = false;
    if (r->used == 0 && !reserve_pool(r->ctx, &r->pool, vo_min_int(r->stale_count, 1 << 20) * 32))
        return vo_fail_memory(r->ctx, "candidates");
    for (int first = 0; first < r->stale_count && !r->over_budget;) {
        batch b = next_batch(r, box, first);
        vo_parallel_for(r->ctx, b.count, LIST_GRAIN, build_batch, &b);
        if (!store_batch(r, &b)) return vo_fail_memory(r->ctx, "candidates");
        first += b.count;
    }
    return VO_OK;
}
