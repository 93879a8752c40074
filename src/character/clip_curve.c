/* Monotone piecewise cubics: F. N. Fritsch and J. Butland, A method for constructing local monotone
 * piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5, 1984. */
#include "character/clip_curve.h"

#include "core/memory.h"
#include "math/vec.h"

bool vo_curve_add(vo_context *ctx, vo_curve *curve, double time, double value) {
    if (!vo_reserve(ctx, &curve->key, &curve->capacity, curve->count + 1)) return false;
    curve->key[curve->count++] = (vo_curve_key){time, value, 0};
    return true;
}

void vo_curve_free(vo_context *ctx, vo_curve *curve) {
    vo_free_array(ctx, curve->key, curve->capacity);
    *curve = (vo_curve){0};
}

/* Returns key i of the periodic continuation; i may be one beyond either end. */
static vo_curve_key key_at(const vo_curve *curve, int i) {
    int n = curve->count, turn = i < 0 ? -1 : i >= n;
    vo_curve_key key = curve->key[i - turn * n];
    key.time += turn * curve->cycle.period;
    key.value += turn * curve->cycle.gain;
    return key;
}

/* Returns the slope at b of a curve through a, b and c: a mean of both secants, 0 at extrema. */
static double slope_between(vo_curve_key a, vo_curve_key b, vo_curve_key c) {
    double before = b.time - a.time, after = c.time - b.time;
    double d0 = (b.value - a.value) / before, d1 = (c.value - b.value) / after;
    if (d0 * d1 <= 0) return 0;
    double alpha = (before + 2 * after) / (3 * (before + after)); /* Fritsch and Butland, eq. 5 */
    return d0 * d1 / (alpha * d1 + (1 - alpha) * d0);
}

void vo_curve_finish(vo_curve *curve, vo_curve_cycle cycle) {
    curve->cycle = cycle;
    for (int i = 0; i < curve->count; i++) {
        bool end = i == 0 || i == curve->count - 1;
        if (end && cycle.period == 0)
            curve->key[i].slope = 0;
        else
            curve->key[i].slope =
                slope_between(key_at(curve, i - 1), key_at(curve, i), key_at(curve, i + 1));
    }
}

/* Evaluates the cubic between two keys. */
static double hermite(vo_curve_key a, vo_curve_key b, double time) {
    double h = b.time - a.time, s = (time - a.time) / h, r = 1 - s;
    return a.value + s * s * (1 + 2 * r) * (b.value - a.value) +
           h * s * r * (r * a.slope - s * b.slope);
}

/* Returns the number of keys at or before a time. */
static int count_keys_until(const vo_curve *curve, double time) {
    int low = 0, high = curve->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (curve->key[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double vo_curve_at(const vo_curve *curve, double time) {
    if (curve->count == 0) return 0;
    double period = curve->cycle.period, rise = 0;
    if (period > 0) {
        double turns = floor(time / period);
        time -= turns * period;
        rise = turns * curve->cycle.gain;
    }
    int next = count_keys_until(curve, time);
    if (period == 0 && next == 0) return curve->key[0].value;
    if (period == 0 && next == curve->count) return curve->key[next - 1].value;
    return rise + hermite(key_at(curve, next - 1), key_at(curve, next), time);
}

double vo_ease(double x) {
    x = vo_clamp(x, 0, 1);
    return x * x * (3 - 2 * x);
}
