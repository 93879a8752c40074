/* CCD queries for the tests: random cases, and brute-force distances. */
#ifndef VOILE_TESTS_CCD_CASES_H
#define VOILE_TESTS_CCD_CASES_H

#include "support.h"

#include "math/vec.h"

#include <string.h>

/* Four points at times 0 and 1. */
typedef struct ccd_case {
    bool edges;
    vo_vec3 start[4], end[4];
} ccd_case;

static inline bool ccd_query(const vo_ccd_def *def, const ccd_case *c, double *time) {
    return c->edges ? vo_ccd_edge_edge(def, c->start, c->end, time)
                    : vo_ccd_vertex_face(def, c->start, c->end, time);
}

/* Returns features of size 1 near each other that move by about `motion`. */
static inline ccd_case random_case(vo_random *r, bool edges, double motion) {
    ccd_case c = {.edges = edges};
    for (int i = 0; i < 4; i++) {
        c.start[i] = test_random_vec3(r, 1);
        c.end[i] = v3_add(c.start[i], test_random_vec3(r, motion));
    }
    return c;
}

/* Returns a point of a lattice, which makes contacts, coincidences and degeneracies frequent. */
static inline vo_vec3 lattice_point(vo_random *r, int half) {
    int x = vo_random_int(r, 2 * half + 1) - half, y = vo_random_int(r, 2 * half + 1) - half;
    return v3(x, y, vo_random_int(r, 2 * half + 1) - half);
}

static inline ccd_case lattice_case(vo_random *r, bool edges, int half) {
    ccd_case c = {.edges = edges};
    for (int i = 0; i < 4; i++) c.start[i] = lattice_point(r, half);
    for (int i = 0; i < 4; i++)
        c.end[i] = vo_random_int(r, 3) ? lattice_point(r, half) : c.start[i];
    return c;
}

/* Computes the points at a time. */
static inline void points_at(const ccd_case *c, double t, vo_vec3 x[4]) {
    for (int i = 0; i < 4; i++) x[i] = v3_add(v3_scale(1 - t, c->start[i]), v3_scale(t, c->end[i]));
}

/* Brute-force distance: golden-section search over both weights of a convex function on [0, 1]^2,
 * 60 sections each. Slow, and shares no code with the library. */
static inline double plain_distance(bool edges, const vo_vec3 x[4], double s, double t) {
    vo_vec3 d;
    if (edges)
        d = v3_sub(v3_lerp(x[2], x[3], t), v3_lerp(x[0], x[1], s));
    else
        d = v3_sub(v3_lerp(x[1], v3_lerp(x[2], x[3], t), s), x[0]);
    return v3_length(d);
}

static inline double plain_inner(bool edges, const vo_vec3 x[4], double s) {
    const double golden = 0.6180339887498949;
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (plain_distance(edges, x, s, a) < plain_distance(edges, x, s, b))
            high = b;
        else
            low = a;
    }
    return fmin(plain_distance(edges, x, s, (low + high) / 2),
                fmin(plain_distance(edges, x, s, 0), plain_distance(edges, x, s, 1)));
}

static inline double plain_minimum(bool edges, const vo_vec3 x[4]) {
    const double golden = 0.6180339887498949;
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (plain_inner(edges, x, a) < plain_inner(edges, x, b))
            high = b;
        else
            low = a;
    }
    return fmin(plain_inner(edges, x, (low + high) / 2),
                fmin(plain_inner(edges, x, 0), plain_inner(edges, x, 1)));
}

#endif
