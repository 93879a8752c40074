/* Test cases of untangling: sheets and balls in one numbering, intersecting in ways determined by a
 * seed. */
#ifndef VOILE_TESTS_UNTANGLE_CASES_H
#define VOILE_TESTS_UNTANGLE_CASES_H

#include "collide/contour.h"
#include "collide/intersect.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct tangle_case {
    int nodes, faces, edges, parts;
    vo_vec3 *x;
    int (*face)[3];
    int (*face_edge)[3];
    int (*edge)[2];
    int *face_part;
    double *inverse_mass;
    unsigned char flags[8];
} tangle_case;

static inline void case_grow(tangle_case *c, int nodes, int faces) {
    c->x = realloc(c->x, (size_t)(c->nodes + nodes) * sizeof *c->x);
    c->inverse_mass = realloc(c->inverse_mass, (size_t)(c->nodes + nodes) * sizeof(double));
    c->face = realloc(c->face, (size_t)(c->faces + faces) * sizeof *c->face);
    c->face_part = realloc(c->face_part, (size_t)(c->faces + faces) * sizeof(int));
    assert_true(c->x && c->inverse_mass && c->face && c->face_part);
}

static inline int case_node(tangle_case *c, vo_vec3 x, double inverse_mass) {
    c->x[c->nodes] = x;
    c->inverse_mass[c->nodes] = inverse_mass;
    return c->nodes++;
}

static inline void case_face(tangle_case *c, int i, int j, int k) {
    c->face[c->faces][0] = i;
    c->face[c->faces][1] = j;
    c->face[c->faces][2] = k;
    c->face_part[c->faces++] = c->parts;
}

/* Adds a flat square of side 1 around the origin with (k + 1)^2 nodes; returns its first node. */
static inline int case_sheet(tangle_case *c, int k) {
    case_grow(c, (k + 1) * (k + 1), 2 * k * k);
    int first = c->nodes, row = k + 1;
    for (int j = 0; j <= k; j++)
        for (int i = 0; i <= k; i++)
            case_node(c, v3((double)i / k - 0.5, (double)j / k - 0.5, 0), 1);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            int a = first + j * row + i, b = a + 1, d = a + row, e = d + 1;
            bool turn = (i + j) % 2;
            case_face(c, a, b, turn ? e : d);
            case_face(c, turn ? a : b, e, d);
        }
    c->flags[c->parts++] = 0;
    return first;
}

/* Adds a ball as an obstacle: `rings` circles of latitude and two poles. */
static inline void case_ball(tangle_case *c, vo_vec3 centre, double radius, int rings) {
    int around = 2 * rings;
    case_grow(c, rings * around + 2, 2 * rings * around);
    int first = c->nodes;
    for (int j = 0; j < rings; j++)
        for (int i = 0; i < around; i++) {
            double a = VO_PI * (j + 1) / (rings + 1), b = 2 * VO_PI * (i + 0.5 * (j % 2)) / around;
            vo_vec3 p = v3(sin(a) * cos(b), sin(a) * sin(b), cos(a));
            case_node(c, v3_add_scaled(centre, radius, p), 0);
        }
    int top = case_node(c, v3_add(centre, v3(0, 0, radius)), 0);
    int bottom = case_node(c, v3_sub(centre, v3(0, 0, radius)), 0);
    for (int i = 0; i < around; i++) {
        int next = (i + 1) % around, last = first + (rings - 1) * around;
        case_face(c, top, first + i, first + next);
        case_face(c, bottom, last + next, last + i);
        for (int j = 0; j + 1 < rings; j++) {
            int a = first + j * around + i, b = first + j * around + next;
            int d = a + around, e = b + around;
            bool is_shifted = j % 2;
            case_face(c, a, is_shifted ? e : d, b);
            case_face(c, is_shifted ? a : b, d, e);
        }
    }
    c->flags[c->parts++] = VO_SOUP_OBSTACLE;
}

/* Numbers the edges; called last. */
static inline void case_edges(tangle_case *c) {
    int *first = malloc((size_t)c->nodes * sizeof(int));
    int *next = malloc((size_t)(3 * c->faces) * sizeof(int));
    c->edge = malloc((size_t)(3 * c->faces) * sizeof *c->edge);
    c->face_edge = malloc((size_t)c->faces * sizeof *c->face_edge);
    assert_true(first && next && c->edge && c->face_edge);
    for (int n = 0; n < c->nodes; n++) first[n] = -1;
    for (int f = 0; f < c->faces; f++)
        for (int i = 0; i < 3; i++) {
            int a = c->face[f][i], b = c->face[f][(i + 1) % 3], low = a < b ? a : b;
            int high = a < b ? b : a, e = first[low];
            while (e >= 0 && c->edge[e][1] != high) e = next[e];
            if (e < 0) {
                e = c->edges++;
                c->edge[e][0] = low;
                c->edge[e][1] = high;
                next[e] = first[low];
                first[low] = e;
            }
            c->face_edge[f][i] = e;
        }
    free(first);
    free(next);
}

static inline void case_free(tangle_case *c) {
    free(c->x);
    free(c->inverse_mass);
    free(c->face);
    free(c->face_part);
    free(c->edge);
    free(c->face_edge);
    *c = (tangle_case){0};
}

static inline vo_soup case_soup(const tangle_case *c) {
    return (vo_soup){
        .node_count = c->nodes,
        .edge_count = c->edges,
        .face_count = c->faces,
        .part_count = c->parts,
        .face = (const int(*)[3])c->face,
        .face_edge = (const int(*)[3])c->face_edge,
        .edge = (const int(*)[2])c->edge,
        .face_part = c->face_part,
        .part_flags = c->flags,
        .inverse_mass = c->inverse_mass,
    };
}

/* Counts intersecting face pairs by brute force, except pairs of obstacles. */
static inline int case_count_pairs(const tangle_case *c, const vo_vec3 *x) {
    int count = 0;
    for (int f = 0; f < c->faces; f++)
        for (int g = 0; g < f; g++) {
            const int *a = c->face[f], *b = c->face[g];
            if (c->inverse_mass[a[0]] == 0 && c->flags[c->face_part[f]] &&
                c->flags[c->face_part[g]])
                continue;
            if (!box_overlaps(box_triangle(x[a[0]], x[a[1]], x[a[2]]),
                              box_triangle(x[b[0]], x[b[1]], x[b[2]])))
                continue;
            count += vo_faces_intersect(x, a, b);
        }
    return count;
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* Rotates the nodes from `first` on about an axis through the origin, then translates them. */
static inline void case_transform(tangle_case *c, int first, vo_vec3 axis, double angle,
                                  vo_vec3 to) {
    vo_vec3 k = v3_normalize(axis);
    for (int n = first; n < c->nodes; n++) {
        vo_vec3 p = c->x[n]; /* Rodrigues */
        vo_vec3 q = v3_add_scaled(v3_scale(cos(angle), p), sin(angle), v3_cross(k, p));
        q = v3_add_scaled(q, (1 - cos(angle)) * v3_dot(k, p), k);
        c->x[n] = v3_add(q, to);
    }
}

/* Adds waves along a random direction, out of the plane. */
static inline void case_fold(tangle_case *c, int first, vo_random *r, double height, double waves) {
    double turn = vo_random_real(r, 0, 2 * VO_PI), phase = vo_random_real(r, 0, 2 * VO_PI);
    for (int n = first; n < c->nodes; n++) {
        vo_vec3 p = c->x[n];
        double along = cos(turn) * p.x + sin(turn) * p.y;
        c->x[n].z += height * sin(2 * VO_PI * waves * along + phase);
    }
}

/* Displaces nodes by random waves in all directions, strong enough to fold the sheet through itself
 * if `strength` is above 1. */
static inline void case_crumple(tangle_case *c, int first, vo_random *r, double strength) {
    enum { WAVES = 4 };
    vo_vec3 direction[WAVES], to[WAVES];
    double phase[WAVES];
    for (int i = 0; i < WAVES; i++) {
        double f = vo_random_real(r, 4, 9), a = vo_random_real(r, 0, 2 * VO_PI);
        direction[i] = v3(f * cos(a), f * sin(a), 0);
        to[i] =
            v3(vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), vo_random_real(r, -1.5, 1.5));
        to[i] = v3_scale(strength / (f * sqrt(WAVES)), to[i]);
        phase[i] = vo_random_real(r, 0, 2 * VO_PI);
    }
    for (int n = first; n < c->nodes; n++) {
        vo_vec3 p = c->x[n];
        for (int i = 0; i < WAVES; i++)
            c->x[n] = v3_add_scaled(c->x[n], sin(v3_dot(direction[i], p) + phase[i]), to[i]);
    }
}

/* Bends a sheet along x around a half circle into two layers at the distance `apart`; negative:
 * they have passed through each other. */
static inline void case_bend(tangle_case *c, int first, double radius, double apart) {
    for (int n = first; n < c->nodes; n++) {
        vo_vec3 p = c->x[n];
        double half = 0.5 * VO_PI * radius, s = vo_clamp(p.x, -half, half) / radius;
        double beyond = p.x > half ? p.x - half : p.x < -half ? p.x + half : 0;
        double side = p.x > 0 ? 1 : -1, close = vo_min(fabs(beyond) / 0.3, 1);
        c->x[n] = v3(radius * cos(s) - fabs(beyond), p.y,
                     radius * sin(s) + side * close * (0.5 * apart - radius));
    }
}

/* Adds a bump in the middle. */
static inline void case_finger(tangle_case *c, int first, double width, double height) {
    for (int n = first; n < c->nodes; n++) {
        vo_vec3 p = c->x[n];
        c->x[n].z += height * exp(-(p.x * p.x + p.y * p.y) / (width * width));
    }
}

/* Pins the nodes from `first` on that lie beyond a line of the flat sheet. */
static inline void case_pin(tangle_case *c, int first, vo_vec3 direction, double beyond) {
    for (int n = first; n < c->nodes; n++)
        if (v3_dot(direction, c->x[n]) > beyond) c->inverse_mass[n] = 0;
}

/* ---- kinds of tangles ----------------------------------------------------------------------- */

/* Two folded sheets pushed through each other. */
static inline void tangle_folds(tangle_case *c, vo_random *r, int k) {
    for (int i = 0; i < 2; i++) {
        int first = case_sheet(c, k);
        case_fold(c, first, r, vo_random_real(r, 0.05, 0.15), vo_random_real(r, 1, 2.5));
        case_transform(c, first, test_random_vec3(r, 1), vo_random_real(r, 0, 0.4),
                       v3(vo_random_real(r, -0.2, 0.2), vo_random_real(r, -0.2, 0.2),
                          vo_random_real(r, -0.1, 0.1)));
    }
}

/* A sheet through a ball. */
static inline void tangle_ball(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 4);
    case_fold(c, first, r, vo_random_real(r, 0, 0.05), 1.5);
    case_transform(c, first, test_random_vec3(r, 1), vo_random_real(r, 0, 0.3), v3_zero());
    case_ball(c, v3_scale(0.2, test_random_vec3(r, 1)), vo_random_real(r, 0.15, 0.3), 9);
}

/* A corner of one sheet pokes through another. */
static inline void tangle_corner(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_fold(c, first, r, vo_random_real(r, 0, 0.05), 1);
    first = case_sheet(c, k);
    case_transform(c, first, v3(0, 0, 1), vo_random_real(r, 0.4, 1.1), v3_zero());
    case_transform(c, first, v3(0, 1, vo_random_real(r, -0.3, 0.3)), vo_random_real(r, 0.4, 1.5),
                   v3_zero());
    case_transform(c, first, v3(0, 0, 1), vo_random_real(r, 0, 6),
                   v3(vo_random_real(r, -0.2, 0.2), vo_random_real(r, -0.2, 0.2),
                      vo_random_real(r, 0.25, 0.5)));
}

/* A whole border of one sheet passes through another. */
static inline void tangle_border(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_fold(c, first, r, vo_random_real(r, 0, 0.06), 1.3);
    first = case_sheet(c, k);
    case_transform(c, first, v3(1, vo_random_real(r, -0.2, 0.2), 0), vo_random_real(r, 0.6, 1.5),
                   v3(vo_random_real(r, -0.6, 0.6), vo_random_real(r, -0.1, 0.1),
                      vo_random_real(r, 0.25, 0.45)));
}

/* One sheet, crumpled through itself. */
static inline void tangle_crumple(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 2 + vo_random_int(r, 8));
    case_crumple(c, first, r, vo_random_real(r, 1.5, 3));
}

/* Two sheets that cross in an X. */
static inline void tangle_cross(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_fold(c, first, r, vo_random_real(r, 0, 0.03), 1.3);
    first = case_sheet(c, k);
    case_transform(c, first, v3(1, vo_random_real(r, -0.5, 0.5), 0), vo_random_real(r, 0.5, 1.57),
                   v3(vo_random_real(r, -0.3, 0.3), vo_random_real(r, -0.3, 0.3),
                      vo_random_real(r, -0.1, 0.1)));
}

/* Four sheets on top of each other, whose folds are higher than the space between them. */
static inline void tangle_nested(tangle_case *c, vo_random *r, int k) {
    for (int i = 0; i < 4; i++) {
        int first = case_sheet(c, 4 + k / 2);
        case_fold(c, first, r, vo_random_real(r, 0.01, 0.05), vo_random_real(r, 0.5, 2));
        case_transform(c, first, v3(0, 0, 1), vo_random_real(r, 0, 6), v3(0, 0, 0.03 * i));
    }
}

/* A sheet folded in two, with a ball through one layer or both. */
static inline void tangle_fold_on_ball(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 4);
    case_bend(c, first, vo_random_real(r, 0.08, 0.15), vo_random_real(r, 0.02, 0.2));
    case_transform(c, first, test_random_vec3(r, 1), vo_random_real(r, 0, 6), v3_zero());
    case_ball(c, v3_scale(0.25, test_random_vec3(r, 1)), vo_random_real(r, 0.12, 0.25), 9);
}

/* A sheet folded in two, its layers pushed through each other. */
static inline void tangle_itself(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 6);
    case_bend(c, first, vo_random_real(r, 0.06, 0.12), vo_random_real(r, -0.12, 0));
    case_fold(c, first, r, vo_random_real(r, 0, 0.02), 2);
}

/* A steep bump of one sheet through another. */
static inline void tangle_finger(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_fold(c, first, r, vo_random_real(r, 0, 0.04), 1);
    first = case_sheet(c, k + 3);
    case_finger(c, first, vo_random_real(r, 0.08, 0.2), vo_random_real(r, 0.2, 0.5));
    case_transform(c, first, test_random_vec3(r, 1), vo_random_real(r, 0, 0.3), v3(0, 0, -0.12));
}

/* The harder kinds start here. An extremely crumpled sheet. */
static inline void tangle_hard_crumple(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 2 + vo_random_int(r, 8));
    case_crumple(c, first, r, vo_random_real(r, 3, 6));
}

/* Two coincident sheets with random displacements, intersecting everywhere. */
static inline void tangle_noise(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_sheet(c, k);
    for (int n = first; n < c->nodes; n++)
        c->x[n] = v3_add_scaled(c->x[n], 0.3 / k, test_random_vec3(r, 1));
}

/* A sleeve around, in and through an arm. */
static inline void tangle_sleeve(tangle_case *c, vo_random *r, int k) {
    double radius = vo_random_real(r, 0.1, 0.3), out = vo_random_real(r, 0.8, 1.1);
    int first = case_sheet(c, k + 4);
    for (int n = first; n < c->nodes; n++) {
        double a = 2 * VO_PI * 0.95 * c->x[n].x;
        c->x[n] = v3(radius * out * cos(a), radius * out * sin(a), c->x[n].y);
    }
    case_crumple(c, first, r, 0.2);
    first = c->nodes;
    case_ball(c, v3_zero(), radius, 12);
    for (int n = first; n < c->nodes; n++) c->x[n].z *= 3;
}

/* Two crossing sheets, each pinned at a border. */
static inline void tangle_pinned(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k);
    case_pin(c, first, v3(0, 1, 0), 0.49);
    case_transform(c, first, v3(1, 0, 0), vo_random_real(r, 1.2, 1.57), v3_zero());
    first = case_sheet(c, k);
    case_pin(c, first, v3(1, 0, 0), 0.49);
    case_transform(c, first, v3(0, 0, 1), vo_random_real(r, 0, 6),
                   v3_scale(0.2, test_random_vec3(r, 1)));
}

/* A crumpled sheet and a ball in the middle of it. */
static inline void tangle_crumpled_on_ball(tangle_case *c, vo_random *r, int k) {
    int first = case_sheet(c, k + 4);
    case_crumple(c, first, r, vo_random_real(r, 1, 2.5));
    case_ball(c, v3_scale(0.25, test_random_vec3(r, 1)), vo_random_real(r, 0.12, 0.25), 9);
}

/* Two balls that overlap, and a sheet through both. */
static inline void tangle_two_balls(tangle_case *c, vo_random *r, int k) {
    case_sheet(c, k + 4);
    case_ball(c, v3(0, 0, 0.1), vo_random_real(r, 0.12, 0.25), 9);
    case_ball(c, v3(0.1, 0.1, -0.1), vo_random_real(r, 0.12, 0.25), 9);
}

typedef struct tangle_kind {
    const char *name;
    void (*make)(tangle_case *c, vo_random *r, int k);
} tangle_kind;

static const tangle_kind tangle_kinds[] = {
    {"folds", tangle_folds},
    {"ball", tangle_ball},
    {"corner", tangle_corner},
    {"border", tangle_border},
    {"crumple", tangle_crumple},
    {"cross", tangle_cross},
    {"nested", tangle_nested},
    {"fold on ball", tangle_fold_on_ball},
    {"through itself", tangle_itself},
    {"finger", tangle_finger},
    {"hard crumple", tangle_hard_crumple},
    {"noise", tangle_noise},
    {"sleeve", tangle_sleeve},
    {"pinned", tangle_pinned},
    {"crumpled on ball", tangle_crumpled_on_ball},
    {"two balls", tangle_two_balls},
};
enum { TANGLE_KINDS = 10, HARD_KINDS = 6 };

/* Creates the tangle of a seed: 200 to 2000 faces with at least eight intersecting pairs. */
static inline void make_tangle_of(tangle_case *c, int kind, int seed) {
    vo_random r = vo_random_seed((uint64_t)seed * 7919 + (uint64_t)kind);
    do {
        case_free(c);
        tangle_kinds[kind].make(c, &r, 8 + vo_random_int(&r, 14));
        case_edges(c);
    } while (case_count_pairs(c, c->x) < 8);
}

/* Creates the tangle of a seed; kinds alternate. */
static inline void make_tangle(tangle_case *c, int seed) {
    *c = (tangle_case){0};
    make_tangle_of(c, seed % TANGLE_KINDS, seed / TANGLE_KINDS);
}

/* Writes one part as an OBJ file for inspection. */
static inline void case_write(const tangle_case *c, const vo_vec3 *x, int part, const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int n = 0; n < c->nodes; n++) fprintf(file, "v %.9g %.9g %.9g\n", x[n].x, x[n].y, x[n].z);
    for (int f = 0; f < c->faces; f++)
        if (c->face_part[f] == part)
            fprintf(file, "f %d %d %d\n", c->face[f][0] + 1, c->face[f][1] + 1, c->face[f][2] + 1);
    fclose(file);
}

#endif
