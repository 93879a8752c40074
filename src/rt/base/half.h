/* Half floats (IEEE 754 binary16) by integer arithmetic, the same on every processor. */
#ifndef VO_RT_BASE_HALF_H
#define VO_RT_BASE_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Largest half float. */
#define VO_RT_MAX_HALF 65504.0f

/* Exact value. Infinities and NaN give numbers of at least 65536. */
static inline float vo_rt_half_to_float(uint16_t h) {
    uint32_t bits = (uint32_t)(h & 0x7fffu) << 13 | (uint32_t)(h & 0x8000u) << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f * 5.192296858534828e33f; /* 2^112: difference of the exponents' biases */
}

/* Nearest half float, ties to even; the magnitude is limited to VO_RT_MAX_HALF. Values below the
 * smallest normal number, 2^-14, become 0: subnormal operands are slow on some processors. */
static inline uint16_t vo_rt_half_from_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x477fe000u) return (uint16_t)(sign | 0x7bffu);
    magnitude += 0xfffu + (magnitude >> 13 & 1u); /* rounds at bit 13 */
    if (magnitude < 0x38800000u) return (uint16_t)sign;
    return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
}

/* False for infinities and NaN. */
static inline bool vo_rt_half_is_finite(uint16_t h) { return (h & 0x7c00u) != 0x7c00u; }

#endif
