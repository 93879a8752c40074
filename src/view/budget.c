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

/* What is asked about an l. */
typedef struct question {
    const vo_budget_def *def;
    double now; /* l */
    vo_budget_fn *expected;
    void *arg;
} question;

#define SLIGHT 3e-3

static double expect(const question *q, double pixels) { return q->expected(q->arg, pixels); }

/* An l and what is expected there, as logarithms; faces against those wanted. */
typedef struct trial {
    double pixels, excess;
} trial;

static trial try_pixels(const question *q, double log_pixels, double wanted) {
    double faces = expect(q, exp(log_pixels));
    return (trial){log_pixels, log(vo_max(faces, 1e-6 * wanted) / wanted)};
}

/* Where as many are expected as wanted, within SLIGHT, or the larger of two l between which that
 * is. Faces go about with a power of l, so the line between two trials is near the curve; halving
 * now and then keeps a trial from staying at its end. */
static double solve(const question *q, double low, double high, double wanted) {
    enum { ROUNDS = 16 };
    trial a = try_pixels(q, log(low), wanted), b = try_pixels(q, log(high), wanted);
    for (int i = 0; i < ROUNDS && fabs(b.excess) > SLIGHT && a.excess > 0; i++) {
        double part = i % 3 == 2 ? 0.5 : a.excess / (a.excess - b.excess);
        trial c = try_pixels(q, a.pixels + part * (b.pixels - a.pixels), wanted);
        if (fabs(c.excess) <= SLIGHT) return exp(c.pixels);
        *(c.excess > 0 ? &a : &b) = c;
    }
    return exp(b.pixels);
}

/* The l for so many faces, but not above `most`. */
static double pixels_for(const question *q, double wanted, double most) {
    const vo_budget_def *def = q->def;
    double faces = expect(q, q->now), aim = (1 - def->dead) * wanted;
    if (faces <= wanted && faces >= (1 - 2 * def->dead) * wanted) return q->now;
    if (faces > wanted) return expect(q, most) > aim ? most : solve(q, q->now, most, aim);
    double lower = vo_max(q->now / def->step, def->pixels);
    return expect(q, lower) <= aim ? lower : solve(q, lower, q->now, aim);
}

/* Faces that the next frame may have for the sake of seconds, by what the last one took. */
static double affordable(const vo_budget_def *def, double faces, double load) {
    bool fits = load <= 1 && load >= 1 - 2 * def->dead;
    return faces * (fits ? 1 : vo_clamp(pow(1 / load, def->gain), 1 / def->step, def->step));
}

double vo_budget_pixels(const vo_budget_def *def, double pixels, double faces, double seconds,
                        vo_budget_fn *expected, void *arg) {
    double most = vo_max(def->pixels_most, def->pixels), held = def->pixels, timed = def->pixels;
    question q = {def, pixels > 0 ? vo_clamp(pixels, def->pixels, most) : def->pixels, expected,
                  arg};
    if (!(def->faces > 0) && !(def->seconds > 0)) return q.now;
    if (def->faces > 0) held = pixels_for(&q, def->faces, most);
    if (def->seconds > 0) {
        double load = load_of(seconds, def->seconds);
        bool known = load > 0 && faces > 0 && isfinite(faces);
        timed = known
                    ? pixels_for(&q, affordable(def, faces, load), vo_min(q.now * def->step, most))
                    : q.now;
    }
    return vo_max(held, timed);
}

double vo_budget_excess(const vo_budget_def *def, double faces, double seconds) {
    return vo_max(total_load(def, faces, seconds) - 1, 0);
}

bool vo_budget_is_missed(const vo_budget_def *def, double pixels, double faces, double seconds) {
    return pixels >= vo_max(def->pixels_most, def->pixels) &&
           total_load(def, faces, seconds) > 1 + def->dead;
}
