#include "character/mannequin_implicit.h"

#include "character/mannequin.h"

/* Quadratic smooth minimum with blend radius k (Quilez, "Smooth minimum", 2013). */
static double smooth_min(double a, double b, double k) {
    if (isinf(a) || isinf(b)) return vo_min(a, b);
    double h = vo_max(k - fabs(a - b), 0);
    return vo_min(a, b) - (k > 0 ? h * h / (4 * k) : 0);
}

static double smooth_max(double a, double b, double k) { return -smooth_min(-a, -b, k); }

/* Difference quotient of all members of a section. */
static vo_section difference(vo_section a, vo_section b) {
    double w = 1 / (b.z - a.z);
    return (vo_section){1,
                        w * (b.x - a.x),
                        w * (b.y - a.y),
                        w * (b.width - a.width),
                        w * (b.front - a.front),
                        w * (b.back - a.back)};
}

static void find_sphere(vo_implicit_primitive *primitive) {
    if (primitive->radii.x > 0) {
        primitive->bound_centre = primitive->placement.translation;
        primitive->bound_radius =
            vo_max(primitive->radii.x, vo_max(primitive->radii.y, primitive->radii.z));
        return;
    }
    const vo_section *s = primitive->section;
    int last = primitive->section_count - 1;
    vo_vec3 middle = v3(0, 0, 0.5 * (s[0].z + s[last].z));
    primitive->bound_centre = xf_point(primitive->placement, middle);
    primitive->bound_radius = 0;
    for (int i = 0; i <= last; i++) {
        double depth = vo_max(s[i].front, s[i].back) + fabs(s[i].y);
        vo_vec3 far = v3(s[i].width + fabs(s[i].x), depth, s[i].z - middle.z);
        primitive->bound_radius = vo_max(primitive->bound_radius, v3_length(far));
    }
}

static void find_slopes(vo_implicit_primitive *primitive) {
    int n = primitive->section_count;
    for (int i = 0; i < n; i++)
        primitive->slope[i] = difference(primitive->section[vo_max_int(i - 1, 0)],
                                         primitive->section[vo_min_int(i + 1, n - 1)]);
}

void vo_implicit_body_finish(vo_implicit_body *body) {
    for (int i = 0; i < body->count; i++) {
        find_slopes(&body->primitive[i]);
        find_sphere(&body->primitive[i]);
        for (int g = body->primitive[i].group; g < VO_GROUP_COUNT; g++) body->first[g + 1] = i + 1;
    }
    body->max_blend_radius = body->mirror_blend_radius;
    for (int g = 0; g < VO_GROUP_COUNT; g++)
        body->max_blend_radius = vo_max(body->max_blend_radius, body->limb_blend_radius[g]);
}

/* Evaluates the section at a height between the first and the last: cubic Hermite curves. */
static vo_section section_at(const vo_implicit_primitive *primitive, double z) {
    const vo_section *s = primitive->section, *d = primitive->slope;
    int i = 0;
    while (i + 2 < primitive->section_count && z > s[i + 1].z) i++;
    double span = s[i + 1].z - s[i].z, t = vo_clamp((z - s[i].z) / span, 0, 1);
    double b = t * t * (3 - 2 * t), a = 1 - b;
    double c = t * (1 - t) * (1 - t) * span, e = -t * t * (1 - t) * span;
#define MIX(part) (a * s[i].part + b * s[i + 1].part + c * d[i].part + e * d[i + 1].part)
    return (vo_section){z, MIX(x), MIX(y), MIX(width), MIX(front), MIX(back)};
#undef MIX
}

/* First-order distance (r - 1) / |grad r| to a section, where r is a mean of the 2-norm and the
 * 4-norm of the point relative to the half sizes. `w` is the relative position within a rounded end
 * of length `cap`. */
static double section_distance(const vo_section *s, double square, double cap, vo_vec3 p,
                               double w) {
    double width = s->width, depth = p.y < s->y ? s->front : s->back;
    double u = (p.x - s->x) / width, v = (p.y - s->y) / depth;
    double u2 = u * u, v2 = v * v, w2 = w * w;
    double r2 = sqrt(u2 + v2 + w2), r4 = sqrt(sqrt(u2 * u2 + v2 * v2 + w2 * w2));
    if (r2 < 1e-6) return -vo_min(width, depth);
    double a = (1 - square) / r2, b = square / (r4 * r4 * r4);
    vo_vec3 slope = v3((a + b * u2) * u / width, (a + b * v2) * v / depth, (a + b * w2) * w / cap);
    return ((1 - square) * r2 + square * r4 - 1) / v3_length(slope);
}

static double loft_value(const vo_implicit_primitive *primitive, vo_vec3 p) {
    double low = primitive->section[0].z, high = primitive->section[primitive->section_count - 1].z;
    double into = vo_max(low + primitive->cap - p.z, p.z - high + primitive->cap);
    vo_section s = section_at(primitive, vo_clamp(p.z, low, high));
    return section_distance(&s, primitive->square, primitive->cap, p,
                            vo_max(into, 0) / primitive->cap);
}

/* First-order distance to an ellipsoid. */
static double ellipsoid_value(vo_vec3 radii, vo_vec3 p) {
    vo_vec3 q = v3(p.x / radii.x, p.y / radii.y, p.z / radii.z);
    double r = v3_length(q);
    if (r < 1e-6) return -vo_min(radii.x, vo_min(radii.y, radii.z));
    return r * (r - 1) / v3_length(v3(q.x / radii.x, q.y / radii.y, q.z / radii.z));
}

double vo_implicit_primitive_value(const vo_implicit_primitive *primitive, vo_vec3 p) {
    vo_vec3 local = q_rotate(q_conjugate(primitive->placement.rotation),
                             v3_sub(p, primitive->placement.translation));
    return primitive->radii.x > 0 ? ellipsoid_value(primitive->radii, local)
                                  : loft_value(primitive, local);
}

static vo_vec3 mirror(vo_vec3 p) { return v3(-p.x, p.y, p.z); }

/* Returns a lower bound of the value outside the bounding sphere: estimates are at least half of
 * the distance. */
static double lower_bound(const vo_implicit_primitive *primitive, vo_vec3 p) {
    return 0.5 * (v3_distance(p, primitive->bound_centre) - primitive->bound_radius);
}

/* Smooth union of a primitive and `value`. Skips primitives that are too far away to affect the
 * result near the surface (`near` bounds it); deep inside, where only the sign matters, the value
 * may be inexact. */
static double blend_primitive(const vo_implicit_primitive *primitive, vo_vec3 p, double bound,
                              double value) {
    if (lower_bound(primitive, p) > vo_min(value, bound) + primitive->blend_radius) return value;
    return smooth_min(value, vo_implicit_primitive_value(primitive, p), primitive->blend_radius);
}

/* Smooth union of a group; infinity if no primitive matters. */
static double group_value(const vo_implicit_body *body, vo_implicit_group group, vo_vec3 p,
                          double bound) {
    double value = INFINITY;
    for (int i = body->first[group]; i < body->first[group + 1]; i++) {
        const vo_implicit_primitive *primitive = &body->primitive[i];
        value = blend_primitive(primitive, p, bound, value);
        if (primitive->paired) value = blend_primitive(primitive, mirror(p), bound, value);
    }
    return value;
}

/* Returns an upper bound of the body's value, except at the soles: the value of a nearby
 * primitive. */
static double upper_bound(const vo_implicit_body *body, vo_vec3 p) {
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < body->count; i++) {
        const vo_implicit_primitive *primitive = &body->primitive[i];
        double power = v3_length2(v3_sub(p, primitive->bound_centre)) -
                       primitive->bound_radius * primitive->bound_radius;
        if (power < least) least = power, nearest = i;
    }
    return vo_implicit_primitive_value(&body->primitive[nearest], p);
}

double vo_implicit_body_value(const void *arg, vo_vec3 p) {
    const vo_implicit_body *body = arg;
    if (p.x < 0) p.x = -p.x;
    double bound = vo_max(upper_bound(body, p), 0) + body->max_blend_radius;
    double value = group_value(body, VO_GROUP_TRUNK, p, bound);
    for (vo_implicit_group g = VO_GROUP_ARM; g <= VO_GROUP_LEG; g++) {
        double limb = group_value(body, g, p, bound),
               other = group_value(body, g, mirror(p), bound);
        value = smooth_min(value, smooth_min(limb, other, body->mirror_blend_radius),
                           body->limb_blend_radius[g]);
    }
    return smooth_max(value, -p.z, body->sole);
}
