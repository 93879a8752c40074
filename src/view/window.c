#include "view/window.h"

enum { MAX_STEPS = 64 }; /* evaluations between two samples */

/* ---- frustum samples ------------------------------------------------------------------------ */

typedef struct slack {
    double drift, turn; /* m, rad */
} slack;

/* Difference of two camera frames in rad: the chord, an upper bound of the rotation of any
 * direction. */
static double chord_between(const vo_frustum *a, const vo_frustum *b) {
    double sum = v3_length2(v3_sub(a->right, b->right)) + v3_length2(v3_sub(a->up, b->up)) +
                 v3_length2(v3_sub(a->forward, b->forward));
    return sqrt(0.5 * sum);
}

/* Slack between two cameras: each point of one frustum has a point of the other within drift + turn
 * r (moved with the frame, clamped to the other field of view and along its ray to near and far).
 */
static slack slack_between(const vo_camera *a, const vo_camera *b) {
    vo_frustum f = vo_frustum_make(a), g = vo_frustum_make(b);
    double x = vo_max(f.tan_x, g.tan_x), y = vo_max(f.tan_y, g.tan_y);
    double shift = (fabs(f.z_near - g.z_near) + fabs(f.z_far - g.z_far)) * sqrt(1 + x * x + y * y);
    double zoom =
        sqrt((f.tan_x - g.tan_x) * (f.tan_x - g.tan_x) + (f.tan_y - g.tan_y) * (f.tan_y - g.tan_y));
    return (slack){v3_distance(f.position, g.position) + shift, chord_between(&f, &g) + zoom};
}

/* Slack of a sample until the next one of its shot. */
static slack slack_after(const vo_viewpoint *viewpoint, int i) {
    const vo_view_sample *s = &viewpoint->sample[i];
    slack own = {vo_max(s->drift, 0), vo_max(s->turn, 0)};
    if (i + 1 >= viewpoint->sample_count || s[1].cut) return own;
    slack segment = slack_between(&s[0].camera, &s[1].camera);
    return (slack){segment.drift + vo_max(own.drift, s[1].drift),
                   segment.turn + vo_max(own.turn, s[1].turn)};
}

static vo_frustum_sample make_sample(const vo_viewpoint *viewpoint, int i, double weight) {
    const vo_view_sample *s = &viewpoint->sample[i];
    slack spare = slack_after(viewpoint, i);
    vo_frustum_sample m = {.frustum = vo_frustum_make(&s->camera),
                           .weight = weight,
                           .front_factor = viewpoint->front_factor,
                           .drift = spare.drift,
                           .turn = spare.turn,
                           .first_of_shot = i == 0 || s->cut};
    m.pixel_x = vo_max_int(s->camera.width, 1) / (2 * m.frustum.tan_x);
    m.pixel_y = vo_max_int(s->camera.height, 1) / (2 * m.frustum.tan_y);
    return m;
}

int vo_frustum_samples_make(const vo_viewpoint *viewpoint, int index, double length,
                            vo_frustum_sample *out) {
    int count = 0;
    for (int i = 0; i < viewpoint->sample_count; i++) {
        double ahead = vo_max(viewpoint->sample[i].ahead, 0);
        double weight = length > 0 ? 1 - ahead / length : ahead <= 0; /* eq. 4 */
        if (!(weight > 0)) continue;
        out[count] = make_sample(viewpoint, i, weight);
        out[count++].viewpoint = index;
    }
    return count;
}

/* ---- sampling a path ------------------------------------------------------------------------ */

vo_window_def vo_window_def_default(void) {
    return (vo_window_def){.intervals = 10, .step = 0.02, .tolerance = 0.05, .range = 5};
}

/* State of the path sampling. */
typedef struct sampler {
    const vo_window_def *def;
    vo_camera_eval_fn *at;
    const void *path;
    int capacity, count;
    vo_view_sample *out;
} sampler;

/* Evaluates the path at a time; false if the camera is inactive. Before a cut it is evaluated
 * slightly earlier, since the path may round the time to that of the cut. */
static bool eval_path(const sampler *s, double time, bool before, vo_view_sample *out) {
    double eval_time = before ? time - 0.5 * VO_CUT_TOLERANCE : time;
    *out = (vo_view_sample){.ahead = time - s->def->time};
    return s->at(s->path, eval_time, &out->camera);
}

/* Appends a sample; false if the camera is inactive or the capacity is reached. */
static bool append_sample(sampler *s, double time, bool before, bool cut) {
    vo_view_sample sample;
    if (s->count >= s->capacity || !eval_path(s, time, before, &sample)) return false;
    sample.cut = cut;
    s->out[s->count++] = sample;
    return true;
}

/* Counts the cuts within the window. */
static int count_cuts(const vo_window_def *def) {
    int count = 0;
    for (int i = 0; i < def->cut_count; i++)
        count += def->cut[i] > def->time && def->cut[i] < def->time + def->length;
    return count;
}

/* Samples both ends of a shot and the equal intervals in between. */
static void sample_shot(sampler *s, double start, double stop, bool cut, int parts) {
    const vo_window_def *def = s->def;
    bool ends = stop < def->time + def->length;
    if (!append_sample(s, start, false, cut)) return;
    for (int i = 1; i < parts; i++) {
        double time = def->time + def->length * i / parts;
        if (time - start > VO_CUT_TOLERANCE && stop - time > VO_CUT_TOLERANCE)
            append_sample(s, time, false, false);
    }
    append_sample(s, stop, ends, false);
}

static void sample_shots(sampler *s) {
    const vo_window_def *def = s->def;
    int spare = s->capacity - VO_WINDOW_MIN_SAMPLES(count_cuts(def)), next = 0;
    int parts = vo_max_int(1, vo_min_int(def->intervals, spare + 1));
    double end = def->time + def->length, start = def->time;
    bool cut = false;
    while (start < end) {
        for (; next < def->cut_count && def->cut[next] - start <= VO_CUT_TOLERANCE; next++)
            start = vo_max(start, def->cut[next]);
        double stop = next < def->cut_count ? vo_min(def->cut[next], end) : end;
        if (start < stop) sample_shot(s, start, stop, cut, parts);
        start = stop;
        cut = true;
    }
}

static bool ends_shot(const sampler *s, int i) { return i + 1 >= s->count || s->out[i + 1].cut; }

/* Measures how far the path deviates from the segment between a sample and the next one of its
 * shot. */
static void measure_deviation(sampler *s, int i) {
    vo_view_sample *a = &s->out[i], current;
    a->drift = a->turn = 0;
    if (ends_shot(s, i)) return;
    double length = a[1].ahead - a[0].ahead, steps = ceil(length / s->def->step);
    int count = (int)vo_clamp(steps, 2, MAX_STEPS);
    slack segment = slack_between(&a[0].camera, &a[1].camera);
    for (int k = 1; k < count; k++) {
        double time = s->def->time + a->ahead + length * k / count;
        if (!eval_path(s, time, false, &current)) continue;
        slack deviation = slack_between(&a->camera, &current.camera);
        a->drift = vo_max(a->drift, deviation.drift - segment.drift);
        a->turn = vo_max(a->turn, deviation.turn - segment.turn);
    }
}

static void measure_deviations(sampler *s) {
    for (int i = 0; i < s->count; i++) measure_deviation(s, i);
}

/* m and rad, smaller motions are rounding of the path */
static const double STATIC_TOLERANCE = 1e-9;

static bool same_camera(const vo_camera *a, const vo_camera *b) {
    slack s = slack_between(a, b);
    return s.drift <= STATIC_TOLERANCE && s.turn <= STATIC_TOLERANCE && a->width == b->width &&
           a->height == b->height;
}

/* Returns true if the camera is static from sample i - 1 to sample i of a shot. */
static bool is_repeat(const sampler *s, int i) {
    if (i < 1 || i >= s->count || s->out[i].cut) return false;
    const vo_view_sample *a = &s->out[i - 1];
    return same_camera(&a[0].camera, &a[1].camera) && a->drift <= STATIC_TOLERANCE &&
           a->turn <= STATIC_TOLERANCE;
}

/* Removes samples inside and at the end of intervals in which the camera is static. */
static void drop_repeats(sampler *s) {
    int kept = 0;
    bool still = false, next;
    for (int i = 0; i < s->count; i++, still = next) {
        next = is_repeat(s, i + 1);
        if (!still || !(next || ends_shot(s, i))) s->out[kept++] = s->out[i];
    }
    s->count = kept;
}

/* Weighted slack between a sample and the next. */
static double slack_gap(const sampler *s, int i) {
    const vo_view_sample *a = &s->out[i];
    if (ends_shot(s, i) || a[1].ahead - a[0].ahead < 2 * VO_CUT_TOLERANCE) return 0;
    slack segment = slack_between(&a[0].camera, &a[1].camera);
    double drift = segment.drift + a->drift, turn = segment.turn + a->turn;
    return (1 - a->ahead / s->def->length) * (drift + turn * s->def->range);
}

static int find_widest_gap(const sampler *s, double *width) {
    int widest = 0;
    *width = 0;
    for (int i = 0; i < s->count; i++) {
        double gap = slack_gap(s, i);
        if (gap > *width) *width = gap, widest = i;
    }
    return widest;
}

/* Bisects the interval with the largest slack until none exceeds the tolerance or the capacity is
 * reached. */
static void bisect_gaps(sampler *s) {
    measure_deviations(s);
    while (s->count < s->capacity) {
        double width;
        int i = find_widest_gap(s, &width);
        if (!(width > s->def->tolerance)) return;
        double middle = 0.5 * (s->out[i].ahead + s->out[i + 1].ahead);
        vo_view_sample sample;
        if (!eval_path(s, s->def->time + middle, false, &sample)) return;
        for (int k = s->count++; k > i + 1; k--) s->out[k] = s->out[k - 1];
        s->out[i + 1] = sample;
        measure_deviation(s, i);
        measure_deviation(s, i + 1);
    }
}

int vo_window_sample_path(const vo_window_def *def, vo_camera_eval_fn *at, const void *path,
                          int capacity, vo_view_sample *out) {
    sampler s = {def, at, path, capacity, 0, out};
    if (!(def->length > VO_CUT_TOLERANCE)) { /* the window is shorter than the time tolerance */
        append_sample(&s, def->time, false, false);
        return s.count;
    }
    sample_shots(&s);
    measure_deviations(&s);
    drop_repeats(&s);
    bisect_gaps(&s);
    return s.count;
}

int vo_window_sample_prediction(const vo_camera_predictor *predictor, double time, double length,
                                double jitter, int capacity, vo_view_sample *out) {
    int count = length > 0 ? capacity : 1;
    for (int i = 0; i < count; i++) {
        double ahead = vo_max(length, 0) * i / vo_max_int(count - 1, 1);
        double current = time + ahead;
        double unobserved = vo_clamp(current - predictor->time, 0, ahead + vo_max(length, 0));
        vo_camera_uncertainty uncertainty = vo_camera_predict_uncertainty(predictor, current);
        out[i] = (vo_view_sample){.ahead = ahead,
                                  .camera = vo_camera_predict(predictor, current),
                                  .drift = uncertainty.metres + jitter * unobserved,
                                  .turn = vo_min(uncertainty.radians + jitter * unobserved, VO_PI)};
    }
    return count;
}
