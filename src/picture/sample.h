/* Low-discrepancy samples for ray directions.
 *
 * Points of the plane come from the R2 sequence (Roberts 2018, "The unreasonable effectiveness of
 * quasirandom sequences"), of which any contiguous part is well distributed. A pixel takes the next
 * `count` points after those of the previous pixel in a tile of 4 x 4, so each pixel has a good set
 * of its own and the sixteen together a sixteen times better one, which the filter over the tile
 * exploits. */
#ifndef VO_PICTURE_SAMPLE_H
#define VO_PICTURE_SAMPLE_H

#include "math/vec.h"

enum { VO_TILE = 4 }; /* pixels along a side */

/* Returns the index of a pixel in its tile, with neighbours far apart (Bayer matrix). */
static inline int vo_tile_index(int x, int y) {
    static const unsigned char order[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    return order[(y & 3) * 4 + (x & 3)];
}

static inline double vo_fraction(double x) { return x - floor(x); }

static inline vo_vec2 vo_sample(int index) {
    return v2(vo_fraction(0.5 + 0.7548776662466927 * index),
              vo_fraction(0.5 + 0.5698402909980532 * index));
}

/* Maps the unit square to the unit disc, area-preserving (Shirley and Chiu 1997). */
static inline vo_vec2 vo_sample_disc(vo_vec2 s) {
    double a = 2 * s.x - 1, b = 2 * s.y - 1;
    if (a == 0 && b == 0) return v2(0, 0);
    bool wide = fabs(a) > fabs(b);
    double r = wide ? a : b, phi = wide ? VO_PI / 4 * (b / a) : VO_PI / 2 - VO_PI / 4 * (a / b);
    return v2(r * cos(phi), r * sin(phi));
}

/* Returns two unit vectors orthogonal to a unit vector (Duff et al. 2017, "Building an orthonormal
 * basis, revisited"). */
static inline void vo_orthonormal_basis(vo_vec3 n, vo_vec3 *a, vo_vec3 *b) {
    double sign = n.z < 0 ? -1 : 1, p = -1 / (sign + n.z), q = n.x * n.y * p;
    *a = v3(1 + sign * n.x * n.x * p, sign * q, -sign * n.x);
    *b = v3(q, sign + n.y * n.y * p, -n.y);
}

#endif
