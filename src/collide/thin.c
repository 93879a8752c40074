#include "collide/thin.h"

#include "collide/clump.h"
#include "core/memory.h"

#include <string.h>

typedef struct vo_thin_rank {
    double distance;
    int index;
} vo_thin_rank;

void vo_thin_free(vo_context *ctx, vo_thin *t) {
    vo_free_array(ctx, t->rank, t->rank_capacity);
    vo_free_array(ctx, t->taken, t->node_capacity);
    vo_free_array(ctx, t->keep, t->keep_capacity);
    *t = (vo_thin){0};
}

/* Whether a pair is of those that are looked at: with an obstacle, or cloth with cloth. */
static bool is_of(const vo_surface *s, const vo_near *near, bool obstacle) {
    return vo_pair_touches_obstacle(s, near->pair.node) == obstacle;
}

static int count_touching(const vo_surface *s, int count, const vo_near *near) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += is_of(s, &near[i], true);
    return sum;
}

/* Nodes of obstacles that the pairs are about. */
static int count_obstacle_nodes(const vo_surface *s, int count, const vo_near *near, int *seen) {
    int sum = 0;
    memset(seen, 0, (size_t)s->node_count * sizeof *seen);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) {
            int node = near[i].pair.node[k];
            sum += node >= s->cloth_node_count && !seen[node];
            seen[node] = 1;
        }
    return sum;
}

static bool too_many(int count, int64_t nodes) {
    return count > vo_clump_bound(VO_THIN_CONTACTS, nodes);
}

static bool is_nearer(const vo_thin_rank *p, const vo_thin_rank *q) {
    return p->distance != q->distance ? p->distance < q->distance : p->index < q->index;
}

/* Lets the item at `at` of a heap, the furthest first, sink to its place. */
static void sink(vo_thin_rank *heap, int at, int count) {
    vo_thin_rank item = heap[at];
    for (int child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_nearer(&heap[child], &heap[child + 1]);
        if (!is_nearer(&item, &heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

/* The nearest first. In place: the library's own sort may ask for memory. */
static void sort(vo_thin_rank *rank, int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sink(rank, i, count);
    for (int i = count - 1; i > 0; i--) {
        vo_thin_rank furthest = rank[0];
        rank[0] = rank[i];
        rank[i] = furthest;
        sink(rank, 0, i);
    }
}

/* Whether a node has room; if so, all nodes of the pair have one contact more. */
static bool take(const int node[4], int *taken) {
    bool room = false;
    for (int k = 0; k < 4; k++) room |= taken[node[k]] < VO_THIN_CONTACTS;
    for (int k = 0; k < 4 && room; k++) taken[node[k]]++;
    return room;
}

/* Of the pairs with obstacles, or of the others, the nearest stay. */
static void thin_out(const vo_surface *s, int count, const vo_near *near, bool obstacle,
                     vo_thin *t) {
    int n = 0;
    memset(t->taken, 0, (size_t)s->node_count * sizeof *t->taken);
    for (int i = 0; i < count; i++)
        if (is_of(s, &near[i], obstacle)) t->rank[n++] = (vo_thin_rank){near[i].distance, i};
    sort(t->rank, n);
    for (int i = 0; i < n; i++) {
        int index = t->rank[i].index;
        t->keep[index] = take(near[index].pair.node, t->taken);
    }
}

vo_result vo_thin_choose(vo_context *ctx, const vo_surface *s, int count, const vo_near *near,
                         vo_thin *t) {
    int nodes = s->cloth_node_count;
    t->crowded = false;
    if (!too_many(count, nodes)) return VO_OK; /* as it is nearly always */
    int touching = count_touching(s, count, near);
    bool cloth = too_many(count - touching, nodes), obstacle = too_many(touching, nodes);
    if (!cloth && !obstacle) return VO_OK;
    if (!vo_reserve(ctx, &t->rank, &t->rank_capacity, count) ||
        !vo_reserve(ctx, &t->taken, &t->node_capacity, s->node_count) ||
        !vo_reserve(ctx, &t->keep, &t->keep_capacity, count))
        return vo_fail_memory(ctx, "contacts in a clump");
    memset(t->keep, 1, (size_t)count);
    obstacle = obstacle &&
               too_many(touching, nodes + (int64_t)count_obstacle_nodes(s, count, near, t->taken));
    if (cloth) thin_out(s, count, near, false, t);
    if (obstacle) thin_out(s, count, near, true, t);
    t->crowded = cloth || obstacle;
    return VO_OK;
}
