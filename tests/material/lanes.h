/* Helpers of tests that compare SIMD lanes with scalar code. */
#ifndef VOILE_TESTS_LANES_H
#define VOILE_TESTS_LANES_H

#include "math/simd.h"

/* Compiles a function for AVX2; call it only if HAVE_AVX2(). */
#if defined(__x86_64__)
#define AVX2        __attribute__((target("avx2")))
#define HAVE_AVX2() __builtin_cpu_supports("avx2")
#else
#define AVX2
#define HAVE_AVX2() 0
#endif

static inline void set_lane(vo_p4 *p, int n, vo_vec3 v) {
    p->x[n] = v.x;
    p->y[n] = v.y;
    p->z[n] = v.z;
}

static inline vo_vec3 get_lane(const vo_p4 *p, int n) { return v3(p->x[n], p->y[n], p->z[n]); }

#endif
