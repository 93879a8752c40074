#include "mesh/edit/edit.h"

#include "core/memory.h"
#include "mesh/columns.h"
#include "mesh/edit/edit_local.h"

#include <string.h>

vo_edit_def vo_edit_def_default(void) {
    return (vo_edit_def){.outline_tolerance = 0, .corner_angle = 0.6};
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct edit_columns {
    vo_column node[7], vert[2], edge[3];
} edit_columns;

static vo_column data_column(double **slot, int width) {
    return (vo_column){slot, (size_t)width * sizeof(double), true};
}

static edit_columns list_columns(vo_edit *e) {
    return (edit_columns){
        .node = {VO_COLUMN(e->node_halfedge), VO_COLUMN(e->node_vert), VO_COLUMN(e->node_flags),
                 VO_COLUMN(e->node_mass), data_column(&e->node_data, e->def.node_width),
                 VO_COLUMN(e->node_split_cooldown), VO_COLUMN(e->node_edit_penalty)},
        .vert = {VO_COLUMN(e->vert_next), data_column(&e->vert_data, e->def.vert_width)},
        .edge = {VO_COLUMN(e->edge_next), VO_COLUMN(e->edge_feature), VO_COLUMN(e->edge_drift)},
    };
}

/* Grows the editor's columns to the capacity of the mesh. */
static bool grow_columns(vo_edit *e) {
    edit_columns c = list_columns(e);
    const vo_mesh *m = e->mesh;
    return vo_columns_reserve(e->ctx, c.node, 7, &e->node_capacity, m->node_capacity) &&
           vo_columns_reserve(e->ctx, c.vert, 2, &e->vert_capacity, m->vert_capacity) &&
           vo_columns_reserve(e->ctx, c.edge, 3, &e->edge_capacity, m->edge_capacity);
}

static bool enable_data(vo_edit *e) {
    edit_columns c = list_columns(e);
    return (e->def.node_width == 0 || vo_column_enable(e->ctx, c.node[4], e->node_capacity)) &&
           (e->def.vert_width == 0 || vo_column_enable(e->ctx, c.vert[1], e->vert_capacity));
}

static bool copy_density(vo_edit *e, const vo_edit_def *def) {
    if (!def->density || def->density_count <= 0) return true;
    e->density = vo_new_array(e->ctx, double, def->density_count);
    if (!e->density) return false;
    memcpy(e->density, def->density, (size_t)def->density_count * sizeof *e->density);
    return true;
}

vo_result vo_edit_create(vo_mesh *mesh, const vo_edit_def *def, vo_edit **out) {
    *out = NULL;
    vo_context *ctx = mesh->ctx;
    VO_REQUIRE(ctx, mesh->use == VO_MESH_FOR_CLOTH);
    VO_REQUIRE(ctx, def->node_width >= 0 && def->vert_width >= 0);
    vo_edit *e = vo_new(ctx, vo_edit);
    if (!e) return vo_fail_memory(ctx, "editing a mesh");
    e->ctx = ctx;
    e->mesh = mesh;
    e->def = *def;
    vo_remap_init(&e->remap, ctx);
    vo_arena_init(&e->scratch, ctx);
    if (!copy_density(e, def) || !grow_columns(e) || !enable_data(e)) {
        vo_edit_destroy(e);
        return vo_fail_memory(ctx, "editing a mesh");
    }
    e->def.density = e->density;
    vo_edit_connect(e);
    vo_edit_mark_preserved(e);
    vo_edit_compute_masses(e);
    vo_result result = vo_edit_begin(e);
    if (result == VO_OK)
        *out = e;
    else
        vo_edit_destroy(e);
    return result;
}

void vo_edit_destroy(vo_edit *e) {
    if (!e) return;
    edit_columns c = list_columns(e);
    vo_columns_free(e->ctx, c.node, 7, &e->node_capacity);
    vo_columns_free(e->ctx, c.vert, 2, &e->vert_capacity);
    vo_columns_free(e->ctx, c.edge, 3, &e->edge_capacity);
    vo_free_array(e->ctx, e->density, e->def.density_count);
    vo_remap_free(&e->remap);
    vo_arena_free(&e->scratch);
    vo_delete(e->ctx, e);
}

void vo_edit_permute(vo_edit *e, int *const from[4], const int count[4], void *scratch) {
    edit_columns c = list_columns(e);
    vo_columns_permute(c.node, 7, from[0], count[0], scratch);
    vo_columns_permute(c.vert, 2, from[1], count[1], scratch);
    vo_columns_permute(c.edge, 3, from[2], count[2], scratch);
}

vo_result vo_edit_begin(vo_edit *e) {
    const vo_mesh *m = e->mesh;
    VO_REQUIRE(e->ctx, e->edits == 0);
    int count[VO_REMAP_KINDS] = {m->node_count, m->vert_count, m->edge_count, m->face_count};
    VO_TRY(vo_remap_begin(&e->remap, count));
    vo_edit_compute_masses(e);
    e->fresh = true;
    return VO_OK;
}

/* Grows all arrays for `splits` splits beyond the free slots. */
static bool reserve_splits(vo_edit *e, int splits) {
    static const int per_split[VO_REMAP_KINDS] = {1, 2, 3, 2},
                     records[VO_REMAP_KINDS] = {1, 2, 0, 2};
    vo_mesh *m = e->mesh;
    int count[VO_REMAP_KINDS] = {m->node_count, m->vert_count, m->edge_count, m->face_count};
    if (splits > (INT32_MAX / 4 - m->edge_count) / 3) return false;
    for (int k = 0; k < VO_REMAP_KINDS; k++)
        count[k] += vo_max_int(per_split[k] * splits - e->free_slot_count[k], 0);
    if (vo_mesh_reserve(m, count[0], count[1], count[2], count[3]) != VO_OK || !grow_columns(e))
        return false;
    for (int k = 0; k < VO_REMAP_KINDS; k++)
        if (!vo_lineage_reserve(e->ctx, &e->remap.of[k], count[k], records[k] * splits))
            return false;
    return true;
}

vo_result vo_edit_reserve(vo_edit *e, int splits) {
    return reserve_splits(e, splits) ? VO_OK : vo_fail_memory(e->ctx, "editing a mesh");
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Returns the first free slot, or a new element at the end of the arrays. */
static int acquire_slot(vo_edit *e, vo_remap_kind kind, int *count) {
    int index = e->free_slot[kind];
    if (index < 0) return (*count)++;
    const vo_mesh *m = e->mesh;
    e->free_slot_count[kind]--;
    e->free_slot[kind] = kind == VO_REMAP_NODE   ? e->node_halfedge[index]
                         : kind == VO_REMAP_VERT ? e->vert_next[index]
                         : kind == VO_REMAP_EDGE ? e->edge_next[index][0]
                                                 : m->face_vert[index][1];
    return index;
}

/* Adds a slot to the free list; returns the slot that it must link to. */
static int release_slot(vo_edit *e, vo_remap_kind kind, int index) {
    int next = e->free_slot[kind];
    e->free_slot[kind] = index;
    e->free_slot_count[kind]++;
    return next;
}

int vo_edit_new_node(vo_edit *e) {
    vo_mesh *m = e->mesh;
    int n = acquire_slot(e, VO_REMAP_NODE, &m->node_count);
    m->node_label[n] = 0;
    e->node_halfedge[n] = e->node_vert[n] = -1;
    e->node_flags[n] = e->node_split_cooldown[n] = e->node_edit_penalty[n] = 0;
    e->node_mass[n] = 0;
    return n;
}

int vo_edit_new_vert(vo_edit *e, int node) {
    vo_mesh *m = e->mesh;
    int v = acquire_slot(e, VO_REMAP_VERT, &m->vert_count);
    m->vert_node[v] = node;
    m->vert_label[v] = 0;
    e->vert_next[v] = e->node_vert[node];
    e->node_vert[node] = v;
    return v;
}

int vo_edit_new_edge(vo_edit *e) {
    vo_mesh *m = e->mesh;
    int edge = acquire_slot(e, VO_REMAP_EDGE, &m->edge_count);
    m->edge_rest_angle[edge] = m->edge_damage[edge] = e->edge_drift[edge] = 0;
    m->edge_label[edge] = e->edge_feature[edge] = 0;
    return edge;
}

int vo_edit_new_face(vo_edit *e) { return acquire_slot(e, VO_REMAP_FACE, &e->mesh->face_count); }

void vo_edit_free_node(vo_edit *e, int n) {
    e->node_halfedge[n] = release_slot(e, VO_REMAP_NODE, n);
    e->node_vert[n] = -1;
    e->node_flags[n] = VO_NODE_GONE;
}

void vo_edit_free_vert(vo_edit *e, int v) {
    e->vert_next[v] = release_slot(e, VO_REMAP_VERT, v);
    e->mesh->vert_node[v] = -1;
}

void vo_edit_free_edge(vo_edit *e, int edge) {
    e->edge_next[edge][0] = release_slot(e, VO_REMAP_EDGE, edge);
    e->mesh->edge_node[edge][0] = e->mesh->edge_node[edge][1] = -1;
}

void vo_edit_free_face(vo_edit *e, int f) {
    e->mesh->face_vert[f][1] = release_slot(e, VO_REMAP_FACE, f);
    e->mesh->face_vert[f][0] = -1;
}
