/* SIMD vectors of eight floats, one element per lane: scalar, SSE, AVX, NEON and wasm SIMD128 code
 * under the same names.
 *
 * The types are vector extensions of gcc and clang, so + - * / and comparisons are plain operators
 * with the same meaning on every processor; targets with 16-byte registers use two halves. All
 * functions are exact in the IEEE sense (square root and division, never the estimates of the
 * processor), and fused multiply-add is disabled (-ffp-contract=off), so all variants are
 * bit-identical; tests/rt/test_simd_float.c compares them. VO_SIMD_SCALAR selects a variant that
 * processes the lanes one by one. Rejected: hardware gather instructions. Elements are 16 bytes, so
 * eight loads and a transpose fetch four values per lane; gathers would need four instructions of
 * eight loads each. */
#ifndef VO_MATH_SIMD_FLOAT_H
#define VO_MATH_SIMD_FLOAT_H

#include "math/simd.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* gcc's thread sanitizer instruments each byte of a vector access (math/simd.h). */
#if defined(__SANITIZE_THREAD__) && !defined(VO_SIMD_SCALAR)
#define VO_SIMD_SCALAR 1
#endif

#ifndef VO_SIMD_SCALAR
#if defined(__AVX__)
#define VO_SIMD_AVX 1
#elif defined(__SSE2__)
#include <emmintrin.h>
#define VO_SIMD_SSE 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define VO_SIMD_NEON 1
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define VO_SIMD_WASM 1
#endif
#endif

enum { VO_F8_LANES = 8 };

typedef float vo_f8 __attribute__((vector_size(32)));
typedef int32_t vo_m8 __attribute__((vector_size(32))); /* masks: all bits of a lane, or none */

/* Coordinates of eight points. */
typedef struct vo_v8 {
    vo_f8 x, y, z;
} vo_v8;

/* Conversion of half floats by the processor; clang cannot test for it before version 18. */
#if defined(__F16C__) && !defined(__clang__)
#define VO_SIMD_F16C 1
#endif

/* True if the processor runs the AVX2 variants of *_kernel.c files and they were built. */
static inline bool vo_simd_has_avx2(void) {
#if defined(VO_HAVE_AVX2_KERNELS) && defined(__clang__)
    return __builtin_cpu_supports("avx2") != 0;
#elif defined(VO_HAVE_AVX2_KERNELS)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}

VO_INLINE vo_f8 f8_set(float s) { return (vo_f8){s, s, s, s, s, s, s, s}; }
VO_INLINE vo_m8 m8_set(int32_t s) { return (vo_m8){s, s, s, s, s, s, s, s}; }

/* --- Load and store, with the alignment of the elements ------------------------------------- */

#ifdef VO_SIMD_SCALAR
VO_INLINE vo_f8 f8_load(const float *p) {
    return (vo_f8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}
VO_INLINE void f8_store(float *p, vo_f8 v) {
    for (int k = 0; k < VO_F8_LANES; k++) p[k] = v[k];
}
VO_INLINE vo_m8 m8_load(const int32_t *p) {
    return (vo_m8){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}
#else
VO_INLINE vo_f8 f8_load(const float *p) {
    vo_f8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
VO_INLINE void f8_store(float *p, vo_f8 v) { memcpy(p, &v, sizeof v); }
VO_INLINE vo_m8 m8_load(const int32_t *p) {
    vo_m8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
#endif

/* Eight half floats (IEEE 754 binary16), finite: exact values, subnormal ones as well. */
#if defined(VO_SIMD_F16C) && defined(VO_SIMD_AVX)
VO_INLINE vo_f8 f8_load_half(const uint16_t *p) {
    return (vo_f8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
#else
VO_INLINE vo_f8 f8_load_half(const uint16_t *p) {
    typedef int16_t half_lanes __attribute__((vector_size(16)));
    half_lanes h;
    memcpy(&h, p, sizeof h);
    vo_m8 bits = __builtin_convertvector(h, vo_m8); /* with copies of the sign */
    bits = (bits << 13) & m8_set((int32_t)0x8fffe000u);
    return (vo_f8)bits * f8_set(5.192296858534828e33f); /* 2^112: the biases differ by 112 */
}
#endif

/* --- Selection and elementary functions ------------------------------------------------------ */

/* Halves of a vector and their combination, for targets with 16-byte registers. */
#if defined(VO_SIMD_SSE) || defined(VO_SIMD_NEON) || defined(VO_SIMD_WASM)
#define VO_SIMD_HALVES 1
VO_INLINE vo_f4 f8_low(vo_f8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
VO_INLINE vo_f4 f8_high(vo_f8 a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7); }
VO_INLINE vo_f8 f8_join(vo_f4 low, vo_f4 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

/* mask ? yes : no */
#ifdef VO_SIMD_AVX
VO_INLINE vo_f8 f8_select(vo_m8 mask, vo_f8 yes, vo_f8 no) {
    return (vo_f8)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}
#elif defined(VO_SIMD_SCALAR)
VO_INLINE vo_f8 f8_select(vo_m8 mask, vo_f8 yes, vo_f8 no) {
    for (int k = 0; k < VO_F8_LANES; k++) no[k] = mask[k] ? yes[k] : no[k];
    return no;
}
#else
VO_INLINE vo_f8 f8_select(vo_m8 mask, vo_f8 yes, vo_f8 no) {
    return (vo_f8)((mask & (vo_m8)yes) | (~mask & (vo_m8)no));
}
#endif
/* mask ? a : 0 */
VO_INLINE vo_f8 f8_mask(vo_m8 mask, vo_f8 a) { return (vo_f8)(mask & (vo_m8)a); }
VO_INLINE vo_f8 f8_abs(vo_f8 a) { return (vo_f8)((vo_m8)a & m8_set(INT32_MAX)); }

/* a < b ? a : b and a > b ? a : b: b if either is not a number. */
#if defined(VO_SIMD_AVX)
VO_INLINE vo_f8 f8_min(vo_f8 a, vo_f8 b) { return (vo_f8)_mm256_min_ps((__m256)a, (__m256)b); }
VO_INLINE vo_f8 f8_max(vo_f8 a, vo_f8 b) { return (vo_f8)_mm256_max_ps((__m256)a, (__m256)b); }
#elif defined(VO_SIMD_SSE)
VO_INLINE vo_f8 f8_min(vo_f8 a, vo_f8 b) {
    return f8_join((vo_f4)_mm_min_ps((__m128)f8_low(a), (__m128)f8_low(b)),
                   (vo_f4)_mm_min_ps((__m128)f8_high(a), (__m128)f8_high(b)));
}
VO_INLINE vo_f8 f8_max(vo_f8 a, vo_f8 b) {
    return f8_join((vo_f4)_mm_max_ps((__m128)f8_low(a), (__m128)f8_low(b)),
                   (vo_f4)_mm_max_ps((__m128)f8_high(a), (__m128)f8_high(b)));
}
#else
VO_INLINE vo_f8 f8_min(vo_f8 a, vo_f8 b) { return f8_select(a < b, a, b); }
VO_INLINE vo_f8 f8_max(vo_f8 a, vo_f8 b) { return f8_select(a > b, a, b); }
#endif
VO_INLINE vo_f8 f8_clamp(vo_f8 a, vo_f8 low, vo_f8 high) { return f8_min(f8_max(a, low), high); }

#if defined(VO_SIMD_AVX)
VO_INLINE vo_f8 f8_sqrt(vo_f8 a) { return (vo_f8)_mm256_sqrt_ps((__m256)a); }
#elif defined(VO_SIMD_SSE)
VO_INLINE vo_f8 f8_sqrt(vo_f8 a) {
    return f8_join((vo_f4)_mm_sqrt_ps((__m128)f8_low(a)), (vo_f4)_mm_sqrt_ps((__m128)f8_high(a)));
}
#elif defined(VO_SIMD_NEON)
VO_INLINE vo_f8 f8_sqrt(vo_f8 a) {
    return f8_join((vo_f4)vsqrtq_f32((float32x4_t)f8_low(a)),
                   (vo_f4)vsqrtq_f32((float32x4_t)f8_high(a)));
}
#elif defined(VO_SIMD_WASM)
VO_INLINE vo_f8 f8_sqrt(vo_f8 a) {
    return f8_join((vo_f4)wasm_f32x4_sqrt((v128_t)f8_low(a)),
                   (vo_f4)wasm_f32x4_sqrt((v128_t)f8_high(a)));
}
#else
VO_INLINE vo_f8 f8_sqrt(vo_f8 a) {
    for (int k = 0; k < VO_F8_LANES; k++) a[k] = sqrtf(a[k]);
    return a;
}
#endif
/* 1 / sqrt(a), rounded twice: infinite for 0. */
VO_INLINE vo_f8 f8_rsqrt(vo_f8 a) { return f8_set(1) / f8_sqrt(a); }
/* a / b where |b| > least, 0 elsewhere. */
VO_INLINE vo_f8 f8_divide(vo_f8 a, vo_f8 b, float least) {
    vo_m8 valid = f8_abs(b) > f8_set(least);
    return f8_mask(valid, a / f8_select(valid, b, f8_set(1)));
}

/* Bit k is set if lane k of the mask is. */
#if defined(VO_SIMD_AVX)
VO_INLINE unsigned m8_bits(vo_m8 m) { return (unsigned)_mm256_movemask_ps((__m256)m); }
#elif defined(VO_SIMD_SSE)
VO_INLINE unsigned m8_bits(vo_m8 m) {
    return (unsigned)_mm_movemask_ps((__m128)f8_low((vo_f8)m)) |
           (unsigned)_mm_movemask_ps((__m128)f8_high((vo_f8)m)) << 4;
}
#else
VO_INLINE unsigned m8_bits(vo_m8 m) {
    unsigned bits = 0;
    for (int k = 0; k < VO_F8_LANES; k++) bits |= ((uint32_t)m[k] >> 31) << k;
    return bits;
}
#endif
VO_INLINE bool m8_any(vo_m8 m) { return m8_bits(m) != 0; }
VO_INLINE bool m8_all(vo_m8 m) { return m8_bits(m) == 255; }

/* Sums and extrema over the lanes, in the same order for all variants. */
VO_INLINE float f8_sum(vo_f8 a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}
VO_INLINE float f8_max_lane(vo_f8 a) {
    float m = a[0];
    for (int k = 1; k < VO_F8_LANES; k++) m = a[k] > m ? a[k] : m;
    return m;
}

/* --- Gather and scatter of 16-byte elements --------------------------------------------------- */

/* Loads the elements `index` of an array of four floats each; *w receives the fourth values. */
#if defined(VO_SIMD_AVX)
VO_INLINE __m256 f8_load_pair(const float *array, int32_t low, int32_t high) {
    __m256 pair = _mm256_castps128_ps256(_mm_loadu_ps(array + 4 * (ptrdiff_t)low));
    return _mm256_insertf128_ps(pair, _mm_loadu_ps(array + 4 * (ptrdiff_t)high), 1);
}
VO_INLINE vo_v8 v8_gather(const void *elements, const int32_t index[VO_F8_LANES], vo_f8 *w) {
    const float *array = elements;
    __m256 p0 = f8_load_pair(array, index[0], index[4]),
           p1 = f8_load_pair(array, index[1], index[5]);
    __m256 p2 = f8_load_pair(array, index[2], index[6]),
           p3 = f8_load_pair(array, index[3], index[7]);
    __m256 xy01 = _mm256_unpacklo_ps(p0, p1), zw01 = _mm256_unpackhi_ps(p0, p1);
    __m256 xy23 = _mm256_unpacklo_ps(p2, p3), zw23 = _mm256_unpackhi_ps(p2, p3);
    *w = (vo_f8)_mm256_shuffle_ps(zw01, zw23, 0xee);
    return (vo_v8){(vo_f8)_mm256_shuffle_ps(xy01, xy23, 0x44),
                   (vo_f8)_mm256_shuffle_ps(xy01, xy23, 0xee),
                   (vo_f8)_mm256_shuffle_ps(zw01, zw23, 0x44)};
}
#elif defined(VO_SIMD_HALVES)
/* Columns of the 4x4 matrix with the given rows. */
VO_INLINE void f4_transpose(vo_f4 r[4]) {
    vo_f4 xy01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    vo_f4 zw01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    vo_f4 xy23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    vo_f4 zw23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7);
}
VO_INLINE vo_v8 v8_gather(const void *elements, const int32_t index[VO_F8_LANES], vo_f8 *w) {
    const float *array = elements;
    vo_f4 low[4], high[4];
    for (int k = 0; k < 4; k++) {
        low[k] = f4_load(array + 4 * (ptrdiff_t)index[k]);
        high[k] = f4_load(array + 4 * (ptrdiff_t)index[4 + k]);
    }
    f4_transpose(low);
    f4_transpose(high);
    *w = f8_join(low[3], high[3]);
    return (vo_v8){f8_join(low[0], high[0]), f8_join(low[1], high[1]), f8_join(low[2], high[2])};
}
#else
VO_INLINE vo_v8 v8_gather(const void *elements, const int32_t index[VO_F8_LANES], vo_f8 *w) {
    const float *array = elements;
    vo_v8 v = {0};
    for (int k = 0; k < VO_F8_LANES; k++) {
        const float *p = array + 4 * (ptrdiff_t)index[k];
        v.x[k] = p[0], v.y[k] = p[1], v.z[k] = p[2], (*w)[k] = p[3];
    }
    return v;
}
#endif

/* Stores all four values of the elements `index`, in the order of the lanes. */
#if defined(VO_SIMD_AVX)
VO_INLINE void f8_store_pair(float *array, int32_t low, int32_t high, __m256 pair) {
    _mm_storeu_ps(array + 4 * (ptrdiff_t)low, _mm256_castps256_ps128(pair));
    _mm_storeu_ps(array + 4 * (ptrdiff_t)high, _mm256_extractf128_ps(pair, 1));
}
VO_INLINE void v8_scatter(void *elements, const int32_t index[VO_F8_LANES], vo_v8 v, vo_f8 w) {
    float *array = elements;
    __m256 x = (__m256)v.x, y = (__m256)v.y, z = (__m256)v.z;
    __m256 xy01 = _mm256_unpacklo_ps(x, y), xy23 = _mm256_unpackhi_ps(x, y);
    __m256 zw01 = _mm256_unpacklo_ps(z, (__m256)w), zw23 = _mm256_unpackhi_ps(z, (__m256)w);
    f8_store_pair(array, index[0], index[4], _mm256_shuffle_ps(xy01, zw01, 0x44));
    f8_store_pair(array, index[1], index[5], _mm256_shuffle_ps(xy01, zw01, 0xee));
    f8_store_pair(array, index[2], index[6], _mm256_shuffle_ps(xy23, zw23, 0x44));
    f8_store_pair(array, index[3], index[7], _mm256_shuffle_ps(xy23, zw23, 0xee));
}
#elif defined(VO_SIMD_HALVES)
VO_INLINE void v8_scatter(void *elements, const int32_t index[VO_F8_LANES], vo_v8 v, vo_f8 w) {
    float *array = elements;
    vo_f4 low[4] = {f8_low(v.x), f8_low(v.y), f8_low(v.z), f8_low(w)};
    vo_f4 high[4] = {f8_high(v.x), f8_high(v.y), f8_high(v.z), f8_high(w)};
    f4_transpose(low);
    f4_transpose(high);
    for (int k = 0; k < 4; k++) f4_store(array + 4 * (ptrdiff_t)index[k], low[k]);
    for (int k = 0; k < 4; k++) f4_store(array + 4 * (ptrdiff_t)index[4 + k], high[k]);
}
#else
VO_INLINE void v8_scatter(void *elements, const int32_t index[VO_F8_LANES], vo_v8 v, vo_f8 w) {
    float *array = elements;
    for (int k = 0; k < VO_F8_LANES; k++) {
        float *p = array + 4 * (ptrdiff_t)index[k];
        p[0] = v.x[k], p[1] = v.y[k], p[2] = v.z[k], p[3] = w[k];
    }
}
#endif

/* --- Vectors ---------------------------------------------------------------------------------- */

VO_INLINE vo_v8 v8_set(float x, float y, float z) {
    return (vo_v8){f8_set(x), f8_set(y), f8_set(z)};
}
VO_INLINE vo_v8 v8_add(vo_v8 a, vo_v8 b) { return (vo_v8){a.x + b.x, a.y + b.y, a.z + b.z}; }
VO_INLINE vo_v8 v8_sub(vo_v8 a, vo_v8 b) { return (vo_v8){a.x - b.x, a.y - b.y, a.z - b.z}; }
VO_INLINE vo_v8 v8_scale(vo_f8 s, vo_v8 a) { return (vo_v8){s * a.x, s * a.y, s * a.z}; }
/* a + s b */
VO_INLINE vo_v8 v8_add_scaled(vo_v8 a, vo_f8 s, vo_v8 b) {
    return (vo_v8){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
VO_INLINE vo_f8 v8_dot(vo_v8 a, vo_v8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
VO_INLINE vo_v8 v8_cross(vo_v8 a, vo_v8 b) {
    return (vo_v8){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---- Arc tangent ---------------------------------------------------------------------------- */

/* Angle of (x, y) against the x axis in [-pi, pi], 0 for the zero vector; independent of the C
 * library. The method is that of math/simd_atan2.h with four coefficients (minimax error 2e-8
 * before rounding); the absolute error is below 4e-7. The sign of a zero is ignored. */
VO_INLINE vo_f8 f8_atan2(vo_f8 y, vo_f8 x) {
    const vo_f8 zero = f8_set(0), one = f8_set(1);
    vo_f8 ax = f8_abs(x), ay = f8_abs(y);
    vo_m8 steep = ay > ax, left = x < zero;
    vo_f8 low = f8_select(steep, ax, ay), high = f8_select(steep, ay, ax);

    vo_m8 upper = low > 0.41421356f * high; /* tan(pi/8) */
    vo_f8 numerator = f8_select(upper, low - high, low);
    vo_f8 q = f8_divide(numerator, f8_select(upper, low + high, high), 0);
    vo_f8 z = q * q;
    vo_f8 series =
        ((8.060308880e-2f * z - 1.387984996e-1f) * z + 1.997792608e-1f) * z - 3.333295525e-1f;
    vo_f8 r = q + q * (z * series);

    /* |angle| = eighths pi/4 + sign r */
    vo_f8 eighths = f8_mask(upper, one), sign = one;
    eighths = f8_select(steep, f8_set(2) - eighths, eighths);
    sign = f8_select(steep, -sign, sign);
    eighths = f8_select(left, f8_set(4) - eighths, eighths);
    sign = f8_select(left, -sign, sign);
    vo_f8 angle = eighths * 0.78539816f + sign * r;
    return f8_select(y < zero, -angle, angle);
}

#endif
