/* The state of a simulation to and from frame files.
 *
 * One list says which arrays of a mesh are kept; writing and reading both walk it. Edges are stored
 * with the pair of nodes they join and found again by it, because building a mesh numbers them by
 * the faces alone. */
#include "codec/vof.h"
#include "mesh/validate.h"
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

/* ---- writing ----------------------------------------------------------------------------------
 */

static vo_result write_mesh(vo_vof_writer *w, int c, const vo_mesh *mesh) {
#define X(tag, member, type, columns, count, required) \
    if (required || mesh->member)                      \
        VO_TRY(vo_vof_add(w, tag, c, VO_VOF_##type, columns, mesh->count, mesh->member));
    MESH_SECTIONS(X)
#undef X
    return VO_OK;
}

/* The solver's first guess, from rows to nodes of one cloth. */
static vo_result write_guess(vo_vof_writer *w, const vo_sim *sim, int c) {
    const vo_implicit *s = &sim->implicit;
    int count = sim->cloth[c].mesh->node_count;
    vo_vec3 *guess = vo_new_array(sim->ctx, vo_vec3, count);
    if (count && !guess) return vo_fail_memory(sim->ctx, "the frame");
    for (int i = 0; i < count; i++) {
        const vo_vec4 *g = &s->guess[s->system.row_of[sim->cloth[c].first_node + i]];
        guess[i] = v3(g->x, g->y, g->z);
    }
    vo_result result = vo_vof_add(w, "guess", c, VO_VOF_F64, 3, count, guess);
    vo_free_array(sim->ctx, guess, count);
    return result;
}

static vo_result write_sections(vo_vof_writer *w, const vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(write_mesh(w, c, sim->cloth[c].mesh));
        VO_TRY(write_guess(w, sim, c));
    }
    for (int i = 0; i < sim->handle_count; i++)
        if (sim->handle[i].active)
            VO_TRY(
                vo_vof_add(w, "hold", i, VO_VOF_F64, 3, sim->handle[i].count, sim->handle[i].hold));
    return VO_OK;
}

vo_result vo_sim_save(const vo_sim *sim, vo_vof_writer *writer, const char *path) {
    vo_vof_begin(writer, vo_sim_frame(sim), vo_sim_time(sim));
    VO_TRY(write_sections(writer, sim));
    return vo_vof_save(writer, path);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* A section whose length is already known from another one (*count >= 0), or tells it (-1). */
static vo_result find(vo_context *ctx, vo_vof_reader *r, const char *path, const char *tag,
                      int index, vo_vof_type type, int columns, int *count, const void **data) {
    int rows = 0;
    VO_TRY(vo_vof_find(r, tag, index, type, columns, &rows, data));
    if (*count >= 0 && rows != *count)
        return vo_fail(ctx, VO_BAD_DATA, "%s: section %s of cloth %d has %d rows instead of %d",
                       path, tag, index, rows, *count);
    *count = rows;
    return VO_OK;
}

/* The arrays belong to the reader. */
static vo_result read_mesh_data(vo_context *ctx, vo_vof_reader *r, const char *path, int c,
                                vo_mesh_data *data) {
    *data = (vo_mesh_data){.node_count = -1, .vert_count = -1, .face_count = -1, .edge_count = -1};
#define X(tag, member, type, columns, count, required)                                   \
    if (required || vo_vof_count(r, tag, c) >= 0) {                                      \
        const void *rows = NULL;                                                         \
        VO_TRY(find(ctx, r, path, tag, c, VO_VOF_##type, columns, &data->count, &rows)); \
        data->member = (void *)rows;                                                     \
    }
    MESH_SECTIONS(X)
#undef X
    return VO_OK;
}

static vo_result check_mesh_data(vo_context *ctx, const char *path, int c,
                                 const vo_mesh_data *data) {
    vo_mesh_report report;
    char text[512];
    VO_TRY(vo_mesh_validate(ctx, data, VO_MESH_FOR_CLOTH, &report));
    int fatal = report.fatal_count;
    if (fatal) vo_mesh_defect_text(&report.defect[0], text, sizeof text);
    vo_mesh_report_free(&report);
    if (fatal) return vo_fail(ctx, VO_BAD_DATA, "%s: cloth %d: %s", path, c, text);
    return VO_OK;
}

static vo_result read_mesh(vo_context *ctx, vo_vof_reader *r, const char *path, int c,
                           int material_count, vo_mesh **out) {
    vo_mesh_data data;
    VO_TRY(read_mesh_data(ctx, r, path, c, &data));
    VO_TRY(check_mesh_data(ctx, path, c, &data));
    for (int f = 0; f < data.face_count; f++)
        if (data.face_label[f] < 0 || data.face_label[f] >= material_count)
            return vo_fail(ctx, VO_BAD_DATA,
                           "%s: face %d of cloth %d has the label %d, but the "
                           "scene has %d materials for it",
                           path, f, c, data.face_label[f], material_count);
    return vo_mesh_build(ctx, &data, out);
}

static vo_result read_cloths(vo_sim *sim, vo_vof_reader *r, const char *path) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = NULL;
        VO_TRY(read_mesh(sim->ctx, r, path, c, sim->scene->cloth[c].material_count, &mesh));
        vo_mesh_destroy(sim->cloth[c].mesh);
        sim->cloth[c].mesh = mesh;
    }
    return VO_OK;
}

static vo_result read_guess(vo_sim *sim, vo_vof_reader *r, const char *path) {
    vo_implicit *s = &sim->implicit;
    for (int c = 0; c < sim->cloth_count; c++) {
        int count = sim->cloth[c].mesh->node_count;
        const void *rows = NULL;
        VO_TRY(find(sim->ctx, r, path, "guess", c, VO_VOF_F64, 3, &count, &rows));
        const vo_vec3 *guess = rows;
        for (int i = 0; i < count; i++)
            s->guess[s->system.row_of[sim->cloth[c].first_node + i]] =
                (vo_vec4){guess[i].x, guess[i].y, guess[i].z, 0};
    }
    return VO_OK;
}

static vo_result read_handles(vo_sim *sim, vo_vof_reader *r, const char *path) {
    for (int i = 0; i < sim->handle_count; i++) {
        vo_handle_state *h = &sim->handle[i];
        h->active = vo_vof_count(r, "hold", i) >= 0;
        if (!h->active) continue;
        int count = h->count;
        const void *rows = NULL;
        VO_TRY(find(sim->ctx, r, path, "hold", i, VO_VOF_F64, 3, &count, &rows));
        if (count) memcpy(h->hold, rows, (size_t)count * sizeof *h->hold);
    }
    return VO_OK;
}

static vo_result read_sections(vo_sim *sim, vo_vof_reader *r, const char *path) {
    VO_TRY(read_cloths(sim, r, path));
    VO_TRY(vo_sim_rebuild(sim));
    VO_TRY(read_guess(sim, r, path));
    VO_TRY(read_handles(sim, r, path));
    sim->frame = vo_vof_frame(r);
    sim->frame_start = vo_vof_time(r);
    sim->substep = 0;
    vo_sim_obstacles_move(sim, vo_sim_time(sim));
    vo_stats_begin(&sim->stats, vo_sim_frame(sim), vo_sim_time(sim));
    return VO_OK;
}

vo_result vo_sim_restore(vo_sim *sim, const char *path) {
    vo_vof_reader *r;
    VO_TRY(vo_vof_open(sim->ctx, path, &r));
    vo_result result = read_sections(sim, r, path);
    vo_vof_close(r);
    return result;
}
