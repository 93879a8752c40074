/* Half-precision floats (IEEE 754 binary16) as their bits. */
#ifndef VO_UPSAMPLE_HALF_H
#define VO_UPSAMPLE_HALF_H

#include <stdint.h>
#include <string.h>

/* Rounds to nearest, ties to even; values beyond 65504 become infinite. */
static inline uint16_t vo_half_from_float(float value) {
    uint32_t bits, sign;
    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);  /* NaN */
    if (bits >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* rounds to infinity */
    if (bits < 0x38800000u) { /* subnormal: a multiple of 2^-24, which the sum rounds to */
        float magnitude, shifted;
        memcpy(&magnitude, &bits, sizeof magnitude);
        shifted = magnitude + 0.5f;
        memcpy(&bits, &shifted, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000u));
    }
    uint32_t odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13));
}

/* Exact. */
static inline float vo_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, bits = (uint32_t)(half & 0x7fffu) << 13;
    float value;
    if (bits >= 0x0f800000u)
        bits += 0x70000000u; /* infinite or NaN */
    else if (bits >= 0x00800000u)
        bits += 0x38000000u;
    else { /* subnormal */
        value = (float)(bits >> 13) * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
