/* Rebuilds the solver and the contact surface for the present topology of all cloths. */
#include "core/memory.h"
#include "sim/sim.h"

#include <string.h>

/* Side of a square that has the area of a mean face. */
static double mean_face_size(const vo_sim *sim) {
    double area = 0;
    int count = 0;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++) area += vo_mesh_face_area(mesh, f);
        count += mesh->face_count;
    }
    return count ? sqrt(area / count) : 0;
}

static void list_cloths(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++)
        sim->system_cloth[c] =
            (vo_system_cloth){.mesh = sim->cloth[c].mesh, .material = sim->cloth[c].material};
    vo_system_number(sim->cloth_count, sim->system_cloth);
    for (int c = 0; c < sim->cloth_count; c++)
        sim->cloth[c].first_node = sim->system_cloth[c].first_node;
}

/* Creates a solver for the present meshes, materials and glue handles. */
static vo_result create_solver(vo_sim *sim, vo_implicit *out) {
    vo_context *ctx = sim->ctx;
    int(*ties)[2] = vo_alloc(ctx, (size_t)(sim->tie_capacity + 1) * sizeof *ties);
    if (!ties) return vo_fail_memory(ctx, "handles");
    int tie_count = vo_sim_handles_list_ties(sim, ties);
    vo_result result = vo_implicit_create(ctx, sim->cloth_count, sim->system_cloth, tie_count,
                                          (const int(*)[2])ties, out);
    vo_free(ctx, ties, (size_t)(sim->tie_capacity + 1) * sizeof *ties);
    if (result == VO_OK && sim->scene->def.solver == VO_SOLVER_DIRECT)
        result = vo_implicit_create_direct(out);
    return result;
}

/* State of a solver that outlives it; rows and faces of the same meshes are numbered equally. */
typedef struct solver_state {
    vo_vec4 *guess, *previous_dv;
    vo_strain_offset *offset;
    double *slack, *slack_target;
    double fade;
    bool has_previous_dv, has_slack, slack_is_fading;
} solver_state;

static void copy_array(void *to, const void *from, int count, size_t size) {
    if (count) memcpy(to, from, (size_t)count * size);
}

static bool save_solver_state(vo_arena *arena, const vo_implicit *s, solver_state *out) {
    int rows = s->system.row_count, faces = s->system.face_count;
    *out = (solver_state){.guess = vo_arena_array(arena, vo_vec4, rows + 1),
                          .previous_dv = vo_arena_array(arena, vo_vec4, rows + 1),
                          .offset = vo_arena_array(arena, vo_strain_offset, faces + 1),
                          .slack = vo_arena_array(arena, double, faces + 1),
                          .slack_target = vo_arena_array(arena, double, faces + 1),
                          .fade = s->fade,
                          .has_previous_dv = s->has_previous_dv,
                          .has_slack = s->has_slack,
                          .slack_is_fading = s->slack_is_fading};
    if (!out->guess || !out->previous_dv || !out->offset || !out->slack || !out->slack_target)
        return false;
    copy_array(out->guess, s->guess, rows, sizeof *s->guess);
    copy_array(out->previous_dv, s->previous_dv, rows, sizeof *s->previous_dv);
    copy_array(out->offset, s->offset, faces, sizeof *s->offset);
    copy_array(out->slack, s->slack, faces, sizeof *s->slack);
    copy_array(out->slack_target, s->slack_target, faces, sizeof *s->slack_target);
    return true;
}

static void load_solver_state(const solver_state *from, vo_implicit *s) {
    int rows = s->system.row_count, faces = s->system.face_count;
    copy_array(s->guess, from->guess, rows, sizeof *s->guess);
    copy_array(s->previous_dv, from->previous_dv, rows, sizeof *s->previous_dv);
    copy_array(s->offset, from->offset, faces, sizeof *s->offset);
    copy_array(s->slack, from->slack, faces, sizeof *s->slack);
    copy_array(s->slack_target, from->slack_target, faces, sizeof *s->slack_target);
    s->fade = from->fade;
    s->has_previous_dv = from->has_previous_dv;
    s->has_slack = from->has_slack;
    s->slack_is_fading = from->slack_is_fading;
}

vo_result vo_sim_rebuild_solver(vo_sim *sim) {
    solver_state state;
    vo_arena_reset(&sim->scratch);
    if (!save_solver_state(&sim->scratch, &sim->implicit, &state)) {
        sim->broken = VO_NO_MEMORY; /* the solver no longer fits the materials */
        return vo_fail_memory(sim->ctx, "the solver");
    }
    vo_implicit_free(&sim->implicit);
    sim->rows_current = false;
    sim->broken = create_solver(sim, &sim->implicit);
    if (sim->broken == VO_OK) load_solver_state(&state, &sim->implicit);
    return sim->broken;
}

vo_result vo_sim_rebuild(vo_sim *sim) {
    sim->constraints = (vo_constraints){0}; /* rows of the old solver */
    sim->rows_current = false;
    VO_TRY(vo_sim_contact_drop(sim));
    vo_implicit_free(&sim->implicit);
    list_cloths(sim);
    sim->face_size = mean_face_size(sim);
    VO_TRY(create_solver(sim, &sim->implicit));
    vo_sim_reset_slack(sim);
    return vo_sim_contact_create(sim);
}
