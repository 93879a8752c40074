/* Motion of the frame of a cloth: local-space inertia and teleport. */
#include "rt/world/world.h"

#include <string.h>

static vo_rt_quat normalize(vo_rt_quat q) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0)) return (vo_rt_quat){0, 0, 0, 1};
    return (vo_rt_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* Fraction s of a rotation, by normalised linear interpolation from the identity. */
static vo_rt_quat scale_rotation(vo_rt_quat q, float s) {
    if (q.w < 0) q = (vo_rt_quat){-q.x, -q.y, -q.z, -q.w};
    return normalize((vo_rt_quat){s * q.x, s * q.y, s * q.z, 1 + s * (q.w - 1)});
}

vo_rt_transform vo_rt_frame_lerp(vo_rt_transform a, vo_rt_transform b, float s) {
    vo_rt_quat turn = fq_mul(b.rotation, fq_conjugate(a.rotation));
    return (vo_rt_transform){f3_lerp(a.position, b.position, s),
                             normalize(fq_mul(scale_rotation(turn, s), a.rotation))};
}

/* Angular velocity of a rotation that takes dt seconds. */
static vo_rt_vec3 angular_velocity(vo_rt_quat q, float dt) {
    float s = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(s > 1e-9f) || !(dt > 0)) return f3(0, 0, 0);
    float angle = 2 * atan2f(s, q.w);
    return f3_scale(angle / (s * dt), f3(q.x, q.y, q.z));
}

static void turn_vertex(vo_rt_vec4 *x, vo_rt_vec3 origin, vo_rt_quat turn, vo_rt_vec3 to) {
    vo_rt_vec3 moved = f3_add(to, fq_rotate(turn, f3_sub(f4_xyz(*x), origin)));
    *x = f4_make(moved, x->w);
}

void vo_rt_frame_carry(vo_rt_cloth *c, vo_rt_transform from, vo_rt_transform to, float dt) {
    const vo_rt_cloth_inputs *in = &c->input;
    if (in->linear_inertia >= 1 && in->angular_inertia >= 1) return;
    vo_rt_quat turn = fq_mul(to.rotation, fq_conjugate(from.rotation));
    turn = scale_rotation(turn, 1 - in->angular_inertia);
    vo_rt_vec3 shift = f3_scale(1 - in->linear_inertia, f3_sub(to.position, from.position));
    vo_rt_vec3 target = f3_add(from.position, shift);
    vo_rt_vec3 w = angular_velocity(turn, dt);
    float kick = dt * in->centrifugal_inertia;
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        turn_vertex(&f->position[i], from.position, turn, target);
        vo_rt_vec3 r = f3_sub(f4_xyz(f->position[i]), target);
        vo_rt_vec3 centrifugal = f3_cross(f3_cross(w, r), w); /* -w x (w x r) */
        vo_rt_vec3 v = fq_rotate(turn, f4_xyz(f->velocity[i]));
        f->velocity[i] = f4_make(f3_add_scaled(v, kick, centrifugal), f->velocity[i].w);
    }
}

/* Covariance of the poses at the start and at the end of the step. */
static void cross_covariance(const vo_rt_cloth *c, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 m[3]) {
    for (int k = 0; k < 3; k++) m[k] = f3(0, 0, 0);
    for (int i = 0; i < c->asset->vertex_count; i++) {
        vo_rt_vec3 p = f3_sub(f4_xyz(c->pose_start[i]), a), q = f3_sub(f4_xyz(c->pose_end[i]), b);
        m[0] = f3_add_scaled(m[0], q.x, p);
        m[1] = f3_add_scaled(m[1], q.y, p);
        m[2] = f3_add_scaled(m[2], q.z, p);
    }
}

/* Twice the area of a triangle of a pose, along its normal. */
static vo_rt_vec3 pose_normal(const vo_rt_cloth *c, const vo_rt_vec4 *pose, int triangle) {
    const int32_t *v = c->asset->triangle[triangle].vertex;
    vo_rt_vec3 a = f4_xyz(pose[v[0]]);
    return f3_cross(f3_sub(f4_xyz(pose[v[1]]), a), f3_sub(f4_xyz(pose[v[2]]), a));
}

/* Adds the mean normal, so that the covariance of a flat cloth has full rank. The mean normal of a
 * closed one is about zero. */
static void add_normal(const vo_rt_cloth *c, vo_rt_vec3 m[3]) {
    vo_rt_vec3 n0 = f3(0, 0, 0), n1 = n0;
    float area0 = 0, area1 = 0;
    for (int t = 0; t < c->asset->triangle_count; t++) {
        vo_rt_vec3 a = pose_normal(c, c->pose_start, t), b = pose_normal(c, c->pose_end, t);
        n0 = f3_add(n0, a);
        n1 = f3_add(n1, b);
        area0 += f3_length(a);
        area1 += f3_length(b);
    }
    if (!(area0 > 0 && area1 > 0)) return;
    float scale = sqrtf(f3_length2(m[0]) + f3_length2(m[1]) + f3_length2(m[2]));
    n0 = f3_scale(1 / area0, n0);
    n1 = f3_scale(scale / area1, n1);
    m[0] = f3_add_scaled(m[0], n1.x, n0);
    m[1] = f3_add_scaled(m[1], n1.y, n0);
    m[2] = f3_add_scaled(m[2], n1.z, n0);
}

/* Rotation that best maps one pose to the other: the orthogonal factor of their covariance, by
 * Higham's iteration M <- (M + M^-T) / 2. False if the covariance is singular. */
static bool make_rotation(vo_rt_vec3 m[3]) {
    float size = sqrtf(f3_length2(m[0]) + f3_length2(m[1]) + f3_length2(m[2]));
    if (!(size > 1e-12f) || !isfinite(size)) return false;
    for (int k = 0; k < 3; k++) m[k] = f3_scale(1.7320508f / size, m[k]);
    for (int pass = 0; pass < 30; pass++) {
        vo_rt_vec3 c0 = f3_cross(m[1], m[2]), c1 = f3_cross(m[2], m[0]), c2 = f3_cross(m[0], m[1]);
        float det = f3_dot(m[0], c0);
        if (!(det > 1e-9f)) return false;
        m[0] = f3_scale(0.5f, f3_add_scaled(m[0], 1 / det, c0));
        m[1] = f3_scale(0.5f, f3_add_scaled(m[1], 1 / det, c1));
        m[2] = f3_scale(0.5f, f3_add_scaled(m[2], 1 / det, c2));
    }
    return true;
}

static vo_rt_vec3 mean(const vo_rt_vec4 *x, int count) {
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int i = 0; i < count; i++) sum = f3_add(sum, f4_xyz(x[i]));
    return f3_scale(1 / (float)count, sum);
}

static vo_rt_vec3 rotate(const vo_rt_vec3 m[3], vo_rt_vec3 v) {
    return f3(f3_dot(m[0], v), f3_dot(m[1], v), f3_dot(m[2], v));
}

static void find_turn(const vo_rt_cloth *c, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 m[3]) {
    cross_covariance(c, a, b, m);
    add_normal(c, m);
    if (make_rotation(m)) return;
    m[0] = f3(1, 0, 0);
    m[1] = f3(0, 1, 0);
    m[2] = f3(0, 0, 1);
}

void vo_rt_frame_teleport(vo_rt_cloth *c) {
    int count = c->asset->vertex_count;
    vo_rt_vec3 a = mean(c->pose_start, count), b = mean(c->pose_end, count), m[3];
    find_turn(c, a, b, m);
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        vo_rt_vec4 *moved[3] = {&f->position[i], &f->previous[i], &f->shown[i]};
        for (int k = 0; k < 3; k++) {
            vo_rt_vec3 x = f3_add(b, rotate(m, f3_sub(f4_xyz(*moved[k]), a)));
            *moved[k] = f4_make(x, moved[k]->w);
        }
        f->velocity[i] = f4_make(rotate(m, f4_xyz(f->velocity[i])), f->velocity[i].w);
    }
    memcpy(c->pose_start, c->pose_end, (size_t)count * sizeof *c->pose_start);
}
