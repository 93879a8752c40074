/* Sheets that are cut as an annular sector and closed to a cone: skirts and capes.
 *
 * Rings of vertices lie at equal distances along the slant. A ring has vertices in proportion to
 * its length, and all rings together a given number; neighbours are joined by triangles like the
 * rings of mesh/revolve.c. In material space the ring of radius r is an arc of radius s = r w / A
 * around the apex, with w the angle of the cone around its axis and A = w (r1 - r0) / L that of the
 * sector, so the cone has no strain. */
#include "core/memory.h"
#include "math/bounds.h"
#include "mesh/data.h"
#include "mesh/mesh.h"
#include "mesh/validate.h"

#include <math.h>

enum { MIN_RING = 3, MAX_VERTICES = 1000000, ARC_SAMPLES = 256 };

typedef struct cone {
    const vo_cone_def *def;
    double turn; /* rad, around the axis */
    bool closed;
    int ring_count;
    int *points; /* [ring_count] vertices of each ring */
    int *first;  /* [ring_count] */
} cone;

/* Fraction of the slant. */
static double fraction(const cone *c, int k) { return (double)k / (c->ring_count - 1); }

static double radius(const cone *c, double t) {
    return c->def->top_radius + t * (c->def->bottom_radius - c->def->top_radius);
}

/* ---- numbers of vertices -------------------------------------------------------------------- */

/* Ratio of the distance of rings to that of the vertices on them, for n rings. */
static double shape_of_cells(const cone *c, int n) {
    double mean = (c->def->top_radius + c->def->bottom_radius) / 2 * c->turn;
    return c->def->length / (n - 1) / (mean * n / c->def->vertices);
}

/* Number of rings for nearly equilateral triangles. */
static int choose_rings(const cone *c) {
    int n = 2;
    while (shape_of_cells(c, n + 1) > sqrt(0.75) && MIN_RING * (n + 2) <= c->def->vertices) n++;
    double above = shape_of_cells(c, n) / sqrt(0.75), below = sqrt(0.75) / shape_of_cells(c, n + 1);
    return below < above && MIN_RING * (n + 1) <= c->def->vertices ? n + 1 : n;
}

/* Distributes the vertices: each ring gets the difference of the rounded sums. */
static void count_points(const cone *c) {
    int spare = c->def->vertices - MIN_RING * c->ring_count, done = 0;
    double total = 0, sum = 0;
    for (int k = 0; k < c->ring_count; k++) total += radius(c, fraction(c, k));
    for (int k = 0, first = 0; k < c->ring_count; k++) {
        sum += radius(c, fraction(c, k)) / total;
        int until = k + 1 == c->ring_count ? spare : (int)lround(spare * sum);
        c->points[k] = MIN_RING + until - done;
        done = until;
        c->first[k] = first;
        first += c->points[k];
    }
}

/* ---- places --------------------------------------------------------------------------------- */

/* Position of vertex i along ring k, 0 to 1; of a closed ring also the first one again at 1. */
static double along(const cone *c, int k, int i) {
    return (double)i / (c->closed ? c->points[k] : c->points[k] - 1);
}

/* Half the axes of an ellipse with the circumference of a circle of radius r, by Ramanujan's
 * approximation. */
static vo_vec2 axes_of(double r, double depth) {
    double a = 1, b = depth, h = (a - b) * (a - b) / ((a + b) * (a + b));
    double circumference = (a + b) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
    return v2(2 * r / circumference, 2 * r * depth / circumference);
}

static vo_vec2 ellipse_point(vo_vec2 axes, double angle) {
    return v2(axes.x * cos(angle), axes.y * sin(angle));
}

/* Point at the fraction t of the length of an elliptic arc from `begin` on over `turn`. */
static vo_vec2 point_on_arc(vo_vec2 axes, double begin, double turn, double t) {
    double length[ARC_SAMPLES + 1] = {0};
    int k = 0;
    for (int i = 0; i < ARC_SAMPLES; i++) {
        vo_vec2 p = ellipse_point(axes, begin + turn * i / ARC_SAMPLES);
        vo_vec2 q = ellipse_point(axes, begin + turn * (i + 1) / ARC_SAMPLES);
        length[i + 1] = length[i] + v2_length(v2_sub(q, p));
    }
    double at = t * length[ARC_SAMPLES];
    while (k < ARC_SAMPLES - 1 && length[k + 1] < at) k++;
    double s = (at - length[k]) / (length[k + 1] - length[k]);
    return ellipse_point(axes, begin + turn * (k + s) / ARC_SAMPLES);
}

/* Position of a vertex: the open side, or the seam, faces +y. */
static vo_vec3 place(const cone *c, int k, int i) {
    const vo_cone_def *d = c->def;
    double t = fraction(c, k), wide = d->bottom_radius - d->top_radius;
    double depth = d->depth + t * (1 - d->depth);
    vo_vec2 p = point_on_arc(axes_of(radius(c, t), depth), VO_PI / 2 + (2 * VO_PI - c->turn) / 2,
                             c->turn, along(c, k, i));
    return v3(p.x, p.y, -t * sqrt(vo_max(d->length * d->length - wide * wide, 0)));
}

/* Material position, u to the right and v up, seen from outside. */
static vo_vec2 material(const cone *c, int k, int i) {
    const vo_cone_def *d = c->def;
    double t = fraction(c, k), wide = d->bottom_radius - d->top_radius, x = along(c, k, i) - 0.5;
    double sector = c->turn * wide / d->length;
    if (sector < 1e-6) return v2(d->top_radius * c->turn * x, -t * d->length);
    double s = radius(c, t) * c->turn / sector;
    return v2(s * sin(sector * x), -s * cos(sector * x));
}

/* ---- mesh ----------------------------------------------------------------------------------- */

/* Verts of a ring: a closed one has its first node twice. */
static int vert_of(const cone *c, int k, int i) { return c->first[k] + (c->closed ? k : 0) + i; }

static void fill_ring(const cone *c, int k, vo_mesh_data *m) {
    for (int i = 0; i < c->points[k]; i++) {
        m->node_x[c->first[k] + i] = place(c, k, i);
        m->node_label[c->first[k] + i] = k == 0 ? 1 : k + 1 == c->ring_count ? 2 : 0;
    }
    for (int i = 0; i < c->points[k] + c->closed; i++) {
        m->vert_u[vert_of(c, k, i)] = material(c, k, i);
        m->vert_node[vert_of(c, k, i)] = c->first[k] + i % c->points[k];
    }
}

static void add_face(vo_mesh_data *m, int a, int b, int c) {
    int *face = m->face_vert[m->face_count++];
    face[0] = a, face[1] = b, face[2] = c;
}

/* Joins ring k with the one below: of the two candidates, the nearer point is next. */
static void join_rings(const cone *c, int k, vo_mesh_data *m) {
    int top = c->points[k] - !c->closed, bottom = c->points[k + 1] - !c->closed;
    for (int i = 0, j = 0; i < top || j < bottom;) {
        double middle_a = along(c, k, i) + along(c, k, i + 1);
        double middle_b = along(c, k + 1, j) + along(c, k + 1, j + 1);
        bool along_top = j == bottom || (i < top && middle_a <= middle_b);
        int a = vert_of(c, k, i), b = vert_of(c, k + 1, j);
        if (along_top)
            add_face(m, a, b, a + 1);
        else
            add_face(m, b, b + 1, a);
        along_top ? i++ : j++;
    }
}

static vo_result fill(vo_context *ctx, const cone *c, vo_mesh_data *m) {
    int nodes = c->def->vertices, verts = nodes + c->ring_count;
    if (!vo_mesh_data_reserve_nodes(ctx, m, nodes) || !vo_mesh_data_reserve_verts(ctx, m, verts) ||
        !vo_mesh_data_reserve_faces(ctx, m, 2 * verts))
        return vo_fail_memory(ctx, "a mesh");
    m->node_count = nodes;
    m->vert_count = c->closed ? verts : nodes;
    for (int k = 0; k < c->ring_count; k++) fill_ring(c, k, m);
    for (int k = 0; k + 1 < c->ring_count; k++) join_rings(c, k, m);
    return VO_OK;
}

/* ---- the call ------------------------------------------------------------------------------- */

static const char *defect_of(const vo_cone_def *d) {
    if (!vo_is_positive(d->top_radius)) return "top_radius must be positive";
    if (!(vo_is_positive(d->bottom_radius) && d->bottom_radius >= d->top_radius))
        return "bottom_radius must be at least top_radius";
    if (!(vo_is_positive(d->length) && d->length >= d->bottom_radius - d->top_radius))
        return "length must be at least bottom_radius - top_radius";
    if (!(d->angle >= 10 && d->angle <= 360)) return "angle must be 10 to 360 degrees";
    if (!(d->depth >= 0.2 && d->depth <= 1)) return "depth must be 0.2 to 1";
    if (d->vertices > MAX_VERTICES) return "vertices must be at most 1,000,000";
    if (d->rings != 0 && d->rings < 2) return "rings must be at least 2";
    if (d->vertices < MIN_RING * vo_max_int(d->rings, 2))
        return "vertices must be at least three per ring";
    return NULL;
}

vo_cone_def vo_cone_def_default(void) {
    return (vo_cone_def){.angle = 360, .depth = 1, .vertices = 200};
}

static vo_result build(vo_context *ctx, cone *c, vo_mesh **out) {
    vo_mesh_data data = {0};
    c->points = vo_new_array(ctx, int, c->ring_count);
    c->first = vo_new_array(ctx, int, c->ring_count);
    vo_result result = c->points && c->first ? VO_OK : vo_fail_memory(ctx, "a mesh");
    if (result == VO_OK) {
        count_points(c);
        result = fill(ctx, c, &data);
    }
    if (result == VO_OK)
        result = vo_mesh_build_validated(ctx, "cone", &data, VO_MESH_FOR_CLOTH, out);
    vo_mesh_data_free(ctx, &data);
    vo_free_array(ctx, c->points, c->ring_count);
    vo_free_array(ctx, c->first, c->ring_count);
    return result;
}

vo_result vo_mesh_create_cone(vo_context *ctx, const vo_cone_def *def, vo_mesh **out) {
    const char *defect = defect_of(def);
    *out = NULL;
    if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "cone: %s", defect);
    cone c = {.def = def, .turn = def->angle * VO_PI / 180, .closed = def->angle == 360};
    c.ring_count = def->rings > 0 ? def->rings : choose_rings(&c);
    return build(ctx, &c, out);
}
