#include "remesh/sizing_face.h"

/* A^2 of a symmetric tensor. */
static vo_sym2 squared(vo_sym2 a) {
    return (vo_sym2){a.xx * a.xx + a.xy * a.xy, a.xy * (a.xx + a.yy), a.yy * a.yy + a.xy * a.xy};
}

/* The tensor rotated by a right angle: its value along a direction becomes the value across. */
static vo_sym2 across(vo_sym2 a) { return (vo_sym2){a.yy, -a.xy, a.xx}; }

/* Applies sign(x) sqrt(|x|) to the eigenvalues. */
static vo_sym2 signed_root(vo_sym2 a) {
    vo_eigen2 e = vo_metric_eigen(a);
    e.lambda_max = copysign(sqrt(fabs(e.lambda_max)), e.lambda_max);
    e.lambda_min = copysign(sqrt(fabs(e.lambda_min)), e.lambda_min);
    return vo_metric_from_eigen(e);
}

/* Sets negative eigenvalues to zero. */
static vo_sym2 positive_part(vo_sym2 a) {
    vo_eigen2 e = vo_metric_eigen(a);
    if (e.lambda_max <= 0) return (vo_sym2){0};
    e.lambda_min = vo_max(e.lambda_min, 0);
    return vo_metric_from_eigen(e);
}

/* Hinge sum: sum over the sides of angle l / (2 area) n n^T. */
static vo_sym2 hinge_sum(const vo_sizing_face *face) {
    const vo_vec2 *u = face->u;
    double area2 = v2_cross(v2_sub(u[1], u[0]), v2_sub(u[2], u[0]));
    vo_sym2 sum = {0};
    for (int i = 0; i < 3; i++) {
        vo_vec2 side = v2_sub(u[(i + 1) % 3], u[i]);
        vo_vec2 normal = v2(-side.y, side.x); /* length of the side */
        sum = sym2_add(sum, sym2_outer(face->angle[i] / (area2 * v2_length(side)), normal));
    }
    return sum;
}

/* One equation for the curvature: row . (Kxx, Kxy, Kyy) = the slope between the two faces of side
 * i, divided by half the distance of the opposite corners. On the side, of length l, let t point
 * along and n out of the face; a corner at s l t + h n has the height
 * h (h Knn + 2 s l Ktn + s (s - 1) l^2 Ktt / h) / 2 above the plane through both ends of the side.
 * The slopes of the two faces across the side are these heights divided by h, and their difference
 * is the dihedral angle. */
static vo_vec3 hinge_row(const vo_sizing_face *face, int i, double *right) {
    vo_vec2 side = v2_sub(face->u[(i + 1) % 3], face->u[i]);
    vo_vec2 arm = v2_sub(face->u[(i + 2) % 3], face->u[i]);
    double l = v2_length(side);
    vo_vec2 t = v2_scale(1 / l, side), n = v2(t.y, -t.x);
    double inner = v2_dot(t, arm) / l, outer = face->flap[i].x; /* s of the two corners */
    double depth = v2_cross(t, arm), height = face->flap[i].y;  /* |h| of the two corners */
    double nn = 0.5 * (height + depth), tn = l * (outer - inner) / nn;
    double tt = -0.5 * l * l * (outer * (1 - outer) / height + inner * (1 - inner) / depth) / nn;
    *right = face->angle[i] / nn;
    return v3(n.x * n.x + tn * t.x * n.x + tt * t.x * t.x,
              2 * n.x * n.y + tn * (t.x * n.y + t.y * n.x) + 2 * tt * t.x * t.y,
              n.y * n.y + tn * t.y * n.y + tt * t.y * t.y);
}

/* Solves the three equations; false if they are (nearly) singular. */
static bool fit_curvature(const vo_sizing_face *face, vo_sym2 *out) {
    vo_vec3 row[3];
    double right[3], size = 1;
    for (int i = 0; i < 3; i++) {
        if (!(face->flap[i].y > 0)) return false;
        row[i] = hinge_row(face, i, &right[i]);
        size *= v3_length(row[i]);
    }
    vo_vec3 across0 = v3_cross(row[1], row[2]), across1 = v3_cross(row[2], row[0]);
    vo_vec3 across2 = v3_cross(row[0], row[1]);
    double det = v3_dot(row[0], across0);
    if (!(fabs(det) > 0.03 * size)) return false;
    vo_vec3 k = v3_scale(right[0] / det, across0);
    k = v3_add_scaled(k, right[1] / det, across1);
    k = v3_add_scaled(k, right[2] / det, across2);
    *out = (vo_sym2){k.x, k.y, k.z};
    return true;
}

/* Sum of the squared eigenvalues. */
static double norm2(vo_sym2 a) { return a.xx * a.xx + 2 * a.xy * a.xy + a.yy * a.yy; }

/* The curvature tensor, 1/m, from the dihedral angles at the sides; positive where the surface
 * falls away from its normals.
 *
 * The three angles give three linear equations for the three components of the tensor: a quadratic
 * surface sampled at the six corners of the face and its neighbours has exactly these angles. So
 * the solution is exact for quadratic surfaces on any mesh. The hinge sum over the sides of
 * angle l / (2 area) n n^T (Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape
 * operators on general meshes") is equal to it if the neighbours are point reflections of the face.
 * Elsewhere it overestimates the curvature of a cylinder by up to one half and reports half of it
 * along the axis, which would destroy the anisotropy of the mesh. It is used if `hinge_sum` is set,
 * a neighbour is missing, the six corners lie near a conic (the equations are then singular), or
 * the solution is more than 1.5 times as large: rough folds are not quadratic, and the solution
 * would amplify them. */
static vo_sym2 measure_curvature(const vo_sizing_weights *w, const vo_sizing_face *face) {
    vo_sym2 sum = hinge_sum(face), fit;
    if (w->hinge_sum || !fit_curvature(face, &fit)) return sum;
    return norm2(fit) <= 1.5 * 1.5 * norm2(sum) ? fit : sum;
}

/* G^T G of the material derivative G of a vector field given at the corners. */
static vo_sym2 gradient_gram(vo_mat2 gradient, const vo_vec3 value[3]) {
    return m32_gram(m32_mul_m2(v3_sub(value[1], value[0]), v3_sub(value[2], value[0]), gradient));
}

vo_sym2 vo_sizing_compression(const vo_sizing_weights *w, vo_mat2 gradient, const vo_vec3 x[3],
                              vo_sym2 bend2) {
    if (isinf(w->compression)) return (vo_sym2){0};
    double c2 = w->compression * w->compression;
    /* Green strain e = (F^T F - I) / 2. Without compression there is no buckling. */
    vo_sym2 strain = sym2_scale(0.5, sym2_sub(gradient_gram(gradient, x), sym2_diagonal(1)));
    if (strain.xx >= 0 && sym2_det(strain) >= 0) return (vo_sym2){0};
    /* (-e + sqrt(e^2 - 4 c^2 rib k^2)) / (2 c^2) */
    vo_sym2 ribs = sym2_scale(4 * c2 * w->rib, across(bend2));
    vo_sym2 root = signed_root(sym2_sub(squared(strain), ribs));
    return sym2_scale(0.5 / c2, positive_part(sym2_sub(root, strain)));
}

/* d(height)/du (d(height)/du)^T / height^2 for the height above the tangent plane of the obstacle
 * at the point nearest to corner `i`. */
static vo_sym2 obstacle_at(const vo_sizing_weights *w, vo_mat2 gradient, const vo_sizing_face *face,
                           int i) {
    vo_vec3 away = v3_sub(face->x[i], face->nearest[i]);
    double distance = v3_length(away);
    if (!(distance <= w->max_height)) return (vo_sym2){0}; /* also for NaN: no obstacle */
    vo_vec3 up = distance > 0 ? v3_scale(1 / distance, away) : face->normal[i];
    double d1 = v3_dot(v3_sub(face->x[1], face->x[0]), up);
    double d2 = v3_dot(v3_sub(face->x[2], face->x[0]), up);
    vo_vec2 slope = v2(d1 * gradient.a + d2 * gradient.c, d1 * gradient.b + d2 * gradient.d);
    double height = vo_max(distance, w->min_height);
    return sym2_outer(1 / (height * height), slope);
}

static vo_sym2 obstacle_term(const vo_sizing_weights *w, vo_mat2 gradient,
                             const vo_sizing_face *face) {
    vo_sym2 sum = {0};
    for (int i = 0; i < 3; i++) sum = sym2_add(sum, obstacle_at(w, gradient, face, i));
    return sym2_scale(1.0 / 3, sum);
}

/* P^T P of the 2x2 plastic curvature. */
static vo_sym2 plastic_bend2(const double *p) {
    if (!p) return (vo_sym2){0};
    return (vo_sym2){p[0] * p[0] + p[2] * p[2], p[0] * p[1] + p[2] * p[3],
                     p[1] * p[1] + p[3] * p[3]};
}

void vo_sizing_terms(const vo_sizing_weights *w, const vo_sizing_face *face,
                     vo_sym2 term[VO_SIZING_TERMS]) {
    vo_mat2 gradient = vo_sizing_gradient(face->u);
    vo_sym2 bend2 = gradient_gram(gradient, face->normal);
    term[0] = sym2_scale(w->angle, squared(measure_curvature(w, face)));
    term[1] = sym2_scale(w->angle, bend2);
    term[2] = sym2_scale(w->angle, plastic_bend2(face->plastic));
    term[3] = sym2_scale(w->velocity, gradient_gram(gradient, face->v));
    term[4] = vo_sizing_compression(w, gradient, face->x, bend2);
    term[5] = obstacle_term(w, gradient, face);
    for (int i = 0; i < VO_SIZING_TERMS; i++) term[i] = vo_metric_sanitise(term[i]);
}
