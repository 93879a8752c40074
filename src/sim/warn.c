/* Warnings that are logged once per simulation, and counted afterwards. */
#include "sim/sim.h"

static const char *const DESCRIPTION[VO_SIM_WARNINGS] = {
    [VO_WARN_FROZEN] = "substeps without a solution",
    [VO_WARN_STRAIN] = "implausible strain",
    [VO_WARN_LAG] = "obstacles or pinned nodes that lag behind their motion",
    [VO_WARN_DENSE_REGION] = "too many faces in one place",
    [VO_WARN_TELEPORT] = "teleported obstacles",
    [VO_WARN_FACE_LIMIT] = "cloth that exceeds the face limit",
    [VO_WARN_BUDGET] = "a view budget that cannot be met",
    [VO_WARN_TANGLE] = "intersections that could not be resolved",
    [VO_WARN_SELF_MEMORY] = "cloths without memory for self-collision",
};

bool vo_sim_count_warning(vo_sim *sim, vo_sim_warning kind, int frame) {
    if (sim->warned[kind] > 0 && sim->warned_frame[kind] == frame) return false;
    sim->warned_frame[kind] = frame;
    return sim->warned[kind]++ == 0;
}

void vo_sim_log_warning_counts(const vo_sim *sim) {
    for (int i = 0; i < VO_SIM_WARNINGS; i++)
        if (sim->warned[i] > 1)
            vo_log_line(sim->ctx, VO_LOG_WARNING, "%s: in %d frames, last in frame %d",
                        DESCRIPTION[i], sim->warned[i], sim->warned_frame[i]);
}
