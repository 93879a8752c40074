#include "scene/camera_cuts.h"

#include <stdlib.h>

static const double MAX_SWEEP_TIME = 0.1;            /* s */
static const double MIN_DISTANCE = 0.5;              /* m, of a sweep */
static const double MIN_ROTATION = 20 * VO_PI / 180; /* rad, of a sweep */
static const double MIN_SPEED_RATIO = 10;            /* to the neighbouring spans */
static const double MIN_STEP = 0.001;                /* m or rad, of stepped keys */
static const double MAX_SPEED = 100;                 /* m/s or rad/s, of a continuous motion */
static const double SAME_TIME = 1e-4;                /* s; times of files are floats */

/* Times of keys of the camera's joint and its ancestors that are equal except for rounding. Before
 * `first` all keys are unchanged; from `last` on all have changed. */
typedef struct key_time {
    double first, last;
} key_time;

/* Times of all keys that move a camera. */
typedef struct key_times {
    vo_context *ctx;
    int count, capacity;
    key_time *time; /* [count], ascending */
} key_times;

static int compare_times(const void *a, const void *b) {
    double x = ((const key_time *)a)->first, y = ((const key_time *)b)->first;
    return (x > y) - (x < y);
}

static bool add_times(key_times *k, const void *keys, int count, size_t stride) {
    if (!vo_reserve(k->ctx, &k->time, &k->capacity, k->count + count)) return false;
    for (int i = 0; i < count; i++) {
        double time = *(const double *)((const char *)keys + stride * (size_t)i);
        k->time[k->count++] = (key_time){time, time};
    }
    return true;
}

/* True if `child` is `joint` or a descendant of it. */
static bool is_ancestor(const vo_character *c, int joint, int child) {
    while (child > joint) child = c->joint[child].parent;
    return child == joint;
}

static bool collect_times(key_times *k, const vo_character *c, int camera,
                          const vo_joint_clip *clip) {
    for (int i = 0; clip && i < clip->track_count; i++) {
        const vo_joint_track *t = &clip->track[i];
        if (!is_ancestor(c, t->joint, c->camera[camera].joint)) continue;
        if (!add_times(k, t->translation, t->translation_count, sizeof *t->translation))
            return false;
        if (!add_times(k, t->rotation, t->rotation_count, sizeof *t->rotation)) return false;
    }
    return true;
}

/* Merges nearly equal times. */
static void merge_times(key_times *k) {
    int kept = 0;
    for (int i = 0; i < k->count; i++) {
        double time = k->time[i].first;
        if (kept == 0 || time > k->time[kept - 1].first + SAME_TIME)
            k->time[kept++] = (key_time){time, time};
        k->time[kept - 1].last = time;
    }
    k->count = kept;
}

static vo_result find_times(const vo_character *c, int camera, const vo_joint_clip *clip,
                            key_times *k) {
    *k = (key_times){.ctx = c->ctx};
    if (!collect_times(k, c, camera, clip)) return vo_fail_memory(c->ctx, "the cuts of a camera");
    if (k->count > 0) qsort(k->time, (size_t)k->count, sizeof *k->time, compare_times);
    merge_times(k);
    return VO_OK;
}

static void free_times(key_times *k) { vo_free_array(k->ctx, k->time, k->capacity); }

/* Difference of two camera poses. */
typedef struct pose_delta {
    double distance, rotation; /* m, rad */
} pose_delta;

static vo_camera_view view_at(const vo_character *c, int camera, const vo_joint_clip *clip,
                              double time, vo_affine *joint) {
    vo_character_pose_stepped(c, clip, time, VO_CLIP_HOLD, joint);
    return vo_character_camera(c, camera, joint);
}

static pose_delta pose_difference(const vo_camera_view *a, const vo_camera_view *b) {
    double c = fabs(q_dot(a->rotation, b->rotation));
    return (pose_delta){v3_distance(a->position, b->position), 2 * acos(vo_min(c, 1))};
}

static vo_result add_cut(vo_camera_cuts *out, vo_camera_cut cut) {
    if (!vo_reserve(out->ctx, &out->cut, &out->capacity, out->count + 1))
        return vo_fail_memory(out->ctx, "the cuts of a camera");
    out->cut[out->count++] = cut;
    return VO_OK;
}

/* Spans between consecutive keys; span i begins with key i. */
typedef struct spans {
    int count;
    const key_time *time; /* [count + 1] keys */
    pose_delta *delta;    /* [count] */
} spans;

static double duration(const spans *s, int i) { return s->time[i + 1].first - s->time[i].first; }

static double speed(const spans *s, int i, bool rotation) {
    if (i < 0 || i >= s->count) return 0;
    return (rotation ? s->delta[i].rotation : s->delta[i].distance) / duration(s, i);
}

static bool is_much_faster(const spans *s, int i, bool rotation) {
    double neighbour = vo_max(speed(s, i - 1, rotation), speed(s, i + 1, rotation));
    return speed(s, i, rotation) > MIN_SPEED_RATIO * neighbour;
}

/* True if the camera sweeps from one shot to another in the span; false for the only span, which
 * has no neighbour to compare with. */
static bool is_sweep(const spans *s, int i) {
    if (s->count < 2 || duration(s, i) > MAX_SWEEP_TIME) return false;
    return (s->delta[i].distance > MIN_DISTANCE && is_much_faster(s, i, false)) ||
           (s->delta[i].rotation > MIN_ROTATION && is_much_faster(s, i, true));
}

static vo_camera_cut sweep_between(key_time from, key_time to) {
    return (vo_camera_cut){.from = from.last, .to = to.last, .time = to.first};
}

static vo_camera_cut step_at(key_time at) {
    return (vo_camera_cut){.from = at.first, .to = at.last, .time = at.first, .held = true};
}

static vo_result find_cuts(const vo_character *c, int camera, const vo_joint_clip *clip,
                           const spans *s, vo_affine *joint, vo_camera_cuts *out) {
    vo_camera_view last = view_at(c, camera, clip, s->time[0].last, joint);
    for (int i = 0; i < s->count; i++) {
        vo_camera_view next = view_at(c, camera, clip, s->time[i + 1].last, joint);
        s->delta[i] = pose_difference(&last, &next);
        last = next;
    }
    for (int i = 0; i < s->count; i++) {
        key_time to = s->time[i + 1];
        if (is_sweep(s, i)) VO_TRY(add_cut(out, sweep_between(s->time[i], to)));
        if (duration(s, i) <= MAX_SWEEP_TIME) continue;
        vo_camera_view before = view_at(c, camera, clip, nextafter(to.first, -INFINITY), joint);
        vo_camera_view after = view_at(c, camera, clip, to.last, joint);
        pose_delta step = pose_difference(&before, &after);
        if (vo_max(step.distance, step.rotation) > MIN_STEP + MAX_SPEED * (to.last - to.first))
            VO_TRY(add_cut(out, step_at(to)));
    }
    return VO_OK;
}

vo_result vo_camera_cuts_find(const vo_character *c, int camera, const vo_joint_clip *clip,
                              vo_affine *joint, vo_camera_cuts *out) {
    key_times k;
    *out = (vo_camera_cuts){.ctx = c->ctx};
    vo_result result = find_times(c, camera, clip, &k);
    spans s = {vo_max_int(0, k.count - 1), k.time, NULL};
    if (result == VO_OK) s.delta = vo_new_array(c->ctx, pose_delta, s.count + 1);
    if (result == VO_OK && !s.delta) result = vo_fail_memory(c->ctx, "the cuts of a camera");
    if (result == VO_OK && s.count > 0) result = find_cuts(c, camera, clip, &s, joint, out);
    vo_free_array(c->ctx, s.delta, s.count + 1);
    free_times(&k);
    return result;
}

/* Returns the cut of the sweep around a time, or the cut at that time. */
static vo_camera_cut cut_at(const key_times *k, double time) {
    key_time at = {time, time};
    vo_camera_cut cut;
    int i = 0;
    while (i < k->count && k->time[i].last < time - SAME_TIME) i++;
    if (i > 0 && i < k->count && k->time[i].first - k->time[i - 1].first <= MAX_SWEEP_TIME)
        cut = sweep_between(k->time[i - 1], k->time[i]);
    else
        cut = step_at(i < k->count && k->time[i].first < time + SAME_TIME ? k->time[i] : at);
    cut.time = time;
    return cut;
}

vo_result vo_camera_cuts_create(const vo_character *c, int camera, const vo_joint_clip *clip,
                                int count, const double *time, vo_camera_cuts *out) {
    key_times k;
    *out = (vo_camera_cuts){.ctx = c->ctx};
    vo_result result = find_times(c, camera, clip, &k);
    for (int i = 0; i < count && result == VO_OK; i++) result = add_cut(out, cut_at(&k, time[i]));
    free_times(&k);
    return result;
}

void vo_camera_cuts_free(vo_camera_cuts *cuts) {
    vo_free_array(cuts->ctx, cuts->cut, cuts->capacity);
    *cuts = (vo_camera_cuts){.ctx = cuts->ctx};
}
