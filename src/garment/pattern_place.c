/* Initial placement of flat panels: wrapped around a part of the body, or flat in space. */
#include "garment/pattern_sample.h"

#include <string.h>

static const vo_limb_axis *find_axis(int count, const vo_limb_axis *axis, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(axis[i].name, name) == 0) return &axis[i];
    return NULL;
}

const vo_limb_axis *vo_pattern_find_axis(const vo_pattern *p, const vo_panel_mesh_def *def,
                                         const char *name) {
    const vo_limb_axis *axis = find_axis(def->axis_count, def->axis, name);
    if (!axis) axis = find_axis(p->axis_count, p->axis, name);
    return axis ? axis : find_axis(VO_LIMB_AXES, vo_default_limb_axes, name);
}

/* Cylindrical coordinates around the axis; angle 0 is the front, increasing to the wearer's
 * left. */
static vo_vec3 cylinder_point(const vo_limb_axis *axis, double radius, double angle,
                              double height) {
    vo_vec3 left = v3_cross(axis->direction, axis->front);
    vo_vec3 out = v3_add(v3_scale(cos(angle), axis->front), v3_scale(sin(angle), left));
    return v3_add(axis->origin, v3_add_scaled(v3_scale(height, axis->direction), radius, out));
}

/* Returns the relative length of a circle with n flutes of this relative height. */
static double fluted_length(double flute, int n) {
    enum { SAMPLES = 24 };
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double a = VO_PI * (i + 0.5) / SAMPLES;
        double r = 1 + flute * cos(a), along = flute * n * sin(a);
        sum += sqrt(r * r + along * along);
    }
    return sum / SAMPLES;
}

/* Returns the height of flutes that make the circle `ratio` times longer, by bisection. */
static double flute_height(double ratio, int n) {
    double low = 0, high = 0.95;
    for (int i = 0; i < 30; i++) {
        double middle = 0.5 * (low + high);
        *(fluted_length(middle, n) < ratio ? &low : &high) = middle;
    }
    return low;
}

static vo_vec3 fluted_point(const vo_panel_placement *place, const vo_limb_axis *axis, vo_vec2 d) {
    double r = v2_length(d), turn = atan2(d.x, -d.y), beyond = vo_max(r - place->inner, 0);
    double circle = vo_min(r, place->inner) + beyond * sin(place->slope);
    double flute = circle > 0 ? flute_height(r / circle, place->flutes) : 0;
    circle *= 1 + flute * cos(place->flutes * turn);
    return cylinder_point(axis, circle, place->angle + turn,
                          place->height - beyond * cos(place->slope));
}

vo_vec3 vo_panel_placement_map(const vo_panel_placement *place, const vo_limb_axis *axis,
                               vo_vec2 p) {
    vo_vec2 d = v2_sub(p, place->anchor);
    switch (place->kind) {
    case VO_PLACEMENT_WRAP:
        return cylinder_point(axis, place->radius, place->angle + d.x / place->radius,
                              place->height + d.y);
    case VO_PLACEMENT_CONE: {
        double r = v2_length(d), turn = atan2(d.x, -d.y), s = sin(place->slope);
        vo_vec3 x = place->flutes ? fluted_point(place, axis, d)
                                  : cylinder_point(axis, r * s, place->angle + turn / s,
                                                   place->height - r * cos(place->slope));
        vo_vec3 middle = cylinder_point(axis, place->radius, place->angle, 0);
        return v3_add(x, v3_sub(middle, axis->origin));
    }
    case VO_PLACEMENT_FLAT:
        break;
    }
    return xf_point(place->transform, v3(p.x, p.y, 0));
}
