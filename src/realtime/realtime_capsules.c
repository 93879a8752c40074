/* Capsules on the bones of a character, fitted to its surface in the rest pose.
 *
 * The vertices that a bone moves span a box along their principal axes, between percentiles of
 * their coordinates. Capsules of half the smallest extent lie along the longest axis, side by side
 * across the middle one, so that trunks are covered by several. A bone with one capsule, such as
 * those of limbs, has a radius for each end.
 *
 *        longest axis              trunk, from the front         limb
 *      (==============)            (==============)            (----------\
 *      (==============)            (==============)            (           )
 *       middle axis across         (==============)            (----------/
 */
#include "character/body.h"
#include "realtime/realtime_private.h"

#include <stdlib.h>
#include <string.h>

/* Vertices with more than this weight belong to a bone, so that those of neighbours overlap. */
static const double LEAST_WEIGHT = 0.35;
/* Percentile of the extents, and least number of vertices. */
static const double TAIL = 0.08;
enum { LEAST_VERTICES = 8, POWER_STEPS = 64 };
/* Capsules are thinner than the body by this, m: they are fitted to the mean of its surface. */
static const double INSET = 0.008;
/* Distance of parallel capsules, of their radius. */
static const double SPACING = 0.9;

/* Vertices of a bone. */
typedef struct bone_part {
    int count;
    vo_vec3 *point;         /* [count] m, rest pose in the world */
    double *value;          /* [count] scratch */
    vo_vec3 axis[3];        /* principal axes, the longest first */
    double low[3], high[3]; /* m, extents along the axes */
} bone_part;

/* ---- extents -------------------------------------------------------------------------------- */

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Value below which a fraction of the points lies. */
static double percentile(const bone_part *p, double fraction) {
    return p->value[vo_min_int((int)(fraction * p->count), p->count - 1)];
}

static void measure_extent(bone_part *p, int k) {
    for (int i = 0; i < p->count; i++) p->value[i] = v3_dot(p->point[i], p->axis[k]);
    qsort(p->value, (size_t)p->count, sizeof *p->value, compare_reals);
    p->low[k] = percentile(p, TAIL);
    p->high[k] = percentile(p, 1 - TAIL);
}

/* Covariance of the points times a vector. */
static vo_vec3 spread(const bone_part *p, vo_vec3 mean, vo_vec3 v) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < p->count; i++) {
        vo_vec3 d = v3_sub(p->point[i], mean);
        sum = v3_add(sum, v3_scale(v3_dot(d, v), d));
    }
    return sum;
}

/* Direction of the largest spread across `normal`, by power iteration; `from`: a start. */
static vo_vec3 find_axis(const bone_part *p, vo_vec3 mean, vo_vec3 normal, vo_vec3 from) {
    vo_vec3 v = from;
    for (int i = 0; i < POWER_STEPS; i++) {
        v = v3_sub(v, v3_scale(v3_dot(v, normal), normal));
        if (!(v3_length(v) > 1e-12)) return from;
        v = spread(p, mean, v3_normalize(v));
    }
    v = v3_sub(v, v3_scale(v3_dot(v, normal), normal));
    return v3_length(v) > 1e-12 ? v3_normalize(v) : from;
}

static void find_axes(bone_part *p) {
    vo_vec3 mean = v3_zero();
    for (int i = 0; i < p->count; i++) mean = v3_add(mean, p->point[i]);
    mean = v3_scale(1.0 / p->count, mean);
    p->axis[0] = find_axis(p, mean, v3_zero(), v3_normalize(v3(1, 0.9, 1.1)));
    vo_vec3 across = fabs(p->axis[0].x) < 0.7 ? v3(1, 0.1, 0.2) : v3(0.1, 1, 0.2);
    across = v3_sub(across, v3_scale(v3_dot(across, p->axis[0]), p->axis[0]));
    p->axis[1] = find_axis(p, mean, p->axis[0], v3_normalize(across));
    p->axis[2] = v3_cross(p->axis[0], p->axis[1]);
    for (int k = 0; k < 3; k++) measure_extent(p, k);
}

/* ---- shapes --------------------------------------------------------------------------------- */

static double middle(const bone_part *p, int k) { return (p->low[k] + p->high[k]) / 2; }
static double half(const bone_part *p, int k) { return (p->high[k] - p->low[k]) / 2; }

/* Mean distance from the axis, of the vertices near one end (0 or 1): the radius there. */
static double end_radius(const bone_part *p, int end, double fallback) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        double t = (v3_dot(p->point[i], p->axis[0]) - p->low[0]) / (2 * half(p, 0));
        if (end ? t < 0.6 || t > 0.9 : t > 0.4 || t < 0.1) continue;
        double y = v3_dot(p->point[i], p->axis[1]) - middle(p, 1);
        double z = v3_dot(p->point[i], p->axis[2]) - middle(p, 2);
        sum += sqrt(y * y + z * z);
        count++;
    }
    return count > 0 ? sum / count : fallback;
}

/* Mean half thickness, of the vertices near the middle: the radius of parallel capsules, which stay
 * inside the surface. */
static double mean_thickness(const bone_part *p) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        double y = v3_dot(p->point[i], p->axis[1]) - middle(p, 1);
        if (fabs(y) > 0.5 * half(p, 1)) continue;
        sum += fabs(v3_dot(p->point[i], p->axis[2]) - middle(p, 2));
        count++;
    }
    return count > 0 ? sum / count : half(p, 2);
}

/* Capsules along y of their own frame. */
static vo_rt_shape make_shape(const bone_part *p, int bone, double offset, double r0, double r1) {
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_TAPERED_CAPSULE);
    double length = vo_max(2 * half(p, 0) - r0 - r1, 1e-3);
    vo_vec3 start = v3_scale(p->low[0] + r0 + length / 2, p->axis[0]);
    vo_vec3 center = v3_add(start, v3_add(v3_scale(middle(p, 1) + offset, p->axis[1]),
                                          v3_scale(middle(p, 2), p->axis[2])));
    vo_quat q = q_from_axes(p->axis[1], p->axis[0], v3_scale(-1, p->axis[2]));
    shape.bone = bone;
    shape.local.position = vo_rt_vec3_of(center);
    shape.local.rotation = (vo_rt_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
    shape.half_height = (float)(length / 2);
    shape.radius = (float)vo_max(r0 - INSET, r0 / 2);
    shape.end_radius = (float)vo_max(r1 - INSET, r1 / 2);
    return shape;
}

/* Writes the capsules of a bone, at most `capacity`; returns their number. */
static int cover_bone(bone_part *p, int bone, int capacity, vo_rt_shape *out) {
    find_axes(p);
    double r = mean_thickness(p), room = vo_max(half(p, 1) - r, 0);
    if (!(r > 1e-4)) return 0;
    int count = 1 + (int)ceil(2 * room / (SPACING * r) - 0.25);
    count = vo_min_int(vo_max_int(count, 1), capacity);
    if (count == 1) {
        double r0 = end_radius(p, 0, r), r1 = end_radius(p, 1, r);
        double most = half(p, 0);
        out[0] = make_shape(p, bone, 0, vo_min(r0, most), vo_min(r1, most));
        return 1;
    }
    for (int i = 0; i < count; i++)
        out[i] = make_shape(p, bone, room * (2.0 * i / (count - 1) - 1), r, r);
    return count;
}

static void collect(const vo_body *body, const vo_mesh *rest, int bone, bone_part *p) {
    p->count = 0;
    for (int n = 0; n < rest->node_count; n++) {
        vo_bone_weight w[VO_IMPORT_MAX_INFLUENCES];
        int count = vo_body_get_weights(body, n, w);
        for (int k = 0; k < count; k++)
            if (w[k].bone == bone && w[k].weight > LEAST_WEIGHT)
                p->point[p->count++] = rest->node_x[n];
    }
}

vo_result vo_realtime_fit_capsules(vo_context *ctx, const vo_body *body, int capacity,
                                   vo_rt_shape *out, int *count) {
    const vo_mesh *rest = vo_body_rest_mesh(body);
    bone_part p = {.point = vo_new_array(ctx, vo_vec3, rest->node_count),
                   .value = vo_new_array(ctx, double, rest->node_count)};
    *count = 0;
    bool ok = p.point && p.value;
    for (int b = 0; ok && b < vo_body_bone_count(body); b++) {
        collect(body, rest, b, &p);
        if (p.count >= LEAST_VERTICES) *count += cover_bone(&p, b, capacity - *count, out + *count);
    }
    vo_free_array(ctx, p.point, rest->node_count);
    vo_free_array(ctx, p.value, rest->node_count);
    return ok ? VO_OK : vo_fail_memory(ctx, "capsules");
}
