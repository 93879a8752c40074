/* Garment meshes for the tests of learned upsampling. Free them with free_mesh. */
#ifndef VOILE_TESTS_UPSAMPLE_MESHES_H
#define VOILE_TESTS_UPSAMPLE_MESHES_H

#include "support.h"
#include "upsample/pairs.h"

#include <math.h>
#include <stdlib.h>

static inline void allocate_mesh(vo_upsample_mesh *m, int vertices, int triangles) {
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    m->position = calloc((size_t)vertices, sizeof *m->position);
    m->triangle = calloc(3 * (size_t)triangles, sizeof *m->triangle);
    m->coordinate = calloc(3 * (size_t)triangles, sizeof *m->coordinate);
    m->mass = calloc((size_t)vertices, sizeof *m->mass);
    m->attachment = calloc((size_t)vertices, sizeof *m->attachment);
    assert_true(m->position && m->triangle && m->coordinate && m->mass && m->attachment);
}

static inline void free_mesh(vo_upsample_mesh *m) {
    free(m->position), free(m->triangle), free(m->coordinate), free(m->mass), free(m->attachment);
    *m = (vo_upsample_mesh){0};
}

/* Material coordinates of the corners: x and z of the positions. */
static inline void set_flat_coordinates(vo_upsample_mesh *m) {
    for (int c = 0; c < 3 * m->triangle_count; c++) {
        vo_rt_vec3 p = m->position[m->triangle[c]];
        m->coordinate[c] = (vo_rt_vec2){p.x, p.z};
    }
}

/* A rectangle in the xz plane with alternating diagonals; columns and rows of vertices. */
static inline void make_rectangle(vo_upsample_mesh *m, double width, double height, int columns,
                                  int rows) {
    allocate_mesh(m, columns * rows, 2 * (columns - 1) * (rows - 1));
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            m->position[j * columns + i] = (vo_rt_vec3){(float)(width * i / (columns - 1)), 0,
                                                        (float)(height * j / (rows - 1))};
    int32_t *t = m->triangle;
    for (int j = 0; j + 1 < rows; j++)
        for (int i = 0; i + 1 < columns; i++) {
            int a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
            int quads[2][6] = {{a, b, d, a, d, c}, {a, b, c, b, d, c}};
            for (int k = 0; k < 6; k++) *t++ = quads[(i + j) % 2][k];
        }
    for (int i = 0; i < m->vertex_count; i++) m->mass[i] = 0.01f;
    set_flat_coordinates(m);
}

/* A sphere of latitude rings; without material coordinates. */
static inline void make_sphere(vo_upsample_mesh *m, double radius, int rings) {
    int around = 2 * rings, vertices = 2 + (rings - 1) * around;
    allocate_mesh(m, vertices, 2 * around * (rings - 1));
    const double pi = 3.14159265358979323846;
    m->position[0] = (vo_rt_vec3){0, 0, (float)radius};
    m->position[vertices - 1] = (vo_rt_vec3){0, 0, (float)-radius};
    for (int j = 1; j < rings; j++)
        for (int i = 0; i < around; i++) {
            double u = pi * j / rings, v = 2 * pi * (i + 0.5 * (j % 2)) / around;
            m->position[1 + (j - 1) * around + i] =
                (vo_rt_vec3){(float)(radius * sin(u) * cos(v)), (float)(radius * sin(u) * sin(v)),
                             (float)(radius * cos(u))};
        }
    int32_t *t = m->triangle;
    for (int i = 0; i < around; i++) {
        int next = (i + 1) % around, last = 1 + (rings - 2) * around;
        int caps[6] = {0, 1 + i, 1 + next, vertices - 1, last + next, last + i};
        for (int k = 0; k < 6; k++) *t++ = caps[k];
    }
    for (int j = 1; j + 1 < rings; j++)
        for (int i = 0; i < around; i++) {
            int next = (i + 1) % around, shift = j % 2;
            int a = 1 + (j - 1) * around + i, b = 1 + (j - 1) * around + next;
            int c = 1 + j * around + i, d = 1 + j * around + next;
            int odd[6] = {a, c, d, a, d, b}, even[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; k++) *t++ = shift ? odd[k] : even[k];
        }
}

#endif
