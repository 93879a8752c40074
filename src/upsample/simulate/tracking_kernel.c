/* Products with the test functions, eight at a time. */
#include "math/simd_float.h"

#include "upsample/simulate/tracking.h"

/* Vertices whose contributions are summed in float. */
enum { BLOCK = 64 };

/* Adds the sums of a block to double. */
VO_INLINE void add_block(double *out, vo_f8 sum) {
    float lane[VO_F8_LANES];
    f8_store(lane, sum);
    for (int k = 0; k < VO_F8_LANES; k++) out[k] += (double)lane[k];
}

/* Sums of one group over vertices begin to end. */
VO_INLINE void gather_block(const float *weight, int begin, int end, const float *positions,
                            double *out, int stride) {
    vo_f8 x = f8_set(0), y = f8_set(0), z = f8_set(0);
    for (int i = begin; i < end; i++) {
        vo_f8 w = f8_load(weight + (size_t)i * VO_F8_LANES);
        const float *p = positions + (size_t)i * 4;
        x = x + w * f8_set(p[0]);
        y = y + w * f8_set(p[1]);
        z = z + w * f8_set(p[2]);
    }
    add_block(out, x);
    add_block(out + stride, y);
    add_block(out + 2 * stride, z);
}

static void VO_KERNEL(gather)(const float *weight, int group_count, int vertex_count,
                              const float *positions, double *out) {
    int stride = group_count * VO_F8_LANES;
    for (int begin = 0; begin < vertex_count; begin += BLOCK) {
        int end = begin + BLOCK < vertex_count ? begin + BLOCK : vertex_count;
        for (int g = 0; g < group_count; g++)
            gather_block(weight + (size_t)g * (size_t)vertex_count * VO_F8_LANES, begin, end,
                         positions, out + g * VO_F8_LANES, stride);
    }
}

/* Displacement of vertex i by the multipliers, times its inverse mass. */
static void VO_KERNEL(scatter)(const float *weight, int group_count, int vertex_count,
                               const float *lambda, float *positions) {
    int stride = group_count * VO_F8_LANES;
    for (int i = 0; i < vertex_count; i++) {
        float *p = positions + (size_t)i * 4;
        vo_f8 x = f8_set(0), y = f8_set(0), z = f8_set(0);
        if (!(p[3] > 0)) continue;
        for (int g = 0; g < group_count; g++) {
            const float *l = lambda + g * VO_F8_LANES;
            vo_f8 w =
                f8_load(weight + ((size_t)g * (size_t)vertex_count + (size_t)i) * VO_F8_LANES);
            x = x + w * f8_load(l);
            y = y + w * f8_load(l + stride);
            z = z + w * f8_load(l + 2 * stride);
        }
        p[0] += p[3] * f8_sum(x);
        p[1] += p[3] * f8_sum(y);
        p[2] += p[3] * f8_sum(z);
    }
}

const vo_upsample_tracking_kernels VO_KERNEL(vo_upsample_tracking_kernels) = {VO_KERNEL(gather),
                                                                              VO_KERNEL(scatter)};
