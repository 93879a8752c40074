/* Pair traversals. The work is divided into tasks, a front of subtree pairs that depends on the
 * boxes alone; threads process the tasks in any order, and the results are merged in the order of
 * the front. */
#include "core/memory.h"
#include "core/parallel.h"
#include "spatial/bvh.h"

#include <stdatomic.h>
#include <string.h>

enum {
    FRONT = 256,           /* enough tasks to balance several threads */
    MAX_FRONT = 4 * FRONT, /* one round of expansion turns an entry into up to four */
    SMALL_ENTRY = 64,      /* entries with fewer boxes in total are not expanded */
    STACK = 224,           /* 30 levels: 2 more per level within one tree, then 3 + 1 between two */
};

/* Two subtrees to compare; in a self-traversal a == b means all pairs within one subtree. */
typedef struct couple {
    int32_t a, b;
} couple;

typedef struct entry {
    couple root;
    int32_t first, count; /* first block (-1: none), number of pairs found */
    bool complete;        /* all pairs are stored in blocks */
} entry;

typedef struct walk {
    const vo_bvh_node *a, *b; /* the same array in a self-traversal */
    vo_pair_list *out;
    int block_count;        /* capacity of the pool */
    atomic_int blocks_used; /* may exceed block_count */
    int max_entry;          /* maximum number of pairs of one entry */
    atomic_bool too_many;   /* an entry or the whole list exceeds its maximum */
    atomic_int found;       /* pairs of the completed entries */
    int entry_count;
    entry entries[MAX_FRONT];
    int offset[MAX_FRONT]; /* of each entry in the result */
} walk;

/* Destination of the pairs of one entry. Without capacity and free blocks they are only counted. */
typedef struct sink {
    walk *walk;
    vo_pair *to;
    int room, count;
    int first, last; /* blocks */
    bool chain;      /* continue in another block when full */
} sink;

static inline bool overlaps(const vo_bvh_node *a, const vo_bvh_node *b) {
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) &
           (b->min[1] <= a->max[1]) & (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

/* Allocates the next block of the pool; false if it is exhausted. */
static bool sink_next_block(sink *s) {
    if (!s->chain) return false;
    vo_pair_list *out = s->walk->out;
    int block = atomic_fetch_add_explicit(&s->walk->blocks_used, 1, memory_order_relaxed);
    if (block >= s->walk->block_count) {
        s->chain = false;
        return false;
    }
    if (s->last >= 0)
        out->next[s->last] = block;
    else
        s->first = block;
    s->last = block;
    s->to = out->pool + (size_t)block * VO_PAIR_BLOCK;
    s->room = VO_PAIR_BLOCK;
    return true;
}

static inline void sink_add(sink *s, int32_t a, int32_t b) {
    s->count++;
    if (s->room == 0 && !sink_next_block(s)) return;
    s->room--;
    *s->to++ = (vo_pair){a, b};
}

/* Adds a couple to a list if its boxes overlap. Branch-free: the outcome is unpredictable. */
static inline int add_couple(const walk *w, int32_t a, int32_t b, couple *list, int n) {
    list[n] = (couple){a, b};
    return n + overlaps(&w->a[a], &w->b[b]);
}

/* Expands a couple into its overlapping parts, at most four, in reverse depth-first order; returns
 * their number. A couple of leaves has none. */
static inline int open_couple(const walk *w, couple c, couple *parts) {
    const vo_bvh_node *a = &w->a[c.a], *b = &w->b[c.b];
    int32_t a_left = c.a + 1, b_left = c.b + 1;
    int n = 0;
    if (a == b) {
        if (a->leaves == 1) return 0;
        parts[n++] = (couple){a->link, a->link};
        n = add_couple(w, a_left, a->link, parts, n);
        parts[n++] = (couple){a_left, a_left};
    } else if (a->leaves > 2 * b->leaves || (b->leaves == 1 && a->leaves == 2)) {
        n = add_couple(w, a->link, c.b, parts, n);
        n = add_couple(w, a_left, c.b, parts, n);
    } else if (b->leaves > 2 * a->leaves || (a->leaves == 1 && b->leaves == 2)) {
        n = add_couple(w, c.a, b->link, parts, n);
        n = add_couple(w, c.a, b_left, parts, n);
    } else if (a->leaves > 1) {
        n = add_couple(w, a->link, b->link, parts, n);
        n = add_couple(w, a->link, b_left, parts, n);
        n = add_couple(w, a_left, b->link, parts, n);
        n = add_couple(w, a_left, b_left, parts, n);
    }
    return n;
}

static inline bool is_leaf_pair(const walk *w, couple c) {
    return w->a[c.a].leaves + w->b[c.b].leaves == 2;
}

/* Adds the pair of two overlapping leaves. */
static inline void add_leaf_pair(const walk *w, couple c, sink *s) {
    int32_t a = w->a[c.a].link, b = w->b[c.b].link;
    if (w->a != w->b)
        sink_add(s, a, b);
    else if (c.a != c.b)
        sink_add(s, a < b ? a : b, a < b ? b : a);
}

/* Finds all pairs of an overlapping couple in depth-first order. */
static void traverse_couple(const walk *w, couple root, sink *s) {
    couple stack[STACK];
    int top = 0;
    stack[top++] = root;
    while (top > 0 && s->count <= w->max_entry) {
        couple c = stack[--top];
        if (is_leaf_pair(w, c)) {
            add_leaf_pair(w, c, s);
            continue;
        }
        top += open_couple(w, c, stack + top);
    }
}

static bool is_small(const walk *w, couple c) {
    return w->a[c.a].leaves + w->b[c.b].leaves <= SMALL_ENTRY;
}

/* Expands every couple of the front once; returns the new number. */
static int open_front(const walk *w, const couple *from, int n, couple *to) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (is_small(w, from[i])) {
            to[count++] = from[i];
        } else {
            couple parts[4];
            for (int k = open_couple(w, from[i], parts); k > 0; k--) to[count++] = parts[k - 1];
        }
    return count;
}

static bool all_small(const walk *w, const couple *front, int n) {
    for (int i = 0; i < n; i++)
        if (!is_small(w, front[i])) return false;
    return true;
}

/* Divides the traversal into entries. Expansion keeps the depth-first order. */
static void make_front(walk *w, bool self) {
    couple front[2][MAX_FRONT] = {{{0, 0}}};
    int n = self || overlaps(&w->a[0], &w->b[0]) ? 1 : 0, now = 0;
    while (n < FRONT && !all_small(w, front[now], n)) {
        n = open_front(w, front[now], n, front[1 - now]);
        now = 1 - now;
    }
    w->entry_count = n;
    for (int i = 0; i < n; i++) w->entries[i] = (entry){.root = front[now][i], .first = -1};
}

/* True if an entry with `count` pairs exceeds a maximum. The counter never exceeds twice the
 * largest allowed number plus one entry per thread, so it does not overflow. */
static bool is_too_many(walk *w, int count) {
    if (count > w->max_entry) return true;
    if (w->out->max_pairs == 0) return false;
    return atomic_fetch_add(&w->found, count) + count > w->out->max_pairs;
}

/* First pass: finds the pairs of each entry and stores them in blocks while there are any. */
static void find_pairs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    walk *w = arg;
    for (int i = begin; i < end; i++) {
        if (atomic_load_explicit(&w->too_many, memory_order_relaxed)) return;
        sink s = {.walk = w, .first = -1, .last = -1, .chain = true};
        traverse_couple(w, w->entries[i].root, &s);
        w->entries[i].first = s.first;
        w->entries[i].count = s.count;
        w->entries[i].complete = s.chain;
        if (is_too_many(w, s.count)) atomic_store(&w->too_many, true);
    }
}

static void copy_blocks(const vo_pair_list *out, const entry *e, vo_pair *to) {
    int left = e->count;
    for (int block = e->first; left > 0; block = out->next[block]) {
        int n = left < VO_PAIR_BLOCK ? left : VO_PAIR_BLOCK;
        memcpy(to, out->pool + (size_t)block * VO_PAIR_BLOCK, (size_t)n * sizeof *to);
        to += n;
        left -= n;
    }
}

/* Second pass: writes the pairs of each entry to their final position. */
static void place_pairs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    walk *w = arg;
    for (int i = begin; i < end; i++) {
        const entry *e = &w->entries[i];
        vo_pair *to = w->out->pairs + w->offset[i];
        if (e->count == 0) continue;
        if (e->complete) {
            copy_blocks(w->out, e, to);
        } else {
            sink s = {.walk = w, .to = to, .room = e->count, .first = -1, .last = -1};
            traverse_couple(w, e->root, &s);
        }
    }
}

/* Computes the offset of each entry, the number of pairs, and the number of blocks that would hold
 * all of them. False if there are too many. */
static bool sum_entries(walk *w, int *pairs, int *blocks) {
    *pairs = *blocks = 0;
    if (atomic_load(&w->too_many)) return false;
    for (int i = 0; i < w->entry_count; i++) {
        int n = w->entries[i].count;
        if (*pairs > INT32_MAX / 2 - n) return false;
        w->offset[i] = *pairs;
        *pairs += n;
        *blocks += vo_chunk_count(n, VO_PAIR_BLOCK);
    }
    return true;
}

static bool reserve_pool(vo_context *ctx, vo_pair_list *out, int blocks) {
    return vo_reserve(ctx, &out->pool, &out->pool_capacity, blocks * VO_PAIR_BLOCK) &&
           vo_reserve(ctx, &out->next, &out->next_capacity, blocks);
}

static int pool_blocks(const vo_pair_list *out) {
    int blocks = out->pool_capacity / VO_PAIR_BLOCK;
    return blocks < out->next_capacity ? blocks : out->next_capacity;
}

static vo_result run_walk(vo_context *ctx, walk *w, bool self) {
    w->max_entry = VO_BVH_MAX_TASK_PAIRS;
    if (w->out->max_pairs > 0 && w->out->max_pairs < w->max_entry) w->max_entry = w->out->max_pairs;
    make_front(w, self);
    w->block_count = pool_blocks(w->out);
    vo_parallel_for(ctx, w->entry_count, 1, find_pairs, w);
    int pairs, blocks;
    w->out->over_budget = !sum_entries(w, &pairs, &blocks);
    if (w->out->over_budget && w->out->max_pairs > 0) return VO_OK;
    if (w->out->over_budget)
        return vo_fail(ctx, VO_NO_MEMORY, "too many boxes overlap: more than %d pairs in one place",
                       VO_BVH_MAX_TASK_PAIRS);
    if (!vo_reserve(ctx, &w->out->pairs, &w->out->capacity, pairs))
        return vo_fail_memory(ctx, "pairs of boxes");
    vo_parallel_for(ctx, w->entry_count, 1, place_pairs, w);
    if (!reserve_pool(ctx, w->out, blocks)) return vo_fail_memory(ctx, "pairs of boxes");
    w->out->count = pairs;
    return VO_OK;
}

vo_result vo_bvh_self_pairs(vo_context *ctx, const vo_bvh *tree, vo_pair_list *out) {
    out->count = 0;
    out->over_budget = false;
    if (tree->box_count < 2) return VO_OK;
    walk w = {.a = tree->nodes, .b = tree->nodes, .out = out};
    return run_walk(ctx, &w, true);
}

vo_result vo_bvh_tree_pairs(vo_context *ctx, const vo_bvh *a, const vo_bvh *b, vo_pair_list *out) {
    VO_REQUIRE(ctx, a != b);
    out->count = 0;
    out->over_budget = false;
    if (a->box_count == 0 || b->box_count == 0) return VO_OK;
    walk w = {.a = a->nodes, .b = b->nodes, .out = out};
    return run_walk(ctx, &w, false);
}

void vo_pair_list_free(vo_context *ctx, vo_pair_list *list) {
    vo_free_array(ctx, list->pairs, list->capacity);
    vo_free_array(ctx, list->pool, list->pool_capacity);
    vo_free_array(ctx, list->next, list->next_capacity);
    *list = (vo_pair_list){.max_pairs = list->max_pairs};
}
