/* Declaration and dispatch of kernel variants (see math/simd.h), and float helpers shared by the
 * kernels of this folder. */
#ifndef VO_LINALG_KERNEL_H
#define VO_LINALG_KERNEL_H

#include "linalg/block_matrix.h"
#include "math/simd.h"

/* Both variants are always declared; only those that were built are referenced. */
#define VO_DECLARE_KERNEL(type, name, ...) \
    type name##_base(__VA_ARGS__);         \
    type name##_avx2(__VA_ARGS__)

#ifdef VO_HAVE_AVX2_KERNELS
#define VO_DISPATCH(ctx, name) ((ctx)->use_avx2 ? name##_avx2 : name##_base)
#else
#define VO_DISPATCH(ctx, name) ((void)(ctx), name##_base)
#endif

/* An entry of the preconditioner's vectors. */
typedef struct vo_float4 {
    float x, y, z, w;
} vo_float4;

VO_INLINE vo_d4 vec4_load(const vo_vec4 *p) { return d4_load(&p->x); }
VO_INLINE void vec4_store(vo_vec4 *p, vo_d4 v) { d4_store(&p->x, v); }
VO_INLINE double d4_sum(vo_d4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

VO_INLINE vo_d4 widen(vo_f4 v) { return f4_to_d4(v); }
VO_INLINE vo_f4 narrow(vo_d4 v) { return d4_to_f4(v); }

enum { VO_CACHE_LINE = 64 }; /* bytes */

/* Prefetches memory to the second-level cache; addresses past the end of an array are harmless. A
 * pass reads a dozen streams at once, more than the hardware prefetcher tracks. */
VO_INLINE void fetch_bytes(const void *at, size_t bytes) {
    for (size_t n = 0; n < bytes; n += VO_CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)at + n), 0, 2);
}

/* Prefetches some cache lines that a stream will reach `bytes` later. */
VO_INLINE void fetch_ahead(const void *stream, size_t bytes, int lines) {
    for (int n = 0; n < lines; n++)
        __builtin_prefetch((const void *)((uintptr_t)stream + bytes + (size_t)(VO_CACHE_LINE * n)));
}

/* Prefetch distances of fetch_ahead: bytes ahead, and cache lines per row, about as many as a row
 * occupies, so that each line is requested once, eight to sixteen rows ahead. */
enum {
    VO_BLOCKS_AHEAD = 6144, /* blocks of a matrix */
    VO_BLOCKS_LINES = 10,
    VO_COLUMNS_AHEAD = 1024, /* their columns */
    VO_COLUMNS_LINES = 1,
};

/* Product of a block and a vector. */
VO_INLINE vo_f4 block_times_f4(const float *m, vo_f4 v) {
    return f4_load(m) * f4_set(v[0]) + f4_load(m + 4) * f4_set(v[1]) +
           f4_load(m + 8) * f4_set(v[2]);
}

/* Sum over blocks [k, end) of block times v[column]. */
VO_INLINE vo_f4 blocks_times_f4(const float *block, const int *column, int k, int end,
                                const vo_float4 *v) {
    vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
    for (; k < end; k++) {
        const float *m = block + (size_t)k * VO_BLOCK_FLOATS;
        const vo_float4 *p = v + column[k];
        s0 += f4_load(m) * f4_set(p->x);
        s1 += f4_load(m + 4) * f4_set(p->y);
        s2 += f4_load(m + 8) * f4_set(p->z);
    }
    return s0 + s1 + s2;
}

#endif
