/* SIMD vectors of four doubles or floats, one element per lane.
 *
 * Based on the vector extensions of gcc and clang, whose operators + - * / and comparisons have the
 * same meaning on every processor: without AVX they compile to two SSE2 halves, elsewhere to scalar
 * code. Fused multiply-add is disabled (-ffp-contract=off), so all variants of a kernel are
 * bit-identical; tests compare them. Files named *_kernel.c are compiled once per instruction set;
 * everything in this header is inlined into them. */
#ifndef VO_MATH_SIMD_H
#define VO_MATH_SIMD_H

#include "math/vec.h"

#include <stdint.h>
#include <string.h>

#ifdef __AVX__
#include <immintrin.h>
#elif defined(__SSE__)
#include <xmmintrin.h>
#endif

#if !defined(__GNUC__)
#error "math/simd.h needs the vector extensions of gcc or clang"
#endif

typedef double vo_d4 __attribute__((vector_size(32)));
typedef int64_t vo_i4 __attribute__((vector_size(32))); /* masks: all bits of a lane, or none */
typedef float vo_f4 __attribute__((vector_size(16)));

#define VO_INLINE static inline __attribute__((always_inline))

/* Name of this variant of a kernel: VO_KERNEL(vo_assemble) is vo_assemble_avx2 or _base. */
#ifdef VO_KERNEL_SUFFIX
#define VO_KERNEL_JOIN2(name, suffix) name##_##suffix
#define VO_KERNEL_JOIN(name, suffix)  VO_KERNEL_JOIN2(name, suffix)
#define VO_KERNEL(name)               VO_KERNEL_JOIN(name, VO_KERNEL_SUFFIX)
#endif

/* Load and store with the alignment of the elements. For gcc's thread sanitizer, which instruments
 * each byte of a vector access, the elements are accessed one by one. */
#ifdef __SANITIZE_THREAD__
VO_INLINE vo_d4 d4_load(const double *p) { return (vo_d4){p[0], p[1], p[2], p[3]}; }
VO_INLINE void d4_store(double *p, vo_d4 v) {
    for (int k = 0; k < 4; k++) p[k] = v[k];
}
VO_INLINE vo_f4 f4_load(const void *from) {
    const float *p = from;
    return (vo_f4){p[0], p[1], p[2], p[3]};
}
VO_INLINE void f4_store(void *to, vo_f4 v) {
    float *p = to;
    for (int k = 0; k < 4; k++) p[k] = v[k];
}
#else
VO_INLINE vo_d4 d4_load(const double *p) {
    vo_d4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
VO_INLINE void d4_store(double *p, vo_d4 v) { memcpy(p, &v, sizeof v); }
VO_INLINE vo_f4 f4_load(const void *p) {
    vo_f4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
VO_INLINE void f4_store(void *p, vo_f4 v) { memcpy(p, &v, sizeof v); }
#endif

VO_INLINE vo_d4 d4_set(double s) { return (vo_d4){s, s, s, s}; }
VO_INLINE vo_d4 d4_select(vo_i4 mask, vo_d4 yes, vo_d4 no) {
    return (vo_d4)((mask & (vo_i4)yes) | (~mask & (vo_i4)no));
}
VO_INLINE vo_d4 d4_min(vo_d4 a, vo_d4 b) { return d4_select(a < b, a, b); }
VO_INLINE vo_d4 d4_max(vo_d4 a, vo_d4 b) { return d4_select(a > b, a, b); }
VO_INLINE vo_d4 d4_abs(vo_d4 a) {
    return (vo_d4)((vo_i4)a & (vo_i4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
}

VO_INLINE vo_f4 f4_set(float s) { return (vo_f4){s, s, s, s}; }

/* Intrinsics with AVX: compilers emit five instructions for a conversion and four for a root. */
#ifdef __AVX__
VO_INLINE vo_d4 d4_sqrt(vo_d4 a) { return (vo_d4)_mm256_sqrt_pd((__m256d)a); }
VO_INLINE vo_f4 d4_to_f4(vo_d4 a) { return (vo_f4)_mm256_cvtpd_ps((__m256d)a); }
VO_INLINE vo_d4 f4_to_d4(vo_f4 a) { return (vo_d4)_mm256_cvtps_pd((__m128)a); }
#else
VO_INLINE vo_d4 d4_sqrt(vo_d4 a) { return (vo_d4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
VO_INLINE vo_f4 d4_to_f4(vo_d4 a) { return __builtin_convertvector(a, vo_f4); }
VO_INLINE vo_d4 f4_to_d4(vo_f4 a) { return __builtin_convertvector(a, vo_d4); }
#endif

typedef int32_t vo_m4 __attribute__((vector_size(16))); /* result of comparing vo_f4 */

/* Bit mask of the lanes that are set. */
#ifdef __SSE__
VO_INLINE unsigned m4_bits(vo_m4 m) { return (unsigned)_mm_movemask_ps((__m128)m); }
#else
VO_INLINE unsigned m4_bits(vo_m4 m) {
    return (m[0] & 1u) | (m[1] & 2u) | (m[2] & 4u) | (m[3] & 8u);
}
#endif

/* a > b ? a : b */
#ifdef __SSE__
VO_INLINE vo_f4 f4_max(vo_f4 a, vo_f4 b) { return (vo_f4)_mm_max_ps((__m128)a, (__m128)b); }
#else
VO_INLINE vo_f4 f4_max(vo_f4 a, vo_f4 b) {
    return (vo_f4){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1], a[2] > b[2] ? a[2] : b[2],
                   a[3] > b[3] ? a[3] : b[3]};
}
#endif

/* Coordinates of four points. */
typedef struct vo_p4 {
    vo_d4 x, y, z;
} vo_p4;

VO_INLINE vo_p4 p4_add(vo_p4 a, vo_p4 b) { return (vo_p4){a.x + b.x, a.y + b.y, a.z + b.z}; }
VO_INLINE vo_p4 p4_sub(vo_p4 a, vo_p4 b) { return (vo_p4){a.x - b.x, a.y - b.y, a.z - b.z}; }
VO_INLINE vo_p4 p4_scale(vo_d4 s, vo_p4 a) { return (vo_p4){s * a.x, s * a.y, s * a.z}; }
VO_INLINE vo_d4 p4_dot(vo_p4 a, vo_p4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
VO_INLINE vo_p4 p4_cross(vo_p4 a, vo_p4 b) {
    return (vo_p4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
