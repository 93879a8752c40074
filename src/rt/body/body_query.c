/* Queries of bodies, by dispatch to the mesh or the shapes. */
#include "rt/body/body.h"

#include "rt/body/body_private.h"

/* --- Parts ------------------------------------------------------------------------------------ */

vo_rt_pose vo_rt_part_previous(const vo_rt_body *b, int part) {
    return part < 0 ? b->mesh_previous : b->shapes[part].previous;
}

vo_rt_pose vo_rt_part_current(const vo_rt_body *b, int part) {
    return part < 0 ? b->mesh_current : b->shapes[part].current;
}

void vo_rt_part_bounds(const vo_rt_body *b, int part, vo_rt_vec3 *min, vo_rt_vec3 *max) {
    *min = part < 0 ? b->mesh_min : b->shapes[part].min;
    *max = part < 0 ? b->mesh_max : b->shapes[part].max;
}

/* 1 / duration of the motion between the previous and the current pose, 1/s; 0: no motion. */
static float inverse_span(const vo_rt_body *b) {
    float span = (b->s - b->s_previous) * b->duration;
    return span > 1e-9f ? 1 / span : 0;
}

/* Velocity of the point of a rigid part that is at `local` in its frame. */
static vo_rt_vec3 rigid_velocity(const vo_rt_body *b, int part, vo_rt_vec3 local) {
    vo_rt_vec3 from = vo_rt_pose_apply(vo_rt_part_previous(b, part), local);
    vo_rt_vec3 to = vo_rt_pose_apply(vo_rt_part_current(b, part), local);
    return f3_scale(inverse_span(b), f3_sub(to, from));
}

/* Displacement of a point of a deforming triangle. */
static vo_rt_vec3 triangle_displacement(const vo_rt_body *b, int32_t slot, const float weight[3]) {
    const vo_rt_vec4 *from = b->pose[b->previous].vertex, *to = b->pose[b->current].vertex;
    vo_rt_vec3 d = f3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        int32_t v = vo_rt_surface_corner(&b->surface, slot, k);
        d = f3_add_scaled(d, weight[k], f3_sub(f4_xyz(to[v]), f4_xyz(from[v])));
    }
    return d;
}

/* Converts a hit in the mesh's frame. */
static void set_mesh_point(const vo_rt_body *b, const vo_rt_surface_hit *hit,
                           vo_rt_surface_point *out) {
    out->normal = hit->normal;
    out->point = hit->point;
    if (b->mesh_kind == VO_RT_MESH_RIGID) {
        out->normal = fq_rotate(b->mesh_current.rotation, hit->normal);
        out->point = vo_rt_pose_apply(b->mesh_current, hit->point);
        out->velocity = rigid_velocity(b, VO_RT_PART_MESH, hit->point);
    } else {
        out->velocity = b->is_deforming ? f3_scale(inverse_span(b),
                                                   triangle_displacement(b, hit->slot, hit->weight))
                                        : f3(0, 0, 0);
    }
    out->point = f3_add_scaled(out->point, b->offset, out->normal);
    out->distance = hit->distance - b->offset;
    out->feature = hit->slot;
    out->shape = 0;
}

vo_rt_vec3 vo_rt_part_to_frame(const vo_rt_body *b, vo_rt_vec3 x) {
    return b->mesh_kind == VO_RT_MESH_RIGID ? vo_rt_pose_apply_inverse(b->mesh_current, x) : x;
}

static bool is_in_bounds(vo_rt_vec3 x, vo_rt_vec3 min, vo_rt_vec3 max) {
    return x.x >= min.x && x.x <= max.x && x.y >= min.y && x.y <= max.y && x.z >= min.z &&
           x.z <= max.z;
}

static bool find_nearest_mesh(const vo_rt_body *b, vo_rt_vec3 x, float radius, int32_t hint,
                              bool is_deep, vo_rt_surface_point *out) {
    vo_rt_surface_hit hit;
    vo_rt_surface_pose pose = b->pose[b->current];
    vo_rt_vec3 local = vo_rt_part_to_frame(b, x);
    float reach = f_max(radius + b->offset, 0);
    if (hint >= b->surface.leaf_count * VO_RT_WIDTH) hint = -1;
    bool found =
        vo_rt_surface_find_nearest(b->kernels, &b->surface, pose, local, reach * reach, hint, &hit);
    if (!found && is_deep && is_in_bounds(x, b->mesh_min, b->mesh_max))
        found = vo_rt_surface_find_nearest(b->kernels, &b->surface, pose, local, INFINITY, hint,
                                           &hit) &&
                hit.distance < 0;
    if (!found || !(hit.distance - b->offset < radius)) return false;
    set_mesh_point(b, &hit, out);
    return true;
}

static bool find_nearest_shape(const vo_rt_body *b, int part, vo_rt_vec3 x, float radius,
                               vo_rt_surface_point *out) {
    const vo_rt_body_shape *shape = &b->shapes[part];
    vo_rt_pose pose = shape->current;
    if (!(pose.scale > 1e-6f)) return false;
    vo_rt_vec3 local = vo_rt_pose_apply_inverse(pose, x), normal;
    float reach = f_max(radius + b->offset, 0) / pose.scale;
    float d = vo_rt_shape_distance(b->kernels, shape, local, reach, &normal);
    float distance = d * pose.scale - b->offset;
    if (!(distance < radius)) return false;
    out->normal = fq_rotate(pose.rotation, normal);
    out->point = f3_add_scaled(x, -distance, out->normal);
    out->distance = distance;
    out->velocity = rigid_velocity(b, part, f3_add_scaled(local, -d, normal));
    out->feature = out->shape = part;
    return true;
}

bool vo_rt_part_find_nearest(const vo_rt_body *b, int part, vo_rt_vec3 x, float radius,
                             int32_t hint, bool is_deep, vo_rt_surface_point *out) {
    if (!f3_is_finite(x)) return false;
    return part < 0 ? find_nearest_mesh(b, x, radius, hint, is_deep, out)
                    : find_nearest_shape(b, part, x, radius, out);
}

bool vo_rt_part_walk(const vo_rt_body *b, vo_rt_vec3 x, int32_t hint, int32_t home,
                     vo_rt_surface_point *out) {
    vo_rt_surface_hit hit;
    if (hint < 0 || hint >= b->surface.leaf_count * VO_RT_WIDTH || home < 0 ||
        home >= b->surface.leaf_count || !f3_is_finite(x))
        return false;
    if (!vo_rt_surface_walk(&b->surface, b->pose[b->current].vertex, hint,
                            vo_rt_part_to_frame(b, x), &hit) ||
        !vo_rt_surface_is_home(&b->surface, hit.slot / VO_RT_WIDTH, home))
        return false;
    set_mesh_point(b, &hit, out);
    return true;
}

void vo_rt_part_prefetch(const vo_rt_body *b, int32_t slot, bool vertices) {
    if (!vertices) {
        const char *corner = (const char *)b->surface.corner[slot / VO_RT_WIDTH];
        __builtin_prefetch(corner);
        __builtin_prefetch(corner + 64);
        return;
    }
    for (int k = 0; k < 3; k++) {
        int32_t v = vo_rt_surface_corner(&b->surface, slot, k);
        __builtin_prefetch(&b->pose[b->current].vertex[v]);
        if (b->is_deforming) __builtin_prefetch(&b->pose[b->previous].vertex[v]);
    }
}

float vo_rt_part_clearance(const vo_rt_body *b, vo_rt_vec3 x, int32_t home, float limit) {
    if (!f3_is_finite(x)) return 0;
    return b->kernels->find_clearance(&b->surface, b->pose[b->current], vo_rt_part_to_frame(b, x),
                                      home, limit);
}

float vo_rt_part_motion(const vo_rt_body *b) {
    return b->is_deforming ? b->mesh_speed * b->duration * (b->s - b->s_previous) : 0;
}

static bool cast_mesh(const vo_rt_body *b, vo_rt_vec3 from, vo_rt_vec3 to, float level, float *t,
                      vo_rt_surface_point *out) {
    vo_rt_surface_hit hit;
    if (!vo_rt_surface_cast(&b->surface, b->pose[b->current], vo_rt_part_to_frame(b, from),
                            vo_rt_part_to_frame(b, to), level, t, &hit))
        return false;
    set_mesh_point(b, &hit, out);
    return true;
}

static bool cast_shape(const vo_rt_body *b, int part, vo_rt_vec3 from, vo_rt_vec3 to, float level,
                       float *t, vo_rt_surface_point *out) {
    vo_rt_pose pose = b->shapes[part].current;
    if (!(pose.scale > 1e-6f)) return false;
    if (!vo_rt_shape_cast(b->kernels, &b->shapes[part], vo_rt_pose_apply_inverse(pose, from),
                          vo_rt_pose_apply_inverse(pose, to), level / pose.scale, t))
        return false;
    return find_nearest_shape(b, part, f3_lerp(from, to, *t), INFINITY, out);
}

bool vo_rt_part_cast(const vo_rt_body *b, int part, vo_rt_vec3 from, vo_rt_vec3 to, float level,
                     float *t, vo_rt_surface_point *out) {
    if (!f3_is_finite(from) || !f3_is_finite(to)) return false;
    return part < 0 ? cast_mesh(b, from, to, level, t, out)
                    : cast_shape(b, part, from, to, level, t, out);
}

vo_rt_vec3 vo_rt_part_carry_from(const vo_rt_body *b, int part, vo_rt_pose from, vo_rt_vec3 x) {
    if (!(from.scale > 1e-6f)) return x;
    return vo_rt_pose_apply(vo_rt_part_current(b, part), vo_rt_pose_apply_inverse(from, x));
}

vo_rt_vec3 vo_rt_part_carry(const vo_rt_body *b, int part, int32_t feature, vo_rt_vec3 x) {
    if (vo_rt_part_is_rigid(b, part))
        return vo_rt_part_carry_from(b, part, vo_rt_part_previous(b, part), x);
    if (!b->is_deforming || feature < 0 || feature >= b->surface.leaf_count * VO_RT_WIDTH) return x;
    const vo_rt_vec4 *from = b->pose[b->previous].vertex, *to = b->pose[b->current].vertex;
    vo_rt_vec3 d[3];
    for (int k = 0; k < 3; k++) {
        int32_t v = vo_rt_surface_corner(&b->surface, feature, k);
        d[k] = f3_sub(f4_xyz(to[v]), f4_xyz(from[v]));
    }
    /* The mean is precise enough unless the triangle turns or stretches a lot. */
    float spread = f3_length2(f3_sub(d[1], d[0])) + f3_length2(f3_sub(d[2], d[0]));
    if (spread < 1e-6f) return f3_add_scaled(x, 1.0f / 3, f3_add(f3_add(d[0], d[1]), d[2]));
    vo_rt_surface_hit hit;
    vo_rt_surface_evaluate(&b->surface, from, feature, x, &hit);
    return f3_add(x, triangle_displacement(b, feature, hit.weight));
}

int32_t vo_rt_part_find_previous(const vo_rt_body *b, int part, vo_rt_vec3 x, float radius) {
    if (part >= 0 || !b->is_deforming || !f3_is_finite(x)) return -1;
    float bound2 = radius * radius;
    return b->kernels->find_nearest(&b->surface, b->pose[b->previous], x, -1, &bound2);
}

/* --- Bodies ----------------------------------------------------------------------------------- */

/* Range of parts that a query uses: the mesh alone, or all shapes. */
static void get_parts(const vo_rt_body *b, bool use_shapes, int *begin, int *end) {
    bool shapes = vo_rt_body_uses_shapes(b, use_shapes);
    *begin = shapes ? 0 : VO_RT_PART_MESH;
    *end = shapes ? b->shape_count : b->mesh_kind == VO_RT_MESH_NONE ? VO_RT_PART_MESH : 0;
}

bool vo_rt_body_find_nearest(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x, float radius,
                             int32_t hint, vo_rt_surface_point *out) {
    int begin, end;
    bool found = false;
    get_parts(body, use_shapes, &begin, &end);
    for (int part = begin; part < end; part++)
        if (vo_rt_part_find_nearest(body, part, x, radius, hint, true, out)) {
            radius = out->distance;
            found = true;
        }
    return found;
}

bool vo_rt_body_contains(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x) {
    vo_rt_surface_point p;
    return vo_rt_body_find_nearest(body, use_shapes, x, -body->offset, -1, &p);
}

bool vo_rt_body_cast(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 a, vo_rt_vec3 b, float *t,
                     vo_rt_surface_point *out) {
    int begin, end;
    bool found = false;
    vo_rt_surface_point hit;
    if (vo_rt_body_find_nearest(body, use_shapes, a, 0, -1, &hit)) return false;
    get_parts(body, use_shapes, &begin, &end);
    for (int part = begin; part < end; part++) {
        float at;
        if (vo_rt_part_cast(body, part, a, b, body->offset, &at, &hit) && (!found || at < *t)) {
            *t = at;
            *out = hit;
            found = true;
        }
    }
    return found;
}

bool vo_rt_body_find_exit(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x, vo_rt_vec3 d,
                          float length, vo_rt_surface_point *out) {
    float t;
    if (!vo_rt_body_find_nearest(body, use_shapes, x, 0, -1, out)) return false;
    /* The last exit is the first entry from the far end. */
    if (!vo_rt_body_cast(body, use_shapes, f3_add_scaled(x, length, d), x, &t, out)) return false;
    out->distance = -(1 - t) * length;
    return true;
}
