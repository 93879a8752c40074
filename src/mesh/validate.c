#include "mesh/validate.h"

#include "core/memory.h"
#include "mesh/patch.h"
#include "mesh/side_table.h"

/* A triangle is degenerate if its area is below this fraction of its longest side squared (in
 * double arithmetic a sliver of aspect 10^10 is indistinguishable from a line), or below
 * VO_MESH_MIN_AREA. */
static const double DEGENERATE_RATIO = 1e-10;

/* Larger coordinates (m, m/s) would overflow in products of areas. */
static const double MAX_COORDINATE = 1e30;

/* m; a face without area that has a larger coordinate is reported as too large. */
static const double MAX_ACCURATE_COORDINATE = 1e9;

typedef struct checker {
    vo_context *ctx;
    const vo_mesh_data *data;
    vo_mesh_report *report;
    uint8_t *skip; /* [face_count] invalid indices, a repeated corner, or a duplicate */
    int *twin;     /* [face_count] an earlier face with the same nodes, or -1 */
    vo_patches patches;
    vo_side_table sides;
} checker;

typedef vo_result check_fn(checker *c);

static int get_line(const int *lines, int index) { return lines ? lines[index] : 0; }

static bool is_node(const vo_mesh_data *d, int n) { return n >= 0 && n < d->node_count; }

/* True if v is a valid vert index of a face. */
static bool is_vert(const vo_mesh_data *d, int v) {
    return v >= 0 && v < d->vert_count && is_node(d, d->vert_node[v]);
}

static vo_result add(checker *c, vo_mesh_defect defect) {
    vo_mesh_report *r = c->report;
    if (!vo_reserve(c->ctx, &r->defect, &r->capacity, r->count + 1))
        return vo_fail_memory(c->ctx, "the list of a mesh's defects");
    r->defect[r->count++] = defect;
    r->fatal_count += vo_mesh_defect_is_fatal(defect.kind, r->use);
    return VO_OK;
}

static vo_result add_node(checker *c, vo_mesh_defect_kind kind, int n) {
    return add(c, (vo_mesh_defect){kind, VO_ELEMENT_NODE, n, -1, get_line(c->data->node_line, n),
                                   c->data->node_x[n]});
}

static vo_result add_vert(checker *c, vo_mesh_defect_kind kind, int v, int other) {
    const vo_mesh_data *d = c->data;
    int n = d->vert_node[v];
    vo_vec3 position = is_node(d, n) ? d->node_x[n] : v3(NAN, NAN, NAN);
    return add(
        c, (vo_mesh_defect){kind, VO_ELEMENT_VERT, v, other, get_line(d->vert_line, v), position});
}

/* Centroid of the corners with valid indices. */
static vo_vec3 face_position(const vo_mesh_data *d, int f) {
    vo_vec3 sum = v3_zero();
    int count = 0;
    for (int i = 0; i < 3; i++) {
        int v = d->face_vert[f][i];
        if (!is_vert(d, v)) continue;
        sum = v3_add(sum, d->node_x[d->vert_node[v]]);
        count++;
    }
    return count ? v3_scale(1.0 / count, sum) : v3(NAN, NAN, NAN);
}

static vo_result add_face(checker *c, vo_mesh_defect_kind kind, int f, int other) {
    return add(c, (vo_mesh_defect){kind, VO_ELEMENT_FACE, f, other, get_line(c->data->face_line, f),
                                   face_position(c->data, f)});
}

static vo_result add_edge(checker *c, vo_mesh_defect_kind kind, int a, int b, int line) {
    const vo_mesh_data *d = c->data;
    vo_vec3 position = is_node(d, a) && is_node(d, b) ? v3_lerp(d->node_x[a], d->node_x[b], 0.5)
                                                      : v3(NAN, NAN, NAN);
    return add(c, (vo_mesh_defect){kind, VO_ELEMENT_EDGE, vo_min_int(a, b), vo_max_int(a, b), line,
                                   position});
}

static vo_result check_empty(checker *c) {
    if (c->data->face_count > 0) return VO_OK;
    return add(c,
               (vo_mesh_defect){VO_DEFECT_NO_FACES, VO_ELEMENT_MESH, 0, -1, 0, v3(NAN, NAN, NAN)});
}

static bool is_sane(double x) { return fabs(x) <= MAX_COORDINATE; }

static bool is_sane3(vo_vec3 x) { return is_sane(x.x) && is_sane(x.y) && is_sane(x.z); }

/* An embedding of NaN means none. */
static bool node_is_finite(const vo_mesh_data *d, int n) {
    if (!is_sane3(d->node_x[n]) || (d->node_v && !is_sane3(d->node_v[n]))) return false;
    return !d->node_y || isnan(d->node_y[n].x) || is_sane3(d->node_y[n]);
}

static bool edge_is_finite(const vo_mesh_data *d, int e) {
    return (!d->edge_rest_angle || isfinite(d->edge_rest_angle[e])) &&
           (!d->edge_damage || isfinite(d->edge_damage[e]));
}

static bool face_is_finite(const vo_mesh_data *d, int f) {
    if (d->face_damage && !isfinite(d->face_damage[f])) return false;
    for (int i = 0; d->face_curvature && i < 4; i++)
        if (!isfinite(d->face_curvature[f][i])) return false;
    return true;
}

static vo_result check_numbers(checker *c) {
    const vo_mesh_data *d = c->data;
    bool cloth = c->report->use == VO_MESH_FOR_CLOTH;
    for (int n = 0; n < d->node_count; n++)
        if (!node_is_finite(d, n)) VO_TRY(add_node(c, VO_DEFECT_NOT_FINITE, n));
    for (int v = 0; cloth && v < d->vert_count; v++)
        if (!is_sane(d->vert_u[v].x) || !is_sane(d->vert_u[v].y))
            VO_TRY(add_vert(c, VO_DEFECT_NOT_FINITE, v, -1));
    for (int e = 0; e < d->edge_count; e++)
        if (!edge_is_finite(d, e))
            VO_TRY(add_edge(c, VO_DEFECT_NOT_FINITE, d->edge_node[e][0], d->edge_node[e][1],
                            get_line(d->edge_line, e)));
    for (int f = 0; f < d->face_count; f++)
        if (!face_is_finite(d, f)) VO_TRY(add_face(c, VO_DEFECT_NOT_FINITE, f, -1));
    return VO_OK;
}

/* The first corner of a face with an invalid index; 3 if all are valid. */
static int first_bad_corner(const vo_mesh_data *d, int f) {
    int i = 0;
    while (i < 3 && is_vert(d, d->face_vert[f][i])) i++;
    return i;
}

static vo_result check_indices(checker *c) {
    const vo_mesh_data *d = c->data;
    for (int v = 0; v < d->vert_count; v++)
        if (d->vert_node[v] != -1 && !is_node(d, d->vert_node[v]))
            VO_TRY(add_vert(c, VO_DEFECT_BAD_INDEX, v, d->vert_node[v]));
    for (int e = 0; e < d->edge_count; e++)
        if (!is_node(d, d->edge_node[e][0]) || !is_node(d, d->edge_node[e][1]))
            VO_TRY(add_edge(c, VO_DEFECT_BAD_INDEX, d->edge_node[e][0], d->edge_node[e][1],
                            get_line(d->edge_line, e)));
    for (int f = 0; f < d->face_count; f++) {
        int corner = first_bad_corner(d, f);
        if (corner == 3) continue;
        c->skip[f] = true;
        VO_TRY(add_face(c, VO_DEFECT_BAD_INDEX, f, d->face_vert[f][corner]));
    }
    return VO_OK;
}

static void face_nodes(const vo_mesh_data *d, int f, int node[3]) {
    for (int i = 0; i < 3; i++) node[i] = d->vert_node[d->face_vert[f][i]];
}

static vo_result check_corners(checker *c) {
    for (int f = 0; f < c->data->face_count; f++) {
        if (c->skip[f]) continue;
        int n[3];
        face_nodes(c->data, f, n);
        if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) continue;
        c->skip[f] = true;
        VO_TRY(add_face(c, VO_DEFECT_REPEATED_CORNER, f, -1));
    }
    return VO_OK;
}

/* False for values that are not finite or too large: these are reported separately. */
static bool is_degenerate(double area, double longest2) {
    if (!(longest2 <= MAX_COORDINATE * MAX_COORDINATE)) return false;
    return area <= DEGENERATE_RATIO * longest2 || area <= VO_MESH_MIN_AREA;
}

static bool is_degenerate_in_material(const vo_mesh_data *d, int f) {
    const int *vert = d->face_vert[f];
    double longest2 = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec2 e = v2_sub(d->vert_u[vert[(i + 1) % 3]], d->vert_u[vert[i]]);
        longest2 = vo_max(longest2, v2_dot(e, e));
    }
    return is_degenerate(fabs(vo_material_cross(d->vert_u, vert)) / 2, longest2);
}

static bool is_degenerate_in_world(const vo_mesh_data *d, int f) {
    int n[3];
    face_nodes(d, f, n);
    vo_vec3 e0 = v3_sub(d->node_x[n[1]], d->node_x[n[0]]);
    vo_vec3 e1 = v3_sub(d->node_x[n[2]], d->node_x[n[1]]);
    vo_vec3 e2 = v3_sub(d->node_x[n[0]], d->node_x[n[2]]);
    double longest2 = vo_max(v3_length2(e0), vo_max(v3_length2(e1), v3_length2(e2)));
    return is_degenerate(v3_length(v3_cross(e0, e1)) / 2, longest2);
}

static bool is_large_in_material(const vo_mesh_data *d, int f) {
    double max = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec2 u = d->vert_u[d->face_vert[f][i]];
        max = vo_max(max, vo_max(fabs(u.x), fabs(u.y)));
    }
    return max > MAX_ACCURATE_COORDINATE;
}

static bool is_large_in_world(const vo_mesh_data *d, int f) {
    int n[3];
    double max = 0;
    face_nodes(d, f, n);
    for (int i = 0; i < 3; i++) {
        vo_vec3 x = d->node_x[n[i]];
        max = vo_max(max, vo_max(fabs(x.x), vo_max(fabs(x.y), fabs(x.z))));
    }
    return max > MAX_ACCURATE_COORDINATE;
}

typedef bool face_test_fn(const vo_mesh_data *d, int f);

/* Reports the degenerate faces that are large, or those that are not. */
static vo_result add_degenerate(checker *c, face_test_fn *is_degenerate_face,
                                face_test_fn *is_large, bool large, vo_mesh_defect_kind kind) {
    for (int f = 0; f < c->data->face_count; f++)
        if (!c->skip[f] && is_degenerate_face(c->data, f) && is_large(c->data, f) == large)
            VO_TRY(add_face(c, kind, f, -1));
    return VO_OK;
}

static vo_result check_degenerate(checker *c) {
    if (c->report->use == VO_MESH_FOR_OBSTACLE) return VO_OK;
    VO_TRY(add_degenerate(c, is_degenerate_in_material, is_large_in_material, false,
                          VO_DEFECT_DEGENERATE_FACE));
    return add_degenerate(c, is_degenerate_in_material, is_large_in_material, true,
                          VO_DEFECT_LARGE_MATERIAL_FACE);
}

static bool is_inverted(const checker *c, int f) {
    if (c->skip[f] || is_degenerate_in_material(c->data, f)) return false;
    double cross = vo_material_cross(c->data->vert_u, c->data->face_vert[f]);
    return cross < 0 && isfinite(cross);
}

static bool is_in_mirrored_patch(const checker *c, int f) {
    return c->patches.mirrored[c->patches.root[c->data->face_vert[f][0]]];
}

static vo_result check_inverted(checker *c) {
    if (c->report->use == VO_MESH_FOR_OBSTACLE) return VO_OK;
    VO_TRY(vo_patches_create(c->ctx, c->data, c->skip, &c->patches));
    for (int f = 0; f < c->data->face_count; f++)
        if (is_inverted(c, f) && !is_in_mirrored_patch(c, f))
            VO_TRY(add_face(c, VO_DEFECT_INVERTED_FACE, f, -1));
    return VO_OK;
}

/* Reports each mirrored patch once, by its first face, and clears its mark. */
static vo_result check_mirrored(checker *c) {
    if (c->report->use == VO_MESH_FOR_OBSTACLE) return VO_OK;
    for (int f = 0; f < c->data->face_count; f++) {
        if (!is_inverted(c, f) || !is_in_mirrored_patch(c, f)) continue;
        VO_TRY(add_face(c, VO_DEFECT_MIRRORED_PATCH, f, -1));
        c->patches.mirrored[c->patches.root[c->data->face_vert[f][0]]] = false;
    }
    return VO_OK;
}

static vo_result check_collapsed(checker *c) {
    VO_TRY(add_degenerate(c, is_degenerate_in_world, is_large_in_world, false,
                          VO_DEFECT_COLLAPSED_FACE));
    return add_degenerate(c, is_degenerate_in_world, is_large_in_world, true, VO_DEFECT_LARGE_FACE);
}

/* Arrays for sorting faces by their nodes. */
typedef struct face_sort {
    int *key[3];                  /* [faces] nodes in ascending order */
    int *order, *scratch, *start; /* [faces], [faces], [nodes + 1] */
} face_sort;

static bool face_sort_create(checker *c, face_sort *s) {
    int faces = c->data->face_count;
    *s = (face_sort){0};
    for (int i = 0; i < 3; i++) s->key[i] = vo_new_array(c->ctx, int, faces);
    s->order = vo_new_array(c->ctx, int, faces);
    s->scratch = vo_new_array(c->ctx, int, faces);
    s->start = vo_new_array(c->ctx, int, c->data->node_count + 1);
    return s->key[0] && s->key[1] && s->key[2] && s->order && s->scratch && s->start;
}

static void face_sort_free(checker *c, face_sort *s) {
    int faces = c->data->face_count;
    for (int i = 0; i < 3; i++) vo_free_array(c->ctx, s->key[i], faces);
    vo_free_array(c->ctx, s->order, faces);
    vo_free_array(c->ctx, s->scratch, faces);
    vo_free_array(c->ctx, s->start, c->data->node_count + 1);
}

/* Lists the usable faces with their nodes in ascending order; returns their number. */
static int face_sort_fill(const checker *c, face_sort *s) {
    int count = 0;
    for (int f = 0; f < c->data->face_count; f++) {
        if (c->skip[f]) continue;
        int n[3];
        face_nodes(c->data, f, n);
        s->key[0][f] = vo_min_int(n[0], vo_min_int(n[1], n[2]));
        s->key[2][f] = vo_max_int(n[0], vo_max_int(n[1], n[2]));
        s->key[1][f] = n[0] ^ n[1] ^ n[2] ^ s->key[0][f] ^ s->key[2][f]; /* the remaining one */
        s->order[count++] = f;
    }
    return count;
}

/* Finds faces with the same nodes; the earliest is the original. */
static void find_duplicates(checker *c, face_sort *s) {
    int count = face_sort_fill(c, s);
    for (int i = 2; i >= 0; i--)
        vo_sort_by_key(count, s->order, s->key[i], c->data->node_count, s->scratch, s->start);
    int first = 0;
    for (int i = 0; i < count; i++) {
        int f = s->order[i], g = s->order[first];
        bool same = s->key[0][f] == s->key[0][g] && s->key[1][f] == s->key[1][g] &&
                    s->key[2][f] == s->key[2][g];
        if (!same) first = i;
        c->twin[f] = same && first != i ? g : -1;
    }
}

/* Reports duplicates and excludes them from the edge checks: one defect, one message. */
static vo_result check_duplicates(checker *c) {
    int faces = c->data->face_count;
    face_sort sort;
    if (faces == 0) return VO_OK;
    bool ok = face_sort_create(c, &sort);
    if (ok) find_duplicates(c, &sort);
    face_sort_free(c, &sort);
    if (!ok) return vo_fail_memory(c->ctx, "checking a mesh");
    for (int f = 0; f < faces; f++) {
        if (c->skip[f] || c->twin[f] < 0) continue;
        c->skip[f] = true;
        VO_TRY(add_face(c, VO_DEFECT_DUPLICATE_FACE, f, c->twin[f]));
    }
    return VO_OK;
}

/* Number of face sides in a group of sides; they come first. */
static int count_group_faces(const checker *c, int begin, int end) {
    int count = 0;
    while (begin + count < end && c->sides.order[begin + count] < c->sides.face_sides) count++;
    return count;
}

static bool have_same_direction(const checker *c, int begin) {
    int a[2], b[2];
    vo_side_table_nodes(c->data, c->sides.order[begin], a);
    vo_side_table_nodes(c->data, c->sides.order[begin + 1], b);
    return a[0] == b[0];
}

/* File line of a face side or listed edge. */
static int line_of_side(const checker *c, int side) {
    return side < c->sides.face_sides ? get_line(c->data->face_line, side / 3)
                                      : get_line(c->data->edge_line, side - c->sides.face_sides);
}

/* True if a group of sides has a defect of this kind. */
static bool group_has_defect(const checker *c, vo_mesh_defect_kind kind, int begin, int end) {
    int faces = count_group_faces(c, begin, end);
    switch (kind) {
    case VO_DEFECT_NONMANIFOLD_EDGE:
        return faces > 2;
    case VO_DEFECT_ORIENTATION:
        return faces == 2 && have_same_direction(c, begin);
    case VO_DEFECT_STRAY_EDGE:
        return faces == 0;
    default:
        return false;
    }
}

static vo_result check_edges(checker *c, vo_mesh_defect_kind kind, int offender) {
    const vo_side_table *s = &c->sides;
    for (int begin = 0, end; begin < s->count; begin = end) {
        end = vo_side_table_group_end(s, begin);
        if (!group_has_defect(c, kind, begin, end)) continue;
        int first = s->order[begin], bad = s->order[begin + offender];
        VO_TRY(add_edge(c, kind, s->low[first], s->high[first], line_of_side(c, bad)));
    }
    return VO_OK;
}

/* Reports edges with more than two faces, at the third face. */
static vo_result check_manifold(checker *c) {
    VO_TRY(vo_side_table_create(c->ctx, c->data, c->skip, &c->sides));
    return check_edges(c, VO_DEFECT_NONMANIFOLD_EDGE, 2);
}

static vo_result check_orientation(checker *c) { return check_edges(c, VO_DEFECT_ORIENTATION, 1); }

static vo_result check_stray_edges(checker *c) { return check_edges(c, VO_DEFECT_STRAY_EDGE, 0); }

/* Marks the nodes and verts that faces use. */
static void mark_used(const vo_mesh_data *d, uint8_t *node_used, uint8_t *vert_used) {
    for (int f = 0; f < d->face_count; f++)
        for (int i = 0; i < 3; i++) {
            int v = d->face_vert[f][i];
            if (!is_vert(d, v)) continue;
            vert_used[v] = node_used[d->vert_node[v]] = true;
        }
}

/* True if the vert is unused but its node is not; unused nodes are reported themselves. */
static bool is_unused_vert(const vo_mesh_data *d, const uint8_t *node_used,
                           const uint8_t *vert_used, int v) {
    int n = d->vert_node[v];
    return !vert_used[v] && (n == -1 || (is_node(d, n) && node_used[n]));
}

static vo_result add_unused(checker *c, const uint8_t *node_used, const uint8_t *vert_used) {
    const vo_mesh_data *d = c->data;
    for (int n = 0; n < d->node_count; n++)
        if (!node_used[n]) VO_TRY(add_node(c, VO_DEFECT_ISOLATED_NODE, n));
    if (c->report->use == VO_MESH_FOR_OBSTACLE) return VO_OK;
    for (int v = 0; v < d->vert_count; v++)
        if (is_unused_vert(d, node_used, vert_used, v))
            VO_TRY(add_vert(c, VO_DEFECT_UNUSED_VERT, v, -1));
    return VO_OK;
}

static vo_result check_unused(checker *c) {
    size_t nodes = (size_t)c->data->node_count + 1, verts = (size_t)c->data->vert_count + 1;
    uint8_t *node_used = vo_alloc_zero(c->ctx, nodes), *vert_used = vo_alloc_zero(c->ctx, verts);
    vo_result result = VO_NO_MEMORY;
    if (node_used && vert_used) {
        mark_used(c->data, node_used, vert_used);
        result = add_unused(c, node_used, vert_used);
    } else
        vo_fail_memory(c->ctx, "checking a mesh");
    vo_free(c->ctx, node_used, nodes);
    vo_free(c->ctx, vert_used, verts);
    return result;
}

/* Runs the checks in the order of VO_MESH_DEFECTS, which sorts the report. */
static vo_result check_all(checker *c) {
    static check_fn *const checks[] = {
        check_empty,       check_numbers,     check_indices,   check_corners,    check_degenerate,
        check_inverted,    check_mirrored,    check_collapsed, check_duplicates, check_manifold,
        check_orientation, check_stray_edges, check_unused};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) VO_TRY(checks[i](c));
    return VO_OK;
}

vo_result vo_mesh_validate(vo_context *ctx, const vo_mesh_data *data, vo_mesh_use use,
                           vo_mesh_report *report) {
    *report = (vo_mesh_report){.ctx = ctx, .use = use};
    size_t faces = (size_t)data->face_count + 1;
    checker c = {.ctx = ctx, .data = data, .report = report};
    c.patches.ctx = c.sides.ctx = ctx;
    c.skip = vo_alloc_zero(ctx, faces);
    c.twin = vo_new_array(ctx, int, faces);
    vo_result result = c.skip && c.twin ? check_all(&c) : vo_fail_memory(ctx, "checking a mesh");
    vo_free(ctx, c.skip, faces);
    vo_free_array(ctx, c.twin, faces);
    vo_patches_free(&c.patches);
    vo_side_table_free(&c.sides);
    if (result != VO_OK) vo_mesh_report_free(report);
    return result;
}
