/* Checks of definitions and of the arguments of setters. */
#include "rt/world/world.h"

#define TRY(call)                   \
    do {                            \
        vo_result r_ = (call);      \
        if (r_ != VO_OK) return r_; \
    } while (0)

bool vo_rt_is_coordinate(vo_rt_vec3 a) {
    const float m = VO_RT_MAX_COORDINATE;
    return fabsf(a.x) <= m && fabsf(a.y) <= m && fabsf(a.z) <= m;
}

vo_result vo_rt_check_range(vo_rt_message *message, const char *name, float value, float low,
                            float high) {
    if (value >= low && value <= high) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is %g; use a value from %g to %g", name,
                      (double)value, (double)low, (double)high);
}

static vo_result check_vector(vo_rt_message *message, const char *name, vo_rt_vec3 a) {
    if (vo_rt_is_coordinate(a)) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "%s is (%g, %g, %g); use finite values of at most %g", name, (double)a.x,
                      (double)a.y, (double)a.z, (double)VO_RT_MAX_COORDINATE);
}

static vo_result check_int(vo_rt_message *message, const char *name, int value, int low, int high) {
    if (value >= low && value <= high) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is %d; use a value from %d to %d", name, value,
                      low, high);
}

vo_result vo_rt_check_transform(vo_rt_transform *t, vo_rt_message *message) {
    TRY(check_vector(message, "transform.position", t->position));
    vo_rt_quat q = t->rotation;
    float length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(length2 > 0.25f && length2 < 4))
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "transform.rotation is (%g, %g, %g, %g); use a unit quaternion",
                          (double)q.x, (double)q.y, (double)q.z, (double)q.w);
    float s = 1 / sqrtf(length2);
    t->rotation = (vo_rt_quat){s * q.x, s * q.y, s * q.z, s * q.w};
    return VO_OK;
}

vo_result vo_rt_check_adaption(const vo_rt_adaption *a, vo_rt_message *message) {
    TRY(vo_rt_check_range(message, "adaption.max_angle", a->max_angle, 1e-3f, 4));
    TRY(vo_rt_check_range(message, "adaption.max_deviation", a->max_deviation, 1e-6f, 1e3f));
    TRY(vo_rt_check_range(message, "adaption.max_length", a->max_length, 0, 1e3f));
    TRY(vo_rt_check_range(message, "adaption.min_length", a->min_length, 0, 1e3f));
    TRY(vo_rt_check_range(message, "adaption.proximity", a->proximity, 0, 1e3f));
    TRY(vo_rt_check_range(message, "adaption.join_ratio", a->join_ratio, 0, 1));
    TRY(check_int(message, "adaption.join_wait", a->join_wait, 0, 200));
    return check_int(message, "adaption.tie_rule", (int)a->tie_rule, 0, VO_RT_TIE_CURVATURE);
}

vo_result vo_rt_check_world_def(const vo_rt_world_def *d, vo_rt_message *message) {
    if (!d->allocator.allocate || !d->allocator.release)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "allocator is not set; the world needs the functions of the host");
    TRY(check_int(message, "threads", d->threads, 1, 256));
    TRY(check_int(message, "max_cloths", d->max_cloths, 1, 1 << 20));
    TRY(check_int(message, "max_bodies", d->max_bodies, 1, INT16_MAX));
    TRY(check_int(message, "minor_per_major", d->minor_per_major, 1, 1000));
    TRY(check_int(message, "substeps", d->substeps, 1, 64));
    TRY(check_int(message, "max_steps_per_call", d->max_steps_per_call, 1, 1000));
    TRY(check_int(message, "max_contact_events", d->max_contact_events, 0, 1 << 20));
    TRY(check_vector(message, "gravity", d->gravity));
    TRY(vo_rt_check_range(message, "minor_rate", d->minor_rate, 30, 1000));
    TRY(vo_rt_check_range(message, "max_speed", d->max_speed, 0.1f, 1e4f));
    TRY(vo_rt_check_range(message, "lod.edge_pixels", d->lod.edge_pixels, 0, 1e5f));
    TRY(vo_rt_check_range(message, "lod.margin", d->lod.margin, 0, 10));
    TRY(vo_rt_check_range(message, "lod.far_distance", d->lod.far_distance, 0, 1e6f));
    TRY(check_int(message, "lod.far_rate_divisor", d->lod.far_rate_divisor, 1, 8));
    TRY(check_int(message, "budget_mode", (int)d->budget_mode, 0, VO_RT_BUDGET_CLOCK));
    if (d->budget_mode == VO_RT_BUDGET_NONE) return VO_OK;
    return vo_rt_check_range(message, "budget_ms", d->budget_ms, 1e-3f, 1e4f);
}

vo_result vo_rt_check_cloth_def(const vo_rt_cloth_def *d, vo_rt_message *message) {
    if (!d->asset) return vo_rt_fail(message, VO_BAD_ARGUMENT, "asset is NULL; set it");
    TRY(vo_rt_check_adaption(&d->adaption, message));
    TRY(check_int(message, "solver", (int)d->solver, 0, VO_RT_SOLVER_VERLET));
    TRY(check_int(message, "min_level", d->min_level, 0, VO_RT_MAX_LEVEL));
    TRY(check_int(message, "max_level", d->max_level, d->min_level, VO_RT_MAX_LEVEL));
    TRY(vo_rt_check_range(message, "stretch_limit", d->stretch_limit, 0.001f, 10));
    TRY(vo_rt_check_range(message, "compression", d->compression, 0, 1));
    TRY(vo_rt_check_range(message, "sleep_speed", d->sleep_speed, 0, 100));
    TRY(vo_rt_check_range(message, "self_thickness", d->self_thickness, 0, 0.1f));
    TRY(check_int(message, "layer", d->layer, -1000, 1000));
    TRY(vo_rt_check_range(message, "linear_inertia", d->linear_inertia, 0, 1));
    TRY(vo_rt_check_range(message, "angular_inertia", d->angular_inertia, 0, 1));
    return vo_rt_check_range(message, "centrifugal_inertia", d->centrifugal_inertia, 0, 1);
}

/* A stride of 0 means packed. */
static vo_result check_stride(vo_rt_message *message, const char *name, const void *buffer,
                              size_t stride, size_t least) {
    if (!buffer || stride == 0 || stride >= least) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "output.%s is %u bytes; use 0, or at least %u",
                      name, (unsigned)stride, (unsigned)least);
}

vo_result vo_rt_check_output(vo_rt_message *message, const vo_rt_output *o) {
    if (!o) return vo_rt_fail(message, VO_BAD_ARGUMENT, "output is NULL; pass the buffers");
    const struct {
        const char *name;
        const void *buffer;
        size_t stride, least;
    } member[] = {
        {"position_stride", o->positions, o->position_stride, sizeof(vo_rt_vec3)},
        {"normal_stride", o->normals, o->normal_stride, sizeof(vo_rt_vec3)},
        {"tangent_stride", o->tangents, o->tangent_stride, sizeof(vo_rt_vec4)},
        {"previous_stride", o->previous_positions, o->previous_stride, sizeof(vo_rt_vec3)}};
    vo_result result = VO_OK;
    for (size_t i = 0; i < sizeof member / sizeof *member && result == VO_OK; i++)
        result = check_stride(message, member[i].name, member[i].buffer, member[i].stride,
                              member[i].least);
    return result;
}
