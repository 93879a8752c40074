/* Fixture of the solver tests: leaf lists of a rectangular sheet, built by hand.
 *
 * Vertex (i, j) of a sheet of columns x rows quadrilaterals is at (i dx, -j dy, 0), in slot
 * 1 + j (columns + 1) + i; the diagonals alternate. Springs and bending elements are put into the
 * first group in which they share no vertex. */
#ifndef VOILE_TESTS_RT_SHEET_H
#define VOILE_TESTS_RT_SHEET_H

#include "support.h"

#include "math/simd_float.h"
#include "rt/solve/solve.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct rt_sheet {
    vo_rt_asset asset;
    vo_rt_front front;
    vo_rt_air air;
    vo_rt_solve_def def; /* the defaults of the world, without air */
    int columns, rows;
    float dx, dy;
    vo_rt_tether *tethers;
    vo_rt_link *links;
} rt_sheet;

static inline int rt_sheet_slot(const rt_sheet *s, int i, int j) {
    return 1 + j * (s->columns + 1) + i;
}

/* --- Leaf lists ------------------------------------------------------------------------------- */

typedef struct rt_side {
    int32_t low, high; /* vertices of the edge */
    int32_t from, to, opposite;
    float area;
} rt_side;

static inline int rt_side_compare(const void *x, const void *y) {
    const rt_side *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

static inline bool rt_group_has(const int32_t *lanes, int32_t slot) {
    for (int k = 0; k < VO_RT_LANES; k++)
        if (lanes[k] == slot) return true;
    return false;
}

static inline void rt_sheet_add_spring(vo_rt_front *f, int32_t a, int32_t b, float rest,
                                       float width) {
    for (int g = 0;; g++) {
        vo_rt_spring_group *group = &f->springs[g];
        if (g == f->spring_group_count) f->spring_group_count++;
        int lane = 0;
        while (lane < VO_RT_LANES && group->a[lane]) lane++;
        if (lane == VO_RT_LANES || rt_group_has(group->a, a) || rt_group_has(group->b, a) ||
            rt_group_has(group->a, b) || rt_group_has(group->b, b))
            continue;
        group->a[lane] = a, group->b[lane] = b;
        group->rest[lane] = rest, group->width[lane] = width;
        f->spring_count++;
        return;
    }
}

static inline bool rt_bend_has(const vo_rt_bend_group *g, int32_t slot) {
    return rt_group_has(g->a, slot) || rt_group_has(g->b, slot) || rt_group_has(g->c, slot) ||
           rt_group_has(g->d, slot);
}

static inline void rt_sheet_add_bend(vo_rt_front *f, int32_t a, int32_t b, int32_t c, int32_t d,
                                     float stiffness) {
    for (int g = 0;; g++) {
        vo_rt_bend_group *group = &f->bends[g];
        if (g == f->bend_group_count) f->bend_group_count++;
        int lane = 0;
        while (lane < VO_RT_LANES && group->a[lane]) lane++;
        if (lane == VO_RT_LANES || rt_bend_has(group, a) || rt_bend_has(group, b) ||
            rt_bend_has(group, c) || rt_bend_has(group, d))
            continue;
        group->a[lane] = a, group->b[lane] = b, group->c[lane] = c, group->d[lane] = d;
        group->stiffness[lane] = stiffness;
        f->bend_count++;
        return;
    }
}

static inline float rt_sheet_area(const vo_rt_front *f, const int32_t v[3]) {
    vo_rt_vec3 a = f4_xyz(f->position[v[0]]), b = f4_xyz(f->position[v[1]]);
    vo_rt_vec3 c = f4_xyz(f->position[v[2]]);
    return 0.5f * f3_length(f3_cross(f3_sub(b, a), f3_sub(c, a)));
}

static inline void rt_sheet_add_triangle(rt_sheet *s, int32_t a, int32_t b, int32_t c) {
    vo_rt_front *f = &s->front;
    vo_rt_leaf_triangle *t = &f->triangles[f->triangle_count++];
    *t = (vo_rt_leaf_triangle){.vertex = {a, b, c}};
    t->rest_area = rt_sheet_area(f, t->vertex);
    for (int i = 0; i < 3; i++) f->mass[t->vertex[i]] += s->def.fabric.density * t->rest_area / 3;
}

/* Springs and bending elements of all edges of the triangles. */
static inline void rt_sheet_add_elements(rt_sheet *s) {
    vo_rt_front *f = &s->front;
    int count = 3 * f->triangle_count;
    rt_side *sides = calloc((size_t)count, sizeof *sides);
    for (int t = 0; t < f->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            const int32_t *v = f->triangles[t].vertex;
            int32_t a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3];
            sides[3 * t + i] =
                (rt_side){a < b ? a : b, a < b ? b : a, a, b, c, f->triangles[t].rest_area};
        }
    qsort(sides, (size_t)count, sizeof *sides, rt_side_compare);
    for (int i = 0, n; i < count; i += n) {
        const rt_side *p = &sides[i];
        n = i + 1 < count && rt_side_compare(p, p + 1) == 0 ? 2 : 1;
        float area = n == 2 ? p[0].area + p[1].area : p[0].area;
        float length = f3_distance(f4_xyz(f->position[p->low]), f4_xyz(f->position[p->high]));
        rt_sheet_add_spring(f, p->low, p->high, length, area / length);
        if (n == 2)
            rt_sheet_add_bend(f, p->from, p->to, p->opposite, p[1].opposite,
                              3 * length * length / area);
    }
    free(sides);
}

static inline void rt_sheet_allocate(rt_sheet *s, int vertices, int triangles) {
    vo_rt_front *f = &s->front;
    size_t n = (size_t)vertices + 1, e = 3 * (size_t)triangles + 64;
    f->position = aligned_alloc(64, (n + 3) / 4 * 64 * 6);
    vo_rt_vec4 **arrays[] = {&f->velocity, &f->previous, &f->shown, &f->normal, &f->target};
    memset(f->position, 0, (n + 3) / 4 * 64 * 6);
    for (size_t k = 0; k < 5; k++) *arrays[k] = f->position + (k + 1) * ((n + 3) / 4 * 4);
    f->mass = calloc(n, sizeof *f->mass);
    f->maps = calloc(n, sizeof *f->maps);
    f->flags = calloc(n, 1);
    f->level = calloc(n, 1);
    f->springs = calloc(e, sizeof *f->springs);
    f->bends = calloc(e, sizeof *f->bends);
    f->triangles = calloc((size_t)triangles, sizeof *f->triangles);
    f->vertex_end = (int)n;
    f->vertex_count = vertices;
    for (size_t i = 1; i < n; i++) {
        f->flags[i] = VO_RT_VERTEX_USED;
        f->maps[i] = (vo_rt_vertex_maps){0, FLT_MAX, -FLT_MAX, 0.2f};
    }
}

static inline vo_rt_solve_def rt_sheet_default_def(void) {
    return (vo_rt_solve_def){.dt = 1.0f / 120,
                             .substeps = 4,
                             .gravity = {0, -9.81f, 0},
                             .fabric = {.density = 0.2f,
                                        .bend_stiffness = 2e-5f,
                                        .damping = 0.2f,
                                        .friction = 0.4f,
                                        .drag = 1,
                                        .lift = 0.3f},
                             .stretch_limit = 0.05f,
                             .compression = 0.1f,
                             .max_speed = 50,
                             .link_strength = 1,
                             .use_avx2 = vo_simd_has_avx2()};
}

/* --- Interface -------------------------------------------------------------------------------- */

static inline rt_sheet *rt_sheet_create(int columns, int rows, float width, float height) {
    rt_sheet *s = calloc(1, sizeof *s);
    s->columns = columns, s->rows = rows;
    s->dx = width / (float)columns, s->dy = height / (float)rows;
    s->def = rt_sheet_default_def();
    s->air.density = 1.2f;
    s->asset.max = f3(width, height, 0);
    rt_sheet_allocate(s, (columns + 1) * (rows + 1), 2 * columns * rows);
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++)
            s->front.position[rt_sheet_slot(s, i, j)] =
                f4_make(f3((float)i * s->dx, -(float)j * s->dy, 0), 0);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int a = rt_sheet_slot(s, i, j), b = rt_sheet_slot(s, i, j + 1);
            int c = rt_sheet_slot(s, i + 1, j + 1), d = rt_sheet_slot(s, i + 1, j);
            if ((i + j) & 1) {
                rt_sheet_add_triangle(s, a, b, c);
                rt_sheet_add_triangle(s, a, c, d);
            } else {
                rt_sheet_add_triangle(s, a, b, d);
                rt_sheet_add_triangle(s, b, c, d);
            }
        }
    rt_sheet_add_elements(s);
    for (int i = 1; i < s->front.vertex_end; i++) s->front.position[i].w = 1 / s->front.mass[i];
    return s;
}

static inline void rt_sheet_destroy(rt_sheet *s) {
    vo_rt_front *f = &s->front;
    void *arrays[] = {f->position, f->mass,  f->maps,      f->flags,   f->level,
                      f->springs,  f->bends, f->triangles, s->tethers, s->links};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
    free(s);
}

/* Attaches a vertex at its current position. */
static inline void rt_sheet_attach(rt_sheet *s, int slot, float weight) {
    s->front.target[slot] = f4_make(f4_xyz(s->front.position[slot]), weight);
    if (weight >= 1) s->front.flags[slot] |= VO_RT_VERTEX_ATTACHED;
}

static inline void rt_sheet_attach_row(rt_sheet *s, int row) {
    for (int i = 0; i <= s->columns; i++) rt_sheet_attach(s, rt_sheet_slot(s, i, row), 1);
}

/* Tethers of every spacing-th vertex in both directions to the attached one above it in row 0, as
 * if these were the base vertices of a refined sheet. */
static inline void rt_sheet_add_tethers(rt_sheet *s, int spacing, float scale) {
    s->tethers = calloc((size_t)s->front.vertex_end, sizeof *s->tethers);
    int n = 0;
    for (int j = spacing; j <= s->rows; j += spacing)
        for (int i = 0; i <= s->columns; i += spacing)
            s->tethers[n++] = (vo_rt_tether){rt_sheet_slot(s, i, j) - 1, rt_sheet_slot(s, i, 0) - 1,
                                             scale * (float)j * s->dy};
    s->asset.tether = s->tethers;
    s->asset.tether_count = n;
}

static inline vo_rt_solve_result rt_sheet_step(rt_sheet *s) {
    return vo_rt_solve_step(&s->asset, &s->front, NULL, 0, &s->def);
}

static inline void rt_sheet_run(rt_sheet *s, float seconds) {
    int steps = (int)lroundf(seconds / s->def.dt);
    for (int i = 0; i < steps; i++) assert_true(rt_sheet_step(s).is_finite);
}

static inline vo_rt_vec3 rt_sheet_position(const rt_sheet *s, int i, int j) {
    return f4_xyz(s->front.position[rt_sheet_slot(s, i, j)]);
}

#endif
