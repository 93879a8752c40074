/* Depths without spikes. */
#include "core/parallel.h"
#include "scene/press_private.h"

#include <string.h>

enum { REACH = 12, BLURS = 2 };
#define SLOPE 0.5

typedef struct pass {
    const vo_press *press;
    const double *from;
    double *to;
} pass;

/* No shallower than neighbours allow that are deep. */
static void follow(void *arg, int begin, int end, int chunk) {
    const pass *p = arg;
    const vo_press *press = p->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = p->from[n];
        for (int i = press->next_start[n]; i < press->next_start[n + 1]; i++)
            most = vo_max(most, p->from[press->next[i]] - SLOPE * press->length[i]);
        p->to[n] = vo_min(most, press->limit[n]);
    }
}

/* To the mean of a node and those around it. */
static void blur(void *arg, int begin, int end, int chunk) {
    const pass *p = arg;
    const vo_press *press = p->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        int first = press->next_start[n], last = press->next_start[n + 1];
        double sum = (last - first) * p->from[n];
        for (int i = first; i < last; i++) sum += p->from[press->next[i]];
        p->to[n] = last > first ? vo_min(sum / (2 * (last - first)), press->limit[n]) : p->from[n];
    }
}

static void run(vo_press *press, vo_range_fn *step, const double *from, double *to) {
    pass p = {press, from, to};
    vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, step, &p);
}

void vo_press_spread(vo_press *press, double *depth) {
    memcpy(depth, press->wish, (size_t)press->node_count * sizeof *depth);
    for (int i = 0; i < REACH; i += 2) {
        run(press, follow, depth, press->draft);
        run(press, follow, press->draft, depth);
    }
    for (int i = 0; i < BLURS; i += 2) {
        run(press, blur, depth, press->draft);
        run(press, blur, press->draft, depth);
    }
}

void vo_press_even_limits(vo_press *press) {
    bool changed = true;
    for (int round = 0; changed && round < 4096; round++) {
        changed = false;
        for (int k = 0; k < press->node_count; k++) {
            int n = round & 1 ? press->node_count - 1 - k : k;
            for (int i = press->next_start[n]; i < press->next_start[n + 1]; i++) {
                double high = press->limit[press->next[i]] + SLOPE * press->length[i];
                if (!(high < press->limit[n])) continue;
                press->limit[n] = high;
                changed = true;
            }
        }
    }
    for (int n = 0; n < press->node_count; n++)
        if (!isfinite(press->limit[n])) press->limit[n] = 0;
}
