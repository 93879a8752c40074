#include "view/budget.h"

vo_budget_def vo_budget_def_default(void) {
    return (vo_budget_def){.pixels = 1, .pixels_most = 64, .gain = 0.3, .step = 1.25, .dead = 0.03};
}

/* measured / wanted; 0 where nothing is wanted or known. */
static double load_of(double measured, double wanted) {
    bool known = measured > 0 && isfinite(measured) && wanted > 0;
    return known ? measured / wanted : 0;
}

/* The larger of what is held. */
static double total_load(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(load_of(faces, def->faces), load_of(seconds, def->seconds));
}

bool vo_budget_is_of_faces(const vo_budget_def *def, double faces, double seconds) {
    return load_of(faces, def->faces) >= load_of(seconds, def->seconds);
}

double vo_budget_next(const vo_budget_def *def, double pixels, double faces, double seconds) {
    double most = vo_max(def->pixels_most, def->pixels);
    double now = pixels > 0 ? vo_clamp(pixels, def->pixels, most) : def->pixels;
    double load = total_load(def, faces, seconds);
    if (load == 0 || fabs(load - 1) <= def->dead) return now;
    double change = vo_clamp(pow(load, def->gain), 1 / def->step, def->step);
    return vo_clamp(now * change, def->pixels, most);
}

double vo_budget_excess(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(total_load(def, faces, seconds) - 1, 0);
}

bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds) {
    return pixels >= vo_max(def->pixels_most, def->pixels) &&
           total_load(def, faces, seconds) > 1 + def->dead;
}
