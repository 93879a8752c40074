/* The angle's gradient: Bridson, Marino, Fedkiw 2003, "Simulation of clothing with folds and
 * wrinkles", section 4. */
#include "material/bend.h"

/* A hinge's vectors from node 0, and the faces' normals n0 = e x a, n1 = b x e (twice the areas).
 */
typedef struct hinge {
    vo_vec3 e, a, b, n0, n1;
    bool sound; /* both faces have a normal */
} hinge;

static bool has_normal(vo_vec3 n, vo_vec3 e, vo_vec3 a) {
    double n2 = v3_length2(n);
    return n2 > VO_HINGE_TINY && n2 > VO_HINGE_THIN * (v3_length2(e) * v3_length2(a));
}

static hinge make_hinge(const vo_vec3 x[4]) {
    hinge h = {v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), v3_sub(x[3], x[0])};
    h.n0 = v3_cross(h.e, h.a);
    h.n1 = v3_cross(h.b, h.e);
    h.sound = has_normal(h.n0, h.e, h.a) && has_normal(h.n1, h.e, h.b);
    return h;
}

/* cos ~ n0 . n1, sin ~ (n0 x n1) . e/|e| = -|e| n0 . b, as n0 x (b x e) = -e (n0 . b). */
double vo_hinge_angle(const vo_vec3 x[4]) {
    hinge h = make_hinge(x);
    if (!h.sound) return 0;
    double sine = -v3_length(h.e) * v3_dot(h.n0, h.b) + 0.0; /* + 0: no -0, so no -pi */
    return atan2(sine, v3_dot(h.n0, h.n1));
}

/* The outer nodes turn their faces about the edge; the edge's nodes share the reaction in the ratio
 * in which the outer nodes' feet divide the edge. */
void vo_hinge_angle_gradient(const vo_vec3 x[4], vo_vec3 gradient[4]) {
    hinge h = make_hinge(x);
    for (int i = 0; i < 4; i++) gradient[i] = v3_zero();
    if (!h.sound) return;
    double length2 = v3_length2(h.e), length = sqrt(length2);
    double foot2 = v3_dot(h.a, h.e) / length2, foot3 = v3_dot(h.b, h.e) / length2;
    vo_vec3 g2 = v3_scale(-length / v3_length2(h.n0), h.n0);
    vo_vec3 g3 = v3_scale(-length / v3_length2(h.n1), h.n1);
    gradient[0] = v3_add(v3_scale(foot2 - 1, g2), v3_scale(foot3 - 1, g3));
    gradient[1] = v3_add(v3_scale(-foot2, g2), v3_scale(-foot3, g3));
    gradient[2] = g2;
    gradient[3] = g3;
}

double vo_bend_energy(double weight, double rest_angle, const vo_vec3 x[4]) {
    double bent = vo_hinge_angle(x) - rest_angle;
    return 0.5 * weight * bent * bent;
}

void vo_bend_gradient(double weight, double rest_angle, const vo_vec3 x[4], vo_vec3 gradient[4]) {
    double moment = weight * (vo_hinge_angle(x) - rest_angle);
    vo_hinge_angle_gradient(x, gradient);
    for (int i = 0; i < 4; i++) gradient[i] = v3_scale(moment, gradient[i]);
}

void vo_bend_hessian(double weight, const vo_vec3 x[4], vo_mat3 hessian[4][4]) {
    vo_vec3 g[4];
    vo_hinge_angle_gradient(x, g);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) hessian[i][j] = m3_scale(weight, m3_outer(g[i], g[j]));
}
