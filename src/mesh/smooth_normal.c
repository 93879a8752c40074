#include "mesh/smooth_normal.h"

#include "core/memory.h"

#include <string.h>

/* ---- sectors --------------------------------------------------------------------------------- */

static bool is_crease(const vo_mesh *m, int edge) { return m->edge_label[edge] != 0; }

static bool is_end(const vo_mesh *m, int edge) {
    return m->edge_face[edge][1] < 0 || is_crease(m, edge);
}

static int find_root(int *parent, int at) {
    while (parent[at] != at) {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    return at;
}

/* The smaller number becomes the root. */
static void join(int *parent, int a, int b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[vo_max_int(a, b)] = vo_min_int(a, b);
}

static int corner_number(const vo_mesh *m, int edge, int side, int end) {
    return 3 * m->edge_face[edge][side] + vo_smooth_corner(m, edge, side, end);
}

/* Joins corners over the edges that do not end a sector, then numbers what is left. */
static void number_sectors(vo_smooth *s) {
    const vo_mesh *m = s->mesh;
    int *parent = s->sector[0], corners = 3 * s->face_count;
    for (int c = 0; c < corners; c++) parent[c] = c;
    for (int e = 0; e < m->edge_count; e++)
        for (int end = 0; end < 2 && !is_end(m, e); end++)
            join(parent, corner_number(m, e, 0, end), corner_number(m, e, 1, end));
    s->sector_count = 0;
    for (int c = 0; c < corners; c++) parent[c] = find_root(parent, c);
    for (int c = 0; c < corners; c++)
        parent[c] = parent[c] == c ? s->sector_count++ : parent[parent[c]];
}

/* ---- normals from faces ---------------------------------------------------------------------- */

/* Max 1999, eq. 5: a face counts by sin(angle) / (|a| |b|), that is a x b / (|a|^2 |b|^2). */
static void add_face(vo_smooth *s, int face) {
    const vo_mesh *m = s->mesh;
    for (int i = 0; i < 3; i++) {
        vo_vec3 x = m->node_x[vo_mesh_face_node(m, face, i)];
        vo_vec3 a = v3_sub(m->node_x[vo_mesh_face_node(m, face, (i + 1) % 3)], x);
        vo_vec3 b = v3_sub(m->node_x[vo_mesh_face_node(m, face, (i + 2) % 3)], x);
        double weight = v3_length2(a) * v3_length2(b);
        if (!(weight > 0)) continue;
        vo_vec3 *n = &s->normal[s->sector[face][i]];
        *n = v3_add_scaled(*n, 1 / weight, v3_cross(a, b));
    }
}

static vo_vec3 unit_or_zero(vo_vec3 n) {
    double length = v3_length(n);
    return length > 0 && isfinite(length) ? v3_scale(1 / length, n) : v3_zero();
}

/* ---- extrapolation --------------------------------------------------------------------------- */

enum { KNOWN, OPEN, ASKED };

/* Least squares for the tilt of an open sector's normal: two angles, about axes in its plane. */
typedef struct tilt {
    vo_vec3 axis[2];
    vo_sym2 a;
    vo_vec2 b;
} tilt;

typedef struct extrapolation {
    vo_smooth *smooth;
    uint8_t *state; /* [sector_count] */
    tilt *tilt;     /* [sector_count] */
} extrapolation;

static void mark_open(extrapolation *x) {
    const vo_smooth *s = x->smooth;
    const vo_mesh *m = s->mesh;
    for (int e = 0; e < m->edge_count; e++) {
        if (!is_end(m, e)) continue;
        for (int side = 0; side < 2 && m->edge_face[e][side] >= 0; side++)
            for (int end = 0; end < 2; end++) {
                int corner = vo_smooth_corner(m, e, side, end);
                x->state[s->sector[m->edge_face[e][side]][corner]] = OPEN;
            }
    }
}

/* Two unit vectors across a unit vector (Duff et al., JCGT 6(1), 2017). */
static void find_axes(vo_vec3 n, vo_vec3 axis[2]) {
    double sign = copysign(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    axis[0] = v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    axis[1] = v3(b, sign + n.y * n.y * a, -n.y);
}

/* (n + tilt + known) . d = 0 */
static void add_condition(extrapolation *x, int sector, int known, vo_vec3 d) {
    tilt *t = &x->tilt[sector];
    const vo_vec3 *normal = x->smooth->normal;
    double rest = -v3_dot(v3_add(normal[sector], normal[known]), d);
    vo_vec2 p = v2(v3_dot(t->axis[0], d), v3_dot(t->axis[1], d));
    t->a.xx += p.x * p.x, t->a.xy += p.x * p.y, t->a.yy += p.y * p.y;
    t->b = v2_add(t->b, v2_scale(rest, p));
    x->state[sector] = ASKED;
}

/* What an edge, as one of its faces has it, says of the sectors at its ends. */
static void ask_side(extrapolation *x, int edge, int side) {
    const vo_smooth *s = x->smooth;
    const vo_mesh *m = s->mesh;
    int face = m->edge_face[edge][side], sector[2];
    for (int end = 0; end < 2; end++)
        sector[end] = s->sector[face][vo_smooth_corner(m, edge, side, end)];
    vo_vec3 d =
        v3_normalize(v3_sub(m->node_x[m->edge_node[edge][1]], m->node_x[m->edge_node[edge][0]]));
    for (int end = 0; end < 2; end++)
        if (x->state[sector[end]] != KNOWN && x->state[sector[1 - end]] == KNOWN)
            add_condition(x, sector[end], sector[1 - end], d);
}

/* The shortest tilt that satisfies them best, and no more than 45 degrees. */
static void turn(extrapolation *x, int sector) {
    const tilt *t = &x->tilt[sector];
    vo_vec3 *n = &x->smooth->normal[sector];
    double little = 1e-6 * (t->a.xx + t->a.yy);
    double xx = t->a.xx + little, yy = t->a.yy + little, det = xx * yy - t->a.xy * t->a.xy;
    if (!(det > 0)) return;
    vo_vec2 p = v2((yy * t->b.x - t->a.xy * t->b.y) / det, (xx * t->b.y - t->a.xy * t->b.x) / det);
    double size = v2_length(p);
    if (size > 1) p = v2_scale(1 / size, p);
    *n = v3_normalize(v3_add_scaled(v3_add_scaled(*n, p.x, t->axis[0]), p.y, t->axis[1]));
}

/* From the sectors that are known to those beside them. */
static void spread(extrapolation *x) {
    const vo_mesh *m = x->smooth->mesh;
    int sectors = x->smooth->sector_count;
    for (int i = 0; i < sectors; i++) {
        x->tilt[i] = (tilt){0};
        find_axes(x->smooth->normal[i], x->tilt[i].axis);
    }
    for (int e = 0; e < m->edge_count; e++) {
        ask_side(x, e, 0);
        if (m->edge_face[e][1] >= 0 && is_crease(m, e)) ask_side(x, e, 1);
    }
    for (int i = 0; i < sectors; i++) {
        if (x->state[i] != ASKED) continue;
        turn(x, i);
        x->state[i] = KNOWN;
    }
}

/* Twice: a corner of the fabric has neighbours on the border only. */
static vo_result extrapolate(vo_smooth *s) {
    vo_context *ctx = s->ctx;
    size_t count = (size_t)s->sector_count;
    extrapolation x = {
        .smooth = s, .state = vo_alloc_zero(ctx, count), .tilt = vo_new_array(ctx, tilt, count)};
    bool ok = x.state && x.tilt;
    if (ok) {
        mark_open(&x);
        spread(&x);
        spread(&x);
    }
    vo_free(ctx, x.state, count);
    vo_free_array(ctx, x.tilt, count);
    return ok ? VO_OK : vo_fail_memory(ctx, "a smooth surface");
}

vo_result vo_smooth_find_normals(vo_smooth *s) {
    s->sector = vo_alloc(s->ctx, vo_array_bytes((size_t)s->face_count, sizeof *s->sector));
    if (!s->sector) return vo_fail_memory(s->ctx, "a smooth surface");
    number_sectors(s);
    size_t bytes = vo_array_bytes((size_t)s->sector_count, sizeof *s->normal);
    s->normal = vo_alloc_zero(s->ctx, bytes);
    if (!s->normal) return vo_fail_memory(s->ctx, "a smooth surface");
    for (int f = 0; f < s->face_count; f++) add_face(s, f);
    for (int i = 0; i < s->sector_count; i++) s->normal[i] = unit_or_zero(s->normal[i]);
    return extrapolate(s);
}
