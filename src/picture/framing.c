#include "picture/framing.h"

#include "math/bounds.h"

static const double FILL = 0.88;

/* Two horizontal directions that form a right-handed frame with up; at azimuth 0 the view is along
 * the second. */
static void ground_axes(vo_vec3 up, vo_vec3 *right, vo_vec3 *ahead) {
    vo_vec3 hint = fabs(up.y) > 0.5 ? v3(0, 0, -up.y) : v3(0, 1, 0);
    *right = v3_normalize(v3_cross(hint, up));
    *ahead = v3_cross(up, *right);
}

/* Sets the camera's axes from azimuth (camera moves to the right) and elevation. */
static void set_axes(const vo_camera_framing_def *def, vo_camera *camera) {
    double a = def->azimuth * VO_PI / 180, e = def->elevation * VO_PI / 180;
    vo_vec3 right, ahead;
    ground_axes(def->up, &right, &ahead);
    vo_vec3 level = v3_add(v3_scale(-sin(a), right), v3_scale(cos(a), ahead));
    camera->right = v3_add(v3_scale(cos(a), right), v3_scale(sin(a), ahead));
    camera->forward = v3_add(v3_scale(cos(e), level), v3_scale(-sin(e), def->up));
    camera->up = v3_cross(camera->right, camera->forward);
}

vo_camera_framing vo_camera_framing_begin(const vo_camera_framing_def *def) {
    vo_camera_framing framing = {.fill = FILL, .zoom = def->zoom};
    vo_camera *view = &framing.camera;
    double longer = tan(def->fov_long_side * VO_PI / 360);
    int pixels = vo_max_int(def->width, def->height);
    view->width = def->width;
    view->height = def->height;
    view->tan_x = longer * def->width / pixels;
    view->tan_y = longer * def->height / pixels;
    set_axes(def, view);
    return framing;
}

/* Sine and cosine of the half angle that is half_angle. */
static void half_angle(double tangent, double *s, double *c) {
    *c = 1 / sqrt(1 + tangent * tangent);
    *s = tangent * *c;
}

void vo_camera_framing_add(vo_camera_framing *framing, vo_vec3 point) {
    const vo_camera *view = &framing->camera;
    double s, c, x = v3_dot(point, view->right), y = v3_dot(point, view->up);
    double z = v3_dot(point, view->forward), value[4];
    half_angle(view->tan_x * framing->fill, &s, &c);
    value[0] = c * x - s * z;
    value[1] = -c * x - s * z;
    half_angle(view->tan_y * framing->fill, &s, &c);
    value[2] = c * y - s * z;
    value[3] = -c * y - s * z;
    for (int i = 0; i < 4; i++)
        framing->support[i] =
            framing->has_points ? vo_max(framing->support[i], value[i]) : value[i];
    framing->min_depth = framing->has_points ? vo_min(framing->min_depth, z) : z;
    framing->max_depth = framing->has_points ? vo_max(framing->max_depth, z) : z;
    framing->has_points = true;
}

/* Intersects the two planes of one image axis: returns the camera coordinate along the view and
 * sets that across. */
static double intersect_planes(double tangent, const double support[2], double *across) {
    double s, c;
    half_angle(tangent, &s, &c);
    *across = (support[0] - support[1]) / (2 * c);
    return -(support[0] + support[1]) / (2 * s);
}

vo_camera vo_camera_framing_end(const vo_camera_framing *framing) {
    vo_camera view = framing->camera;
    double x, y;
    double z = vo_min(intersect_planes(view.tan_x * framing->fill, framing->support, &x),
                      intersect_planes(view.tan_y * framing->fill, framing->support + 2, &y));
    z = vo_min(z,
               framing->min_depth - vo_max(0.1 * (framing->max_depth - framing->min_depth), 1e-6));
    if (!framing->has_points) z = -1;
    view.position =
        v3_add(v3_add(v3_scale(x, view.right), v3_scale(y, view.up)), v3_scale(z, view.forward));
    view.z_near = framing->has_points ? vo_clamp(0.5 * (framing->min_depth - z), 1e-6, 0.01) : 0.01;
    view.z_far = VO_MAX_NUMBER; /* no far limit: points that were not added may be anywhere */
    view.tan_x /= framing->zoom;
    view.tan_y /= framing->zoom;
    return view;
}
