/* Overlapping discs that cover the surface (self_gap_private.h). */
#include "character/self_gap_private.h"
#include "core/memory.h"

#define PATCH_RADIUS 0.04 /* radius of a patch, relative to the diagonal of the body */

/* Dijkstra search along edges from a node: distances of all nodes within the radius, which are
 * queued. */
static int find_distances(const vo_self_gap *self_gap, int from, double radius, double *distance,
                          int *queue) {
    int count = 1;
    queue[0] = from;
    distance[from] = 0;
    for (int at = 0; at < count; at++) {
        int n = queue[at];
        for (int i = self_gap->next_start[n]; i < self_gap->next_start[n + 1]; i++) {
            int other = self_gap->next[i];
            double d = distance[n] + self_gap->length[i];
            if (!(d < radius) || d >= distance[other]) continue;
            if (distance[other] == INFINITY) queue[count++] = other;
            distance[other] = d;
        }
    }
    return count;
}

/* Working memory of the patch construction; all distances are INFINITY between two searches. */
typedef struct field {
    double radius;
    double *distance;
    int *queue;
    uint8_t *covered; /* within half the radius of the centre of a patch */
} field;

static bool add_patch(vo_self_gap *self_gap, int count, const field *f) {
    int first = self_gap->patch_start[self_gap->patch_count];
    if (!vo_reserve(self_gap->ctx, &self_gap->patch_node, &self_gap->patch_node_capacity,
                    first + count) ||
        !vo_reserve(self_gap->ctx, &self_gap->patch_weight, &self_gap->patch_weight_capacity,
                    first + count))
        return false;
    for (int i = 0; i < count; i++) {
        int n = f->queue[i];
        double part = f->distance[n] > 0 ? 1 - f->distance[n] / f->radius : 1;
        self_gap->patch_node[first + i] = n;
        self_gap->patch_weight[first + i] = part * part;
        if (part > 0.5) f->covered[n] = 1;
        f->distance[n] = INFINITY;
    }
    self_gap->patch_start[++self_gap->patch_count] = first + count;
    return true;
}

static bool add_patches(vo_self_gap *self_gap, const field *f) {
    self_gap->patch_start[0] = 0;
    for (int n = 0; n < self_gap->node_count; n++) f->distance[n] = INFINITY;
    for (int n = 0; n < self_gap->node_count; n++) {
        if (f->covered[n]) continue;
        if (!add_patch(self_gap, find_distances(self_gap, n, f->radius, f->distance, f->queue), f))
            return false;
    }
    return true;
}

/* Builds the transposed list: patches of each node. */
static bool link_nodes(vo_self_gap *self_gap) {
    int count = self_gap->patch_start[self_gap->patch_count], nodes = self_gap->node_count;
    self_gap->link_count = count;
    self_gap->link_patch = vo_new_array(self_gap->ctx, int, count);
    self_gap->link_weight = vo_new_array(self_gap->ctx, double, count);
    self_gap->patch_turn = vo_new_array(self_gap->ctx, vo_quat, self_gap->patch_count);
    if (!self_gap->link_patch || !self_gap->link_weight || !self_gap->patch_turn) return false;
    int *start = self_gap->link_start;
    for (int n = 0; n <= nodes; n++) start[n] = 0;
    for (int i = 0; i < count; i++) start[self_gap->patch_node[i] + 1]++;
    for (int n = 0; n < nodes; n++) start[n + 1] += start[n];
    for (int p = self_gap->patch_count - 1; p >= 0; p--) /* start[n + 1] decreases to start[n] */
        for (int i = self_gap->patch_start[p]; i < self_gap->patch_start[p + 1]; i++) {
            int at = --start[self_gap->patch_node[i] + 1];
            self_gap->link_patch[at] = p;
            self_gap->link_weight[at] = self_gap->patch_weight[i];
        }
    for (int n = 0; n < nodes; n++) start[n] = start[n + 1];
    start[nodes] = count;
    return true;
}

bool vo_self_gap_make_patches(vo_self_gap *self_gap) {
    int n = self_gap->node_count;
    field f = {PATCH_RADIUS * self_gap->size, vo_new_array(self_gap->ctx, double, n),
               vo_new_array(self_gap->ctx, int, n), vo_alloc_zero(self_gap->ctx, (size_t)n)};
    bool had =
        f.distance && f.queue && f.covered && add_patches(self_gap, &f) && link_nodes(self_gap);
    vo_free_array(self_gap->ctx, f.distance, n);
    vo_free_array(self_gap->ctx, f.queue, n);
    vo_free(self_gap->ctx, f.covered, (size_t)n);
    return had;
}
