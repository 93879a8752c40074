#include "mesh/implicit.h"

double vo_smooth_min(double a, double b, double k) {
    if (isinf(a) || isinf(b)) return vo_min(a, b);
    double h = vo_max(k - fabs(a - b), 0);
    return vo_min(a, b) - (k > 0 ? h * h / (4 * k) : 0);
}

double vo_smooth_max(double a, double b, double k) { return -vo_smooth_min(-a, -b, k); }

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

static void find_bound(vo_implicit_form *form) {
    if (form->radii.x > 0) {
        form->bound_centre = form->placement.translation;
        form->bound_radius = vo_max(form->radii.x, vo_max(form->radii.y, form->radii.z));
        return;
    }
    const vo_section *s = form->section;
    int last = form->section_count - 1;
    vo_vec3 middle = v3(0, 0, 0.5 * (s[0].z + s[last].z));
    form->bound_centre = xf_point(form->placement, middle);
    form->bound_radius = 0;
    for (int i = 0; i <= last; i++) {
        double depth = vo_max(s[i].front, s[i].back) + fabs(s[i].y);
        vo_vec3 far = v3(s[i].width + fabs(s[i].x), depth, s[i].z - middle.z);
        form->bound_radius = vo_max(form->bound_radius, v3_length(far));
    }
}

static void find_slopes(vo_implicit_form *form) {
    int n = form->section_count;
    for (int i = 0; i < n; i++)
        form->slope[i] = difference(form->section[vo_max_int(i - 1, 0)],
                                    form->section[vo_min_int(i + 1, n - 1)]);
}

void vo_implicit_form_finish(vo_implicit_form *form) {
    find_slopes(form);
    find_bound(form);
}

/* Evaluates the section at a height between the first and the last: cubic Hermite curves. */
static vo_section section_at(const vo_implicit_form *form, double z) {
    const vo_section *s = form->section, *d = form->slope;
    int i = 0;
    while (i + 2 < form->section_count && z > s[i + 1].z) i++;
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

static double loft_value(const vo_implicit_form *form, vo_vec3 p) {
    double low = form->section[0].z, high = form->section[form->section_count - 1].z;
    double into = vo_max(low + form->cap - p.z, p.z - high + form->cap);
    vo_section s = section_at(form, vo_clamp(p.z, low, high));
    return section_distance(&s, form->square, form->cap, p, vo_max(into, 0) / form->cap);
}

/* First-order distance to an ellipsoid. */
static double ellipsoid_value(vo_vec3 radii, vo_vec3 p) {
    vo_vec3 q = v3(p.x / radii.x, p.y / radii.y, p.z / radii.z);
    double r = v3_length(q);
    if (r < 1e-6) return -vo_min(radii.x, vo_min(radii.y, radii.z));
    return r * (r - 1) / v3_length(v3(q.x / radii.x, q.y / radii.y, q.z / radii.z));
}

double vo_implicit_form_value(const vo_implicit_form *form, vo_vec3 p) {
    vo_vec3 local =
        q_rotate(q_conjugate(form->placement.rotation), v3_sub(p, form->placement.translation));
    return form->radii.x > 0 ? ellipsoid_value(form->radii, local) : loft_value(form, local);
}

/* Returns a lower bound of the value outside the bounding sphere: estimates are at least half of
 * the distance. */
static double lower_bound(const vo_implicit_form *form, vo_vec3 p) {
    return 0.5 * (v3_distance(p, form->bound_centre) - form->bound_radius);
}

double vo_implicit_form_blend(const vo_implicit_form *form, vo_vec3 p, double bound, double value) {
    if (lower_bound(form, p) > vo_min(value, bound) + form->blend_radius) return value;
    return vo_smooth_min(value, vo_implicit_form_value(form, p), form->blend_radius);
}
