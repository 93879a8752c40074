#include "remesh/sizing.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "mesh/columns.h"

#include <string.h>

enum { GRAIN = 256 };
enum { NODE_MOVED = 1, NODE_TURNED = 2 };  /* the inputs, the normal changed */
enum { FACE_MOVED = 1, FACE_CHANGED = 2 }; /* a corner moved; the metric changed */

/* ---- settings ------------------------------------------------------------------------------- */

vo_sizing_def vo_sizing_def_default(void) {
    return (vo_sizing_def){.refine_angle = INFINITY,
                           .refine_velocity = INFINITY,
                           .refine_compression = INFINITY,
                           .rib_stiffening = 1,
                           .size_max = INFINITY,
                           .obstacle_range = INFINITY,
                           .view_size_max = INFINITY};
}

/* 1 / limit^2; 0 for an infinite limit. Limits are clamped to at least 1e-6. */
static double inverse_square(double limit) {
    if (!isfinite(limit)) return 0;
    limit = vo_max(limit, 1e-6);
    return 1 / (limit * limit);
}

static vo_sizing_weights make_weights(const vo_sizing_def *def) {
    vo_sizing_weights w = {.hinge_sum = def->hinge_sum,
                           .angle = inverse_square(def->refine_angle),
                           .velocity = inverse_square(def->refine_velocity),
                           .compression = INFINITY,
                           .rib = vo_max(def->rib_stiffening, 0),
                           .min_height = 1e-6,
                           .max_height = def->obstacle_range};
    if (isfinite(def->refine_compression)) w.compression = vo_max(def->refine_compression, 1e-6);
    if (isfinite(def->obstacle_range)) w.min_height = vo_max(1e-3 * def->obstacle_range, 1e-6);
    return w;
}

/* Drift of a node, m, that changes the size^2 of an edge by about `tolerance` through any term: the
 * angle between two of the smallest faces; the strain of the largest face; the height above an
 * obstacle at a tenth of obstacle_range, where contact begins. */
static double move_tolerance(const vo_sizing_def *def) {
    double move = INFINITY, c = def->refine_compression;
    if (isfinite(def->refine_angle))
        move = vo_min(move, def->size_min > 0 ? def->refine_angle * def->size_min / 4 : 0);
    if (isfinite(c)) move = vo_min(move, isfinite(def->size_max) ? c * c / (2 * def->size_max) : 0);
    if (isfinite(def->obstacle_range)) move = vo_min(move, def->obstacle_range / 20);
    return def->tolerance > 0 ? def->tolerance * move : 0;
}

void vo_sizing_set(vo_sizing *s, const vo_sizing_def *def) {
    s->def = *def;
    s->weights = make_weights(def);
    s->limits = vo_metric_limits_make(def->size_min, def->size_max, def->aspect_min);
    s->view_limits = vo_metric_limits_make(def->size_min, def->view_size_max, def->aspect_min);
    s->view_limits.min_eigenvalue = vo_min(s->view_limits.min_eigenvalue, s->limits.min_eigenvalue);
    s->move_tolerance = move_tolerance(def);
    s->speed_tolerance = def->tolerance > 0 ? def->tolerance * def->refine_velocity / 4 : 0;
    vo_sizing_invalidate(s);
}

void vo_sizing_init(vo_sizing *s, vo_context *ctx, const vo_sizing_def *def) {
    *s = (vo_sizing){.ctx = ctx};
    vo_sizing_set(s, def);
}

void vo_sizing_invalidate(vo_sizing *s) { s->known = false; }

/* ---- memory and topology -------------------------------------------------------------------- */

enum { NODE_COLUMNS = 4, VERT_COLUMNS = 2, EDGE_COLUMNS = 1, FACE_COLUMNS = 8, MAX_COLUMNS = 8 };

static void node_columns(vo_sizing *s, vo_column column[NODE_COLUMNS]) {
    column[0] = VO_COLUMN(s->ring_begin);
    column[1] = VO_COLUMN(s->node);
    column[2] = VO_COLUMN(s->node_normal);
    column[3] = VO_COLUMN(s->node_mark);
}

static void vert_columns(vo_sizing *s, vo_column column[VERT_COLUMNS]) {
    column[0] = VO_COLUMN(s->vert);
    column[1] = VO_COLUMN(s->vert_changed);
}

static void face_columns(vo_sizing *s, vo_column column[FACE_COLUMNS]) {
    column[0] = VO_COLUMN(s->face);
    column[1] = VO_COLUMN(s->face_normal);
    column[2] = VO_COLUMN(s->face_area);
    column[3] = VO_COLUMN(s->face_own);
    column[4] = VO_COLUMN(s->face_factor);
    column[5] = VO_COLUMN(s->face_bound);
    column[6] = VO_COLUMN(s->face_mark);
    column[7] = VO_OPTIONAL_COLUMN(s->face_plastic);
}

void vo_sizing_free(vo_sizing *s) {
    vo_column column[MAX_COLUMNS];
    node_columns(s, column);
    vo_columns_free(s->ctx, column, NODE_COLUMNS, &s->node_capacity);
    vert_columns(s, column);
    vo_columns_free(s->ctx, column, VERT_COLUMNS, &s->vert_capacity);
    face_columns(s, column);
    vo_columns_free(s->ctx, column, FACE_COLUMNS, &s->face_capacity);
    vo_free_array(s->ctx, s->edge_angle, s->edge_capacity);
    vo_free_array(s->ctx, s->ring, s->ring_capacity);
    vo_free_array(s->ctx, s->chunk_marks, s->chunk_capacity);
    vo_free_array(s->ctx, s->chunk_area, s->area_capacity);
    *s = (vo_sizing){.ctx = s->ctx};
}

static bool reserve(vo_sizing *s, const vo_mesh *m) {
    vo_column nodes[NODE_COLUMNS], verts[VERT_COLUMNS], faces[FACE_COLUMNS];
    node_columns(s, nodes);
    vert_columns(s, verts);
    face_columns(s, faces);
    int max_count = vo_max_int(vo_max_int(m->node_count, m->vert_count),
                               vo_max_int(m->edge_count, m->face_count));
    bool plastic = s->def.plastic && m->face_curvature;
    return vo_columns_reserve(s->ctx, nodes, NODE_COLUMNS, &s->node_capacity, m->node_count + 1) &&
           vo_columns_reserve(s->ctx, verts, VERT_COLUMNS, &s->vert_capacity, m->vert_count) &&
           vo_columns_reserve(s->ctx, faces, FACE_COLUMNS, &s->face_capacity, m->face_count) &&
           vo_reserve(s->ctx, &s->edge_angle, &s->edge_capacity, m->edge_count) &&
           vo_reserve(s->ctx, &s->ring, &s->ring_capacity, 3 * m->face_count) &&
           vo_reserve(s->ctx, &s->chunk_marks, &s->chunk_capacity,
                      vo_chunk_count(max_count, GRAIN)) &&
           vo_reserve(s->ctx, &s->chunk_area, &s->area_capacity,
                      vo_chunk_count(max_count, GRAIN)) &&
           (!plastic || s->face_plastic || s->face_capacity == 0 ||
            vo_column_enable(s->ctx, faces[FACE_COLUMNS - 1], s->face_capacity));
}

/* Sorts the corners by node, and those of a node by face. */
static void build_rings(vo_sizing *s, const vo_mesh *m) {
    int *begin = s->ring_begin, corners = 3 * m->face_count;
    memset(begin, 0, ((size_t)m->node_count + 1) * sizeof *begin);
    for (int c = 0; c < corners; c++) begin[vo_mesh_face_node(m, c / 3, c % 3) + 1]++;
    for (int n = 0; n < m->node_count; n++) begin[n + 1] += begin[n];
    /* Filling advances each offset to its end, which is the next offset. */
    for (int c = 0; c < corners; c++) s->ring[begin[vo_mesh_face_node(m, c / 3, c % 3)]++] = c;
    memmove(begin + 1, begin, (size_t)m->node_count * sizeof *begin);
    begin[0] = 0;
}

static bool is_same_mesh(const vo_sizing *s, const vo_mesh *m) {
    return s->mesh == m && s->topology == m->topology && s->node_count == m->node_count &&
           s->vert_count == m->vert_count && s->edge_count == m->edge_count &&
           s->face_count == m->face_count;
}

/* Reserves memory and rebuilds the rings if the topology is new. */
static vo_result update_topology(vo_sizing *s, const vo_mesh *m) {
    if (!is_same_mesh(s, m)) s->known = false;
    if (s->known) return VO_OK;
    s->mesh = NULL;
    if (!reserve(s, m)) return vo_fail_memory(s->ctx, "the sizing field");
    build_rings(s, m);
    s->mesh = m;
    s->topology = m->topology;
    s->node_count = m->node_count;
    s->vert_count = m->vert_count;
    s->edge_count = m->edge_count;
    s->face_count = m->face_count;
    return VO_OK;
}

/* ---- passes --------------------------------------------------------------------------------- */

typedef struct sizing_pass {
    vo_sizing *s;
    const vo_mesh *m;
    vo_sizing_input in;
} sizing_pass;

/* Runs a pass over `count` elements; returns the number of marks that it set. */
static int run_pass(sizing_pass *pass, int count, vo_loop_fn *body) {
    int sum = 0;
    vo_parallel_for(pass->s->ctx, count, GRAIN, body, pass);
    for (int c = 0; c < vo_chunk_count(count, GRAIN); c++) sum += pass->s->chunk_marks[c];
    return sum;
}

/* True if two points are equal within a tolerance, or both NaN. */
static bool is_same(vo_vec3 a, vo_vec3 b, double tolerance) {
    if (isnan(a.x) || isnan(b.x)) return isnan(a.x) && isnan(b.x);
    return fabs(a.x - b.x) <= tolerance && fabs(a.y - b.y) <= tolerance &&
           fabs(a.z - b.z) <= tolerance;
}

/* Nodes: stores inputs that changed. */
static void store_inputs(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    int marks = 0;
    for (int n = begin; n < end; n++) {
        vo_sizing_node now = {p->m->node_x[n], p->m->node_v[n],
                              p->in.nearest ? p->in.nearest[n] : v3(NAN, NAN, NAN)};
        const vo_sizing_node *old = &s->node[n];
        s->node_mark[n] = 0;
        if (s->known && is_same(now.x, old->x, s->move_tolerance) &&
            is_same(now.v, old->v, s->speed_tolerance) &&
            is_same(now.nearest, old->nearest, s->move_tolerance))
            continue;
        s->node[n] = now;
        s->node_mark[n] = NODE_MOVED;
        marks++;
    }
    s->chunk_marks[chunk] = marks;
}

static void gather_x(const sizing_pass *p, int face, vo_vec3 x[3]) {
    for (int i = 0; i < 3; i++) x[i] = p->s->node[vo_mesh_face_node(p->m, face, i)].x;
}

/* Faces: updates the normal of a face with a moved corner; areas after a topology change. */
static void update_face_normals(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    s->chunk_marks[chunk] = 0;
    for (int f = begin; f < end; f++) {
        int moved = 0;
        for (int i = 0; i < 3; i++) moved |= s->node_mark[vo_mesh_face_node(p->m, f, i)];
        s->face_mark[f] = moved ? FACE_MOVED : 0;
        if (!moved) continue;
        vo_vec3 x[3];
        gather_x(p, f, x);
        s->face_normal[f] = v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]));
        if (!s->known) s->face_area[f] = vo_mesh_face_area(p->m, f);
    }
}

/* Weight of the face normal at corner i; the result is exact for nodes on a sphere (Max 1999,
 * "Weights for computing vertex normals from facet normals"). 0 if a side has no length. */
static double normal_weight(const vo_vec3 x[3], int i) {
    double sides =
        v3_length2(v3_sub(x[(i + 1) % 3], x[i])) * v3_length2(v3_sub(x[(i + 2) % 3], x[i]));
    return sides > 0 ? 1 / sides : 0;
}

static vo_vec3 node_normal(const sizing_pass *p, int node) {
    const vo_sizing *s = p->s;
    vo_vec3 sum = v3_zero();
    for (int r = s->ring_begin[node]; r < s->ring_begin[node + 1]; r++) {
        int f = s->ring[r] / 3, i = s->ring[r] % 3;
        vo_vec3 x[3];
        gather_x(p, f, x);
        sum = v3_add_scaled(sum, normal_weight(x, i), s->face_normal[f]);
    }
    return v3_is_finite(sum) ? v3_normalize(sum) : v3_zero();
}

/* Nodes: updates the normal of a node with a moved face. */
static void update_node_normals(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    s->chunk_marks[chunk] = 0;
    for (int n = begin; n < end; n++) {
        int moved = 0;
        for (int r = s->ring_begin[n]; r < s->ring_begin[n + 1]; r++)
            moved |= s->face_mark[s->ring[r] / 3];
        if (!moved) continue;
        s->node_mark[n] |= NODE_TURNED;
        s->node_normal[n] = node_normal(p, n);
    }
}

/* Edges: updates the angle of an edge with a moved face (as vo_hinge_angle, from the stored
 * inputs). */
static void update_edge_angles(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    s->chunk_marks[chunk] = 0;
    for (int e = begin; e < end; e++) {
        const int *face = p->m->edge_face[e], *node = p->m->edge_node[e];
        if (face[1] < 0) {
            s->edge_angle[e] = 0;
            continue;
        }
        if (!(s->face_mark[face[0]] | s->face_mark[face[1]])) continue;
        vo_vec3 along = v3_normalize(v3_sub(s->node[node[1]].x, s->node[node[0]].x));
        vo_vec3 n0 = s->face_normal[face[0]], n1 = s->face_normal[face[1]];
        s->edge_angle[e] = atan2(v3_dot(along, v3_cross(n0, n1)), v3_dot(n0, n1));
    }
}

/* Opposite corner of the neighbour across a side, in the frame of the side: on a seam its material
 * space is rotated against that of the face. */
static vo_vec2 find_flap(const vo_mesh *m, int face, int i) {
    int edge = m->face_edge[face][i], side = m->edge_face[edge][0] == face, v[2];
    if (m->edge_face[edge][side] < 0) return v2(0, 0);
    vo_mesh_edge_verts(m, edge, side, v);
    /* This face crosses the edge from end 0 to end 1 if the neighbour is on side 1. */
    vo_vec2 from = m->vert_u[v[1 - side]], along = v2_sub(m->vert_u[v[side]], from);
    vo_vec2 arm = v2_sub(m->vert_u[vo_mesh_edge_opposite(m, edge, side)], from);
    double length2 = v2_dot(along, along);
    return v2(v2_dot(along, arm) / length2, v2_cross(arm, along) / sqrt(length2));
}

static void gather_face(const sizing_pass *p, int face, vo_sizing_face *out) {
    const vo_sizing *s = p->s;
    const vo_mesh *m = p->m;
    for (int i = 0; i < 3; i++) {
        int vert = m->face_vert[face][i], node = m->vert_node[vert];
        out->u[i] = m->vert_u[vert];
        out->x[i] = s->node[node].x;
        out->v[i] = s->node[node].v;
        out->nearest[i] = s->node[node].nearest;
        out->normal[i] = s->node_normal[node];
        out->flap[i] = find_flap(m, face, i);
        out->angle[i] = s->edge_angle[m->face_edge[face][i]];
    }
    out->plastic = s->face_plastic ? s->face_plastic[face] : NULL;
}

/* Metric of a face without the view. */
static vo_sym2 own_metric(const sizing_pass *p, int face) {
    vo_sizing_face gathered;
    vo_sym2 term[VO_SIZING_TERMS], sum = {0};
    gather_face(p, face, &gathered);
    vo_sizing_terms(&p->s->weights, &gathered, term);
    for (int i = 0; i < VO_SIZING_TERMS; i++) sum = sym2_add(sum, term[i]);
    if (!p->s->def.combine_sum) sum = vo_metric_max(VO_SIZING_TERMS, term);
    return vo_metric_limit(&p->s->limits, sum);
}

/* Stores the plastic curvature; true if it changed. */
static bool store_plastic(const sizing_pass *p, int face) {
    if (!p->s->face_plastic) return false;
    static const double none[4];
    const double *now =
        p->m->face_curvature && p->s->def.plastic ? p->m->face_curvature[face] : none;
    double *kept = p->s->face_plastic[face];
    bool changed = memcmp(kept, now, sizeof none) != 0;
    memcpy(kept, now, sizeof none);
    return changed;
}

/* Stores view factor and bound; true if they changed. */
static bool store_view(const sizing_pass *p, int face) {
    vo_sizing *s = p->s;
    double factor = p->in.view_factor ? p->in.view_factor[face] : 1;
    vo_sym2 bound = p->in.view_bound ? p->in.view_bound[face] : sym2_diagonal(INFINITY);
    if (!(factor >= 0 && factor <= 1)) factor = 1;
    if (!sym2_is_finite(bound)) bound = sym2_diagonal(INFINITY);
    bool changed = factor != s->face_factor[face] || !sym2_equal(bound, s->face_bound[face]);
    s->face_factor[face] = factor;
    s->face_bound[face] = bound;
    return changed;
}

static vo_sym2 scaled_bound(const vo_sizing *s, int face, double scale) {
    vo_sym2 bound = s->face_bound[face];
    return isinf(bound.xx) ? bound : sym2_scale(scale, bound);
}

/* Metric of a face with the view: M nu^2 (eq. 2), then the screen bound (eqs. 5 to 8). */
static vo_sym2 view_metric(const vo_sizing *s, int face, vo_sym2 bound) {
    double factor = s->face_factor[face];
    vo_sym2 m = s->face_own[face];
    if (factor == 1 && isinf(bound.xx)) return m;
    m = vo_metric_bound(sym2_scale(factor * factor, m), bound);
    return vo_metric_limit(&s->view_limits, m);
}

/* Faces: recomputes the terms if a corner normal changed, then applies the view. */
static void measure_faces(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    int visited = 0;
    for (int f = begin; f < end; f++) {
        int turned = store_plastic(p, f) || !s->known;
        bool view = store_view(p, f) || !s->known;
        for (int i = 0; i < 3; i++)
            turned |= s->node_mark[vo_mesh_face_node(p->m, f, i)] & NODE_TURNED;
        s->face_mark[f] = 0;
        if (!turned && !view) continue;
        visited += turned != 0;
        if (turned) s->face_own[f] = own_metric(p, f);
        vo_sym2 seen = view_metric(s, f, s->face_bound[f]);
        if (s->known && sym2_equal(seen, s->face[f])) continue;
        s->face[f] = seen;
        s->face_mark[f] = FACE_CHANGED;
    }
    s->chunk_marks[chunk] = visited;
}

/* Area-weighted mean over the faces of the vert. */
static vo_sym2 mean_metric(const sizing_pass *p, int vert) {
    const vo_sizing *s = p->s;
    int node = p->m->vert_node[vert];
    vo_sym2 sum = {0};
    double area = 0;
    for (int r = s->ring_begin[node]; r < s->ring_begin[node + 1]; r++) {
        int f = s->ring[r] / 3, i = s->ring[r] % 3;
        if (p->m->face_vert[f][i] != vert) continue;
        double a = s->face_area[f] > 0 ? s->face_area[f] : 0;
        sum = sym2_add(sum, sym2_scale(a, s->face[f]));
        area += a;
    }
    vo_sym2 mean = sym2_scale(1 / area, sum);
    bool usable = area > 0 && sym2_is_finite(mean) && mean.xx > 0 && sym2_det(mean) > 0;
    return usable ? mean : sym2_diagonal(s->limits.min_eigenvalue);
}

/* Verts: recomputes the mean if an incident face changed. */
static void average_verts(void *arg, int begin, int end, int chunk) {
    sizing_pass *p = arg;
    vo_sizing *s = p->s;
    int marks = 0;
    for (int v = begin; v < end; v++) {
        int changed = !s->known, node = p->m->vert_node[v];
        for (int r = s->ring_begin[node]; r < s->ring_begin[node + 1]; r++)
            changed |= s->face_mark[s->ring[r] / 3];
        s->vert_changed[v] = 0;
        if (!changed) continue;
        vo_sym2 mean = mean_metric(p, v);
        if (s->known && sym2_equal(mean, s->vert[v])) continue;
        s->vert[v] = mean;
        s->vert_changed[v] = 1;
        marks++;
    }
    s->chunk_marks[chunk] = marks;
}

/* Clears the results of the last update when nothing changed. */
static void clear_results(vo_sizing *s) {
    if (s->changed_verts > 0) memset(s->vert_changed, 0, (size_t)s->vert_count);
    s->changed_verts = s->visited_faces = 0;
}

vo_result vo_sizing_update(vo_sizing *s, const vo_mesh *m, const vo_sizing_input *input) {
    VO_TRY(update_topology(s, m));
    sizing_pass pass = {.s = s, .m = m};
    if (input) pass.in = *input;
    bool view = pass.in.view_factor || pass.in.view_bound;
    int moved = run_pass(&pass, m->node_count, store_inputs);
    if (s->known && moved == 0 && !view && !s->had_view && !s->face_plastic) {
        clear_results(s);
        return VO_OK;
    }
    if (moved > 0) {
        run_pass(&pass, m->face_count, update_face_normals);
        run_pass(&pass, m->node_count, update_node_normals);
        run_pass(&pass, m->edge_count, update_edge_angles);
    }
    s->visited_faces = run_pass(&pass, m->face_count, measure_faces);
    s->changed_verts = run_pass(&pass, m->vert_count, average_verts);
    s->had_view = view;
    s->known = true;
    return VO_OK;
}

/* ---- budgets -------------------------------------------------------------------------------- */

typedef struct scaling {
    vo_sizing *s;
    double scale;
} scaling;

static void scale_faces(void *arg, int begin, int end, int chunk) {
    const scaling *x = arg;
    (void)chunk;
    for (int f = begin; f < end; f++)
        x->s->face[f] = view_metric(x->s, f, scaled_bound(x->s, f, x->scale));
}

/* Recomputes all metrics with the bounds multiplied by `scale`. */
static void apply_bound_scale(vo_sizing *s, double scale) {
    scaling x = {s, scale};
    sizing_pass pass = {.s = s, .m = s->mesh};
    vo_parallel_for(s->ctx, s->face_count, GRAIN, scale_faces, &x);
    s->known = false;
    s->changed_verts = run_pass(&pass, s->vert_count, average_verts);
    s->known = true;
}

/* Area of a face in the mean metric of its verts. */
static double metric_area(const vo_sizing *s, int face) {
    vo_sym2 sum = {0};
    for (int i = 0; i < 3; i++) sum = sym2_add(sum, s->vert[s->mesh->face_vert[face][i]]);
    double area = s->face_area[face] * sqrt(vo_max(sym2_det(sum), 0)) / 3;
    return area > 0 && isfinite(area) ? area : 0;
}

static void add_areas(void *arg, int begin, int end, int chunk) {
    vo_sizing *s = arg;
    s->chunk_area[chunk] = 0;
    for (int f = begin; f < end; f++) s->chunk_area[chunk] += metric_area(s, f);
}

double vo_sizing_area(vo_sizing *s, double scale) {
    double sum = 0;
    apply_bound_scale(s, scale);
    vo_parallel_for(s->ctx, s->face_count, GRAIN, add_areas, s);
    for (int c = 0; c < vo_chunk_count(s->face_count, GRAIN); c++) sum += s->chunk_area[c];
    return sum;
}

static void scale_bounds(void *arg, int begin, int end, int chunk) {
    const scaling *x = arg;
    (void)chunk;
    for (int f = begin; f < end; f++) x->s->face_bound[f] = scaled_bound(x->s, f, x->scale);
}

void vo_sizing_scale_bounds(vo_sizing *s, double scale) {
    scaling x = {s, scale};
    vo_parallel_for(s->ctx, s->face_count, GRAIN, scale_bounds, &x);
    apply_bound_scale(s, 1);
}

double vo_sizing_edge_size2(const vo_mesh *m, const vo_sym2 *vert, int edge) {
    double size2 = 0;
    for (int side = 0; side < 2; side++) {
        int v[2];
        vo_mesh_edge_verts(m, edge, side, v);
        if (v[0] < 0) continue;
        vo_vec2 u = v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]);
        size2 = vo_max(size2, vo_metric_edge_size2(vert[v[0]], vert[v[1]], u));
    }
    return size2;
}
