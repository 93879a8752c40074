#include "character/clip_symmetry.h"

#include "core/memory.h"

static bool is_bone(int channel) { return channel >= VO_CLIP_BONES && channel < VO_CLIP_LEGS; }
static int bone_of(int channel) { return (channel - VO_CLIP_BONES) / VO_JOINT_CHANNELS; }

bool vo_channel_is_right(int channel) {
    if (is_bone(channel)) return (int)vo_bone_mirror((vo_bone)bone_of(channel)) < bone_of(channel);
    return channel >= VO_CLIP_LEGS + VO_LEG_CHANNELS;
}

bool vo_channel_is_middle(int channel) {
    if (is_bone(channel)) return (int)vo_bone_mirror((vo_bone)bone_of(channel)) == bone_of(channel);
    return channel < VO_CLIP_BONES;
}

bool vo_channel_is_mirrored(int channel) {
    if (!vo_channel_is_middle(channel)) return false;
    if (!is_bone(channel)) return channel == VO_ROOT_LEFT || channel == VO_ROOT_HEADING;
    return (channel - VO_CLIP_BONES) % VO_JOINT_CHANNELS != VO_JOINT_BEND;
}

/* Returns the left channel whose mirror image is a right one. */
static int left_channel(int channel) {
    if (!is_bone(channel)) return channel - VO_LEG_CHANNELS;
    int left = (int)vo_bone_mirror((vo_bone)bone_of(channel));
    return channel + (left - bone_of(channel)) * VO_JOINT_CHANNELS;
}

/* Appends the keys of `from` in [low, high), delayed by `delay`. Returns false without memory. */
static bool add_keys(vo_context *ctx, vo_curve *to, const vo_curve *from, double low, double high,
                     double delay) {
    for (int i = 0; i < from->count; i++) {
        double time = from->key[i].time;
        if (time < low || time >= high) continue;
        if (!vo_curve_add(ctx, to, time + delay, from->key[i].value)) return false;
    }
    return true;
}

static bool complete_right(vo_clip *clip, int channel, vo_clip_symmetry symmetry) {
    const vo_curve *left = &clip->channel[left_channel(channel)];
    vo_curve *right = &clip->channel[channel];
    double half = clip->duration / 2;
    if (symmetry == VO_SYMMETRY_MIRROR) return add_keys(clip->ctx, right, left, 0, HUGE_VAL, 0);
    return add_keys(clip->ctx, right, left, half, HUGE_VAL, -half) &&
           add_keys(clip->ctx, right, left, 0, half, half);
}

/* Appends the second half of a loop: the first half, mirrored and displaced. */
static bool complete_middle(vo_clip *clip, int channel) {
    vo_curve *curve = &clip->channel[channel];
    double sign = vo_channel_is_mirrored(channel) ? -1 : 1;
    double on = channel == VO_ROOT_FORWARD ? clip->travel[0] / 2 : 0;
    for (int i = 0, n = curve->count; i < n; i++)
        if (!vo_curve_add(clip->ctx, curve, curve->key[i].time + clip->duration / 2,
                          sign * curve->key[i].value + on))
            return false;
    return true;
}

/* Returns the step of the right foot that mirrors a step of the left one. */
static vo_clip_step mirrored_step(const vo_clip *clip, vo_clip_step step,
                                  vo_clip_symmetry symmetry) {
    step.at[1] = -step.at[1];
    step.heading[0] = -step.heading[0];
    step.heading[1] = -step.heading[1];
    if (symmetry == VO_SYMMETRY_MIRROR) return step;
    bool early = step.from < clip->duration / 2; /* the second half comes first on the right */
    double shift = early ? 0.5 : -0.5;
    step.from += shift * clip->duration;
    step.to += shift * clip->duration;
    step.at[0] += shift * clip->travel[0];
    return step;
}

static bool complete_steps(vo_clip *clip, vo_clip_symmetry symmetry) {
    int n = clip->step_count[VO_CLIP_LEFT], first = 0;
    if (n == 0) return true;
    vo_clip_step *steps = vo_new_array(clip->ctx, vo_clip_step, n);
    if (!steps) return false;
    const vo_clip_step *left = clip->step[VO_CLIP_LEFT];
    if (symmetry == VO_SYMMETRY_ALTERNATE)
        while (first < n && left[first].from < clip->duration / 2) first++;
    for (int i = 0; i < n; i++) steps[i] = mirrored_step(clip, left[(first + i) % n], symmetry);
    clip->step[VO_CLIP_RIGHT] = steps;
    clip->step_count[VO_CLIP_RIGHT] = n;
    return true;
}

vo_result vo_clip_complete(vo_clip *clip, vo_clip_symmetry symmetry) {
    if (symmetry == VO_SYMMETRY_NONE) return VO_OK;
    bool done = complete_steps(clip, symmetry);
    for (int c = 0; c < VO_CLIP_CHANNELS && done; c++) {
        if (vo_channel_is_right(c))
            done = complete_right(clip, c, symmetry);
        else if (vo_channel_is_middle(c) && symmetry == VO_SYMMETRY_ALTERNATE)
            done = complete_middle(clip, c);
    }
    return done ? VO_OK : vo_fail_memory(clip->ctx, "a clip's other side");
}
