/* The driver: the clock, and the work at the beginning and end of each frame. */
#include "core/plural.h"
#include "core/timer.h"
#include "sim/sim.h"

/* ---- clock ---------------------------------------------------------------------------------- */

/* Start time of the next frame, s. Frame 0 starts exactly at 0, whatever the preroll. */
static double next_frame_time(const vo_sim *sim) {
    double frame_time = sim->scene->def.frame_time;
    return sim->frame < 0 ? (sim->frame + 1) * frame_time : sim->frame_start + frame_time;
}

/* Start time of the next substep, s. */
static double next_time(const vo_sim *sim) {
    if (sim->substep + 1 == sim->scene->def.frame_steps) return next_frame_time(sim);
    return sim->frame_start + (sim->substep + 1) * sim->dt;
}

static void count_substep(vo_sim *sim) {
    if (++sim->substep < sim->scene->def.frame_steps) return;
    sim->substep = 0;
    sim->frame_start = next_frame_time(sim);
    sim->frame++;
}

double vo_sim_frame_end(const vo_sim *sim) { return next_frame_time(sim); }

/* Adds wall time since `start` to the statistics and to the input of the budget. */
static void add_time(vo_sim *sim, double start) {
    double seconds = vo_now() - start;
    sim->stats.wall_s += seconds;
    sim->budget.frame_s += seconds;
}

void vo_sim_add_write_time(vo_sim *sim, double seconds) {
    sim->stats.stage.write = seconds;
    sim->stats.wall_s += seconds;
    sim->budget.frame_s += seconds;
}

/* ---- warnings ------------------------------------------------------------------------------- */

static void warn_frozen(vo_sim *sim) {
    bool explained = sim->warned[VO_WARN_DENSE_REGION] > 0 &&
                     sim->warned_frame[VO_WARN_DENSE_REGION] == sim->frame;
    if (sim->frozen_substeps == 0 || explained ||
        !vo_sim_count_warning(sim, VO_WARN_FROZEN, sim->frame))
        return;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: %s; check "
                "that sizes, positions, materials and forces are in metres, kilograms and seconds. "
                "Later frames are counted in the statistics (frozen_substeps)",
                sim->frame,
                vo_count_words(sim->frozen_substeps,
                               "substep has no solution and the cloth was frozen in it",
                               "substeps have no solution and the cloth was frozen in them")
                    .s);
}

static void warn_strain(vo_sim *sim, double strain) {
    if (!(strain > VO_MAX_PLAUSIBLE_STRAIN) || sim->frame < 0) return;
    if (!vo_sim_count_warning(sim, VO_WARN_STRAIN, sim->frame)) return;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: some cloth is stretched to %.3g times its length, more than any fabric; "
                "check for handles that pull it apart, a body that is too large or too fast, and a "
                "material that is too soft for its weight. Later frames are in the statistics "
                "(max_strain)",
                sim->frame, 1 + strain);
}

/* ---- the frame ------------------------------------------------------------------------------ */

static void begin_frame(vo_sim *sim) {
    sim->budget.after_steps_s = vo_max(0, sim->budget.frame_s - sim->budget.steps_s);
    sim->budget.frame_s = 0;
    sim->frozen_substeps = 0;
    vo_stats_begin(&sim->stats, sim->frame + 1, vo_sim_now(sim));
    sim->stats.untangled = sim->untangled;
    sim->untangled = 0;
}

void vo_sim_begin_frame(vo_sim *sim) {
    if (sim->frame >= 0) begin_frame(sim);
}

void vo_sim_end_frame(vo_sim *sim) {
    sim->substep = 0;
    sim->frame_start = next_frame_time(sim);
    sim->frame++;
    sim->stats.time = vo_sim_now(sim);
}

static vo_result inspect(vo_sim *sim, int *intersections) {
    double start = vo_now();
    VO_TRY(vo_sim_measure_frame(sim, &sim->stats));
    *intersections = sim->stats.intersections;
    sim->stats.stage.inspect += vo_now() - start;
    return VO_OK;
}

/* Separates faces that remeshing made intersect in spite of its guard. */
static vo_result untangle_edits(vo_sim *sim) {
    double start = vo_now();
    int intersections;
    VO_TRY(vo_sim_untangle_edits(sim));
    vo_sim_gather_state(sim);
    sim->stats.stage.remesh += vo_now() - start;
    vo_sim_update_slack_targets(
        sim); /* faces have moved; a resumed run computes the same targets */
    return inspect(sim, &intersections);
}

/* Remeshes, inspects the result and checks the budget. */
static vo_result end_frame(vo_sim *sim) {
    double start = vo_now();
    vo_result result = vo_sim_remesh_cloths(sim);
    sim->broken = result;
    add_time(sim, start);
    vo_sim_view_report_budget(sim);
    return result;
}

static vo_result inspect_frame(vo_sim *sim) {
    double start = vo_now();
    int intersections;
    VO_TRY(inspect(sim, &intersections));
    if (sim->remesh.edits > 0 && intersections > 0) VO_TRY(untangle_edits(sim));
    warn_frozen(sim);
    warn_strain(sim, sim->stats.max_strain);
    add_time(sim, start);
    vo_sim_view_report_budget(sim);
    return VO_OK;
}

vo_result vo_sim_check_intact(const vo_sim *sim) {
    if (sim->broken == VO_OK) return VO_OK;
    return vo_fail(sim->ctx, sim->broken,
                   "an earlier remeshing or solver rebuild failed; restore a snapshot or destroy "
                   "the simulation");
}

vo_result vo_sim_step_uninspected(vo_sim *sim) {
    VO_TRY(vo_sim_check_intact(sim));
    /* the whole preroll belongs to frame 0, whose statistics began with the simulation */
    if (sim->substep == 0 && sim->frame >= 0) begin_frame(sim);
    if (sim->substep == 0) vo_implicit_drop_previous_dv(&sim->implicit);
    double start = vo_now();
    sim->step_end = next_time(sim);
    vo_step_outcome outcome =
        vo_sim_advance(sim, (vo_step_span){vo_sim_now(sim), sim->step_end, sim->dt});
    count_substep(sim);
    vo_result result = outcome == VO_STEP_NO_MEMORY ? VO_NO_MEMORY : VO_OK;
    sim->stats.time = vo_sim_now(sim);
    add_time(sim, start); /* before end_frame, which compares it with the budget */
    return result == VO_OK && sim->substep == 0 ? end_frame(sim) : result;
}

vo_result vo_sim_step(vo_sim *sim) {
    VO_TRY(vo_sim_step_uninspected(sim));
    return sim->substep == 0 ? inspect_frame(sim) : VO_OK;
}

vo_result vo_sim_step_frame(vo_sim *sim) {
    do {
        VO_TRY(vo_check_cancel(sim->ctx));
        VO_TRY(vo_sim_step(sim));
    } while (sim->substep != 0);
    return VO_OK;
}
