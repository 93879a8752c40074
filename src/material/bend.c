/* Gradient of the dihedral angle: Bridson, Marino, Fedkiw 2003, "Simulation of clothing with folds
 * and wrinkles", section 4. */
#include "material/bend.h"

/* Vectors of a hinge from node 0, and the face normals n0 = e x a, n1 = b x e (twice the areas). */
typedef struct hinge {
    vo_vec3 e, a, b, n0, n1;
    bool is_valid; /* both faces have a normal */
} hinge;

static bool has_normal(vo_vec3 n, vo_vec3 e, vo_vec3 a) {
    double n2 = v3_length2(n);
    return n2 > VO_HINGE_MIN_NORMAL2 && n2 > VO_HINGE_MIN_SINE2 * (v3_length2(e) * v3_length2(a));
}

static hinge make_hinge(const vo_vec3 x[4]) {
    hinge h = {v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), v3_sub(x[3], x[0])};
    h.n0 = v3_cross(h.e, h.a);
    h.n1 = v3_cross(h.b, h.e);
    h.is_valid = has_normal(h.n0, h.e, h.a) && has_normal(h.n1, h.e, h.b);
    return h;
}

/* cos ~ n0 . n1, sin ~ (n0 x n1) . e/|e| = -|e| n0 . b, as n0 x (b x e) = -e (n0 . b). */
double vo_hinge_angle(const vo_vec3 x[4]) {
    hinge h = make_hinge(x);
    if (!h.is_valid) return 0;
    double sine = -v3_length(h.e) * v3_dot(h.n0, h.b) + 0.0; /* + 0 avoids -0 and thus -pi */
    return atan2(sine, v3_dot(h.n0, h.n1));
}

/* The outer nodes rotate their faces about the edge; the reaction is distributed to the edge nodes
 * by the projections of the outer nodes onto the edge. */
void vo_hinge_angle_gradient(const vo_vec3 x[4], vo_vec3 gradient[4]) {
    hinge h = make_hinge(x);
    for (int i = 0; i < 4; i++) gradient[i] = v3_zero();
    if (!h.is_valid) return;
    double length2 = v3_length2(h.e), length = sqrt(length2);
    double foot2 = v3_dot(h.a, h.e) / length2, foot3 = v3_dot(h.b, h.e) / length2;
    vo_vec3 g2 = v3_scale(-length / v3_length2(h.n0), h.n0);
    vo_vec3 g3 = v3_scale(-length / v3_length2(h.n1), h.n1);
    gradient[0] = v3_add(v3_scale(foot2 - 1, g2), v3_scale(foot3 - 1, g3));
    gradient[1] = v3_add(v3_scale(-foot2, g2), v3_scale(-foot3, g3));
    gradient[2] = g2;
    gradient[3] = g3;
}

vo_bend_face vo_bend_face_make(const vo_vec2 corner[3]) {
    vo_bend_face face = {.area = 0};
    double twice = fabs(v2_cross(v2_sub(corner[1], corner[0]), v2_sub(corner[2], corner[0])));
    if (!(twice * twice > VO_HINGE_MIN_NORMAL2)) return face;
    face.area = 0.5 * twice;
    for (int k = 0; k < 3; k++) {
        vo_vec2 e = v2_sub(corner[(k + 1) % 3], corner[k]);
        /* l n n^T / (2 area) with n = (e.y, -e.x) / l */
        double scale = 1 / (twice * v2_length(e));
        face.basis[k][0] = scale * e.y * e.y;
        face.basis[k][1] = scale * e.x * e.x;
        face.basis[k][2] = -scale * e.x * e.y;
    }
    return face;
}

/* K = sum of basis_k bend_k - offset */
void vo_bend_tensor(const vo_bend_face *face, const double bend[3], double k[3]) {
    for (int c = 0; c < 3; c++)
        k[c] = face->basis[0][c] * bend[0] + face->basis[1][c] * bend[1] +
               face->basis[2][c] * bend[2] - face->offset[c];
}

double vo_bend_curvature(const vo_bend_face *face, const double bend[3]) {
    double k[3];
    vo_bend_tensor(face, bend, k);
    return sqrt(k[0] * k[0] + k[1] * k[1] + 2 * (k[2] * k[2]));
}

double vo_bend_energy(const vo_bend_face *face, const vo_plate *plate, const double bend[3]) {
    double k[3], sum = 0;
    vo_bend_tensor(face, bend, k);
    for (int c = 0; c < 3; c++) sum += plate->d[c] * k[c] * k[c];
    return 0.5 * face->area * sum;
}

void vo_bend_moments(const vo_bend_face *face, const vo_plate *plate, const double bend[3],
                     double moment[3]) {
    double k[3];
    vo_bend_tensor(face, bend, k);
    for (int i = 0; i < 3; i++) {
        moment[i] = 0;
        for (int c = 0; c < 3; c++)
            moment[i] += face->area * plate->d[c] * k[c] * face->basis[i][c];
    }
}

void vo_bend_weights(const vo_bend_face *face, const vo_plate *plate, double weight[3]) {
    for (int i = 0; i < 3; i++) {
        weight[i] = 0;
        for (int j = 0; j < 3; j++) {
            double entry = 0;
            for (int c = 0; c < 3; c++)
                entry += plate->d[c] * face->basis[i][c] * face->basis[j][c];
            weight[i] += face->area * fabs(entry);
        }
    }
}
