/* Names of the bones in clips and messages. */
#include "character/skeleton.h"

const char *vo_bone_name(vo_bone bone) {
    static const char *const name[VO_BONE_COUNT] = {
        "hips",          "spine",          "chest",        "neck",           "head",
        "left clavicle", "left upper arm", "left forearm", "left hand",      "left thigh",
        "left shin",     "left foot",      "left toes",    "right clavicle", "right upper arm",
        "right forearm", "right hand",     "right thigh",  "right shin",     "right foot",
        "right toes"};
    return name[bone];
}
