/* Triangle soups for the tests: sheets, spheres and boxes in growing arrays. */
#ifndef VOILE_TESTS_SOUP_H
#define VOILE_TESTS_SOUP_H

#include "support.h"

#include "math/predicates.h"

#include <stdlib.h>
#include <string.h>

typedef struct soup {
    int node_count, face_count;
    vo_vec3 *x;
    int (*face)[3];
} soup;

static inline int soup_node(soup *s, vo_vec3 x) {
    s->x = realloc(s->x, ((size_t)s->node_count + 1) * sizeof *s->x);
    assert_non_null(s->x);
    s->x[s->node_count] = x;
    return s->node_count++;
}

static inline void soup_face(soup *s, int a, int b, int c) {
    s->face = realloc(s->face, ((size_t)s->face_count + 1) * sizeof *s->face);
    assert_non_null(s->face);
    s->face[s->face_count][0] = a;
    s->face[s->face_count][1] = b;
    s->face[s->face_count++][2] = c;
}

static inline void soup_free(soup *s) {
    free(s->x);
    free(s->face);
    *s = (soup){0};
}

/* Adds n x m cells of two faces over the parallelogram origin, u, v. */
static inline void soup_sheet(soup *s, int n, int m, vo_vec3 origin, vo_vec3 u, vo_vec3 v) {
    int first = s->node_count;
    for (int j = 0; j <= m; j++)
        for (int i = 0; i <= n; i++)
            soup_node(s, v3_add_scaled(v3_add_scaled(origin, (double)i / n, u), (double)j / m, v));
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            int a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            soup_face(s, a, b, d);
            soup_face(s, a, d, c);
        }
}

/* Adds a closed sphere of `rings` x 2 `rings` cells with outward normals. */
static inline void soup_sphere(soup *s, int rings, vo_vec3 centre, double radius) {
    int around = 2 * rings, first = s->node_count;
    for (int i = 1; i < rings; i++)
        for (int j = 0; j < around; j++) {
            double polar = VO_PI * i / rings, turn = 2 * VO_PI * j / around;
            vo_vec3 d = v3(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar));
            soup_node(s, v3_add_scaled(centre, radius, d));
        }
    int north = soup_node(s, v3_add_scaled(centre, radius, v3(0, 0, 1)));
    int south = soup_node(s, v3_add_scaled(centre, radius, v3(0, 0, -1)));
    for (int j = 0; j < around; j++) {
        int k = (j + 1) % around, last = first + (rings - 2) * around;
        soup_face(s, north, first + j, first + k);
        soup_face(s, south, last + k, last + j);
        for (int i = 0; i + 2 < rings; i++) {
            int a = first + i * around, b = a + around;
            soup_face(s, a + j, b + j, b + k);
            soup_face(s, a + j, b + k, a + k);
        }
    }
}

/* Adds a closed box with outward normals. */
static inline void soup_box(soup *s, vo_vec3 low, vo_vec3 high) {
    static const int side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int first = s->node_count;
    for (int i = 0; i < 8; i++)
        soup_node(s, v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z));
    for (int f = 0; f < 12; f++)
        soup_face(s, first + side[f][0], first + side[f][1], first + side[f][2]);
}

/* Moves every node by up to `size` and scales the soup. */
static inline void soup_jitter(soup *s, vo_random *r, double size, double scale) {
    for (int i = 0; i < s->node_count; i++)
        s->x[i] = vo_exact_point(v3_scale(scale, v3_add(s->x[i], test_random_vec3(r, size))));
}

#endif
