#include "garment/pattern_curve.h"

static vo_vec2 lerp(vo_vec2 a, vo_vec2 b, double t) {
    return v2_add(v2_scale(1 - t, a), v2_scale(t, b));
}

vo_bezier vo_bezier_line(vo_vec2 a, vo_vec2 b) {
    return (vo_bezier){{a, lerp(a, b, 1 / 3.0), lerp(a, b, 2 / 3.0), b}};
}

vo_bezier vo_bezier_quadratic(vo_vec2 a, vo_vec2 handle, vo_vec2 b) {
    return (vo_bezier){{a, lerp(a, handle, 2 / 3.0), lerp(b, handle, 2 / 3.0), b}};
}

/* Returns an arc of a circle around `centre` from `a` by `angle`. */
static vo_bezier arc_piece(vo_vec2 centre, vo_vec2 a, double angle) {
    vo_vec2 r = v2_sub(a, centre);
    double c = cos(angle), s = sin(angle), k = 4 / 3.0 * tan(angle / 4);
    vo_vec2 e = v2(c * r.x - s * r.y, s * r.x + c * r.y);
    vo_vec2 b = v2_add(centre, e);
    return (vo_bezier){
        {a, v2_add(a, v2_scale(k, v2(-r.y, r.x))), v2_sub(b, v2_scale(k, v2(-e.y, e.x))), b}};
}

int vo_bezier_arc(vo_vec2 a, vo_vec2 b, double bulge, vo_bezier out[VO_ARC_PIECES]) {
    vo_vec2 chord = v2_sub(b, a);
    double half = v2_length(chord) / 2;
    /* bulge / half = tan(angle / 4) */
    double angle = 4 * atan2(bulge, half);
    int n = vo_min_int(VO_ARC_PIECES, vo_max_int(1, (int)ceil(fabs(angle) / (VO_PI / 12))));
    if (!(fabs(angle) > 1e-9) || half == 0) {
        out[0] = vo_bezier_line(a, b);
        return 1;
    }
    double to_centre = half / tan(angle / 2); /* to the left of the chord */
    vo_vec2 centre =
        v2_add(lerp(a, b, 0.5), v2_scale(to_centre / (2 * half), v2(-chord.y, chord.x)));
    for (int i = 0; i < n; i++) {
        out[i] = arc_piece(centre, a, angle / n);
        a = out[i].p[3];
    }
    out[n - 1].p[3] = b;
    return n;
}

void vo_bezier_spline(int n, const vo_vec2 *point, vo_bezier *out) {
    for (int i = 0; i + 1 < n; i++) {
        vo_vec2 a = point[i], b = point[i + 1];
        vo_vec2 before = i > 0 ? point[i - 1] : a, after = i + 2 < n ? point[i + 2] : b;
        out[i] = (vo_bezier){{a, v2_add(a, v2_scale(1 / 6.0, v2_sub(b, before))),
                              v2_sub(b, v2_scale(1 / 6.0, v2_sub(after, a))), b}};
    }
}

vo_bezier vo_bezier_reversed(vo_bezier b) { return (vo_bezier){{b.p[3], b.p[2], b.p[1], b.p[0]}}; }

/* De Casteljau subdivision: returns the part before t, or the one after it. */
static vo_bezier subdivide(vo_bezier b, double t, bool after) {
    vo_vec2 q[3] = {lerp(b.p[0], b.p[1], t), lerp(b.p[1], b.p[2], t), lerp(b.p[2], b.p[3], t)};
    vo_vec2 r[2] = {lerp(q[0], q[1], t), lerp(q[1], q[2], t)};
    vo_vec2 s = lerp(r[0], r[1], t);
    return after ? (vo_bezier){{s, r[1], q[2], b.p[3]}} : (vo_bezier){{b.p[0], q[0], r[0], s}};
}

static vo_bezier bezier_part(vo_bezier b, double from, double to) {
    if (to < 1) b = subdivide(b, to, false);
    return from > 0 ? subdivide(b, from / to, true) : b;
}

vo_vec2 vo_bezier_point(const vo_bezier *b, double t) {
    double s = 1 - t;
    vo_vec2 p = v2_scale(s * s * s, b->p[0]);
    p = v2_add(p, v2_scale(3 * s * s * t, b->p[1]));
    p = v2_add(p, v2_scale(3 * s * t * t, b->p[2]));
    return v2_add(p, v2_scale(t * t * t, b->p[3]));
}

static double speed(const vo_bezier *b, double t) {
    double s = 1 - t;
    vo_vec2 d = v2_scale(3 * s * s, v2_sub(b->p[1], b->p[0]));
    d = v2_add(d, v2_scale(6 * s * t, v2_sub(b->p[2], b->p[1])));
    return v2_length(v2_add(d, v2_scale(3 * t * t, v2_sub(b->p[3], b->p[2]))));
}

/* Five-point Gauss quadrature on each of eight intervals. */
double vo_bezier_length(const vo_bezier *b, double t) {
    static const double x[3] = {0, 0.5384693101056831, 0.9061798459386640};
    static const double w[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    double sum = 0, h = t / 8;
    for (int i = 0; i < 8; i++) {
        double middle = (i + 0.5) * h;
        sum += w[0] * speed(b, middle);
        for (int k = 1; k < 3; k++)
            sum += w[k] * (speed(b, middle - x[k] * h / 2) + speed(b, middle + x[k] * h / 2));
    }
    return sum * h / 2;
}

/* Bisection to the precision of a double. */
static double bezier_parameter(const vo_bezier *b, double length) {
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        if (vo_bezier_length(b, middle) < length)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double vo_bezier_area(const vo_bezier *b) {
    const vo_vec2 *p = b->p;
    /* integrals of B_i B_j' over [0, 1] */
    return 0.05 * (6 * v2_cross(p[0], p[1]) + 3 * v2_cross(p[0], p[2]) + v2_cross(p[0], p[3]) +
                   3 * v2_cross(p[1], p[2]) + 3 * v2_cross(p[1], p[3]) + 6 * v2_cross(p[2], p[3]));
}

double vo_bezier_turning(const vo_bezier *b) {
    double sum = 0;
    vo_vec2 before = v2(0, 0);
    for (int i = 0; i < 16; i++) {
        vo_vec2 d = v2_sub(vo_bezier_point(b, (i + 1) / 16.0), vo_bezier_point(b, i / 16.0));
        if (i > 0) sum += fabs(atan2(v2_cross(before, d), v2_dot(before, d)));
        before = d;
    }
    return sum;
}

double vo_chain_length(int count, const vo_bezier *piece) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += vo_bezier_length(&piece[i], 1);
    return sum;
}

vo_vec2 vo_chain_point(int count, const vo_bezier *piece, double length) {
    if (length <= 0) return piece[0].p[0];
    for (int i = 0; i < count; i++) {
        double own = vo_bezier_length(&piece[i], 1);
        if (length < own) return vo_bezier_point(&piece[i], bezier_parameter(&piece[i], length));
        length -= own;
    }
    return piece[count - 1].p[3];
}

int vo_chain_part(int count, const vo_bezier *piece, double from, double to, vo_bezier *out) {
    int n = 0;
    double begin = 0;
    for (int i = 0; i < count; i++) {
        double own = vo_bezier_length(&piece[i], 1), end = begin + own;
        double low = vo_max(from, begin), high = vo_min(to, end);
        if (high - low > 1e-12 * own) {
            double s = low > begin ? bezier_parameter(&piece[i], low - begin) : 0;
            double e = high < end ? bezier_parameter(&piece[i], high - begin) : 1;
            out[n++] = bezier_part(piece[i], s, e);
        }
        begin = end;
    }
    return n;
}
