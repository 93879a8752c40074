/* Products of dense operators with points, 32 rows at a time (16 with sixteen registers of 16
 * bytes): the coordinates of a column are broadcast and multiplied with its rows, one register of
 * rows after the other, so that nothing is summed across lanes. */
#include "math/simd_float.h"

#include "rt/detail/operator_kernels.h"

/* Registers of the processor: compilers keep halves of wider vectors in memory. */
#ifdef VO_SIMD_AVX
typedef vo_f8 lanes;
enum { LANES = 8, BLOCKS = 4 };
#elif defined(VO_SIMD_NEON)
typedef vo_f4 lanes;
enum { LANES = 4, BLOCKS = 8 };
#else
typedef vo_f4 lanes;
enum { LANES = 4, BLOCKS = 4 };
#endif
enum { ROWS = LANES * BLOCKS };
/* Columns by which memory is prefetched; a strip is read in one stream. */
enum { AHEAD = 24 };

typedef struct row_sums {
    lanes x[BLOCKS], y[BLOCKS], z[BLOCKS];
} row_sums;

#ifdef VO_SIMD_AVX
VO_INLINE lanes broadcast(float s) { return f8_set(s); }
VO_INLINE lanes load(const float *p) { return f8_load(p); }
VO_INLINE lanes load_half(const uint16_t *p) { return f8_load_half(p); }

/* Adds the sums of a block to consecutive points. */
VO_INLINE void store_block(const row_sums *s, int b, vo_rt_vec4 *out) {
    static const int32_t index[VO_F8_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    vo_f8 w;
    vo_v8 old = v8_gather(out, index, &w);
    v8_scatter(out, index, v8_add(old, (vo_v8){s->x[b], s->y[b], s->z[b]}), f8_set(0));
}
#else
VO_INLINE lanes broadcast(float s) { return f4_set(s); }
VO_INLINE lanes load(const float *p) { return f4_load(p); }
VO_INLINE lanes load_half(const uint16_t *p) {
    typedef int16_t half_lanes __attribute__((vector_size(8)));
    half_lanes h;
    memcpy(&h, p, sizeof h);
    vo_m4 bits = __builtin_convertvector(h, vo_m4), mask = {-1, -1, -1, -1};
    bits = (bits << 13) & (mask & (int32_t)0x8fffe000u); /* as f8_load_half */
    return (vo_f4)bits * f4_set(5.192296858534828e33f);
}

VO_INLINE void store_block(const row_sums *s, int b, vo_rt_vec4 *out) {
    float x[LANES], y[LANES], z[LANES];
    f4_store(x, s->x[b]);
    f4_store(y, s->y[b]);
    f4_store(z, s->z[b]);
    for (int k = 0; k < LANES; k++)
        f4_store(&out[k], f4_load(&out[k]) + (vo_f4){x[k], y[k], z[k], 0});
}
#endif

VO_INLINE void store_sums(const row_sums *s, vo_rt_vec4 *out) {
    for (int b = 0; b < BLOCKS; b++) store_block(s, b, out + b * LANES);
}

VO_INLINE void add_product(row_sums *s, int b, lanes a, lanes x, lanes y, lanes z) {
    s->x[b] += a * x;
    s->y[b] += a * y;
    s->z[b] += a * z;
}

/* `strip` points at the first of ROWS rows of a strip. */
static void add_dense_rows(const float *strip, int columns, const vo_rt_vec4 *input,
                           vo_rt_vec4 *out) {
    row_sums s = {0};
    for (int j = 0; j < columns; j++, strip += VO_RT_STRIP) {
        lanes x = broadcast(input[j].x), y = broadcast(input[j].y), z = broadcast(input[j].z);
        for (int row = 0; row < ROWS; row += 16)
            __builtin_prefetch(strip + AHEAD * VO_RT_STRIP + row);
        for (int b = 0; b < BLOCKS; b++) add_product(&s, b, load(strip + LANES * b), x, y, z);
    }
    store_sums(&s, out);
}

static void add_half_rows(const uint16_t *strip, int columns, const vo_rt_vec4 *input,
                          vo_rt_vec4 *out) {
    row_sums s = {0};
    for (int j = 0; j < columns; j++, strip += VO_RT_STRIP) {
        lanes x = broadcast(input[j].x), y = broadcast(input[j].y), z = broadcast(input[j].z);
        __builtin_prefetch(strip + AHEAD * VO_RT_STRIP);
        for (int b = 0; b < BLOCKS; b++) add_product(&s, b, load_half(strip + LANES * b), x, y, z);
    }
    store_sums(&s, out);
}

static void add_dense(const float *strips, int rows, int columns, const vo_rt_vec4 *input,
                      vo_rt_vec4 *out) {
    size_t size = (size_t)columns * VO_RT_STRIP;
    for (int first = 0; first < rows; first += VO_RT_STRIP, strips += size)
        for (int row = 0; row < VO_RT_STRIP; row += ROWS)
            add_dense_rows(strips + row, columns, input, out + first + row);
}

static void add_half(const uint16_t *strips, int rows, int columns, const vo_rt_vec4 *input,
                     vo_rt_vec4 *out) {
    size_t size = (size_t)columns * VO_RT_STRIP;
    for (int first = 0; first < rows; first += VO_RT_STRIP, strips += size)
        for (int row = 0; row < VO_RT_STRIP; row += ROWS)
            add_half_rows(strips + row, columns, input, out + first + row);
}

const vo_rt_operator_kernels VO_KERNEL(vo_rt_operator_kernels) = {VO_KERNEL(vo_rt_apply_base),
                                                                  add_dense,
                                                                  add_half,
                                                                  VO_KERNEL(vo_rt_add_sparse),
                                                                  VO_KERNEL(vo_rt_add_modes),
                                                                  VO_KERNEL(vo_rt_node_normals),
                                                                  VO_KERNEL(vo_rt_push_points)};
