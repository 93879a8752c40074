/* Signed distances of analytic shapes. */
#include "rt/body/shape.h"

#include "rt/base/heap.h"
#include "rt/base/text.h"
#include "rt/body/hull.h"
#include "rt/body/surface_kernel.h"

VO_API vo_rt_shape vo_rt_shape_default(vo_rt_shape_kind kind) {
    return (vo_rt_shape){.kind = kind,
                         .local = {.rotation = {0, 0, 0, 1}},
                         .bone = -1,
                         .radius = 0.1f,
                         .end_radius = 0.1f,
                         .half_height = 0.1f,
                         .half_extents = {0.1f, 0.1f, 0.1f},
                         .min = {-1, -1, -1},
                         .max = {1, 1, 1}};
}

/* --- Distances -------------------------------------------------------------------------------- */

/* Distance from a sphere around the origin. */
static float sphere_distance(vo_rt_vec3 x, float radius, vo_rt_vec3 *normal) {
    float length = f3_length(x);
    *normal = length > 1e-12f ? f3_scale(1 / length, x) : f3(0, 1, 0);
    return length - radius;
}

/* Convex hull of spheres of radius a at y = -h and b at y = h, in the half plane of the radial
 * coordinate and y: the cone between them touches both where its normal is (cosine, sine). */
static float tapered_distance(vo_rt_vec3 x, float a, float b, float h, vo_rt_vec3 *normal) {
    float sine = h > 0 ? (a - b) / (2 * h) : 2, radial = sqrtf(x.x * x.x + x.z * x.z);
    if (fabsf(sine) >= 1) /* one sphere contains the other */
        return sphere_distance(f3(x.x, x.y + (a >= b ? h : -h), x.z), f_max(a, b), normal);
    float cosine = sqrtf(1 - sine * sine);
    float along = (x.y + h) * cosine - radial * sine; /* along the side of the cone */
    if (along <= 0) return sphere_distance(f3(x.x, x.y + h, x.z), a, normal);
    if (along >= 2 * h * cosine) return sphere_distance(f3(x.x, x.y - h, x.z), b, normal);
    vo_rt_vec3 out = radial > 1e-12f ? f3(x.x / radial, 0, x.z / radial) : f3(1, 0, 0);
    *normal = f3(cosine * out.x, sine, cosine * out.z);
    return radial * cosine + (x.y + h) * sine - a;
}

static float sign_of(float x) { return x < 0 ? -1.0f : 1.0f; }

static float box_distance(vo_rt_vec3 x, vo_rt_vec3 half, vo_rt_vec3 *normal) {
    vo_rt_vec3 d = f3(fabsf(x.x) - half.x, fabsf(x.y) - half.y, fabsf(x.z) - half.z);
    vo_rt_vec3 out = f3_max(d, f3(0, 0, 0));
    float length = f3_length(out);
    if (length > 1e-12f) {
        *normal = f3(sign_of(x.x) * out.x / length, sign_of(x.y) * out.y / length,
                     sign_of(x.z) * out.z / length);
        return length;
    }
    int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    *normal = f3(axis == 0 ? sign_of(x.x) : 0, axis == 1 ? sign_of(x.y) : 0,
                 axis == 2 ? sign_of(x.z) : 0);
    return f_max(d.x, f_max(d.y, d.z));
}

static float hull_distance(const vo_rt_surface_kernels *kernels, const vo_rt_body_shape *shape,
                           vo_rt_vec3 x, float bound, vo_rt_vec3 *normal) {
    vo_rt_surface_hit hit;
    /* Inside, the distance is at most half the size of the hull. */
    vo_rt_vec3 size = f3_sub(shape->local_max, shape->local_min);
    float limit = f_max(bound, f_max(size.x, f_max(size.y, size.z)));
    *normal = f3(0, 1, 0);
    if (!vo_rt_surface_find_nearest(kernels, &shape->hull, shape->hull_pose, x, limit * limit, -1,
                                    &hit))
        return INFINITY;
    *normal = hit.normal;
    return hit.distance;
}

/* The host's function; invalid results are treated as far away. */
static float host_distance(const vo_rt_shape *def, vo_rt_vec3 x, float bound, vo_rt_vec3 *normal) {
    vo_rt_vec3 center = f3_lerp(def->min, def->max, 0.5f), gradient = f3(0, 0, 0);
    float outside =
        box_distance(f3_sub(x, center), f3_scale(0.5f, f3_sub(def->max, def->min)), normal);
    if (outside > bound) return INFINITY;
    float d = def->distance(def->user, x, &gradient);
    float length = f3_length(gradient);
    if (!isfinite(d)) return INFINITY;
    *normal = length > 1e-12f && length < 1e12f ? f3_scale(1 / length, gradient) : f3(0, 1, 0);
    return d;
}

float vo_rt_shape_distance(const vo_rt_surface_kernels *kernels, const vo_rt_body_shape *shape,
                           vo_rt_vec3 x, float bound, vo_rt_vec3 *normal) {
    const vo_rt_shape *s = &shape->def;
    switch (s->kind) {
    case VO_RT_SPHERE:
        return sphere_distance(x, s->radius, normal);
    case VO_RT_CAPSULE: {
        float y = f_clamp(x.y, -s->half_height, s->half_height);
        return sphere_distance(f3(x.x, x.y - y, x.z), s->radius, normal);
    }
    case VO_RT_TAPERED_CAPSULE:
        return tapered_distance(x, s->radius, s->end_radius, s->half_height, normal);
    case VO_RT_PLANE:
        *normal = f3(0, 1, 0);
        return x.y;
    case VO_RT_BOX:
        return box_distance(x, s->half_extents, normal);
    case VO_RT_HULL:
        return hull_distance(kernels, shape, x, bound, normal);
    case VO_RT_DISTANCE:
        return host_distance(s, x, bound, normal);
    }
    *normal = f3(0, 1, 0);
    return INFINITY;
}

/* --- Casts ------------------------------------------------------------------------------------ */

/* The distance from a convex shape is a convex function along the segment, so Newton's method from
 * the outside never passes the root. A host's function is traced by steps of its value (sphere
 * tracing). */
bool vo_rt_shape_cast(const vo_rt_surface_kernels *kernels, const vo_rt_body_shape *shape,
                      vo_rt_vec3 a, vo_rt_vec3 b, float level, float *t) {
    enum { MAX_STEPS = 96 };
    vo_rt_vec3 d = f3_sub(b, a);
    float length = f3_length(d), at = 0;
    bool is_convex = shape->def.kind != VO_RT_DISTANCE;
    if (!(length > 0)) return false;
    float tolerance = 1e-6f + 1e-6f * f3_length(a) + (is_convex ? 0 : 1e-3f * length);
    for (int i = 0; i < MAX_STEPS; i++) {
        vo_rt_vec3 n;
        float h = vo_rt_shape_distance(kernels, shape, f3_add_scaled(a, at, d), length, &n) - level;
        float slope = f3_dot(n, d);
        if (is_convex && slope >= 0) return false;
        if (h <= tolerance) {
            *t = at;
            return i > 0 || slope < 0;
        }
        float step = f_min(h, length) / length;
        if (is_convex) step = f_max(step, -h / slope);
        at += step;
        if (!(at <= 1)) return false;
    }
    *t = at;
    return true;
}

/* --- Definition ------------------------------------------------------------------------------- */

static bool is_positive(float x) { return x > 0 && x <= 1e6f; }

static vo_result fail_size(int index, const char *member, float value, vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "shapes[%d].%s: is %g; use a length in metres above 0 and at most 1e6", index,
                      member, (double)value);
}

static vo_result check_hull(const vo_rt_shape *s, int index, vo_rt_message *message) {
    if (s->point_count < 4 || s->point_count > VO_RT_MAX_HULL_POINTS || !s->points)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "shapes[%d].point_count: is %d; a hull needs 4 to 256 points", index,
                          s->points ? s->point_count : 0);
    for (int i = 0; i < s->point_count; i++)
        if (!(f3_length(s->points[i]) <= 1e6f))
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "shapes[%d].points[%d]: is (%g, %g, %g); use metres within 1e6",
                              index, i, (double)s->points[i].x, (double)s->points[i].y,
                              (double)s->points[i].z);
    return VO_OK;
}

static vo_result check_distance(const vo_rt_shape *s, int index, vo_rt_message *message) {
    if (!s->distance)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "shapes[%d].distance: is NULL; set a function",
                          index);
    if (!(s->min.x < s->max.x && s->min.y < s->max.y && s->min.z < s->max.z) ||
        !(f3_length(s->min) <= 1e6f) || !(f3_length(s->max) <= 1e6f))
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "shapes[%d].min: is not below max within 1e6 m; set the bounds of the "
                          "distance function",
                          index);
    return VO_OK;
}

static vo_result check_extents(const vo_rt_shape *s, int index, vo_rt_message *message) {
    bool is_round = s->kind == VO_RT_SPHERE || s->kind == VO_RT_CAPSULE;
    if ((is_round || s->kind == VO_RT_TAPERED_CAPSULE) && !is_positive(s->radius))
        return fail_size(index, "radius", s->radius, message);
    if (s->kind == VO_RT_TAPERED_CAPSULE && !is_positive(s->end_radius))
        return fail_size(index, "end_radius", s->end_radius, message);
    if ((s->kind == VO_RT_CAPSULE || s->kind == VO_RT_TAPERED_CAPSULE) &&
        !(s->half_height >= 0 && s->half_height <= 1e6f))
        return fail_size(index, "half_height", s->half_height, message);
    if (s->kind != VO_RT_BOX) return VO_OK;
    if (!is_positive(s->half_extents.x))
        return fail_size(index, "half_extents.x", s->half_extents.x, message);
    if (!is_positive(s->half_extents.y))
        return fail_size(index, "half_extents.y", s->half_extents.y, message);
    if (!is_positive(s->half_extents.z))
        return fail_size(index, "half_extents.z", s->half_extents.z, message);
    return VO_OK;
}

vo_result vo_rt_shape_check(const vo_rt_shape *s, int index, int bone_count,
                            vo_rt_message *message) {
    if ((int)s->kind < VO_RT_SPHERE || s->kind > VO_RT_DISTANCE)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "shapes[%d].kind: is %d; use a value of vo_rt_shape_kind", index,
                          (int)s->kind);
    if (s->bone < -1 || s->bone >= bone_count)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "shapes[%d].bone: is %d; use -1 or a bone below bone_count, %d", index,
                          s->bone, bone_count);
    vo_rt_quat q = s->local.rotation;
    float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(f3_length(s->local.position) <= 1e6f) || !(norm > 1e-6f && norm < 1e6f))
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "shapes[%d].local: is not a position within 1e6 m and a unit quaternion",
                          index);
    if (s->kind == VO_RT_HULL) return check_hull(s, index, message);
    if (s->kind == VO_RT_DISTANCE) return check_distance(s, index, message);
    return check_extents(s, index, message);
}

/* --- Initialisation --------------------------------------------------------------------------- */

static void set_local_bounds(vo_rt_body_shape *shape) {
    const vo_rt_shape *s = &shape->def;
    float r = s->radius, h = s->half_height;
    vo_rt_vec3 half = s->half_extents;
    switch (s->kind) {
    case VO_RT_SPHERE:
        half = f3(r, r, r);
        break;
    case VO_RT_CAPSULE:
        half = f3(r, h + r, r);
        break;
    case VO_RT_TAPERED_CAPSULE:
        r = f_max(r, s->end_radius), half = f3(r, h + r, r);
        break;
    case VO_RT_PLANE:
        half = f3(1e9f, 1e9f, 1e9f);
        break;
    default:
        break;
    }
    shape->local_min = f3_scale(-1, half);
    shape->local_max = half;
    if (s->kind == VO_RT_DISTANCE) {
        shape->local_min = s->min;
        shape->local_max = s->max;
    }
}

/* Builds the surface of a hull in one pose, whose memory follows that of the surface. */
static vo_result init_hull(vo_rt_body_shape *shape, const vo_allocator *allocator,
                           const vo_rt_surface_kernels *kernels, const vo_rt_shape *def, int index,
                           vo_rt_message *message) {
    vo_rt_hull hull;
    vo_result result = vo_rt_hull_build(allocator, def->point_count, def->points, &hull);
    if (result == VO_NO_MEMORY)
        return vo_rt_fail(message, result, "out of memory for shapes[%d]", index);
    if (result != VO_OK)
        return vo_rt_fail(message, result,
                          "shapes[%d].points: are in a plane; a hull needs a volume", index);
    result = vo_rt_surface_init(&shape->hull, allocator, hull.vertex_count, hull.vertex,
                                hull.triangle_count, hull.triangle, message);
    if (result != VO_OK) return result;
    void *memory = allocator->allocate(allocator->user, vo_rt_surface_pose_bytes(&shape->hull),
                                       VO_RT_ALIGNMENT);
    if (!memory) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for shapes[%d]", index);
    shape->hull_pose = vo_rt_surface_pose_set(&shape->hull, memory);
    for (int i = 0; i < shape->hull.vertex_count; i++)
        shape->hull_pose.vertex[i] = shape->hull.bind[i];
    kernels->refit(&shape->hull, shape->hull_pose);
    shape->local_min = shape->local_max = hull.vertex[0];
    for (int i = 1; i < hull.vertex_count; i++) {
        shape->local_min = f3_min(shape->local_min, hull.vertex[i]);
        shape->local_max = f3_max(shape->local_max, hull.vertex[i]);
    }
    return VO_OK;
}

vo_result vo_rt_body_shape_init(vo_rt_body_shape *shape, const vo_allocator *allocator,
                                const vo_rt_surface_kernels *kernels, const vo_rt_shape *def,
                                int index, vo_rt_message *message) {
    *shape = (vo_rt_body_shape){.def = *def};
    shape->def.points = NULL;
    set_local_bounds(shape);
    vo_result result = VO_OK;
    if (def->kind == VO_RT_HULL) result = init_hull(shape, allocator, kernels, def, index, message);
    vo_rt_vec3 center = f3_lerp(shape->local_min, shape->local_max, 0.5f);
    shape->ball = vo_rt_pose_apply(vo_rt_pose_from_transform(def->local), center);
    shape->ball_radius = f3_distance(shape->local_max, center);
    return result;
}

void vo_rt_body_shape_free(vo_rt_body_shape *shape, const vo_allocator *allocator) {
    if (shape->hull_pose.vertex)
        allocator->release(allocator->user, shape->hull_pose.vertex,
                           vo_rt_surface_pose_bytes(&shape->hull));
    vo_rt_surface_free(&shape->hull, allocator);
}
