#include "material/buckle.h"

#include <math.h>

double vo_buckle_alpha(double area, double smallest, double largest, double power) {
    if (!(largest > smallest) || !isfinite(largest)) return 1;
    return pow(vo_clamp((largest - area) / (largest - smallest), 0, 1), power);
}

vo_sym2 vo_buckle_strain(vo_sym2 g, double slack) {
    vo_eigen2 e = vo_sym2_eigen(g);
    double x = e.axis.x, y = e.axis.y;
    double large = slack * vo_max(-e.lambda_max, 0), small = slack * vo_max(-e.lambda_min, 0);
    return (vo_sym2){g.xx + large * x * x + small * y * y, g.xy + (large - small) * x * y,
                     g.yy + large * y * y + small * x * x};
}

/* Fabric and strain in the coordinates of the cone; `warp` and `weft` are the scales of the axes.
 */
typedef struct cone {
    double warp, weft; /* square roots of c0 and c2 */
    double A, B, H;
    double p, q, z;
} cone;

/* Half the derivative of W by p, q, z, and its second derivatives: pp pq qq pz qz zz. */
typedef struct cone_stress {
    double p, q, z;
    double slope[6];
} cone_stress;

static cone find_cone(const double c[4], vo_sym2 g) {
    double max_modulus = vo_max(vo_max(c[0], c[2]), c[3]);
    double min_modulus = vo_max(VO_BUCKLE_MIN_NORMAL * max_modulus, 1e-30);
    double warp = sqrt(vo_max(c[0], min_modulus)), weft = sqrt(vo_max(c[2], min_modulus)),
           both = warp * weft;
    double max_coupling = 1 - VO_BUCKLE_MIN_RATIO;
    double coupling = vo_clamp(c[1] / both, -max_coupling, max_coupling);
    double u = warp * g.xx, v = weft * g.yy;
    return (cone){.warp = warp,
                  .weft = weft,
                  .A = 1 + coupling,
                  .B = 1 - coupling,
                  .H = 2 * vo_max(c[3] / both, VO_BUCKLE_MIN_RATIO),
                  .p = 0.5 * (u + v),
                  .q = 0.5 * (u - v),
                  .z = sqrt(both) * g.xy};
}

static cone_stress taut(const cone *k) {
    return (cone_stress){k->A * k->p, k->B * k->q, k->H * k->z, {k->A, 0, k->B, 0, 0, k->H}};
}

/* Returns the magnitude of the stress along the cone. */
static double solve(const cone *k, double a, double b) {
    double r = sqrt(k->q * k->q + k->z * k->z);
    double s = vo_max((k->p + fabs(k->q)) / a, (k->p + fabs(k->z)) / b);
    s = vo_max(s, (k->p + r) / vo_max(a, b));
    for (int i = 0; i < VO_BUCKLE_STEPS; i++) {
        double q = a * s - k->p, z = b * s - k->p, c = k->q / q, d = k->z / z, f = c * c + d * d;
        s += f * (sqrt(f) - 1) / (a * (c * c) / q + b * (d * d) / z);
    }
    return s;
}

/* On the cone, stress varies along n = (1, c, d) and t = (0, -d, c): its slope is P L^-1 P^T with P
 * = [n t] and L the compliance between them, to which the curvature of the cone adds m / s. */
static cone_stress wrinkled(const cone *k) {
    double iA = 1 / k->A, iB = 1 / k->B, iH = 1 / k->H, a = iA + iB, b = iA + iH;
    double s = solve(k, a, b), c = k->q / (a * s - k->p), d = k->z / (b * s - k->p);
    double m = vo_max(s * iA - k->p, 0), along = c * c * iB + d * d * iH;
    double tt = s * (d * d * iB + c * c * iH) + m, det = iA * tt + m * along + s * iB * iH;
    double nn = tt / det, nt = -s * c * d * (iH - iB) / det, ss = s * (iA + along) / det;
    return (cone_stress){s,
                         s * c,
                         s * d,
                         {nn, nn * c - nt * d, nn * c * c - 2 * nt * c * d + ss * d * d,
                          nn * d + nt * c, nn * c * d + nt * (c * c - d * d) - ss * c * d,
                          nn * d * d + 2 * nt * c * d + ss * c * c}};
}

static cone_stress find_pull(const cone *k) {
    double bq = k->B * k->q, hz = k->H * k->z;
    if (k->A * k->p >= sqrt(bq * bq + hz * hz)) return taut(k);
    if (-k->p >= sqrt(k->q * k->q + k->z * k->z)) return (cone_stress){0};
    return wrinkled(k);
}

/* Transforms from p, q, z to the material axes. */
static vo_tension unscale(const cone *k, const cone_stress *f) {
    double both = k->warp * k->weft, mixed = sqrt(both);
    const double *t = f->slope;
    return (vo_tension){.energy = f->p * f->p / k->A + f->q * f->q / k->B + f->z * f->z / k->H,
                        .stress = {k->warp * (f->p + f->q), mixed * f->z, k->weft * (f->p - f->q)},
                        .slope = {0.5 * k->warp * k->warp * (t[0] + 2 * t[1] + t[2]),
                                  0.5 * both * (t[0] - t[2]),
                                  0.5 * k->weft * k->weft * (t[0] - 2 * t[1] + t[2]),
                                  0.5 * k->warp * mixed * (t[3] + t[4]),
                                  0.5 * k->weft * mixed * (t[3] - t[4]), 0.5 * both * t[5]}};
}

/* Suu = c0 Guu + c1 Gvv, Svv = c1 Guu + c2 Gvv, Suv = 2 c3 Guv */
static vo_tension plain_law(const double c[4], vo_sym2 g) {
    vo_sym2 s = {c[0] * g.xx + c[1] * g.yy, 2 * c[3] * g.xy, c[1] * g.xx + c[2] * g.yy};
    return (vo_tension){.energy = 0.5 * (s.xx * g.xx + 2 * s.xy * g.xy + s.yy * g.yy),
                        .stress = s,
                        .slope = {c[0], c[1], c[2], 0, 0, c[3]}};
}

static double blend(double plain, double field, double slack) {
    return (1 - slack) * plain + slack * field;
}

vo_tension vo_buckle_law(const vo_stiffness *c, double slack, vo_sym2 g) {
    vo_tension law = plain_law(c->c, g);
    if (!(slack > 0)) return law;
    cone k = find_cone(c->c, g);
    cone_stress f = find_pull(&k);
    vo_tension field = unscale(&k, &f);
    law.energy = blend(law.energy, field.energy, slack);
    law.stress.xx = blend(law.stress.xx, field.stress.xx, slack);
    law.stress.xy = blend(law.stress.xy, field.stress.xy, slack);
    law.stress.yy = blend(law.stress.yy, field.stress.yy, slack);
    for (int i = 0; i < 6; i++) law.slope[i] = blend(law.slope[i], field.slope[i], slack);
    return law;
}
