/* Buckling compensation of cloths (material/buckle.h): the slack target of each face.
 *
 * The smallest and the largest face, between which alpha falls from 1 to 0, are given by the limits
 * of the edge length, not by the current mesh. With those of the mesh, one edit would change the
 * resistance of all other faces, and a uniformly fine cloth would be soft at its largest faces.
 *
 * Targets are computed at the end of each frame from the saved state. They are not saved; a resumed
 * run computes the same values. */
#include "core/timer.h"
#include "sim/sim.h"

#include <math.h>

/* Smaller slack is zero, so that nearly finest faces cost nothing. */
static const double MIN_SLACK = 0.01;
/* Upper bound: every face keeps some resistance, else its corners would drift into each other. */
static const double MAX_SLACK = 0.99;

/* Area of an equilateral face. */
static double equilateral_area(double edge) { return 0.25 * sqrt(3) * edge * edge; }

/* Slack of a face; alpha is 1 for edges of length min_edge and 0 for max_edge. */
static double compute_slack(double area, double min_edge, double max_edge, double power) {
    double alpha =
        vo_buckle_alpha(area, equilateral_area(min_edge), equilateral_area(max_edge), power);
    return 1 - alpha >= MIN_SLACK ? vo_min(1 - alpha, MAX_SLACK) : 0;
}

/* Exponent for view-dependent compensation of a face; 0: none. Occluded faces are treated like
 * visible ones: their size already distinguishes them, and no rays are needed. */
static double view_power(const vo_sim *sim, int cloth, int face) {
    const vo_view_settings *v = &sim->scene->def.view;
    if (!v->compensation || sim->view.frustum_count == 0) return 0;
    return vo_sim_view_face_is_off_screen(sim, cloth, face) ? v->compensation_power
                                                            : v->visible_compensation_power;
}

/* Edge length of off-screen faces at which alpha is 0. If the remeshing of the cloth has no limit,
 * the limit of the view is used; larger faces have the same slack. */
static double max_off_screen_edge(double own, double view_max) {
    return isinf(own) ? view_max : vo_max(own, view_max);
}

double vo_sim_slack_target(const vo_sim *sim, int cloth, int face) {
    const vo_remeshing_def *r = &sim->scene->cloth[cloth].remeshing;
    if (!r->enabled) return 0;
    double area = vo_mesh_face_area(sim->cloth[cloth].mesh, face);
    if (r->compensation != VO_COMPENSATE_NONE)
        return compute_slack(area, r->size_min, r->size_max, r->compensation_power);
    double power = view_power(sim, cloth, face);
    double max_edge = max_off_screen_edge(r->size_max, sim->scene->def.view.size_max);
    return power > 0 ? compute_slack(area, r->size_min, max_edge, power) : 0;
}

/* Cloth that contains a face, by its global number; binary search. */
static int cloth_of(const vo_sim *sim, int face) {
    int low = 0, high = sim->cloth_count; /* the result is in [low, high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (sim->system_cloth[middle].first_face <= face)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* vo_slack_target_fn */
static double slack_target(const void *user, int face) {
    const vo_sim *sim = user;
    int cloth = cloth_of(sim, face);
    return vo_sim_slack_target(sim, cloth, face - sim->system_cloth[cloth].first_face);
}

void vo_sim_update_slack_targets(vo_sim *sim) {
    double start = vo_now();
    vo_sim_view_open_frusta(sim);
    vo_implicit_set_slack_targets(&sim->implicit, slack_target, sim);
    if (sim->view.view) sim->stats.stage.view += vo_now() - start;
}

void vo_sim_reset_slack(vo_sim *sim) {
    vo_sim_update_slack_targets(sim);
    vo_implicit_fade_slack(&sim->implicit, 0);
}
