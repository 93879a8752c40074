/* Smoothing of crumpled skin.
 *
 * Where bones rotate further than the skin between them can follow, it folds through itself on the
 * scale of a few faces, which no depth along a normal corrects. Such places are detected by faces
 * whose normals oppose their rotated rest normals. Nodes around them move to the mean of their
 * neighbours, which turns the fold into a web between its sides, as in an armpit. The displacement
 * is bounded like a depth. Rejected: preserving the details of the rest pose while smoothing.
 * Compressed skin has no space for them, so they create new folds. */
#include "character/self_gap_private.h"
#include "core/parallel.h"

#include <string.h>

enum { ROUNDS = 4, MOST_RINGS = 24, MOST_PASSES = 150 };
#define WIDTH 0.06 /* radius around a crumpled face, relative to the diagonal of the body */

/* Cosines between a face normal and its rotated rest normal between which the weight rises from 0
 * to 1. */
#define UPRIGHT 0.0
#define TURNED  -0.5

typedef struct weight_work {
    const vo_self_gap *self_gap;
    double width; /* m */
    const double *from;
    double *to;
} weight_work;

/* Sets the weights of nodes of inverted faces. */
static void set_weights(void *arg, int begin, int end, int chunk) {
    const weight_work *w = arg;
    const vo_self_gap *self_gap = w->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = 0;
        for (int i = self_gap->corner_start[n]; i < self_gap->corner_start[n + 1]; i++) {
            int f = self_gap->corner[i];
            vo_vec3 should = q_rotate(self_gap->turn[0][n], self_gap->rest_side[f]);
            double bearing = v3_dot(self_gap->area[f], should), size = v3_length(self_gap->area[f]);
            if (!(bearing < UPRIGHT * size)) continue;
            most = vo_max(most, vo_self_gap_ramp(-bearing / size, -UPRIGHT, -TURNED));
        }
        w->to[n] = most;
    }
}

/* Propagates weights along the surface with a linear falloff. */
static void propagate_weights(void *arg, int begin, int end, int chunk) {
    const weight_work *w = arg;
    const vo_self_gap *self_gap = w->self_gap;
    double slope = 1 / w->width;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = w->from[n];
        for (int i = self_gap->next_start[n]; i < self_gap->next_start[n + 1]; i++)
            most = vo_max(most, w->from[self_gap->next[i]] - slope * self_gap->length[i]);
        w->to[n] = most;
    }
}

/* Computes the weights of the base pose in requested_depth; returns false if all are 0. */
static bool find_weights(vo_self_gap *self_gap, double width) {
    int rings = 2 * (int)vo_clamp(ceil(0.5 * width / self_gap->edge), 1, MOST_RINGS / 2);
    weight_work w = {self_gap, width, NULL, self_gap->requested_depth};
    vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, set_weights, &w);
    if (!vo_self_gap_any(self_gap, self_gap->requested_depth)) return false;
    for (int i = 0; i < rings; i++) {
        w.from = i % 2 ? self_gap->next_depth : self_gap->requested_depth;
        w.to = i % 2 ? self_gap->requested_depth : self_gap->next_depth;
        vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, propagate_weights,
                        &w);
    }
    return true;
}

static int list_nodes(vo_self_gap *self_gap) {
    int count = 0;
    for (int n = 0; n < self_gap->node_count; n++)
        if (self_gap->requested_depth[n] > 0 &&
            self_gap->next_start[n + 1] > self_gap->next_start[n])
            self_gap->list[count++] = n;
    return count;
}

/* Moves a node towards the mean of its neighbours by its weight, within a bounded distance of its
 * start. */
static vo_vec3 smoothed(const vo_self_gap *self_gap, const vo_vec3 *start, int n) {
    int first = self_gap->next_start[n], last = self_gap->next_start[n + 1];
    vo_vec3 sum = v3_zero();
    for (int i = first; i < last; i++) sum = v3_add(sum, self_gap->base[self_gap->next[i]]);
    vo_vec3 to = v3_lerp(self_gap->base[n], v3_scale(1.0 / (last - first), sum),
                         self_gap->requested_depth[n]);
    vo_vec3 way = v3_sub(to, start[n]);
    double far = v3_length(way), limit = self_gap->limit[n];
    if (far <= limit) return to;
    return far < INFINITY ? v3_add_scaled(start[n], limit / far, way) : self_gap->base[n];
}

static void smooth(vo_self_gap *self_gap, const vo_vec3 *start, int count, int passes) {
    for (int i = 0; i < passes; i++) {
        for (int k = 0; k < count; k++)
            self_gap->moved[k] = smoothed(self_gap, start, self_gap->list[k]);
        for (int k = 0; k < count; k++) self_gap->base[self_gap->list[k]] = self_gap->moved[k];
    }
}

/* Applies `passes` smoothing passes, limited by the weights: nodes with small weights move little,
 * regardless of the number of passes. */
static void smooth_weighted(vo_self_gap *self_gap, const vo_vec3 *start, int count, int passes) {
    for (int k = 0; k < count; k++) self_gap->unsmoothed[k] = self_gap->base[self_gap->list[k]];
    smooth(self_gap, start, count, passes);
    for (int k = 0; k < count; k++) {
        int n = self_gap->list[k];
        self_gap->base[n] =
            v3_lerp(self_gap->unsmoothed[k], self_gap->base[n], self_gap->requested_depth[n]);
    }
}

/* Returns the number of passes that propagate a change over the width. */
static int pass_count(const vo_self_gap *self_gap, double width) {
    double edges = width / self_gap->edge;
    return (int)vo_clamp(ceil(0.6 * edges * edges), 4, MOST_PASSES);
}

void vo_self_gap_unfold(vo_self_gap *self_gap, const vo_vec3 *x) {
    memcpy(self_gap->base, x, (size_t)self_gap->node_count * sizeof *x);
    vo_self_gap_find_rotations(self_gap, x);
    double width = WIDTH * self_gap->size;
    for (int round = 0; round < ROUNDS; round++) {
        if (!find_weights(self_gap, width)) return;
        smooth_weighted(self_gap, x, list_nodes(self_gap), pass_count(self_gap, width));
        vo_self_gap_find_areas(self_gap, self_gap->base);
    }
}
