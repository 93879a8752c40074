/* Products of dense operators with points, 32 rows at a time with 32-byte registers and 16 with
 * 16-byte ones: the coordinates of a column are broadcast and multiplied with its rows, eight per
 * register, so that nothing is summed across lanes. */
#include "math/simd_float.h"

#include "rt/detail/operator_kernels.h"

#ifdef VO_SIMD_AVX
enum { BLOCKS = 4 }; /* registers of eight rows */
#else
enum { BLOCKS = 2 };
#endif
/* Columns by which memory is prefetched; a strip is read in one stream. */
enum { AHEAD = 24 };

typedef struct row_sums {
    vo_v8 sum[BLOCKS];
} row_sums;

VO_INLINE vo_v8 add_product(vo_v8 sum, vo_f8 a, vo_f8 x, vo_f8 y, vo_f8 z) {
    return (vo_v8){sum.x + a * x, sum.y + a * y, sum.z + a * z};
}

/* Adds the sums to consecutive points. */
VO_INLINE void store_sums(const row_sums *s, vo_rt_vec4 *out) {
    static const int32_t index[VO_F8_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int b = 0; b < BLOCKS; b++, out += VO_F8_LANES) {
        vo_f8 w;
        vo_v8 old = v8_gather(out, index, &w);
        v8_scatter(out, index, v8_add(old, s->sum[b]), f8_set(0));
    }
}

/* `strip` points at the first of BLOCKS * 8 rows of a strip. */
static void add_dense_rows(const float *strip, int columns, const vo_rt_vec4 *input,
                           vo_rt_vec4 *out) {
    row_sums s = {0};
    for (int j = 0; j < columns; j++, strip += VO_RT_STRIP) {
        vo_f8 x = f8_set(input[j].x), y = f8_set(input[j].y), z = f8_set(input[j].z);
        for (int b = 0; b < BLOCKS; b += 2) __builtin_prefetch(strip + AHEAD * VO_RT_STRIP + 8 * b);
        for (int b = 0; b < BLOCKS; b++)
            s.sum[b] = add_product(s.sum[b], f8_load(strip + 8 * b), x, y, z);
    }
    store_sums(&s, out);
}

static void add_half_rows(const uint16_t *strip, int columns, const vo_rt_vec4 *input,
                          vo_rt_vec4 *out) {
    row_sums s = {0};
    for (int j = 0; j < columns; j++, strip += VO_RT_STRIP) {
        vo_f8 x = f8_set(input[j].x), y = f8_set(input[j].y), z = f8_set(input[j].z);
        __builtin_prefetch(strip + AHEAD * VO_RT_STRIP);
        for (int b = 0; b < BLOCKS; b++)
            s.sum[b] = add_product(s.sum[b], f8_load_half(strip + 8 * b), x, y, z);
    }
    store_sums(&s, out);
}

static void add_dense(const float *strips, int rows, int columns, const vo_rt_vec4 *input,
                      vo_rt_vec4 *out) {
    size_t size = (size_t)columns * VO_RT_STRIP;
    for (int first = 0; first < rows; first += VO_RT_STRIP, strips += size)
        for (int row = 0; row < VO_RT_STRIP; row += 8 * BLOCKS)
            add_dense_rows(strips + row, columns, input, out + first + row);
}

static void add_half(const uint16_t *strips, int rows, int columns, const vo_rt_vec4 *input,
                     vo_rt_vec4 *out) {
    size_t size = (size_t)columns * VO_RT_STRIP;
    for (int first = 0; first < rows; first += VO_RT_STRIP, strips += size)
        for (int row = 0; row < VO_RT_STRIP; row += 8 * BLOCKS)
            add_half_rows(strips + row, columns, input, out + first + row);
}

const vo_rt_operator_kernels VO_KERNEL(vo_rt_operator_kernels) = {VO_KERNEL(vo_rt_apply_base),
                                                                  add_dense,
                                                                  add_half,
                                                                  VO_KERNEL(vo_rt_add_sparse),
                                                                  VO_KERNEL(vo_rt_add_modes),
                                                                  VO_KERNEL(vo_rt_node_normals),
                                                                  VO_KERNEL(vo_rt_push_points)};
