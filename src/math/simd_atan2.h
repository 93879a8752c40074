/* atan2 of four vectors at once, independent of the C library: bit-identical on every machine.
 *
 * Range reduction first removes the octant. With m = min(|x|, |y|) and M = max(|x|, |y|) the ratio
 * m / M lies in [0, 1]; above tan(pi/8) it is replaced by (m - M) / (m + M), whose arc tangent is
 * pi/4 smaller. The remainder is atan(q) = q + q^3 R(q^2) for |q| <= tan(pi/8), with a polynomial R
 * of ten coefficients. They minimise the maximum relative error of atan(q) on that interval
 * (3.5e-17, by the Remez algorithm with 60 digits). Finally a multiple of pi/4 restores the octant.
 * The error is at most two units in the last place. */
#ifndef VO_MATH_SIMD_ATAN2_H
#define VO_MATH_SIMD_ATAN2_H

#include "math/simd.h"

/* R(z) of atan(q) = q + q z R(z), z = q^2, for 0 <= z <= tan(pi/8)^2. */
VO_INLINE vo_d4 d4_atan_series(vo_d4 z) {
    vo_d4 z2 = z * z, z4 = z2 * z2;
    vo_d4 r01 = -0x1.5555555555318p-2 + z * 0x1.9999999949772p-3;
    vo_d4 r23 = -0x1.249249057e121p-3 + z * 0x1.c71c65cff492ap-4;
    vo_d4 r45 = -0x1.745bc339b4223p-4 + z * 0x1.3afc35f0ea4f2p-4;
    vo_d4 r67 = -0x1.1005343220b05p-4 + z * 0x1.d255342a15c5ep-5;
    vo_d4 r89 = -0x1.6518dfb049ea0p-5 + z * 0x1.5c524aa820e77p-6;
    return (r01 + z2 * r23) + z4 * ((r45 + z2 * r67) + z4 * r89);
}

/* Angle of (x, y) against the x axis in (-pi, pi]. Zero for the zero vector. The sign of a zero is
 * ignored: (-1, -0) has the angle +pi. Coordinates must be finite and below 1e300. */
VO_INLINE vo_d4 d4_atan2(vo_d4 y, vo_d4 x) {
    const vo_d4 zero = d4_set(0), one = d4_set(1);
    vo_d4 ax = d4_abs(x), ay = d4_abs(y);
    vo_i4 steep = ay > ax, left = x < zero;
    vo_d4 low = d4_select(steep, ax, ay), high = d4_select(steep, ay, ax);

    vo_i4 upper = low > 0x1.a827999fcef32p-2 * high; /* tan(pi/8) */
    vo_d4 numerator = d4_select(upper, low - high, low);
    vo_d4 denominator = d4_select(upper, low + high, high);
    vo_d4 q = numerator / d4_select(denominator > zero, denominator, one);
    vo_d4 z = q * q;
    vo_d4 r = q + q * (z * d4_atan_series(z));

    /* |angle| = eighths pi/4 + sign r */
    vo_d4 eighths = d4_select(upper, one, zero), sign = one;
    eighths = d4_select(steep, d4_set(2) - eighths, eighths);
    sign = d4_select(steep, -sign, sign);
    eighths = d4_select(left, d4_set(4) - eighths, eighths);
    sign = d4_select(left, -sign, sign);
    vo_d4 angle = eighths * (VO_PI / 4) + sign * r;
    return d4_select(y < zero, -angle, angle);
}

#endif
