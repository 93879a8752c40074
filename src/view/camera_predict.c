#include "view/camera_predict.h"

static const double CUT_ANGLE = VO_PI / 4; /* rad per step; a larger rotation is a cut */
static const double MIN_STEP = 1e-9;       /* s; shorter steps give no usable velocity */
static const double MAX_LOG_ZOOM = 1;      /* bound of the predicted change of log tan_y */

vo_camera_predictor vo_camera_predictor_init(void) { return (vo_camera_predictor){0}; }

void vo_camera_predictor_reset(vo_camera_predictor *g) { *g = vo_camera_predictor_init(); }

/* Returns the rotation between two cameras as a rotation vector, at most pi rad. */
static vo_vec3 rotation_between(const vo_camera *a, const vo_camera *b) {
    vo_quat q = q_mul(vo_camera_get_rotation(b), q_conjugate(vo_camera_get_rotation(a)));
    if (q.w < 0) q = q_scale(-1, q);
    vo_vec3 axis = v3(q.x, q.y, q.z);
    return v3_scale(2 * atan2(v3_length(axis), q.w), v3_normalize(axis));
}

static vo_camera_velocity velocity_between(const vo_camera *a, const vo_camera *b, double step) {
    return (vo_camera_velocity){v3_scale(1 / step, v3_sub(b->position, a->position)),
                                v3_scale(1 / step, rotation_between(a, b)),
                                log(b->tan_y / a->tan_y) / step};
}

/* Resets the predictor to a single pose. */
static void reset_to(vo_camera_predictor *g, double time, const vo_camera *camera) {
    *g = (vo_camera_predictor){.count = 1, .time = time, .camera = *camera};
}

/* Appends a pose. A velocity applies to the middle of its step, so accelerations divide by half the
 * sum of both steps. */
static void append_pose(vo_camera_predictor *g, double time, const vo_camera *camera) {
    double step = time - g->time;
    vo_camera_velocity velocity = velocity_between(&g->camera, camera, step);
    double between = (g->step + step) / 2;
    bool second = g->count >= 2;
    g->acceleration = second ? v3_distance(velocity.linear, g->velocity.linear) / between : 0;
    g->angular_acceleration =
        second ? v3_distance(velocity.angular, g->velocity.angular) / between : 0;
    g->zoom_acceleration = second ? fabs(velocity.zoom - g->velocity.zoom) / between : 0;
    g->count = vo_min_int(g->count + 1, 3);
    g->time = time;
    g->camera = *camera;
    g->velocity = velocity;
    g->step = step;
}

/* Restores the state before the last pose. Its accelerations are not stored; the next pose
 * recomputes them. */
static void restore_previous(vo_camera_predictor *g) {
    *g = (vo_camera_predictor){.count = g->previous.count,
                               .time = g->previous.time,
                               .camera = g->previous.camera,
                               .velocity = g->previous.velocity,
                               .step = g->previous.step};
}

void vo_camera_predictor_add(vo_camera_predictor *g, double time, const vo_camera *camera) {
    if (g->count > 0 && time == g->time) restore_previous(g);
    vo_camera_predictor last = g->count > 0 && time > g->time ? *g : vo_camera_predictor_init();
    bool known = last.count > 0 && v3_length(rotation_between(&g->camera, camera)) <= CUT_ANGLE;
    if (known && time - g->time >= MIN_STEP)
        append_pose(g, time, camera);
    else
        reset_to(g, time, camera);
    g->previous.count = last.count;
    g->previous.time = last.time;
    g->previous.camera = last.camera;
    g->previous.velocity = last.velocity;
    g->previous.step = last.step;
}

/* Returns the predicted ratio of tan_y after `ahead` seconds. */
static double zoom_after(const vo_camera_predictor *g, double ahead) {
    return exp(vo_clamp(ahead * g->velocity.zoom, -MAX_LOG_ZOOM, MAX_LOG_ZOOM));
}

vo_camera vo_camera_predict(const vo_camera_predictor *g, double time) {
    vo_camera c = g->camera;
    double ahead = time - g->time;
    if (!(ahead > 0)) return c;
    vo_quat turn = q_axis_angle(g->velocity.angular, ahead * v3_length(g->velocity.angular));
    c.position = v3_add_scaled(c.position, ahead, g->velocity.linear);
    c.right = q_rotate(turn, c.right);
    c.up = q_rotate(turn, c.up);
    c.forward = q_rotate(turn, c.forward);
    double zoom = zoom_after(g, ahead);
    c.tan_x *= zoom;
    c.tan_y *= zoom;
    return c;
}

/* Under a constant acceleration a, the velocity estimate is exact at the middle of the last step, h
 * / 2 before the last pose. After tau it is off by a (tau + h / 2), and the position by a tau (tau
 * + h) / 2. */
vo_camera_uncertainty vo_camera_predict_uncertainty(const vo_camera_predictor *g, double time) {
    double ahead = vo_max(0, time - g->time), lag = ahead * (ahead + g->step) / 2;
    double opening = zoom_after(g, ahead) * hypot(g->camera.tan_x, g->camera.tan_y);
    double zoom = opening * expm1(vo_min(lag * g->zoom_acceleration, MAX_LOG_ZOOM));
    return (vo_camera_uncertainty){lag * g->acceleration,
                                   vo_min(lag * g->angular_acceleration + zoom, VO_PI)};
}
