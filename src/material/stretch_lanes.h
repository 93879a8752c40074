/* Stretching of four faces at once, for the files *_kernel.c: force with damping, projected Hessian
 * and principal stretches. Same formulas as stretch.c, against which it is tested.
 *
 * With p = F u and q = F v, a block of the Hessian is
 *     K_ij = area (x p p^T + y q q^T + z p q^T + w q p^T + g I),
 * with five coefficients from the shape gradients d_i, the stiffness and the projected stress.
 * Since the d_i sum to zero, only K_11, K_22 and K_12 are computed; the others are their negated
 * sums. */
#ifndef VO_MATERIAL_STRETCH_LANES_H
#define VO_MATERIAL_STRETCH_LANES_H

#include "material/fabric.h"
#include "math/simd.h"

typedef struct vo_stretch4 {
    vo_d4 inverse[4]; /* inverse of the material edge matrix, row-major a b c d, 1/m */
    vo_d4 area;       /* material area, m^2 */
    vo_d4 offset[3];  /* Guu Guv Gvv, subtracted from the strain */
    vo_d4 c[4];       /* stiffness, N/m; not read by vo_stretch4_strain */
    vo_d4 tau;        /* time step + stiffness-proportional damping, s */
} vo_stretch4;

typedef struct vo_stretch4_out {
    vo_p4 force[3];      /* -(dE/dx) - tau H v, N */
    vo_d4 hessian[6][9]; /* H projected: blocks 00 11 22 01 02 12, element (r, c) at 3 c + r, N/m */
    vo_d4 stretch_max, stretch_min; /* principal stretches, 1 at rest */
} vo_stretch4_out;

/* The columns of F, or of its rate for velocities. */
typedef struct vo_map4 {
    vo_p4 u, v;
} vo_map4;

VO_INLINE vo_map4 vo_stretch4_map(const vo_stretch4 *in, const vo_p4 x[3]) {
    vo_p4 e1 = p4_sub(x[1], x[0]), e2 = p4_sub(x[2], x[0]);
    return (vo_map4){p4_add(p4_scale(in->inverse[0], e1), p4_scale(in->inverse[2], e2)),
                     p4_add(p4_scale(in->inverse[1], e1), p4_scale(in->inverse[3], e2))};
}

/* A symmetric 2x2 matrix per lane. */
typedef struct vo_sym24 {
    vo_d4 uu, uv, vv;
} vo_sym24;

/* Larger eigenvalue = mean + radius, smaller = mean - radius. */
VO_INLINE void vo_sym24_eigen(vo_sym24 m, vo_d4 *mean, vo_d4 *radius) {
    vo_d4 half = 0.5 * (m.uu - m.vv);
    *mean = 0.5 * (m.uu + m.vv);
    *radius = d4_sqrt(half * half + m.uv * m.uv);
}

/* Positive semidefinite part S+ = t (S - small I) + small+ I, with small+ = max(small, 0) and t the
 * fraction of the eigenvalue difference that remains once negative eigenvalues are 0. */
VO_INLINE vo_sym24 vo_sym24_project(vo_sym24 s) {
    const vo_d4 zero = d4_set(0), one = d4_set(1);
    vo_d4 mean, radius;
    vo_sym24_eigen(s, &mean, &radius);
    vo_d4 large = mean + radius, small = mean - radius, spread = radius + radius;
    vo_d4 floor = d4_max(small, zero);
    vo_d4 t = (d4_max(large, zero) - floor) / d4_select(spread > zero, spread, one);
    t = d4_min(t, one);
    return (vo_sym24){t * (s.uu - small) + floor, t * s.uv, t * (s.vv - small) + floor};
}

VO_INLINE vo_sym24 vo_stretch4_stress(const vo_d4 c[4], vo_sym24 g) {
    return (vo_sym24){c[0] * g.uu + c[1] * g.vv, 2 * c[3] * g.uv, c[1] * g.uu + c[2] * g.vv};
}

VO_INLINE vo_sym24 vo_stretch4_gram(vo_map4 f) {
    return (vo_sym24){p4_dot(f.u, f.u), p4_dot(f.u, f.v), p4_dot(f.v, f.v)};
}

/* Green strain from F^T F. */
VO_INLINE vo_sym24 vo_stretch4_green(vo_sym24 gram) {
    return (vo_sym24){0.5 * (gram.uu - 1), 0.5 * gram.uv, 0.5 * (gram.vv - 1)};
}

/* Effective Green strain, minus the offset. */
VO_INLINE vo_sym24 vo_stretch4_effective_strain(const vo_stretch4 *in, vo_sym24 gram) {
    vo_sym24 green = vo_stretch4_green(gram);
    return (vo_sym24){green.uu - in->offset[0], green.uv - in->offset[1], green.vv - in->offset[2]};
}

/* Guu Guv Gvv for the table lookup, before c is known. */
VO_INLINE void vo_stretch4_strain(const vo_stretch4 *in, const vo_p4 x[3], vo_d4 g[3]) {
    vo_sym24 green = vo_stretch4_effective_strain(in, vo_stretch4_gram(vo_stretch4_map(in, x)));
    g[0] = green.uu;
    g[1] = green.uv;
    g[2] = green.vv;
}

/* dG = sym(F^T L) */
VO_INLINE vo_sym24 vo_stretch4_strain_rate(vo_map4 f, vo_map4 rate) {
    return (vo_sym24){p4_dot(f.u, rate.u), 0.5 * (p4_dot(f.u, rate.v) + p4_dot(f.v, rate.u)),
                      p4_dot(f.v, rate.v)};
}

/* force_i = -area P d_i with P = F (S + tau dS) + tau L S+ */
VO_INLINE void vo_stretch4_force(const vo_stretch4 *in, vo_map4 f, vo_map4 rate, vo_sym24 s,
                                 vo_sym24 ds, vo_sym24 projected, vo_p4 force[3]) {
    vo_d4 a = -in->area, b = a * in->tau;
    vo_d4 suu = a * s.uu + b * ds.uu, suv = a * s.uv + b * ds.uv, svv = a * s.vv + b * ds.vv;
    vo_d4 puu = b * projected.uu, puv = b * projected.uv, pvv = b * projected.vv;
    vo_p4 u = p4_add(p4_add(p4_scale(suu, f.u), p4_scale(suv, f.v)),
                     p4_add(p4_scale(puu, rate.u), p4_scale(puv, rate.v)));
    vo_p4 v = p4_add(p4_add(p4_scale(suv, f.u), p4_scale(svv, f.v)),
                     p4_add(p4_scale(puv, rate.u), p4_scale(pvv, rate.v)));
    force[1] = p4_add(p4_scale(in->inverse[0], u), p4_scale(in->inverse[1], v));
    force[2] = p4_add(p4_scale(in->inverse[2], u), p4_scale(in->inverse[3], v));
    force[0] = p4_sub((vo_p4){-force[1].x, -force[1].y, -force[1].z}, force[2]);
}

/* x p p^T + y q q^T + z p q^T + w q p^T + g I into a column-major block. */
VO_INLINE void vo_stretch4_block(vo_map4 f, vo_d4 x, vo_d4 y, vo_d4 z, vo_d4 w, vo_d4 g,
                                 vo_d4 block[9]) {
    const vo_d4 p[3] = {f.u.x, f.u.y, f.u.z}, q[3] = {f.v.x, f.v.y, f.v.z};
    for (int c = 0; c < 3; c++) {
        vo_d4 along_p = x * p[c] + z * q[c], along_q = w * p[c] + y * q[c];
        for (int r = 0; r < 3; r++) block[3 * c + r] = p[r] * along_p + q[r] * along_q;
        block[4 * c] += g;
    }
}

/* Block of two corners with shape gradients (iu, iv) and (ju, jv). */
VO_INLINE void vo_stretch4_corner_block(const vo_stretch4 *in, vo_map4 f, vo_sym24 s,
                                        const vo_d4 i[2], const vo_d4 j[2], vo_d4 block[9]) {
    const vo_d4 *c = in->c;
    vo_d4 uu = in->area * (i[0] * j[0]), vv = in->area * (i[1] * j[1]);
    vo_d4 uv = in->area * (i[0] * j[1]), vu = in->area * (i[1] * j[0]);
    vo_stretch4_block(f, c[0] * uu + c[3] * vv, c[3] * uu + c[2] * vv, c[1] * uv + c[3] * vu,
                      c[3] * uv + c[1] * vu, s.uu * uu + s.uv * (uv + vu) + s.vv * vv, block);
}

/* Blocks of corners 1 and 2, from which vo_stretch4_complete derives the others. */
VO_INLINE void vo_stretch4_hessian(const vo_stretch4 *in, vo_map4 f, vo_sym24 s,
                                   vo_d4 hessian[6][9]) {
    const vo_d4 *d1 = in->inverse, *d2 = in->inverse + 2;
    vo_stretch4_corner_block(in, f, s, d1, d1, hessian[1]);
    vo_stretch4_corner_block(in, f, s, d2, d2, hessian[2]);
    vo_stretch4_corner_block(in, f, s, d1, d2, hessian[5]);
}

/* Completes six blocks from three: K_0j = -(K_1j + K_2j), K_i0 = -(K_i1 + K_i2). */
VO_INLINE void vo_stretch4_complete(vo_d4 hessian[6][9]) {
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            int k = 3 * c + r, transposed = 3 * r + c;
            hessian[3][k] = -(hessian[1][k] + hessian[5][transposed]);
            hessian[4][k] = -(hessian[5][k] + hessian[2][k]);
        }
    for (int c = 0; c < 3; c++)
        for (int r = 0; r <= c; r++) {
            int k = 3 * c + r;
            hessian[0][k] = -(hessian[3][k] + hessian[4][k]);
            hessian[0][3 * r + c] = hessian[0][k];
        }
}

VO_INLINE void vo_stretch4_stretches(vo_sym24 gram, vo_stretch4_out *out) {
    vo_d4 mean, radius;
    vo_sym24_eigen(gram, &mean, &radius);
    out->stretch_max = d4_sqrt(mean + radius);
    out->stretch_min = d4_sqrt(d4_max(mean - radius, d4_set(0)));
}

/* Evaluates four faces. Unused lanes with zero inverse and area give zero force and Hessian. */
VO_INLINE void vo_stretch4_eval(const vo_stretch4 *in, const vo_p4 x[3], const vo_p4 v[3],
                                vo_stretch4_out *out) {
    vo_map4 f = vo_stretch4_map(in, x), rate = vo_stretch4_map(in, v);
    vo_sym24 gram = vo_stretch4_gram(f);
    vo_sym24 s = vo_stretch4_stress(in->c, vo_stretch4_effective_strain(in, gram));
    vo_sym24 projected = vo_sym24_project(s);
    vo_sym24 ds = vo_stretch4_stress(in->c, vo_stretch4_strain_rate(f, rate));
    vo_stretch4_force(in, f, rate, s, ds, projected, out->force);
    vo_stretch4_hessian(in, f, projected, out->hessian);
    vo_stretch4_complete(out->hessian);
    vo_stretch4_stretches(gram, out);
}

/* Returns the sample below a position on an axis of the table, and the fraction to the next. NaN
 * maps to 0. */
VO_INLINE int vo_table_cell(double position, double *fraction) {
    double clamped = position > 0 ? position : 0;
    clamped = clamped < VO_STRETCH_SAMPLES - 1 ? clamped : VO_STRETCH_SAMPLES - 1;
    int cell = (int)clamped;
    cell = cell < VO_STRETCH_SAMPLES - 2 ? cell : VO_STRETCH_SAMPLES - 2;
    *fraction = clamped - cell;
    return cell;
}

VO_INLINE vo_d4 vo_table_load(const vo_stiffness_sample *sample) {
    vo_f4 v;
    memcpy(&v, sample->c, sizeof v);
    return f4_to_d4(v);
}

/* Stiffness of one face by trilinear interpolation. */
VO_INLINE vo_d4 vo_table_lookup(const vo_stiffness_sample *table, double guu, double guv,
                                double gvv) {
    enum { U = VO_STRETCH_SAMPLES * VO_STRETCH_SAMPLES, V = VO_STRETCH_SAMPLES };
    double a, b, c;
    int i = vo_table_cell((guu - VO_STRAIN_LOW) * VO_STRETCH_SAMPLES, &a);
    int j = vo_table_cell((gvv - VO_STRAIN_LOW) * VO_STRETCH_SAMPLES, &b);
    int k = vo_table_cell(fabs(guv) * VO_STRETCH_SAMPLES, &c);
    const vo_stiffness_sample *s = table + i * U + j * V + k;
    vo_d4 low = d4_set(1 - c), high = d4_set(c);
    vo_d4 s00 = low * vo_table_load(s) + high * vo_table_load(s + 1);
    vo_d4 s01 = low * vo_table_load(s + V) + high * vo_table_load(s + V + 1);
    vo_d4 s10 = low * vo_table_load(s + U) + high * vo_table_load(s + U + 1);
    vo_d4 s11 = low * vo_table_load(s + U + V) + high * vo_table_load(s + U + V + 1);
    return (1 - a) * ((1 - b) * s00 + b * s01) + a * ((1 - b) * s10 + b * s11);
}

/* Stiffness of four faces, times their stretching multipliers. */
VO_INLINE void vo_stretch4_lookup(const vo_fabric *const fabric[4], vo_d4 mult, const vo_d4 g[3],
                                  vo_d4 c[4]) {
    vo_d4 face[4];
    for (int n = 0; n < 4; n++)
        face[n] = fabric[n]->table ? vo_table_lookup(fabric[n]->table, g[0][n], g[1][n], g[2][n])
                                   : d4_load(fabric[n]->linear.c);
    for (int k = 0; k < 4; k++)
        c[k] = mult * (vo_d4){face[0][k], face[1][k], face[2][k], face[3][k]};
}

#endif
