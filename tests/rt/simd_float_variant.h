/* All functions of math/simd_float.h applied to one set of inputs, compiled once per instruction
 * set (simd_float_variant.c) to compare the results. */
#ifndef VOILE_TESTS_SIMD_FLOAT_VARIANT_H
#define VOILE_TESTS_SIMD_FLOAT_VARIANT_H

#include <stdint.h>

enum { SIMD_ELEMENTS = 32, SIMD_RESULTS = 20 };

typedef struct simd_case {
    float a[8], b[8], c[8];
    int32_t index[8];                 /* distinct */
    float element[4 * SIMD_ELEMENTS]; /* in, out: scattered */
    float result[SIMD_RESULTS][8];    /* out; scalars and masks as floats */
} simd_case;

typedef void simd_run_fn(simd_case *c);
extern simd_run_fn simd_run_scalar, simd_run_base, simd_run_avx2;

#endif
