#include "sim/stages.h"

#include "core/timer.h"
#include "sim/sim.h"

void vo_stage_move(vo_sim *sim, vo_step_span t) {
    double start = vo_now();
    vo_sim_obstacles_set_targets(sim, t);
    vo_sim_handles_move(sim, t);
    sim->stats.stage.move += vo_now() - start;
}

static vo_result teleport(vo_sim *sim, vo_step_span t) {
    double start = vo_now();
    bool teleported;
    VO_TRY(vo_sim_teleport_obstacles(sim, t.end, t.dt, &teleported));
    sim->stats.stage.move += vo_now() - start;
    if (!teleported) return VO_OK;
    vo_stage_move(sim, t);
    sim->contact.obstacle_appeared = true;
    return VO_OK;
}

vo_result vo_stage_make_room(vo_sim *sim, vo_step_span t) {
    VO_TRY(teleport(sim, t));
    if (!sim->contact.obstacle_appeared) return VO_OK;
    double start = vo_now();
    vo_sim_contact_set_targets(sim, t.dt);
    vo_result result = vo_sim_untangle(sim, false);
    vo_sim_gather_state(sim);
    sim->stats.stage.contact += vo_now() - start;
    return result;
}

vo_result vo_stage_contact(vo_sim *sim, double dt) {
    double start = vo_now();
    vo_result result = vo_sim_contact_find(sim, dt);
    sim->stats.stage.contact += vo_now() - start;
    return result;
}

vo_step_outcome vo_stage_solve(vo_sim *sim, double dt) {
    const vo_scene_def *def = &sim->scene->def;
    vo_implicit_def step = {
        .dt = dt,
        .gravity = sim->environment.gravity,
        .wind = sim->environment.wind,
        .direct = def->solver == VO_SOLVER_DIRECT,
        .tolerance = def->solver_tolerance,
        .max_iterations = def->solver_max_iterations,
    };
    vo_implicit_report report = vo_implicit_solve(&sim->implicit, &step, &sim->constraints);
    vo_stats *stats = &sim->stats;
    stats->stage.assemble += report.assemble_s;
    stats->stage.solve += report.solve_s;
    stats->iterations += report.iterations;
    stats->direct_solves += report.fell_back;
    sim->rows_current = false;
    if (report.outcome == VO_STEP_SOLVED) {
        stats->solver_residual = vo_max(stats->solver_residual, report.residual);
        vo_implicit_apply(&sim->implicit, dt);
    }
    return report.outcome;
}

void vo_stage_limit(vo_sim *sim, double dt) {
    if (sim->scene->def.disable & VO_DISABLE_STRAIN_LIMITING) return;
    double start = vo_now();
    vo_strain_limit_report report = vo_strain_limit_apply(&sim->implicit, dt);
    sim->stats.limit_passes += report.solves;
    sim->stats.iterations += report.iterations;
    sim->stats.stage.limit += vo_now() - start;
}

vo_result vo_stage_collide(vo_sim *sim, double dt) {
    double start = vo_now();
    vo_result result = vo_sim_contact_collide(sim, dt);
    sim->stats.stage.collide += vo_now() - start;
    return result;
}

void vo_stage_commit(vo_sim *sim, double dt) {
    vo_pop_filter_fade(&sim->implicit, dt);
    vo_sim_handles_commit(sim);
    vo_sim_obstacles_commit(sim, dt);
    vo_sim_scatter_state(sim);
}
