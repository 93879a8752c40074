#include "scene/mannequin_form.h"

#include "scene/mannequin.h"

/* The smaller of the two, rounded off where they differ by less than k: the quadratic smooth
 * minimum (Quilez, "Smooth minimum", 2013). */
static double melt(double a, double b, double k) {
    if (isinf(a) || isinf(b)) return vo_min(a, b);
    double h = vo_max(k - fabs(a - b), 0);
    return vo_min(a, b) - (k > 0 ? h * h / (4 * k) : 0);
}

static double cut(double a, double b, double k) { return -melt(-a, -b, k); }

/* Central differences over unequal steps, of all members of a section. */
static vo_section difference(vo_section a, vo_section b) {
    double w = 1 / (b.z - a.z);
    return (vo_section){1,
                        w * (b.x - a.x),
                        w * (b.y - a.y),
                        w * (b.width - a.width),
                        w * (b.front - a.front),
                        w * (b.back - a.back)};
}

static void find_sphere(vo_form *form) {
    if (form->radii.x > 0) {
        form->middle = form->place.translation;
        form->reach = vo_max(form->radii.x, vo_max(form->radii.y, form->radii.z));
        return;
    }
    const vo_section *s = form->section;
    int last = form->section_count - 1;
    vo_vec3 middle = v3(0, 0, 0.5 * (s[0].z + s[last].z));
    form->middle = xf_point(form->place, middle);
    form->reach = 0;
    for (int i = 0; i <= last; i++) {
        double depth = vo_max(s[i].front, s[i].back) + fabs(s[i].y);
        vo_vec3 far = v3(s[i].width + fabs(s[i].x), depth, s[i].z - middle.z);
        form->reach = vo_max(form->reach, v3_length(far));
    }
}

static void find_slopes(vo_form *form) {
    int n = form->section_count;
    for (int i = 0; i < n; i++)
        form->slope[i] = difference(form->section[vo_max_int(i - 1, 0)],
                                    form->section[vo_min_int(i + 1, n - 1)]);
}

void vo_body_form_finish(vo_body_form *body) {
    for (int i = 0; i < body->count; i++) {
        find_slopes(&body->form[i]);
        find_sphere(&body->form[i]);
        for (int g = body->form[i].group; g < VO_FORM_GROUPS; g++) body->first[g + 1] = i + 1;
    }
    body->melt = body->apart;
    for (int g = 0; g < VO_FORM_GROUPS; g++) body->melt = vo_max(body->melt, body->join[g]);
}

/* The section at a height between the first and the last: cubic Hermite curves. */
static vo_section section_at(const vo_form *form, double z) {
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

/* First-order distance (r - 1) / |grad r| to a section, where r mixes the norms of powers 2 and 4
 * of the point in parts of the half sizes. `w` is the same for z: how far into a rounded end of
 * length `cap`. */
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

static double loft_value(const vo_form *form, vo_vec3 p) {
    double low = form->section[0].z, high = form->section[form->section_count - 1].z;
    double into = vo_max(low + form->cap - p.z, p.z - high + form->cap);
    vo_section s = section_at(form, vo_clamp(p.z, low, high));
    return section_distance(&s, form->square, form->cap, p, vo_max(into, 0) / form->cap);
}

/* The same first-order distance for an ellipsoid. */
static double ellipsoid_value(vo_vec3 radii, vo_vec3 p) {
    vo_vec3 q = v3(p.x / radii.x, p.y / radii.y, p.z / radii.z);
    double r = v3_length(q);
    if (r < 1e-6) return -vo_min(radii.x, vo_min(radii.y, radii.z));
    return r * (r - 1) / v3_length(v3(q.x / radii.x, q.y / radii.y, q.z / radii.z));
}

double vo_form_value(const vo_form *form, vo_vec3 p) {
    vo_vec3 local = q_rotate(q_conjugate(form->place.rotation), v3_sub(p, form->place.translation));
    return form->radii.x > 0 ? ellipsoid_value(form->radii, local) : loft_value(form, local);
}

static vo_vec3 mirror(vo_vec3 p) { return v3(-p.x, p.y, p.z); }

/* Outside of the sphere the form's value is no less: estimates are at least half of the distance.
 */
static double least_value(const vo_form *form, vo_vec3 p) {
    return 0.5 * (v3_distance(p, form->middle) - form->reach);
}

/* Melts one form into what there is, unless it is too far away to matter, to that or to a body that
 * is `near`. Deep inside, where only the sign counts, what is left out may be felt. */
static double add(const vo_form *form, vo_vec3 p, double near, double value) {
    if (least_value(form, p) > vo_min(value, near) + form->melt) return value;
    return melt(value, vo_form_value(form, p), form->melt);
}

/* All forms of a group; infinity if none matters. */
static double group_value(const vo_body_form *body, vo_form_group group, vo_vec3 p, double near) {
    double value = INFINITY;
    for (int i = body->first[group]; i < body->first[group + 1]; i++) {
        const vo_form *form = &body->form[i];
        value = add(form, p, near, value);
        if (form->paired) value = add(form, mirror(p), near, value);
    }
    return value;
}

/* No less than the body's value, soles aside: that of a form nearby. */
static double most_value(const vo_body_form *body, vo_vec3 p) {
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < body->count; i++) {
        const vo_form *form = &body->form[i];
        double power = v3_length2(v3_sub(p, form->middle)) - form->reach * form->reach;
        if (power < least) least = power, nearest = i;
    }
    return vo_form_value(&body->form[nearest], p);
}

double vo_body_form_value(const void *arg, vo_vec3 p) {
    const vo_body_form *body = arg;
    if (p.x < 0) p.x = -p.x;
    double near = vo_max(most_value(body, p), 0) + body->melt;
    double value = group_value(body, VO_FORM_TRUNK, p, near);
    for (vo_form_group g = VO_FORM_ARM; g <= VO_FORM_LEG; g++) {
        double limb = group_value(body, g, p, near), other = group_value(body, g, mirror(p), near);
        value = melt(value, melt(limb, other, body->apart), body->join[g]);
    }
    return cut(value, -p.z, body->sole);
}
