#include "view/window.h"

enum { MOST_STEPS = 64 }; /* between two samples */

/* ---- moments -------------------------------------------------------------------------------- */

typedef struct slack {
    double drift, turn; /* m, rad */
} slack;

/* How two frames differ, in rad: the length of the chord, which no direction turns further than. */
static double chord_between(const vo_frustum *a, const vo_frustum *b) {
    double sum = v3_length2(v3_sub(a->right, b->right)) + v3_length2(v3_sub(a->up, b->up)) +
                 v3_length2(v3_sub(a->forward, b->forward));
    return sqrt(0.5 * sum);
}

/* A point of one frustum has a point of the other within drift + turn r: moved with the frame,
 * brought within the other opening, and along its ray within near and far. */
static slack slack_between(const vo_camera *a, const vo_camera *b) {
    vo_frustum f = vo_frustum_make(a), g = vo_frustum_make(b);
    double x = vo_max(f.tan_x, g.tan_x), y = vo_max(f.tan_y, g.tan_y);
    double shift = (fabs(f.near - g.near) + fabs(f.far - g.far)) * sqrt(1 + x * x + y * y);
    double zoom =
        sqrt((f.tan_x - g.tan_x) * (f.tan_x - g.tan_x) + (f.tan_y - g.tan_y) * (f.tan_y - g.tan_y));
    return (slack){v3_distance(f.eye, g.eye) + shift, chord_between(&f, &g) + zoom};
}

/* Slack of a sample until the next one of its shot. */
static slack slack_after(const vo_view_eye *eye, int i) {
    const vo_view_sample *s = &eye->sample[i];
    slack own = {vo_max(s->drift, 0), vo_max(s->turn, 0)};
    if (i + 1 >= eye->sample_count || s[1].cut) return own;
    slack way = slack_between(&s[0].camera, &s[1].camera);
    return (slack){way.drift + vo_max(own.drift, s[1].drift),
                   way.turn + vo_max(own.turn, s[1].turn)};
}

static vo_moment make_moment(const vo_view_eye *eye, int i, double weight) {
    const vo_view_sample *s = &eye->sample[i];
    slack room = slack_after(eye, i);
    vo_moment m = {.frustum = vo_frustum_make(&s->camera),
                   .weight = weight,
                   .front = eye->front,
                   .drift = room.drift,
                   .turn = room.turn,
                   .first = i == 0 || s->cut};
    m.pixel_x = vo_max_int(s->camera.width, 1) / (2 * m.frustum.tan_x);
    m.pixel_y = vo_max_int(s->camera.height, 1) / (2 * m.frustum.tan_y);
    return m;
}

int vo_moments_make(const vo_view_eye *eye, int index, double length, vo_moment *out) {
    int count = 0;
    for (int i = 0; i < eye->sample_count; i++) {
        double ahead = vo_max(eye->sample[i].ahead, 0);
        double weight = length > 0 ? 1 - ahead / length : ahead <= 0; /* eq. 4 */
        if (!(weight > 0)) continue;
        out[count] = make_moment(eye, i, weight);
        out[count++].eye = index;
    }
    return count;
}

/* ---- sampling a path ------------------------------------------------------------------------ */

vo_window_def vo_window_def_default(void) {
    return (vo_window_def){.intervals = 10, .step = 0.02, .tolerance = 0.05, .range = 5};
}

/* Samples on their way. */
typedef struct sampler {
    const vo_window_def *def;
    vo_camera_at_fn *at;
    const void *path;
    int capacity, count;
    vo_view_sample *out;
} sampler;

/* Whether anybody looks there. Before a cut the path is asked a little earlier, since paths may
 * take the last moment before one for the cut itself. */
static bool take(const sampler *s, double time, bool before, vo_view_sample *out) {
    double asked = before ? time - 0.5 * VO_CAMERA_INSTANT : time;
    *out = (vo_view_sample){.ahead = time - s->def->time};
    return s->at(s->path, asked, &out->camera);
}

/* Adds a sample; false where nobody looks or there is no room. */
static bool add(sampler *s, double time, bool before, bool cut) {
    vo_view_sample sample;
    if (s->count >= s->capacity || !take(s, time, before, &sample)) return false;
    sample.cut = cut;
    s->out[s->count++] = sample;
    return true;
}

/* Cuts that lie within the window. */
static int count_cuts(const vo_window_def *def) {
    int count = 0;
    for (int i = 0; i < def->cut_count; i++)
        count += def->cut[i] > def->time && def->cut[i] < def->time + def->length;
    return count;
}

/* Both ends of a shot, and what of the equal parts lies between. */
static void take_shot(sampler *s, double start, double stop, bool cut, int parts) {
    const vo_window_def *def = s->def;
    bool ends = stop < def->time + def->length;
    if (!add(s, start, false, cut)) return;
    for (int i = 1; i < parts; i++) {
        double time = def->time + def->length * i / parts;
        if (time - start > VO_CAMERA_INSTANT && stop - time > VO_CAMERA_INSTANT)
            add(s, time, false, false);
    }
    add(s, stop, ends, false);
}

static void take_shots(sampler *s) {
    const vo_window_def *def = s->def;
    int room = s->capacity - VO_WINDOW_LEAST(count_cuts(def)), next = 0;
    int parts = vo_max_int(1, vo_min_int(def->intervals, room + 1));
    double end = def->time + def->length, start = def->time;
    bool cut = false;
    while (start < end) {
        for (; next < def->cut_count && def->cut[next] - start <= VO_CAMERA_INSTANT; next++)
            start = vo_max(start, def->cut[next]);
        double stop = next < def->cut_count ? vo_min(def->cut[next], end) : end;
        if (start < stop) take_shot(s, start, stop, cut, parts);
        start = stop;
        cut = true;
    }
}

static bool ends_shot(const sampler *s, int i) { return i + 1 >= s->count || s->out[i + 1].cut; }

/* How far the path goes beyond the way from a sample to the next one of its shot. */
static void explore(sampler *s, int i) {
    vo_view_sample *a = &s->out[i], then;
    a->drift = a->turn = 0;
    if (ends_shot(s, i)) return;
    double length = a[1].ahead - a[0].ahead, steps = ceil(length / s->def->step);
    int count = (int)vo_clamp(steps, 2, MOST_STEPS);
    slack way = slack_between(&a[0].camera, &a[1].camera);
    for (int k = 1; k < count; k++) {
        double time = s->def->time + a->ahead + length * k / count;
        if (!take(s, time, false, &then)) continue;
        slack gone = slack_between(&a->camera, &then.camera);
        a->drift = vo_max(a->drift, gone.drift - way.drift);
        a->turn = vo_max(a->turn, gone.turn - way.turn);
    }
}

static void explore_all(sampler *s) {
    for (int i = 0; i < s->count; i++) explore(s, i);
}

/* m and rad: a camera that moves by less stands still, up to the rounding of its path. */
static const double STILL = 1e-9;

static bool same_camera(const vo_camera *a, const vo_camera *b) {
    slack s = slack_between(a, b);
    return s.drift <= STILL && s.turn <= STILL && a->width == b->width && a->height == b->height;
}

/* Whether the camera shows the same from sample i - 1 of a shot to sample i, and all the way. */
static bool repeats(const sampler *s, int i) {
    if (i < 1 || i >= s->count || s->out[i].cut) return false;
    const vo_view_sample *a = &s->out[i - 1];
    return same_camera(&a[0].camera, &a[1].camera) && a->drift <= STILL && a->turn <= STILL;
}

/* Leaves out samples within and at the end of stretches in which the camera stands still. */
static void drop_repeats(sampler *s) {
    int kept = 0;
    bool still = false, next;
    for (int i = 0; i < s->count; i++, still = next) {
        next = repeats(s, i + 1);
        if (!still || !(next || ends_shot(s, i))) s->out[kept++] = s->out[i];
    }
    s->count = kept;
}

/* Slack between a sample and the next, as much as it matters. */
static double gap_after(const sampler *s, int i) {
    const vo_view_sample *a = &s->out[i];
    if (ends_shot(s, i) || a[1].ahead - a[0].ahead < 2 * VO_CAMERA_INSTANT) return 0;
    slack way = slack_between(&a[0].camera, &a[1].camera);
    double drift = way.drift + a->drift, turn = way.turn + a->turn;
    return (1 - a->ahead / s->def->length) * (drift + turn * s->def->range);
}

static int widest_gap(const sampler *s, double *width) {
    int widest = 0;
    *width = 0;
    for (int i = 0; i < s->count; i++) {
        double gap = gap_after(s, i);
        if (gap > *width) *width = gap, widest = i;
    }
    return widest;
}

/* Halves the widest gap until none is too wide or there is no room left. */
static void halve_gaps(sampler *s) {
    explore_all(s);
    while (s->count < s->capacity) {
        double width;
        int i = widest_gap(s, &width);
        if (!(width > s->def->tolerance)) return;
        double middle = 0.5 * (s->out[i].ahead + s->out[i + 1].ahead);
        vo_view_sample sample;
        if (!take(s, s->def->time + middle, false, &sample)) return;
        for (int k = s->count++; k > i + 1; k--) s->out[k] = s->out[k - 1];
        s->out[i + 1] = sample;
        explore(s, i);
        explore(s, i + 1);
    }
}

int vo_window_sample(const vo_window_def *def, vo_camera_at_fn *at, const void *path, int capacity,
                     vo_view_sample *out) {
    sampler s = {def, at, path, capacity, 0, out};
    if (!(def->length > VO_CAMERA_INSTANT)) { /* nothing can happen within */
        add(&s, def->time, false, false);
        return s.count;
    }
    take_shots(&s);
    explore_all(&s);
    drop_repeats(&s);
    halve_gaps(&s);
    return s.count;
}

int vo_window_follow(const vo_camera_guide *guide, double time, double length, double jitter,
                     int capacity, vo_view_sample *out) {
    int count = length > 0 ? capacity : 1;
    for (int i = 0; i < count; i++) {
        double ahead = vo_max(length, 0) * i / vo_max_int(count - 1, 1);
        double then = time + ahead;
        double unknown = vo_clamp(then - guide->time, 0, ahead + vo_max(length, 0));
        vo_camera_doubt doubt = vo_camera_predict_doubt(guide, then);
        out[i] = (vo_view_sample){.ahead = ahead,
                                  .camera = vo_camera_predict(guide, then),
                                  .drift = doubt.metres + jitter * unknown,
                                  .turn = vo_min(doubt.radians + jitter * unknown, VO_PI)};
    }
    return count;
}
