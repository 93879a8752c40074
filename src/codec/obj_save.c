#include "codec/number.h"
#include "codec/obj.h"
#include "core/file.h"
#include "core/memory.h"

#include <string.h>

/* Text that grows; `failed` is looked at once, at the end. */
typedef struct writer {
    vo_context *ctx;
    char *text;
    size_t used, room;
    bool failed;
} writer;

enum { LINE_ROOM = 160 }; /* a keyword and four numbers */

static bool grow(writer *w) {
    size_t room = w->room + w->room / 2 + 65536;
    char *text = vo_alloc(w->ctx, room);
    if (!text) return false;
    if (w->used) memcpy(text, w->text, w->used);
    vo_free(w->ctx, w->text, w->room);
    w->text = text;
    w->room = room;
    return true;
}

/* Starts a line; nothing more is written once memory ran out. */
static bool begin_line(writer *w, const char *keyword) {
    if (w->failed) return false;
    if (w->room - w->used < LINE_ROOM && !grow(w)) {
        w->failed = true;
        return false;
    }
    for (; *keyword; keyword++) w->text[w->used++] = *keyword;
    return true;
}

static void put_reals(writer *w, const char *keyword, int count, const double *value) {
    if (!begin_line(w, keyword)) return;
    for (int i = 0; i < count; i++) {
        w->text[w->used++] = ' ';
        w->used += vo_number_write(value[i], w->text + w->used);
    }
    w->text[w->used++] = '\n';
}

static void put_vec3(writer *w, const char *keyword, vo_vec3 x) {
    put_reals(w, keyword, 3, (double[3]){x.x, x.y, x.z});
}

static void put_int(writer *w, char before, int value) {
    w->text[w->used++] = before;
    w->used += vo_number_write_int(value, w->text + w->used);
}

static void put_label(writer *w, const char *keyword, int label) {
    if (label == 0 || !begin_line(w, keyword)) return;
    put_int(w, ' ', label);
    w->text[w->used++] = '\n';
}

static bool is_same(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void put_verts(writer *w, const vo_mesh *m) {
    for (int v = 0; v < m->vert_count; v++) {
        put_reals(w, "vt", 2, (double[2]){m->vert_u[v].x, m->vert_u[v].y});
        put_label(w, "vl", m->vert_label[v]);
    }
}

static void put_nodes(writer *w, const vo_mesh *m) {
    for (int n = 0; n < m->node_count; n++) {
        put_vec3(w, "v", m->node_x[n]);
        if (m->node_y && !is_same(m->node_y[n], m->node_x[n])) put_vec3(w, "ny", m->node_y[n]);
        if (!is_same(m->node_v[n], v3_zero())) put_vec3(w, "nv", m->node_v[n]);
        put_label(w, "nl", m->node_label[n]);
    }
}

/* Only edges that have something to say; the angle in ARCSim's sign (valleys positive). */
static void put_edges(writer *w, const vo_mesh *m) {
    for (int e = 0; e < m->edge_count; e++) {
        double angle = -m->edge_rest_angle[e], damage = m->edge_damage[e];
        if (angle == 0 && damage == 0 && m->edge_label[e] == 0) continue;
        if (!begin_line(w, "e")) return;
        put_int(w, ' ', m->edge_node[e][0] + 1);
        put_int(w, ' ', m->edge_node[e][1] + 1);
        w->text[w->used++] = '\n';
        if (angle != 0) put_reals(w, "ea", 1, &angle);
        if (damage != 0) put_reals(w, "ed", 1, &damage);
        put_label(w, "el", m->edge_label[e]);
    }
}

static bool is_zero4(const double s[4]) { return s[0] == 0 && s[1] == 0 && s[2] == 0 && s[3] == 0; }

static void put_faces(writer *w, const vo_mesh *m) {
    for (int f = 0; f < m->face_count; f++) {
        if (!begin_line(w, "f")) return;
        for (int i = 0; i < 3; i++) {
            put_int(w, ' ', vo_mesh_face_node(m, f, i) + 1);
            put_int(w, '/', m->face_vert[f][i] + 1);
        }
        w->text[w->used++] = '\n';
        put_label(w, "tl", m->face_label[f]);
        if (m->face_curvature && !is_zero4(m->face_curvature[f]))
            put_reals(w, "ts", 4, m->face_curvature[f]);
        if (m->face_damage[f] != 0) put_reals(w, "td", 1, &m->face_damage[f]);
    }
}

vo_result vo_obj_save(vo_context *ctx, const vo_mesh *mesh, const char *path) {
    writer w = {.ctx = ctx};
    put_verts(&w, mesh);
    put_nodes(&w, mesh);
    put_edges(&w, mesh);
    put_faces(&w, mesh);
    vo_result result =
        w.failed ? vo_fail_memory(ctx, path) : vo_file_write(ctx, path, w.text, w.used);
    vo_free(ctx, w.text, w.room);
    return result;
}
