/* Assembly of the cotangent Laplacian. */
#include "upsample/harmonics/laplacian.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

/* Squared lengths of the sides opposite the corners of a triangle, and its area. */
typedef struct triangle_shape {
    double side2[3], area;
} triangle_shape;

static double square(double x) { return x * x; }

/* Heron's formula, from squared lengths. */
static double area_of_sides(const double s[3]) {
    double product = 4 * s[0] * s[1] - square(s[0] + s[1] - s[2]);
    return product > 0 ? sqrt(product) / 4 : 0;
}

static triangle_shape material_shape(const vo_upsample_mesh *m, int t) {
    triangle_shape shape;
    for (int k = 0; k < 3; k++) {
        vo_rt_vec2 a = m->coordinate[3 * t + (k + 1) % 3], b = m->coordinate[3 * t + (k + 2) % 3];
        shape.side2[k] = square((double)b.x - (double)a.x) + square((double)b.y - (double)a.y);
    }
    shape.area = area_of_sides(shape.side2);
    return shape;
}

static triangle_shape world_shape(const vo_upsample_mesh *m, int t) {
    triangle_shape shape;
    for (int k = 0; k < 3; k++) {
        vo_rt_vec3 a = m->position[m->triangle[3 * t + (k + 1) % 3]];
        vo_rt_vec3 b = m->position[m->triangle[3 * t + (k + 2) % 3]];
        shape.side2[k] = square((double)b.x - (double)a.x) + square((double)b.y - (double)a.y) +
                         square((double)b.z - (double)a.z);
    }
    shape.area = area_of_sides(shape.side2);
    return shape;
}

/* A triangle this small relative to its sides has no angles to measure. */
static bool has_area(const triangle_shape *s) {
    double longest = fmax(s->side2[0], fmax(s->side2[1], s->side2[2]));
    return s->area > 1e-9 * longest;
}

static bool has_material_areas(const vo_upsample_mesh *m) {
    for (int t = 0; t < m->triangle_count; t++) {
        triangle_shape shape = material_shape(m, t);
        if (!has_area(&shape)) return false;
    }
    return m->triangle_count > 0;
}

/* Half the cotangent of the angle at corner k: (b^2 + c^2 - a^2) / (8 area). */
static double half_cotangent(const triangle_shape *s, int k) {
    return (s->side2[(k + 1) % 3] + s->side2[(k + 2) % 3] - s->side2[k]) / (8 * s->area);
}

/* Voronoi area of corner k; where an angle is obtuse, half the area there and a quarter elsewhere.
 */
static double corner_area(const triangle_shape *s, int k) {
    for (int i = 0; i < 3; i++)
        if (half_cotangent(s, i) < 0) return s->area / (i == k ? 2 : 4);
    int a = (k + 1) % 3, b = (k + 2) % 3;
    return (s->side2[a] * half_cotangent(s, a) + s->side2[b] * half_cotangent(s, b)) / 4;
}

/* ---- pattern -------------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Counts the corners at each vertex; two neighbours and the vertex itself per corner. */
static void count_entries(const vo_upsample_mesh *m, int *first) {
    for (int c = 0; c < 3 * m->triangle_count; c++) first[m->triangle[c] + 1] += 2;
    for (int i = 0; i < m->vertex_count; i++) first[i + 1] += first[i] + 1;
}

/* Writes the rows with duplicates; `end` receives the end of each. */
static void list_neighbours(const vo_upsample_mesh *m, const int *first, int *column, int *end) {
    for (int i = 0; i < m->vertex_count; i++) {
        end[i] = first[i];
        column[end[i]++] = i;
    }
    for (int c = 0; c < 3 * m->triangle_count; c++) {
        const int32_t *t = m->triangle + c / 3 * 3;
        int i = t[c % 3];
        column[end[i]++] = t[(c + 1) % 3];
        column[end[i]++] = t[(c + 2) % 3];
    }
}

/* Sorts each row and removes duplicates; returns the number of entries. */
static int compact_rows(int rows, int *first, int *column) {
    int count = 0;
    for (int i = 0; i < rows; i++) {
        int begin = first[i], end = first[i + 1];
        qsort(column + begin, (size_t)(end - begin), sizeof *column, compare_ints);
        first[i] = count;
        for (int k = begin; k < end; k++)
            if (count == first[i] || column[count - 1] != column[k]) column[count++] = column[k];
    }
    first[rows] = count;
    return count;
}

static vo_result make_pattern(const vo_upsample_mesh *m, vo_laplacian *l) {
    int n = m->vertex_count, *end = vo_new_array(l->ctx, int, n);
    l->first = vo_alloc_zero(l->ctx, ((size_t)n + 1) * sizeof(int));
    if (!end || !l->first) {
        vo_free_array(l->ctx, end, n);
        return vo_fail_memory(l->ctx, "a Laplacian");
    }
    count_entries(m, l->first);
    l->entry_count = l->first[n];
    l->column = vo_new_array(l->ctx, int, l->entry_count);
    l->stiffness = vo_alloc_zero(l->ctx, (size_t)l->entry_count * sizeof(double));
    if (l->column && l->stiffness) {
        list_neighbours(m, l->first, l->column, end);
        compact_rows(n, l->first, l->column);
    }
    vo_free_array(l->ctx, end, n);
    return l->column && l->stiffness ? VO_OK : vo_fail_memory(l->ctx, "a Laplacian");
}

/* ---- values --------------------------------------------------------------------------------- */

/* Index of the entry (i, j), which exists; bisection. */
static int find_entry(const vo_laplacian *l, int i, int j) {
    int low = l->first[i], high = l->first[i + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (l->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds w (x_i - x_j)^2 to the quadratic form of K. */
static void add_edge(vo_laplacian *l, int i, int j, double w) {
    l->stiffness[find_entry(l, i, i)] += w;
    l->stiffness[find_entry(l, j, j)] += w;
    l->stiffness[find_entry(l, i, j)] -= w;
    l->stiffness[find_entry(l, j, i)] -= w;
}

static void add_triangles(const vo_upsample_mesh *m, vo_laplacian *l) {
    bool material = has_material_areas(m);
    for (int t = 0; t < m->triangle_count; t++) {
        triangle_shape s = material ? material_shape(m, t) : world_shape(m, t);
        if (!has_area(&s)) continue;
        const int32_t *v = m->triangle + 3 * t;
        for (int k = 0; k < 3; k++) {
            add_edge(l, v[(k + 1) % 3], v[(k + 2) % 3], half_cotangent(&s, k));
            l->area[v[k]] += corner_area(&s, k);
        }
        l->total_area += s.area;
    }
}

static vo_result check_areas(const vo_laplacian *l) {
    for (int i = 0; i < l->vertex_count; i++)
        if (!(l->area[i] > 0) || !isfinite(l->area[i]))
            return vo_fail(l->ctx, VO_BAD_DATA,
                           "vertex %d of the mesh has no triangle with an area", i);
    return VO_OK;
}

static vo_result fill(const vo_upsample_mesh *mesh, vo_laplacian *l) {
    VO_TRY(make_pattern(mesh, l));
    add_triangles(mesh, l);
    return check_areas(l);
}

vo_result vo_laplacian_create(vo_context *ctx, const vo_upsample_mesh *mesh, vo_laplacian *out) {
    *out = (vo_laplacian){.ctx = ctx, .vertex_count = mesh->vertex_count};
    out->area = vo_alloc_zero(ctx, (size_t)mesh->vertex_count * sizeof(double));
    if (!out->area) return vo_fail_memory(ctx, "a Laplacian");
    vo_result result = fill(mesh, out);
    if (result != VO_OK) vo_laplacian_free(out);
    return result;
}

void vo_laplacian_free(vo_laplacian *l) {
    vo_free_array(l->ctx, l->first, l->vertex_count + 1);
    vo_free_array(l->ctx, l->column, l->entry_count);
    vo_free_array(l->ctx, l->stiffness, l->entry_count);
    vo_free_array(l->ctx, l->area, l->vertex_count);
    *l = (vo_laplacian){.ctx = l->ctx};
}

void vo_laplacian_symmetrise(const vo_laplacian *l, double *value) {
    for (int i = 0; i < l->vertex_count; i++)
        for (int k = l->first[i]; k < l->first[i + 1]; k++)
            value[k] = l->stiffness[k] / sqrt(l->area[i] * l->area[l->column[k]]);
}

vo_result vo_laplacian_area(vo_context *ctx, const vo_upsample_mesh *m, double *area) {
    bool material = has_material_areas(m);
    *area = 0;
    for (int t = 0; t < m->triangle_count; t++)
        *area += material ? material_shape(m, t).area : world_shape(m, t).area;
    if (*area > 0 && isfinite(*area)) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA, "the fine mesh has no area");
}
