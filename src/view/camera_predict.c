#include "view/camera_predict.h"

static const double JUMP = VO_PI / 4;     /* rad in one step */
static const double SHORTEST_STEP = 1e-9; /* s; shorter ones give no speeds */
static const double MOST_ZOOM = 1;        /* of log tan_y, that is ever predicted */

vo_camera_guide vo_camera_guide_begin(void) { return (vo_camera_guide){0}; }

void vo_camera_guide_cut(vo_camera_guide *g) { *g = vo_camera_guide_begin(); }

/* The turn from one camera to another, as axis times radians, at most pi. */
static vo_vec3 turn_between(const vo_camera *a, const vo_camera *b) {
    vo_quat q = q_mul(vo_camera_rotation(b), q_conjugate(vo_camera_rotation(a)));
    if (q.w < 0) q = q_scale(-1, q);
    vo_vec3 axis = v3(q.x, q.y, q.z);
    return v3_scale(2 * atan2(v3_length(axis), q.w), v3_normalize(axis));
}

static vo_camera_speed speed_between(const vo_camera *a, const vo_camera *b, double step) {
    return (vo_camera_speed){v3_scale(1 / step, v3_sub(b->position, a->position)),
                             v3_scale(1 / step, turn_between(a, b)),
                             log(b->tan_y / a->tan_y) / step};
}

/* Begins again with this camera. */
static void restart(vo_camera_guide *g, double time, const vo_camera *camera) {
    *g = (vo_camera_guide){.count = 1, .time = time, .camera = *camera};
}

/* Speeds hold in the middle of their steps, so they have changed over half of each. */
static void follow(vo_camera_guide *g, double time, const vo_camera *camera) {
    double step = time - g->time;
    vo_camera_speed speed = speed_between(&g->camera, camera, step);
    double between = (g->step + step) / 2;
    bool second = g->count >= 2;
    g->push = second ? v3_distance(speed.velocity, g->speed.velocity) / between : 0;
    g->twist = second ? v3_distance(speed.turning, g->speed.turning) / between : 0;
    g->widening = second ? fabs(speed.zooming - g->speed.zooming) / between : 0;
    g->count = vo_min_int(g->count + 1, 3);
    g->time = time;
    g->camera = *camera;
    g->speed = speed;
    g->step = step;
}

/* As before the last pose. How speeds had changed by then is not known any more, nor needed: what
 * comes next finds it anew. */
static void take_back(vo_camera_guide *g) {
    *g = (vo_camera_guide){.count = g->before.count,
                           .time = g->before.time,
                           .camera = g->before.camera,
                           .speed = g->before.speed,
                           .step = g->before.step};
}

void vo_camera_guide_add(vo_camera_guide *g, double time, const vo_camera *camera) {
    if (g->count > 0 && time == g->time) take_back(g);
    vo_camera_guide last = g->count > 0 && time > g->time ? *g : vo_camera_guide_begin();
    bool known = last.count > 0 && v3_length(turn_between(&g->camera, camera)) <= JUMP;
    if (known && time - g->time >= SHORTEST_STEP)
        follow(g, time, camera);
    else
        restart(g, time, camera);
    g->before.count = last.count;
    g->before.time = last.time;
    g->before.camera = last.camera;
    g->before.speed = last.speed;
    g->before.step = last.step;
}

/* How many times as wide the picture opens after so many seconds. */
static double zoom_after(const vo_camera_guide *g, double ahead) {
    return exp(vo_clamp(ahead * g->speed.zooming, -MOST_ZOOM, MOST_ZOOM));
}

vo_camera vo_camera_predict(const vo_camera_guide *g, double time) {
    vo_camera c = g->camera;
    double ahead = time - g->time;
    if (!(ahead > 0)) return c;
    vo_quat turn = q_axis_angle(g->speed.turning, ahead * v3_length(g->speed.turning));
    c.position = v3_add_scaled(c.position, ahead, g->speed.velocity);
    c.right = q_rotate(turn, c.right);
    c.up = q_rotate(turn, c.up);
    c.forward = q_rotate(turn, c.forward);
    double zoom = zoom_after(g, ahead);
    c.tan_x *= zoom;
    c.tan_y *= zoom;
    return c;
}

/* Under a steady push a the speed is right for the middle of the last step, h / 2 ago, and then
 * lags behind: by a (tau + h / 2) after tau, so that the place is off by a tau (tau + h) / 2. */
vo_camera_doubt vo_camera_predict_doubt(const vo_camera_guide *g, double time) {
    double ahead = vo_max(0, time - g->time), lag = ahead * (ahead + g->step) / 2;
    double opening = zoom_after(g, ahead) * hypot(g->camera.tan_x, g->camera.tan_y);
    double zoom = opening * expm1(vo_min(lag * g->widening, MOST_ZOOM));
    return (vo_camera_doubt){lag * g->push, vo_min(lag * g->twist + zoom, VO_PI)};
}
