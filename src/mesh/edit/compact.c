/* Compaction: removes the free slots that edits leave and orders elements for locality.
 *
 *      nodes   patch by patch, along a Z-order curve (Morton 1966) through material space:
 *                  0-1 4-5         neighbours in the fabric are close in memory, independent of the
 *                   / / /          connectivity, in linear time
 *                  2-3 6-7
 *      verts   in the order of their nodes
 *      faces   by their lowest node
 *      edges   by first appearance in the faces, directed as in the first face, as vo_mesh_build
 *              numbers them: a mesh that is saved and built again is identical
 *
 * Ties are broken by the old index, so the order depends on the mesh and its history alone. */

#include "core/memory.h"
#include "mesh/edit/edit_local.h"
#include "mesh/morton.h"
#include "mesh/patch.h"
#include "mesh/side_table.h"

#include <string.h>

/* The new numbering of the remaining elements. */
typedef struct mesh_order {
    int old_count[VO_REMAP_KINDS]; /* free slots included */
    int count[VO_REMAP_KINDS];
    int *from[VO_REMAP_KINDS]; /* [count] old index */
    int *to[VO_REMAP_KINDS];   /* [old_count] new index; -1 for a free slot */
} mesh_order;

/* Scratch arrays of the sorting passes. */
typedef struct sorter {
    const vo_edit *edit;
    mesh_order *order;
    int *key, *other, *scratch; /* [elements of the largest kind] */
    int *start;                 /* [as many + VO_MORTON_CELLS + 2] */
    int *root;                  /* [verts] representative vert of the patch */
    uint8_t *skip;              /* [faces] nonzero: a free slot */
} sorter;

/* Lists the remaining elements of a kind in their old order. */
static void list_elements(sorter *s, vo_remap_kind kind, bool (*exists)(const vo_edit *, int)) {
    mesh_order *o = s->order;
    o->count[kind] = 0;
    for (int i = 0; i < o->old_count[kind]; i++)
        if (exists(s->edit, i)) o->from[kind][o->count[kind]++] = i;
}

static void sort_by(sorter *s, vo_remap_kind kind, const int *key, int key_count) {
    vo_sort_by_key(s->order->count[kind], s->order->from[kind], key, key_count, s->scratch,
                   s->start);
}

/* Computes the map from old to new indices. */
static void invert_order(sorter *s, vo_remap_kind kind) {
    mesh_order *o = s->order;
    for (int i = 0; i < o->old_count[kind]; i++) o->to[kind][i] = -1;
    for (int i = 0; i < o->count[kind]; i++) o->to[kind][o->from[kind][i]] = i;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The bounding square of all verts: minimum corner and side. */
static vo_vec2 find_bounding_square(const vo_edit *e, double *side) {
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

/* The vert of a node that determines its position in the order: that in its first patch. */
static int choose_vert(const vo_edit *e, const int *root, int node) {
    int best = e->node_vert[node];
    for (int v = best; v >= 0; v = e->vert_next[v])
        if (root[v] < root[best] || (root[v] == root[best] && v < best)) best = v;
    return best;
}

/* Writes the Morton codes of all nodes to `key` and the representative of their patch to `other`.
 * Nodes without faces come last. */
static void compute_codes(sorter *s) {
    const vo_edit *e = s->edit;
    double side;
    vo_vec2 low = find_bounding_square(e, &side);
    for (int n = 0; n < e->mesh->node_count; n++) {
        int v = vo_edit_has_node(e, n) ? choose_vert(e, s->root, n) : -1;
        s->key[n] = 0;
        s->other[n] = e->mesh->vert_count;
        if (v < 0) continue;
        s->key[n] = vo_morton_code(e->mesh->vert_u[v], low, side);
        s->other[n] = s->root[v];
    }
}

/* Stable radix sort, least significant digit first. */
static void sort_nodes(sorter *s) {
    int nodes = s->edit->mesh->node_count;
    list_elements(s, VO_REMAP_NODE, vo_edit_has_node);
    compute_codes(s);
    int *code = s->key, *digit = s->order->to[VO_REMAP_NODE]; /* unused before invert_order */
    for (int n = 0; n < nodes; n++) digit[n] = code[n] & (VO_MORTON_CELLS - 1);
    sort_by(s, VO_REMAP_NODE, digit, VO_MORTON_CELLS);
    for (int n = 0; n < nodes; n++) digit[n] = code[n] >> VO_MORTON_BITS;
    sort_by(s, VO_REMAP_NODE, digit, VO_MORTON_CELLS);
    sort_by(s, VO_REMAP_NODE, s->other, s->edit->mesh->vert_count + 1);
    invert_order(s, VO_REMAP_NODE);
}

static void find_patches(sorter *s) {
    const vo_mesh *m = s->edit->mesh;
    for (int f = 0; f < m->face_count; f++) s->skip[f] = !vo_edit_has_face(s->edit, f);
    vo_patches_find_roots(m->vert_count, m->face_count, (const int(*)[3])m->face_vert, s->skip,
                          s->root);
}

/* ---- verts, edges, faces --------------------------------------------------------------------- */

static void sort_verts(sorter *s) {
    mesh_order *o = s->order;
    o->count[VO_REMAP_VERT] = 0;
    for (int i = 0; i < o->count[VO_REMAP_NODE]; i++)
        for (int v = s->edit->node_vert[o->from[VO_REMAP_NODE][i]]; v >= 0;
             v = s->edit->vert_next[v])
            o->from[VO_REMAP_VERT][o->count[VO_REMAP_VERT]++] = v;
    invert_order(s, VO_REMAP_VERT);
}

static void sort_faces(sorter *s) {
    mesh_order *o = s->order;
    list_elements(s, VO_REMAP_FACE, vo_edit_has_face);
    for (int i = 0; i < o->count[VO_REMAP_FACE]; i++) {
        int face = o->from[VO_REMAP_FACE][i], low = INT32_MAX;
        for (int k = 0; k < 3; k++)
            low = vo_min_int(low, o->to[VO_REMAP_NODE][vo_mesh_face_node(s->edit->mesh, face, k)]);
        s->key[face] = low;
    }
    sort_by(s, VO_REMAP_FACE, s->key, o->count[VO_REMAP_NODE]);
    invert_order(s, VO_REMAP_FACE);
}

/* Numbers edges by first appearance in the faces, as vo_mesh_build does. */
static void sort_edges(sorter *s) {
    const vo_mesh *m = s->edit->mesh;
    mesh_order *o = s->order;
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

static bool allocate_order(vo_arena *arena, mesh_order *o) {
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        o->from[k] = vo_arena_array(arena, int, o->old_count[k] + 1);
        o->to[k] = vo_arena_array(arena, int, o->old_count[k] + 1);
        if (!o->from[k] || !o->to[k]) return false;
    }
    return true;
}

static bool allocate_sorter(vo_arena *arena, sorter *s) {
    const int *count = s->order->old_count;
    int capacity = 1;
    for (int k = 0; k < VO_REMAP_KINDS; k++) capacity = vo_max_int(capacity, count[k]);
    s->key = vo_arena_array(arena, int, capacity);
    s->other = vo_arena_array(arena, int, capacity);
    s->scratch = vo_arena_array(arena, int, capacity);
    s->start = vo_arena_array(arena, int, capacity + VO_MORTON_CELLS + 2);
    s->root = vo_arena_array(arena, int, count[VO_REMAP_VERT] + 1);
    s->skip = vo_arena_array(arena, uint8_t, count[VO_REMAP_FACE] + 1);
    return s->key && s->other && s->scratch && s->start && s->root && s->skip;
}

static vo_result create_order(vo_edit *e, mesh_order *out) {
    const vo_mesh *m = e->mesh;
    *out = (mesh_order){.old_count = {m->node_count, m->vert_count, m->edge_count, m->face_count}};
    sorter s = {.edit = e, .order = out};
    if (!allocate_order(&e->scratch, out) || !allocate_sorter(&e->scratch, &s))
        return vo_fail_memory(e->ctx, "compacting a mesh");
    sort_all(&s);
    return VO_OK;
}

/* ---- application ---------------------------------------------------------------------------- */

static void map_indices(int *index, int count, const int *to) {
    for (int i = 0; i < count; i++)
        if (index[i] >= 0) index[i] = to[index[i]];
}

/* Converts the indices stored in the permuted rows. */
static void map_mesh_indices(vo_mesh *m, const mesh_order *o) {
    map_indices(m->vert_node, m->vert_count, o->to[VO_REMAP_NODE]);
    if (m->edge_count) {
        map_indices(m->edge_node[0], 2 * m->edge_count, o->to[VO_REMAP_NODE]);
        map_indices(m->edge_face[0], 2 * m->edge_count, o->to[VO_REMAP_FACE]);
    }
    if (m->face_count) {
        map_indices(m->face_vert[0], 3 * m->face_count, o->to[VO_REMAP_VERT]);
        map_indices(m->face_edge[0], 3 * m->face_count, o->to[VO_REMAP_EDGE]);
    }
}

/* Directs each edge as in its first face. */
static void direct_edges(vo_mesh *m) {
    for (int edge = 0; edge < m->edge_count; edge++) {
        int *face = m->edge_face[edge], *node = m->edge_node[edge];
        if (face[1] < 0 || face[0] < face[1]) continue;
        int first_face = face[1], first_node = node[1];
        face[1] = face[0], node[1] = node[0];
        face[0] = first_face, node[0] = first_node;
    }
}

static void apply_order(vo_edit *e, const mesh_order *o, void *scratch) {
    vo_mesh_permute(e->mesh, o->from, o->count, scratch);
    map_mesh_indices(e->mesh, o);
    direct_edges(e->mesh);
    vo_edit_permute(e, o->from, o->count, scratch);
    for (int k = 0; k < VO_REMAP_KINDS; k++)
        vo_lineage_compact(&e->remap.of[k], o->count[k], o->from[k], scratch);
    vo_edit_connect(e);
    vo_mesh_change_topology(e->mesh);
    e->edits = 0;
    e->fresh = false;
}

/* Size of the max_column_bytes column, bytes. */
static size_t max_column_bytes(const vo_edit *e, const mesh_order *o) {
    int doubles = vo_max_int(vo_max_int(e->def.node_width, e->def.vert_width), 4), rows = 1;
    for (int k = 0; k < VO_REMAP_KINDS; k++) rows = vo_max_int(rows, o->count[k]);
    return vo_array_bytes((size_t)rows, (size_t)doubles * sizeof(double));
}

vo_result vo_edit_finish(vo_edit *e) {
    if (e->edits == 0) return VO_OK;
    mesh_order order;
    vo_arena_reset(&e->scratch);
    VO_TRY(create_order(e, &order));
    void *scratch = vo_arena_alloc(&e->scratch, max_column_bytes(e, &order));
    if (!scratch) return vo_fail_memory(e->ctx, "compacting a mesh");
    apply_order(e, &order, scratch);
    return VO_OK;
}
