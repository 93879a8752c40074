/* Distances of vertices from round shapes, eight at a time. */
#include "math/simd_float.h"

#include "rt/contact/round.h"

#include <string.h>

/* Signed distances of eight points from a shell whose axis begins at `origin`. */
VO_INLINE vo_f8 find_distance(const vo_rt_round *r, vo_rt_vec3 origin, vo_rt_vec3 axis, vo_v8 x) {
    vo_v8 d = v8_sub(x, v8_set(origin.x, origin.y, origin.z));
    vo_f8 along = v8_dot(d, v8_set(axis.x, axis.y, axis.z));
    vo_f8 radial2 = f8_max(v8_dot(d, d) - along * along, f8_set(0));
    /* The nearest of the spheres on the axis. */
    vo_f8 at =
        f8_clamp(along - f8_sqrt(radial2) * f8_set(r->tangent), f8_set(0), f8_set(r->length));
    vo_f8 rest = along - at;
    return f8_sqrt(radial2 + rest * rest) - (f8_set(r->radius) + f8_set(r->slope) * at);
}

static void find_nearest(const vo_rt_round *shape, int count, const vo_rt_vec4 *position,
                         const int32_t a[8], const int32_t b[8], vo_rt_round_near *out) {
    vo_f8 w, d0 = f8_set(INFINITY), d1 = d0;
    vo_m8 s0 = m8_set(-1), s1 = s0;
    vo_v8 sum = v8_add(v8_gather(position, a, &w), v8_gather(position, b, &w));
    vo_v8 x = v8_scale(f8_set(0.5f), sum);
    for (int k = 0; k < count; k++) {
        vo_f8 d = find_distance(&shape[k], shape[k].origin, shape[k].axis, x);
        vo_m8 first = d < d0, second = d < d1, index = m8_set(k);
        d1 = f8_select(first, d0, f8_select(second, d, d1));
        s1 = (first & s0) | (~first & ((second & index) | (~second & s1)));
        d0 = f8_select(first, d, d0);
        s0 = (first & index) | (~first & s0);
    }
    f8_store(out->distance[0], d0);
    f8_store(out->distance[1], d1);
    memcpy(out->shape[0], &s0, sizeof s0);
    memcpy(out->shape[1], &s1, sizeof s1);
}

static unsigned find_inside(const vo_rt_round *shape, int count, const vo_rt_vec4 *position,
                            const int32_t slot[8]) {
    vo_f8 w;
    vo_m8 inside = m8_set(0);
    vo_v8 x = v8_gather(position, slot, &w);
    for (int k = 0; k < count; k++)
        inside |= find_distance(&shape[k], shape[k].end_origin, shape[k].end_axis, x) <
                  f8_set(-shape[k].offset);
    return m8_bits(inside);
}

const vo_rt_round_kernels VO_KERNEL(vo_rt_round_kernels) = {find_nearest, find_inside};
