#include "core/memory.h"
#include "mesh/mesh.h"
#include "mesh/patch.h"
#include "mesh/side_table.h"

#include <string.h>

/* Working data of the passes. */
typedef struct builder {
    vo_context *ctx;
    const vo_mesh_data *data;
    vo_mesh *mesh;
    int *vert_index; /* [data->vert_count + 1] index in the mesh, -1 if no face uses the vert */
    int *mate;       /* [3 x faces] the side across the edge, -1 at a border */
    vo_side_table sides;
} builder;

/* Copies an array; does nothing if `from` is NULL. */
static void copy_array(void *to, const void *from, int count, size_t size) {
    if (from && count) memcpy(to, from, (size_t)count * size);
}

static vo_result build_nodes(builder *b) {
    const vo_mesh_data *d = b->data;
    vo_mesh *m = b->mesh;
    VO_TRY(vo_mesh_reserve(m, d->node_count, 0, 0, 0));
    VO_TRY(vo_mesh_add_optional_arrays(m, d->node_y, false));
    m->node_count = d->node_count;
    copy_array(m->node_x, d->node_x, d->node_count, sizeof *m->node_x);
    copy_array(m->node_v, d->node_v, d->node_count, sizeof *m->node_v);
    copy_array(m->node_label, d->node_label, d->node_count, sizeof *m->node_label);
    for (int n = 0; d->node_y && n < d->node_count; n++)
        m->node_y[n] = !isnan(d->node_y[n].x) ? d->node_y[n] : d->node_x[n];
    return VO_OK;
}

/* Numbers the used verts in their old order; returns their number. */
static int number_verts(builder *b) {
    const vo_mesh_data *d = b->data;
    for (int v = 0; v < d->vert_count; v++) b->vert_index[v] = -1;
    for (int f = 0; f < d->face_count; f++)
        for (int i = 0; i < 3; i++) b->vert_index[d->face_vert[f][i]] = 0;
    int count = 0;
    for (int v = 0; v < d->vert_count; v++)
        if (b->vert_index[v] == 0) b->vert_index[v] = count++;
    return count;
}

static vo_result build_verts(builder *b) {
    const vo_mesh_data *d = b->data;
    vo_mesh *m = b->mesh;
    b->vert_index = vo_new_array(b->ctx, int, d->vert_count + 1);
    if (!b->vert_index) return vo_fail_memory(b->ctx, "a mesh");
    m->vert_count = number_verts(b);
    VO_TRY(vo_mesh_reserve(m, 0, m->vert_count, 0, 0));
    for (int v = 0; v < d->vert_count; v++) {
        int index = b->vert_index[v];
        if (index < 0) continue;
        m->vert_u[index] = d->vert_u[v];
        m->vert_node[index] = d->vert_node[v];
        m->vert_label[index] = d->vert_label ? d->vert_label[v] : 0;
    }
    return VO_OK;
}

static vo_result build_faces(builder *b) {
    const vo_mesh_data *d = b->data;
    vo_mesh *m = b->mesh;
    VO_TRY(vo_mesh_reserve(m, 0, 0, 0, d->face_count));
    VO_TRY(vo_mesh_add_optional_arrays(m, false, d->face_curvature));
    m->face_count = d->face_count;
    for (int f = 0; f < d->face_count; f++)
        for (int i = 0; i < 3; i++) m->face_vert[f][i] = b->vert_index[d->face_vert[f][i]];
    copy_array(m->face_label, d->face_label, d->face_count, sizeof *m->face_label);
    copy_array(m->face_damage, d->face_damage, d->face_count, sizeof *m->face_damage);
    copy_array(m->face_curvature, d->face_curvature, d->face_count, sizeof *m->face_curvature);
    return VO_OK;
}

/* The next face side of a group that runs from the lower node to the higher one, or back. */
static int next_side(const builder *b, int at, int end, bool forward) {
    const vo_side_table *s = &b->sides;
    for (; at < end; at++) {
        int side = s->order[at], node[2];
        if (side >= s->face_sides) return end;
        vo_side_table_nodes(b->data, side, node);
        if ((node[0] < node[1]) == forward) return at;
    }
    return end;
}

/* Pairs the first sides of both directions, then the second ones, and so on. */
static void pair_group(builder *b, int begin, int end) {
    int there = next_side(b, begin, end, true), back = next_side(b, begin, end, false);
    while (there < end && back < end) {
        int one = b->sides.order[there], other = b->sides.order[back];
        b->mate[one] = other;
        b->mate[other] = one;
        there = next_side(b, there + 1, end, true);
        back = next_side(b, back + 1, end, false);
    }
}

/* Finds the opposite side of each side; returns the number of edges. */
static int pair_sides(builder *b) {
    int face_sides = b->sides.face_sides, paired = 0;
    for (int s = 0; s < face_sides; s++) b->mate[s] = -1;
    for (int begin = 0, end; begin < b->sides.count; begin = end) {
        end = vo_side_table_group_end(&b->sides, begin);
        pair_group(b, begin, end);
    }
    for (int s = 0; s < face_sides; s++) paired += b->mate[s] >= 0;
    return face_sides - paired / 2;
}

/* Numbers edges in face order: the first side of a pair creates the edge. */
static void number_edges(builder *b) {
    vo_mesh *m = b->mesh;
    for (int side = 0; side < b->sides.face_sides; side++) {
        int face = side / 3, mate = b->mate[side], edge;
        if (mate >= 0 && mate < side) {
            edge = m->face_edge[mate / 3][mate % 3];
            m->edge_face[edge][1] = face;
        } else {
            edge = m->edge_count++;
            vo_side_table_nodes(b->data, side, m->edge_node[edge]);
            m->edge_face[edge][0] = face;
            m->edge_face[edge][1] = -1;
        }
        m->face_edge[face][side % 3] = edge;
    }
}

/* Properties of an edge in the file; of several lines the last nonzero value is used. */
typedef struct edge_properties {
    double rest_angle, damage;
    int label;
} edge_properties;

static edge_properties facts_of_run(const builder *b, int begin, int end) {
    const vo_mesh_data *d = b->data;
    edge_properties facts = {0};
    for (int i = begin; i < end; i++) {
        int e = b->sides.order[i] - b->sides.face_sides;
        if (e < 0) continue;
        if (d->edge_rest_angle && d->edge_rest_angle[e] != 0)
            facts.rest_angle = d->edge_rest_angle[e];
        if (d->edge_damage && d->edge_damage[e] != 0) facts.damage = d->edge_damage[e];
        if (d->edge_label && d->edge_label[e] != 0) facts.label = d->edge_label[e];
    }
    return facts;
}

/* Stores the properties of listed edges in the edges of the mesh. */
static void attach_properties(builder *b) {
    vo_mesh *m = b->mesh;
    if (b->data->edge_count == 0) return;
    for (int begin = 0, end; begin < b->sides.count; begin = end) {
        end = vo_side_table_group_end(&b->sides, begin);
        edge_properties facts = facts_of_run(b, begin, end);
        for (int i = begin; i < end && b->sides.order[i] < b->sides.face_sides; i++) {
            int edge = m->face_edge[b->sides.order[i] / 3][b->sides.order[i] % 3];
            m->edge_rest_angle[edge] = facts.rest_angle;
            m->edge_damage[edge] = facts.damage;
            m->edge_label[edge] = facts.label;
        }
    }
}

static vo_result build_edges(builder *b) {
    if (b->data->face_count == 0) return VO_OK;
    VO_TRY(vo_side_table_create(b->ctx, b->data, NULL, &b->sides));
    b->mate = vo_new_array(b->ctx, int, b->sides.face_sides);
    if (!b->mate) return vo_fail_memory(b->ctx, "the edges of a mesh");
    VO_TRY(vo_mesh_reserve(b->mesh, 0, 0, pair_sides(b), 0));
    number_edges(b);
    attach_properties(b);
    return VO_OK;
}

static bool has_inverted_face(const vo_mesh_data *d) {
    for (int f = 0; f < d->face_count; f++)
        if (vo_material_cross(d->vert_u, d->face_vert[f]) < 0) return true;
    return false;
}

/* Mirrors u -> -u and changes the axes of the plastic curvature accordingly. */
static void mirror_patches(builder *b, const vo_patches *p) {
    const vo_mesh_data *d = b->data;
    vo_mesh *m = b->mesh;
    for (int v = 0; v < d->vert_count; v++)
        if (b->vert_index[v] >= 0 && p->mirrored[p->root[v]])
            m->vert_u[b->vert_index[v]].x = -d->vert_u[v].x;
    for (int f = 0; m->face_curvature && f < m->face_count; f++) {
        if (!p->mirrored[p->root[d->face_vert[f][0]]]) continue;
        m->face_curvature[f][1] = -m->face_curvature[f][1];
        m->face_curvature[f][2] = -m->face_curvature[f][2];
    }
}

/* Numbers patches in the order of their first verts, which are their roots. */
static void number_patches(builder *b, const vo_patches *p) {
    int *patch = b->mesh->vert_patch, count = 0;
    for (int v = 0; v < b->data->vert_count; v++) {
        if (b->vert_index[v] < 0) continue;
        patch[b->vert_index[v]] = p->root[v] == v ? count++ : patch[b->vert_index[p->root[v]]];
    }
}

static void copy_patches(builder *b) {
    for (int v = 0; v < b->data->vert_count; v++)
        if (b->vert_index[v] >= 0) b->mesh->vert_patch[b->vert_index[v]] = b->data->vert_patch[v];
}

static vo_result build_patches(builder *b) {
    bool inverted = has_inverted_face(b->data);
    if (b->data->vert_patch) copy_patches(b);
    if (b->data->vert_patch && !inverted) return VO_OK;
    vo_patches patches;
    VO_TRY(vo_patches_create(b->ctx, b->data, NULL, &patches));
    if (!b->data->vert_patch) number_patches(b, &patches);
    if (inverted) mirror_patches(b, &patches);
    vo_patches_free(&patches);
    return VO_OK;
}

static vo_result build(builder *b) {
    VO_TRY(build_nodes(b));
    VO_TRY(build_verts(b));
    VO_TRY(build_faces(b));
    VO_TRY(build_edges(b));
    return build_patches(b);
}

vo_result vo_mesh_build(vo_context *ctx, const vo_mesh_data *data, vo_mesh **out) {
    *out = NULL;
    builder b = {.ctx = ctx, .data = data, .mesh = vo_new(ctx, vo_mesh), .sides = {.ctx = ctx}};
    if (!b.mesh) return vo_fail_memory(ctx, "a mesh");
    b.mesh->ctx = ctx;
    vo_mesh_change_topology(b.mesh);
    vo_result result = build(&b);
    vo_free_array(ctx, b.vert_index, data->vert_count + 1);
    vo_free_array(ctx, b.mate, 3 * data->face_count);
    vo_side_table_free(&b.sides);
    if (result == VO_OK)
        *out = b.mesh;
    else
        vo_mesh_destroy(b.mesh);
    return result;
}
