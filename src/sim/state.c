/* The state of a simulation to and from frame files.
 *
 * One list says which arrays of a mesh are kept; writing and reading both walk it. Edges are stored
 * with the pair of nodes they join and found again by it, because building a mesh numbers them by
 * the faces alone.
 *
 * A frame is believed only as far as it fits the scene at hand, which may have been changed since:
 * cloths must be the scene's, and where a handle took hold counts only for a handle that holds the
 * same nodes in the same way. */
#include "codec/vof.h"
#include "mesh/validate.h"
#include "sim/folder.h"
#include "sim/sim.h"

#include <string.h>

/* X(tag, member of vo_mesh and vo_mesh_data, type, columns, count member, must be there) */
#define MESH_SECTIONS(X)                                     \
    X("node_x", node_x, F64, 3, node_count, true)            \
    X("node_v", node_v, F64, 3, node_count, true)            \
    X("node_lab", node_label, I32, 1, node_count, true)      \
    X("node_y", node_y, F64, 3, node_count, false)           \
    X("vert_u", vert_u, F64, 2, vert_count, true)            \
    X("vert_nod", vert_node, I32, 1, vert_count, true)       \
    X("vert_lab", vert_label, I32, 1, vert_count, true)      \
    X("face_vrt", face_vert, I32, 3, face_count, true)       \
    X("face_lab", face_label, I32, 1, face_count, true)      \
    X("face_dmg", face_damage, F64, 1, face_count, true)     \
    X("face_cur", face_curvature, F64, 4, face_count, false) \
    X("edge_nod", edge_node, I32, 2, edge_count, true)       \
    X("edge_rst", edge_rest_angle, F64, 1, edge_count, true) \
    X("edge_lab", edge_label, I32, 1, edge_count, true)      \
    X("edge_dmg", edge_damage, F64, 1, edge_count, true)

/* ---- writing -------------------------------------------------------------------------------- */

static vo_result write_mesh(vo_vof_writer *w, int c, const vo_mesh *mesh) {
#define X(tag, member, type, columns, count, required) \
    if (required || mesh->member)                      \
        VO_TRY(vo_vof_add(w, tag, c, VO_VOF_##type, columns, mesh->count, mesh->member));
    MESH_SECTIONS(X)
#undef X
    return VO_OK;
}

/* The solver's first guess, from rows to nodes of one cloth. */
static vo_result write_guess(vo_vof_writer *w, vo_sim *sim, int c) {
    const vo_implicit *s = &sim->implicit;
    int count = sim->cloth[c].mesh->node_count;
    vo_vec3 *guess = vo_arena_array(&sim->scratch, vo_vec3, count);
    if (count && !guess) return vo_fail_memory(sim->ctx, "the frame");
    for (int i = 0; i < count; i++) {
        const vo_vec4 *g = &s->guess[s->system.row_of[sim->cloth[c].first_node + i]];
        guess[i] = v3(g->x, g->y, g->z);
    }
    return vo_vof_add(w, "guess", c, VO_VOF_F64, 3, count, guess);
}

/* Whom a handle holds: kind, cloth, motion, then its nodes (none for soft handles). */
enum { WHO_HEAD = 3 };

static void who_head(const vo_handle_def *def, int head[WHO_HEAD]) {
    head[0] = (int)def->kind;
    head[1] = def->cloth;
    head[2] = def->motion;
}

static int who_nodes(const vo_handle_def *def) {
    return def->kind == VO_HANDLE_SOFT ? 0 : def->node_count;
}

static vo_result write_who(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int nodes = who_nodes(def), count = WHO_HEAD + nodes;
    int *who = vo_arena_array(&sim->scratch, int, count);
    if (!who) return vo_fail_memory(sim->ctx, "the frame");
    who_head(def, who);
    for (int k = 0; k < nodes; k++) who[WHO_HEAD + k] = def->nodes[k];
    return vo_vof_add(w, "hold_who", i, VO_VOF_I32, 1, count, who);
}

static vo_result write_handle(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_state *h = &sim->handle[i];
    if (!h->active) return VO_OK;
    VO_TRY(write_who(w, sim, i));
    return vo_vof_add(w, "hold", i, VO_VOF_F64, 3, h->count, h->hold);
}

/* Only what had to yield is behind. */
static vo_result write_obstacle(vo_vof_writer *w, const vo_sim *sim, int i) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    bool behind = false;
    for (int k = 0; k < o->mesh->node_count && !behind; k++)
        behind = !v3_equal(o->behind[k], v3(0, 0, 0));
    if (!behind) return VO_OK;
    return vo_vof_add(w, "behind", i, VO_VOF_F64, 3, o->mesh->node_count, o->behind);
}

/* Only of cloth that touches something. */
static vo_result write_pressed(vo_vof_writer *w, const vo_sim *sim, int c) {
    const double *pressed = sim->contact.pressed + sim->cloth[c].first_node;
    int count = sim->cloth[c].mesh->node_count;
    for (int i = 0; i < count; i++)
        if (pressed[i] != 0) return vo_vof_add(w, "pressed", c, VO_VOF_F64, 1, count, pressed);
    return VO_OK;
}

static vo_result write_sections(vo_vof_writer *w, vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(write_mesh(w, c, sim->cloth[c].mesh));
        VO_TRY(write_guess(w, sim, c));
        VO_TRY(write_pressed(w, sim, c));
    }
    for (int i = 0; i < sim->handle_count; i++) VO_TRY(write_handle(w, sim, i));
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(write_obstacle(w, sim, i));
    return VO_OK;
}

vo_result vo_sim_save(vo_sim *sim, vo_vof_writer *writer, const char *path) {
    vo_arena_reset(&sim->scratch);
    vo_vof_begin(writer, vo_sim_frame(sim), vo_sim_time(sim));
    VO_TRY(write_sections(writer, sim));
    return vo_vof_save(writer, path);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* A frame file and the place of a section in it. */
typedef struct source {
    vo_context *ctx;
    vo_vof_reader *reader;
    const char *path;
    const char *owner; /* what sections are counted by: "cloth", "handle" */
} source;

/* A section whose length is already known from another one (*count >= 0), or tells it (-1). */
static vo_result find(const source *s, const char *tag, int index, vo_vof_type type, int columns,
                      int *count, const void **data) {
    int rows = 0;
    VO_TRY(vo_vof_find(s->reader, tag, index, type, columns, &rows, data));
    if (*count >= 0 && rows != *count)
        return vo_fail(s->ctx, VO_BAD_DATA, "%s: section %s of %s %d has %d rows instead of %d",
                       s->path, tag, s->owner, index, rows, *count);
    *count = rows;
    return VO_OK;
}

/* The arrays belong to the reader. */
static vo_result read_mesh_data(const source *s, int c, vo_mesh_data *data) {
    *data = (vo_mesh_data){.node_count = -1, .vert_count = -1, .face_count = -1, .edge_count = -1};
#define X(tag, member, type, columns, count, required)                        \
    if (required || vo_vof_count(s->reader, tag, c) >= 0) {                   \
        const void *rows = NULL;                                              \
        VO_TRY(find(s, tag, c, VO_VOF_##type, columns, &data->count, &rows)); \
        data->member = (void *)rows;                                          \
    }
    MESH_SECTIONS(X)
#undef X
    return VO_OK;
}

static vo_result check_mesh_data(const source *s, int c, const vo_mesh_data *data) {
    vo_mesh_report report;
    char text[512];
    VO_TRY(vo_mesh_validate(s->ctx, data, VO_MESH_FOR_CLOTH, &report));
    int fatal = report.fatal_count;
    if (fatal) vo_mesh_defect_text(&report.defect[0], text, sizeof text);
    vo_mesh_report_free(&report);
    if (fatal) return vo_fail(s->ctx, VO_BAD_DATA, "%s: cloth %d: %s", s->path, c, text);
    return VO_OK;
}

static vo_result check_labels(const source *s, int c, int material_count,
                              const vo_mesh_data *data) {
    for (int f = 0; f < data->face_count; f++)
        if (data->face_label[f] < 0 || data->face_label[f] >= material_count)
            return vo_fail(s->ctx, VO_BAD_DATA,
                           "%s: face %d of cloth %d has the label %d, but the "
                           "scene has %d materials for it",
                           s->path, f, c, data->face_label[f], material_count);
    return VO_OK;
}

/* The frame's cloth must have the faces, verts and nodes of the scene's: handles name nodes of that
 * one. The one place to relax when a frame may have a topology of its own. */
static vo_result check_topology(const source *s, int c, const vo_mesh *scene,
                                const vo_mesh_data *data) {
    if (data->node_count == scene->node_count && data->vert_count == scene->vert_count &&
        data->face_count == scene->face_count &&
        memcmp(data->vert_node, scene->vert_node,
               (size_t)scene->vert_count * sizeof *scene->vert_node) == 0 &&
        memcmp(data->face_vert, scene->face_vert,
               (size_t)scene->face_count * sizeof *scene->face_vert) == 0)
        return VO_OK;
    return vo_fail(s->ctx, VO_BAD_DATA,
                   "%s: cloth %d has %d nodes, %d verts and %d faces and is not the cloth of the "
                   "scene, which has %d, %d and %d; the geometry of a run (cloths[%d].mesh, "
                   "cloths[%d].grid) cannot be changed once it has frames",
                   s->path, c, data->node_count, data->vert_count, data->face_count,
                   scene->node_count, scene->vert_count, scene->face_count, c, c);
}

static vo_result read_mesh(const source *s, int c, const vo_scene_cloth *cloth, vo_mesh **out) {
    vo_mesh_data data;
    VO_TRY(read_mesh_data(s, c, &data));
    VO_TRY(check_mesh_data(s, c, &data));
    VO_TRY(check_labels(s, c, cloth->material_count, &data));
    VO_TRY(check_topology(s, c, cloth->mesh, &data));
    return vo_mesh_build(s->ctx, &data, out);
}

static vo_result read_cloths(vo_sim *sim, const source *s) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = NULL;
        VO_TRY(read_mesh(s, c, &sim->scene->cloth[c], &mesh));
        vo_mesh_destroy(sim->cloth[c].mesh);
        sim->cloth[c].mesh = mesh;
        sim->system_cloth[c].mesh = mesh;
    }
    if (vo_vof_count(s->reader, "node_x", sim->cloth_count) < 0) return VO_OK;
    return vo_fail(
        s->ctx, VO_BAD_DATA,
        "%s: has more cloths than the scene, which has %d; the cloths of a run cannot be "
        "changed once it has frames",
        s->path, sim->cloth_count);
}

static vo_result read_guess(vo_sim *sim, const source *s) {
    vo_implicit *m = &sim->implicit;
    for (int c = 0; c < sim->cloth_count; c++) {
        int count = sim->cloth[c].mesh->node_count;
        const void *rows = NULL;
        VO_TRY(find(s, "guess", c, VO_VOF_F64, 3, &count, &rows));
        const vo_vec3 *guess = rows;
        for (int i = 0; i < count; i++)
            m->guess[m->system.row_of[sim->cloth[c].first_node + i]] =
                (vo_vec4){guess[i].x, guess[i].y, guess[i].z, 0};
    }
    return VO_OK;
}

static vo_result read_pressed(vo_sim *sim, const source *s) {
    for (int c = 0; c < sim->cloth_count; c++) {
        double *pressed = sim->contact.pressed + sim->cloth[c].first_node;
        int count = sim->cloth[c].mesh->node_count;
        const void *rows = NULL;
        if (vo_vof_count(s->reader, "pressed", c) < 0) continue;
        VO_TRY(find(s, "pressed", c, VO_VOF_F64, 1, &count, &rows));
        if (count) memcpy(pressed, rows, (size_t)count * sizeof *pressed);
    }
    return VO_OK;
}

/* Nodes that a handle names must be there in the frame's mesh, too. */
static vo_result check_handle(const vo_sim *sim, const source *s, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int count = sim->cloth[def->cloth].mesh->node_count;
    if (def->kind == VO_HANDLE_SOFT && sim->handle[i].count != count)
        return vo_fail(s->ctx, VO_BAD_DATA, "%s: handle %d was made for %d nodes, cloth %d has %d",
                       s->path, i, sim->handle[i].count, def->cloth, count);
    for (int k = 0; k < who_nodes(def); k++)
        if (def->nodes[k] < 0 || def->nodes[k] >= count)
            return vo_fail(s->ctx, VO_BAD_DATA,
                           "%s: handle %d names node %d, but cloth %d has %d nodes", s->path, i,
                           def->nodes[k], def->cloth, count);
    return VO_OK;
}

/* Whether the frame's handle i holds what the scene's does, in the same way. */
static vo_result holds_same(const vo_sim *sim, const source *s, int i, bool *same) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int head[WHO_HEAD], nodes = who_nodes(def), count = -1;
    const void *rows = NULL;
    *same = false;
    if (vo_vof_count(s->reader, "hold_who", i) != WHO_HEAD + nodes) return VO_OK;
    VO_TRY(find(s, "hold_who", i, VO_VOF_I32, 1, &count, &rows));
    const int *who = rows;
    who_head(def, head);
    *same =
        memcmp(who, head, sizeof head) == 0 &&
        (nodes == 0 || memcmp(who + WHO_HEAD, def->nodes, (size_t)nodes * sizeof *def->nodes) == 0);
    return VO_OK;
}

/* A handle that is not the one the frame knows starts anew: it takes hold where its nodes are. */
static vo_result read_handle(vo_sim *sim, const source *s, int i) {
    vo_handle_state *h = &sim->handle[i];
    bool same = false;
    h->active = false;
    VO_TRY(check_handle(sim, s, i));
    if (vo_vof_count(s->reader, "hold", i) >= 0) VO_TRY(holds_same(sim, s, i, &same));
    if (!same) return VO_OK;
    int count = h->count;
    const void *rows = NULL;
    VO_TRY(find(s, "hold", i, VO_VOF_F64, 3, &count, &rows));
    if (count) memcpy(h->hold, rows, (size_t)count * sizeof *h->hold);
    h->active = true;
    return VO_OK;
}

/* An obstacle that is no longer the frame's is where its motion has it. */
static vo_result read_obstacle(vo_sim *sim, const source *s, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    int count = o->mesh->node_count;
    const void *rows = NULL;
    if (vo_vof_count(s->reader, "behind", i) == count)
        VO_TRY(find(s, "behind", i, VO_VOF_F64, 3, &count, &rows));
    for (int k = 0; k < count; k++) o->behind[k] = rows ? ((const vo_vec3 *)rows)[k] : v3(0, 0, 0);
    return VO_OK;
}

static vo_result read_visible(vo_sim *sim, source *s) {
    s->owner = "cloth";
    VO_TRY(read_cloths(sim, s));
    s->owner = "handle";
    for (int i = 0; i < sim->handle_count; i++) VO_TRY(read_handle(sim, s, i));
    s->owner = "obstacle";
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(read_obstacle(sim, s, i));
    sim->frame = vo_vof_frame(s->reader);
    sim->frame_start = vo_vof_time(s->reader);
    sim->substep = 0;
    vo_sim_obstacles_place(sim, vo_sim_time(sim));
    vo_stats_begin(&sim->stats, vo_sim_frame(sim), vo_sim_time(sim));
    return VO_OK;
}

static vo_result read_solver(vo_sim *sim, source *s) {
    s->owner = "cloth";
    VO_TRY(vo_sim_rebuild(sim));
    VO_TRY(read_guess(sim, s));
    return read_pressed(sim, s);
}

static vo_result read_frame(vo_sim *sim, const char *folder, int frame, bool solver) {
    char path[VO_PATH_SIZE];
    source s = {.ctx = sim->ctx, .path = path};
    vo_folder_frame(path, sizeof path, folder, frame);
    VO_TRY(vo_folder_open_frame(sim->ctx, folder, frame, &s.reader));
    vo_result result = read_visible(sim, &s);
    if (result == VO_OK && solver) result = read_solver(sim, &s);
    vo_vof_close(s.reader);
    return result;
}

vo_result vo_sim_read_frame(vo_sim *sim, const char *folder, int frame) {
    return read_frame(sim, folder, frame, false);
}

vo_result vo_sim_restore(vo_sim *sim, const char *folder, int frame) {
    return read_frame(sim, folder, frame, true);
}
