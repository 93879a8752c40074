/* Inverse of a symmetric positive definite 3x3 block. */
#ifndef VO_LINALG_INVERSE3_H
#define VO_LINALG_INVERSE3_H

#include <stdbool.h>

/* Blocks are three columns of four, as in linalg/block_matrix.h; the lower triangle of m is read.
 * If m is not positive definite, not finite, or so close to singular that its determinant is
 * rounding, the inverse is set to zero and false is returned. */
static inline bool vo_invert3(const double m[12], double inverse[12]) {
    double a = m[0], b = m[1], c = m[2], d = m[5], e = m[6], f = m[10];
    double xx = d * f - e * e, xy = c * e - b * f, xz = b * e - c * d;
    double yy = a * f - c * c, yz = b * c - a * e, zz = a * d - b * b;
    double determinant = a * xx + b * xy + c * xz;
    bool positive = a > 0 && zz > 0 && determinant > 1e-14 * (a * d * f) && a * d * f > 0;
    /* Avoids overflow of 1 / determinant and of a d f. */
    positive = positive && determinant > 1e-300 && determinant < 1e300;
    double s = positive ? 1 / determinant : 0;
    double full[12] = {s * xx, s * xy, s * xz, 0,      s * xy, s * yy,
                       s * yz, 0,      s * xz, s * yz, s * zz, 0};
    for (int i = 0; i < 12; i++) inverse[i] = positive ? full[i] : 0;
    return positive;
}

#endif
