/* Poses: rotation, uniform scale, translation. */
#include "rt/body/shape.h"

static const vo_rt_quat IDENTITY = {0, 0, 0, 1};

static vo_rt_quat normalize(vo_rt_quat q) {
    float n = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(n > 1e-20f)) return IDENTITY;
    return (vo_rt_quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

vo_rt_pose vo_rt_pose_from_transform(vo_rt_transform t) {
    return (vo_rt_pose){t.position, normalize(t.rotation), 1};
}

/* Quaternion of the rotation with columns x, y and z (Shepperd's method). */
static vo_rt_quat from_columns(vo_rt_vec3 x, vo_rt_vec3 y, vo_rt_vec3 z) {
    float trace = x.x + y.y + z.z;
    if (trace > 0) return (vo_rt_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace};
    if (x.x >= y.y && x.x >= z.z)
        return (vo_rt_quat){1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y};
    if (y.y >= z.z) return (vo_rt_quat){y.x + x.y, 1 + y.y - x.x - z.z, z.y + y.z, z.x - x.z};
    return (vo_rt_quat){z.x + x.z, z.y + y.z, 1 + z.z - x.x - y.y, x.y - y.x};
}

vo_rt_pose vo_rt_pose_from_matrix(const vo_rt_matrix *matrix) {
    const float *m = matrix->m;
    vo_rt_vec3 x = f3(m[0], m[4], m[8]), y = f3(m[1], m[5], m[9]), z = f3(m[2], m[6], m[10]);
    vo_rt_pose pose = {f3(m[3], m[7], m[11]), IDENTITY, 0};
    float volume = fabsf(f3_dot(x, f3_cross(y, z)));
    if (!(volume > 1e-18f)) return pose;
    pose.scale = cbrtf(volume);
    /* Gram-Schmidt */
    x = f3_normalize(x);
    y = f3_normalize(f3_add_scaled(y, -f3_dot(x, y), x));
    pose.rotation = normalize(from_columns(x, y, f3_cross(x, y)));
    return pose;
}

vo_rt_pose vo_rt_pose_multiply(vo_rt_pose outer, vo_rt_pose inner) {
    return (vo_rt_pose){vo_rt_pose_apply(outer, inner.position),
                        normalize(fq_mul(outer.rotation, inner.rotation)),
                        outer.scale * inner.scale};
}

vo_rt_pose vo_rt_pose_interpolate(vo_rt_pose a, vo_rt_pose b, float s) {
    if (s <= 0) return a;
    if (s >= 1) return b;
    vo_rt_quat p = a.rotation, q = b.rotation;
    float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -s : s, r = 1 - s;
    vo_rt_quat mix = {r * p.x + sign * q.x, r * p.y + sign * q.y, r * p.z + sign * q.z,
                      r * p.w + sign * q.w};
    return (vo_rt_pose){f3_lerp(a.position, b.position, s), normalize(mix),
                        a.scale + s * (b.scale - a.scale)};
}
