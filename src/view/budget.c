#include "view/budget.h"

vo_budget_def vo_budget_def_default(void) {
    return (vo_budget_def){
        .min_pixels = 1, .max_pixels = 64, .gain = 0.6, .max_step = 1.25, .dead_band = 0.03};
}

/* Returns measured / target; 0 if there is no target or no valid measurement. */
static double load_of(double measured, double target) {
    bool known = measured > 0 && isfinite(measured) && target > 0;
    return known ? measured / target : 0;
}

/* Returns the larger ratio to a target. */
static double total_load(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(load_of(faces, def->faces), load_of(seconds, def->seconds));
}

bool vo_budget_is_face_bound(const vo_budget_def *def, double faces, double seconds) {
    return load_of(faces, def->faces) >= load_of(seconds, def->seconds);
}

#define FACE_TOLERANCE 3e-3 /* relative tolerance of the solved face count */

/* A value of l and the faces expected for it. */
typedef struct trial {
    double pixels, faces;
} trial;

typedef struct budget_query {
    const vo_budget_def *def;
    vo_budget_fn *expected;
    void *arg;
    trial now;
} budget_query;

static trial try_pixels(const budget_query *q, double pixels) {
    return (trial){pixels, q->expected(q->arg, pixels)};
}

/* Returns the logarithm of faces / target. */
static double excess_of(trial t, double target) {
    return log(vo_max(t.faces, 1e-6 * target) / target);
}

/* Solves for l such that the expected faces equal the target within FACE_TOLERANCE by regula falsi
 * in the logarithms, since the face count is close to a power law in l. A bisection in every third
 * iteration avoids stagnation at one end. Returns the upper end of the bracket if the tolerance is
 * not reached. */
static double solve(const budget_query *q, trial low, trial high, double target) {
    enum { ROUNDS = 16 };
    double above = excess_of(low, target), below = excess_of(high, target);
    for (int i = 0; i < ROUNDS && below < -FACE_TOLERANCE && above > 0; i++) {
        double part = i % 3 == 2 ? 0.5 : above / (above - below);
        trial middle = try_pixels(q, low.pixels * pow(high.pixels / low.pixels, part));
        double excess = excess_of(middle, target);
        if (fabs(excess) <= FACE_TOLERANCE) return middle.pixels;
        if (excess > 0)
            low = middle, above = excess;
        else
            high = middle, below = excess;
    }
    return high.pixels;
}

/* Returns the l for a target number of faces, at most `max_pixels`. */
static double pixels_for_faces(const budget_query *q, double target, double max_pixels) {
    const vo_budget_def *def = q->def;
    double aim = (1 - def->dead_band) * target;
    if (q->now.faces <= target && q->now.faces >= (1 - 2 * def->dead_band) * target)
        return q->now.pixels;
    if (q->now.faces > target) return solve(q, q->now, try_pixels(q, max_pixels), aim);
    trial lower = try_pixels(q, vo_max(q->now.pixels / def->max_step, def->min_pixels));
    return lower.faces <= aim ? lower.pixels : solve(q, lower, q->now, aim);
}

/* Returns the number of faces allowed for the next frame by the time target. */
static double affordable_faces(const budget_query *q, double faces, double load) {
    const vo_budget_def *def = q->def;
    if (load <= 1 && load >= 1 - 2 * def->dead_band) return faces;
    double change = vo_max(pow(1 / load, def->gain), 1 / def->max_step);
    return change * (load > 1 ? vo_min(faces, q->now.faces)
                              : faces); /* a reduction must not increase the count */
}

/* Returns the l for the time target; the current l if the measurements are invalid. */
static double pixels_for_time(const budget_query *q, double faces, double seconds,
                              double max_pixels) {
    double load = load_of(seconds, q->def->seconds);
    if (!(load > 0 && faces > 0 && isfinite(faces))) return q->now.pixels;
    return pixels_for_faces(q, affordable_faces(q, faces, load),
                            vo_min(q->now.pixels * q->def->max_step, max_pixels));
}

double vo_budget_next_pixels(const vo_budget_def *def, double pixels, double faces, double seconds,
                             vo_budget_fn *expected, void *arg) {
    double max_pixels = vo_max(def->max_pixels, def->min_pixels), next = def->min_pixels;
    double now = pixels > 0 ? vo_clamp(pixels, def->min_pixels, max_pixels) : def->min_pixels;
    if (!(def->faces > 0) && !(def->seconds > 0)) return now;
    budget_query q = {.def = def, .expected = expected, .arg = arg};
    q.now = try_pixels(&q, now);
    if (def->faces > 0) next = vo_max(next, pixels_for_faces(&q, def->faces, max_pixels));
    if (def->seconds > 0) next = vo_max(next, pixels_for_time(&q, faces, seconds, max_pixels));
    return next;
}

double vo_budget_excess(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(total_load(def, faces, seconds) - 1, 0);
}

bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds) {
    return pixels >= vo_max(def->max_pixels, def->min_pixels) &&
           total_load(def, faces, seconds) > 1 + def->dead_band;
}
