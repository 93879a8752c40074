/* Inputs of the operators: base vertices of this frame and of earlier ones, weights of the
 * operators by the motion of the cloth, phases of oscillatory modes. */
#include "rt/detail/operator.h"

#include <string.h>

/* s, in which the measured motion follows a change, and the weights follow the motion. */
static const float SMOOTHING_TIME = 0.1f;
/* m/s, difference of motions that counts as small. */
static const float MOTION_SCALE = 0.15f;
/* Wind beyond this multiple of that of the training data does not speed up the modes. */
static const float MAX_WIND_RATIO = 4;

/* --- Samples -------------------------------------------------------------------------------- */

static vo_rt_vec4 *get_sample(const vo_rt_upsample *u, int vertices, int age) {
    int ring = u->history + 1, index = (u->head.newest + ring - age) % ring;
    return u->sample + (size_t)index * (size_t)vertices;
}

/* All earlier states are the current one. */
static void start_samples(vo_rt_upsample *u, int vertices) {
    u->head.sample_age = 0;
    u->head.newest = 0;
    memcpy(u->last, u->input, (size_t)vertices * sizeof *u->last);
    for (int k = 0; k <= u->history; k++)
        memcpy(get_sample(u, vertices, k), u->last, (size_t)vertices * sizeof *u->last);
}

static void interpolate(const vo_rt_vec4 *a, const vo_rt_vec4 *b, float t, int count,
                        vo_rt_vec4 *out) {
    for (int i = 0; i < count; i++) out[i] = f4_make(f3_lerp(f4_xyz(a[i]), f4_xyz(b[i]), t), 0);
}

/* Adds the samples of the frame from `last` to `input`, at multiples of history_s. */
static void add_samples(vo_rt_upsample *u, int vertices, float dt) {
    float h = u->history_s, age = u->head.sample_age + dt;
    float excess = age - h * (float)(u->history + 2);
    if (excess > 0) age -= h * floorf(excess / h); /* samples that would be overwritten */
    while (age >= h) {
        age -= h;
        u->head.newest = (u->head.newest + 1) % (u->history + 1);
        float t = dt > 0 ? f_clamp(1 - age / dt, 0, 1) : 1;
        interpolate(u->last, u->input, t, vertices, get_sample(u, vertices, 0));
    }
    u->head.sample_age = age;
}

/* Base vertices at the time of the output. */
static void read_vertices(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    const vo_rt_front *front = &f->mesh->front;
    interpolate(front->shown + 1, front->position + 1, f->alpha, f->asset->vertex_count, u->input);
}

static vo_rt_vec3 find_mean(const vo_rt_vec4 *x, int count) {
    vo_rt_vec3 sum = f3(0, 0, 0), first = f4_xyz(x[0]);
    for (int i = 0; i < count; i++) sum = f3_add(sum, f3_sub(f4_xyz(x[i]), first));
    return f3_add_scaled(first, 1 / (float)count, sum);
}

/* The states `history_s`, 2 history_s, ... ago, behind the current one. */
static void read_history(vo_rt_upsample *u, int vertices) {
    for (int k = 1; k <= u->history; k++)
        interpolate(get_sample(u, vertices, k), get_sample(u, vertices, k - 1),
                    u->head.sample_age / u->history_s, vertices,
                    u->input + (size_t)k * (size_t)vertices);
}

/* --- Motion --------------------------------------------------------------------------------- */

/* Sums of the velocities of points and of their squares. */
typedef struct velocity_sums {
    vo_rt_vec3 sum;
    float square;
} velocity_sums;

static void add_velocity(velocity_sums *s, vo_rt_vec3 v) {
    s->sum = f3_add(s->sum, v);
    s->square += f3_length2(v);
}

static vo_rt_operator_motion sums_to_motion(velocity_sums s, int count, vo_rt_vec3 air) {
    vo_rt_vec3 mean = f3_scale(1 / (float)count, s.sum);
    float variance = s.square / (float)count - f3_length2(mean);
    return (vo_rt_operator_motion){.travel = f3_length(mean),
                                   .deformation = sqrtf(f_max(variance, 0)),
                                   .wind = f3_length(f3_sub(air, mean))};
}

vo_rt_operator_motion vo_rt_operator_measure(int count, const vo_rt_vec3 *positions,
                                             const vo_rt_vec3 *previous, float dt,
                                             vo_rt_vec3 wind) {
    velocity_sums s = {{0, 0, 0}, 0};
    if (count <= 0 || !(dt > 0)) return (vo_rt_operator_motion){0, 0, f3_length(wind)};
    for (int i = 0; i < count; i++)
        add_velocity(&s, f3_scale(1 / dt, f3_sub(positions[i], previous[i])));
    return sums_to_motion(s, count, wind);
}

static vo_rt_operator_motion measure_motion(const vo_rt_upsample *u,
                                            const vo_rt_upsample_frame *f) {
    velocity_sums s = {{0, 0, 0}, 0};
    float rate = f->dt > 0 ? 1 / f->dt : 0;
    for (int i = 0; i < f->asset->vertex_count; i++)
        add_velocity(&s, f3_scale(rate, f3_sub(f4_xyz(u->input[i]), f4_xyz(u->last[i]))));
    return sums_to_motion(s, f->asset->vertex_count, f->air);
}

static float approach(float value, float target, float t) {
    float next = value + t * (target - value);
    return isfinite(next) ? next : 0;
}

static void smooth_motion(vo_rt_upsample_head *h, vo_rt_operator_motion m, float t) {
    h->motion.travel = approach(h->motion.travel, m.travel, t);
    h->motion.deformation = approach(h->motion.deformation, m.deformation, t);
    h->motion.wind = approach(h->motion.wind, m.wind, t);
    h->wind = h->motion.wind;
}

/* --- Weights and phases ----------------------------------------------------------------------- */

/* Squared difference of two motions, relative to their size. */
static float motion_distance(vo_rt_operator_motion a, vo_rt_operator_motion b) {
    const float x[3] = {a.travel, a.deformation, a.wind}, y[3] = {b.travel, b.deformation, b.wind};
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        float d = (x[i] - y[i]) / (MOTION_SCALE + 0.5f * (x[i] + y[i]));
        sum += d * d;
    }
    return sum;
}

static void normalize(float *weight, int count) {
    float sum = 0;
    for (int k = 0; k < count; k++) sum += weight[k];
    for (int k = 0; k < count; k++) weight[k] /= sum;
}

/* Inverse distance weights (Shepard): 1 for an operator whose motion is that of the cloth. */
static void set_weights(vo_rt_upsample_head *h, const vo_rt_upsample_frame *f, float t) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    float target[VO_RT_MAX_OPERATORS];
    for (int k = 0; k < d->operator_count; k++) {
        float distance = motion_distance(h->motion, d->operators[k].motion) + 1e-3f;
        target[k] = 1 / (distance * distance);
    }
    if (d->operator_count > 0) normalize(target, d->operator_count);
    for (int k = 0; k < d->operator_count; k++)
        h->weight[k] = f->weights ? f->weights[k] : approach(h->weight[k], target[k], t);
}

static float wrap(float angle) {
    const float turn = 6.28318531f;
    angle -= turn * floorf(angle / turn);
    return angle >= 0 && angle < turn ? angle : 0;
}

static void advance_phases(vo_rt_upsample_head *h, const vo_rt_upsample_frame *f) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    for (int i = 0; i < d->operator_count; i++) {
        const vo_rt_operator_record *r = &d->operators[i];
        float s = r->mode_wind > 0 ? f_min(h->wind / r->mode_wind, MAX_WIND_RATIO) : 1;
        for (int k = 0; k < r->mode_count; k++)
            h->phase[i][k] = wrap(h->phase[i][k] + d->number[r->modes + (uint32_t)k] * s * f->dt);
    }
}

void vo_rt_upsample_sample(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    int vertices = f->asset->vertex_count;
    bool starts = !u->head.has_output;
    read_vertices(u, f);
    if (starts) start_samples(u, vertices);
    float t = 1 - expf(-f->dt / SMOOTHING_TIME);
    if (!starts) smooth_motion(&u->head, measure_motion(u, f), t);
    set_weights(&u->head, f, starts ? 1 : t); /* the motion is that before a teleport */
    advance_phases(&u->head, f);
    if (u->history > 0) {
        add_samples(u, vertices, f->dt);
        read_history(u, vertices);
    }
    memcpy(u->last, u->input, (size_t)vertices * sizeof *u->last);
    u->origin = find_mean(u->input, vertices);
    for (int i = 0; i < vertices * (1 + u->history); i++)
        u->input[i] = f4_make(f3_sub(f4_xyz(u->input[i]), u->origin), 0);
}
