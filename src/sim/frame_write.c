#include "sim/frame_file.h"

static vo_result write_mesh(vo_vof_writer *w, int c, const vo_mesh *mesh) {
#define X(tag, member, type, columns, count, required) \
    if (required || mesh->member)                      \
        VO_TRY(vo_vof_add(w, tag, c, VO_VOF_##type, columns, mesh->count, mesh->member));
    VO_MESH_SECTIONS(X)
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

static vo_result write_handle_identity(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int nodes = vo_handle_identity_nodes(def), count = VO_HANDLE_IDENTITY_HEAD + nodes;
    int *identity = vo_arena_array(&sim->scratch, int, count);
    if (!identity) return vo_fail_memory(sim->ctx, "the frame");
    vo_handle_identity_head(def, identity);
    for (int k = 0; k < nodes; k++) identity[VO_HANDLE_IDENTITY_HEAD + k] = def->nodes[k];
    return vo_vof_add(w, "hold_who", i, VO_VOF_I32, 1, count, identity);
}

/* Writes a handle; its nodes are stored if the mesh is no longer the scene's. */
static vo_result write_handle(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_state *h = &sim->handle[i];
    const vo_handle_def *def = &sim->scene->handle[i].def;
    bool nodes = sim->cloth[def->cloth].origin && def->kind != VO_HANDLE_SOFT;
    if (h->active || nodes) VO_TRY(write_handle_identity(w, sim, i));
    if (nodes) VO_TRY(vo_vof_add(w, "hold_nod", i, VO_VOF_I32, 1, h->count, h->node));
    if (!h->active) return VO_OK;
    return vo_vof_add(w, "hold", i, VO_VOF_F64, 3, h->count, h->attachment);
}

/* Writes the lag of an obstacle if it is not zero. */
static vo_result write_obstacle(vo_vof_writer *w, const vo_sim *sim, int i) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    bool behind = false;
    for (int k = 0; k < o->mesh->node_count && !behind; k++)
        behind = !v3_equal(o->lag[k], v3(0, 0, 0));
    if (!behind) return VO_OK;
    return vo_vof_add(w, "behind", i, VO_VOF_F64, 3, o->mesh->node_count, o->lag);
}

/* Writes the normal forces of a cloth in contact. */
static vo_result write_pressed(vo_vof_writer *w, const vo_sim *sim, int c) {
    const double *pressed = sim->contact.node_normal_force + sim->cloth[c].first_node;
    int count = sim->cloth[c].mesh->node_count;
    for (int i = 0; i < count; i++)
        if (pressed[i] != 0) return vo_vof_add(w, "pressed", c, VO_VOF_F64, 1, count, pressed);
    return VO_OK;
}

/* Writes the state of remeshing. A cloth that is no longer remeshed has no editor. */
static vo_result write_remeshing(vo_vof_writer *w, const vo_sim *sim, int c) {
    const vo_cloth_state *cloth = &sim->cloth[c];
    const vo_mesh *mesh = cloth->mesh;
    if (!cloth->origin) return VO_OK;
    VO_TRY(vo_vof_add(w, "node_org", c, VO_VOF_I32, 1, mesh->node_count, cloth->origin));
    const vo_edit *edit = cloth->edit;
    if (!edit) return VO_OK;
    VO_TRY(vo_vof_add(w, "node_flg", c, VO_VOF_U8, 1, mesh->node_count, edit->node_flags));
    VO_TRY(vo_vof_add(w, "node_yth", c, VO_VOF_U8, 1, mesh->node_count, edit->node_split_cooldown));
    VO_TRY(vo_vof_add(w, "node_het", c, VO_VOF_U8, 1, mesh->node_count, edit->node_edit_penalty));
    return vo_vof_add(w, "edge_dft", c, VO_VOF_F64, 1, mesh->edge_count, edit->edge_drift);
}

/* Writes the strain offsets and their decay factor. */
static vo_result write_offsets(vo_vof_writer *w, vo_sim *sim, int c) {
    enum { COLUMNS = sizeof(vo_strain_offset) / sizeof(double) };
    const vo_implicit *s = &sim->implicit;
    int count = sim->cloth[c].mesh->face_count;
    if (!(s->fade > 0)) return VO_OK;
    vo_strain_offset *offset = vo_arena_array(&sim->scratch, vo_strain_offset, count);
    if (count && !offset) return vo_fail_memory(sim->ctx, "the frame");
    for (int f = 0; f < count; f++)
        offset[f] = s->offset[s->system.face_number[sim->system_cloth[c].first_face + f]];
    VO_TRY(vo_vof_add(w, "offset", c, VO_VOF_F64, COLUMNS, count, offset));
    return vo_vof_add(w, "fade", c, VO_VOF_F64, 1, 1, &s->fade);
}

/* Writes the slack if it differs from its target. */
static vo_result write_slack(vo_vof_writer *w, vo_sim *sim, int c) {
    int count = sim->cloth[c].mesh->face_count;
    if (!sim->implicit.slack_is_fading) return VO_OK;
    double *slack = vo_arena_array(&sim->scratch, double, count);
    if (count && !slack) return vo_fail_memory(sim->ctx, "the frame");
    for (int f = 0; f < count; f++)
        slack[f] = vo_implicit_get_slack(&sim->implicit, sim->system_cloth[c].first_face + f);
    return vo_vof_add(w, "slack", c, VO_VOF_F64, 1, count, slack);
}

vo_result vo_sim_write_meshes(vo_sim *sim, vo_vof_writer *w) {
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_cloth_state *cloth = &sim->cloth[c];
        VO_TRY(write_mesh(w, c, cloth->mesh));
        if (cloth->origin)
            VO_TRY(vo_vof_add(w, "node_org", c, VO_VOF_I32, 1, cloth->mesh->node_count,
                              cloth->origin));
    }
    return VO_OK;
}

vo_result vo_sim_write_sections(vo_sim *sim, vo_vof_writer *w) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(write_mesh(w, c, sim->cloth[c].mesh));
        VO_TRY(write_guess(w, sim, c));
        VO_TRY(write_pressed(w, sim, c));
        VO_TRY(write_remeshing(w, sim, c));
        VO_TRY(write_offsets(w, sim, c));
        VO_TRY(write_slack(w, sim, c));
    }
    if (sim->budget.min_edge_pixels != sim->scene->def.view.min_edge_pixels)
        VO_TRY(vo_vof_add(w, "view_px", 0, VO_VOF_F64, 1, 1, &sim->budget.min_edge_pixels));
    if (vo_sim_has_budget(sim))
        VO_TRY(vo_vof_add(w, "view_fit", 0, VO_VOF_F64, 1, 1, &sim->budget.density));
    for (int i = 0; i < sim->handle_count; i++) VO_TRY(write_handle(w, sim, i));
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(write_obstacle(w, sim, i));
    return VO_OK;
}

vo_result vo_sim_save(vo_sim *sim, vo_vof_writer *writer, const char *path) {
    vo_arena_reset(&sim->scratch);
    vo_vof_begin(writer, sim->frame, vo_sim_now(sim));
    VO_TRY(vo_sim_write_sections(sim, writer));
    return vo_vof_save(writer, path);
}
