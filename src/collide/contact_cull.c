#include "collide/contact_cull.h"

#include "collide/dense_region.h"
#include "core/memory.h"

#include <string.h>

typedef struct vo_contact_cull_rank {
    double distance;
    int index;
} vo_contact_cull_rank;

void vo_contact_cull_free(vo_context *ctx, vo_contact_cull *t) {
    vo_free_array(ctx, t->rank, t->rank_capacity);
    vo_free_array(ctx, t->node_contacts, t->node_capacity);
    vo_free_array(ctx, t->keep, t->keep_capacity);
    *t = (vo_contact_cull){0};
}

/* Returns true if a pair is of the class: with an obstacle, or cloth with cloth. */
static bool is_in_class(const vo_surface *s, const vo_proximity *proximity, bool obstacle) {
    return vo_pair_touches_obstacle(s, proximity->pair.node) == obstacle;
}

static int count_touching(const vo_surface *s, int count, const vo_proximity *proximity) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += is_in_class(s, &proximity[i], true);
    return sum;
}

/* Counts the obstacle nodes of the pairs. */
static int count_obstacle_nodes(const vo_surface *s, int count, const vo_proximity *proximity,
                                int *counted) {
    int sum = 0;
    memset(counted, 0, (size_t)s->node_count * sizeof *counted);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) {
            int node = proximity[i].pair.node[k];
            sum += node >= s->cloth_node_count && !counted[node];
            counted[node] = 1;
        }
    return sum;
}

static bool exceeds_budget(int count, int64_t nodes) {
    return count > vo_pair_budget(VO_MAX_NODE_CONTACTS, nodes);
}

static bool is_nearer(const vo_contact_cull_rank *p, const vo_contact_cull_rank *q) {
    return p->distance != q->distance ? p->distance < q->distance : p->index < q->index;
}

/* Restores the heap order, furthest first, below the item at `at`. */
static void sift_down(vo_contact_cull_rank *heap, int at, int count) {
    vo_contact_cull_rank item = heap[at];
    for (int child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_nearer(&heap[child], &heap[child + 1]);
        if (!is_nearer(&item, &heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

/* Heap sort, nearest first. In place: qsort may allocate. */
static void sort_by_distance(vo_contact_cull_rank *rank, int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(rank, i, count);
    for (int i = count - 1; i > 0; i--) {
        vo_contact_cull_rank furthest = rank[0];
        rank[0] = rank[i];
        rank[i] = furthest;
        sift_down(rank, 0, i);
    }
}

/* Returns true, and adds the pair to the counters of all its nodes, if a node has fewer than
 * VO_MAX_NODE_CONTACTS contacts. */
static bool accept_pair(const int node[4], int *contacts) {
    bool accepted = false;
    for (int k = 0; k < 4; k++) accepted |= contacts[node[k]] < VO_MAX_NODE_CONTACTS;
    for (int k = 0; k < 4 && accepted; k++) contacts[node[k]]++;
    return accepted;
}

/* Selects the nearest pairs of one class. */
static void cull_class(const vo_surface *s, int count, const vo_proximity *proximity, bool obstacle,
                       vo_contact_cull *t) {
    int n = 0;
    memset(t->node_contacts, 0, (size_t)s->node_count * sizeof *t->node_contacts);
    for (int i = 0; i < count; i++)
        if (is_in_class(s, &proximity[i], obstacle))
            t->rank[n++] = (vo_contact_cull_rank){proximity[i].distance, i};
    sort_by_distance(t->rank, n);
    for (int i = 0; i < n; i++) {
        int index = t->rank[i].index;
        t->keep[index] = accept_pair(proximity[index].pair.node, t->node_contacts);
    }
}

vo_result vo_contact_cull_select(vo_context *ctx, const vo_surface *s, int count,
                                 const vo_proximity *proximity, vo_contact_cull *t) {
    int nodes = s->cloth_node_count;
    t->over_budget = false;
    if (!exceeds_budget(count, nodes)) return VO_OK; /* the usual case */
    int touching = count_touching(s, count, proximity);
    bool cloth = exceeds_budget(count - touching, nodes),
         obstacle = exceeds_budget(touching, nodes);
    if (!cloth && !obstacle) return VO_OK;
    if (!vo_reserve(ctx, &t->rank, &t->rank_capacity, count) ||
        !vo_reserve(ctx, &t->node_contacts, &t->node_capacity, s->node_count) ||
        !vo_reserve(ctx, &t->keep, &t->keep_capacity, count))
        return vo_fail_memory(ctx, "contact culling");
    memset(t->keep, 1, (size_t)count);
    obstacle = obstacle &&
               exceeds_budget(touching, nodes + (int64_t)count_obstacle_nodes(s, count, proximity,
                                                                              t->node_contacts));
    if (cloth) cull_class(s, count, proximity, false, t);
    if (obstacle) cull_class(s, count, proximity, true, t);
    t->over_budget = cloth || obstacle;
    return VO_OK;
}
