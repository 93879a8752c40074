#include "view/camera.h"

#include "math/bounds.h"

double vo_camera_half_fov_tangent(double fov_y) { return tan(fov_y * VO_PI / 360); }

/* Tolerance of orthonormality, for axes that were stored as floats. */
static const double FRAME_TOLERANCE = 1e-3;

static bool is_axis(vo_vec3 a) { return fabs(v3_length(a) - 1) < FRAME_TOLERANCE; }
static bool are_square(vo_vec3 a, vo_vec3 b) { return fabs(v3_dot(a, b)) < FRAME_TOLERANCE; }

static const char *frame_defect(const vo_camera *c) {
    if (!is_axis(c->right)) return "right must have the length 1";
    if (!is_axis(c->up)) return "up must have the length 1";
    if (!is_axis(c->forward)) return "forward must have the length 1";
    if (!are_square(c->right, c->up) || !are_square(c->up, c->forward) ||
        !are_square(c->forward, c->right))
        return "right, up and forward must be at right angles to each other";
    if (!(v3_dot(v3_cross(c->up, c->right), c->forward) > 0))
        return "forward must be up x right and is its opposite: it points backwards, or the camera "
               "is of a left-handed world, which must be converted as a whole";
    return NULL;
}

const char *vo_camera_defect(const vo_camera *c) {
    if (!v3_is_bounded(c->position))
        return "position must be three numbers up to " VO_MAX_NUMBER_TEXT;
    const char *frame = frame_defect(c);
    if (frame) return frame;
    if (!vo_is_positive(c->tan_x)) return "tan_x must be positive, up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_positive(c->tan_y)) return "tan_y must be positive, up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_positive(c->z_near)) return "z_near must be positive, up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_positive(c->z_far) || !(c->z_near < c->z_far))
        return "z_far must be greater than z_near, up to " VO_MAX_NUMBER_TEXT;
    if (c->width < 1 || c->height < 1) return "width and height must be at least 1 pixel";
    return NULL;
}

void vo_camera_set_fov(vo_camera *c, double tan_y) {
    c->tan_y = tan_y;
    c->tan_x = tan_y * c->width / c->height;
}

void vo_camera_set_rotation(vo_camera *c, vo_quat q) {
    c->right = q_rotate(q, v3(1, 0, 0));
    c->up = q_rotate(q, v3(0, 1, 0));
    c->forward = q_rotate(q, v3(0, 0, -1));
}

vo_quat vo_camera_get_rotation(const vo_camera *c) {
    return q_from_axes(c->right, c->up, v3_negate(c->forward));
}

/* Returns the direction shown at the top of the image if the camera looks along `up` or against it.
 */
static vo_vec3 image_top(vo_vec3 up) {
    return fabs(up.y) > 0.5 * v3_length(up) ? v3(0, 0, up.y > 0 ? -1 : 1) : v3(0, 1, 0);
}

bool vo_camera_set_direction(vo_camera *c, vo_vec3 forward, vo_vec3 up) {
    const double min_length = 1e-12, parallel = 1e-9;
    if (!(v3_length(forward) > min_length)) return false;
    c->forward = v3_normalize(forward);
    vo_vec3 right = v3_cross(c->forward, v3_normalize(up));
    if (v3_length(right) < parallel) right = v3_cross(c->forward, image_top(up));
    c->right = v3_normalize(right);
    c->up = v3_cross(c->right, c->forward);
    return true;
}

vo_camera vo_camera_look_at(vo_vec3 position, vo_vec3 target, vo_vec3 up, double fov_y, int width,
                            int height) {
    vo_camera c = {
        .position = position, .z_near = 0.01, .z_far = 1000, .width = width, .height = height};
    vo_camera_set_fov(&c, vo_camera_half_fov_tangent(fov_y));
    if (!vo_camera_set_direction(&c, v3_sub(target, position), up))
        (void)vo_camera_set_direction(&c, image_top(up), up);
    return c;
}

bool vo_camera_project(const vo_camera *c, vo_vec3 point, vo_vec2 *pixel, double *depth) {
    vo_vec3 d = v3_sub(point, c->position);
    double z = v3_dot(d, c->forward);
    if (!(z > 0)) return false;
    double a = v3_dot(d, c->right) / (z * c->tan_x), b = v3_dot(d, c->up) / (z * c->tan_y);
    *pixel = v2((a + 1) * c->width / 2, (1 - b) * c->height / 2);
    if (depth) *depth = z;
    return true;
}

bool vo_camera_contains(const vo_camera *c, double border, vo_vec3 point, vo_vec2 *pixel) {
    double depth;
    return vo_camera_project(c, point, pixel, &depth) && depth >= c->z_near && depth <= c->z_far &&
           pixel->x >= -border && pixel->y >= -border && pixel->x <= c->width + border &&
           pixel->y <= c->height + border;
}

/* Returns the direction ray_through a pixel, scaled to length 1 along forward. */
static vo_vec3 ray_through(const vo_camera *c, vo_vec2 pixel) {
    double a = (2 * pixel.x / c->width - 1) * c->tan_x,
           b = (1 - 2 * pixel.y / c->height) * c->tan_y;
    return v3_add_scaled(v3_add_scaled(c->forward, a, c->right), b, c->up);
}

vo_vec3 vo_camera_unproject(const vo_camera *c, vo_vec2 pixel, double depth) {
    return v3_add_scaled(c->position, depth, ray_through(c, pixel));
}

vo_vec3 vo_camera_direction(const vo_camera *c, vo_vec2 pixel) {
    return v3_normalize(ray_through(c, pixel));
}
