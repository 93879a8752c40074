/* Budgets: the shortest edge on the screen is steered so that a frame keeps within a number of
 * faces, which is held ahead, or of seconds, which is followed (view/budget.h).
 *
 *      look        what cameras see, with edges of so many pixels           view.c
 *      fit         sizes are known, not yet the meshes: how many pixels
 *                  lead to as many faces as there may be                    before the edits
 *      learn       how many faces the sizes have led to                     after them
 *      judge       by how much the frame is above its budget                at its end
 *
 * The length of that edge is state, and so is what was learned. */
#include "core/timer.h"
#include "sim/view_local.h"
#include "view/budget.h"

#include <stdio.h>

/* Faces of a mesh for each unit of its area in its metric: equilateral ones with edges as long as
 * they may be would be 2.3. One odd remeshing is no lesson, so it changes by no more than a factor.
 */
static const double LEAST_DENSITY = 1, USUAL_DENSITY = 5, MOST_DENSITY = 16, DENSITY_STEP = 1.2;

double vo_sim_least_pixels(const vo_sim *sim) {
    const vo_viewing *v = &sim->scene->def.view;
    return v->pixels > 0 ? v->pixels : 1;
}

/* Told once. */
static void tell_budget(vo_sim *sim, const vo_budget_def *budget, double faces, double seconds) {
    if (sim->view.budget_told) return;
    sim->view.budget_told = true;
    bool of_faces = vo_budget_is_of_faces(budget, faces, seconds);
    char left[64];
    snprintf(left, sizeof left, of_faces ? "%.0f faces" : "%.3g s", of_faces ? faces : seconds);
    vo_log_line(
        sim->ctx, VO_LOG_WARNING,
        "frame %d: view.budget_%s cannot be held: %s are left with edges of %.3g pixels, the "
        "longest that a budget asks for. What is left does not go by the screen: raise the budget "
        "or view.size_max, or lower view.back and view.out",
        sim->frame, of_faces ? "faces" : "seconds", left, sim->view.pixels);
}

bool vo_sim_has_budget(const vo_sim *sim) {
    const vo_viewing *v = &sim->scene->def.view;
    return v->budget_faces > 0 || v->budget_seconds > 0;
}

/* What a frame may have and what it has so far. Up to frame 0 the seconds are those of the whole
 * preroll, which say nothing about a frame. */
typedef struct account {
    vo_budget_def def;
    double faces, seconds;
} account;

/* False: the scene has no budget. */
static bool open_account(const vo_sim *sim, account *a) {
    const vo_viewing *v = &sim->scene->def.view;
    *a = (account){.def = vo_budget_def_default()};
    a->def.faces = v->budget_faces;
    a->def.seconds = v->budget_seconds;
    a->def.pixels = vo_sim_least_pixels(sim);
    a->def.pixels_most = vo_max(a->def.pixels_most, a->def.pixels);
    a->seconds = sim->frame > 0 ? sim->stats.wall_s : 0;
    for (int c = 0; c < sim->cloth_count; c++) a->faces += sim->cloth[c].mesh->face_count;
    return vo_sim_has_budget(sim);
}

/* What the frame takes: its steps are over; what comes after them (remeshing, inspection, writing)
 * is taken to last as long as it did in the frame before. Where that is not known, after a resume,
 * steps that are within the budget say nothing; 0 then. */
static double frame_seconds(const vo_sim *sim, const account *a) {
    bool known = sim->view.rest_s > 0 || a->seconds > a->def.seconds;
    return a->seconds > 0 && known ? a->seconds + sim->view.rest_s : 0;
}

void vo_sim_view_open_budget(vo_sim *sim) {
    account a;
    sim->view.stepped_s = sim->stats.wall_s;
    if (open_account(sim, &a) && !vo_sim_view_sees_all(sim))
        sim->view.pixels = vo_clamp(sim->view.pixels, a.def.pixels, a.def.pixels_most);
}

/* Of all cloths that can be remeshed, in their metrics, if edges had so many pixels. */
static double metric_area(vo_sim *sim, double pixels) {
    double share = sim->view.pixels / pixels, sum = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c)) sum += vo_sizing_area(&sim->cloth[c].sizing, share * share);
    return sum;
}

/* Faces of all cloths that can be remeshed, or that cannot. */
static double count_faces(const vo_sim *sim, bool remeshed) {
    double sum = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c) == remeshed) sum += sim->cloth[c].mesh->face_count;
    return sum;
}

static double expected_faces(void *arg, double pixels) {
    vo_sim *sim = arg;
    return count_faces(sim, false) + sim->view.density * metric_area(sim, pixels);
}

void vo_sim_view_fit(vo_sim *sim) {
    account a;
    sim->view.area = 0;
    if (!sim->view.view || !open_account(sim, &a) || vo_sim_view_sees_all(sim)) return;
    double start = vo_now(), before = sim->view.pixels;
    double pixels =
        vo_budget_pixels(&a.def, before, a.faces, frame_seconds(sim, &a), expected_faces, sim);
    sim->view.area = metric_area(sim, pixels);
    for (int c = 0; c < sim->cloth_count; c++)
        if (vo_sim_remeshes(sim, c))
            vo_sizing_scale_bounds(&sim->cloth[c].sizing, before * before / (pixels * pixels));
    sim->view.pixels = pixels;
    sim->stats.stage.view += vo_now() - start;
}

void vo_sim_view_learn(vo_sim *sim) {
    double faces = count_faces(sim, true), old = sim->view.density;
    if (!(faces > 0 && sim->view.area > 0)) return;
    double now = vo_clamp(faces / sim->view.area, old / DENSITY_STEP, old * DENSITY_STEP);
    vo_sim_view_set_density(sim, now);
}

void vo_sim_view_set_density(vo_sim *sim, double density) {
    sim->view.density =
        density > 0 ? vo_clamp(density, LEAST_DENSITY, MOST_DENSITY) : USUAL_DENSITY;
}

void vo_sim_view_begin_frame(vo_sim *sim) {
    sim->view.rest_s = vo_max(0, sim->stats.wall_s - sim->view.stepped_s);
}

void vo_sim_view_judge(vo_sim *sim) {
    account a;
    if (!sim->view.view || !open_account(sim, &a)) return;
    sim->stats.budget_excess = vo_budget_excess(&a.def, a.faces, a.seconds);
    sim->stats.budget_missed = !vo_sim_view_sees_all(sim) &&
                               vo_budget_is_missed(&a.def, sim->view.pixels, a.faces, a.seconds);
    if (sim->stats.budget_missed) tell_budget(sim, &a.def, a.faces, a.seconds);
}
