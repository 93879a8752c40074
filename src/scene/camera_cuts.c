#include "scene/camera_cuts.h"

#include <stdlib.h>

static const double LONGEST_SWEEP = 0.1;           /* s */
static const double LEAST_WAY = 0.5;               /* m, of a sweep */
static const double LEAST_TURN = 20 * VO_PI / 180; /* rad */
static const double TIMES_FASTER = 10;             /* than what is beside it */
static const double LEAST_STEP = 0.001;            /* m or rad, of a camera that is held */
static const double FASTEST = 100;                 /* m/s or rad/s, of one that is on its way */
static const double SAME_TIME = 1e-4;              /* s; times of files are floats */

/* Times of keys that are meant to be the same, of place and turn, of the camera and what carries
 * it. Before the first all stand as they did, from the last on all stand as they shall. */
typedef struct moment {
    double first, last;
} moment;

/* When keys move a camera. */
typedef struct key_times {
    vo_context *ctx;
    int count, capacity;
    moment *time; /* [count], ascending */
} key_times;

static int compare_times(const void *a, const void *b) {
    double x = ((const moment *)a)->first, y = ((const moment *)b)->first;
    return (x > y) - (x < y);
}

static bool add_times(key_times *k, const void *keys, int count, size_t stride) {
    if (!vo_reserve(k->ctx, &k->time, &k->capacity, k->count + count)) return false;
    for (int i = 0; i < count; i++) {
        double time = *(const double *)((const char *)keys + stride * (size_t)i);
        k->time[k->count++] = (moment){time, time};
    }
    return true;
}

/* Whether a joint is one, or below it. */
static bool carries(const vo_character *c, int joint, int child) {
    while (child > joint) child = c->joint[child].parent;
    return child == joint;
}

static bool collect(key_times *k, const vo_character *c, int camera, const vo_joint_clip *clip) {
    for (int i = 0; clip && i < clip->track_count; i++) {
        const vo_joint_track *t = &clip->track[i];
        if (!carries(c, t->joint, c->camera[camera].joint)) continue;
        if (!add_times(k, t->move, t->move_count, sizeof *t->move)) return false;
        if (!add_times(k, t->turn, t->turn_count, sizeof *t->turn)) return false;
    }
    return true;
}

/* Joins those that are nearly the same. */
static void join_times(key_times *k) {
    int kept = 0;
    for (int i = 0; i < k->count; i++) {
        double time = k->time[i].first;
        if (kept == 0 || time > k->time[kept - 1].first + SAME_TIME)
            k->time[kept++] = (moment){time, time};
        k->time[kept - 1].last = time;
    }
    k->count = kept;
}

static vo_result find_times(const vo_character *c, int camera, const vo_joint_clip *clip,
                            key_times *k) {
    *k = (key_times){.ctx = c->ctx};
    if (!collect(k, c, camera, clip)) return vo_fail_memory(c->ctx, "the cuts of a camera");
    if (k->count > 0) qsort(k->time, (size_t)k->count, sizeof *k->time, compare_times);
    join_times(k);
    return VO_OK;
}

static void free_times(key_times *k) { vo_free_array(k->ctx, k->time, k->capacity); }

/* How far a camera is from another. */
typedef struct stride {
    double way, turn; /* m, rad */
} stride;

static vo_camera_view view_at(const vo_character *c, int camera, const vo_joint_clip *clip,
                              double time, vo_affine *joint) {
    vo_character_pose_stepping(c, clip, time, VO_CLIP_HOLD, joint);
    return vo_character_camera(c, camera, joint);
}

static stride stride_between(const vo_camera_view *a, const vo_camera_view *b) {
    double c = fabs(q_dot(a->rotation, b->rotation));
    return (stride){v3_distance(a->position, b->position), 2 * acos(vo_min(c, 1))};
}

static vo_result add_cut(vo_camera_cuts *out, vo_camera_cut cut) {
    if (!vo_reserve(out->ctx, &out->cut, &out->capacity, out->count + 1))
        return vo_fail_memory(out->ctx, "the cuts of a camera");
    out->cut[out->count++] = cut;
    return VO_OK;
}

/* Span i leads from key i to the next one. */
typedef struct spans {
    int count;
    const moment *time; /* [count + 1] of the keys */
    stride *stride;     /* [count] */
} spans;

static double duration(const spans *s, int i) { return s->time[i + 1].first - s->time[i].first; }

static double speed(const spans *s, int i, bool turn) {
    if (i < 0 || i >= s->count) return 0;
    return (turn ? s->stride[i].turn : s->stride[i].way) / duration(s, i);
}

static bool is_far_faster(const spans *s, int i, bool turn) {
    double beside = vo_max(speed(s, i - 1, turn), speed(s, i + 1, turn));
    return speed(s, i, turn) > TIMES_FASTER * beside;
}

/* A span alone has nothing beside it that it could be compared with. */
static bool is_sweep(const spans *s, int i) {
    if (s->count < 2 || duration(s, i) > LONGEST_SWEEP) return false;
    return (s->stride[i].way > LEAST_WAY && is_far_faster(s, i, false)) ||
           (s->stride[i].turn > LEAST_TURN && is_far_faster(s, i, true));
}

static vo_camera_cut sweep_between(moment from, moment to) {
    return (vo_camera_cut){.from = from.last, .to = to.last, .time = to.first};
}

static vo_camera_cut step_at(moment at) {
    return (vo_camera_cut){.from = at.first, .to = at.last, .time = at.first, .held = true};
}

static vo_result find_cuts(const vo_character *c, int camera, const vo_joint_clip *clip,
                           const spans *s, vo_affine *joint, vo_camera_cuts *out) {
    vo_camera_view last = view_at(c, camera, clip, s->time[0].last, joint);
    for (int i = 0; i < s->count; i++) {
        vo_camera_view next = view_at(c, camera, clip, s->time[i + 1].last, joint);
        s->stride[i] = stride_between(&last, &next);
        last = next;
    }
    for (int i = 0; i < s->count; i++) {
        moment to = s->time[i + 1];
        if (is_sweep(s, i)) VO_TRY(add_cut(out, sweep_between(s->time[i], to)));
        if (duration(s, i) <= LONGEST_SWEEP) continue;
        vo_camera_view before = view_at(c, camera, clip, nextafter(to.first, -INFINITY), joint);
        vo_camera_view after = view_at(c, camera, clip, to.last, joint);
        stride step = stride_between(&before, &after);
        if (vo_max(step.way, step.turn) > LEAST_STEP + FASTEST * (to.last - to.first))
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
    if (result == VO_OK) s.stride = vo_new_array(c->ctx, stride, s.count + 1);
    if (result == VO_OK && !s.stride) result = vo_fail_memory(c->ctx, "the cuts of a camera");
    if (result == VO_OK && s.count > 0) result = find_cuts(c, camera, clip, &s, joint, out);
    vo_free_array(c->ctx, s.stride, s.count + 1);
    free_times(&k);
    return result;
}

/* The sweep around a time, or that time alone. */
static vo_camera_cut cut_at(const key_times *k, double time) {
    moment at = {time, time};
    vo_camera_cut cut;
    int i = 0;
    while (i < k->count && k->time[i].last < time - SAME_TIME) i++;
    if (i > 0 && i < k->count && k->time[i].first - k->time[i - 1].first <= LONGEST_SWEEP)
        cut = sweep_between(k->time[i - 1], k->time[i]);
    else
        cut = step_at(i < k->count && k->time[i].first < time + SAME_TIME ? k->time[i] : at);
    cut.time = time;
    return cut;
}

vo_result vo_camera_cuts_take(const vo_character *c, int camera, const vo_joint_clip *clip,
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
