#include "codec/obj_reader.h"
#include "core/memory.h"
#include "core/plural.h"
#include "mesh/columns.h"
#include "mesh/data.h"
#include "mesh/polygon.h"
#include "mesh/side_table.h"

#include <string.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#define CORNER_COLUMNS(r)                                                                  \
    {                                                                                      \
        VO_COLUMN((r)->corner_node), VO_COLUMN((r)->corner_vert), VO_COLUMN((r)->scratch), \
            VO_COLUMN((r)->flat), VO_COLUMN((r)->world), VO_COLUMN((r)->triangle)          \
    }

void vo_obj_reader_free(vo_obj_reader *r) {
    vo_column columns[] = CORNER_COLUMNS(r);
    vo_columns_free(r->ctx, columns, COUNT_OF(columns), &r->corner_capacity);
    vo_free_array(r->ctx, r->face_node, r->face_node_capacity);
    r->face_node = NULL;
}

/* Reads an integer and moves past it; false if there is none or it exceeds an int. */
static bool read_int(vo_obj_reader *r, int *out) {
    const char *at = r->at;
    bool negative = at < r->end && *at == '-';
    at += negative;
    int64_t value = 0;
    const char *begin = at;
    for (; at < r->end && *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > INT32_MAX) return false;
    }
    if (at == begin) return false;
    *out = (int)(negative ? -value : value);
    r->at = at;
    return true;
}

vo_result vo_obj_read_index(vo_obj_reader *r, const char *keyword, int count, int *out) {
    int index;
    if (!read_int(r, &index)) return vo_obj_fail_word(r, "an index");
    if (index == 0) return vo_obj_fail(r, "index 0 is invalid; OBJ indices start at 1");
    if (index > count || index < -count)
        return vo_obj_fail(r, "%s %d does not exist: there %s %d %s line%s before this line",
                           keyword, index, count == 1 ? "is" : "are", count, keyword,
                           vo_plural(count));
    *out = index > 0 ? index - 1 : count + index;
    return VO_OK;
}

/* Reads the part after v: nothing, /vt, //vn or /vt/vn; *ok is false if it is none of these. */
static vo_result read_rest_of_corner(vo_obj_reader *r, int *vert, bool *ok) {
    int normal;
    *ok = true;
    if (vo_obj_at_break(r)) return VO_OK;
    *ok = *r->at++ == '/';
    if (!*ok || vo_obj_at_break(r)) return VO_OK;
    if (*r->at != '/') VO_TRY(vo_obj_read_index(r, "vt", r->data->vert_count, vert));
    if (!vo_obj_at_break(r) && *r->at == '/') {
        r->at++;
        *ok = vo_obj_at_break(r) || read_int(r, &normal);
    }
    *ok = *ok && vo_obj_at_break(r);
    return VO_OK;
}

/* Reads v, v/vt, v//vn or v/vt/vn; normals are ignored. */
static vo_result read_corner(vo_obj_reader *r, int *node, int *vert) {
    const char *begin = r->at;
    bool ok;
    *vert = -1;
    VO_TRY(vo_obj_read_index(r, "v", r->data->node_count, node));
    VO_TRY(read_rest_of_corner(r, vert, &ok));
    if (ok) return VO_OK;
    r->at = begin;
    return vo_obj_fail_word(r, "v, v/vt, v//vn or v/vt/vn");
}

/* Reads all corners of the line into the current polygon. */
static vo_result read_corners(vo_obj_reader *r) {
    for (r->corner_count = 0; vo_obj_next_word(r); r->corner_count++) {
        vo_column columns[] = CORNER_COLUMNS(r);
        if (!vo_columns_reserve(r->ctx, columns, COUNT_OF(columns), &r->corner_capacity,
                                r->corner_count + 1))
            return vo_obj_fail_memory(r);
        VO_TRY(read_corner(r, &r->corner_node[r->corner_count], &r->corner_vert[r->corner_count]));
    }
    if (r->corner_count >= 3) return VO_OK;
    return vo_obj_fail(r, "a face needs at least three corners, this one has %d", r->corner_count);
}

/* Removes corners that equal the next one, down to a triangle: some exporters write triangles as
 * quads with a repeated corner. */
static void drop_repeated_corners(vo_obj_reader *r) {
    for (int i = r->corner_count - 1; i >= 0 && r->corner_count > 3; i--) {
        int after = (i + 1) % r->corner_count;
        if (r->corner_node[i] != r->corner_node[after]) continue;
        size_t rest = (size_t)(--r->corner_count - i) * sizeof(int);
        memmove(&r->corner_node[i], &r->corner_node[i + 1], rest);
        memmove(&r->corner_vert[i], &r->corner_vert[i + 1], rest);
    }
}

/* Projects the polygon to material space, mirrored if needed to be counter-clockwise; false without
 * vt or area. */
static bool flatten_in_material(vo_obj_reader *r) {
    int n = r->corner_count;
    for (int i = 0; i < n; i++) {
        if (r->corner_vert[i] < 0) return false;
        r->flat[i] = r->data->vert_u[r->corner_vert[i]];
    }
    double area = vo_polygon_area(n, r->flat);
    for (int i = 0; area < 0 && i < n; i++) r->flat[i].x = -r->flat[i].x;
    return area != 0;
}

static void flatten_in_world(vo_obj_reader *r) {
    for (int i = 0; i < r->corner_count; i++) r->world[i] = r->data->node_x[r->corner_node[i]];
    vo_polygon_flatten(r->corner_count, r->world, r->flat);
}

/* Triangulates the current polygon into r->triangle. */
static void triangulate(vo_obj_reader *r) {
    if (r->corner_count == 3) {
        memcpy(r->triangle[0], (int[3]){0, 1, 2}, sizeof r->triangle[0]);
        return;
    }
    if (!flatten_in_material(r)) flatten_in_world(r);
    vo_polygon_triangulate(r->corner_count, r->flat, r->scratch, r->triangle);
}

static vo_result reserve_faces(vo_obj_reader *r, int added) {
    vo_mesh_data *d = r->data;
    if (added > VO_MESH_MAX_ELEMENTS - d->face_count)
        return vo_obj_fail(r, "more than %d triangles", VO_MESH_MAX_ELEMENTS);
    int need = d->face_count + added;
    if (!vo_mesh_data_reserve_faces(r->ctx, d, need) ||
        !vo_reserve(r->ctx, &r->face_node, &r->face_node_capacity, need))
        return vo_obj_fail_memory(r);
    return VO_OK;
}

vo_result vo_obj_read_face(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    int line = r->line;
    VO_TRY(read_corners(r));
    drop_repeated_corners(r);
    triangulate(r);
    VO_TRY(reserve_faces(r, r->corner_count - 2));
    r->polygon_begin = d->face_count;
    for (int t = 0; t < r->corner_count - 2; t++) {
        for (int i = 0; i < 3; i++) {
            r->face_node[d->face_count][i] = r->corner_node[r->triangle[t][i]];
            d->face_vert[d->face_count][i] = r->corner_vert[r->triangle[t][i]];
        }
        d->face_line[d->face_count++] = line;
    }
    return VO_OK;
}

/* Adds a vert for a node; -1 on failure. */
static int add_vert(vo_obj_reader *r, vo_vec2 u, int node, int label, int line) {
    vo_mesh_data *d = r->data;
    int v = d->vert_count;
    if (v >= VO_MESH_MAX_ELEMENTS || !vo_mesh_data_reserve_verts(r->ctx, d, v + 1)) return -1;
    d->vert_u[v] = u;
    d->vert_node[v] = node;
    d->vert_label[v] = label;
    d->vert_line[v] = line;
    return d->vert_count++;
}

/* Assigns each vt to the first node that uses it; returns the number of corners of other nodes. */
static int claim_verts(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    int clashes = 0;
    for (int c = 0; c < 3 * d->face_count; c++) {
        int vert = d->face_vert[c / 3][c % 3], node = r->face_node[c / 3][c % 3];
        if (vert < 0) continue;
        if (d->vert_node[vert] < 0) d->vert_node[vert] = node;
        clashes += d->vert_node[vert] != node;
    }
    return clashes;
}

/* Corners whose vt is assigned to another node, sorted by vt and node. */
typedef struct clash_list {
    int count;
    int *face, *corner, *vert, *node; /* [count] */
    int *order, *scratch;             /* [count] */
    int *start;                       /* [verts + 1] or [nodes + 1] */
    int start_count;
} clash_list;

static bool create_clashes(vo_obj_reader *r, int count, clash_list *l) {
    int keys = vo_max_int(r->data->vert_count, r->data->node_count) + 1;
    int **arrays[] = {&l->face, &l->corner, &l->vert, &l->node, &l->order, &l->scratch};
    *l = (clash_list){.count = count, .start_count = keys};
    bool ok = (l->start = vo_new_array(r->ctx, int, keys)) != NULL;
    for (int i = 0; i < COUNT_OF(arrays); i++)
        ok = (*arrays[i] = vo_new_array(r->ctx, int, count)) && ok;
    return ok;
}

static void free_clashes(vo_obj_reader *r, clash_list *l) {
    int *arrays[] = {l->face, l->corner, l->vert, l->node, l->order, l->scratch};
    for (int i = 0; i < COUNT_OF(arrays); i++) vo_free_array(r->ctx, arrays[i], l->count);
    vo_free_array(r->ctx, l->start, l->start_count);
}

static void fill_clashes(const vo_obj_reader *r, clash_list *l) {
    const vo_mesh_data *d = r->data;
    int count = 0;
    for (int c = 0; c < 3 * d->face_count; c++) {
        int vert = d->face_vert[c / 3][c % 3], node = r->face_node[c / 3][c % 3];
        if (vert < 0 || d->vert_node[vert] == node) continue;
        l->face[count] = c / 3;
        l->corner[count] = c % 3;
        l->vert[count] = vert;
        l->node[count] = node;
        l->order[count] = count;
        count++;
    }
    vo_sort_by_key(count, l->order, l->node, d->node_count, l->scratch, l->start);
    vo_sort_by_key(count, l->order, l->vert, d->vert_count, l->scratch, l->start);
}

/* Adds one vert per distinct pair of vt and node. */
static bool duplicate_verts(vo_obj_reader *r, const clash_list *l) {
    vo_mesh_data *d = r->data;
    int copy = -1;
    for (int i = 0; i < l->count; i++) {
        int at = l->order[i], vert = l->vert[at], node = l->node[at];
        int before = i > 0 ? l->order[i - 1] : at;
        if (i == 0 || l->vert[before] != vert || l->node[before] != node)
            copy = add_vert(r, d->vert_u[vert], node, d->vert_label[vert], d->vert_line[vert]);
        if (copy < 0) return false;
        d->face_vert[l->face[at]][l->corner[at]] = copy;
    }
    return true;
}

static bool resolve_clashes(vo_obj_reader *r, int count) {
    if (count == 0) return true;
    clash_list list;
    bool ok = create_clashes(r, count, &list);
    if (ok) {
        fill_clashes(r, &list);
        ok = duplicate_verts(r, &list);
    }
    free_clashes(r, &list);
    return ok;
}

enum { NO_VERT = -1, NEEDS_VERT = -2 };

/* Marks the nodes of corners without vt that have no vert yet. */
static void mark_bare_nodes(const vo_obj_reader *r, int *own) {
    const vo_mesh_data *d = r->data;
    for (int n = 0; n < d->node_count; n++) own[n] = NO_VERT;
    for (int v = d->vert_count - 1; v >= 0; v--)
        if (d->vert_node[v] >= 0) own[d->vert_node[v]] = v;
    for (int c = 0; c < 3 * d->face_count; c++) {
        int node = r->face_node[c / 3][c % 3];
        if (d->face_vert[c / 3][c % 3] < 0 && own[node] == NO_VERT) own[node] = NEEDS_VERT;
    }
}

/* Assigns to corners without vt the first vert of their node, or a new one at its (x, y). */
static bool fill_bare_corners(vo_obj_reader *r, int *own) {
    vo_mesh_data *d = r->data;
    mark_bare_nodes(r, own);
    for (int n = 0; n < d->node_count; n++) {
        if (own[n] != NEEDS_VERT) continue;
        vo_vec3 x = d->node_x[n];
        own[n] = add_vert(r, v2(x.x, x.y), n, d->node_label[n], d->node_line[n]);
        if (own[n] < 0) return false;
    }
    for (int c = 0; c < 3 * d->face_count; c++)
        if (d->face_vert[c / 3][c % 3] < 0)
            d->face_vert[c / 3][c % 3] = own[r->face_node[c / 3][c % 3]];
    return true;
}

static bool has_bare_corner(const vo_mesh_data *d) {
    for (int f = 0; f < d->face_count; f++)
        for (int i = 0; i < 3; i++)
            if (d->face_vert[f][i] < 0) return true;
    return false;
}

vo_result vo_obj_resolve_verts(vo_obj_reader *r) {
    vo_mesh_data *d = r->data;
    if (!resolve_clashes(r, claim_verts(r))) return vo_obj_fail_memory(r);
    if (!has_bare_corner(d)) return VO_OK;
    int *own = vo_new_array(r->ctx, int, d->node_count);
    bool ok = own && fill_bare_corners(r, own);
    vo_free_array(r->ctx, own, d->node_count);
    return ok ? VO_OK : vo_obj_fail_memory(r);
}
