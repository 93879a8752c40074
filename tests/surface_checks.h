/* Checks of triangle surfaces: closed, manifold, oriented outwards, free of intersections. */
#ifndef VOILE_TESTS_SURFACE_CHECKS_H
#define VOILE_TESTS_SURFACE_CHECKS_H

#include "support.h"

#include "collide/intersections.h"
#include "math/vec.h"

#include <stdlib.h>

static int compare_sides(const void *a, const void *b) {
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static bool has_side(const int (*side)[2], int count, int a, int b) {
    int key[2] = {a, b};
    return bsearch(key, side, (size_t)count, sizeof *side, compare_sides) != NULL;
}

/* Asserts that every directed side of a face occurs once, and its opposite once in another face. */
static void assert_closed(int face_count, const int (*face)[3]) {
    int count = 3 * face_count;
    int(*side)[2] = malloc((size_t)count * sizeof *side);
    assert_non_null(side);
    for (int i = 0; i < count; i++) {
        side[i][0] = face[i / 3][i % 3];
        side[i][1] = face[i / 3][(i + 1) % 3];
        assert_int_not_equal(side[i][0], side[i][1]);
    }
    qsort(side, (size_t)count, sizeof *side, compare_sides);
    for (int i = 0; i < count; i++) {
        if (i > 0) assert_true(compare_sides(side[i - 1], side[i]) < 0);
        assert_true(has_side((const int(*)[2])side, count, side[i][1], side[i][0]));
    }
    free(side);
}

/* Asserts that the faces around every node form one ring. For closed surfaces it suffices that a
 * traversal around the node visits all of its faces. */
static void assert_manifold_nodes(int node_count, int face_count, const int (*face)[3]) {
    int *first = calloc((size_t)node_count + 1, sizeof *first);
    int *list = malloc(3 * (size_t)face_count * sizeof *list);
    int *fill = calloc((size_t)node_count, sizeof *fill);
    assert_true(first && list && fill);
    for (int f = 0; f < face_count; f++)
        for (int k = 0; k < 3; k++) first[face[f][k] + 1]++;
    for (int n = 0; n < node_count; n++) first[n + 1] += first[n];
    for (int f = 0; f < face_count; f++)
        for (int k = 0; k < 3; k++) list[first[face[f][k]] + fill[face[f][k]]++] = 3 * f + k;
    for (int n = 0; n < node_count; n++) {
        int degree = first[n + 1] - first[n], visited = 0, corner = list[first[n]];
        assert_true(degree >= 3);
        do { /* moves to the face across the edge from n to the previous corner */
            int f = corner / 3, before = face[f][(corner % 3 + 2) % 3];
            visited++;
            for (int i = first[n]; i < first[n + 1]; i++)
                if (face[list[i] / 3][(list[i] % 3 + 1) % 3] == before) {
                    corner = list[i];
                    break;
                }
        } while (corner != list[first[n]] && visited <= degree);
        assert_int_equal(visited, degree);
    }
    free(first);
    free(list);
    free(fill);
}

/* Returns the enclosed volume, m^3; positive if normals point outwards. */
static double volume_of(const vo_vec3 *x, int face_count, const int (*face)[3]) {
    double sum = 0;
    for (int f = 0; f < face_count; f++)
        sum += v3_dot(x[face[f][0]], v3_cross(x[face[f][1]], x[face[f][2]])) / 6;
    return sum;
}

static int euler_of(int node_count, int face_count) { return node_count - face_count / 2; }

static int intersections_of(vo_context *ctx, const vo_vec3 *x, int face_count,
                            const int (*face)[3]) {
    vo_intersections c = {0};
    vo_face_soup soup = {x, face, face_count, face_count};
    assert_ok(ctx, vo_intersections_find(ctx, &c, &soup));
    int count = c.count;
    vo_intersections_free(ctx, &c);
    return count;
}

/* Returns the smallest angle of all faces, degrees. */
static double min_angle(const vo_vec3 *x, int face_count, const int (*face)[3]) {
    double max_cosine = -1;
    for (int i = 0; i < 3 * face_count; i++) {
        const int *f = face[i / 3];
        vo_vec3 a = x[f[i % 3]], b = x[f[(i + 1) % 3]], c = x[f[(i + 2) % 3]];
        max_cosine =
            vo_max(max_cosine, v3_dot(v3_normalize(v3_sub(b, a)), v3_normalize(v3_sub(c, a))));
    }
    return acos(vo_min(max_cosine, 1)) * 180 / VO_PI;
}

#endif
