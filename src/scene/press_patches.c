/* Discs that cover a surface; see press_private.h. */
#include "core/memory.h"
#include "scene/press_private.h"

#define REACH 0.04 /* of the body's diagonal: radius of a patch */

/* Distances along edges from a node, for all nodes within reach, which are queued. */
static int flood(const vo_press *press, int from, double reach, double *distance, int *queue) {
    int count = 1;
    queue[0] = from;
    distance[from] = 0;
    for (int at = 0; at < count; at++) {
        int n = queue[at];
        for (int i = press->next_start[n]; i < press->next_start[n + 1]; i++) {
            int other = press->next[i];
            double d = distance[n] + press->length[i];
            if (!(d < reach) || d >= distance[other]) continue;
            if (distance[other] == INFINITY) queue[count++] = other;
            distance[other] = d;
        }
    }
    return count;
}

/* Where patches are made: distances are INFINITY between any two of them. */
typedef struct field {
    double reach;
    double *distance;
    int *queue;
    uint8_t *covered; /* within half the reach of a patch's middle */
} field;

static bool add_patch(vo_press *press, int count, const field *f) {
    int first = press->patch_start[press->patch_count];
    if (!vo_reserve(press->ctx, &press->patch_node, &press->patch_node_capacity, first + count) ||
        !vo_reserve(press->ctx, &press->patch_weight, &press->patch_weight_capacity, first + count))
        return false;
    for (int i = 0; i < count; i++) {
        int n = f->queue[i];
        double part = f->distance[n] > 0 ? 1 - f->distance[n] / f->reach : 1;
        press->patch_node[first + i] = n;
        press->patch_weight[first + i] = part * part;
        if (part > 0.5) f->covered[n] = 1;
        f->distance[n] = INFINITY;
    }
    press->patch_start[++press->patch_count] = first + count;
    return true;
}

static bool add_patches(vo_press *press, const field *f) {
    press->patch_start[0] = 0;
    for (int n = 0; n < press->node_count; n++) f->distance[n] = INFINITY;
    for (int n = 0; n < press->node_count; n++) {
        if (f->covered[n]) continue;
        if (!add_patch(press, flood(press, n, f->reach, f->distance, f->queue), f)) return false;
    }
    return true;
}

/* The same links node by node. */
static bool link_nodes(vo_press *press) {
    int count = press->patch_start[press->patch_count], nodes = press->node_count;
    press->link_count = count;
    press->link_patch = vo_new_array(press->ctx, int, count);
    press->link_weight = vo_new_array(press->ctx, double, count);
    press->patch_turn = vo_new_array(press->ctx, vo_quat, press->patch_count);
    if (!press->link_patch || !press->link_weight || !press->patch_turn) return false;
    int *start = press->link_start;
    for (int n = 0; n <= nodes; n++) start[n] = 0;
    for (int i = 0; i < count; i++) start[press->patch_node[i] + 1]++;
    for (int n = 0; n < nodes; n++) start[n + 1] += start[n];
    for (int p = press->patch_count - 1; p >= 0; p--) /* start[n + 1] goes down to that of n */
        for (int i = press->patch_start[p]; i < press->patch_start[p + 1]; i++) {
            int at = --start[press->patch_node[i] + 1];
            press->link_patch[at] = p;
            press->link_weight[at] = press->patch_weight[i];
        }
    for (int n = 0; n < nodes; n++) start[n] = start[n + 1];
    start[nodes] = count;
    return true;
}

bool vo_press_make_patches(vo_press *press) {
    int n = press->node_count;
    field f = {REACH * press->size, vo_new_array(press->ctx, double, n),
               vo_new_array(press->ctx, int, n), vo_alloc_zero(press->ctx, (size_t)n)};
    bool had = f.distance && f.queue && f.covered && add_patches(press, &f) && link_nodes(press);
    vo_free_array(press->ctx, f.distance, n);
    vo_free_array(press->ctx, f.queue, n);
    vo_free(press->ctx, f.covered, (size_t)n);
    return had;
}
