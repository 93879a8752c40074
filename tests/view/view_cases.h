/* Cameras and faces for the tests of the view. */
#ifndef VOILE_TESTS_VIEW_CASES_H
#define VOILE_TESTS_VIEW_CASES_H

#include "core/random.h"
#include "math/quat.h"

#include <voile/camera.h>

/* Returns a camera at a point with a viewing direction, upright along z if possible. */
static inline vo_camera camera_at(vo_vec3 position, vo_vec3 towards, double tan_x, double tan_y) {
    vo_camera c = {.position = position, .tan_x = tan_x, .tan_y = tan_y};
    c.forward = v3_normalize(v3_sub(towards, position));
    vo_vec3 up = fabs(c.forward.z) < 0.99 ? v3(0, 0, 1) : v3(0, 1, 0);
    c.right = v3_normalize(v3_cross(c.forward, up));
    c.up = v3_cross(c.right, c.forward);
    c.z_near = 0.1, c.z_far = 100;
    c.width = 1600, c.height = 900;
    return c;
}

static inline vo_camera random_camera(vo_random *r) {
    vo_camera c = camera_at(test_random_vec3(r, 3), test_random_vec3(r, 3),
                            vo_random_real(r, 0.1, 1.5), vo_random_real(r, 0.1, 1.5));
    c.z_near = vo_random_real(r, 0, 0.5);
    c.z_far = c.z_near + vo_random_real(r, 0.2, 8);
    return c;
}

/* Returns a camera translated and rotated by a fraction of a motion. */
static inline vo_camera camera_between(const vo_camera *a, vo_vec3 way, vo_vec3 axis, double angle,
                                       double zoom, double part) {
    vo_camera c = *a;
    vo_quat turn = q_axis_angle(axis, angle * part);
    c.position = v3_add_scaled(a->position, part, way);
    c.right = q_rotate(turn, a->right);
    c.up = q_rotate(turn, a->up);
    c.forward = q_rotate(turn, a->forward);
    c.tan_x *= 1 + part * (zoom - 1), c.tan_y *= 1 + part * (zoom - 1);
    return c;
}

#endif
