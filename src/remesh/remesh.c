#include "remesh/remesh.h"

#include "collide/guard.h"
#include "core/memory.h"
#include "mesh/columns.h"
#include "remesh/remesh_local.h"

#include <string.h>

enum { MOST_ROUNDS = 4 }; /* of splitting and collapsing under a budget */

vo_remesh_def vo_remesh_def_default(void) {
    return (vo_remesh_def){.flip_threshold = 1e-2,
                           .collapse_below = 0.9,
                           .strain_allowed = INFINITY,
                           .face_budget = 1000000};
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct remesh_columns {
    vo_column vert[1], edge[2], node[5], face[4];
} remesh_columns;

static remesh_columns columns_of(vo_remesher *r) {
    return (remesh_columns){
        .vert = {VO_COLUMN(r->metric)},
        .edge = {VO_COLUMN(r->edge_waits), VO_COLUMN(r->edges)},
        .node = {VO_COLUMN(r->node_waits), VO_COLUMN(r->nodes), VO_COLUMN(r->round),
                 VO_COLUMN(r->node_moved), VO_COLUMN(r->node_warms)},
        .face = {VO_COLUMN(r->face_moved), VO_COLUMN(r->face_point), VO_COLUMN(r->face_watched),
                 VO_COLUMN(r->face_shift)},
    };
}

vo_result vo_remesher_create(vo_context *ctx, vo_remesher **out) {
    *out = vo_new(ctx, vo_remesher);
    if (!*out) return vo_fail_memory(ctx, "remeshing");
    (*out)->ctx = ctx;
    return VO_OK;
}

void vo_remesher_destroy(vo_remesher *r) {
    if (!r) return;
    remesh_columns c = columns_of(r);
    vo_columns_free(r->ctx, c.vert, 1, &r->vert_capacity);
    vo_columns_free(r->ctx, c.edge, 2, &r->edge_capacity);
    vo_columns_free(r->ctx, c.node, 5, &r->node_capacity);
    vo_columns_free(r->ctx, c.face, 4, &r->face_capacity);
    vo_free_array(r->ctx, r->heap, r->heap_capacity);
    vo_free_array(r->ctx, r->point, r->point_capacity);
    vo_free_array(r->ctx, r->pop, r->pop_capacity);
    vo_delete(r->ctx, r);
}

vo_result vo_remesh_follow(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    if (m->vert_capacity <= r->vert_capacity && m->edge_capacity <= r->edge_capacity &&
        m->node_capacity <= r->node_capacity && m->face_capacity <= r->face_capacity)
        return VO_OK;
    remesh_columns c = columns_of(r);
    bool room = vo_columns_reserve(r->ctx, c.vert, 1, &r->vert_capacity, m->vert_capacity) &&
                vo_columns_reserve(r->ctx, c.edge, 2, &r->edge_capacity, m->edge_capacity) &&
                vo_columns_reserve(r->ctx, c.node, 5, &r->node_capacity, m->node_capacity) &&
                vo_columns_reserve(r->ctx, c.face, 4, &r->face_capacity, m->face_capacity);
    return room ? VO_OK : vo_fail_memory(r->ctx, "remeshing");
}

/* ---- lists ----------------------------------------------------------------------------------- */

void vo_remesh_put_edge(vo_remesher *r, int edge) {
    if (r->edge_waits[edge]) return;
    r->edge_waits[edge] = 1;
    r->edges[r->edge_count++] = edge;
}

void vo_remesh_put_node(vo_remesher *r, int node) {
    if (r->node_waits[node]) return;
    r->node_waits[node] = 1;
    r->nodes[r->node_count++] = node;
}

static void put_face(vo_remesher *r, int face) {
    const vo_mesh *m = r->edit->mesh;
    for (int i = 0; i < 3; i++) {
        vo_remesh_put_edge(r, m->face_edge[face][i]);
        vo_remesh_put_node(r, vo_mesh_face_node(m, face, i));
    }
}

vo_result vo_remesh_touch(vo_remesher *r, int face) {
    put_face(r, face);
    return r->guard ? vo_guard_changed(r->guard, r->cloth, face) : VO_OK;
}

/* Everything near a vert with another metric: sizes and angles of its faces' edges, and collapses
 * of and around it. The last edge put in is the first looked at, so from last to first. */
static void put_changes(vo_remesher *r, const vo_sizing *sizing) {
    const vo_edit *e = r->edit;
    const vo_mesh *m = e->mesh;
    for (int v = m->vert_count - 1; v >= 0; v--) {
        if (!sizing->vert_changed[v]) continue;
        for (int h = e->node_half[m->vert_node[v]]; h >= 0; h = vo_half_next(e, h))
            if (vo_half_face(m, h) >= 0) put_face(r, vo_half_face(m, h));
    }
}

static void put_all(vo_remesher *r) {
    const vo_mesh *m = r->edit->mesh;
    for (int edge = m->edge_count - 1; edge >= 0; edge--) vo_remesh_put_edge(r, edge);
    for (int node = 0; node < m->node_count; node++) vo_remesh_put_node(r, node);
}

/* ---- measures -------------------------------------------------------------------------------- */

double vo_remesh_size2(const vo_remesher *r, int edge) {
    const vo_mesh *m = r->edit->mesh;
    if (r->edit->edge_line[edge] & VO_LINE_SEAM) return vo_sizing_edge_size2(m, r->metric, edge);
    int v[2];
    vo_mesh_edge_verts(m, edge, 0, v);
    return vo_metric_edge_size2(r->metric[v[0]], r->metric[v[1]],
                                v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]));
}

/* A triangle's sides from the corners a, b and c on. */
typedef struct triangle {
    vo_vec2 side[3];
    vo_sym2 metric; /* the sum of those at its corners: in it, ... */
    double area;    /* ... twice the area */
} triangle;

static triangle triangle_of(const vo_remesher *r, int a, int b, int c) {
    const vo_vec2 *u = r->edit->mesh->vert_u;
    triangle t = {.side = {v2_sub(u[b], u[a]), v2_sub(u[c], u[b]), v2_sub(u[a], u[c])}};
    t.metric = sym2_add(sym2_add(r->metric[a], r->metric[b]), r->metric[c]);
    t.area = v2_cross(t.side[0], t.side[1]) * sqrt(sym2_det(t.metric));
    return t;
}

double vo_remesh_cotangent(const vo_remesher *r, int a, int b, int c) {
    triangle t = triangle_of(r, a, b, c);
    if (!(t.area > 0)) return INFINITY;
    double dot = 0;
    for (int i = 0; i < 3; i++)
        dot = vo_max(dot, -sym2_dot(t.metric, t.side[i], t.side[vo_after(i)]));
    return dot / t.area;
}

double vo_remesh_aspect(const vo_remesher *r, int a, int b, int c) {
    triangle t = triangle_of(r, a, b, c);
    double perimeter = 0;
    if (!(t.area > 0)) return 0;
    for (int i = 0; i < 3; i++) perimeter += sqrt(sym2_dot(t.metric, t.side[i], t.side[i]));
    return 6 * sqrt(3) * t.area / (perimeter * perimeter);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static vo_result prepare(vo_remesher *r, const vo_sizing *sizing) {
    const vo_mesh *m = r->edit->mesh;
    VO_TRY(vo_remesh_follow(r));
    memset(r->edge_waits, 0, (size_t)r->edge_capacity);
    memset(r->node_waits, 0, (size_t)r->node_capacity);
    memcpy(r->metric, sizing->vert, (size_t)m->vert_count * sizeof *r->metric);
    r->edge_count = r->node_count = r->heap_count = 0;
    vo_pop_begin(r);
    vo_watch_begin(r);
    vo_calm_begin(r);
    if (sizing->changed_verts >= m->vert_count)
        put_all(r);
    else
        put_changes(r, sizing);
    return VO_OK;
}

static int faces_left(const vo_remesher *r) {
    return r->def.face_budget - r->edit->mesh->face_count + r->edit->hole_count[VO_REMAP_FACE];
}

/* Collapses may make room for splits that the budget did not allow. */
static vo_result run(vo_remesher *r) {
    VO_TRY(vo_remesh_flip(r));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        int splits = r->report.splits;
        r->report.budget_met = true;
        VO_TRY(vo_remesh_split(r));
        VO_TRY(vo_remesh_collapse(r));
        if (r->report.budget_met || faces_left(r) < 2) break;
        if (round > 0 && r->report.splits == splits) break;
    }
    return VO_OK;
}

double vo_remesh_strain(const vo_mesh *m, int a, int b, int c) {
    vo_vec2 u1 = v2_sub(m->vert_u[b], m->vert_u[a]), u2 = v2_sub(m->vert_u[c], m->vert_u[a]);
    vo_vec3 origin = m->node_x[m->vert_node[a]];
    vo_vec3 x1 = v3_sub(m->node_x[m->vert_node[b]], origin);
    vo_vec3 x2 = v3_sub(m->node_x[m->vert_node[c]], origin);
    vo_mat2 inverse = m2_inverse((vo_mat2){u1.x, u2.x, u1.y, u2.y});
    vo_svd32 s = vo_mat32_svd(m32_mul_m2(x1, x2, inverse));
    return vo_max(fabs(s.stretch[0] - 1), fabs(s.stretch[1] - 1));
}

vo_result vo_remesh_edits(vo_remesher *r, const vo_remesh_def *def, vo_edit *edit,
                          const vo_sizing *sizing, vo_guard *guard, int cloth,
                          vo_remesh_report *out) {
    VO_REQUIRE(r->ctx, sizing->mesh == edit->mesh && sizing->topology == edit->mesh->topology);
    *out = (vo_remesh_report){.budget_met = true};
    r->pop_count = 0;
    if (!edit->fresh || sizing->changed_verts > 0) VO_TRY(vo_edit_begin(edit));
    if (sizing->changed_verts == 0) return VO_OK;
    r->def = *def;
    r->edit = edit;
    r->guard = guard;
    r->cloth = cloth;
    r->report = *out;
    VO_TRY(prepare(r, sizing));
    VO_TRY(run(r));
    vo_calm_finish(r);
    VO_TRY(vo_pop_finish(r));
    *out = r->report;
    return VO_OK;
}

vo_result vo_remesh(vo_remesher *r, const vo_remesh_def *def, vo_edit *edit,
                    const vo_sizing *sizing, vo_guard *guard, int cloth, vo_remesh_report *out) {
    VO_TRY(vo_remesh_edits(r, def, edit, sizing, guard, cloth, out));
    return vo_edit_finish(edit);
}
