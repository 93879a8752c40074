/* Merges sewn nodes. Simnett et al. 2009, "Simulating real-time cloth with adaptive edge-based
 * meshes", section 4: one vertex per group of linked ones, with all of their material coordinates.
 * Masses follow from the faces. */
#include "garment/pattern.h"
#include "garment/pattern_groups.h"
#include "mesh/data.h"
#include "mesh/validate.h"

#include <stdlib.h>
#include <string.h>

/* Averages node positions and velocities over the groups; `index` receives the new node of each old
 * one. */
static void fill_nodes(const vo_mesh *m, const int *group, int *index, vo_mesh_data *d) {
    for (int n = 0; n < m->node_count; n++) {
        bool first = group[n] == n;
        if (first) index[n] = d->node_count++;
        int to = index[n] = index[group[n]];
        d->node_x[to] = first ? m->node_x[n] : v3_add(d->node_x[to], m->node_x[n]);
        d->node_v[to] = first ? m->node_v[n] : v3_add(d->node_v[to], m->node_v[n]);
        d->node_line[to] += 1; /* group size; cleared below */
        if (d->node_label[to] == 0) d->node_label[to] = m->node_label[n];
    }
    for (int n = 0; n < d->node_count; n++) {
        d->node_x[n] = v3_scale(1.0 / d->node_line[n], d->node_x[n]);
        d->node_v[n] = v3_scale(1.0 / d->node_line[n], d->node_v[n]);
        d->node_line[n] = 0;
    }
}

static void fill_rest(const vo_mesh *m, const int *index, vo_mesh_data *d) {
    for (int v = 0; v < m->vert_count; v++) {
        d->vert_u[v] = m->vert_u[v];
        d->vert_node[v] = index[m->vert_node[v]];
        d->vert_label[v] = m->vert_label[v];
    }
    for (int f = 0; f < m->face_count; f++) {
        memcpy(d->face_vert[f], m->face_vert[f], sizeof *d->face_vert);
        d->face_label[f] = m->face_label[f];
        d->face_damage[f] = m->face_damage[f];
    }
    for (int e = 0; e < m->edge_count; e++) {
        if (!m->edge_label[e] && m->edge_rest_angle[e] == 0 && m->edge_damage[e] == 0) continue;
        int k = d->edge_count++;
        for (int i = 0; i < 2; i++) d->edge_node[k][i] = index[m->edge_node[e][i]];
        d->edge_label[k] = m->edge_label[e];
        d->edge_rest_angle[k] = m->edge_rest_angle[e];
        d->edge_damage[k] = m->edge_damage[e];
    }
    d->vert_count = m->vert_count;
    d->face_count = m->face_count;
}

/* Builds the mesh with one node per group. */
static vo_result merge_groups(const vo_mesh *m, int *group, vo_mesh **out) {
    vo_context *ctx = m->ctx;
    vo_mesh_data d = {0};
    vo_result result = VO_OK;
    int *index = vo_new_array(ctx, int, m->node_count);
    vo_groups_flatten(m->node_count, group);
    if (!index || !vo_mesh_data_reserve_nodes(ctx, &d, m->node_count) ||
        !vo_mesh_data_reserve_verts(ctx, &d, m->vert_count) ||
        !vo_mesh_data_reserve_faces(ctx, &d, m->face_count) ||
        !vo_mesh_data_reserve_edges(ctx, &d, m->edge_count))
        result = vo_fail_memory(ctx, "a merged mesh");
    if (result == VO_OK) {
        fill_nodes(m, group, index, &d);
        fill_rest(m, index, &d);
        d.vert_patch = m->vert_patch;
        result = vo_mesh_build_validated(ctx, "merged mesh", &d, VO_MESH_FOR_CLOTH, out);
        d.vert_patch = NULL;
    }
    vo_mesh_data_free(ctx, &d);
    vo_free_array(ctx, index, m->node_count);
    return result;
}

vo_result vo_pattern_merge(const vo_mesh *mesh, int link_count, const vo_stitch *link,
                           vo_mesh **out) {
    *out = NULL;
    int *group = vo_new_array(mesh->ctx, int, mesh->node_count);
    if (!group) return vo_fail_memory(mesh->ctx, "a merged mesh");
    vo_result result = VO_OK;
    vo_groups_init(mesh->node_count, group);
    for (int i = 0; i < link_count && result == VO_OK; i++) {
        const int *n = link[i].node;
        if (n[0] < 0 || n[1] < 0 || n[0] >= mesh->node_count || n[1] >= mesh->node_count)
            result = vo_fail(mesh->ctx, VO_BAD_ARGUMENT, "link %d joins nodes %d and %d of %d", i,
                             n[0], n[1], mesh->node_count);
        else
            vo_union_find_join(group, n[0], n[1]);
    }
    if (result == VO_OK) result = merge_groups(mesh, group, out);
    vo_free_array(mesh->ctx, group, mesh->node_count);
    return result;
}

typedef struct border_node {
    vo_vec3 x;
    int node;
} border_node;

static int compare_border(const void *a, const void *b) {
    const border_node *p = a, *q = b;
    if (p->x.x != q->x.x) return p->x.x < q->x.x ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

/* Collects the nodes of boundary edges once each, sorted by x. */
static int collect_border(const vo_mesh *m, int *mark, border_node *out) {
    int count = 0;
    for (int n = 0; n < m->node_count; n++) mark[n] = 0;
    for (int e = 0; e < m->edge_count; e++)
        for (int i = 0; i < 2; i++)
            if (m->edge_face[e][1] < 0) mark[m->edge_node[e][i]] = 1;
    for (int n = 0; n < m->node_count; n++)
        if (mark[n]) out[count++] = (border_node){m->node_x[n], n};
    qsort(out, (size_t)count, sizeof *out, compare_border);
    return count;
}

vo_result vo_pattern_merge_near(const vo_mesh *mesh, double distance, vo_mesh **out) {
    vo_context *ctx = mesh->ctx;
    *out = NULL;
    if (!(distance >= 0)) return vo_fail(ctx, VO_BAD_ARGUMENT, "merge: the distance is negative");
    int *group = vo_new_array(ctx, int, mesh->node_count);
    border_node *border = vo_new_array(ctx, border_node, mesh->node_count);
    vo_result result = group && border ? VO_OK : vo_fail_memory(ctx, "a merged mesh");
    if (result == VO_OK) {
        int count = collect_border(mesh, group, border);
        vo_groups_init(mesh->node_count, group);
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count && border[j].x.x - border[i].x.x <= distance; j++)
                if (v3_distance(border[i].x, border[j].x) <= distance)
                    vo_union_find_join(group, border[i].node, border[j].node);
        result = merge_groups(mesh, group, out);
    }
    vo_free_array(ctx, border, mesh->node_count);
    vo_free_array(ctx, group, mesh->node_count);
    return result;
}
