#include "collide/thin.h"

#include "collide/clump.h"
#include "core/memory.h"

#include <stdlib.h>
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

bool vo_thin_needed(const vo_surface *s, int count) {
    return count > vo_clump_bound(VO_THIN_CONTACTS, s->cloth_node_count);
}

static int compare(const void *a, const void *b) {
    const vo_thin_rank *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Whether a node of cloth has room; if so, all nodes of the pair have one contact more. */
static bool take(const vo_surface *s, const int node[4], int *taken) {
    bool room = false;
    for (int k = 0; k < 4; k++)
        room |= node[k] < s->cloth_node_count && taken[node[k]] < VO_THIN_CONTACTS;
    for (int k = 0; k < 4 && room; k++) taken[node[k]]++;
    return room;
}

vo_result vo_thin_choose(vo_context *ctx, const vo_surface *s, int count, const vo_near *near,
                         vo_thin *t) {
    if (!vo_reserve(ctx, &t->rank, &t->rank_capacity, count) ||
        !vo_reserve(ctx, &t->taken, &t->node_capacity, s->node_count) ||
        !vo_reserve(ctx, &t->keep, &t->keep_capacity, count))
        return vo_fail_memory(ctx, "contacts in a clump");
    memset(t->taken, 0, (size_t)s->node_count * sizeof *t->taken);
    for (int i = 0; i < count; i++) t->rank[i] = (vo_thin_rank){near[i].distance, i};
    qsort(t->rank, (size_t)count, sizeof *t->rank, compare);
    for (int i = 0; i < count; i++) {
        int index = t->rank[i].index;
        t->keep[index] = take(s, near[index].pair.node, t->taken);
    }
    return VO_OK;
}
