/* Reads clips from JSON; docs/motions.md describes the format. */
#include "character/clip_symmetry.h"
#include "codec/json.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1000 };

/* Reads a number within limits; keeps the default if it is absent. */
static vo_result read_between(vo_json_cursor at, double low, double high, double *out) {
    VO_TRY(vo_json_read_real(at, out));
    if (*out >= low && *out <= high) return VO_OK;
    return vo_json_fail(at, "must be between %g and %g, not %g", low, high, *out);
}

static vo_result require(vo_json_cursor at, const char *meaning) {
    return vo_json_is_present(at) ? VO_OK : vo_json_fail(at, "is missing: %s", meaning);
}

/* State of the reader besides the clip. */
typedef struct reader {
    vo_clip *clip;
    vo_clip_symmetry symmetry;
    double time; /* s, time of the current key */
} reader;

/* Valid range of a channel. */
typedef struct range {
    double low, high;
} range;

static range root_span(int channel) {
    return channel == VO_ROOT_HEADING ? (range){-36000, 36000} : (range){-100, 100};
}

static range joint_span(int channel) {
    int bone = (channel - VO_CLIP_BONES) / VO_JOINT_CHANNELS;
    vo_joint_limits l = vo_bone_limits((vo_bone)bone);
    switch ((channel - VO_CLIP_BONES) % VO_JOINT_CHANNELS) {
    case VO_JOINT_BEND:
        return (range){l.low.bend, l.high.bend};
    case VO_JOINT_SIDE:
        return (range){l.low.side, l.high.side};
    default:
        return (range){l.low.twist, l.high.twist};
    }
}

static range leg_span(int channel) {
    switch ((channel - VO_CLIP_LEGS) % VO_LEG_CHANNELS) {
    case VO_LEG_TILT:
        return (range){-80, 80};
    case VO_LEG_KNEE:
        return (range){-90, 90};
    default:
        return (range){0, 1};
    }
}

static range span_of(int channel) {
    if (channel < VO_CLIP_BONES) return root_span(channel);
    return channel < VO_CLIP_LEGS ? joint_span(channel) : leg_span(channel);
}

/* Fails if the symmetry of the clip does not allow this key. */
static vo_result check_symmetry(const reader *r, vo_json_cursor at, int channel, double value) {
    double half = r->clip->duration / 2;
    if (r->symmetry == VO_SYMMETRY_NONE) return VO_OK;
    if (vo_channel_is_right(channel))
        return vo_json_fail(at, "the symmetry of this clip makes the right side from the left");
    if (!vo_channel_is_middle(channel)) return VO_OK;
    if (r->symmetry == VO_SYMMETRY_MIRROR && vo_channel_is_mirrored(channel) && value != 0)
        return vo_json_fail(at, "must be 0 in a clip that is its own mirror image, not %g", value);
    if (r->symmetry == VO_SYMMETRY_ALTERNATE && r->time >= half)
        return vo_json_fail(at,
                            "keys in the middle of the body end before half the loop, %g s; "
                            "the rest is their mirror image",
                            half);
    return VO_OK;
}

/* Reads consecutive channels from one object with a name for each. */
static vo_result read_channels(reader *r, vo_json_cursor object, const char *const *names,
                               int first) {
    VO_TRY(vo_json_check_keys(object, names));
    for (int i = 0; names[i]; i++) {
        vo_json_cursor at = vo_json_get(&object, names[i]);
        if (!vo_json_is_present(at)) continue;
        range s = span_of(first + i);
        double value = 0;
        VO_TRY(read_between(at, s.low, s.high, &value));
        VO_TRY(check_symmetry(r, at, first + i, value));
        if (!vo_curve_add(r->clip->ctx, &r->clip->channel[first + i], r->time, value))
            return vo_fail_memory(r->clip->ctx, "a clip's keys");
    }
    return VO_OK;
}

static const char *const ROOT_NAMES[] = {"forward", "left", "up", "heading", NULL};
static const char *const JOINT_NAMES[] = {"bend", "side", "twist", NULL};
static const char *const LEG_NAMES[] = {"tilt", "knee", "free", NULL};
static const char *const SIDE_NAMES[] = {"left", "right", NULL};
static const char *const LEG_KEYS[] = {"left leg", "right leg"};

/* Fails on unknown names in a key. */
static vo_result check_key_names(vo_json_cursor key) {
    const char *known[VO_BONE_COUNT + 5];
    int n = 0;
    known[n++] = "time";
    known[n++] = "root";
    for (int s = 0; s < VO_CLIP_SIDES; s++) known[n++] = LEG_KEYS[s];
    for (int b = 0; b < VO_BONE_COUNT; b++) known[n++] = vo_bone_name((vo_bone)b);
    known[n] = NULL;
    return vo_json_check_keys(key, known);
}

/* Reads the time of a key, which must be later than the previous one. */
static vo_result read_time(reader *r, vo_json_cursor at, bool first) {
    double before = r->time, end = r->clip->duration;
    VO_TRY(require(at, "seconds from the start"));
    VO_TRY(read_between(at, 0, end, &r->time));
    if (!first && r->time <= before)
        return vo_json_fail(at, "must be later than the key before, at %g s", before);
    if (r->clip->loop && r->time >= end)
        return vo_json_fail(at, "a loop ends as it begins, at 0: must be less than %g", end);
    return VO_OK;
}

static vo_result read_key(reader *r, vo_json_cursor key, bool first) {
    if (vo_json_kind(key) != VO_JSON_OBJECT)
        return vo_json_fail(key, "expected an object with a time and angles");
    VO_TRY(check_key_names(key));
    VO_TRY(read_time(r, vo_json_get(&key, "time"), first));
    VO_TRY(read_channels(r, vo_json_get(&key, "root"), ROOT_NAMES, 0));
    for (int b = 0; b < VO_BONE_COUNT; b++)
        VO_TRY(read_channels(r, vo_json_get(&key, vo_bone_name((vo_bone)b)), JOINT_NAMES,
                             VO_CLIP_BONES + b * VO_JOINT_CHANNELS));
    for (int s = 0; s < VO_CLIP_SIDES; s++)
        VO_TRY(read_channels(r, vo_json_get(&key, LEG_KEYS[s]), LEG_NAMES,
                             VO_CLIP_LEGS + s * VO_LEG_CHANNELS));
    return VO_OK;
}

static vo_result read_keys(reader *r, vo_json_cursor keys) {
    VO_TRY(require(keys, "an array of keys"));
    if (vo_json_kind(keys) != VO_JSON_ARRAY || vo_json_length(keys) == 0)
        return vo_json_fail(keys, "expected an array of at least one key");
    for (int i = 0; i < vo_json_length(keys); i++)
        VO_TRY(read_key(r, vo_json_item(&keys, i), i == 0));
    return VO_OK;
}

/* Reads one heading, or two for a foot that pivots on its ball. */
static vo_result read_heading(vo_json_cursor at, double heading[2]) {
    if (vo_json_kind(at) == VO_JSON_ARRAY) {
        VO_TRY(vo_json_read_reals(at, heading, 2));
    } else {
        VO_TRY(vo_json_read_real(at, &heading[0]));
        heading[1] = heading[0];
    }
    if (fabs(heading[0]) <= 36000 && fabs(heading[1]) <= 36000) return VO_OK;
    return vo_json_fail(at, "must be between -36000 and 36000 degrees");
}

static vo_result read_place(vo_json_cursor at, double place[2]) {
    VO_TRY(require(at, "[forward, left] of the ball of the foot, m"));
    VO_TRY(vo_json_read_reals(at, place, 2));
    if (fabs(place[0]) <= 100 && fabs(place[1]) <= 100) return VO_OK;
    return vo_json_fail(at, "must be between -100 and 100 m");
}

/* Fails unless from < to, after the previous step and within one loop. */
static vo_result check_times(const vo_clip *clip, const vo_json_cursor *at,
                             const vo_clip_step *first, const vo_clip_step *step) {
    vo_json_cursor from = vo_json_get(at, "from"), to = vo_json_get(at, "to");
    if (step->to <= step->from)
        return vo_json_fail(to, "must be later than from, %g s", step->from);
    if (step > first && step->from < step[-1].to)
        return vo_json_fail(from, "the step before stands until %g s", step[-1].to);
    if (clip->loop && step->from >= clip->duration)
        return vo_json_fail(from, "must be less than the duration, %g s", clip->duration);
    if (clip->loop && step->to > first->from + clip->duration)
        return vo_json_fail(to, "runs into the first step of the next loop, at %g s",
                            first->from + clip->duration);
    return VO_OK;
}

static vo_result read_step(const vo_clip *clip, vo_json_cursor at, const vo_clip_step *first,
                           vo_clip_step *step) {
    static const char *const known[] = {"from", "to", "at", "heading", "lift", NULL};
    if (vo_json_kind(at) != VO_JSON_OBJECT)
        return vo_json_fail(at, "expected an object with from, to and at");
    VO_TRY(vo_json_check_keys(at, known));
    *step = (vo_clip_step){.lift = 0.08};
    double end = clip->duration * (clip->loop ? 2 : 1);
    VO_TRY(require(vo_json_get(&at, "from"), "seconds from the start"));
    VO_TRY(require(vo_json_get(&at, "to"), "seconds from the start"));
    VO_TRY(read_between(vo_json_get(&at, "from"), 0, end, &step->from));
    VO_TRY(read_between(vo_json_get(&at, "to"), 0, end, &step->to));
    VO_TRY(check_times(clip, &at, first, step));
    VO_TRY(read_place(vo_json_get(&at, "at"), step->at));
    VO_TRY(read_heading(vo_json_get(&at, "heading"), step->heading));
    return read_between(vo_json_get(&at, "lift"), 0, 2, &step->lift);
}

static vo_result read_side(reader *r, vo_json_cursor steps, int side) {
    vo_clip *clip = r->clip;
    int n = vo_json_length(steps);
    if (!vo_json_is_present(steps)) return VO_OK;
    if (vo_json_kind(steps) != VO_JSON_ARRAY || n == 0 || n > MAX_STEPS)
        return vo_json_fail(steps, "expected an array of 1 to %d steps", MAX_STEPS);
    if (side == VO_CLIP_RIGHT && r->symmetry != VO_SYMMETRY_NONE)
        return vo_json_fail(steps, "the symmetry of this clip makes the right side from the left");
    clip->step[side] = vo_new_array(clip->ctx, vo_clip_step, n);
    if (!clip->step[side]) return vo_fail_memory(clip->ctx, "a clip's steps");
    clip->step_count[side] = n;
    for (int i = 0; i < n; i++)
        VO_TRY(read_step(clip, vo_json_item(&steps, i), clip->step[side], &clip->step[side][i]));
    return VO_OK;
}

static vo_result read_steps(reader *r, vo_json_cursor steps) {
    VO_TRY(vo_json_check_keys(steps, SIDE_NAMES));
    for (int s = 0; s < VO_CLIP_SIDES; s++)
        VO_TRY(read_side(r, vo_json_get(&steps, SIDE_NAMES[s]), s));
    return VO_OK;
}

static vo_result read_symmetry(reader *r, vo_json_cursor at) {
    static const char *const words[] = {"none", "mirror", "alternate"};
    const char *word = words[0];
    VO_TRY(vo_json_read_string(at, &word));
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        r->symmetry = (vo_clip_symmetry)i;
        if (r->symmetry == VO_SYMMETRY_ALTERNATE && !r->clip->loop)
            return vo_json_fail(at, "only a loop can alternate");
        return VO_OK;
    }
    return vo_json_fail(at, "must be none, mirror or alternate, not \"%s\"", word);
}

static vo_result read_description(vo_json_cursor at, vo_clip *clip) {
    const char *text = NULL;
    VO_TRY(vo_json_read_string(at, &text));
    if (!text) return VO_OK;
    clip->description = vo_copy_string(clip->ctx, text);
    return clip->description ? VO_OK : vo_fail_memory(clip->ctx, "a clip's description");
}

/* Reads the displacement and the turns per loop. */
static vo_result read_travel(reader *r, const vo_json_cursor *root) {
    vo_clip *clip = r->clip;
    vo_json_cursor travel = vo_json_get(root, "travel"), turns = vo_json_get(root, "turns");
    VO_TRY(vo_json_read_reals(travel, clip->travel, 2));
    VO_TRY(vo_json_read_int(turns, &clip->turns));
    if (!clip->loop && vo_json_is_present(travel))
        return vo_json_fail(travel, "only a loop has it");
    if (!clip->loop && vo_json_is_present(turns)) return vo_json_fail(turns, "only a loop has it");
    if (fabs(clip->travel[0]) > 100 || fabs(clip->travel[1]) > 100)
        return vo_json_fail(travel, "must be between -100 and 100 m");
    if (abs(clip->turns) > 100) return vo_json_fail(turns, "must be between -100 and 100");
    bool asymmetric = clip->travel[1] != 0 || clip->turns != 0;
    if (asymmetric && r->symmetry != VO_SYMMETRY_NONE)
        return vo_json_fail(clip->turns ? turns : travel,
                            "a symmetric clip neither turns nor goes sideways");
    return VO_OK;
}

static vo_result read_head(reader *r, const vo_json_cursor *root) {
    vo_clip *clip = r->clip;
    VO_TRY(read_description(vo_json_get(root, "description"), clip));
    vo_json_cursor duration = vo_json_get(root, "duration");
    VO_TRY(require(duration, "seconds"));
    VO_TRY(read_between(duration, 0.01, 36000, &clip->duration));
    VO_TRY(vo_json_read_bool(vo_json_get(root, "loop"), &clip->loop));
    VO_TRY(read_between(vo_json_get(root, "leg"), 0.05, 20, &clip->leg));
    VO_TRY(read_symmetry(r, vo_json_get(root, "symmetry")));
    return read_travel(r, root);
}

/* Computes the slopes of all curves, periodic if the clip loops. */
static void finish_curves(vo_clip *clip) {
    for (int c = 0; c < VO_CLIP_CHANNELS; c++) {
        vo_curve_cycle cycle = {clip->loop ? clip->duration : 0, 0};
        if (c == VO_ROOT_FORWARD) cycle.gain = clip->travel[0];
        if (c == VO_ROOT_LEFT) cycle.gain = clip->travel[1];
        if (c == VO_ROOT_HEADING) cycle.gain = 360.0 * clip->turns;
        vo_curve_finish(&clip->channel[c], cycle);
    }
}

static vo_result read_clip(vo_json_cursor root, vo_clip *clip) {
    static const char *const known[] = {"description", "duration", "loop", "symmetry", "leg",
                                        "travel",      "turns",    "keys", "steps",    NULL};
    reader r = {.clip = clip};
    if (vo_json_kind(root) != VO_JSON_OBJECT)
        return vo_json_fail(root, "expected an object with duration and keys");
    VO_TRY(vo_json_check_keys(root, known));
    VO_TRY(read_head(&r, &root));
    VO_TRY(read_keys(&r, vo_json_get(&root, "keys")));
    VO_TRY(read_steps(&r, vo_json_get(&root, "steps")));
    VO_TRY(vo_clip_complete(clip, r.symmetry));
    finish_curves(clip);
    return VO_OK;
}

static vo_result clip_from_json(vo_json_doc *doc, void *out) {
    vo_clip *clip = vo_new(doc->ctx, vo_clip);
    if (!clip) return vo_fail_memory(doc->ctx, "a clip");
    clip->ctx = doc->ctx;
    clip->leg = 0.91;
    vo_result result = read_clip(vo_json_root(doc), clip);
    if (result != VO_OK) {
        vo_clip_destroy(clip);
        return result;
    }
    *(vo_clip **)out = clip;
    return VO_OK;
}

vo_result vo_clip_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_clip **out) {
    *out = NULL;
    return vo_json_parse_object(ctx, file, text, size, clip_from_json, out);
}

vo_result vo_clip_load(vo_context *ctx, const char *path, vo_clip **out) {
    *out = NULL;
    return vo_json_load_object(ctx, path, clip_from_json, out);
}
