/* Linear systems of a sheet of cloth, for the solver tests.
 *
 * A square of n x n nodes, 1 cm apart, hangs from two corners and swings: orthotropic Green strain
 * per face, dihedral hinges per edge, one linearised backward Euler step (M + dt^2 K) dv = dt (f -
 * dt K v) at a time. The matrices have the difficult properties of cloth: stiff in the plane, soft
 * across it, wrinkled, and nearly singular for smooth in-plane motions. */
#ifndef VOILE_TESTS_LINALG_CLOTH_H
#define VOILE_TESTS_LINALG_CLOTH_H

#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "linalg/solver.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct cloth_fabric {
    double density;        /* kg/m^2 */
    double stretch, shear; /* N/m */
    double bending;        /* N m */
    double dt;             /* s */
} cloth_fabric;

static const cloth_fabric CLOTH_SOFT = {0.15, 100, 20, 1e-6, 0.005};
static const cloth_fabric CLOTH_STIFF = {0.15, 2000, 200, 1e-4, 0.005};

typedef struct cloth {
    cloth_fabric fabric;
    int n, node_count, face_count, hinge_count;
    bool irregular; /* perturbed rest positions, random diagonals */
    double spacing;
    int (*face)[3];
    int (*hinge)[4]; /* the edge's two nodes, then the two opposite ones */
    vo_vec2 *rest;
    vo_vec3 *x, *v;
    bool *pinned;

    /* System of the next step. */
    vo_block_pattern pattern;
    vo_block_matrix a;
    vo_vec4 *b;
    vo_vec4 *guess; /* dv of the last step */
} cloth;

static inline void cloth_add(vo_vec4 *sum, double s, vo_vec3 v) {
    sum->x += s * v.x;
    sum->y += s * v.y;
    sum->z += s * v.z;
}

/* Adds s p qt + diagonal I to block (i, j), i <= j. */
static inline void cloth_add_block(cloth *c, int i, int j, double s, vo_vec3 p, vo_vec3 q,
                                   double diagonal) {
    float *m = c->a.block + (size_t)vo_block_pattern_find(&c->pattern, i, j) * VO_BLOCK_FLOATS;
    double column[3] = {q.x, q.y, q.z}, row[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++)
            m[4 * k + r] += (float)(s * row[r] * column[k] + (r == k ? diagonal : 0));
}

/* The positive semidefinite part of a symmetric 2x2 matrix (xx, xy, yy). */
static inline void cloth_positive_part(double *xx, double *xy, double *yy) {
    double mean = (*xx + *yy) / 2, half = (*xx - *yy) / 2, radius = hypot(half, *xy);
    double high = mean + radius, low = mean - radius;
    if (low >= 0) return;
    if (high <= 0 || radius == 0) {
        *xx = *xy = *yy = 0;
        return;
    }
    double scale = high / (2 * radius);
    double a = scale * (half + radius), b = scale * (radius - half), o = scale * *xy;
    *xx = a, *yy = b, *xy = o;
}

/* Gradients of a face's hat functions in material space, and of the three strains by the node
 * positions. */
typedef struct cloth_strain {
    double area;
    vo_vec2 hat[3];
    double uu, vv, uv;
    vo_vec3 duu[3], dvv[3], duv[3];
} cloth_strain;

static inline cloth_strain cloth_face_strain(const cloth *c, const int *f) {
    cloth_strain s;
    vo_vec2 e1 = v2_sub(c->rest[f[1]], c->rest[f[0]]), e2 = v2_sub(c->rest[f[2]], c->rest[f[0]]);
    double area2 = v2_cross(e1, e2);
    s.area = area2 / 2;
    s.hat[1] = v2(e2.y / area2, -e2.x / area2);
    s.hat[2] = v2(-e1.y / area2, e1.x / area2);
    s.hat[0] = v2_scale(-1, v2_add(s.hat[1], s.hat[2]));
    vo_vec3 u = v3_zero(), v = v3_zero(); /* the deformation gradient's columns */
    for (int k = 0; k < 3; k++) {
        u = v3_add_scaled(u, s.hat[k].x, c->x[f[k]]);
        v = v3_add_scaled(v, s.hat[k].y, c->x[f[k]]);
    }
    s.uu = (v3_dot(u, u) - 1) / 2;
    s.vv = (v3_dot(v, v) - 1) / 2;
    s.uv = v3_dot(u, v) / 2;
    for (int k = 0; k < 3; k++) {
        s.duu[k] = v3_scale(s.hat[k].x, u);
        s.dvv[k] = v3_scale(s.hat[k].y, v);
        s.duv[k] = v3_scale(0.5, v3_add(v3_scale(s.hat[k].y, u), v3_scale(s.hat[k].x, v)));
    }
    return s;
}

/* Contribution to K v of node i from the velocity w of node j. */
static inline vo_vec3 cloth_face_product(const cloth *c, const cloth_strain *s, int i, int j,
                                         double geometric, vo_vec3 w) {
    double ks = c->fabric.stretch, kh = c->fabric.shear, poisson = 0.2 * ks;
    double uu = v3_dot(s->duu[j], w), vv = v3_dot(s->dvv[j], w), uv = v3_dot(s->duv[j], w);
    vo_vec3 t = v3_scale(geometric, w);
    t = v3_add_scaled(t, ks * uu + poisson * vv, s->duu[i]);
    t = v3_add_scaled(t, ks * vv + poisson * uu, s->dvv[i]);
    return v3_add_scaled(t, 2 * kh * uv, s->duv[i]);
}

/* Energy area (ks (uu^2 + vv^2) / 2 + poisson uu vv + kh uv^2); Hessian with projected stress in
 * the geometric part. */
static inline void cloth_add_face(cloth *c, const int *f, vo_vec4 *force, vo_vec4 *kv, double dt2) {
    cloth_strain s = cloth_face_strain(c, f);
    double ks = c->fabric.stretch, kh = c->fabric.shear, poisson = 0.2 * ks;
    double suu = ks * s.uu + poisson * s.vv, svv = ks * s.vv + poisson * s.uu, suv = kh * s.uv;
    for (int k = 0; k < 3; k++) {
        cloth_add(&force[f[k]], -s.area * suu, s.duu[k]);
        cloth_add(&force[f[k]], -s.area * svv, s.dvv[k]);
        cloth_add(&force[f[k]], -s.area * 2 * suv, s.duv[k]);
    }
    cloth_positive_part(&suu, &suv, &svv);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            vo_vec2 p = s.hat[i], q = s.hat[j];
            double geometric = p.x * (suu * q.x + suv * q.y) + p.y * (suv * q.x + svv * q.y);
            cloth_add(&kv[f[i]], s.area, cloth_face_product(c, &s, i, j, geometric, c->v[f[j]]));
            if (f[i] > f[j]) continue;
            double a = dt2 * s.area;
            cloth_add_block(c, f[i], f[j], a * ks, s.duu[i], s.duu[j], a * geometric);
            cloth_add_block(c, f[i], f[j], a * ks, s.dvv[i], s.dvv[j], 0);
            cloth_add_block(c, f[i], f[j], a * poisson, s.duu[i], s.dvv[j], 0);
            cloth_add_block(c, f[i], f[j], a * poisson, s.dvv[i], s.duu[j], 0);
            cloth_add_block(c, f[i], f[j], a * 2 * kh, s.duv[i], s.duv[j], 0);
        }
    }
}

/* Dihedral angle of a hinge. */
static inline double cloth_hinge_angle(const cloth *c, const int *h) {
    vo_vec3 e = v3_sub(c->x[h[1]], c->x[h[0]]);
    vo_vec3 n1 = v3_cross(e, v3_sub(c->x[h[2]], c->x[h[0]]));
    vo_vec3 n2 = v3_cross(v3_sub(c->x[h[3]], c->x[h[0]]), e);
    return atan2(v3_dot(v3_cross(n1, n2), v3_normalize(e)), v3_dot(n1, n2));
}

/* Its derivative by the node positions. */
static inline void cloth_hinge_gradient(const cloth *c, const int *h, vo_vec3 g[4]) {
    vo_vec3 e = v3_sub(c->x[h[1]], c->x[h[0]]);
    vo_vec3 s1 = v3_sub(c->x[h[2]], c->x[h[0]]), s2 = v3_sub(c->x[h[3]], c->x[h[0]]);
    vo_vec3 n1 = v3_cross(e, s1), n2 = v3_cross(s2, e);
    double length = v3_length(e);
    g[2] = v3_scale(-length / v3_length2(n1), n1);
    g[3] = v3_scale(-length / v3_length2(n2), n2);
    double t1 = v3_dot(s1, e) / (length * length), t2 = v3_dot(s2, e) / (length * length);
    g[0] = v3_add(v3_scale(t1 - 1, g[2]), v3_scale(t2 - 1, g[3]));
    g[1] = v3_add(v3_scale(-t1, g[2]), v3_scale(-t2, g[3]));
}

static inline void cloth_add_hinge(cloth *c, const int *h, vo_vec4 *force, vo_vec4 *kv,
                                   double dt2) {
    vo_vec3 g[4];
    cloth_hinge_gradient(c, h, g);
    double rest = v2_length(v2_sub(c->rest[h[1]], c->rest[h[0]]));
    double rest_area = c->spacing * c->spacing; /* of both faces, approximately */
    double w = c->fabric.bending * 3 * rest * rest / rest_area;
    double theta = cloth_hinge_angle(c, h), rate = 0;
    for (int k = 0; k < 4; k++) rate += v3_dot(g[k], c->v[h[k]]);
    for (int i = 0; i < 4; i++) {
        cloth_add(&force[h[i]], -w * theta, g[i]);
        cloth_add(&kv[h[i]], w * rate, g[i]);
        for (int j = 0; j < 4; j++)
            if (h[i] <= h[j]) cloth_add_block(c, h[i], h[j], dt2 * w, g[i], g[j], 0);
    }
}

/* Replaces rows and columns of pinned nodes by the identity. */
static inline void cloth_pin(cloth *c) {
    for (int i = 0; i < c->node_count; i++) {
        for (int k = c->pattern.row_start[i]; k < c->pattern.row_start[i + 1]; k++) {
            int j = c->pattern.column[k];
            if (!c->pinned[i] && !c->pinned[j]) continue;
            float *m = c->a.block + (size_t)k * VO_BLOCK_FLOATS;
            memset(m, 0, VO_BLOCK_FLOATS * sizeof *m);
            if (i == j) m[0] = m[5] = m[10] = 1;
        }
        if (c->pinned[i]) c->b[i] = (vo_vec4){0, 0, 0, 0};
    }
}

/* Assembles the system of the current state. */
static inline void cloth_assemble(vo_context *ctx, cloth *c) {
    double dt = c->fabric.dt, h = c->spacing;
    memset(c->a.block, 0, (size_t)c->pattern.block_count * VO_BLOCK_FLOATS * sizeof(float));
    vo_vec4 *kv = calloc((size_t)c->node_count, sizeof *kv), *force = c->b;
    for (int i = 0; i < c->node_count; i++) {
        double m = c->fabric.density * h * h;
        force[i] = (vo_vec4){0, 0, -9.81 * m, 0};
        float *block = c->a.block + (size_t)c->pattern.diagonal[i] * VO_BLOCK_FLOATS;
        block[0] = block[5] = block[10] = (float)m;
    }
    for (int k = 0; k < c->face_count; k++) cloth_add_face(c, c->face[k], force, kv, dt * dt);
    for (int k = 0; k < c->hinge_count; k++) cloth_add_hinge(c, c->hinge[k], force, kv, dt * dt);
    for (int i = 0; i < c->node_count; i++) {
        c->b[i].x = dt * (force[i].x - dt * kv[i].x);
        c->b[i].y = dt * (force[i].y - dt * kv[i].y);
        c->b[i].z = dt * (force[i].z - dt * kv[i].z);
    }
    cloth_pin(c);
    vo_block_matrix_symmetrise(ctx, &c->a);
    free(kv);
}

/* Applies the step dv and keeps it as the next initial guess. */
static inline void cloth_advance(cloth *c, const vo_vec4 *dv) {
    for (int i = 0; i < c->node_count; i++) {
        c->guess[i] = dv[i];
        c->v[i] = v3_add(c->v[i], v3(dv[i].x, dv[i].y, dv[i].z));
        c->x[i] = v3_add_scaled(c->x[i], c->fabric.dt, c->v[i]);
    }
}

/* Selects the diagonal of a cell. */
static inline bool cloth_flip(const cloth *c, int i, int j) {
    if (!c->irregular) return (i + j) % 2;
    vo_random random = vo_random_seed((uint64_t)(j * c->n + i));
    return vo_random_int(&random, 2);
}

static inline void cloth_add_corners(cloth *c, int a, int b, int d) {
    int *f = c->face[c->face_count++];
    f[0] = a, f[1] = b, f[2] = d;
}

/* Adds the edge a b; `left` is opposite in the face to its left, seen from a to b. */
static inline void cloth_add_edge(cloth *c, int a, int b, int left, int right) {
    int *h = c->hinge[c->hinge_count++];
    h[0] = a, h[1] = b, h[2] = left, h[3] = right;
}

/* Two faces per cell and a hinge per inner edge. A cell's corners are p q (below), s r (above). */
static inline void cloth_make_faces(cloth *c, const int *number) {
    int n = c->n;
    for (int j = 0; j + 1 < n; j++) {
        for (int i = 0; i + 1 < n; i++) {
            const int *below = number + j * n + i, *above = below + n;
            int p = below[0], q = below[1], r = above[1], s = above[0];
            bool flip = cloth_flip(c, i, j);
            cloth_add_corners(c, p, q, flip ? s : r);
            cloth_add_corners(c, flip ? q : p, r, s);
            if (flip)
                cloth_add_edge(c, s, q, r, p);
            else
                cloth_add_edge(c, p, r, s, q);
            if (i > 0)
                cloth_add_edge(c, p, s, cloth_flip(c, i - 1, j) ? above[-1] : below[-1],
                               flip ? q : r);
            if (j > 0)
                cloth_add_edge(c, p, q, flip ? s : r,
                               cloth_flip(c, i, j - 1) ? below[1 - n] : below[-n]);
        }
    }
}

/* Couples all nodes of a face or hinge. */
static inline void cloth_make_pattern(vo_context *ctx, cloth *c) {
    size_t most = (size_t)c->hinge_count * 6 + (size_t)c->face_count * 3;
    int count = 0, (*pairs)[2] = malloc(most * sizeof *pairs);
    for (int k = 0; k < c->face_count; k++)
        for (int i = 0; i < 3; i++, count++)
            pairs[count][0] = c->face[k][i], pairs[count][1] = c->face[k][(i + 1) % 3];
    for (int k = 0; k < c->hinge_count; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++, count++)
                pairs[count][0] = c->hinge[k][i], pairs[count][1] = c->hinge[k][j];
    const int(*all)[2] = (const int(*)[2])pairs;
    assert_ok(ctx, vo_block_pattern_build(ctx, c->node_count, count, all, &c->pattern));
    assert_ok(ctx, vo_block_matrix_init(ctx, &c->pattern, &c->a));
    free(pairs);
}

/* Places the nodes slightly compressed and uneven, so that the sheet buckles. */
static inline void cloth_place_nodes(cloth *c, const int *number) {
    vo_random random = vo_random_seed(7);
    double s = c->spacing, shake = c->irregular ? 0.2 * s : 0;
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++) {
            double u = s * i + vo_random_real(&random, -shake, shake);
            double v = s * j + vo_random_real(&random, -shake, shake);
            double noise = vo_random_real(&random, -0.0005, 0.0005);
            int k = number[j * c->n + i];
            c->rest[k] = v2(u, v);
            c->x[k] = v3(0.97 * u, 0.97 * v, 0.01 * sin(12 * u) * sin(9 * v + 1) + noise);
        }
    c->pinned[number[0]] = c->pinned[number[c->n - 1]] = true;
}

/* number: row of each grid node; NULL: in order. */
static inline void cloth_make(vo_context *ctx, cloth *c, int n, cloth_fabric fabric, bool irregular,
                              const int *number) {
    size_t nodes = (size_t)n * (size_t)n;
    *c = (cloth){.fabric = fabric, .irregular = irregular, .n = n, .node_count = n * n};
    c->spacing = 0.01;
    c->face = malloc(2 * nodes * sizeof *c->face);
    c->hinge = malloc(3 * nodes * sizeof *c->hinge);
    c->rest = calloc(nodes, sizeof *c->rest);
    c->x = calloc(nodes, sizeof *c->x);
    c->v = calloc(nodes, sizeof *c->v);
    c->pinned = calloc(nodes, sizeof *c->pinned);
    c->b = calloc(nodes, sizeof *c->b);
    c->guess = calloc(nodes, sizeof *c->guess);
    int *plain = malloc(nodes * sizeof *plain);
    for (int k = 0; k < n * n; k++) plain[k] = k;
    cloth_place_nodes(c, number ? number : plain);
    cloth_make_faces(c, number ? number : plain);
    cloth_make_pattern(ctx, c);
    free(plain);
}

static inline void cloth_free(vo_context *ctx, cloth *c) {
    vo_block_matrix_free(ctx, &c->a);
    vo_block_pattern_free(&c->pattern);
    free(c->face), free(c->hinge), free(c->rest), free(c->x), free(c->v), free(c->pinned);
    free(c->b), free(c->guess);
}

#endif
