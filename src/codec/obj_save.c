#include "codec/obj.h"
#include "codec/obj_writer.h"

static void put_label(vo_obj_writer *w, const char *keyword, int label) {
    if (label == 0 || !vo_obj_begin_line(w, keyword)) return;
    vo_obj_put_int(w, ' ', label);
    vo_obj_end_line(w);
}

static bool is_same(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void put_verts(vo_obj_writer *w, const vo_mesh *m) {
    for (int v = 0; v < m->vert_count; v++) {
        vo_obj_put_reals(w, "vt", 2, (double[2]){m->vert_u[v].x, m->vert_u[v].y});
        put_label(w, "vl", m->vert_label[v]);
    }
}

static void put_nodes(vo_obj_writer *w, const vo_mesh *m) {
    for (int n = 0; n < m->node_count; n++) {
        vo_obj_put_vec3(w, "v", m->node_x[n]);
        if (m->node_y && !is_same(m->node_y[n], m->node_x[n]))
            vo_obj_put_vec3(w, "ny", m->node_y[n]);
        if (!is_same(m->node_v[n], v3_zero())) vo_obj_put_vec3(w, "nv", m->node_v[n]);
        put_label(w, "nl", m->node_label[n]);
    }
}

/* Writes edges with a rest angle, damage or a label; the angle has ARCSim's sign (valleys
 * positive). */
static void put_edges(vo_obj_writer *w, const vo_mesh *m) {
    for (int e = 0; e < m->edge_count; e++) {
        double angle = -m->edge_rest_angle[e], damage = m->edge_damage[e];
        if (angle == 0 && damage == 0 && m->edge_label[e] == 0) continue;
        if (!vo_obj_begin_line(w, "e")) return;
        vo_obj_put_int(w, ' ', m->edge_node[e][0] + 1);
        vo_obj_put_int(w, ' ', m->edge_node[e][1] + 1);
        vo_obj_end_line(w);
        if (angle != 0) vo_obj_put_reals(w, "ea", 1, &angle);
        if (damage != 0) vo_obj_put_reals(w, "ed", 1, &damage);
        put_label(w, "el", m->edge_label[e]);
    }
}

static bool is_zero4(const double s[4]) { return s[0] == 0 && s[1] == 0 && s[2] == 0 && s[3] == 0; }

static void put_faces(vo_obj_writer *w, const vo_mesh *m) {
    for (int f = 0; f < m->face_count; f++) {
        if (!vo_obj_begin_line(w, "f")) return;
        for (int i = 0; i < 3; i++) {
            vo_obj_put_int(w, ' ', vo_mesh_face_node(m, f, i) + 1);
            vo_obj_put_int(w, '/', m->face_vert[f][i] + 1);
        }
        vo_obj_end_line(w);
        put_label(w, "tl", m->face_label[f]);
        if (m->face_curvature && !is_zero4(m->face_curvature[f]))
            vo_obj_put_reals(w, "ts", 4, m->face_curvature[f]);
        if (m->face_damage[f] != 0) vo_obj_put_reals(w, "td", 1, &m->face_damage[f]);
    }
}

vo_result vo_obj_save(vo_context *ctx, const vo_mesh *mesh, const char *path) {
    vo_obj_writer w = {.ctx = ctx};
    put_verts(&w, mesh);
    put_nodes(&w, mesh);
    put_edges(&w, mesh);
    put_faces(&w, mesh);
    return vo_obj_writer_finish(&w, path);
}
