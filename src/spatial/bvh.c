#include "spatial/bvh.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"

#include <string.h>

/* The centre of a box as integer keys that sort like the coordinates. Ties are broken by index, so
 * all keys of an axis differ. */
typedef struct vo_bvh_item {
    uint32_t key[3];
    int32_t box;
} item;

/* A subtree to build: its items and its first node. */
typedef struct task {
    int begin, end, node;
} task;

enum { STACK = 64 };

/* Maps floats to integers of the same order; total, NaN included. */
static uint32_t sort_key(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float key_value(uint32_t key) {
    uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Midpoint of the bounds; 0 if it is not finite. */
static float centre(double low, double high) {
    double x = 0.5 * low + 0.5 * high;
    return x == x ? (float)vo_clamp(x, -FLT_MAX, FLT_MAX) : 0;
}

static void make_items(const vo_box *boxes, int n, item *items) {
    for (int i = 0; i < n; i++) {
        const vo_box *b = &boxes[i];
        items[i] =
            (item){{sort_key(centre(b->min.x, b->max.x)), sort_key(centre(b->min.y, b->max.y)),
                    sort_key(centre(b->min.z, b->max.z))},
                   i};
    }
}

static uint64_t item_rank(const item *i, int axis) {
    return (uint64_t)i->key[axis] << 32 | (uint32_t)i->box;
}

/* The axis with the largest extent of centres; the first of equals. */
static int widest_axis(const item *items, int n) {
    uint32_t low[3], high[3];
    memcpy(low, items[0].key, sizeof low);
    memcpy(high, items[0].key, sizeof high);
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t key = items[i].key[k];
            if (key < low[k]) low[k] = key;
            if (key > high[k]) high[k] = key;
        }
    int axis = 0;
    double widest = -1;
    for (int k = 0; k < 3; k++) {
        double width = (double)key_value(high[k]) - (double)key_value(low[k]);
        if (width > widest) {
            widest = width;
            axis = k;
        }
    }
    return axis;
}

static void swap_items(item *a, item *b) {
    item t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's partition around the rank of a random item: returns j with [0, j] <= pivot <= (j, n). */
static int partition(item *items, int n, int axis, vo_random *random) {
    uint64_t pivot = item_rank(&items[vo_random_int(random, n - 1)], axis);
    int i = -1, j = n;
    for (;;) {
        do i++;
        while (item_rank(&items[i], axis) < pivot);
        do j--;
        while (item_rank(&items[j], axis) > pivot);
        if (i >= j) return j;
        swap_items(&items[i], &items[j]);
    }
}

/* Quickselect: moves the `middle` smallest items to the front. */
static void select_items(item *items, int n, int middle, int axis, vo_random *random) {
    while (n > 1) {
        int left = partition(items, n, axis, random) + 1;
        if (left == middle) return;
        if (middle < left) {
            n = left;
        } else {
            items += left;
            n -= left;
            middle -= left;
        }
    }
}

/* Splits the items of a task at the median into two tasks. */
static void split_task(item *items, task t, vo_random *random, task half[2]) {
    int n = t.end - t.begin, middle = n / 2;
    int axis = widest_axis(items + t.begin, n);
    select_items(items + t.begin, n, middle, axis, random);
    half[0] = (task){t.begin, t.begin + middle, t.node + 1};
    half[1] = (task){t.begin + middle, t.end, t.node + 2 * middle};
}

/* Fills the links of all nodes and the list of subtree roots. Depth first, left before right. */
static void build_shape(vo_bvh *tree) {
    vo_random random = vo_random_seed(1);
    task stack[STACK];
    int top = 0;
    stack[top++] = (task){0, tree->box_count, 0};
    int cut_end = 0;
    while (top > 0) {
        task t = stack[--top];
        int n = t.end - t.begin;
        vo_bvh_node *node = &tree->nodes[t.node];
        node->leaves = n;
        if (n <= VO_BVH_SUBTREE_BOXES && t.node >= cut_end) {
            tree->subtree_roots[tree->subtree_count++] = t.node;
            cut_end = t.node + 2 * n - 1;
        }
        if (n == 1) {
            node->link = tree->items[t.begin].box;
            continue;
        }
        task half[2];
        split_task(tree->items, t, &random, half);
        node->link = half[1].node;
        stack[top++] = half[1];
        stack[top++] = half[0];
    }
}

static bool reserve_tree(vo_context *ctx, vo_bvh *tree, int n) {
    /* Halving stops at VO_BVH_SUBTREE_BOXES, so every subtree has at least half that many boxes. */
    int max_subtrees = n / (VO_BVH_SUBTREE_BOXES / 2) + 1;
    return vo_reserve(ctx, &tree->nodes, &tree->node_capacity, 2 * n) &&
           vo_reserve(ctx, &tree->items, &tree->item_capacity, n) &&
           vo_reserve(ctx, &tree->subtree_roots, &tree->subtree_capacity, max_subtrees);
}

vo_result vo_bvh_build(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n) {
    VO_REQUIRE(ctx, n >= 0 && n <= VO_BVH_MAX_BOXES);
    tree->box_count = tree->node_count = tree->subtree_count = 0;
    if (n == 0) return VO_OK;
    if (!reserve_tree(ctx, tree, n)) return vo_fail_memory(ctx, "a tree of boxes");
    tree->box_count = n;
    tree->node_count = 2 * n - 1;
    make_items(boxes, n, tree->items);
    build_shape(tree);
    vo_bvh_refit(ctx, tree, boxes);
    return VO_OK;
}

vo_result vo_bvh_group(vo_context *ctx, vo_bvh *tree, const vo_box *boxes, int n, int most,
                       int *order, int *begin, int *groups) {
    VO_REQUIRE(ctx, n >= 0 && n <= VO_BVH_MAX_BOXES && most > 0);
    vo_random random = vo_random_seed(1);
    task stack[STACK];
    int top = 0;
    *groups = begin[0] = 0;
    tree->box_count = tree->node_count = tree->subtree_count = 0;
    if (n == 0) return VO_OK;
    if (!vo_reserve(ctx, &tree->items, &tree->item_capacity, n))
        return vo_fail_memory(ctx, "a tree of boxes");
    make_items(boxes, n, tree->items);
    stack[top++] = (task){0, n, 0};
    while (top > 0) {
        task t = stack[--top];
        if (t.end - t.begin > most) {
            split_task(tree->items, t, &random, stack + top);
            task first = stack[top];
            stack[top] = stack[top + 1];
            stack[top + 1] = first;
            top += 2;
            continue;
        }
        for (int i = t.begin; i < t.end; i++) order[i] = tree->items[i].box;
        begin[++*groups] = t.end;
    }
    return VO_OK;
}

vo_result vo_bvh_copy(vo_context *ctx, const vo_bvh *from, vo_bvh *to) {
    to->box_count = to->node_count = to->subtree_count = 0;
    if (from->box_count == 0) return VO_OK;
    if (!vo_reserve(ctx, &to->nodes, &to->node_capacity, from->node_count) ||
        !vo_reserve(ctx, &to->subtree_roots, &to->subtree_capacity, from->subtree_count))
        return vo_fail_memory(ctx, "a tree of boxes");
    memcpy(to->nodes, from->nodes, (size_t)from->node_count * sizeof *to->nodes);
    memcpy(to->subtree_roots, from->subtree_roots,
           (size_t)from->subtree_count * sizeof *to->subtree_roots);
    to->box_count = from->box_count;
    to->node_count = from->node_count;
    to->subtree_count = from->subtree_count;
    return VO_OK;
}

/* Bounds of a leaf from its box. */
static void refit_leaf(vo_bvh_node *node, const vo_box *box) {
    const double *low = &box->min.x, *high = &box->max.x;
    for (int k = 0; k < 3; k++) {
        node->min[k] = vo_float_below(low[k]);
        node->max[k] = vo_float_above(high[k]);
    }
}

/* Bounds of an inner node from its children, which are refitted already. */
static void refit_inner(vo_bvh_node *nodes, int i) {
    vo_bvh_node *node = &nodes[i];
    const vo_bvh_node *l = &nodes[i + 1], *r = &nodes[node->link];
    for (int k = 0; k < 3; k++) {
        node->min[k] = l->min[k] < r->min[k] ? l->min[k] : r->min[k];
        node->max[k] = l->max[k] > r->max[k] ? l->max[k] : r->max[k];
    }
}

typedef struct refit_job {
    vo_bvh *tree;
    const vo_box *boxes;
} refit_job;

/* Refits whole subtrees, each from its last node to its first. */
static void refit_subtrees(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    refit_job *job = arg;
    vo_bvh_node *nodes = job->tree->nodes;
    for (int c = begin; c < end; c++) {
        int root = job->tree->subtree_roots[c];
        for (int i = root + 2 * nodes[root].leaves - 2; i >= root; i--)
            if (nodes[i].leaves == 1)
                refit_leaf(&nodes[i], &job->boxes[nodes[i].link]);
            else
                refit_inner(nodes, i);
    }
}

/* Refits the inner nodes above the subtree roots; between two subtrees there are only those. */
static void refit_top(vo_bvh *tree) {
    for (int c = tree->subtree_count - 1; c >= 0; c--) {
        int last = c > 0 ? tree->subtree_roots[c - 1] +
                               2 * tree->nodes[tree->subtree_roots[c - 1]].leaves - 1
                         : 0;
        for (int i = tree->subtree_roots[c] - 1; i >= last; i--) refit_inner(tree->nodes, i);
    }
}

void vo_bvh_refit(vo_context *ctx, vo_bvh *tree, const vo_box *boxes) {
    refit_job job = {tree, boxes};
    vo_parallel_for(ctx, tree->subtree_count, 1, refit_subtrees, &job);
    refit_top(tree);
}

void vo_bvh_free(vo_context *ctx, vo_bvh *tree) {
    vo_free_array(ctx, tree->nodes, tree->node_capacity);
    vo_free_array(ctx, tree->items, tree->item_capacity);
    vo_free_array(ctx, tree->subtree_roots, tree->subtree_capacity);
    *tree = (vo_bvh){0};
}
