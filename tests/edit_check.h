/* Brute-force check of an editor's invariants (mesh/edit/edit.h): half-edge lists, free slots,
 * features, and the invariants of mesh/mesh.h. */
#ifndef VOILE_TESTS_EDIT_CHECK_H
#define VOILE_TESTS_EDIT_CHECK_H

#include "mesh/edit/edit_local.h"

#define CHECK_EDIT(condition, what, index)                                                      \
    do {                                                                                        \
        if (!(condition))                                                                       \
            return vo_fail(e->ctx, VO_BAD_DATA, "%s %d: %s is false", what, index, #condition); \
    } while (0)

static inline vo_result check_edit_vert(const vo_edit *e, int v) {
    const vo_mesh *m = e->mesh;
    int node = m->vert_node[v], found = 0;
    CHECK_EDIT(node < m->node_count && vo_edit_has_node(e, node), "vert", v);
    for (int w = e->node_vert[node]; w >= 0; w = e->vert_next[w]) found += w == v;
    CHECK_EDIT(found == 1, "vert", v);
    return VO_OK;
}

/* Checks invariants 1 and 3 of mesh/mesh.h. */
static inline vo_result check_edit_face(const vo_edit *e, int f) {
    const vo_mesh *m = e->mesh;
    for (int i = 0; i < 3; i++) {
        int v = m->face_vert[f][i], edge = m->face_edge[f][i];
        CHECK_EDIT(v >= 0 && v < m->vert_count && vo_edit_has_vert(e, v), "face", f);
        CHECK_EDIT(vo_edit_has_edge(e, edge), "face", f);
        CHECK_EDIT(m->edge_face[edge][0] == f || m->edge_face[edge][1] == f, "face", f);
        int side = m->edge_face[edge][1] == f, after = vo_next_corner(i);
        CHECK_EDIT(m->edge_node[edge][side] == vo_mesh_face_node(m, f, i), "face", f);
        CHECK_EDIT(m->edge_node[edge][1 - side] == vo_mesh_face_node(m, f, after), "face", f);
        CHECK_EDIT(vo_mesh_face_node(m, f, i) != vo_mesh_face_node(m, f, after), "face", f);
    }
    CHECK_EDIT(vo_mesh_face_area(m, f) > 0, "face", f);
    return VO_OK;
}

/* Checks invariants 2 and 4 and the half-edge lists of both ends. */
static inline vo_result check_edit_edge(const vo_edit *e, int edge) {
    const vo_mesh *m = e->mesh;
    const int *face = m->edge_face[edge];
    CHECK_EDIT(face[0] >= 0 && face[0] < m->face_count && vo_edit_has_face(e, face[0]), "edge",
               edge);
    CHECK_EDIT(face[1] == -1 || (face[1] >= 0 && face[1] < m->face_count), "edge", edge);
    CHECK_EDIT(face[1] == -1 || vo_edit_has_face(e, face[1]), "edge", edge);
    CHECK_EDIT(face[0] != face[1], "edge", edge);
    for (int s = 0; s < 2 && face[s] >= 0; s++)
        CHECK_EDIT(m->face_edge[face[s]][vo_side_of(m, face[s], edge)] == edge, "edge", edge);
    for (int end = 0; end < 2; end++) {
        int node = m->edge_node[edge][end], found = 0, twins = 0;
        CHECK_EDIT(node >= 0 && node < m->node_count && vo_edit_has_node(e, node), "edge", edge);
        for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h)) {
            CHECK_EDIT(vo_halfedge_origin(m, h) == node, "edge", edge);
            found += h == 2 * edge + end;
            twins += vo_halfedge_target(m, h) == m->edge_node[edge][1 - end];
        }
        CHECK_EDIT(found == 1, "edge", edge);
        CHECK_EDIT(twins == 1, "edge", edge);
    }
    CHECK_EDIT(e->edge_feature[edge] == vo_edit_classify_edge(m, edge), "edge", edge);
    CHECK_EDIT(e->edge_drift[edge] <= e->def.outline_tolerance, "edge", edge);
    return VO_OK;
}

/* Checks that free slots and elements together fill the arrays. */
static inline vo_result check_edit_free_slots(const vo_edit *e, const int alive[VO_REMAP_KINDS]) {
    const vo_mesh *m = e->mesh;
    int count[] = {m->node_count, m->vert_count, m->edge_count, m->face_count};
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        int slots = 0;
        for (int i = e->free_slot[k]; i >= 0 && slots <= count[k]; slots++)
            i = k == VO_REMAP_NODE   ? e->node_halfedge[i]
                : k == VO_REMAP_VERT ? e->vert_next[i]
                : k == VO_REMAP_EDGE ? e->edge_next[i][0]
                                     : m->face_vert[i][1];
        CHECK_EDIT(slots == e->free_slot_count[k], "free slots of kind", k);
        CHECK_EDIT(alive[k] + slots == count[k], "free slots of kind", k);
    }
    return VO_OK;
}

/* VO_OK, or VO_BAD_DATA with a message about the first violation. */
static inline vo_result check_edit(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    int alive[VO_REMAP_KINDS] = {0};
    for (int n = 0; n < m->node_count; n++) alive[VO_REMAP_NODE] += vo_edit_has_node(e, n);
    for (int v = 0; v < m->vert_count; v++) {
        if (!vo_edit_has_vert(e, v)) continue;
        alive[VO_REMAP_VERT]++;
        VO_TRY(check_edit_vert(e, v));
    }
    for (int f = 0; f < m->face_count; f++) {
        if (!vo_edit_has_face(e, f)) continue;
        alive[VO_REMAP_FACE]++;
        VO_TRY(check_edit_face(e, f));
    }
    for (int edge = 0; edge < m->edge_count; edge++) {
        if (!vo_edit_has_edge(e, edge)) continue;
        alive[VO_REMAP_EDGE]++;
        VO_TRY(check_edit_edge(e, edge));
    }
    return check_edit_free_slots(e, alive);
}

#undef CHECK_EDIT

#endif
