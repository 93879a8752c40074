#include "material/stretch_limit.h"

#include <math.h>

/* A principal direction: (d_a . n) of the corners, F n normalised, |F n|, and s - b. */
typedef struct violation {
    double weight[3];
    vo_vec3 pull;
    double length, excess;
} violation;

/* F^T F minus the offset. */
static vo_sym2 effective_gram(const vo_stretch_face *face, const vo_vec3 x[3]) {
    vo_sym2 g = vo_green_strain(face, x);
    return (vo_sym2){1 + 2 * g.xx, 2 * g.xy, 1 + 2 * g.yy};
}

vo_stretch_limit vo_stretch_limit_widen(const vo_stretch_face *face, const vo_stretch_limit *limit,
                                        double grace, const vo_vec3 before[3]) {
    vo_eigen2 e = vo_sym2_eigen(effective_gram(face, before));
    vo_stretch_limit wide = *limit;
    if (e.lambda_max > wide.max2) wide.max2 += grace * (e.lambda_max - wide.max2);
    if (e.lambda_min < wide.min2) wide.min2 += grace * (e.lambda_min - wide.min2);
    return wide;
}

static violation along(const vo_stretch_face *face, const vo_stretch_limit *limit,
                       const vo_vec3 x[3], vo_vec2 n, double square) {
    const vo_mat2 *inverse = &face->inverse;
    violation b = {
        .weight = {0, inverse->a * n.x + inverse->b * n.y, inverse->c * n.x + inverse->d * n.y}};
    b.weight[0] = -(b.weight[1] + b.weight[2]);
    vo_vec3 pull = v3_zero();
    for (int i = 0; i < 3; i++) pull = v3_add_scaled(pull, b.weight[i], v3_sub(x[i], x[0]));
    double length = v3_length(pull);
    double bound = vo_max(vo_min(square, limit->max2), limit->min2);
    b.excess = length - sqrt(vo_max(length * length + (bound - square), 0));
    if (bound == square) b.excess = 0;
    b.length = vo_max(length, VO_MIN_STRETCH);
    b.pull = v3_scale(1 / b.length, pull);
    return b;
}

static void find_violations(const vo_stretch_face *face, const vo_stretch_limit *limit,
                            const vo_vec3 x[3], violation out[2]) {
    vo_eigen2 e = vo_sym2_eigen(effective_gram(face, x));
    out[0] = along(face, limit, x, e.axis, e.lambda_max);
    out[1] = along(face, limit, x, v2(-e.axis.y, e.axis.x), e.lambda_min);
}

double vo_stretch_excess(const vo_stretch_face *face, const vo_stretch_limit *limit,
                         const vo_vec3 x[3]) {
    violation b[2];
    find_violations(face, limit, x, b);
    return vo_max(fabs(b[0].excess), fabs(b[1].excess));
}

double vo_stretch_limit_energy(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3]) {
    violation b[2];
    find_violations(face, limit, x, b);
    double sum = b[0].excess * b[0].excess + b[1].excess * b[1].excess;
    return 0.5 * face->area * limit->stiffness * sum;
}

void vo_stretch_limit_gradient(const vo_stretch_face *face, const vo_stretch_limit *limit,
                               const vo_vec3 x[3], vo_vec3 gradient[3]) {
    violation b[2];
    find_violations(face, limit, x, b);
    for (int i = 0; i < 3; i++) {
        gradient[i] = v3_zero();
        for (int n = 0; n < 2; n++) {
            double tension = face->area * limit->stiffness * b[n].excess;
            gradient[i] = v3_add_scaled(gradient[i], tension * b[n].weight[i], b[n].pull);
        }
    }
}

void vo_stretch_limit_hessian(const vo_stretch_face *face, const vo_stretch_limit *limit,
                              const vo_vec3 x[3], vo_mat3 hessian[3][3]) {
    violation b[2];
    find_violations(face, limit, x, b);
    vo_mat3 direction[2];
    for (int n = 0; n < 2; n++) {
        double k = b[n].excess == 0 ? 0 : face->area * limit->stiffness;
        double across = k * vo_max(b[n].excess, 0) / b[n].length;
        direction[n] = m3_add(m3_scale(k - across, m3_outer(b[n].pull, b[n].pull)),
                              m3_scale(across, m3_identity()));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            hessian[i][j] = m3_add(m3_scale(b[0].weight[i] * b[0].weight[j], direction[0]),
                                   m3_scale(b[1].weight[i] * b[1].weight[j], direction[1]));
}
