/* Bounding spheres and cones of normals of the bind pose, which define the sheet around a leaf. */
#include "rt/body/surface.h"

/* Leaves whose farthest point is within this distance of home are local, m. */
static const float LOCAL_DISTANCE = 0.15f;
/* A walk stays within this distance and angle of home. */
static const float HOME_DISTANCE = 0.03f, HOME_COSINE = 0.9f;
static const float MAX_ANGLE = 1.0471976f; /* 60 degrees */

static float angle_between(vo_rt_vec3 a, vo_rt_vec3 b) {
    return acosf(f_clamp(f3_dot(a, b), -1, 1));
}

static float threshold_of(float half_angle) {
    return half_angle < MAX_ANGLE ? cosf(MAX_ANGLE - half_angle) : 2;
}

static float half_angle_of(const vo_rt_cone *c) {
    return c->threshold > 1 ? 3.2f : MAX_ANGLE - acosf(c->threshold);
}

static void init_leaf(vo_rt_surface *s, int leaf) {
    vo_rt_cone *c = &s->leaf_cone[leaf];
    vo_rt_vec3 normal[VO_RT_WIDTH], sum = f3(0, 0, 0), center = f3(0, 0, 0);
    for (int k = 0; k < VO_RT_WIDTH; k++) {
        vo_rt_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = f4_xyz(s->bind[s->corner[leaf][i][k]]);
            center = f3_add_scaled(center, 1.0f / (3 * VO_RT_WIDTH), p[i]);
        }
        normal[k] = f3_normalize(f3_cross(f3_sub(p[1], p[0]), f3_sub(p[2], p[0])));
        sum = f3_add(sum, normal[k]);
    }
    float radius = 0, angle = 0;
    c->center = center;
    c->axis = f3_normalize(sum);
    for (int k = 0; k < VO_RT_WIDTH; k++) {
        angle = f_max(angle, angle_between(normal[k], c->axis));
        for (int i = 0; i < 3; i++)
            radius = f_max(radius, f3_distance(center, f4_xyz(s->bind[s->corner[leaf][i][k]])));
    }
    c->radius = radius;
    c->threshold = threshold_of(angle);
}

static bool is_used(const vo_rt_surface *s, int node, int k) {
    return k == 0 || s->child[node][k] != ~0 || s->leaf_parent[0] == node * VO_RT_WIDTH + k;
}

static const vo_rt_cone *cone_of(const vo_rt_surface *s, int32_t child) {
    return child < 0 ? &s->leaf_cone[~child] : &s->node_cone[child];
}

static void init_node(vo_rt_surface *s, int node) {
    vo_rt_cone *c = &s->node_cone[node];
    vo_rt_vec3 sum = f3(0, 0, 0), center = f3(0, 0, 0);
    int count = 0;
    for (int k = 0; k < VO_RT_WIDTH; k++) {
        if (!is_used(s, node, k)) continue;
        const vo_rt_cone *child = cone_of(s, s->child[node][k]);
        sum = f3_add(sum, child->axis);
        center = f3_add(center, child->center);
        count++;
    }
    float radius = 0, angle = 0;
    c->center = f3_scale(1 / (float)count, center);
    c->axis = f3_normalize(sum);
    for (int k = 0; k < VO_RT_WIDTH; k++) {
        if (!is_used(s, node, k)) continue;
        const vo_rt_cone *child = cone_of(s, s->child[node][k]);
        radius = f_max(radius, f3_distance(c->center, child->center) + child->radius);
        angle = f_max(angle, angle_between(c->axis, child->axis) + half_angle_of(child));
    }
    c->radius = radius;
    c->threshold = threshold_of(angle);
}

void vo_rt_surface_init_cones(vo_rt_surface *s) {
    for (int leaf = 0; leaf < s->leaf_count; leaf++) init_leaf(s, leaf);
    for (int node = s->node_count - 1; node >= 0; node--) init_node(s, node);
}

bool vo_rt_surface_is_local(const vo_rt_cone *cone, const vo_rt_cone *home) {
    float reach = LOCAL_DISTANCE - cone->radius;
    return f3_dot(cone->axis, home->axis) >= cone->threshold && reach > 0 &&
           f3_length2(f3_sub(cone->center, home->center)) <= reach * reach;
}

bool vo_rt_surface_is_home(const vo_rt_surface *s, int32_t leaf, int32_t home) {
    if (leaf == home) return true;
    const vo_rt_cone *a = &s->leaf_cone[leaf], *b = &s->leaf_cone[home];
    return f3_dot(a->axis, b->axis) >= HOME_COSINE &&
           f3_length2(f3_sub(a->center, b->center)) <= HOME_DISTANCE * HOME_DISTANCE;
}
