#include "view/camera.h"

#include "math/bounds.h"

double vo_camera_tangent(double field) { return tan(field * VO_PI / 360); }

/* But for the rounding of floats. */
static const double SKEW = 1e-3;

static bool is_axis(vo_vec3 a) { return fabs(v3_length(a) - 1) < SKEW; }
static bool are_square(vo_vec3 a, vo_vec3 b) { return fabs(v3_dot(a, b)) < SKEW; }

static const char *frame_defect(const vo_camera *c) {
    if (!is_axis(c->right)) return "right must have the length 1";
    if (!is_axis(c->up)) return "up must have the length 1";
    if (!is_axis(c->forward)) return "forward must have the length 1";
    if (!are_square(c->right, c->up) || !are_square(c->up, c->forward) ||
        !are_square(c->forward, c->right))
        return "right, up and forward must be at right angles to each other";
    if (!(v3_dot(v3_cross(c->up, c->right), c->forward) > 0))
        return "forward must be up x right and is its opposite: it points backwards, or the camera "
               "is of a left-handed world, which is to be converted as a whole";
    return NULL;
}

const char *vo_camera_defect(const vo_camera *c) {
    if (!v3_is_bounded(c->position)) return "position must be three numbers up to " VO_LARGEST_TEXT;
    const char *frame = frame_defect(c);
    if (frame) return frame;
    if (!vo_is_positive(c->tan_x)) return "tan_x must be positive, up to " VO_LARGEST_TEXT;
    if (!vo_is_positive(c->tan_y)) return "tan_y must be positive, up to " VO_LARGEST_TEXT;
    if (!vo_is_positive(c->near)) return "near must be positive, up to " VO_LARGEST_TEXT;
    if (!vo_is_positive(c->far) || !(c->near < c->far))
        return "far must be more than near, up to " VO_LARGEST_TEXT;
    if (c->width < 1 || c->height < 1) return "width and height must be at least 1 pixel";
    return NULL;
}

void vo_camera_open(vo_camera *c, double tan_y) {
    c->tan_y = tan_y;
    c->tan_x = tan_y * c->width / c->height;
}

void vo_camera_turn(vo_camera *c, vo_quat q) {
    c->right = q_rotate(q, v3(1, 0, 0));
    c->up = q_rotate(q, v3(0, 1, 0));
    c->forward = q_rotate(q, v3(0, 0, -1));
}

/* From the matrix whose columns are right, up and -forward: the largest of the four components is
 * found by its square, the others by products with it. */
vo_quat vo_camera_rotation(const vo_camera *c) {
    vo_vec3 a = c->right, b = c->up, d = v3_negate(c->forward);
    double square[4] = {1 + a.x + b.y + d.z, 1 + a.x - b.y - d.z, 1 - a.x + b.y - d.z,
                        1 - a.x - b.y + d.z};              /* 4 w^2, 4 x^2, 4 y^2, 4 z^2 */
    double wx = b.z - d.y, wy = d.x - a.z, wz = a.y - b.x; /* 4 w x, ... */
    double xy = a.y + b.x, yz = b.z + d.y, zx = d.x + a.z; /* 4 x y, ... */
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[largest]) largest = i;
    vo_quat row[4] = {{square[0], wx, wy, wz},
                      {wx, square[1], xy, zx},
                      {wy, xy, square[2], yz},
                      {wz, zx, yz, square[3]}};
    return q_normalize(row[largest]);
}

/* What is at the top of the picture where the camera looks along `up` or against it. */
static vo_vec3 top_of_map(vo_vec3 up) {
    return fabs(up.y) > 0.5 * v3_length(up) ? v3(0, 0, up.y > 0 ? -1 : 1) : v3(0, 1, 0);
}

bool vo_camera_aim(vo_camera *c, vo_vec3 forward, vo_vec3 up) {
    const double least = 1e-12, parallel = 1e-9;
    if (!(v3_length(forward) > least)) return false;
    c->forward = v3_normalize(forward);
    vo_vec3 right = v3_cross(c->forward, v3_normalize(up));
    if (v3_length(right) < parallel) right = v3_cross(c->forward, top_of_map(up));
    c->right = v3_normalize(right);
    c->up = v3_cross(c->right, c->forward);
    return true;
}

vo_camera vo_camera_look_at(vo_vec3 position, vo_vec3 target, vo_vec3 up, double field, int width,
                            int height) {
    vo_camera c = {
        .position = position, .near = 0.01, .far = 1000, .width = width, .height = height};
    vo_camera_open(&c, vo_camera_tangent(field));
    if (!vo_camera_aim(&c, v3_sub(target, position), up))
        (void)vo_camera_aim(&c, top_of_map(up), up);
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

bool vo_camera_shows(const vo_camera *c, double border, vo_vec3 point, vo_vec2 *pixel) {
    double depth;
    return vo_camera_project(c, point, pixel, &depth) && depth >= c->near && depth <= c->far &&
           pixel->x >= -border && pixel->y >= -border && pixel->x <= c->width + border &&
           pixel->y <= c->height + border;
}

/* Through a place of the picture, with a length of 1 along forward. */
static vo_vec3 through(const vo_camera *c, vo_vec2 pixel) {
    double a = (2 * pixel.x / c->width - 1) * c->tan_x,
           b = (1 - 2 * pixel.y / c->height) * c->tan_y;
    return v3_add_scaled(v3_add_scaled(c->forward, a, c->right), b, c->up);
}

vo_vec3 vo_camera_unproject(const vo_camera *c, vo_vec2 pixel, double depth) {
    return v3_add_scaled(c->position, depth, through(c, pixel));
}

vo_vec3 vo_camera_direction(const vo_camera *c, vo_vec2 pixel) {
    return v3_normalize(through(c, pixel));
}
