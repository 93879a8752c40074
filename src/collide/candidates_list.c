/* The lists of runs: which pairs of features are close enough to be looked at one by one. */
#include "collide/candidates_run.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum {
    LIST_GRAIN = 8,
    LIST_BATCH = 1024,       /* lists made before they are put into the pool */
    SCRATCH_PAIRS = 1 << 18, /* room for them, more than one list can ever take */
};

/* ---- memory --------------------------------------------------------------------------------- */

static int list_size(const vo_lists *l, int c) { return l->begin[c + 1] - l->begin[c]; }

/* Blocks of boxes that the features of a cluster take. */
static int box_blocks(const vo_clusters *k, int c) {
    return 1 + vo_box8_count(list_size(&k->own_node, c)) + vo_box8_count(list_size(&k->face, c)) +
           vo_box8_count(list_size(&k->own_edge, c));
}

vo_result vo_runs_create_lists(vo_runs *r) {
    vo_context *ctx = r->ctx;
    const vo_clusters *k = r->clusters;
    size_t n = (size_t)k->count + 1;
    r->box_begin = vo_alloc_zero(ctx, n * sizeof *r->box_begin);
    if (!r->box_begin) return vo_fail_memory(ctx, "candidates");
    for (int c = 0; c < k->count; c++) r->box_begin[c + 1] = r->box_begin[c] + box_blocks(k, c);
    r->feature_box = vo_alloc(ctx, ((size_t)r->box_begin[k->count] + 1) * sizeof *r->feature_box);
    r->wanted = vo_alloc(ctx, n * sizeof *r->wanted);
    r->is_wanted = vo_alloc_zero(ctx, n);
    r->place = vo_alloc(ctx, LIST_BATCH * sizeof *r->place);
    bool ok = r->feature_box && r->wanted && r->is_wanted && r->place &&
              vo_reserve(ctx, &r->scratch.pair, &r->scratch.pair_capacity, SCRATCH_PAIRS) &&
              vo_reserve(ctx, &r->scratch.low, &r->scratch.low_capacity, SCRATCH_PAIRS);
    return ok ? VO_OK : vo_fail_memory(ctx, "candidates");
}

void vo_runs_free_lists(vo_runs *r) {
    vo_context *ctx = r->ctx;
    size_t n = (size_t)r->clusters->count + 1;
    if (r->box_begin)
        vo_free(ctx, r->feature_box,
                ((size_t)r->box_begin[r->clusters->count] + 1) * sizeof *r->feature_box);
    vo_free(ctx, r->box_begin, n * sizeof *r->box_begin);
    vo_free(ctx, r->wanted, n * sizeof *r->wanted);
    vo_free(ctx, r->is_wanted, n);
    vo_free(ctx, r->place, LIST_BATCH * sizeof *r->place);
    vo_free_array(ctx, r->scratch.pair, r->scratch.pair_capacity);
    vo_free_array(ctx, r->scratch.low, r->scratch.low_capacity);
}

/* ---- one list ------------------------------------------------------------------------------- */

/* The boxes of a cluster's own nodes, faces and own edges. */
static void find_boxes(const vo_runs *r, int c, vo_feature_boxes out[3]) {
    const vo_clusters *k = r->clusters;
    const vo_lists *list[3] = {&k->own_node, &k->face, &k->own_edge};
    const vo_box8 *whole = r->feature_box + r->box_begin[c], *box = whole + 1;
    for (int kind = 0; kind < 3; kind++) {
        int n = list_size(list[kind], c);
        out[kind] = (vo_feature_boxes){box, whole, list[kind]->item + list[kind]->begin[c], n};
        box += vo_box8_count(n);
    }
}

int vo_run_all_pairs(const vo_runs *r, const vo_run *run) {
    const vo_clusters *k = r->clusters;
    int a = run->a, b = run->b;
    return list_size(&k->own_node, a) * list_size(&k->face, b) +
           list_size(&k->own_node, b) * list_size(&k->face, a) +
           list_size(&k->own_edge, a) * list_size(&k->own_edge, b);
}

/* How far the list of a run shall reach: the need, and room for some steps at its pace. */
static double list_limit(const vo_runs *r, int index) {
    const vo_run *run = &r->run[index];
    double need = (double)r->need[index] + (r->leads ? (double)run->lead : 0);
    double slack = r->slack * (double)run->thickness;
    return need + vo_clamp(6 * (double)run->pace, 0.25 * slack, vo_max(slack, 0.25 * need));
}

/* Lists the pairs of a run up to a limit. */
static void list_run(const vo_runs *r, vo_run *run, float limit, vo_listed *to) {
    vo_feature_boxes a[3], b[3];
    bool one_part = r->clusters->part[run->a] == r->clusters->part[run->b];
    vo_list_rule rule = {limit, run->thickness, one_part};
    find_boxes(r, run->a, a);
    find_boxes(r, run->b, b);
    r->kernels->list_node_faces(r->surface, &a[0], &b[1], false, &rule, to);
    if (run->a != run->b) r->kernels->list_node_faces(r->surface, &b[0], &a[1], true, &rule, to);
    run->node_faces = to->count;
    r->kernels->list_edges(r->surface, &a[2], &b[2], &rule, to);
    run->count = to->count;
}

/* Makes the list of a run into the scratch memory. Clusters that are far enough as a whole need
 * none. */
static void make_list(vo_runs *r, int index, const vo_box *box, int place) {
    vo_run *run = &r->run[index];
    double limit = list_limit(r, index);
    double gap2 = run->a == run->b ? 0 : vo_box_gap2(&box[run->a], &box[run->b]);
    run->way = 0;
    run->wake = INFINITY;
    run->count = run->node_faces = 0;
    run->rest = vo_low_distance(gap2);
    if (gap2 > limit * limit) return;
    vo_listed to = {r->scratch.pair + place, r->scratch.low + place, 0};
    list_run(r, run, (float)limit, &to);
    run->wake = vo_lowest(to.low, to.count);
    run->rest = (float)limit * (1 - 0x1p-20f);
}

/* ---- all lists ------------------------------------------------------------------------------ */

/* A batch of stale runs. */
typedef struct batch {
    vo_runs *runs;
    const vo_box *box;
    int first, count;
} batch;

static void make_batch(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    batch *b = arg;
    for (int k = begin; k < end; k++)
        make_list(b->runs, b->runs->stale[b->first + k], b->box, b->runs->place[k]);
}

/* Takes as many runs as there is room for. */
static batch next_batch(vo_runs *r, const vo_box *box, int first) {
    batch b = {r, box, first, 0};
    int used = 0;
    while (first + b.count < r->stale_count && b.count < LIST_BATCH) {
        int pairs = vo_run_all_pairs(r, &r->run[r->stale[first + b.count]]);
        if (used + pairs > SCRATCH_PAIRS) break;
        r->place[b.count++] = used;
        used += pairs;
    }
    return b;
}

static bool reserve_pool(vo_context *ctx, vo_pair_pool *pool, int need) {
    return vo_reserve(ctx, &pool->pair, &pool->pair_capacity, need) &&
           vo_reserve(ctx, &pool->low, &pool->low_capacity, need);
}

static void copy_pairs(vo_pair_pool *to, int place, const vo_pair_pool *from, int begin, int n) {
    if (n == 0) return;
    memcpy(to->pair + place, from->pair + begin, (size_t)n * sizeof *to->pair);
    memcpy(to->low + place, from->low + begin, (size_t)n * sizeof *to->low);
}

/* Moves all lists together, into the spare pool, in the order of runs. */
static bool compact_pool(vo_runs *r, int more) {
    if (!reserve_pool(r->ctx, &r->spare_pool, r->live + more)) return false;
    int used = 0;
    for (int i = 0; i < r->count; i++) {
        vo_run *run = &r->run[i];
        if (run->begin < 0) continue;
        copy_pairs(&r->spare_pool, used, &r->pool, run->begin, run->count);
        run->begin = used;
        used += run->count;
    }
    vo_pair_pool pool = r->pool;
    r->pool = r->spare_pool;
    r->spare_pool = pool;
    r->used = used;
    return true;
}

/* Puts the lists of a batch into the pool. Runs whose lists are not there yet begin at -1. */
static bool place_batch(vo_runs *r, const batch *b) {
    int need = 0;
    for (int k = 0; k < b->count; k++) need += r->run[r->stale[b->first + k]].count;
    bool full = (int64_t)r->used + need > r->pool.pair_capacity;
    bool sparse = r->used > 2 * ((int64_t)r->live + need) + 4096;
    r->crowded = (int64_t)r->live + need > r->most;
    if (r->crowded) return true;
    if ((full || sparse) && !compact_pool(r, need)) return false;
    if (!reserve_pool(r->ctx, &r->pool, r->used + need)) return false;
    for (int k = 0; k < b->count; k++) {
        vo_run *run = &r->run[r->stale[b->first + k]];
        copy_pairs(&r->pool, r->used, &r->scratch, r->place[k], run->count);
        run->begin = r->used;
        r->used += run->count;
    }
    r->live += need;
    return true;
}

static void want_boxes(vo_runs *r, int c) {
    if (r->is_wanted[c]) return;
    r->is_wanted[c] = 1;
    r->wanted[r->wanted_count++] = c;
}

static void fill_wanted(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_runs *r = arg;
    for (int i = begin; i < end; i++) {
        int c = r->wanted[i];
        r->kernels->fill_boxes(r->surface, r->clusters, c, r->feature_box + r->box_begin[c]);
        r->is_wanted[c] = 0;
    }
}

/* Boxes of the features of all stale runs; their old lists are given up. */
static void prepare(vo_runs *r) {
    r->wanted_count = 0;
    for (int k = 0; k < r->stale_count; k++) {
        vo_run *run = &r->run[r->stale[k]];
        want_boxes(r, run->a);
        want_boxes(r, run->b);
        r->live -= run->count;
        run->count = 0;
        run->begin = -1;
    }
    vo_parallel_for(r->ctx, r->wanted_count, 16, fill_wanted, r);
}

vo_result vo_runs_make_lists(vo_runs *r, const vo_box *box) {
    prepare(r);
    r->crowded = false;
    if (r->used == 0 && !reserve_pool(r->ctx, &r->pool, vo_min_int(r->stale_count, 1 << 20) * 32))
        return vo_fail_memory(r->ctx, "candidates");
    for (int first = 0; first < r->stale_count && !r->crowded;) {
        batch b = next_batch(r, box, first);
        vo_parallel_for(r->ctx, b.count, LIST_GRAIN, make_batch, &b);
        if (!place_batch(r, &b)) return vo_fail_memory(r->ctx, "candidates");
        first += b.count;
    }
    return VO_OK;
}
