#include "view/budget.h"

vo_budget_def vo_budget_def_default(void) {
    return (vo_budget_def){.pixels = 1, .pixels_most = 64, .gain = 0.6, .step = 1.25, .dead = 0.03};
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

#define SLIGHT 3e-3 /* of the faces that are wanted: nearer than this need not be looked for */

/* An l and the faces that are expected there. */
typedef struct trial {
    double pixels, faces;
} trial;

typedef struct question {
    const vo_budget_def *def;
    vo_budget_fn *expected;
    void *arg;
    trial now;
} question;

static trial try_pixels(const question *q, double pixels) {
    return (trial){pixels, q->expected(q->arg, pixels)};
}

/* How far above, as a logarithm. */
static double excess_of(trial t, double wanted) {
    return log(vo_max(t.faces, 1e-6 * wanted) / wanted);
}

/* Where as many are expected as wanted, within SLIGHT, or the larger of two l between which that
 * is. Faces go about with a power of l, so the line between two trials is near the curve; halving
 * now and then keeps a trial from staying at its end. */
static double solve(const question *q, trial low, trial high, double wanted) {
    enum { ROUNDS = 16 };
    double above = excess_of(low, wanted), below = excess_of(high, wanted);
    for (int i = 0; i < ROUNDS && below < -SLIGHT && above > 0; i++) {
        double part = i % 3 == 2 ? 0.5 : above / (above - below);
        trial middle = try_pixels(q, low.pixels * pow(high.pixels / low.pixels, part));
        double excess = excess_of(middle, wanted);
        if (fabs(excess) <= SLIGHT) return middle.pixels;
        if (excess > 0)
            low = middle, above = excess;
        else
            high = middle, below = excess;
    }
    return high.pixels;
}

/* The l for so many faces, but not above `most`. */
static double pixels_for(const question *q, double wanted, double most) {
    const vo_budget_def *def = q->def;
    double aim = (1 - def->dead) * wanted;
    if (q->now.faces <= wanted && q->now.faces >= (1 - 2 * def->dead) * wanted)
        return q->now.pixels;
    if (q->now.faces > wanted) return solve(q, q->now, try_pixels(q, most), aim);
    trial lower = try_pixels(q, vo_max(q->now.pixels / def->step, def->pixels));
    return lower.faces <= aim ? lower.pixels : solve(q, lower, q->now, aim);
}

/* Faces that the next frame may have for the sake of seconds, by what the last one took. */
static double affordable(const question *q, double faces, double load) {
    const vo_budget_def *def = q->def;
    if (load <= 1 && load >= 1 - 2 * def->dead) return faces;
    double change = vo_max(pow(1 / load, def->gain), 1 / def->step);
    return change * (load > 1 ? vo_min(faces, q->now.faces) : faces); /* to save is to save */
}

/* The l for the sake of seconds; the present one where they are not known. */
static double pixels_in_time(const question *q, double faces, double seconds, double most) {
    double load = load_of(seconds, q->def->seconds);
    if (!(load > 0 && faces > 0 && isfinite(faces))) return q->now.pixels;
    return pixels_for(q, affordable(q, faces, load), vo_min(q->now.pixels * q->def->step, most));
}

double vo_budget_pixels(const vo_budget_def *def, double pixels, double faces, double seconds,
                        vo_budget_fn *expected, void *arg) {
    double most = vo_max(def->pixels_most, def->pixels), next = def->pixels;
    double now = pixels > 0 ? vo_clamp(pixels, def->pixels, most) : def->pixels;
    if (!(def->faces > 0) && !(def->seconds > 0)) return now;
    question q = {.def = def, .expected = expected, .arg = arg};
    q.now = try_pixels(&q, now);
    if (def->faces > 0) next = vo_max(next, pixels_for(&q, def->faces, most));
    if (def->seconds > 0) next = vo_max(next, pixels_in_time(&q, faces, seconds, most));
    return next;
}

double vo_budget_excess(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(total_load(def, faces, seconds) - 1, 0);
}

bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds) {
    return pixels >= vo_max(def->pixels_most, def->pixels) &&
           total_load(def, faces, seconds) > 1 + def->dead;
}
