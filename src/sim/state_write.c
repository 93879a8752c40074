#include "sim/state.h"

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

static vo_result write_who(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int nodes = vo_who_nodes(def), count = VO_WHO_HEAD + nodes;
    int *who = vo_arena_array(&sim->scratch, int, count);
    if (!who) return vo_fail_memory(sim->ctx, "the frame");
    vo_who_head(def, who);
    for (int k = 0; k < nodes; k++) who[VO_WHO_HEAD + k] = def->nodes[k];
    return vo_vof_add(w, "hold_who", i, VO_VOF_I32, 1, count, who);
}

/* Which nodes it holds is told where they are not the scene's any more. */
static vo_result write_handle(vo_vof_writer *w, vo_sim *sim, int i) {
    const vo_handle_state *h = &sim->handle[i];
    const vo_handle_def *def = &sim->scene->handle[i].def;
    bool nodes = sim->cloth[def->cloth].origin && def->kind != VO_HANDLE_SOFT;
    if (h->active || nodes) VO_TRY(write_who(w, sim, i));
    if (nodes) VO_TRY(vo_vof_add(w, "hold_nod", i, VO_VOF_I32, 1, h->count, h->node));
    if (!h->active) return VO_OK;
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

/* What the next remeshing needs to know of earlier ones. A cloth that is not remeshed any more has
 * no editor. */
static vo_result write_remeshing(vo_vof_writer *w, const vo_sim *sim, int c) {
    const vo_cloth_state *cloth = &sim->cloth[c];
    const vo_mesh *mesh = cloth->mesh;
    if (!cloth->origin) return VO_OK;
    VO_TRY(vo_vof_add(w, "node_org", c, VO_VOF_I32, 1, mesh->node_count, cloth->origin));
    const vo_edit *edit = cloth->edit;
    if (!edit) return VO_OK;
    VO_TRY(vo_vof_add(w, "node_flg", c, VO_VOF_U8, 1, mesh->node_count, edit->node_flags));
    VO_TRY(vo_vof_add(w, "node_yth", c, VO_VOF_U8, 1, mesh->node_count, edit->node_youth));
    VO_TRY(vo_vof_add(w, "node_het", c, VO_VOF_U8, 1, mesh->node_count, edit->node_heat));
    return vo_vof_add(w, "edge_dft", c, VO_VOF_F64, 1, mesh->edge_count, edit->edge_drift);
}

/* Offsets of new faces, and how much is left of them. */
static vo_result write_offsets(vo_vof_writer *w, vo_sim *sim, int c) {
    enum { COLUMNS = sizeof(vo_offset) / sizeof(double) };
    const vo_implicit *s = &sim->implicit;
    int count = sim->cloth[c].mesh->face_count;
    if (!(s->fade > 0)) return VO_OK;
    vo_offset *offset = vo_arena_array(&sim->scratch, vo_offset, count);
    if (count && !offset) return vo_fail_memory(sim->ctx, "the frame");
    for (int f = 0; f < count; f++)
        offset[f] = s->offset[s->system.face_number[sim->system_cloth[c].first_face + f]];
    VO_TRY(vo_vof_add(w, "offset", c, VO_VOF_F64, COLUMNS, count, offset));
    return vo_vof_add(w, "fade", c, VO_VOF_F64, 1, 1, &s->fade);
}

/* Slack that is not what its faces are to have. */
static vo_result write_slack(vo_vof_writer *w, vo_sim *sim, int c) {
    int count = sim->cloth[c].mesh->face_count;
    if (!sim->implicit.slackens) return VO_OK;
    double *slack = vo_arena_array(&sim->scratch, double, count);
    if (count && !slack) return vo_fail_memory(sim->ctx, "the frame");
    for (int f = 0; f < count; f++)
        slack[f] = vo_implicit_get_slack(&sim->implicit, sim->system_cloth[c].first_face + f);
    return vo_vof_add(w, "slack", c, VO_VOF_F64, 1, count, slack);
}

static vo_result write_sections(vo_vof_writer *w, vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(write_mesh(w, c, sim->cloth[c].mesh));
        VO_TRY(write_guess(w, sim, c));
        VO_TRY(write_pressed(w, sim, c));
        VO_TRY(write_remeshing(w, sim, c));
        VO_TRY(write_offsets(w, sim, c));
        VO_TRY(write_slack(w, sim, c));
    }
    if (sim->view.pixels != sim->scene->def.view.pixels)
        VO_TRY(vo_vof_add(w, "view_px", 0, VO_VOF_F64, 1, 1, &sim->view.pixels));
    if (vo_sim_has_budget(sim))
        VO_TRY(vo_vof_add(w, "view_fit", 0, VO_VOF_F64, 1, 1, &sim->view.density));
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
