#include "mesh/primitives.h"

#include "math/bounds.h"

#include <string.h>

/* Far beyond the needs of an obstacle; keeps all indices in range. */
enum { MAX_FACES = 2000000 };

/* Number of pieces of about `edge` in a length. */
static int pieces(double length, double edge) { return vo_max_int(1, (int)lround(length / edge)); }

/* Adds two triangles; the parity of `diagonal` selects the diagonal. Corners are counter-clockwise
 * seen from outside, or clockwise if `flipped`. */
static void add_quad(vo_surface_parts *s, const int corner[4], int diagonal, bool flipped) {
    for (int i = diagonal % 2; i < 4; i += 2) {
        int a = corner[i], b = corner[(i + 1) % 4], c = corner[(i + 2) % 4];
        vo_surface_parts_add_face(s, a, flipped ? c : b, flipped ? b : c);
    }
}

/* --- sphere ------------------------------------------------------------------------------- */

enum { ICO_NODES = 12, ICO_EDGES = 30, ICO_FACES = 20 };

static const int ico_face[ICO_FACES][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
};

/* (+-1, +-p, 0) and its cyclic permutations, p the golden ratio. */
static vo_vec3 ico_corner(int i) {
    double p = (1 + sqrt(5)) / 2, a = i % 2 ? 1 : -1, b = i % 4 < 2 ? p : -p;
    return i < 4 ? v3(a, b, 0) : i < 8 ? v3(0, a, b) : v3(b, 0, a);
}

/* Node numbers of a sphere made from an icosahedron with edges divided into `cuts` parts: corners,
 * then the inner nodes of each edge, then those of each face. */
typedef struct ico {
    int cuts;
    int edge[ICO_NODES][ICO_NODES]; /* from the lower corner to the higher */
} ico;

static void ico_number_edges(ico *s) {
    int count = 0;
    memset(s->edge, -1, sizeof s->edge);
    for (int f = 0; f < ICO_FACES; f++)
        for (int i = 0; i < 3; i++) {
            int a = ico_face[f][i], b = ico_face[f][(i + 1) % 3];
            if (a < b) s->edge[a][b] = count++;
        }
}

/* The node at k of n steps from corner a to corner b. */
static int ico_edge_node(const ico *s, int a, int b, int k) {
    if (a > b) return ico_edge_node(s, b, a, s->cuts - k);
    return ICO_NODES + s->edge[a][b] * (s->cuts - 1) + k - 1;
}

/* The node of face f at i steps towards its second and j steps towards its third corner. */
static int ico_node(const ico *s, int f, int i, int j) {
    const int *c = ico_face[f];
    int n = s->cuts, inner = (n - 1) * (n - 2) / 2;
    if (i == 0 && j == 0) return c[0];
    if (i == n) return c[1];
    if (j == n) return c[2];
    if (j == 0) return ico_edge_node(s, c[0], c[1], i);
    if (i == 0) return ico_edge_node(s, c[0], c[2], j);
    if (i + j == n) return ico_edge_node(s, c[1], c[2], j);
    int row = (j - 1) * (n - 1) - j * (j - 1) / 2; /* nodes in the earlier inner rows */
    return ICO_NODES + ICO_EDGES * (n - 1) + f * inner + row + i - 1;
}

static void fill_ico_face(const ico *s, int f, double radius, vo_surface_parts *out) {
    const int *c = ico_face[f];
    int n = s->cuts;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i + j <= n; i++) {
            vo_vec3 x = v3_scale(n - i - j, ico_corner(c[0]));
            x = v3_add_scaled(v3_add_scaled(x, i, ico_corner(c[1])), j, ico_corner(c[2]));
            out->node_x[ico_node(s, f, i, j)] = v3_scale(radius, v3_normalize(x));
            if (i + j == n) continue;
            int a = ico_node(s, f, i, j), b = ico_node(s, f, i + 1, j),
                d = ico_node(s, f, i, j + 1);
            vo_surface_parts_add_face(out, a, b, d);
            if (i + j < n - 1) vo_surface_parts_add_face(out, b, ico_node(s, f, i + 1, j + 1), d);
        }
}

static vo_result make_sphere(const vo_shape_def *def, vo_surface_parts *out) {
    const double ico_edge = 1.2; /* mean edge of an icosahedron projected onto the unit sphere */
    ico s = {.cuts = pieces(ico_edge * def->radius, def->edge_length)};
    ico_number_edges(&s);
    int n = s.cuts;
    VO_TRY(vo_surface_parts_reserve(out, 10 * n * n + 2, 20 * n * n));
    for (int f = 0; f < ICO_FACES; f++) fill_ico_face(&s, f, def->radius, out);
    out->node_count = 10 * n * n + 2;
    return VO_OK;
}

/* --- box, plate and blade ----------------------------------------------------------------- */

/* A block of n[0] x n[1] x n[2] cells; only nodes on the surface are numbered: the whole lowest
 * layer, the border of each layer between, the whole highest layer. */
typedef struct block {
    int n[3];
    int layer, border; /* number of nodes of a whole layer and of a border */
} block;

static int block_node(const block *b, const int at[3]) {
    int i = at[0], j = at[1], k = at[2], nx = b->n[0], ny = b->n[1], nz = b->n[2];
    if (k == 0) return j * (nx + 1) + i;
    if (k == nz) return b->layer + (nz - 1) * b->border + j * (nx + 1) + i;
    int around = j == 0 ? i : i == nx ? nx + j : j == ny ? 2 * nx + ny - i : 2 * nx + 2 * ny - j;
    return b->layer + (k - 1) * b->border + around;
}

/* The node of a side: axis w is fixed at its lower or upper end; i and j count along the other
 * axes, in the order in which u, v, w are right-handed. */
static int side_node(const block *b, int w, bool upper, int i, int j) {
    int at[3];
    at[w] = upper ? b->n[w] : 0;
    at[(w + 1) % 3] = i;
    at[(w + 2) % 3] = j;
    return block_node(b, at);
}

static void fill_side(const block *b, int w, bool upper, vo_surface_parts *out) {
    for (int j = 0; j < b->n[(w + 2) % 3]; j++)
        for (int i = 0; i < b->n[(w + 1) % 3]; i++) {
            int corner[4] = {side_node(b, w, upper, i, j), side_node(b, w, upper, i + 1, j),
                             side_node(b, w, upper, i + 1, j + 1),
                             side_node(b, w, upper, i, j + 1)};
            add_quad(out, corner, i + j, !upper);
        }
}

/* Places nodes evenly between the corners `low` and `high`; of inner rows, only the ends. */
static void place_block(const block *b, vo_vec3 low, vo_vec3 high, vo_surface_parts *out) {
    vo_vec3 d = v3_sub(high, low);
    for (int k = 0; k <= b->n[2]; k++)
        for (int j = 0; j <= b->n[1]; j++) {
            bool outside = j % b->n[1] == 0 || k % b->n[2] == 0;
            for (int i = 0; i <= b->n[0]; i += outside ? 1 : b->n[0])
                out->node_x[block_node(b, (int[]){i, j, k})] =
                    v3(low.x + d.x * i / b->n[0], low.y + d.y * j / b->n[1],
                       low.z + d.z * k / b->n[2]);
        }
}

static vo_result make_block(vo_vec3 low, vo_vec3 high, double edge, vo_surface_parts *out) {
    vo_vec3 d = v3_sub(high, low);
    block b = {.n = {pieces(d.x, edge), pieces(d.y, edge), pieces(d.z, edge)}};
    b.layer = (b.n[0] + 1) * (b.n[1] + 1);
    b.border = 2 * (b.n[0] + b.n[1]);
    int nodes = 2 * b.layer + (b.n[2] - 1) * b.border;
    VO_TRY(vo_surface_parts_reserve(out, nodes, 2 * nodes)); /* 2 nodes - 4 faces (Euler) */
    place_block(&b, low, high, out);
    out->node_count = nodes;
    for (int w = 0; w < 3; w++) {
        fill_side(&b, w, false, out);
        fill_side(&b, w, true, out);
    }
    return VO_OK;
}

static vo_result make_box(const vo_shape_def *def, vo_surface_parts *out) {
    vo_vec3 half = v3_scale(0.5, def->size);
    return make_block(v3_negate(half), half, def->edge_length, out);
}

static vo_result make_plate(const vo_shape_def *def, vo_surface_parts *out) {
    vo_vec3 s = def->size;
    return make_block(v3(-s.x / 2, -s.y / 2, -s.z), v3(s.x / 2, s.y / 2, 0), def->edge_length, out);
}

/* A wedge in `across` sections along x; each section has the node of the edge first, then pairs of
 * nodes, upper and lower, at `deep` distances from it:
 *
 *            2m-1 ... 3   1
 *          back               0 edge
 *             2m  ... 4   2
 */
typedef struct wedge {
    int across, deep;
} wedge;

static int wedge_node(const wedge *w, int i, int k, int lower) {
    return i * (2 * w->deep + 1) + (k == 0 ? 0 : 2 * k - 1 + lower);
}

static void place_wedge(const wedge *w, vo_vec3 size, vo_surface_parts *out) {
    for (int i = 0; i <= w->across; i++)
        for (int k = 0; k <= w->deep; k++)
            for (int lower = 0; lower < 2; lower++) {
                double depth = (double)k / w->deep, z = size.z / 2 * depth;
                out->node_x[wedge_node(w, i, k, lower)] =
                    v3(size.x * ((double)i / w->across - 0.5), -size.y * depth, lower ? -z : z);
            }
}

static void fill_wedge_sides(const wedge *w, vo_surface_parts *out) {
    int m = w->deep;
    for (int i = 0; i < w->across; i++) {
        for (int k = 0; k < m; k++)
            for (int l = 0; l < 2; l++) {
                int corner[4] = {wedge_node(w, i, k, l), wedge_node(w, i, k + 1, l),
                                 wedge_node(w, i + 1, k + 1, l), wedge_node(w, i + 1, k, l)};
                add_quad(out, corner, i + k, l);
            }
        int back[4] = {wedge_node(w, i, m, 0), wedge_node(w, i, m, 1), wedge_node(w, i + 1, m, 1),
                       wedge_node(w, i + 1, m, 0)};
        add_quad(out, back, i, false);
    }
}

/* The two flat ends. */
static void fill_wedge_ends(const wedge *w, vo_surface_parts *out) {
    for (int end = 0; end < 2; end++) {
        int i = end * w->across;
        int tip[3] = {wedge_node(w, i, 0, 0), wedge_node(w, i, 1, 1 - end),
                      wedge_node(w, i, 1, end)};
        vo_surface_parts_add_face(out, tip[0], tip[1], tip[2]);
        for (int k = 1; k < w->deep; k++) {
            int corner[4] = {wedge_node(w, i, k, 0), wedge_node(w, i, k + 1, 0),
                             wedge_node(w, i, k + 1, 1), wedge_node(w, i, k, 1)};
            add_quad(out, corner, k, !end);
        }
    }
}

static vo_result make_blade(const vo_shape_def *def, vo_surface_parts *out) {
    wedge w = {pieces(def->size.x, def->edge_length), pieces(def->size.y, def->edge_length)};
    int nodes = (w.across + 1) * (2 * w.deep + 1);
    VO_TRY(vo_surface_parts_reserve(out, nodes, 2 * nodes));
    place_wedge(&w, def->size, out);
    out->node_count = nodes;
    fill_wedge_sides(&w, out);
    fill_wedge_ends(&w, out);
    return VO_OK;
}

/* --- bodies of revolution ----------------------------------------------------------------- */

static vo_result make_cylinder(const vo_shape_def *def, vo_surface_parts *out) {
    double r = def->radius, h = def->height / 2;
    vo_profile profile = {.count = 4, .point = {{0, -h}, {r, -h}, {r, h}, {0, h}}};
    return vo_revolve(&profile, def->edge_length, out);
}

static vo_result make_torus(const vo_shape_def *def, vo_surface_parts *out) {
    return vo_revolve_torus(def->radius, def->tube, def->edge_length, out);
}

/* The wall of a funnel. The inside runs down from the mouth (R, h) to the neck (n, 0) and the end
 * of the stem (n, -s); the outside returns at the distance t, where the cone is r = n + z (R - n) /
 * h + t l / h, with l the length of the slant. It meets the outside of the stem, r = n + t, at z =
 * t (h - l) / (R - n) < 0, unless the stem ends before. */
static vo_result make_funnel(const vo_shape_def *def, vo_surface_parts *out) {
    double R = def->radius, n = def->neck, h = def->height, s = def->stem, t = def->thickness;
    double slant = hypot(R - n, h), wall = t * slant / h, corner = t * (h - slant) / (R - n);
    vo_profile p = {.count = 4, .loop = true, .point = {{R + wall, h}, {R, h}, {n, 0}, {n, -s}}};
    if (s == 0) p.count = 3;
    if (corner > -s) {
        p.point[p.count++] = v2(n + t, -s);
        p.point[p.count++] = v2(n + t, corner);
    } else {
        p.point[p.count++] = v2(n + wall - s * (R - n) / h, -s);
    }
    return vo_revolve(&p, def->edge_length, out);
}

/* --- public function ---------------------------------------------------------------------- */

/* Dimensions of vo_shape_def that a kind requires, as bits. */
enum { RADIUS = 1, TUBE = 2, NECK = 4, HEIGHT = 8, SIZE = 16, WALL = 32 };

typedef struct shape_kind {
    const char *name;
    unsigned needs;
    vo_result (*make)(const vo_shape_def *def, vo_surface_parts *out);
} shape_kind;

/* In the order of vo_shape_kind. */
static const shape_kind kinds[] = {
    {"a sphere", RADIUS, make_sphere},
    {"a box", SIZE, make_box},
    {"a plate", SIZE, make_plate},
    {"a cylinder", RADIUS | HEIGHT, make_cylinder},
    {"a torus", RADIUS | TUBE, make_torus},
    {"a funnel", RADIUS | NECK | HEIGHT | WALL, make_funnel},
    {"a blade", SIZE, make_blade},
    {"a rabbit", HEIGHT, vo_make_rabbit},
};

vo_shape_def vo_shape_def_default(vo_shape_kind kind) { return (vo_shape_def){.kind = kind}; }

/* Description of the first invalid dimension, or NULL. */
static const char *shape_defect(const vo_shape_def *d, unsigned needs) {
    vo_vec3 s = d->size;
    if (needs & RADIUS && !vo_is_positive(d->radius)) return "radius must be positive";
    if (needs & TUBE && !vo_is_positive(d->tube)) return "tube must be positive";
    if (needs & TUBE && !(d->tube < d->radius)) return "tube must be less than radius";
    if (needs & NECK && !vo_is_positive(d->neck)) return "neck must be positive";
    if (needs & NECK && !(d->neck < d->radius)) return "neck must be less than radius";
    if (needs & HEIGHT && !vo_is_positive(d->height)) return "height must be positive";
    if (needs & WALL && !vo_is_nonnegative(d->stem)) return "stem must be at least 0";
    if (needs & WALL && !vo_is_nonnegative(d->thickness)) return "thickness must be at least 0";
    if (needs & SIZE && !(vo_is_positive(s.x) && vo_is_positive(s.y) && vo_is_positive(s.z)))
        return "size must be three positive numbers";
    return vo_is_nonnegative(d->edge_length) ? NULL : "edge_length must be at least 0";
}

/* Default edge length. */
static double default_edge_length(const vo_shape_def *d) {
    switch (d->kind) {
    case VO_SHAPE_SPHERE:
        return d->radius / 8;
    case VO_SHAPE_CYLINDER:
        return vo_min(d->radius / 4, d->height);
    case VO_SHAPE_TORUS:
        return d->tube / 2;
    case VO_SHAPE_FUNNEL:
        return d->neck / 3;
    case VO_SHAPE_RABBIT:
        return d->height / 64;
    default:
        return vo_max(d->size.x, vo_max(d->size.y, d->size.z)) / 16;
    }
}

/* Approximate upper bound on the number of faces. */
static double estimate_face_count(const vo_shape_def *d) {
    double reach = d->radius + d->tube + d->height + d->stem + d->thickness;
    if (d->kind == VO_SHAPE_FUNNEL) reach += d->thickness * (d->radius + d->height) / d->height;
    double wide = d->size.x + d->size.y + d->size.z + 7 * reach;
    return (wide / d->edge_length + 1) * (wide / d->edge_length + 1);
}

/* Replaces dimensions of 0 by their defaults. */
static vo_shape_def apply_defaults(const vo_shape_def *given, unsigned needs) {
    vo_shape_def d = {.kind = given->kind, .edge_length = given->edge_length};
    if (needs & RADIUS) d.radius = given->radius;
    if (needs & TUBE) d.tube = given->tube;
    if (needs & NECK) d.neck = given->neck;
    if (needs & HEIGHT) d.height = given->height;
    if (needs & SIZE) d.size = given->size;
    if (needs & WALL) d.stem = given->stem;
    if (needs & WALL) d.thickness = given->thickness > 0 ? given->thickness : d.neck / 5;
    if (d.edge_length == 0) d.edge_length = default_edge_length(&d);
    return d;
}

static vo_result make_mesh(const shape_kind *kind, const vo_shape_def *d, vo_surface_parts *parts,
                           vo_mesh **out) {
    VO_TRY(kind->make(d, parts));
    return vo_mesh_create(parts->ctx, parts->node_count, parts->node_x, 0, NULL, NULL,
                          parts->face_count, (const int(*)[3])parts->face, VO_MESH_FOR_OBSTACLE,
                          out);
}

vo_result vo_mesh_create_shape(vo_context *ctx, const vo_shape_def *def, vo_mesh **out) {
    *out = NULL;
    if (!def || (unsigned)def->kind >= sizeof kinds / sizeof *kinds)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "a shape needs a kind of vo_shape_kind");
    const shape_kind *kind = &kinds[def->kind];
    const char *defect = shape_defect(def, kind->needs);
    if (defect)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: %s, up to " VO_MAX_NUMBER_TEXT, kind->name,
                       defect);
    vo_shape_def settled = apply_defaults(def, kind->needs);
    if (!(estimate_face_count(&settled) < MAX_FACES))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: edge_length %g gives more than %d faces",
                       kind->name, settled.edge_length, MAX_FACES);
    vo_surface_parts parts = {.ctx = ctx};
    vo_result result = make_mesh(kind, &settled, &parts, out);
    vo_surface_parts_free(&parts);
    return result;
}
