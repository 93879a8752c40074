#include "picture/fit.h"

#include "math/bounds.h"

static const double MARGIN = 0.88;

/* Two directions on the ground that make a right-handed frame with up: at azimuth 0 the eye looks
 * along the second. */
static void ground_axes(vo_vec3 up, vo_vec3 *right, vo_vec3 *ahead) {
    vo_vec3 hint = fabs(up.y) > 0.5 ? v3(0, 0, -up.y) : v3(0, 1, 0);
    *right = v3_normalize(v3_cross(hint, up));
    *ahead = v3_cross(up, *right);
}

/* The eye goes around to the right and up; it looks back at the middle. */
static void turn(const vo_fit_def *def, vo_camera *camera) {
    double a = def->azimuth * VO_PI / 180, e = def->elevation * VO_PI / 180;
    vo_vec3 right, ahead;
    ground_axes(def->up, &right, &ahead);
    vo_vec3 level = v3_add(v3_scale(-sin(a), right), v3_scale(cos(a), ahead));
    camera->right = v3_add(v3_scale(cos(a), right), v3_scale(sin(a), ahead));
    camera->forward = v3_add(v3_scale(cos(e), level), v3_scale(-sin(e), def->up));
    camera->up = v3_cross(camera->right, camera->forward);
}

vo_fit vo_fit_begin(const vo_fit_def *def) {
    vo_fit fit = {.margin = MARGIN, .zoom = def->zoom};
    vo_camera *view = &fit.camera;
    double longer = tan(def->field * VO_PI / 360);
    int pixels = vo_max_int(def->width, def->height);
    view->width = def->width;
    view->height = def->height;
    view->tan_x = longer * def->width / pixels;
    view->tan_y = longer * def->height / pixels;
    turn(def, view);
    return fit;
}

/* Sine and cosine of the angle that is to be filled. */
static void filled(double tangent, double *s, double *c) {
    *c = 1 / sqrt(1 + tangent * tangent);
    *s = tangent * *c;
}

void vo_fit_add(vo_fit *fit, vo_vec3 point) {
    const vo_camera *view = &fit->camera;
    double s, c, x = v3_dot(point, view->right), y = v3_dot(point, view->up);
    double z = v3_dot(point, view->forward), value[4];
    filled(view->tan_x * fit->margin, &s, &c);
    value[0] = c * x - s * z;
    value[1] = -c * x - s * z;
    filled(view->tan_y * fit->margin, &s, &c);
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

vo_camera vo_fit_end(const vo_fit *fit) {
    vo_camera view = fit->camera;
    double x, y;
    double z = vo_min(meet(view.tan_x * fit->margin, fit->support, &x),
                      meet(view.tan_y * fit->margin, fit->support + 2, &y));
    z = vo_min(z, fit->near - vo_max(0.1 * (fit->far - fit->near), 1e-6));
    if (!fit->any) z = -1;
    view.position =
        v3_add(v3_add(v3_scale(x, view.right), v3_scale(y, view.up)), v3_scale(z, view.forward));
    view.near = fit->any ? vo_clamp(0.5 * (fit->near - z), 1e-6, 0.01) : 0.01;
    view.far = VO_LARGEST; /* nobody asked for an end: what is not fitted may be anywhere */
    view.tan_x /= fit->zoom;
    view.tan_y /= fit->zoom;
    return view;
}
