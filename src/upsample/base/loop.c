/* Loop 1987, "Smooth subdivision surfaces based on triangles"; masks of borders and limits as in
 * Zorin et al. 2000, "Subdivision for modeling and animation".
 *
 * Every vertex of a level is a sparse row over the coarse vertices. A triangle has four children:
 *
 *              v2                  0: v0 m2 m1    m0 is the midpoint of v1 v2
 *            m1   m0               1: m2 v1 m0
 *          v0  m2   v1             2: m1 m0 v2
 *                                  3: m0 m1 m2
 */
#include "upsample/base/loop.h"

#include "core/memory.h"
#include "upsample/base/sides.h"

#include <math.h>
#include <string.h>

enum { MAX_LEVELS = 5 };

/* An edge with its triangles' opposite vertices. */
typedef struct edge {
    int a, b;           /* a < b */
    int opposite[2];    /* -1: border */
    int triangle_count; /* more than 2: not a manifold, treated as a border */
} edge;

/* A level of the subdivision. */
typedef struct level {
    int vertex_count, triangle_count, edge_count;
    int32_t *triangle;  /* [triangle_count][3] */
    int *triangle_edge; /* [triangle_count][3] opposite the corner */
    edge *edges;
    vo_sparse_rows rows; /* [vertex_count] over coarse vertices */
} level;

static void free_level(vo_context *ctx, level *l) {
    vo_free_array(ctx, l->triangle, 3 * l->triangle_count);
    vo_free_array(ctx, l->triangle_edge, 3 * l->triangle_count);
    vo_free_array(ctx, l->edges, 3 * l->triangle_count);
    vo_sparse_rows_free(&l->rows);
    *l = (level){.rows.ctx = ctx};
}

static bool allocate_level(vo_context *ctx, int triangles, level *l) {
    *l = (level){.triangle_count = triangles, .rows.ctx = ctx};
    l->triangle = vo_new_array(ctx, int32_t, 3 * triangles);
    l->triangle_edge = vo_new_array(ctx, int, 3 * triangles);
    l->edges = vo_new_array(ctx, edge, 3 * triangles);
    return l->triangle && l->triangle_edge && l->edges;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* Adds a side to the last edge, or begins a new one. */
static void add_side(level *l, const vo_triangle_side *s) {
    edge *e = l->edge_count ? &l->edges[l->edge_count - 1] : NULL;
    if (!e || e->a != s->a || e->b != s->b) {
        e = &l->edges[l->edge_count++];
        *e = (edge){s->a, s->b, {-1, -1}, 0};
    }
    if (e->triangle_count < 2) e->opposite[e->triangle_count] = l->triangle[s->corner];
    e->triangle_count++;
    l->triangle_edge[s->corner] = l->edge_count - 1;
}

static bool find_edges(vo_context *ctx, level *l) {
    int count = 3 * l->triangle_count;
    vo_triangle_side *sides = vo_triangle_sides_create(ctx, l->triangle_count, l->triangle);
    if (!sides) return false;
    for (int c = 0; c < count; c++) add_side(l, &sides[c]);
    vo_free_array(ctx, sides, count);
    return true;
}

static bool is_border(const edge *e) { return e->triangle_count != 2; }

/* ---- combinations of rows ------------------------------------------------------------------- */

/* Accumulates a row: weights of all coarse vertices. */
typedef struct accumulator {
    int count;
    double *weight; /* [count] zero between rows */
    int *column;    /* [count] scratch */
    double *packed; /* [count] scratch */
} accumulator;

static void add_row(accumulator *a, const vo_sparse_rows *rows, int row, double factor) {
    for (int k = rows->first[row]; k < rows->first[row + 1]; k++)
        a->weight[rows->column[k]] += factor * rows->weight[k];
}

/* Appends the accumulated row and clears it. */
static bool append_row(accumulator *a, vo_sparse_rows *out) {
    int count = 0;
    for (int k = 0; k < a->count; k++)
        if (a->weight[k] != 0) {
            a->column[count] = k;
            a->packed[count++] = a->weight[k];
            a->weight[k] = 0;
        }
    return vo_sparse_rows_append(out, count, a->column, a->packed);
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* Neighbours of each vertex, as edges. */
typedef struct fans {
    int *first, *edge; /* [vertices + 1], [2 edges] */
} fans;

static bool make_fans(vo_context *ctx, const level *l, fans *f) {
    f->first = vo_alloc_zero(ctx, ((size_t)l->vertex_count + 1) * sizeof(int));
    f->edge = vo_new_array(ctx, int, 2 * l->edge_count);
    if (!f->first || !f->edge) return false;
    for (int e = 0; e < l->edge_count; e++)
        f->first[l->edges[e].a + 1]++, f->first[l->edges[e].b + 1]++;
    for (int i = 0; i < l->vertex_count; i++) f->first[i + 1] += f->first[i];
    for (int e = l->edge_count - 1; e >= 0; e--) {
        f->edge[--f->first[l->edges[e].a + 1]] = e;
        f->edge[--f->first[l->edges[e].b + 1]] = e;
    }
    for (int i = 0; i < l->vertex_count; i++) f->first[i] = f->first[i + 1];
    f->first[l->vertex_count] = 2 * l->edge_count;
    return true;
}

static void free_fans(vo_context *ctx, const level *l, fans *f) {
    vo_free_array(ctx, f->first, l->vertex_count + 1);
    vo_free_array(ctx, f->edge, 2 * l->edge_count);
}

static int count_borders(const level *l, const fans *f, int vertex) {
    int count = 0;
    for (int k = f->first[vertex]; k < f->first[vertex + 1]; k++)
        count += is_border(&l->edges[f->edge[k]]);
    return count;
}

/* Adds (1 - n w) v + w sum of the neighbours, all of them or those along the border. */
static void add_fan(const level *l, const fans *f, int vertex, bool border, double w,
                    accumulator *a) {
    double rest = 1;
    for (int k = f->first[vertex]; k < f->first[vertex + 1]; k++) {
        const edge *e = &l->edges[f->edge[k]];
        if (border && !is_border(e)) continue;
        add_row(a, &l->rows, e->a == vertex ? e->b : e->a, w);
        rest -= w;
    }
    add_row(a, &l->rows, vertex, rest);
}

/* Loop's weight of a neighbour of an interior vertex of valence n. */
static double interior_weight(int n) {
    double c = 0.375 + 0.25 * cos(6.283185307179586 / n);
    return (0.625 - c * c) / n;
}

/* New position of an old vertex, or its limit. */
static void add_vertex(const level *l, const fans *f, int vertex, bool limit, accumulator *a) {
    int borders = count_borders(l, f, vertex), n = f->first[vertex + 1] - f->first[vertex];
    if (borders == 0 && n >= 3) {
        double w = interior_weight(n);
        add_fan(l, f, vertex, false, limit ? 1 / (0.375 / w + n) : w, a);
    } else if (borders == 2 && n > 2) {
        add_fan(l, f, vertex, true, limit ? 1.0 / 6 : 0.125, a);
    } else {
        add_row(a, &l->rows, vertex, 1); /* corner */
    }
}

static void add_midpoint(const level *l, const edge *e, accumulator *a) {
    double w = is_border(e) ? 0.5 : 0.375;
    add_row(a, &l->rows, e->a, w);
    add_row(a, &l->rows, e->b, w);
    for (int k = 0; k < 2 && !is_border(e); k++) add_row(a, &l->rows, e->opposite[k], 0.125);
}

/* ---- levels --------------------------------------------------------------------------------- */

static void split_triangles(const level *l, level *next) {
    for (int t = 0; t < l->triangle_count; t++) {
        const int *v = l->triangle + 3 * t, *e = l->triangle_edge + 3 * t;
        int m0 = l->vertex_count + e[0], m1 = l->vertex_count + e[1], m2 = l->vertex_count + e[2];
        int child[12] = {v[0], m2, m1, m2, v[1], m0, m1, m0, v[2], m0, m1, m2};
        memcpy(next->triangle + 12 * t, child, sizeof child);
    }
}

/* Rows of the old vertices at their new positions or limits. */
static bool append_vertices(vo_context *ctx, const level *l, bool limit, accumulator *a,
                            vo_sparse_rows *out) {
    fans f = {0};
    bool ok = make_fans(ctx, l, &f);
    for (int i = 0; ok && i < l->vertex_count; i++) {
        add_vertex(l, &f, i, limit, a);
        ok = append_row(a, out);
    }
    free_fans(ctx, l, &f);
    return ok;
}

static bool subdivide(vo_context *ctx, const level *l, accumulator *a, level *next) {
    if (!allocate_level(ctx, 4 * l->triangle_count, next)) return false;
    next->vertex_count = l->vertex_count + l->edge_count;
    split_triangles(l, next);
    if (!append_vertices(ctx, l, false, a, &next->rows)) return false;
    for (int e = 0; e < l->edge_count; e++) {
        add_midpoint(l, &l->edges[e], a);
        if (!append_row(a, &next->rows)) return false;
    }
    return find_edges(ctx, next);
}

/* The coarse mesh itself. */
static bool make_first(vo_context *ctx, const vo_upsample_mesh *coarse, level *l) {
    if (!allocate_level(ctx, coarse->triangle_count, l)) return false;
    l->vertex_count = coarse->vertex_count;
    for (int c = 0; c < 3 * coarse->triangle_count; c++) l->triangle[c] = coarse->triangle[c];
    for (int i = 0; i < l->vertex_count; i++)
        if (!vo_sparse_rows_append(&l->rows, 1, &i, &(double){1})) return false;
    return find_edges(ctx, l);
}

/* Replaces the level by the next one; false without memory. */
static bool advance(vo_context *ctx, level *l, accumulator *a) {
    level next = {.rows.ctx = ctx};
    bool ok = subdivide(ctx, l, a, &next);
    free_level(ctx, l);
    *l = next;
    return ok;
}

static bool move_to_limit(vo_context *ctx, level *l, accumulator *a) {
    vo_sparse_rows limit = {.ctx = ctx};
    bool ok = append_vertices(ctx, l, true, a, &limit);
    vo_sparse_rows_free(&l->rows);
    l->rows = limit;
    return ok;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Child of a triangle that contains a point, whose weights are replaced by those in the child. */
static int descend(double w[3]) {
    for (int k = 0; k < 3; k++)
        if (w[k] >= 0.5) {
            for (int i = 0; i < 3; i++) w[i] = 2 * w[i] - (i == k);
            return k;
        }
    for (int i = 0; i < 3; i++) w[i] = 1 - 2 * w[i];
    return 3;
}

static bool append_point(const level *l, int levels, const vo_upsample_location *at, accumulator *a,
                         vo_sparse_rows *out) {
    double w[3];
    int triangle = at->triangle;
    memcpy(w, at->weight, sizeof w);
    for (int i = 0; i < levels; i++) triangle = 4 * triangle + descend(w);
    for (int k = 0; k < 3; k++) add_row(a, &l->rows, l->triangle[3 * triangle + k], w[k]);
    return append_row(a, out);
}

/* Levels until there are as many triangles as in the fine mesh. */
static int count_levels(const vo_upsample_mesh *coarse, const vo_upsample_mesh *fine) {
    int levels = 1;
    double triangles = 4.0 * coarse->triangle_count;
    for (; levels < MAX_LEVELS && triangles < fine->triangle_count; levels++) triangles *= 4;
    return levels;
}

static bool append_rows(vo_context *ctx, const vo_upsample_mesh *coarse,
                        const vo_upsample_mesh *fine, const vo_upsample_location *location,
                        accumulator *a, vo_sparse_rows *out) {
    level l = {.rows.ctx = ctx};
    int levels = count_levels(coarse, fine);
    bool ok = make_first(ctx, coarse, &l);
    for (int i = 0; ok && i < levels; i++) ok = advance(ctx, &l, a);
    ok = ok && move_to_limit(ctx, &l, a);
    for (int i = 0; ok && i < fine->vertex_count; i++)
        ok = append_point(&l, levels, &location[i], a, out);
    free_level(ctx, &l);
    return ok;
}

vo_result vo_loop_append(const vo_upsample_mesh *coarse, const vo_upsample_mesh *fine,
                         const vo_upsample_location *location, vo_sparse_rows *out) {
    vo_context *ctx = out->ctx;
    int n = coarse->vertex_count;
    accumulator a = {.count = n};
    a.weight = vo_alloc_zero(ctx, (size_t)n * sizeof(double));
    a.column = vo_new_array(ctx, int, n);
    a.packed = vo_new_array(ctx, double, n);
    bool ok = a.weight && a.column && a.packed && append_rows(ctx, coarse, fine, location, &a, out);
    vo_free_array(ctx, a.weight, n);
    vo_free_array(ctx, a.column, n);
    vo_free_array(ctx, a.packed, n);
    return ok ? VO_OK : vo_fail_memory(ctx, "Loop subdivision");
}
