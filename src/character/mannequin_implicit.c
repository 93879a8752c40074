#include "character/mannequin_implicit.h"

#include "character/mannequin.h"

void vo_implicit_body_finish(vo_implicit_body *body) {
    for (int i = 0; i < body->count; i++) {
        vo_implicit_form_finish(&body->primitive[i].shape);
        for (int g = body->primitive[i].group; g < VO_GROUP_COUNT; g++) body->first[g + 1] = i + 1;
    }
    body->max_blend_radius = body->mirror_blend_radius;
    for (int g = 0; g < VO_GROUP_COUNT; g++)
        body->max_blend_radius = vo_max(body->max_blend_radius, body->limb_blend_radius[g]);
}

static vo_vec3 mirror(vo_vec3 p) { return v3(-p.x, p.y, p.z); }

/* Smooth union of a group; infinity if no primitive matters. */
static double group_value(const vo_implicit_body *body, vo_implicit_group group, vo_vec3 p,
                          double bound) {
    double value = INFINITY;
    for (int i = body->first[group]; i < body->first[group + 1]; i++) {
        const vo_implicit_primitive *primitive = &body->primitive[i];
        value = vo_implicit_form_blend(&primitive->shape, p, bound, value);
        if (primitive->paired)
            value = vo_implicit_form_blend(&primitive->shape, mirror(p), bound, value);
    }
    return value;
}

/* Returns an upper bound of the body's value, except at the soles: the value of a nearby
 * primitive. */
static double upper_bound(const vo_implicit_body *body, vo_vec3 p) {
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < body->count; i++) {
        const vo_implicit_form *shape = &body->primitive[i].shape;
        double power =
            v3_length2(v3_sub(p, shape->bound_centre)) - shape->bound_radius * shape->bound_radius;
        if (power < least) least = power, nearest = i;
    }
    return vo_implicit_form_value(&body->primitive[nearest].shape, p);
}

double vo_implicit_body_value(const void *arg, vo_vec3 p) {
    const vo_implicit_body *body = arg;
    if (p.x < 0) p.x = -p.x;
    double bound = vo_max(upper_bound(body, p), 0) + body->max_blend_radius;
    double value = group_value(body, VO_GROUP_TRUNK, p, bound);
    for (vo_implicit_group g = VO_GROUP_ARM; g <= VO_GROUP_LEG; g++) {
        double limb = group_value(body, g, p, bound),
               other = group_value(body, g, mirror(p), bound);
        value = vo_smooth_min(value, vo_smooth_min(limb, other, body->mirror_blend_radius),
                              body->limb_blend_radius[g]);
    }
    return vo_smooth_max(value, -p.z, body->sole);
}
