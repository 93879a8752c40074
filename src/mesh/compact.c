#include "mesh/compact.h"

#include "core/memory.h"
#include "mesh/edit_local.h"
#include "mesh/morton.h"
#include "mesh/patch.h"
#include "mesh/sides.h"

#include <string.h>

/* What the passes share. */
typedef struct sorter {
    const vo_edit *edit;
    vo_order *order;
    int *key, *other, *scratch; /* [elements of the largest kind] */
    int *start;                 /* [as many + VO_MORTON_CELLS + 2] */
    int *root;                  /* [verts] the vert that stands for the patch */
    uint8_t *skip;              /* [faces] holes */
} sorter;

/* Lists what is left of a kind, in its old order. */
static void list(sorter *s, vo_remap_kind kind, bool (*is_there)(const vo_edit *, int)) {
    vo_order *o = s->order;
    o->count[kind] = 0;
    for (int i = 0; i < o->old_count[kind]; i++)
        if (is_there(s->edit, i)) o->from[kind][o->count[kind]++] = i;
}

static void sort_by(sorter *s, vo_remap_kind kind, const int *key, int key_count) {
    vo_sort_by_key(s->order->count[kind], s->order->from[kind], key, key_count, s->scratch,
                   s->start);
}

/* Turns the list around: old numbers to new. */
static void invert(sorter *s, vo_remap_kind kind) {
    vo_order *o = s->order;
    for (int i = 0; i < o->old_count[kind]; i++) o->to[kind][i] = -1;
    for (int i = 0; i < o->count[kind]; i++) o->to[kind][o->from[kind][i]] = i;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The smallest square, as corner and side, with all verts. */
static vo_vec2 find_corner(const vo_edit *e, double *side) {
    const vo_mesh *m = e->mesh;
    vo_vec2 low = v2(INFINITY, INFINITY), high = v2(-INFINITY, -INFINITY);
    for (int v = 0; v < m->vert_count; v++) {
        if (!vo_edit_has_vert(e, v)) continue;
        low = v2(vo_min(low.x, m->vert_u[v].x), vo_min(low.y, m->vert_u[v].y));
        high = v2(vo_max(high.x, m->vert_u[v].x), vo_max(high.y, m->vert_u[v].y));
    }
    *side = vo_max(high.x - low.x, high.y - low.y);
    return low;
}

/* The vert of a node that decides where it goes: in the first of its patches. */
static int main_vert(const vo_edit *e, const int *root, int node) {
    int best = e->node_vert[node];
    for (int v = best; v >= 0; v = e->vert_next[v])
        if (root[v] < root[best] || (root[v] == root[best] && v < best)) best = v;
    return best;
}

/* Codes of all nodes into `key`, the vert that stands for their patch into `other`. Nodes without
 * faces come last. */
static void find_codes(sorter *s) {
    const vo_edit *e = s->edit;
    double side;
    vo_vec2 low = find_corner(e, &side);
    for (int n = 0; n < e->mesh->node_count; n++) {
        int v = vo_edit_has_node(e, n) ? main_vert(e, s->root, n) : -1;
        s->key[n] = 0;
        s->other[n] = e->mesh->vert_count;
        if (v < 0) continue;
        s->key[n] = vo_morton_code(e->mesh->vert_u[v], low, side);
        s->other[n] = s->root[v];
    }
}

/* Least significant digit first: the sort is stable. */
static void sort_nodes(sorter *s) {
    int nodes = s->edit->mesh->node_count;
    list(s, VO_REMAP_NODE, vo_edit_has_node);
    find_codes(s);
    int *code = s->key, *digit = s->order->to[VO_REMAP_NODE]; /* free until it is inverted */
    for (int n = 0; n < nodes; n++) digit[n] = code[n] & (VO_MORTON_CELLS - 1);
    sort_by(s, VO_REMAP_NODE, digit, VO_MORTON_CELLS);
    for (int n = 0; n < nodes; n++) digit[n] = code[n] >> VO_MORTON_BITS;
    sort_by(s, VO_REMAP_NODE, digit, VO_MORTON_CELLS);
    sort_by(s, VO_REMAP_NODE, s->other, s->edit->mesh->vert_count + 1);
    invert(s, VO_REMAP_NODE);
}

static void find_patches(sorter *s) {
    const vo_mesh *m = s->edit->mesh;
    for (int f = 0; f < m->face_count; f++) s->skip[f] = !vo_edit_has_face(s->edit, f);
    vo_patches_find_roots(m->vert_count, m->face_count, (const int(*)[3])m->face_vert, s->skip,
                          s->root);
}

/* ---- verts, edges, faces --------------------------------------------------------------------- */

static void sort_verts(sorter *s) {
    vo_order *o = s->order;
    o->count[VO_REMAP_VERT] = 0;
    for (int i = 0; i < o->count[VO_REMAP_NODE]; i++)
        for (int v = s->edit->node_vert[o->from[VO_REMAP_NODE][i]]; v >= 0;
             v = s->edit->vert_next[v])
            o->from[VO_REMAP_VERT][o->count[VO_REMAP_VERT]++] = v;
    invert(s, VO_REMAP_VERT);
}

static void sort_faces(sorter *s) {
    vo_order *o = s->order;
    list(s, VO_REMAP_FACE, vo_edit_has_face);
    for (int i = 0; i < o->count[VO_REMAP_FACE]; i++) {
        int face = o->from[VO_REMAP_FACE][i], low = INT32_MAX;
        for (int k = 0; k < 3; k++)
            low = vo_min_int(low, o->to[VO_REMAP_NODE][vo_mesh_face_node(s->edit->mesh, face, k)]);
        s->key[face] = low;
    }
    sort_by(s, VO_REMAP_FACE, s->key, o->count[VO_REMAP_NODE]);
    invert(s, VO_REMAP_FACE);
}

/* By their first appearance in the faces, as building numbers them. */
static void sort_edges(sorter *s) {
    const vo_mesh *m = s->edit->mesh;
    vo_order *o = s->order;
    int *to = o->to[VO_REMAP_EDGE], count = 0;
    for (int i = 0; i < o->old_count[VO_REMAP_EDGE]; i++) to[i] = -1;
    for (int i = 0; i < o->count[VO_REMAP_FACE]; i++)
        for (int k = 0; k < 3; k++) {
            int edge = m->face_edge[o->from[VO_REMAP_FACE][i]][k];
            if (to[edge] >= 0) continue;
            o->from[VO_REMAP_EDGE][count] = edge;
            to[edge] = count++;
        }
    o->count[VO_REMAP_EDGE] = count;
}

static void sort_all(sorter *s) {
    find_patches(s);
    sort_nodes(s);
    sort_verts(s);
    sort_faces(s);
    sort_edges(s);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool allocate_order(vo_arena *arena, vo_order *o) {
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        o->from[k] = vo_arena_array(arena, int, o->old_count[k] + 1);
        o->to[k] = vo_arena_array(arena, int, o->old_count[k] + 1);
        if (!o->from[k] || !o->to[k]) return false;
    }
    return true;
}

static bool allocate_sorter(vo_arena *arena, sorter *s) {
    const int *count = s->order->old_count;
    int room = 1;
    for (int k = 0; k < VO_REMAP_KINDS; k++) room = vo_max_int(room, count[k]);
    s->key = vo_arena_array(arena, int, room);
    s->other = vo_arena_array(arena, int, room);
    s->scratch = vo_arena_array(arena, int, room);
    s->start = vo_arena_array(arena, int, room + VO_MORTON_CELLS + 2);
    s->root = vo_arena_array(arena, int, count[VO_REMAP_VERT] + 1);
    s->skip = vo_arena_array(arena, uint8_t, count[VO_REMAP_FACE] + 1);
    return s->key && s->other && s->scratch && s->start && s->root && s->skip;
}

vo_result vo_order_create(vo_edit *e, vo_order *out) {
    const vo_mesh *m = e->mesh;
    *out = (vo_order){.old_count = {m->node_count, m->vert_count, m->edge_count, m->face_count}};
    sorter s = {.edit = e, .order = out};
    if (!allocate_order(&e->scratch, out) || !allocate_sorter(&e->scratch, &s))
        return vo_fail_memory(e->ctx, "compacting a mesh");
    sort_all(&s);
    return VO_OK;
}

/* ---- applying it ----------------------------------------------------------------------------- */

static void translate(int *index, int count, const int *to) {
    for (int i = 0; i < count; i++)
        if (index[i] >= 0) index[i] = to[index[i]];
}

/* Rows are in their new places; now what they say. */
static void translate_mesh(vo_mesh *m, const vo_order *o) {
    translate(m->vert_node, m->vert_count, o->to[VO_REMAP_NODE]);
    if (m->edge_count) {
        translate(m->edge_node[0], 2 * m->edge_count, o->to[VO_REMAP_NODE]);
        translate(m->edge_face[0], 2 * m->edge_count, o->to[VO_REMAP_FACE]);
    }
    if (m->face_count) {
        translate(m->face_vert[0], 3 * m->face_count, o->to[VO_REMAP_VERT]);
        translate(m->face_edge[0], 3 * m->face_count, o->to[VO_REMAP_EDGE]);
    }
}

/* Each edge leads the way its first face crosses it. */
static void direct_edges(vo_mesh *m) {
    for (int edge = 0; edge < m->edge_count; edge++) {
        int *face = m->edge_face[edge], *node = m->edge_node[edge];
        if (face[1] < 0 || face[0] < face[1]) continue;
        int first_face = face[1], first_node = node[1];
        face[1] = face[0], node[1] = node[0];
        face[0] = first_face, node[0] = first_node;
    }
}

static void apply(vo_edit *e, const vo_order *o, void *scratch) {
    vo_mesh_gather(e->mesh, o->from, o->count, scratch);
    translate_mesh(e->mesh, o);
    direct_edges(e->mesh);
    vo_edit_gather(e, o->from, o->count, scratch);
    for (int k = 0; k < VO_REMAP_KINDS; k++)
        vo_lineage_close(&e->remap.of[k], o->count[k], o->from[k], scratch);
    vo_edit_connect(e);
    e->edits = 0;
    e->fresh = false;
}

/* Bytes of the longest column. */
static size_t widest(const vo_edit *e, const vo_order *o) {
    int doubles = vo_max_int(vo_max_int(e->def.node_width, e->def.vert_width), 4), rows = 1;
    for (int k = 0; k < VO_REMAP_KINDS; k++) rows = vo_max_int(rows, o->count[k]);
    return vo_array_bytes((size_t)rows, (size_t)doubles * sizeof(double));
}

vo_result vo_edit_finish(vo_edit *e) {
    if (e->edits == 0) return VO_OK;
    vo_order order;
    vo_arena_reset(&e->scratch);
    VO_TRY(vo_order_create(e, &order));
    void *scratch = vo_arena_alloc(&e->scratch, widest(e, &order));
    if (!scratch) return vo_fail_memory(e->ctx, "compacting a mesh");
    apply(e, &order, scratch);
    return VO_OK;
}
