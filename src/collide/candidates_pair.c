#include "collide/candidates_pair.h"

#include "collide/distance.h"

/* Heights of corners, see collide/ccd.c: each is rounded by less than 6 u of the sum of its
 * products' sizes, and a direction's length by 5 u. */
#define ROUNDING (16 * 0x1p-53)

/* Closest points of a pair as weights of its nodes: the first part's are positive. */
typedef struct closest {
    double weight[4];
    vo_vec3 offset; /* from the second point to the first */
    double squared;
    bool inside; /* both points of two edges are */
} closest;

static closest closest_node_face(const vo_vec3 x[4]) {
    vo_face_point c = vo_distance_vertex_face(x[0], x[1], x[2], x[3]);
    return (closest){.weight = {1, -c.weight[0], -c.weight[1], -c.weight[2]},
                     .offset = v3_negate(c.offset),
                     .squared = c.squared};
}

static closest closest_edge_edge(const vo_vec3 x[4]) {
    vo_edge_pair c = vo_distance_edge_edge(x[0], x[1], x[2], x[3]);
    return (closest){.weight = {1 - c.s, c.s, -(1 - c.t), -c.t},
                     .offset = v3_negate(c.offset),
                     .squared = c.squared,
                     .inside = c.s > 0 && c.s < 1 && c.t > 0 && c.t < 1};
}

static closest find_closest(vo_feature_kind kind, const vo_vec3 x[4]) {
    return kind == VO_NODE_FACE ? closest_node_face(x) : closest_edge_edge(x);
}

static void gather(const vo_vec3 *from, const int node[4], vo_vec3 x[4]) {
    for (int i = 0; i < 4; i++) x[i] = from[node[i]];
}

double vo_pair_thickness(const vo_surface *s, const int node[4], double thickness) {
    /* Node 2 is of the second part for faces and edges alike. Obstacles' reach has no end. */
    if (s->node_part[node[0]] != s->node_part[node[2]]) return thickness;
    for (int i = 0; i < 4; i++) thickness = vo_min(thickness, s->reach[node[i]]);
    return thickness;
}

/* A direction for features that touch: across the face, or across both edges. */
static vo_vec3 across(vo_feature_kind kind, const vo_vec3 x[4]) {
    vo_vec3 n = kind == VO_NODE_FACE ? v3_cross(v3_sub(x[2], x[1]), v3_sub(x[3], x[1]))
                                     : v3_cross(v3_sub(x[1], x[0]), v3_sub(x[3], x[2]));
    return v3_length2(n) > 0 ? v3_normalize(n) : v3(0, 0, 1);
}

/* The lowest corner of the first part's points less the second's along n, at one end of the way,
 * lowered by what rounding may have added. */
static double lowest(vo_feature_kind kind, vo_vec3 n, const vo_vec3 x[4]) {
    int firsts = kind == VO_NODE_FACE ? 1 : 2;
    double low = INFINITY;
    for (int i = 0; i < firsts; i++)
        for (int j = firsts; j < 4; j++) {
            vo_vec3 q = v3_sub(x[i], x[j]);
            double size = fabs(n.x * q.x) + fabs(n.y * q.y) + fabs(n.z * q.z);
            double height = v3_dot(n, q) - ROUNDING * size;
            low = height < low ? height : low;
        }
    return low;
}

bool vo_measure_pair(const vo_surface *s, const vo_feature_pair *pair, double thickness,
                     vo_near *near, double *least) {
    vo_vec3 x[4];
    gather(s->x0, pair->node, x);
    closest c = find_closest(pair->kind, x);
    double distance = sqrt(c.squared);
    vo_vec3 n = distance > 0 ? v3_scale(1 / distance, c.offset) : v3_zero();
    *least = vo_max(lowest(pair->kind, n, x) * (1 - ROUNDING), 0);
    thickness = vo_pair_thickness(s, pair->node, thickness);
    if (!(distance < thickness) || (pair->kind == VO_EDGE_EDGE && !c.inside)) return false;
    *near = (vo_near){.pair = *pair,
                      .weight = {c.weight[0], c.weight[1], c.weight[2], c.weight[3]},
                      .normal = distance > 0 ? n : across(pair->kind, x),
                      .distance = distance,
                      .thickness = thickness};
    return true;
}

double vo_pair_travel(const vo_surface *s, const vo_feature_pair *pair) {
    vo_vec3 d[4], mean = v3_zero();
    double size = 0;
    for (int i = 0; i < 4; i++) {
        vo_vec3 x0 = s->x0[pair->node[i]];
        d[i] = v3_sub(s->x1[pair->node[i]], x0);
        mean = v3_add_scaled(mean, 0.25, d[i]);
        size = vo_max(size, fabs(d[i].x) + fabs(d[i].y) + fabs(d[i].z));
    }
    double most[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        int side = i >= (pair->kind == VO_NODE_FACE ? 1 : 2);
        most[side] = vo_max(most[side], v3_length2(v3_sub(d[i], mean)));
    }
    return (sqrt(most[0]) + sqrt(most[1])) * (1 + ROUNDING) + ROUNDING * size;
}

bool vo_pair_is_clear(const vo_surface *s, const vo_feature_pair *pair, double keep,
                      double *least) {
    vo_vec3 x[4];
    gather(s->x0, pair->node, x);
    closest c = find_closest(pair->kind, x);
    double distance = sqrt(c.squared);
    *least = 0;
    if (!(distance > 0)) return false;
    vo_vec3 n = v3_scale(1 / distance, c.offset);
    *least = vo_max(lowest(pair->kind, n, x) * (1 - ROUNDING), 0);
    /* Along a fixed direction the gap of two convex parts whose corners move evenly is a concave
     * function of time: no smaller than at the ends. */
    gather(s->x1, pair->node, x);
    double end = lowest(pair->kind, n, x);
    keep = vo_min(keep, 0.9 * distance) * (1 + ROUNDING);
    return *least > keep && end > keep;
}
