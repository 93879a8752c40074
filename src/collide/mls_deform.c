#include "collide/mls_deform.h"

#include "core/parallel.h"

#include <string.h>

enum { POINT_GRAIN = 16, JACOBI_SWEEPS = 12 };

/* m^2, regularisation: keeps a single body point from dominating a node that lies on it */
static const double REGULARISATION = 1e-6;

/* ---- best rotation -------------------------------------------------------------------------- */

/* Sum of w a b^T over positions relative to their centroids. */
typedef struct covariance {
    double m[3][3];
} covariance;

/* Jacobi rotation of rows and columns p and q of a symmetric matrix so that a[p][q] becomes 0;
 * applied to v too. */
static void rotate_pair(double a[4][4], double v[4][4], int p, int q) {
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 4; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

/* Returns the eigenvector of the largest eigenvalue, by Jacobi's method. Overwrites `a`. */
static vo_quat largest_eigenvector(double a[4][4]) {
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) rotate_pair(a, v, p, q);
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (a[i][i] > a[best][best]) best = i;
    return q_normalize((vo_quat){v[0][best], v[1][best], v[2][best], v[3][best]});
}

/* Horn's matrix: the rotation that maps a to b maximises q^T N q. */
static vo_quat best_rotation(const covariance *s) {
    const double(*m)[3] = s->m;
    double n[4][4] = {
        {m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]},
        {0, m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]},
        {0, 0, m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]},
        {0, 0, 0, m[2][2] - m[0][0] - m[1][1]}};
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < i; k++) n[i][k] = n[k][i];
    return largest_eigenvector(n);
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct deform_job {
    int samples;
    const vo_vec3 *from, *to;
    vo_vec3 *x, *v;
} deform_job;

/* Rigid motion of the body around a point. */
typedef struct local_motion {
    vo_vec3 before, after; /* centroids c and c' */
    vo_quat rotation;
} local_motion;

static double weight_at(vo_vec3 x, vo_vec3 from) {
    double d = v3_length2(v3_sub(x, from)) + REGULARISATION;
    return 1 / (d * d * d);
}

static void find_centroids(const deform_job *c, vo_vec3 x, local_motion *out) {
    double total = 0;
    out->before = out->after = v3_zero();
    for (int k = 0; k < c->samples; k++) {
        double w = weight_at(x, c->from[k]);
        out->before = v3_add_scaled(out->before, w, c->from[k]);
        out->after = v3_add_scaled(out->after, w, c->to[k]);
        total += w;
    }
    out->before = v3_scale(1 / total, out->before);
    out->after = v3_scale(1 / total, out->after);
}

static local_motion local_motion_at(const deform_job *c, vo_vec3 x) {
    local_motion out;
    covariance s = {0};
    find_centroids(c, x, &out);
    for (int k = 0; k < c->samples; k++) {
        double w = weight_at(x, c->from[k]);
        vo_vec3 a = v3_scale(w, v3_sub(c->from[k], out.before)), b = v3_sub(c->to[k], out.after);
        const double from[3] = {a.x, a.y, a.z}, to[3] = {b.x, b.y, b.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) s.m[i][j] += from[i] * to[j];
    }
    out.rotation = best_rotation(&s);
    return out;
}

static void deform_range(void *arg, int begin, int end, int chunk) {
    const deform_job *c = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        local_motion s = local_motion_at(c, c->x[i]);
        c->x[i] = v3_add(s.after, q_rotate(s.rotation, v3_sub(c->x[i], s.before)));
        c->v[i] = q_rotate(s.rotation, c->v[i]);
    }
}

void vo_mls_deform(vo_context *ctx, int samples, const vo_vec3 *from, const vo_vec3 *to, int count,
                   vo_vec3 *x, vo_vec3 *v) {
    deform_job c = {samples, from, to, x, v};
    vo_parallel_for(ctx, count, POINT_GRAIN, deform_range, &c);
}
