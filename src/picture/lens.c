#include "picture/lens.h"

static const double MARGIN = 0.88;

vo_vec3 vo_lens_direction(const vo_lens *l, double x, double y) {
    double a = (2 * x / l->width - 1) * l->tan_x, b = (1 - 2 * y / l->height) * l->tan_y;
    return v3_normalize(v3_add_scaled(v3_add_scaled(l->forward, a, l->right), b, l->up));
}

bool vo_lens_project(const vo_lens *l, vo_vec3 point, vo_vec2 *out) {
    vo_vec3 d = v3_sub(point, l->eye);
    double depth = v3_dot(d, l->forward);
    if (!(depth > 0)) return false;
    double a = v3_dot(d, l->right) / (depth * l->tan_x), b = v3_dot(d, l->up) / (depth * l->tan_y);
    *out = v2((a + 1) * l->width / 2, (1 - b) * l->height / 2);
    return true;
}

double vo_lens_pixel(const vo_lens *l) { return 2 * l->tan_x / l->width; }

/* Two directions on the ground that make a right-handed frame with up: at azimuth 0 the eye looks
 * along the second. */
static void ground_axes(vo_vec3 up, vo_vec3 *right, vo_vec3 *ahead) {
    vo_vec3 hint = fabs(up.y) > 0.5 ? v3(0, 0, -up.y) : v3(0, 1, 0);
    *right = v3_normalize(v3_cross(hint, up));
    *ahead = v3_cross(up, *right);
}

/* The eye goes around to the right and up; it looks back at the middle. */
static void turn(const vo_lens_def *def, vo_lens *lens) {
    double a = def->azimuth * VO_PI / 180, e = def->elevation * VO_PI / 180;
    vo_vec3 right, ahead;
    ground_axes(def->up, &right, &ahead);
    vo_vec3 level = v3_add(v3_scale(-sin(a), right), v3_scale(cos(a), ahead));
    lens->right = v3_add(v3_scale(cos(a), right), v3_scale(sin(a), ahead));
    lens->forward = v3_add(v3_scale(cos(e), level), v3_scale(-sin(e), def->up));
    lens->up = v3_cross(lens->right, lens->forward);
}

vo_fit vo_fit_begin(const vo_lens_def *def) {
    vo_fit fit = {.margin = MARGIN, .zoom = def->zoom};
    vo_lens *l = &fit.lens;
    double longer = tan(def->field * VO_PI / 360);
    int pixels = vo_max_int(def->width, def->height);
    l->width = def->width;
    l->height = def->height;
    l->tan_x = longer * def->width / pixels;
    l->tan_y = longer * def->height / pixels;
    turn(def, l);
    return fit;
}

/* Sine and cosine of the angle that is to be filled. */
static void filled(double tangent, double *s, double *c) {
    *c = 1 / sqrt(1 + tangent * tangent);
    *s = tangent * *c;
}

void vo_fit_add(vo_fit *fit, vo_vec3 point) {
    const vo_lens *l = &fit->lens;
    double s, c, x = v3_dot(point, l->right), y = v3_dot(point, l->up);
    double z = v3_dot(point, l->forward), value[4];
    filled(l->tan_x * fit->margin, &s, &c);
    value[0] = c * x - s * z;
    value[1] = -c * x - s * z;
    filled(l->tan_y * fit->margin, &s, &c);
    value[2] = c * y - s * z;
    value[3] = -c * y - s * z;
    for (int i = 0; i < 4; i++)
        fit->support[i] = fit->any ? vo_max(fit->support[i], value[i]) : value[i];
    fit->near = fit->any ? vo_min(fit->near, z) : z;
    fit->far = fit->any ? vo_max(fit->far, z) : z;
    fit->any = true;
}

/* Along one axis of the picture: how far forward the eye can go, and where it is across. */
static double meet(double tangent, const double support[2], double *across) {
    double s, c;
    filled(tangent, &s, &c);
    *across = (support[0] - support[1]) / (2 * c);
    return -(support[0] + support[1]) / (2 * s);
}

vo_lens vo_fit_end(const vo_fit *fit) {
    vo_lens l = fit->lens;
    double x, y;
    double z = vo_min(meet(l.tan_x * fit->margin, fit->support, &x),
                      meet(l.tan_y * fit->margin, fit->support + 2, &y));
    z = vo_min(z, fit->near - vo_max(0.1 * (fit->far - fit->near), 1e-6));
    if (!fit->any) z = -1;
    l.eye = v3_add(v3_add(v3_scale(x, l.right), v3_scale(y, l.up)), v3_scale(z, l.forward));
    l.tan_x /= fit->zoom;
    l.tan_y /= fit->zoom;
    return l;
}
