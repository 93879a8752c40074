/* Closed meshes, an allocator and exhaustive queries for the tests of rt/body and rt/contact. */
#ifndef VOILE_TESTS_RT_BODY_FIXTURE_H
#define VOILE_TESTS_RT_BODY_FIXTURE_H

#include "rt/base/vec.h"
#include "rt/body/body.h"
#include "rt/body/body_private.h"

#include <stdlib.h>
#include <string.h>

/* Counts the live bytes; fails call number fail_at. */
typedef struct rt_memory {
    long live, calls, fail_at;
} rt_memory;

static void *rt_allocate(void *user, size_t bytes, size_t alignment) {
    rt_memory *m = user;
    if (m->calls++ == m->fail_at) return NULL;
    void *p = NULL;
    if (posix_memalign(&p, alignment < 16 ? 16 : alignment, bytes)) return NULL;
    memset(p, 0xa5, bytes); /* code must not rely on cleared memory */
    m->live += (long)bytes;
    return p;
}

static void rt_release(void *user, void *memory, size_t bytes) {
    rt_memory *m = user;
    m->live -= (long)bytes;
    free(memory);
}

static inline vo_allocator rt_allocator(rt_memory *m) {
    *m = (rt_memory){.fail_at = -1};
    return (vo_allocator){m, rt_allocate, rt_release};
}

static inline float rt_real(vo_random *r, double low, double high) {
    return (float)vo_random_real(r, low, high);
}
static inline vo_rt_vec3 rt_point(vo_random *r, double size) {
    float x = rt_real(r, -size, size), y = rt_real(r, -size, size);
    return f3(x, y, rt_real(r, -size, size));
}
static inline vo_rt_quat rt_rotation(vo_random *r) {
    vo_rt_quat q = {rt_real(r, -1, 1), rt_real(r, -1, 1), rt_real(r, -1, 1), rt_real(r, -1, 1)};
    float n = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w) + 1e-6f;
    return (vo_rt_quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

typedef struct rt_mesh {
    int vertex_count, triangle_count;
    vo_rt_vec3 *x;
    int32_t *t;
} rt_mesh;

static inline void rt_mesh_free(rt_mesh *m) {
    free(m->x);
    free(m->t);
}

static void rt_add_triangle(rt_mesh *m, int a, int b, int c) {
    int32_t *t = m->t + 3 * (size_t)m->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

/* A sphere of `rows` x `columns` quadrilaterals whose radius varies by up to `bump`. */
static inline rt_mesh rt_sphere(int rows, int columns, float radius, float bump, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    rt_mesh m = {.vertex_count = 2 + (rows - 1) * columns};
    m.x = malloc((size_t)m.vertex_count * sizeof *m.x);
    m.t = malloc((size_t)(2 * rows * columns) * 3 * sizeof *m.t);
    m.x[0] = f3(0, -radius, 0);
    m.x[1] = f3(0, radius, 0);
    for (int i = 1; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double u = 3.14159265358979 * i / rows, v = 2 * 3.14159265358979 * k / columns;
            float s = radius * (1 + rt_real(&r, -bump, bump) * 1.0f);
            m.x[2 + (i - 1) * columns + k] =
                f3(s * (float)(sin(u) * cos(v)), -s * (float)cos(u), s * (float)(sin(u) * sin(v)));
        }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            int next = (k + 1) % columns, low = 2 + (i - 1) * columns, high = 2 + i * columns;
            if (i == 0)
                rt_add_triangle(&m, 0, high + k, high + next);
            else if (i == rows - 1)
                rt_add_triangle(&m, low + k, 1, low + next);
            else {
                rt_add_triangle(&m, low + k, high + k, high + next);
                rt_add_triangle(&m, low + k, high + next, low + next);
            }
        }
    return m;
}

/* A torus around the y axis with random variations. */
static inline rt_mesh rt_torus(int rows, int columns, float radius, float tube, float bump,
                               uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    rt_mesh m = {.vertex_count = rows * columns};
    m.x = malloc((size_t)m.vertex_count * sizeof *m.x);
    m.t = malloc((size_t)(2 * rows * columns) * 3 * sizeof *m.t);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double u = 2 * 3.14159265358979 * i / rows, v = 2 * 3.14159265358979 * k / columns;
            float s = tube * (1 + rt_real(&r, -bump, bump));
            float d = radius + s * (float)cos(v);
            m.x[i * columns + k] = f3(d * (float)cos(u), s * (float)sin(v), d * (float)sin(u));
        }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            int a = i * columns + k, b = i * columns + (k + 1) % columns;
            int c = (i + 1) % rows * columns + k, d = (i + 1) % rows * columns + (k + 1) % columns;
            rt_add_triangle(&m, a, b, d);
            rt_add_triangle(&m, a, d, c);
        }
    return m;
}

/* A thin box of n x n quadrilaterals per large side, in the plane y = 0. */
static inline rt_mesh rt_plate(int n, float half, float thickness) {
    int row = n + 1, side = row * row;
    rt_mesh m = {.vertex_count = 2 * side};
    m.x = malloc((size_t)m.vertex_count * sizeof *m.x);
    m.t = malloc((size_t)(4 * n * n + 8 * n) * 3 * sizeof *m.t);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < row; i++)
            for (int k = 0; k < row; k++)
                m.x[s * side + i * row + k] =
                    f3(half * (2.0f * (float)i / (float)n - 1), (s ? 0.5f : -0.5f) * thickness,
                       half * (2.0f * (float)k / (float)n - 1));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int a = i * row + k, b = a + 1, c = a + row, d = c + 1;
            rt_add_triangle(&m, a, c, b);
            rt_add_triangle(&m, b, c, d);
            rt_add_triangle(&m, side + a, side + b, side + c);
            rt_add_triangle(&m, side + b, side + d, side + c);
        }
    for (int i = 0; i < n; i++) {
        int e[4][2] = {{i, i + 1},
                       {n * row + i + 1, n * row + i},
                       {(i + 1) * row, i * row},
                       {i * row + n, (i + 1) * row + n}};
        for (int k = 0; k < 4; k++) {
            rt_add_triangle(&m, e[k][0], e[k][1], side + e[k][1]);
            rt_add_triangle(&m, e[k][0], side + e[k][1], side + e[k][0]);
        }
    }
    return m;
}

static inline vo_rt_body_def rt_mesh_def(const rt_mesh *m) {
    vo_rt_body_def def = vo_rt_body_def_default();
    def.vertex_count = m->vertex_count;
    def.positions = m->x;
    def.triangle_count = m->triangle_count;
    def.triangles = m->t;
    return def;
}

/* --- Exhaustive queries in double precision --------------------------------------------------- */

typedef struct rt_d3 {
    double x, y, z;
} rt_d3;
static inline rt_d3 rt_d(vo_rt_vec3 a) { return (rt_d3){(double)a.x, (double)a.y, (double)a.z}; }
static inline rt_d3 rt_sub(rt_d3 a, rt_d3 b) { return (rt_d3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double rt_dot(rt_d3 a, rt_d3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline rt_d3 rt_cross(rt_d3 a, rt_d3 b) {
    return (rt_d3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double rt_segment_distance2(rt_d3 x, rt_d3 a, rt_d3 b) {
    rt_d3 d = rt_sub(b, a), r = rt_sub(x, a);
    double l = rt_dot(d, d), t = l > 0 ? rt_dot(r, d) / l : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    rt_d3 e = {r.x - t * d.x, r.y - t * d.y, r.z - t * d.z};
    return rt_dot(e, e);
}

static double rt_triangle_distance2(rt_d3 x, rt_d3 a, rt_d3 b, rt_d3 c) {
    rt_d3 n = rt_cross(rt_sub(b, a), rt_sub(c, a));
    double nn = rt_dot(n, n);
    double u = rt_dot(n, rt_cross(rt_sub(b, a), rt_sub(x, a)));
    double v = rt_dot(n, rt_cross(rt_sub(c, b), rt_sub(x, b)));
    double w = rt_dot(n, rt_cross(rt_sub(a, c), rt_sub(x, c)));
    double h = rt_dot(n, rt_sub(x, a));
    if (nn > 0 && u >= 0 && v >= 0 && w >= 0) return h * h / nn;
    return fmin(rt_segment_distance2(x, a, b),
                fmin(rt_segment_distance2(x, b, c), rt_segment_distance2(x, c, a)));
}

/* Solid angle of a triangle (Van Oosterom and Strackee 1983). */
static double rt_solid_angle(rt_d3 x, rt_d3 a, rt_d3 b, rt_d3 c) {
    a = rt_sub(a, x), b = rt_sub(b, x), c = rt_sub(c, x);
    double la = sqrt(rt_dot(a, a)), lb = sqrt(rt_dot(b, b)), lc = sqrt(rt_dot(c, c));
    double y = rt_dot(a, rt_cross(b, c));
    double z = la * lb * lc + rt_dot(a, b) * lc + rt_dot(b, c) * la + rt_dot(c, a) * lb;
    return 2 * atan2(y, z);
}

/* Signed distance from a closed mesh with vertices p: the sign by the winding number. */
static inline double rt_exhaustive_distance(const rt_mesh *m, const vo_rt_vec3 *p,
                                            vo_rt_vec3 point) {
    double best = 1e30, angle = 0;
    rt_d3 x = rt_d(point);
    for (int i = 0; i < m->triangle_count; i++) {
        const int32_t *t = m->t + 3 * (size_t)i;
        rt_d3 a = rt_d(p[t[0]]), b = rt_d(p[t[1]]), c = rt_d(p[t[2]]);
        best = fmin(best, rt_triangle_distance2(x, a, b, c));
        angle += rt_solid_angle(x, a, b, c);
    }
    return angle > 2 * 3.14159265358979 ? -sqrt(best) : sqrt(best);
}

#endif
