/* What others call the bones. */
#include "scene/skeleton.h"

/* In the order of vo_bone. */
static const char *const NAME[VO_NAMES_COUNT][VO_BONE_COUNT] = {
    [VO_NAMES_VOILE] = {"hips",       "spine",          "chest",           "neck",
                        "head",       "left clavicle",  "left upper arm",  "left forearm",
                        "left hand",  "left thigh",     "left shin",       "left foot",
                        "left toes",  "right clavicle", "right upper arm", "right forearm",
                        "right hand", "right thigh",    "right shin",      "right foot",
                        "right toes"},
    [VO_NAMES_MIXAMO] = {"Hips",         "Spine",     "Spine2",      "Neck",          "Head",
                         "LeftShoulder", "LeftArm",   "LeftForeArm", "LeftHand",      "LeftUpLeg",
                         "LeftLeg",      "LeftFoot",  "LeftToeBase", "RightShoulder", "RightArm",
                         "RightForeArm", "RightHand", "RightUpLeg",  "RightLeg",      "RightFoot",
                         "RightToeBase"},
    [VO_NAMES_JOINTS] = {"Hips",       "Abdomen",      "Chest",     "Neck",        "Head",
                         "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist",   "LeftHip",
                         "LeftKnee",   "LeftAnkle",    "LeftToe",   "RightCollar", "RightShoulder",
                         "RightElbow", "RightWrist",   "RightHip",  "RightKnee",   "RightAnkle",
                         "RightToe"},
    [VO_NAMES_CMU] = {"Hips",         "LowerBack", "Spine1",      "Neck1",         "Head",
                      "LeftShoulder", "LeftArm",   "LeftForeArm", "LeftHand",      "LeftUpLeg",
                      "LeftLeg",      "LeftFoot",  "LeftToeBase", "RightShoulder", "RightArm",
                      "RightForeArm", "RightHand", "RightUpLeg",  "RightLeg",      "RightFoot",
                      "RightToeBase"},
};

const char *vo_bone_name(vo_bone_names scheme, vo_bone bone) { return NAME[scheme][bone]; }

static bool is_filler(char c) { return c == ' ' || c == '_' || c == '-' || c == '.'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* What follows the last ':'. */
static const char *after_colon(const char *name) {
    const char *start = name;
    for (; *name; name++)
        if (*name == ':') start = name + 1;
    return start;
}

static bool same_name(const char *a, const char *b) {
    for (;;) {
        while (is_filler(*a)) a++;
        while (is_filler(*b)) b++;
        if (lower(*a) != lower(*b)) return false;
        if (!*a) return true;
        a++, b++;
    }
}

int vo_bone_find(vo_bone_names scheme, const char *name) {
    name = after_colon(name);
    for (int b = 0; b < VO_BONE_COUNT; b++)
        if (same_name(NAME[scheme][b], name)) return b;
    return -1;
}

vo_bone_names vo_bone_names_guess(int count, const char *const *names) {
    int best = 0, most = -1;
    for (int s = 0; s < VO_NAMES_COUNT; s++) {
        int known = 0;
        for (int i = 0; i < count; i++)
            known += names[i] && vo_bone_find((vo_bone_names)s, names[i]) >= 0;
        if (known > most) most = known, best = s;
    }
    return (vo_bone_names)best;
}
