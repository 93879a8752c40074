#include "mesh/edit_local.h"

#define CHECK(condition, what, index)                                                   \
    do {                                                                                \
        if (!(condition))                                                               \
            return vo_fail(e->ctx, VO_BAD_DATA, "%s %d: %s does not hold", what, index, \
                           #condition);                                                 \
    } while (0)

static vo_result check_vert(const vo_edit *e, int v) {
    const vo_mesh *m = e->mesh;
    int node = m->vert_node[v], found = 0;
    CHECK(node < m->node_count && vo_edit_has_node(e, node), "vert", v);
    for (int w = e->node_vert[node]; w >= 0; w = e->vert_next[w]) found += w == v;
    CHECK(found == 1, "vert", v);
    return VO_OK;
}

/* Invariants 1 and 3 of mesh/mesh.h. */
static vo_result check_face(const vo_edit *e, int f) {
    const vo_mesh *m = e->mesh;
    for (int i = 0; i < 3; i++) {
        int v = m->face_vert[f][i], edge = m->face_edge[f][i];
        CHECK(v >= 0 && v < m->vert_count && vo_edit_has_vert(e, v), "face", f);
        CHECK(vo_edit_has_edge(e, edge), "face", f);
        CHECK(m->edge_face[edge][0] == f || m->edge_face[edge][1] == f, "face", f);
        int side = m->edge_face[edge][1] == f, after = vo_after(i);
        CHECK(m->edge_node[edge][side] == vo_mesh_face_node(m, f, i), "face", f);
        CHECK(m->edge_node[edge][1 - side] == vo_mesh_face_node(m, f, after), "face", f);
        CHECK(vo_mesh_face_node(m, f, i) != vo_mesh_face_node(m, f, after), "face", f);
    }
    CHECK(vo_mesh_face_area(m, f) > 0, "face", f);
    return VO_OK;
}

/* Invariants 2 and 4, and the lists of both ends. */
static vo_result check_edge(const vo_edit *e, int edge) {
    const vo_mesh *m = e->mesh;
    const int *face = m->edge_face[edge];
    CHECK(face[0] >= 0 && face[0] < m->face_count && vo_edit_has_face(e, face[0]), "edge", edge);
    CHECK(face[1] == -1 || (face[1] >= 0 && face[1] < m->face_count), "edge", edge);
    CHECK(face[1] == -1 || vo_edit_has_face(e, face[1]), "edge", edge);
    CHECK(face[0] != face[1], "edge", edge);
    for (int s = 0; s < 2 && face[s] >= 0; s++)
        CHECK(m->face_edge[face[s]][vo_side_of(m, face[s], edge)] == edge, "edge", edge);
    for (int end = 0; end < 2; end++) {
        int node = m->edge_node[edge][end], found = 0, twins = 0;
        CHECK(node >= 0 && node < m->node_count && vo_edit_has_node(e, node), "edge", edge);
        for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h)) {
            CHECK(vo_half_node(m, h) == node, "edge", edge);
            found += h == 2 * edge + end;
            twins += vo_half_target(m, h) == m->edge_node[edge][1 - end];
        }
        CHECK(found == 1, "edge", edge);
        CHECK(twins == 1, "edge", edge);
    }
    CHECK(e->edge_line[edge] == vo_edit_line_of(m, edge), "edge", edge);
    CHECK(e->edge_drift[edge] <= e->def.outline_tolerance, "edge", edge);
    return VO_OK;
}

/* Holes and elements together are all there is. */
static vo_result check_holes(const vo_edit *e, const int alive[VO_REMAP_KINDS]) {
    const vo_mesh *m = e->mesh;
    int count[] = {m->node_count, m->vert_count, m->edge_count, m->face_count};
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        int holes = 0;
        for (int i = e->hole[k]; i >= 0 && holes <= count[k]; holes++)
            i = k == VO_REMAP_NODE   ? e->node_half[i]
                : k == VO_REMAP_VERT ? e->vert_next[i]
                : k == VO_REMAP_EDGE ? e->edge_next[i][0]
                                     : m->face_vert[i][1];
        CHECK(holes == e->hole_count[k], "holes of kind", k);
        CHECK(alive[k] + holes == count[k], "holes of kind", k);
    }
    return VO_OK;
}

vo_result vo_edit_check(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    int alive[VO_REMAP_KINDS] = {0};
    for (int n = 0; n < m->node_count; n++) alive[VO_REMAP_NODE] += vo_edit_has_node(e, n);
    for (int v = 0; v < m->vert_count; v++) {
        if (!vo_edit_has_vert(e, v)) continue;
        alive[VO_REMAP_VERT]++;
        VO_TRY(check_vert(e, v));
    }
    for (int f = 0; f < m->face_count; f++) {
        if (!vo_edit_has_face(e, f)) continue;
        alive[VO_REMAP_FACE]++;
        VO_TRY(check_face(e, f));
    }
    for (int edge = 0; edge < m->edge_count; edge++) {
        if (!vo_edit_has_edge(e, edge)) continue;
        alive[VO_REMAP_EDGE]++;
        VO_TRY(check_edge(e, edge));
    }
    return check_holes(e, alive);
}
