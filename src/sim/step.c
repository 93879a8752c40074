/* One substep: contact, implicit solve, strain limiting and collision response, halved where the
 * solve fails, and frozen where even the shortest step has no solution. */
#include "sim/sim.h"
#include "sim/stages.h"

enum { MAX_HALVINGS = 5 }; /* of a substep, before the cloth is frozen */

/* Forces are linearised, which is valid while faces keep about their size: a step in which the
 * solve moves a node by more than this many mean face sizes is halved, too. */
static const double MAX_STEP_IN_FACES = 3;

/* Keeps the cloth where it is for one step; only pinned nodes move. Returns `reason`, or
 * VO_STEP_NO_MEMORY. */
static vo_step_outcome freeze_step(vo_sim *sim, vo_step_span t, vo_step_outcome reason) {
    sim->stats.frozen_substeps++;
    sim->frozen_substeps++;
    vo_stage_move(sim, t);
    if (vo_stage_make_room(sim, t) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_sim_contact_set_targets(sim, t.dt);
    sim->rows_current = false;
    vo_implicit_freeze(&sim->implicit, t.dt, &sim->constraints);
    if (vo_stage_collide(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_stage_commit(sim, t.dt);
    return reason;
}

/* Freezes a step that failed in a dense region (collide/dense_region.h). Shorter steps would fail
 * as well, and each is slow; the next substep tries again. */
static vo_step_outcome freeze_dense_region(vo_sim *sim, vo_step_span t) {
    vo_sim_contact_warn_frozen_region(sim);
    vo_step_outcome outcome = freeze_step(sim, t, VO_STEP_UNSOLVED);
    return outcome == VO_STEP_UNSOLVED ? VO_STEP_SOLVED : outcome;
}

/* Returns true if the solved velocity change moves a node too far for one step. */
static bool exceeds_max_step(const vo_implicit *s, double face_size, double dt) {
    double longest = MAX_STEP_IN_FACES * face_size / dt;
    for (int row = 0; row < s->system.row_count; row++) {
        const vo_vec4 *dv = &s->dv[row];
        if (dv->x * dv->x + dv->y * dv->y + dv->z * dv->z > longest * longest) return true;
    }
    return false;
}

/* Runs all stages without committing the result. */
static vo_step_outcome try_step(vo_sim *sim, vo_step_span t, bool last_try) {
    vo_stage_move(sim, t);
    if (vo_stage_make_room(sim, t) != VO_OK || vo_stage_contact(sim, t.dt) != VO_OK)
        return VO_STEP_NO_MEMORY;
    vo_step_outcome outcome = vo_stage_solve(sim, t.dt);
    if (outcome != VO_STEP_SOLVED) return outcome;
    /* In a dense region shorter steps are too long as well: the response freezes it instead. */
    if (!last_try && !sim->contact.over_budget &&
        exceeds_max_step(&sim->implicit, sim->face_size, t.dt))
        return VO_STEP_UNSOLVED;
    vo_friction_measure(&sim->contact, sim->constraints.contact_count, &sim->implicit, t.dt);
    vo_stage_limit(sim, t.dt);
    return vo_stage_collide(sim, t.dt) == VO_OK ? VO_STEP_SOLVED : VO_STEP_NO_MEMORY;
}

/* Advances by one step, halved where it cannot be solved. Returns the outcome of the last solve;
 * after a final failure the cloth is frozen for the rest of the step. */
static vo_step_outcome advance(vo_sim *sim, vo_step_span t, int halvings) {
    sim->stats.substeps++;
    vo_step_outcome outcome = try_step(sim, t, halvings == MAX_HALVINGS);
    if (outcome == VO_STEP_SOLVED) {
        vo_stage_commit(sim, t.dt);
        return outcome;
    }
    vo_sim_gather_state(sim);
    if (sim->contact.over_budget && outcome == VO_STEP_UNSOLVED) return freeze_dense_region(sim, t);
    if (outcome != VO_STEP_UNSOLVED || halvings == MAX_HALVINGS)
        return freeze_step(sim, t, outcome);
    sim->stats.step_halvings++;
    vo_implicit_drop_previous_dv(&sim->implicit); /* the rejected step may have set it */
    double middle = t.begin + t.dt / 2;
    vo_step_span first = {t.begin, middle, t.dt / 2}, second = {middle, t.end, t.dt / 2};
    outcome = advance(sim, first, halvings + 1);
    if (outcome == VO_STEP_SOLVED) return advance(sim, second, halvings + 1);
    return freeze_step(sim, second, outcome);
}

vo_step_outcome vo_sim_advance(vo_sim *sim, vo_step_span t) {
    if (sim->scene->def.disable & VO_DISABLE_PHYSICS) {
        vo_sim_obstacles_place(sim, t.end);
        vo_sim_handles_move(sim, t);
        return VO_STEP_SOLVED;
    }
    if (!sim->rows_current) vo_sim_gather_state(sim);
    return advance(sim, t, 0);
}
