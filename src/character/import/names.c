/* Naming conventions: maps bone names to body parts. */
#include "character/import/retarget.h"

#include <string.h>

static const char *const part_names[VO_PART_COUNT] = {
    "hips",           "spine",           "neck",          "head",
    "left clavicle",  "left upper arm",  "left forearm",  "left hand",
    "left thigh",     "left shin",       "left foot",     "left toes",
    "right clavicle", "right upper arm", "right forearm", "right hand",
    "right thigh",    "right shin",      "right foot",    "right toes",
};

const char *vo_part_name(vo_part part) { return part_names[part]; }

/* Names without a side. Names that end in digits are also looked up without them. */
static const struct {
    const char *name;
    vo_part part;
} middle_names[] = {
    {"hips", VO_PART_HIPS},       {"hip", VO_PART_HIPS},         {"pelvis", VO_PART_HIPS},
    {"spine", VO_PART_SPINE},     {"abdomen", VO_PART_SPINE},    {"chest", VO_PART_SPINE},
    {"lowerback", VO_PART_SPINE}, {"upperchest", VO_PART_SPINE}, {"torso", VO_PART_SPINE},
    {"waist", VO_PART_SPINE},     {"belly", VO_PART_SPINE},      {"thorax", VO_PART_SPINE},
    {"neck", VO_PART_NECK},       {"head", VO_PART_HEAD},
};

/* Names of the left side; the right part is 8 entries further. */
static const struct {
    const char *name;
    vo_part part;
} side_names[] = {
    {"clavicle", VO_PART_LEFT_CLAVICLE},
    {"collar", VO_PART_LEFT_CLAVICLE},
    {"collarbone", VO_PART_LEFT_CLAVICLE},
    {"shoulder", VO_PART_LEFT_CLAVICLE},
    {"upperarm", VO_PART_LEFT_UPPER_ARM},
    {"uparm", VO_PART_LEFT_UPPER_ARM},
    {"arm", VO_PART_LEFT_UPPER_ARM},
    {"shldr", VO_PART_LEFT_UPPER_ARM},
    {"humerus", VO_PART_LEFT_UPPER_ARM},
    {"forearm", VO_PART_LEFT_FOREARM},
    {"lowerarm", VO_PART_LEFT_FOREARM},
    {"lowarm", VO_PART_LEFT_FOREARM},
    {"elbow", VO_PART_LEFT_FOREARM},
    {"radius", VO_PART_LEFT_FOREARM},
    {"hand", VO_PART_LEFT_HAND},
    {"wrist", VO_PART_LEFT_HAND},
    {"thigh", VO_PART_LEFT_THIGH},
    {"upleg", VO_PART_LEFT_THIGH},
    {"upperleg", VO_PART_LEFT_THIGH},
    {"hip", VO_PART_LEFT_THIGH},
    {"femur", VO_PART_LEFT_THIGH},
    {"shin", VO_PART_LEFT_SHIN},
    {"leg", VO_PART_LEFT_SHIN},
    {"lowerleg", VO_PART_LEFT_SHIN},
    {"lowleg", VO_PART_LEFT_SHIN},
    {"calf", VO_PART_LEFT_SHIN},
    {"knee", VO_PART_LEFT_SHIN},
    {"tibia", VO_PART_LEFT_SHIN},
    {"foot", VO_PART_LEFT_FOOT},
    {"ankle", VO_PART_LEFT_FOOT},
    {"toe", VO_PART_LEFT_TOES},
    {"toes", VO_PART_LEFT_TOES},
    {"toebase", VO_PART_LEFT_TOES},
    {"ball", VO_PART_LEFT_TOES},
};

enum { SIDE_STEP = VO_PART_RIGHT_CLAVICLE - VO_PART_LEFT_CLAVICLE, WORD = 64 };

/* Removes a filler word, unless it is the whole name. */
static void remove_filler(char *word, const char *filler) {
    char *at = strstr(word, filler);
    size_t length = strlen(filler);
    if (at && strlen(word) > length) memmove(at, at + length, strlen(at + length) + 1);
}

/* Reduces a name to lower-case letters and digits after the last ':', without the prefix of the
 * rig. */
static void simplify(const char *name, char out[WORD]) {
    const char *colon = strrchr(name, ':');
    int n = 0;
    for (const char *c = colon != NULL ? colon + 1 : name; *c && n + 1 < WORD; c++) {
        char letter = (char)(*c >= 'A' && *c <= 'Z' ? *c + ('a' - 'A') : *c);
        bool keep = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (keep) out[n++] = letter;
    }
    out[n] = 0;
    remove_filler(out, "skeleton");
    remove_filler(out, "joint");
    static const char *const prefixes[] = {"mixamorig", "bip001", "bip01", "def", "bone"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(out, prefixes[i], length) != 0 || out[length] == 0) continue;
        memmove(out, out + length, strlen(out + length) + 1);
    }
}

static vo_part find_middle(const char *word) {
    for (size_t i = 0; i < sizeof middle_names / sizeof *middle_names; i++) {
        if (strcmp(word, middle_names[i].name) == 0) return middle_names[i].part;
    }
    return VO_PART_NONE;
}

static vo_part find_side(const char *word, bool right) {
    for (size_t i = 0; i < sizeof side_names / sizeof *side_names; i++) {
        if (strcmp(word, side_names[i].name) != 0) continue;
        return (vo_part)(side_names[i].part + (right ? SIDE_STEP : 0));
    }
    return VO_PART_NONE;
}

/* Finds names with the side in front ("leftarm", "larm") or behind ("armleft", "arml"). */
static vo_part find_sided(char *word) {
    static const char *const marks[4] = {"left", "right", "l", "r"};
    for (int i = 0; i < 4; i++) {
        size_t mark = strlen(marks[i]), length = strlen(word);
        if (length <= mark) continue;
        vo_part part = VO_PART_NONE;
        if (strncmp(word, marks[i], mark) == 0) part = find_side(word + mark, i % 2 == 1);
        if (part != VO_PART_NONE) return part;
        if (strcmp(word + length - mark, marks[i]) != 0) continue;
        char kept = word[length - mark];
        word[length - mark] = 0;
        part = find_side(word, i % 2 == 1);
        word[length - mark] = kept;
        if (part != VO_PART_NONE) return part;
    }
    return VO_PART_NONE;
}

vo_part vo_part_find(const char *name) {
    char word[WORD];
    simplify(name, word);
    size_t length = strlen(word);
    for (;;) {
        vo_part part = find_middle(word);
        if (part == VO_PART_NONE) part = find_sided(word);
        if (part != VO_PART_NONE) return part;
        if (length == 0 || word[length - 1] < '0' || word[length - 1] > '9') return VO_PART_NONE;
        word[--length] = 0;
    }
}

/* LeftShoulder without LeftArm is the upper arm, with or without a clavicle. */
static void resolve_shoulder(vo_rig *rig, int side, int second) {
    int *clavicle = &rig->joint[VO_PART_LEFT_CLAVICLE + side];
    int *arm = &rig->joint[VO_PART_LEFT_UPPER_ARM + side];
    if (*arm >= 0) return;
    *arm = second >= 0 ? second : *clavicle;
    if (second < 0) *clavicle = -1;
}

/* Up to four joints of the same name, from the trunk outwards; -1: none. */
typedef struct same_name_joints {
    int joint[4];
} same_name_joints;

/* Assigns the bones of a limb that all have its name (arm, arm 2, arm 3) in order. */
static void resolve_limb(vo_rig *rig, const same_name_joints *same, vo_part named, vo_part first,
                         int count, int needed) {
    for (int i = 0; i < needed; i++)
        if (same[named].joint[i] < 0 ||
            (first + (vo_part)i != named && rig->joint[first + (vo_part)i] >= 0))
            return;
    for (int i = 0; i < count && same[named].joint[i] >= 0; i++)
        if (i < needed || rig->joint[first + (vo_part)i] < 0)
            rig->joint[first + (vo_part)i] = same[named].joint[i];
}

/* Without hips uses the lowest joint of the spine, if the legs begin there. */
static void resolve_hips(vo_rig *rig, const vo_joint *joint) {
    int thigh = rig->joint[VO_PART_LEFT_THIGH];
    if (rig->joint[VO_PART_HIPS] >= 0 || thigh < 0 || rig->spine_count < 2) return;
    if (joint[thigh].parent != rig->spine[0]) return;
    rig->joint[VO_PART_HIPS] = rig->spine[0];
    rig->spine_count--;
    memmove(rig->spine, rig->spine + 1, (size_t)rig->spine_count * sizeof *rig->spine);
    rig->joint[VO_PART_SPINE] = rig->spine[0];
}

static void resolve_rig(vo_rig *rig, const same_name_joints *same, const vo_joint *joint) {
    for (int side = 0; side <= SIDE_STEP; side += SIDE_STEP) {
        resolve_shoulder(rig, side, same[VO_PART_LEFT_CLAVICLE + side].joint[1]);
        resolve_limb(rig, same, VO_PART_LEFT_UPPER_ARM + side, VO_PART_LEFT_UPPER_ARM + side, 3, 3);
        resolve_limb(rig, same, VO_PART_LEFT_SHIN + side, VO_PART_LEFT_THIGH + side, 4, 3);
    }
    resolve_limb(rig, same, VO_PART_NECK, VO_PART_NECK, 2, 2);
    resolve_hips(rig, joint);
}

vo_rig vo_rig_find(int joint_count, const vo_joint *joint) {
    vo_rig rig = {.spine_count = 0};
    same_name_joints same[VO_PART_COUNT];
    for (int p = 0; p < VO_PART_COUNT; p++) same[p] = (same_name_joints){{-1, -1, -1, -1}};
    for (int j = 0; j < joint_count; j++) {
        vo_part part = vo_part_find(joint[j].name);
        if (part == VO_PART_NONE) continue;
        int n = 0;
        while (n < 4 && same[part].joint[n] >= 0) n++;
        if (n < 4) same[part].joint[n] = j;
        if (part == VO_PART_SPINE && rig.spine_count < VO_RIG_SPINE)
            rig.spine[rig.spine_count++] = j;
    }
    for (int p = 0; p < VO_PART_COUNT; p++) rig.joint[p] = same[p].joint[0];
    resolve_rig(&rig, same, joint);
    return rig;
}
