/* Propagation and smoothing of depths along the surface. */
#include "character/self_gap_private.h"
#include "core/parallel.h"

#include <string.h>

enum { REACH = 12, BLURS = 2 };
#define SLOPE 0.5

typedef struct pass {
    const vo_self_gap *self_gap;
    const double *from;
    double *to;
} pass;

/* Raises depths so that their slope to neighbours is bounded. */
static void propagate(void *arg, int begin, int end, int chunk) {
    const pass *p = arg;
    const vo_self_gap *self_gap = p->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = p->from[n];
        for (int i = self_gap->next_start[n]; i < self_gap->next_start[n + 1]; i++)
            most = vo_max(most, p->from[self_gap->next[i]] - SLOPE * self_gap->length[i]);
        p->to[n] = vo_min(most, self_gap->limit[n]);
    }
}

/* Averages the depths of a node and its neighbours. */
static void blur(void *arg, int begin, int end, int chunk) {
    const pass *p = arg;
    const vo_self_gap *self_gap = p->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        int first = self_gap->next_start[n], last = self_gap->next_start[n + 1];
        double sum = (last - first) * p->from[n];
        for (int i = first; i < last; i++) sum += p->from[self_gap->next[i]];
        p->to[n] =
            last > first ? vo_min(sum / (2 * (last - first)), self_gap->limit[n]) : p->from[n];
    }
}

static void run_pass(vo_self_gap *self_gap, vo_loop_fn *step, const double *from, double *to) {
    pass p = {self_gap, from, to};
    vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, step, &p);
}

void vo_self_gap_spread(vo_self_gap *self_gap, double *depth) {
    memcpy(depth, self_gap->requested_depth, (size_t)self_gap->node_count * sizeof *depth);
    for (int i = 0; i < REACH; i += 2) {
        run_pass(self_gap, propagate, depth, self_gap->next_depth);
        run_pass(self_gap, propagate, self_gap->next_depth, depth);
    }
    for (int i = 0; i < BLURS; i += 2) {
        run_pass(self_gap, blur, depth, self_gap->next_depth);
        run_pass(self_gap, blur, self_gap->next_depth, depth);
    }
}

void vo_self_gap_smooth_limits(vo_self_gap *self_gap) {
    bool changed = true;
    for (int round = 0; changed && round < 4096; round++) {
        changed = false;
        for (int k = 0; k < self_gap->node_count; k++) {
            int n = round & 1 ? self_gap->node_count - 1 - k : k;
            for (int i = self_gap->next_start[n]; i < self_gap->next_start[n + 1]; i++) {
                double high = self_gap->limit[self_gap->next[i]] + SLOPE * self_gap->length[i];
                if (!(high < self_gap->limit[n])) continue;
                self_gap->limit[n] = high;
                changed = true;
            }
        }
    }
    for (int n = 0; n < self_gap->node_count; n++)
        if (!isfinite(self_gap->limit[n])) self_gap->limit[n] = 0;
}
