/* Moves points out of round shapes and planes, eight at a time. */
#include "math/simd_float.h"

#include "rt/detail/operator_kernels.h"

/* Signed distance of eight points from a shape at its level, and its gradient. */
typedef struct push_distance {
    vo_f8 distance;
    vo_v8 normal;
} push_distance;

VO_INLINE push_distance plane_distance(const vo_rt_push_shape *s, vo_v8 d) {
    vo_v8 normal = v8_set(s->axis.x, s->axis.y, s->axis.z);
    return (push_distance){v8_dot(d, normal) - f8_set(s->radius), normal};
}

/* The nearest of the spheres on the axis. */
VO_INLINE push_distance round_distance(const vo_rt_push_shape *s, vo_v8 d) {
    vo_v8 axis = v8_set(s->axis.x, s->axis.y, s->axis.z);
    vo_f8 along = v8_dot(d, axis);
    vo_f8 radial2 = f8_max(v8_dot(d, d) - along * along, f8_set(0));
    vo_f8 at =
        f8_clamp(along - f8_sqrt(radial2) * f8_set(s->tangent), f8_set(0), f8_set(s->length));
    vo_v8 r = v8_add_scaled(d, -at, axis);
    vo_f8 length = f8_sqrt(v8_dot(r, r));
    vo_f8 inverse = f8_divide(f8_set(1), length, 1e-12f);
    return (push_distance){length - (f8_set(s->radius) + f8_set(s->slope) * at),
                           v8_scale(inverse, r)};
}

VO_INLINE push_distance find_distance(const vo_rt_push_shape *s, vo_v8 x) {
    vo_v8 d = v8_sub(x, v8_set(s->origin.x, s->origin.y, s->origin.z));
    return s->length < 0 ? plane_distance(s, d) : round_distance(s, d);
}

static unsigned find_inside(const vo_rt_push_shape *const *shape, int count, vo_v8 x) {
    vo_m8 inside = m8_set(0);
    for (int k = 0; k < count; k++)
        inside |= find_distance(shape[k], x).distance < f8_set(-shape[k]->level);
    return m8_bits(inside);
}

/* A round moves each point out of one shape after the other. The last test is for the surfaces
 * themselves: the level is slack for shapes that leave little space between them. */
vo_rt_push_bits VO_KERNEL(vo_rt_push_points)(const vo_rt_push_shape *const *shape, int count,
                                             int rounds, vo_rt_vec4 point[8]) {
    static const int32_t index[VO_F8_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const vo_f8 zero = f8_set(0);
    vo_rt_push_bits bits = {0, 0};
    vo_f8 w;
    vo_v8 x = v8_gather(point, index, &w);
    vo_m8 is_free = w < f8_set(1);
    for (int round = 0; round < rounds; round++) {
        unsigned moved = 0;
        for (int k = 0; k < count; k++) {
            push_distance d = find_distance(shape[k], x);
            vo_m8 within = is_free & (d.distance < zero);
            vo_f8 depth = f8_mask(within, zero - d.distance);
            moved |= m8_bits(within);
            x = v8_add_scaled(x, depth, d.normal);
        }
        bits.moved |= moved;
        if (moved == 0) return bits;
        v8_scatter(point, index, x, w);
    }
    bits.inside = find_inside(shape, count, x) & m8_bits(is_free);
    return bits;
}
