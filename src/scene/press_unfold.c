/* Crumpled skin is smoothed.
 *
 * Where bones turn further than skin between them can follow, it folds through itself on the scale
 * of a few faces, and no depth along any normal mends that. Such places are known by faces that
 * look the wrong way against their turns. Around them nodes go to the mean of their neighbours, so
 * the fold becomes a web between its sides, as skin does in an armpit. How far is bounded like a
 * depth. Rejected: keeping the bumps of the rest pose while smoothing. In skin that is pressed
 * together there is no room for them, and new folds come of it. */
#include "core/parallel.h"
#include "scene/press_private.h"

#include <string.h>

enum { ROUNDS = 4, MOST_RINGS = 24, MOST_PASSES = 150 };
#define WIDTH 0.06 /* of the body's diagonal: how far around a crumpled face */

/* Cosines of a face's angle to where it should look, between which it counts more and more. */
#define UPRIGHT 0.0
#define TURNED  -0.5

typedef struct weighing {
    const vo_press *press;
    double width; /* m */
    const double *from;
    double *to;
} weighing;

/* Nodes of faces that look the wrong way. */
static void weigh(void *arg, int begin, int end, int chunk) {
    const weighing *w = arg;
    const vo_press *press = w->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = 0;
        for (int i = press->corner_start[n]; i < press->corner_start[n + 1]; i++) {
            int f = press->corner[i];
            vo_vec3 should = q_rotate(press->turn[0][n], press->rest_side[f]);
            double bearing = v3_dot(press->area[f], should), size = v3_length(press->area[f]);
            if (!(bearing < UPRIGHT * size)) continue;
            most = vo_max(most, vo_press_ramp(-bearing / size, -UPRIGHT, -TURNED));
        }
        w->to[n] = most;
    }
}

/* Weights fall off along the surface. */
static void widen(void *arg, int begin, int end, int chunk) {
    const weighing *w = arg;
    const vo_press *press = w->press;
    double slope = 1 / w->width;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        double most = w->from[n];
        for (int i = press->next_start[n]; i < press->next_start[n + 1]; i++)
            most = vo_max(most, w->from[press->next[i]] - slope * press->length[i]);
        w->to[n] = most;
    }
}

/* Weights of the base into `wish`; false if all are 0. */
static bool find_weights(vo_press *press, double width) {
    int rings = 2 * (int)vo_clamp(ceil(0.5 * width / press->edge), 1, MOST_RINGS / 2);
    weighing w = {press, width, NULL, press->wish};
    vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, weigh, &w);
    if (!vo_press_any(press, press->wish)) return false;
    for (int i = 0; i < rings; i++) {
        w.from = i % 2 ? press->draft : press->wish;
        w.to = i % 2 ? press->wish : press->draft;
        vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, widen, &w);
    }
    return true;
}

static int list_nodes(vo_press *press) {
    int count = 0;
    for (int n = 0; n < press->node_count; n++)
        if (press->wish[n] > 0 && press->next_start[n + 1] > press->next_start[n])
            press->list[count++] = n;
    return count;
}

/* Towards the mean of the neighbours, by the node's weight, not too far from where it was. */
static vo_vec3 smoothed(const vo_press *press, const vo_vec3 *start, int n) {
    int first = press->next_start[n], last = press->next_start[n + 1];
    vo_vec3 sum = v3_zero();
    for (int i = first; i < last; i++) sum = v3_add(sum, press->base[press->next[i]]);
    vo_vec3 to = v3_lerp(press->base[n], v3_scale(1.0 / (last - first), sum), press->wish[n]);
    vo_vec3 way = v3_sub(to, start[n]);
    double far = v3_length(way), limit = press->limit[n];
    if (far <= limit) return to;
    return far < INFINITY ? v3_add_scaled(start[n], limit / far, way) : press->base[n];
}

static void smooth(vo_press *press, const vo_vec3 *start, int count, int passes) {
    for (int i = 0; i < passes; i++) {
        for (int k = 0; k < count; k++) press->moved[k] = smoothed(press, start, press->list[k]);
        for (int k = 0; k < count; k++) press->base[press->list[k]] = press->moved[k];
    }
}

/* Smoothed by `passes` passes, as far as weights say: so what is hardly turned moves hardly at all,
 * however many passes there are. */
static void smooth_in_part(vo_press *press, const vo_vec3 *start, int count, int passes) {
    for (int k = 0; k < count; k++) press->before[k] = press->base[press->list[k]];
    smooth(press, start, count, passes);
    for (int k = 0; k < count; k++) {
        int n = press->list[k];
        press->base[n] = v3_lerp(press->before[k], press->base[n], press->wish[n]);
    }
}

/* As many passes as carry a change over the width. */
static int pass_count(const vo_press *press, double width) {
    double edges = width / press->edge;
    return (int)vo_clamp(ceil(0.6 * edges * edges), 4, MOST_PASSES);
}

void vo_press_unfold(vo_press *press, const vo_vec3 *x) {
    memcpy(press->base, x, (size_t)press->node_count * sizeof *x);
    vo_press_find_turns(press, x);
    double width = WIDTH * press->size;
    for (int round = 0; round < ROUNDS; round++) {
        if (!find_weights(press, width)) return;
        smooth_in_part(press, x, list_nodes(press), pass_count(press, width));
        vo_press_find_areas(press, press->base);
    }
}
