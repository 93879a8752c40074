/* How the surface around each node is turned, from the rest pose to the one at hand.
 *
 * A node by itself tells it from its normal and its edges. In a fold that has gone through itself
 * this is upside down, and often smoothly so. But the sides of the fold are right, and turned by
 * less than half a turn against each other, so the mean over a patch around it is right, too. A
 * node that disagrees with its patches takes theirs. */
#include "core/parallel.h"
#include "scene/press_private.h"

enum { BLURS = 3 }; /* odd: the last one ends in turn[0] */

/* Squares of edges' change, in parts of their squares, that halve a node's say; and cosines of half
 * the angle to its patches between which it is believed less and less. */
#define MISFIT   0.15
#define DOUBTED  0.57
#define BELIEVED 0.79

typedef struct turning {
    vo_press *press;
    const vo_vec3 *x;
    const vo_quat *from;
    vo_quat *to;
} turning;

static void find_areas(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const int *f = t->press->face[i];
        vo_vec3 a = t->x[f[0]];
        t->press->area[i] = v3_cross(v3_sub(t->x[f[1]], a), v3_sub(t->x[f[2]], a));
    }
}

void vo_press_find_areas(vo_press *press, const vo_vec3 *x) {
    turning t = {.press = press, .x = x};
    vo_parallel_for(press->ctx, press->face_count, VO_PRESS_GRAIN, find_areas, &t);
}

vo_vec3 vo_press_area_normal(const vo_press *press, int node) {
    vo_vec3 sum = v3_zero();
    for (int i = press->corner_start[node]; i < press->corner_start[node + 1]; i++)
        sum = v3_add(sum, press->area[press->corner[i]]);
    return v3_normalize(sum);
}

/* A rotation from its columns (Shepperd 1978). */
static vo_quat quat_of(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    double trace = a.x + b.y + c.z;
    vo_quat q;
    if (trace > 0)
        q = (vo_quat){1 + trace, b.z - c.y, c.x - a.z, a.y - b.x};
    else if (a.x >= b.y && a.x >= c.z)
        q = (vo_quat){b.z - c.y, 1 + a.x - b.y - c.z, a.y + b.x, a.z + c.x};
    else if (b.y >= c.z)
        q = (vo_quat){c.x - a.z, a.y + b.x, 1 + b.y - a.x - c.z, b.z + c.y};
    else
        q = (vo_quat){a.y - b.x, a.z + c.x, b.z + c.y, 1 + c.z - a.x - b.y};
    return q_normalize(q);
}

vo_quat vo_press_frame(const vo_press *press, const vo_vec3 *x, int node) {
    vo_vec3 n = vo_press_area_normal(press, node), sum = v3_zero();
    for (int i = press->next_start[node]; i < press->next_start[node + 1]; i++)
        sum = v3_add_scaled(sum, press->share[i], v3_sub(x[press->next[i]], x[node]));
    vo_vec3 t = v3_normalize(v3_add_scaled(sum, -v3_dot(sum, n), n));
    bool known = v3_length2(n) > 0 && v3_length2(t) > 0;
    return known ? quat_of(t, v3_cross(n, t), n) : q_identity();
}

/* How well a node's edges are those of the rest pose turned by q: 1 to 0. */
static double fitness(const vo_press *press, const vo_vec3 *x, int node, vo_quat q) {
    double off = 0, all = 1e-30;
    for (int i = press->next_start[node]; i < press->next_start[node + 1]; i++) {
        int other = press->next[i];
        vo_vec3 rest = v3_sub(press->rest[other], press->rest[node]);
        off += v3_length2(v3_sub(v3_sub(x[other], x[node]), q_rotate(q, rest)));
        all += v3_length2(rest);
    }
    double misfit = off / all / MISFIT;
    return misfit < 1e6 ? 1 / (1 + misfit * misfit) : 0;
}

/* Each node for itself. */
static void turn_alone(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_quat frame = vo_press_frame(t->press, t->x, n);
        t->to[n] = q_mul(frame, q_conjugate(t->press->rest_frame[n]));
        t->press->wish[n] = fitness(t->press, t->x, n, t->to[n]);
    }
}

/* Adds to a sum of rotations the sign that is nearer. */
static vo_quat add_turn(vo_quat sum, double weight, vo_quat q) {
    return q_add(sum, q_scale(q_dot(sum, q) < 0 ? -weight : weight, q));
}

static void turn_patches(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    const vo_press *press = t->press;
    (void)chunk;
    for (int p = begin; p < end; p++) {
        vo_quat sum = {0, 0, 0, 0};
        for (int i = press->patch_start[p]; i < press->patch_start[p + 1]; i++) {
            int n = press->patch_node[i];
            sum = add_turn(sum, press->patch_weight[i] * press->wish[n], t->from[n]);
        }
        press->patch_turn[p] = q_normalize(sum);
    }
}

/* Each node as far as its patches agree. */
static void turn_together(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    const vo_press *press = t->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_quat sum = {0, 0, 0, 0};
        for (int i = press->link_start[n]; i < press->link_start[n + 1]; i++)
            sum = add_turn(sum, press->link_weight[i], press->patch_turn[press->link_patch[i]]);
        vo_quat q = q_normalize(sum);
        double trust = vo_press_ramp(fabs(q_dot(q, t->from[n])), DOUBTED, BELIEVED);
        t->to[n] = q_normalize(add_turn(q_scale(1 - trust + 1e-9, q), trust, t->from[n]));
    }
}

static void blur(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    const vo_press *press = t->press;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        int first = press->next_start[n], last = press->next_start[n + 1];
        vo_quat sum = q_scale(vo_max_int(last - first, 1), t->from[n]);
        for (int i = first; i < last; i++) sum = add_turn(sum, 1, t->from[press->next[i]]);
        t->to[n] = q_normalize(sum);
    }
}

static void find_normals(void *arg, int begin, int end, int chunk) {
    const turning *t = arg;
    (void)chunk;
    for (int n = begin; n < end; n++)
        t->press->normal[n] = q_rotate(t->press->turn[0][n], t->press->rest_normal[n]);
}

void vo_press_find_turns(vo_press *press, const vo_vec3 *x) {
    turning t = {press, x, press->turn[0], press->turn[0]};
    vo_press_find_areas(press, x);
    vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, turn_alone, &t);
    vo_parallel_for(press->ctx, press->patch_count, 8, turn_patches, &t);
    t.to = press->turn[1];
    vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, turn_together, &t);
    for (int i = 0; i < BLURS; i++) {
        t.from = press->turn[1 - i % 2];
        t.to = press->turn[i % 2];
        vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, blur, &t);
    }
    vo_parallel_for(press->ctx, press->node_count, VO_PRESS_GRAIN, find_normals, &t);
}
