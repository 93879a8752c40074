/* Buckling compensation of four faces at once, for the files *_kernel.c. Same formulas as buckle.c
 * and stretch.c, against which it is tested. Lanes without slack are bit-identical to
 * stretch_lanes.h. */
#ifndef VO_MATERIAL_BUCKLE_LANES_H
#define VO_MATERIAL_BUCKLE_LANES_H

#include "material/buckle.h"
#include "material/stretch_lanes.h"

typedef struct vo_tension4 {
    vo_sym24 stress;
    vo_d4 slope[6]; /* as in vo_tension */
} vo_tension4;

/* Fabric and strain in the coordinates of the cone. */
typedef struct vo_cone4 {
    vo_d4 warp, weft;
    vo_d4 a, b, h; /* A, B, H */
    vo_d4 p, q, z;
} vo_cone4;

/* Half the derivative of W by p, q, z, and its second derivatives: pp pq qq pz qz zz. */
typedef struct vo_cone_stress4 {
    vo_d4 p, q, z;
    vo_d4 slope[6];
} vo_cone_stress4;

VO_INLINE vo_cone4 vo_cone4_find(const vo_d4 c[4], vo_sym24 g) {
    vo_d4 max_modulus = d4_max(d4_max(c[0], c[2]), c[3]);
    vo_d4 min_modulus = d4_max(VO_BUCKLE_MIN_NORMAL * max_modulus, d4_set(1e-30));
    vo_d4 warp = d4_sqrt(d4_max(c[0], min_modulus)), weft = d4_sqrt(d4_max(c[2], min_modulus));
    vo_d4 both = warp * weft, bound = d4_set(1 - VO_BUCKLE_MIN_RATIO);
    vo_d4 coupling = d4_max(d4_min(c[1] / both, bound), -bound);
    vo_d4 u = warp * g.uu, v = weft * g.vv;
    return (vo_cone4){.warp = warp,
                      .weft = weft,
                      .a = 1 + coupling,
                      .b = 1 - coupling,
                      .h = 2 * d4_max(c[3] / both, d4_set(VO_BUCKLE_MIN_RATIO)),
                      .p = 0.5 * (u + v),
                      .q = 0.5 * (u - v),
                      .z = d4_sqrt(both) * g.uv};
}

/* Magnitude of the stress along the cone; undefined in lanes that are not wrinkled. */
VO_INLINE vo_d4 vo_cone4_solve(const vo_cone4 *k, vo_d4 a, vo_d4 b) {
    vo_d4 r = d4_sqrt(k->q * k->q + k->z * k->z);
    vo_d4 s = d4_max((k->p + d4_abs(k->q)) / a, (k->p + d4_abs(k->z)) / b);
    s = d4_max(s, (k->p + r) / d4_max(a, b));
    for (int i = 0; i < VO_BUCKLE_STEPS; i++) {
        vo_d4 q = a * s - k->p, z = b * s - k->p, c = k->q / q, d = k->z / z, f = c * c + d * d;
        s += f * (d4_sqrt(f) - 1) / (a * (c * c) / q + b * (d * d) / z);
    }
    return s;
}

VO_INLINE vo_cone_stress4 vo_cone4_wrinkled(const vo_cone4 *k) {
    vo_d4 ia = 1 / k->a, ib = 1 / k->b, ih = 1 / k->h, a = ia + ib, b = ia + ih;
    vo_d4 s = vo_cone4_solve(k, a, b), c = k->q / (a * s - k->p), d = k->z / (b * s - k->p);
    vo_d4 m = d4_max(s * ia - k->p, d4_set(0)), along = c * c * ib + d * d * ih;
    vo_d4 tt = s * (d * d * ib + c * c * ih) + m, det = ia * tt + m * along + s * ib * ih;
    vo_d4 nn = tt / det, nt = -s * c * d * (ih - ib) / det, ss = s * (ia + along) / det;
    return (vo_cone_stress4){s,
                             s * c,
                             s * d,
                             {nn, nn * c - nt * d, nn * c * c - 2 * nt * c * d + ss * d * d,
                              nn * d + nt * c, nn * c * d + nt * (c * c - d * d) - ss * c * d,
                              nn * d * d + 2 * nt * c * d + ss * c * c}};
}

/* Stress of each lane: taut, wrinkled or slack. */
VO_INLINE vo_cone_stress4 vo_cone4_stress(const vo_cone4 *k) {
    const vo_d4 zero = d4_set(0);
    vo_d4 bq = k->b * k->q, hz = k->h * k->z;
    vo_i4 taut = k->a * k->p >= d4_sqrt(bq * bq + hz * hz);
    vo_i4 slack = -k->p >= d4_sqrt(k->q * k->q + k->z * k->z);
    vo_cone_stress4 f = vo_cone4_wrinkled(k);
    const vo_d4 stiff[6] = {k->a, zero, k->b, zero, zero, k->h};
    f.p = d4_select(taut, k->a * k->p, d4_select(slack, zero, f.p));
    f.q = d4_select(taut, bq, d4_select(slack, zero, f.q));
    f.z = d4_select(taut, hz, d4_select(slack, zero, f.z));
    for (int i = 0; i < 6; i++)
        f.slope[i] = d4_select(taut, stiff[i], d4_select(slack, zero, f.slope[i]));
    return f;
}

/* Transforms from p, q, z to the material axes. */
VO_INLINE vo_tension4 vo_cone4_unscale(const vo_cone4 *k, const vo_cone_stress4 *f) {
    vo_d4 both = k->warp * k->weft, mixed = d4_sqrt(both);
    const vo_d4 *t = f->slope;
    return (vo_tension4){.stress = {k->warp * (f->p + f->q), mixed * f->z, k->weft * (f->p - f->q)},
                         .slope = {0.5 * k->warp * k->warp * (t[0] + 2 * t[1] + t[2]),
                                   0.5 * both * (t[0] - t[2]),
                                   0.5 * k->weft * k->weft * (t[0] - 2 * t[1] + t[2]),
                                   0.5 * k->warp * mixed * (t[3] + t[4]),
                                   0.5 * k->weft * mixed * (t[3] - t[4]), 0.5 * both * t[5]}};
}

VO_INLINE vo_d4 vo_buckle4_blend(vo_d4 plain, vo_d4 field, vo_d4 slack) {
    return d4_select(slack > 0, (1 - slack) * plain + slack * field, plain);
}

VO_INLINE vo_tension4 vo_buckle4_law(const vo_d4 c[4], vo_d4 slack, vo_sym24 g) {
    const vo_d4 zero = d4_set(0);
    vo_cone4 k = vo_cone4_find(c, g);
    vo_cone_stress4 f = vo_cone4_stress(&k);
    vo_tension4 field = vo_cone4_unscale(&k, &f);
    vo_tension4 law = {vo_stretch4_stress(c, g), {c[0], c[1], c[2], zero, zero, c[3]}};
    law.stress.uu = vo_buckle4_blend(law.stress.uu, field.stress.uu, slack);
    law.stress.uv = vo_buckle4_blend(law.stress.uv, field.stress.uv, slack);
    law.stress.vv = vo_buckle4_blend(law.stress.vv, field.stress.vv, slack);
    for (int i = 0; i < 6; i++)
        law.slope[i] = vo_buckle4_blend(law.slope[i], field.slope[i], slack);
    return law;
}

/* Strain of eq. 10: G + slack (G+ - G). */
VO_INLINE void vo_buckle4_strain(vo_d4 slack, vo_d4 g[3]) {
    vo_sym24 kept = vo_sym24_project((vo_sym24){g[0], g[1], g[2]});
    g[0] = vo_buckle4_blend(g[0], kept.uu, slack);
    g[1] = vo_buckle4_blend(g[1], kept.uv, slack);
    g[2] = vo_buckle4_blend(g[2], kept.vv, slack);
}

/* dS = slope : dG */
VO_INLINE vo_sym24 vo_buckle4_stress_rate(const vo_d4 c[6], vo_sym24 dg) {
    return (vo_sym24){c[0] * dg.uu + c[1] * dg.vv + 2 * c[3] * dg.uv,
                      2 * c[5] * dg.uv + (c[3] * dg.uu + c[4] * dg.vv),
                      c[1] * dg.uu + c[2] * dg.vv + 2 * c[4] * dg.uv};
}

/* Like vo_stretch4_corner_block, for slopes that couple stretch and shear. */
VO_INLINE void vo_buckle4_corner_block(vo_d4 area, const vo_d4 c[6], vo_map4 f, vo_sym24 s,
                                       const vo_d4 i[2], const vo_d4 j[2], vo_d4 block[9]) {
    vo_d4 uu = area * (i[0] * j[0]), vv = area * (i[1] * j[1]);
    vo_d4 uv = area * (i[0] * j[1]), vu = area * (i[1] * j[0]), skew = uv + vu;
    vo_d4 shear = c[3] * uu + c[4] * vv;
    vo_stretch4_block(f, c[0] * uu + c[5] * vv + c[3] * skew, c[5] * uu + c[2] * vv + c[4] * skew,
                      c[1] * uv + c[5] * vu + shear, c[5] * uv + c[1] * vu + shear,
                      s.uu * uu + s.uv * skew + s.vv * vv, block);
}

/* Like vo_stretch4_eval, for faces with and without slack. */
VO_INLINE void vo_buckle4_eval(const vo_stretch4 *in, vo_d4 slack, const vo_p4 x[3],
                               const vo_p4 v[3], vo_stretch4_out *out) {
    const vo_d4 *d1 = in->inverse, *d2 = in->inverse + 2;
    vo_map4 f = vo_stretch4_map(in, x), rate = vo_stretch4_map(in, v);
    vo_sym24 gram = vo_stretch4_gram(f);
    vo_tension4 law = vo_buckle4_law(in->c, slack, vo_stretch4_effective_strain(in, gram));
    vo_sym24 projected = vo_sym24_project(law.stress);
    vo_sym24 ds = vo_buckle4_stress_rate(law.slope, vo_stretch4_strain_rate(f, rate));
    vo_stretch4_force(in, f, rate, law.stress, ds, projected, out->force);
    vo_buckle4_corner_block(in->area, law.slope, f, projected, d1, d1, out->hessian[1]);
    vo_buckle4_corner_block(in->area, law.slope, f, projected, d2, d2, out->hessian[2]);
    vo_buckle4_corner_block(in->area, law.slope, f, projected, d1, d2, out->hessian[5]);
    vo_stretch4_complete(out->hessian);
    vo_stretch4_stretches(gram, out);
}

#endif
