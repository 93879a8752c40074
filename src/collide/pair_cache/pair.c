#include "collide/pair_cache/pair.h"

#include "collide/distance.h"

/* Heights of corners, see collide/ccd.c: each has a rounding error below 6 u of the sum of the
 * absolute values of its products, and the length of a direction one of 5 u. */
#define ROUNDING (16 * 0x1p-53)

static void gather(const vo_vec3 *from, const int node[4], vo_vec3 x[4]) {
    for (int i = 0; i < 4; i++) x[i] = from[node[i]];
}

vo_vec3 vo_pair_fallback_normal(const vo_surface *s, const vo_feature_pair *pair) {
    vo_vec3 x[4];
    gather(s->x0, pair->node, x);
    vo_vec3 n = pair->kind == VO_NODE_FACE ? v3_cross(v3_sub(x[2], x[1]), v3_sub(x[3], x[1]))
                                           : v3_cross(v3_sub(x[1], x[0]), v3_sub(x[3], x[2]));
    return v3_length2(n) > 0 ? v3_normalize(n) : v3(0, 0, 1);
}

double vo_pair_approach_bound(const vo_surface *s, const vo_feature_pair *pair) {
    vo_vec3 d[4], mean = v3_zero();
    double size = 0;
    for (int i = 0; i < 4; i++) {
        vo_vec3 x0 = s->x0[pair->node[i]];
        d[i] = v3_sub(s->x1[pair->node[i]], x0);
        mean = v3_add_scaled(mean, 0.25, d[i]);
        size = vo_max(size, fabs(d[i].x) + fabs(d[i].y) + fabs(d[i].z));
    }
    double max_length2[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        int side = i >= (pair->kind == VO_NODE_FACE ? 1 : 2);
        max_length2[side] = vo_max(max_length2[side], v3_length2(v3_sub(d[i], mean)));
    }
    return (sqrt(max_length2[0]) + sqrt(max_length2[1])) * (1 + ROUNDING) + ROUNDING * size;
}

/* Returns the vector from the second feature to the first. */
static vo_vec3 closest_offset(vo_feature_kind kind, const vo_vec3 x[4]) {
    return v3_negate(kind == VO_NODE_FACE ? vo_distance_vertex_face(x[0], x[1], x[2], x[3]).offset
                                          : vo_distance_edge_edge(x[0], x[1], x[2], x[3]).offset);
}

double vo_pair_min_height(vo_feature_kind kind, vo_vec3 n, const vo_vec3 x[4]) {
    int firsts = kind == VO_NODE_FACE ? 1 : 2;
    double min_height = INFINITY;
    for (int i = 0; i < firsts; i++)
        for (int j = firsts; j < 4; j++) {
            vo_vec3 q = v3_sub(x[i], x[j]);
            double size = fabs(n.x * q.x) + fabs(n.y * q.y) + fabs(n.z * q.z);
            double height = v3_dot(n, q) - ROUNDING * size;
            if (!(fabs(height) < INFINITY)) return -INFINITY;
            min_height = vo_min(min_height, height);
        }
    return min_height;
}

bool vo_pair_is_separated(const vo_surface *s, const vo_feature_pair *pair, double min_distance,
                          double *start_distance) {
    vo_vec3 x[4];
    gather(s->x0, pair->node, x);
    vo_vec3 offset = closest_offset(pair->kind, x);
    double distance = v3_length(offset);
    *start_distance = 0;
    if (!(distance > 0)) return false;
    vo_vec3 n = v3_scale(1 / distance, offset);
    *start_distance = vo_max(vo_pair_min_height(pair->kind, n, x) * (1 - ROUNDING), 0);
    /* Along a fixed direction the gap of two convex features with linear trajectories is a concave
     * function of time, so its minimum over the step is at one of the ends. */
    gather(s->x1, pair->node, x);
    double end = vo_pair_min_height(pair->kind, n, x);
    min_distance = vo_min(min_distance, 0.9 * distance) * (1 + ROUNDING);
    return *start_distance > min_distance && end > min_distance;
}
