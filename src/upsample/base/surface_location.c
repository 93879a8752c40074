/* Nearest points of triangles in the product of world and material space. */
#include "upsample/base/surface_location.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "upsample/base/sides.h"

#include <math.h>
#include <string.h>

enum { SPACE = 5 }; /* x, y, z, u, v */

typedef struct search {
    const vo_upsample_mesh *coarse, *fine;
    int dimension;        /* 5, or 3: world space only */
    int *first_corner;    /* [fine vertices + 1] corners of each fine vertex in `corner` */
    int *corner;          /* [3 fine triangles] those of different material coordinates */
    bool *side_is_border; /* [3 coarse triangles] side opposite the corner */
    vo_upsample_location *location;
    double *offset2;   /* [fine vertices] squared material distance of the nearest point */
    double *distance2; /* [fine vertices] */
} search;

static void read_corner(const vo_upsample_mesh *m, int corner, double p[SPACE]) {
    vo_rt_vec3 x = m->position[m->triangle[corner]];
    vo_rt_vec2 u = m->coordinate[corner];
    p[0] = (double)x.x, p[1] = (double)x.y, p[2] = (double)x.z;
    p[3] = (double)u.x, p[4] = (double)u.y;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* ---- nearest point of a triangle ------------------------------------------------------------ */

/* Triangle as its first corner and two edges, with their products. */
typedef struct frame {
    double corner[3][SPACE], e1[SPACE], e2[SPACE];
    double g11, g12, g22, determinant;
    double low[SPACE], high[SPACE]; /* bounds */
} frame;

static frame make_frame(const vo_upsample_mesh *m, int triangle, int dimension) {
    frame f = {0};
    for (int k = 0; k < 3; k++) read_corner(m, 3 * triangle + k, f.corner[k]);
    for (int k = 0; k < dimension; k++) {
        double a = f.corner[0][k], b = f.corner[1][k], c = f.corner[2][k];
        f.e1[k] = b - a;
        f.e2[k] = c - a;
        f.low[k] = fmin(a, fmin(b, c));
        f.high[k] = fmax(a, fmax(b, c));
    }
    f.g11 = dot(f.e1, f.e1, dimension);
    f.g12 = dot(f.e1, f.e2, dimension);
    f.g22 = dot(f.e2, f.e2, dimension);
    f.determinant = f.g11 * f.g22 - f.g12 * f.g12;
    return f;
}

/* Weights of the projection on the plane; false if the triangle is degenerate. */
static bool project(const frame *f, const double *p, int dimension, double w[3]) {
    double d[SPACE] = {0};
    for (int k = 0; k < dimension; k++) d[k] = p[k] - f->corner[0][k];
    double b1 = dot(d, f->e1, dimension), b2 = dot(d, f->e2, dimension);
    if (!(f->determinant > 1e-12 * f->g11 * f->g22)) return false;
    w[1] = (f->g22 * b1 - f->g12 * b2) / f->determinant;
    w[2] = (f->g11 * b2 - f->g12 * b1) / f->determinant;
    w[0] = 1 - w[1] - w[2];
    return true;
}

static double distance2(const frame *f, const double *p, int begin, int end, const double w[3]) {
    double sum = 0;
    for (int k = begin; k < end; k++) {
        double d = p[k];
        for (int i = 0; i < 3; i++) d -= w[i] * f->corner[i][k];
        sum += d * d;
    }
    return sum;
}

/* Nearest point of the side opposite corner k. */
static void project_on_side(const frame *f, const double *p, int dimension, int k, double w[3]) {
    const double *a = f->corner[(k + 1) % 3], *b = f->corner[(k + 2) % 3];
    double along = 0, length2 = 0;
    for (int i = 0; i < dimension; i++) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        length2 += (b[i] - a[i]) * (b[i] - a[i]);
    }
    double t = length2 > 0 ? fmin(fmax(along / length2, 0), 1) : 0;
    w[k] = 0, w[(k + 1) % 3] = 1 - t, w[(k + 2) % 3] = t;
}

/* Nearest point of the triangle; *side: the side it is on, -1: inside. */
static double find_nearest(const frame *f, const double *p, int dimension, double w[3], int *side) {
    *side = -1;
    if (project(f, p, dimension, w) && w[0] >= 0 && w[1] >= 0 && w[2] >= 0)
        return distance2(f, p, 0, dimension, w);
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        double v[3];
        project_on_side(f, p, dimension, k, v);
        double d = distance2(f, p, 0, dimension, v);
        if (d < best) memcpy(w, v, sizeof v), best = d, *side = k;
    }
    return best;
}

/* ---- search --------------------------------------------------------------------------------- */

static const double MIN_WEIGHT = -0.5;

/* Continues the plane of a triangle over a border side. */
static void extrapolate(const search *s, const frame *f, const double *p, int side,
                        vo_upsample_location *l) {
    double w[3];
    if (side < 0 || !s->side_is_border[3 * l->triangle + side]) return;
    if (!project(f, p, s->dimension, w)) return;
    if (w[0] >= MIN_WEIGHT && w[1] >= MIN_WEIGHT && w[2] >= MIN_WEIGHT)
        memcpy(l->weight, w, sizeof w);
}

/* True if the bounds of a triangle are not nearer than the nearest point so far. */
static bool is_far(const frame *f, const double *p, int dimension, double nearest2) {
    double sum = 0;
    for (int k = 0; k < dimension; k++) {
        double below = f->low[k] - p[k], above = p[k] - f->high[k];
        double d = below > above ? below : above;
        sum += d > 0 ? d * d : 0;
    }
    return sum >= nearest2;
}

/* Compares one corner of a fine vertex with a coarse triangle. */
static void visit(const search *s, int vertex, const double *p, const frame *f, int triangle) {
    double w[3];
    int side;
    if (is_far(f, p, s->dimension, s->distance2[vertex])) return;
    double d = find_nearest(f, p, s->dimension, w, &side);
    if (!(d < s->distance2[vertex])) return;
    s->distance2[vertex] = d;
    s->offset2[vertex] = distance2(f, p, 3, SPACE, w);
    s->location[vertex].triangle = triangle;
    memcpy(s->location[vertex].weight, w, sizeof w);
    extrapolate(s, f, p, side, &s->location[vertex]);
}

static void locate_range(void *arg, int begin, int end, int chunk) {
    const search *s = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) s->distance2[i] = INFINITY;
    for (int t = 0; t < s->coarse->triangle_count; t++) {
        frame f = make_frame(s->coarse, t, s->dimension);
        for (int i = begin; i < end; i++)
            for (int k = s->first_corner[i]; k < s->first_corner[i + 1]; k++) {
                double p[SPACE];
                read_corner(s->fine, s->corner[k], p);
                visit(s, i, p, &f, t);
                if (s->dimension == 3) break; /* corners differ in material space only */
            }
    }
}

/* ---- topology ------------------------------------------------------------------------------- */

/* Keeps one corner per material coordinate: vertices on seams have several. */
static void remove_repeated_corners(search *s) {
    const vo_rt_vec2 *u = s->fine->coordinate;
    int count = 0;
    for (int i = 0; i < s->fine->vertex_count; i++) {
        int begin = count, from = s->first_corner[i];
        s->first_corner[i] = begin;
        for (int k = from; k < s->first_corner[i + 1]; k++) {
            int corner = s->corner[k], j = begin;
            while (j < count &&
                   (u[s->corner[j]].x != u[corner].x || u[s->corner[j]].y != u[corner].y))
                j++;
            if (j == count) s->corner[count++] = corner;
        }
    }
    s->first_corner[s->fine->vertex_count] = count;
}

static void list_corners(search *s) {
    const vo_upsample_mesh *m = s->fine;
    for (int c = 0; c < 3 * m->triangle_count; c++) s->first_corner[m->triangle[c] + 1]++;
    for (int i = 0; i < m->vertex_count; i++) s->first_corner[i + 1] += s->first_corner[i];
    for (int c = 3 * m->triangle_count - 1; c >= 0; c--) { /* fills each list from its end */
        int i = m->triangle[c];
        s->corner[--s->first_corner[i + 1]] = c;
    }
    for (int i = 0; i < m->vertex_count; i++) s->first_corner[i] = s->first_corner[i + 1];
    s->first_corner[m->vertex_count] = 3 * m->triangle_count;
    remove_repeated_corners(s);
}

/* Marks sides that no other triangle has. */
static bool find_borders(vo_context *ctx, search *s) {
    int count = 3 * s->coarse->triangle_count;
    vo_triangle_side *sides =
        vo_triangle_sides_create(ctx, s->coarse->triangle_count, s->coarse->triangle);
    if (!sides) return false;
    for (int c = 0; c < count; c++) {
        bool before = c > 0 && vo_is_same_edge(&sides[c - 1], &sides[c]);
        bool after = c + 1 < count && vo_is_same_edge(&sides[c + 1], &sides[c]);
        s->side_is_border[sides[c].corner] = !before && !after;
    }
    vo_free_array(ctx, sides, count);
    return true;
}

/* ---- choice of the space -------------------------------------------------------------------- */

/* Mean squared length of the sides of a mesh in material space. */
static double mean_side2(const vo_upsample_mesh *m) {
    double sum = 0;
    for (int c = 0; c < 3 * m->triangle_count; c++) {
        vo_rt_vec2 a = m->coordinate[c], b = m->coordinate[c / 3 * 3 + (c + 1) % 3];
        double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
        sum += x * x + y * y;
    }
    return sum / (3 * m->triangle_count);
}

/* Coordinates correspond if the points found are nearer than a coarse side. */
static bool are_coordinates_related(const search *s) {
    double sum = 0, sides = mean_side2(s->coarse);
    for (int i = 0; i < s->fine->vertex_count; i++) sum += s->offset2[i];
    return sides > 0 && sum / s->fine->vertex_count < sides;
}

static void run_search(vo_context *ctx, search *s) {
    enum { GRAIN = 128 };
    s->dimension = SPACE;
    vo_parallel_for(ctx, s->fine->vertex_count, GRAIN, locate_range, s);
    if (are_coordinates_related(s)) return;
    s->dimension = 3;
    vo_parallel_for(ctx, s->fine->vertex_count, GRAIN, locate_range, s);
}

static bool allocate(vo_context *ctx, search *s) {
    size_t n = (size_t)s->fine->vertex_count;
    s->first_corner = vo_alloc_zero(ctx, (n + 1) * sizeof(int));
    s->corner = vo_new_array(ctx, int, 3 * s->fine->triangle_count);
    s->side_is_border = vo_new_array(ctx, bool, 3 * s->coarse->triangle_count);
    s->offset2 = vo_alloc_zero(ctx, n * sizeof(double));
    s->distance2 = vo_alloc_zero(ctx, n * sizeof(double));
    return s->first_corner && s->corner && s->side_is_border && s->offset2 && s->distance2;
}

static void release(vo_context *ctx, search *s) {
    int n = s->fine->vertex_count;
    vo_free_array(ctx, s->first_corner, n + 1);
    vo_free_array(ctx, s->corner, 3 * s->fine->triangle_count);
    vo_free_array(ctx, s->side_is_border, 3 * s->coarse->triangle_count);
    vo_free_array(ctx, s->offset2, n);
    vo_free_array(ctx, s->distance2, n);
}

vo_result vo_upsample_locate(vo_context *ctx, const vo_upsample_mesh *coarse,
                             const vo_upsample_mesh *fine, vo_upsample_location *location) {
    if (!coarse->triangle_count || !fine->triangle_count)
        return vo_fail(ctx, VO_BAD_DATA, "a garment mesh has no triangles");
    search s = {.coarse = coarse, .fine = fine, .location = location};
    memset(location, 0, (size_t)fine->vertex_count * sizeof *location);
    bool ok = allocate(ctx, &s) && find_borders(ctx, &s);
    if (ok) {
        list_corners(&s);
        run_search(ctx, &s);
    }
    release(ctx, &s);
    return ok ? VO_OK : vo_fail_memory(ctx, "the correspondence of two meshes");
}
