#include "material/stretch.h"

/* Shape gradients d_i of the corners in material space: F = sum x_i d_i^T. */
static void shape_gradients(const vo_stretch_face *face, vo_vec2 d[3]) {
    d[1] = v2(face->inverse.a, face->inverse.b);
    d[2] = v2(face->inverse.c, face->inverse.d);
    d[0] = v2_scale(-1, v2_add(d[1], d[2]));
}

static vo_mat32 deformation(const vo_stretch_face *face, const vo_vec3 x[3]) {
    return m32_mul_m2(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), face->inverse);
}

/* G = 1/2 (F^T F - I) - offset */
vo_sym2 vo_green_strain(const vo_stretch_face *face, const vo_vec3 x[3]) {
    vo_sym2 gram = m32_gram(deformation(face, x));
    const vo_sym2 *o = &face->offset;
    return (vo_sym2){0.5 * (gram.xx - 1) - o->xx, 0.5 * gram.xy - o->xy,
                     0.5 * (gram.yy - 1) - o->yy};
}

static vo_tension law(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3]) {
    return vo_buckle_law(c, face->slack, vo_green_strain(face, x));
}

/* E = area W(G) */
double vo_stretch_energy(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3]) {
    return face->area * law(face, c, x).energy;
}

/* dE/dx_i = area F S d_i */
void vo_stretch_gradient(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                         vo_vec3 gradient[3]) {
    vo_mat32 f = deformation(face, x);
    vo_sym2 s = law(face, c, x).stress;
    vo_vec2 d[3];
    shape_gradients(face, d);
    for (int i = 0; i < 3; i++) {
        vo_vec2 t = v2(s.xx * d[i].x + s.xy * d[i].y, s.xy * d[i].x + s.yy * d[i].y);
        gradient[i] = v3_scale(face->area, v3_add(v3_scale(t.x, f.u), v3_scale(t.y, f.v)));
    }
}

/* Nearest positive semidefinite matrix: negative eigenvalues become 0. */
static vo_sym2 project_psd(vo_sym2 s) {
    vo_eigen2 e = vo_sym2_eigen(s);
    double large = vo_max(e.lambda_max, 0), small = vo_max(e.lambda_min, 0), x = e.axis.x,
           y = e.axis.y;
    return (vo_sym2){large * x * x + small * y * y, (large - small) * x * y,
                     large * y * y + small * x * x};
}

/* Gradients of Guu, Gvv and 2 Guv with respect to one corner. */
typedef struct strain_gradient {
    vo_vec3 uu, vv, uv;
} strain_gradient;

static strain_gradient corner_strain_gradient(vo_mat32 f, vo_vec2 d) {
    return (strain_gradient){v3_scale(d.x, f.u), v3_scale(d.y, f.v),
                             v3_add(v3_scale(d.x, f.v), v3_scale(d.y, f.u))};
}

/* Gradient of one stress component from its slopes. */
static vo_vec3 stress_gradient(double uu, double vv, double uv, const strain_gradient *g) {
    return v3_add(v3_scale(uu, g->uu), v3_add(v3_scale(vv, g->vv), v3_scale(uv, g->uv)));
}

/* sum over strain components a, b of C_ab grad_i G_a grad_j G_b^T */
static vo_mat3 material_block(const double c[6], strain_gradient i, strain_gradient j) {
    vo_vec3 suu = stress_gradient(c[0], c[1], c[3], &j),
            svv = stress_gradient(c[1], c[2], c[4], &j);
    vo_vec3 suv = stress_gradient(c[3], c[4], c[5], &j);
    return m3_add(m3_outer(i.uu, suu), m3_add(m3_outer(i.vv, svv), m3_outer(i.uv, suv)));
}

/* d2E/dx_i dx_j = area (material part + (d_i . S d_j) I) */
void vo_stretch_hessian(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                        bool project, vo_mat3 hessian[3][3]) {
    vo_mat32 f = deformation(face, x);
    vo_tension t = law(face, c, x);
    vo_sym2 s = project ? project_psd(t.stress) : t.stress;
    vo_vec2 d[3];
    shape_gradients(face, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            vo_vec2 sd = v2(s.xx * d[j].x + s.xy * d[j].y, s.xy * d[j].x + s.yy * d[j].y);
            vo_mat3 geometric = m3_scale(v2_dot(d[i], sd), m3_identity());
            vo_mat3 material = material_block(t.slope, corner_strain_gradient(f, d[i]),
                                              corner_strain_gradient(f, d[j]));
            hessian[i][j] = m3_scale(face->area, m3_add(material, geometric));
        }
}
