/* Budgets: adjusts the shortest edge on the screen so that a frame meets a number of faces, which
 * is predicted before the edits, or a number of seconds, which is controlled by feedback
 * (view/budget.h).
 *
 *      update      view with the current edge length in pixels              view.c
 *      solve       after sizing, before the edits: the edge length whose
 *                  predicted number of faces meets the budget
 *      density     after the edits: faces per unit of metric area
 *      report      at the end of the frame: the excess over the budget
 *
 * The edge length and the density are part of the saved state. */
#include "core/timer.h"
#include "sim/view_local.h"
#include "view/budget.h"

#include <stdio.h>

/* Faces of a mesh per unit of its area in its metric; 2.3 for equilateral faces with edges of the
 * maximum length. One remeshing changes the estimate by at most the factor DENSITY_STEP. */
static const double MIN_DENSITY = 1, DEFAULT_DENSITY = 5, MAX_DENSITY = 16, DENSITY_STEP = 1.2;

double vo_sim_min_edge_pixels(const vo_sim *sim) {
    const vo_view_settings *v = &sim->scene->def.view;
    return v->min_edge_pixels > 0 ? v->min_edge_pixels : 1;
}

static void warn_budget(vo_sim *sim, const vo_budget_def *budget, double faces, double seconds) {
    if (!vo_sim_count_warning(sim, VO_WARN_BUDGET, sim->frame)) return;
    bool by_faces = vo_budget_is_face_bound(budget, faces, seconds);
    char remaining[64];
    snprintf(remaining, sizeof remaining, by_faces ? "%.0f faces" : "%.3g s",
             by_faces ? faces : seconds);
    vo_log_line(
        sim->ctx, VO_LOG_WARNING,
        "frame %d: view.budget_%s cannot be met: %s remain with edges of %.3g pixels, the longest "
        "that a budget sets; raise the budget or view.size_max, or lower view.back_facing and "
        "view.off_screen",
        sim->frame, by_faces ? "faces" : "seconds", remaining, sim->budget.min_edge_pixels);
}

/* The budget of a frame and the consumption up to now. Up to frame 0 the seconds cover the whole
 * preroll and are not used. */
typedef struct account {
    vo_budget_def def;
    double faces, seconds;
} account;

/* Fills *a. Returns false if the scene has no budget. */
static bool get_account(const vo_sim *sim, account *a) {
    const vo_view_settings *v = &sim->scene->def.view;
    *a = (account){.def = vo_budget_def_default()};
    a->def.faces = v->budget_faces;
    a->def.seconds = v->budget_seconds;
    a->def.min_pixels = vo_sim_min_edge_pixels(sim);
    a->def.max_pixels = vo_max(a->def.max_pixels, a->def.min_pixels);
    a->seconds = sim->frame > 0 ? sim->budget.frame_s : 0;
    for (int c = 0; c < sim->cloth_count; c++) a->faces += sim->cloth[c].mesh->face_count;
    return vo_sim_has_budget(sim);
}

/* Estimated seconds of the whole frame: its steps, and the remaining stages (remeshing, inspection,
 * writing) as measured in the previous frame. Returns 0 if it cannot be estimated: after a resume
 * there is no previous frame, and steps within the budget do not show an excess. */
static double frame_seconds(const vo_sim *sim, const account *a) {
    bool known = sim->budget.after_steps_s > 0 || a->seconds > a->def.seconds;
    return a->seconds > 0 && known ? a->seconds + sim->budget.after_steps_s : 0;
}

void vo_sim_view_begin_budget(vo_sim *sim) {
    account a;
    sim->budget.steps_s = sim->budget.frame_s;
    if (get_account(sim, &a) && !vo_sim_view_is_full_detail(sim))
        sim->budget.min_edge_pixels =
            vo_clamp(sim->budget.min_edge_pixels, a.def.min_pixels, a.def.max_pixels);
}

/* Area in the metric of all cloths that are remeshed, if the shortest edges had the given length in
 * pixels. */
static double metric_area(vo_sim *sim, double pixels) {
    double ratio = sim->budget.min_edge_pixels / pixels, sum = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c)) sum += vo_sizing_area(&sim->cloth[c].sizing, ratio * ratio);
    return sum;
}

/* Number of faces of all cloths that are remeshed, or of those that are not. */
static double count_faces(const vo_sim *sim, bool remeshed) {
    double sum = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c) == remeshed) sum += sim->cloth[c].mesh->face_count;
    return sum;
}

static double expected_faces(void *arg, double pixels) {
    vo_sim *sim = arg;
    return count_faces(sim, false) + sim->budget.density * metric_area(sim, pixels);
}

void vo_sim_view_solve_budget(vo_sim *sim) {
    account a;
    sim->budget.area = 0;
    if (!sim->view.view || !get_account(sim, &a) || vo_sim_view_is_full_detail(sim)) return;
    double start = vo_now(), before = sim->budget.min_edge_pixels;
    double pixels =
        vo_budget_next_pixels(&a.def, before, a.faces, frame_seconds(sim, &a), expected_faces, sim);
    sim->budget.area = metric_area(sim, pixels);
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c))
            vo_sizing_scale_bounds(&sim->cloth[c].sizing, before * before / (pixels * pixels));
    sim->budget.min_edge_pixels = pixels;
    sim->stats.stage.view += vo_now() - start;
}

void vo_sim_view_update_density(vo_sim *sim) {
    double faces = count_faces(sim, true), old = sim->budget.density;
    if (!(faces > 0 && sim->budget.area > 0)) return;
    double now = vo_clamp(faces / sim->budget.area, old / DENSITY_STEP, old * DENSITY_STEP);
    vo_sim_view_set_density(sim, now);
}

void vo_sim_view_set_density(vo_sim *sim, double density) {
    sim->budget.density =
        density > 0 ? vo_clamp(density, MIN_DENSITY, MAX_DENSITY) : DEFAULT_DENSITY;
}

void vo_sim_view_report_budget(vo_sim *sim) {
    account a;
    if (!sim->view.view || !get_account(sim, &a)) return;
    sim->stats.budget_excess = vo_budget_excess(&a.def, a.faces, a.seconds);
    sim->stats.budget_missed =
        !vo_sim_view_is_full_detail(sim) &&
        vo_budget_is_missed(&a.def, sim->budget.min_edge_pixels, a.faces, a.seconds);
    if (sim->stats.budget_missed) warn_budget(sim, &a.def, a.faces, a.seconds);
}
