/* Reference for the tests of self-collision: distances of points, segments and triangles in double
 * precision. */
#ifndef VOILE_TESTS_SURFACE_DISTANCE_H
#define VOILE_TESTS_SURFACE_DISTANCE_H

#include <math.h>

typedef struct point {
    double x[3];
} point;

static inline double dot(point a, point b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static inline point mix(point a, double s, point b) { /* a + s b */
    return (point){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}
static inline double clamp01(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

static inline double point_segment(point p, point a, point b) {
    point d = mix(b, -1, a), r = mix(p, -1, a);
    double l2 = dot(d, d), t = l2 > 0 ? clamp01(dot(r, d) / l2) : 0;
    point n = mix(r, -t, d);
    return sqrt(dot(n, n));
}

static inline double point_triangle(point p, const point t[3]) {
    double best = fmin(point_segment(p, t[0], t[1]),
                       fmin(point_segment(p, t[1], t[2]), point_segment(p, t[2], t[0])));
    point u = mix(t[1], -1, t[0]), v = mix(t[2], -1, t[0]), r = mix(p, -1, t[0]);
    double a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, r), e = dot(v, r);
    double det = a * c - b * b, s = (c * d - b * e) / det, w = (a * e - b * d) / det;
    if (!(det > 0) || s < 0 || w < 0 || s + w > 1) return best;
    point n = mix(mix(r, -s, u), -w, v);
    return fmin(best, sqrt(dot(n, n)));
}

static inline double segment_segment(point a, point b, point c, point d) {
    double best = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                       fmin(point_segment(c, a, b), point_segment(d, a, b)));
    point u = mix(b, -1, a), v = mix(d, -1, c), r = mix(a, -1, c);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ur = dot(u, r), vr = dot(v, r);
    double det = uu * vv - uv * uv;
    if (!(det > 1e-12 * uu * vv)) return best;
    double s = (uv * vr - ur * vv) / det, t = (uu * vr - ur * uv) / det;
    if (s < 0 || s > 1 || t < 0 || t > 1) return best;
    point n = mix(mix(r, s, u), -t, v);
    return fmin(best, sqrt(dot(n, n)));
}

#endif
