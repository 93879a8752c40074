/* Rotation of the surface around each node from the rest pose to the current one.
 *
 * A single node gets its rotation from its normal and its edges. In a fold that has passed through
 * itself the result is inverted, often smoothly. The sides of the fold are correct and differ by
 * less than half a turn, so the mean over a patch around the fold is correct, too. A node that
 * disagrees with its patches takes their rotation. */
#include "character/self_gap_private.h"
#include "core/parallel.h"

enum { BLURS = 3 }; /* odd: the last pass ends in turn[0] */

/* Relative squared change of edges that halves the weight of a node; cosines of half the angle to
 * its patches between which its weight decreases to 0. */
#define HALF_WEIGHT_MISFIT 0.15
#define DOUBTED            0.57
#define BELIEVED           0.79

typedef struct rotation_work {
    vo_self_gap *self_gap;
    const vo_vec3 *x;
    const vo_quat *from;
    vo_quat *to;
} rotation_work;

static void find_areas(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const int *f = t->self_gap->face[i];
        vo_vec3 a = t->x[f[0]];
        t->self_gap->area[i] = v3_cross(v3_sub(t->x[f[1]], a), v3_sub(t->x[f[2]], a));
    }
}

void vo_self_gap_find_areas(vo_self_gap *self_gap, const vo_vec3 *x) {
    rotation_work t = {.self_gap = self_gap, .x = x};
    vo_parallel_for(self_gap->ctx, self_gap->face_count, VO_SELF_GAP_GRAIN, find_areas, &t);
}

vo_vec3 vo_self_gap_area_normal(const vo_self_gap *self_gap, int node) {
    vo_vec3 sum = v3_zero();
    for (int i = self_gap->corner_start[node]; i < self_gap->corner_start[node + 1]; i++)
        sum = v3_add(sum, self_gap->area[self_gap->corner[i]]);
    return v3_normalize(sum);
}

vo_quat vo_self_gap_frame(const vo_self_gap *self_gap, const vo_vec3 *x, int node) {
    vo_vec3 n = vo_self_gap_area_normal(self_gap, node), sum = v3_zero();
    for (int i = self_gap->next_start[node]; i < self_gap->next_start[node + 1]; i++)
        sum =
            v3_add_scaled(sum, self_gap->tangent_weight[i], v3_sub(x[self_gap->next[i]], x[node]));
    vo_vec3 t = v3_normalize(v3_add_scaled(sum, -v3_dot(sum, n), n));
    bool known = v3_length2(n) > 0 && v3_length2(t) > 0;
    return known ? q_from_axes(t, v3_cross(n, t), n) : q_identity();
}

/* Returns how well the edges of a node match those of the rest pose rotated by q, from 0 to 1. */
static double fitness(const vo_self_gap *self_gap, const vo_vec3 *x, int node, vo_quat q) {
    double off = 0, all = 1e-30;
    for (int i = self_gap->next_start[node]; i < self_gap->next_start[node + 1]; i++) {
        int other = self_gap->next[i];
        vo_vec3 rest = v3_sub(self_gap->rest[other], self_gap->rest[node]);
        off += v3_length2(v3_sub(v3_sub(x[other], x[node]), q_rotate(q, rest)));
        all += v3_length2(rest);
    }
    double misfit = off / all / HALF_WEIGHT_MISFIT;
    return misfit < 1e6 ? 1 / (1 + misfit * misfit) : 0;
}

/* Computes the rotation of each node from its own edges. */
static void rotate_nodes(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_quat frame = vo_self_gap_frame(t->self_gap, t->x, n);
        t->to[n] = q_mul(frame, q_conjugate(t->self_gap->rest_frame[n]));
        t->self_gap->requested_depth[n] = fitness(t->self_gap, t->x, n, t->to[n]);
    }
}

/* Adds a rotation to a weighted sum with the sign that is nearer. */
static vo_quat add_rotation(vo_quat sum, double weight, vo_quat q) {
    return q_add(sum, q_scale(q_dot(sum, q) < 0 ? -weight : weight, q));
}

static void turn_patches(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    const vo_self_gap *self_gap = t->self_gap;
    (void)chunk;
    for (int p = begin; p < end; p++) {
        vo_quat sum = {0, 0, 0, 0};
        for (int i = self_gap->patch_start[p]; i < self_gap->patch_start[p + 1]; i++) {
            int n = self_gap->patch_node[i];
            sum = add_rotation(sum, self_gap->patch_weight[i] * self_gap->requested_depth[n],
                               t->from[n]);
        }
        self_gap->patch_turn[p] = q_normalize(sum);
    }
}

/* Blends the rotation of each node with that of its patches. */
static void blend_with_patches(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    const vo_self_gap *self_gap = t->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_quat sum = {0, 0, 0, 0};
        for (int i = self_gap->link_start[n]; i < self_gap->link_start[n + 1]; i++)
            sum = add_rotation(sum, self_gap->link_weight[i],
                               self_gap->patch_turn[self_gap->link_patch[i]]);
        vo_quat q = q_normalize(sum);
        double trust = vo_self_gap_ramp(fabs(q_dot(q, t->from[n])), DOUBTED, BELIEVED);
        t->to[n] = q_normalize(add_rotation(q_scale(1 - trust + 1e-9, q), trust, t->from[n]));
    }
}

static void blur(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    const vo_self_gap *self_gap = t->self_gap;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        int first = self_gap->next_start[n], last = self_gap->next_start[n + 1];
        vo_quat sum = q_scale(vo_max_int(last - first, 1), t->from[n]);
        for (int i = first; i < last; i++) sum = add_rotation(sum, 1, t->from[self_gap->next[i]]);
        t->to[n] = q_normalize(sum);
    }
}

static void find_normals(void *arg, int begin, int end, int chunk) {
    const rotation_work *t = arg;
    (void)chunk;
    for (int n = begin; n < end; n++)
        t->self_gap->normal[n] = q_rotate(t->self_gap->turn[0][n], t->self_gap->rest_normal[n]);
}

void vo_self_gap_find_rotations(vo_self_gap *self_gap, const vo_vec3 *x) {
    rotation_work t = {self_gap, x, self_gap->turn[0], self_gap->turn[0]};
    vo_self_gap_find_areas(self_gap, x);
    vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, rotate_nodes, &t);
    vo_parallel_for(self_gap->ctx, self_gap->patch_count, 8, turn_patches, &t);
    t.to = self_gap->turn[1];
    vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, blend_with_patches, &t);
    for (int i = 0; i < BLURS; i++) {
        t.from = self_gap->turn[1 - i % 2];
        t.to = self_gap->turn[i % 2];
        vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, blur, &t);
    }
    vo_parallel_for(self_gap->ctx, self_gap->node_count, VO_SELF_GAP_GRAIN, find_normals, &t);
}
