#include "view/predict.h"

#include "math/quat.h"

vo_predict_def vo_predict_def_default(void) {
    return (vo_predict_def){.doubt = 0.5, .jitter = 0.2, .count = 6};
}

/* How a camera moves. */
typedef struct course {
    vo_vec3 velocity; /* m/s */
    vo_vec3 axis;
    double spin, zoom; /* rad/s around the axis; 1/s that the opening changes, by its tangents */
} course;

/* With D the rotation from one frame to the other, a x D a summed over the three axes a is
 * 2 sin(angle) times its axis, and a . D a is 1 + 2 cos(angle). */
static course find_course(const vo_predict_def *def, const vo_camera *a, const vo_camera *b) {
    course c = {0};
    if (!(def->step > 0)) return c;
    vo_vec3 axial = v3_add(v3_add(v3_cross(a->right, b->right), v3_cross(a->up, b->up)),
                           v3_cross(a->forward, b->forward));
    double trace =
        v3_dot(a->right, b->right) + v3_dot(a->up, b->up) + v3_dot(a->forward, b->forward);
    c.velocity = v3_scale(1 / def->step, v3_sub(b->position, a->position));
    c.axis = v3_normalize(axial);
    c.spin = atan2(0.5 * v3_length(axial), 0.5 * (trace - 1)) / def->step;
    c.zoom = (fabs(b->tan_x - a->tan_x) + fabs(b->tan_y - a->tan_y)) / def->step;
    return c;
}

static vo_view_sample go_on(const vo_predict_def *def, const course *c, const vo_camera *now,
                            double ahead) {
    vo_view_sample s = {.ahead = ahead, .camera = *now};
    vo_quat turn = q_axis_angle(c->axis, c->spin * ahead);
    s.camera.position = v3_add_scaled(now->position, ahead, c->velocity);
    s.camera.right = q_rotate(turn, now->right);
    s.camera.up = q_rotate(turn, now->up);
    s.camera.forward = q_rotate(turn, now->forward);
    s.drift = ahead * (def->doubt * v3_length(c->velocity) + def->jitter);
    s.turn = ahead * (def->doubt * c->spin + c->zoom + def->jitter);
    return s;
}

void vo_window_predict(const vo_predict_def *def, const vo_camera *before, const vo_camera *now,
                       vo_view_sample *out) {
    course c = find_course(def, before, now);
    for (int i = 0; i < def->count; i++)
        out[i] = go_on(def, &c, now, vo_max(def->length, 0) * i / vo_max_int(def->count - 1, 1));
}
