/* Relaxing of an initial state whose strain no fabric can bear. The steps take no simulated time
 * and each begins at rest, until the strain is plausible or no longer decreases. */
#include "core/plural.h"
#include "sim/sim.h"
#include "sim/stages.h"

/* Above this strain the cloth is not stretched but assembled wrongly. */
static const double MAX_INITIAL_STRAIN = 0.5;

enum { MAX_STEPS = 60, MAX_STEPS_WITHOUT_PROGRESS = 10 };

static double largest_strain(const vo_sim *sim) {
    double max = 0, min = 0;
    for (int c = 0; c < sim->cloth_count; c++) vo_mesh_strain(sim->cloth[c].mesh, &max, &min);
    return max;
}

/* Clears all velocities and the warm start of the solver. */
static void stop_cloth(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++) mesh->node_v[i] = v3(0, 0, 0);
    }
    vo_implicit *s = &sim->implicit;
    for (int row = 0; row < s->system.row_count; row++) s->guess[row] = (vo_vec4){0};
    vo_implicit_drop_previous_dv(s);
    sim->rows_current = false;
}

/* Sets the initial velocities of the scene, whose meshes have the same nodes. */
static void set_initial_velocities(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++)
            mesh->node_v[i] = sim->scene->cloth[c].mesh->node_v[i];
    }
    sim->rows_current = false;
}

/* Scales the solved step down so that no node moves by more than the size of a face. */
static void limit_step(vo_implicit *s, double face_size, double dt) {
    double longest = 0;
    for (int row = 0; row < s->system.row_count; row++) {
        const vo_vec4 *v = &s->v[row];
        longest = vo_max(longest, v->x * v->x + v->y * v->y + v->z * v->z);
    }
    double part = vo_min(1, face_size / (dt * sqrt(longest)));
    for (int row = 0; row < s->system.row_count; row++) {
        vo_vec4 *x = &s->x[row], *v = &s->v[row];
        double back = dt * (1 - part);
        *x = (vo_vec4){x->x - back * v->x, x->y - back * v->y, x->z - back * v->z, 0};
        *v = (vo_vec4){part * v->x, part * v->y, part * v->z, 0};
    }
}

/* Takes one step in which obstacles and handles stand still. */
static vo_step_outcome relax_once(vo_sim *sim) {
    vo_step_span t = {vo_sim_now(sim), vo_sim_now(sim), sim->dt};
    stop_cloth(sim);
    vo_sim_gather_state(sim);
    vo_stage_move(sim, t);
    if (vo_stage_contact(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_step_outcome outcome = vo_stage_solve(sim, t.dt);
    if (outcome != VO_STEP_SOLVED) return outcome;
    limit_step(&sim->implicit, sim->face_size, sim->dt);
    if (vo_stage_collide(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_stage_commit(sim, t.dt);
    return VO_STEP_SOLVED;
}

vo_result vo_sim_relax(vo_sim *sim) {
    double first = largest_strain(sim), strain = first, best = INFINITY;
    if (first <= MAX_INITIAL_STRAIN || (sim->scene->def.disable & VO_DISABLE_PHYSICS)) return VO_OK;
    int steps = 0;
    vo_step_outcome outcome = VO_STEP_SOLVED;
    for (int since = 0;
         steps < MAX_STEPS && strain > MAX_INITIAL_STRAIN && since < MAX_STEPS_WITHOUT_PROGRESS;
         steps++, since++) {
        VO_TRY(vo_check_cancel(sim->ctx));
        outcome = relax_once(sim);
        if (outcome != VO_STEP_SOLVED) break;
        strain = largest_strain(sim);
        if (strain < 0.99 * best) since = 0, best = strain;
    }
    if (outcome == VO_STEP_NO_MEMORY) return VO_NO_MEMORY;
    stop_cloth(sim);
    set_initial_velocities(sim);
    int untangled = sim->stats.untangled;
    vo_stats_begin(&sim->stats, 0, vo_sim_now(sim));
    sim->stats.untangled = untangled;
    vo_log_line(
        sim->ctx, VO_LOG_INFO,
        "cloth was stretched by up to %.0f %% at the start; relaxed to %.0f %% in %d step%s",
        100 * first, 100 * strain, steps, vo_plural(steps));
    return VO_OK;
}
