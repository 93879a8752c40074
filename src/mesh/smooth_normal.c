#include "mesh/smooth_normal.h"

#include "core/memory.h"
#include "core/union_find.h"

/* ---- sectors --------------------------------------------------------------------------------- */

static bool is_end(const vo_mesh *m, int edge) {
    return m->edge_face[edge][1] < 0 || vo_smooth_is_crease(m, edge);
}

static int corner_number(const vo_mesh *m, int edge, int side, int end) {
    return 3 * m->edge_face[edge][side] + vo_smooth_corner(m, edge, side, end);
}

/* Joins corners across edges that do not end a sector, then numbers the sectors. */
static void number_sectors(vo_smooth *s) {
    const vo_mesh *m = s->mesh;
    int *parent = s->sector[0], corners = 3 * s->face_count;
    for (int c = 0; c < corners; c++) parent[c] = c;
    for (int e = 0; e < m->edge_count; e++)
        for (int end = 0; end < 2 && !is_end(m, e); end++)
            vo_union_find_join(parent, corner_number(m, e, 0, end), corner_number(m, e, 1, end));
    s->sector_count = 0;
    for (int c = 0; c < corners; c++) parent[c] = vo_union_find_root(parent, c);
    for (int c = 0; c < corners; c++)
        parent[c] = parent[c] == c ? s->sector_count++ : parent[parent[c]];
}

/* ---- normals from faces ---------------------------------------------------------------------- */

/* Max 1999, eq. 5: the weight of a face is sin(angle) / (|a| |b|), that is a x b / (|a|^2 |b|^2).
 */
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

/* Computes the limits: the deviation of a sector's face normals from its own normal. */
static void compute_limits(vo_normals *x) {
    vo_smooth *s = x->smooth;
    for (int f = 0; f < s->face_count; f++) {
        vo_vec3 normal = unit_or_zero(vo_mesh_face_normal(s->mesh, f));
        for (int i = 0; i < 3; i++) {
            int sector = s->sector[f][i];
            double apart = v3_distance(normal, s->normal[sector]);
            x->limit[sector] = vo_max(x->limit[sector], apart);
        }
    }
}

static void find_face_normals(vo_normals *x) {
    vo_smooth *s = x->smooth;
    for (int f = 0; f < s->face_count; f++) add_face(s, f);
    for (int i = 0; i < s->sector_count; i++) {
        s->normal[i] = unit_or_zero(s->normal[i]);
        x->base[i] = s->normal[i];
    }
    compute_limits(x);
}

static void mark_open(vo_normals *x) {
    const vo_smooth *s = x->smooth;
    const vo_mesh *m = s->mesh;
    for (int e = 0; e < m->edge_count; e++) {
        if (!is_end(m, e)) continue;
        for (int side = 0; side < 2 && m->edge_face[e][side] >= 0; side++)
            for (int end = 0; end < 2; end++) {
                int corner = vo_smooth_corner(m, e, side, end);
                x->state[s->sector[m->edge_face[e][side]][corner]] = VO_SECTOR_OPEN;
            }
    }
}

/* ---- driver ---------------------------------------------------------------------------------- */

static bool allocate(vo_normals *x, size_t count) {
    vo_context *ctx = x->smooth->ctx;
    x->state = vo_alloc_zero(ctx, count);
    x->base = vo_new_array(ctx, vo_vec3, count);
    x->limit = vo_alloc_zero(ctx, vo_array_bytes(count, sizeof *x->limit));
    x->tilt = vo_new_array(ctx, vo_tilt, count);
    return x->state && x->base && x->limit && x->tilt;
}

static vo_result find_normals(vo_smooth *s) {
    vo_context *ctx = s->ctx;
    size_t count = (size_t)s->sector_count;
    vo_normals x = {.smooth = s};
    bool ok = allocate(&x, count);
    if (ok) {
        find_face_normals(&x);
        mark_open(&x);
        vo_normals_improve(&x);
    }
    vo_free(ctx, x.state, count);
    vo_free_array(ctx, x.base, count);
    vo_free_array(ctx, x.limit, count);
    vo_free_array(ctx, x.tilt, count);
    return ok ? VO_OK : vo_fail_memory(ctx, "a smooth surface");
}

vo_result vo_smooth_find_normals(vo_smooth *s) {
    s->sector = vo_alloc(s->ctx, vo_array_bytes((size_t)s->face_count, sizeof *s->sector));
    if (!s->sector) return vo_fail_memory(s->ctx, "a smooth surface");
    number_sectors(s);
    s->normal = vo_alloc_zero(s->ctx, vo_array_bytes((size_t)s->sector_count, sizeof *s->normal));
    if (!s->normal) return vo_fail_memory(s->ctx, "a smooth surface");
    return find_normals(s);
}
