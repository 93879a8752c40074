/* Sparse rows, oscillatory modes and normals of the nodes. */
#include "math/simd_float.h"

#include "rt/detail/operator_kernels.h"

VO_INLINE vo_f4 sum_row(int begin, int end, const uint16_t *column, const float *weight,
                        const vo_rt_vec4 *input) {
    vo_f4 sum = f4_set(0);
    for (int k = begin; k < end; k++) sum += f4_set(weight[k]) * f4_load(&input[column[k]]);
    return sum;
}

void VO_KERNEL(vo_rt_apply_base)(const vo_rt_asset_detail *d, const vo_rt_vec4 *input,
                                 vo_rt_vec4 *out) {
    for (int i = 0; i < d->node_count; i++)
        f4_store(&out[i], sum_row(d->base_first[i], d->base_first[i + 1], d->base_column,
                                  d->base_weight, input));
}

void VO_KERNEL(vo_rt_add_sparse)(int rows, const int32_t *first, const uint16_t *column,
                                 const float *weight, const vo_rt_vec4 *input, vo_rt_vec4 *out) {
    for (int i = 0; i < rows; i++)
        f4_store(&out[i],
                 f4_load(&out[i]) + sum_row(first[i], first[i + 1], column, weight, input));
}

static const int32_t CONSECUTIVE[VO_F8_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};

void VO_KERNEL(vo_rt_add_modes)(int rows, int modes, const float *shape, const float *sine,
                                const float *cosine, const vo_rt_vec4 *normal, vo_rt_vec4 *out) {
    size_t padded = vo_rt_strips(rows) * VO_RT_STRIP;
    for (size_t i = 0; i < (size_t)rows; i += VO_F8_LANES) {
        vo_f8 height = f8_set(0), w;
        for (int k = 0; k < modes; k++) {
            const float *s = shape + 2 * (size_t)k * padded + i;
            height += f8_set(sine[k]) * f8_load(s) + f8_set(cosine[k]) * f8_load(s + padded);
        }
        vo_v8 x = v8_gather(out + i, CONSECUTIVE, &w), n = v8_gather(normal + i, CONSECUTIVE, &w);
        v8_scatter(out + i, CONSECUTIVE, v8_add_scaled(x, height, n), f8_set(0));
    }
}

/* a x b in the first three lanes; 0 in the last if both have the same number there. */
VO_INLINE vo_f4 cross(vo_f4 a, vo_f4 b) {
    vo_f4 ayzx = __builtin_shufflevector(a, a, 1, 2, 0, 3);
    vo_f4 byzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    vo_f4 c = a * byzx - ayzx * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

/* Adds the normal of a triangle, of twice its area, to its nodes. */
VO_INLINE void add_face(const int32_t *node, const uint32_t *corner, const vo_rt_vec4 *position,
                        vo_rt_vec4 *normal) {
    int32_t v[3] = {node[corner[0]], node[corner[1]], node[corner[2]]};
    vo_f4 a = f4_load(&position[v[0]]);
    vo_f4 n = cross(f4_load(&position[v[1]]) - a, f4_load(&position[v[2]]) - a);
    for (int k = 0; k < 3; k++) f4_store(&normal[v[k]], f4_load(&normal[v[k]]) + n);
}

/* Scaled first, so that the squares of tiny areas do not underflow. */
static void normalize(vo_rt_vec4 *normal, size_t count) {
    for (size_t i = 0; i < count; i += VO_F8_LANES) {
        vo_f8 w;
        vo_v8 n = v8_gather(normal + i, CONSECUTIVE, &w);
        vo_f8 size = f8_max(f8_max(f8_abs(n.x), f8_abs(n.y)), f8_abs(n.z));
        n = v8_scale(f8_divide(f8_set(1), size, 1e-35f), n);
        vo_f8 inverse = f8_divide(f8_set(1), f8_sqrt(v8_dot(n, n)), 0);
        v8_scatter(normal + i, CONSECUTIVE, v8_scale(inverse, n), f8_set(0));
    }
}

/* Neighbouring triangles share nodes, so that each would wait for the stores of the one in front:
 * four interleaved quarters of the list overlap in the processor. */
void VO_KERNEL(vo_rt_node_normals)(const vo_rt_asset_detail *d, const vo_rt_vec4 *position,
                                   vo_rt_vec4 *normal) {
    size_t padded = vo_rt_strips(d->node_count) * VO_RT_STRIP;
    int quarter = (d->triangle_count + 3) / 4;
    memset(normal, 0, padded * sizeof *normal);
    for (int row = 0; row < quarter; row++)
        for (int t = row; t < d->triangle_count; t += quarter)
            add_face(d->node, d->triangle + 3 * (size_t)t, position, normal);
    normalize(normal, padded);
}
