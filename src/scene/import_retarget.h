/* A motion of one skeleton on another, by the names of the bones.
 *
 * Bones are told by what they are called (import_names.c knows the customs of Mixamo, Biped, Poser,
 * CMU, Blender, Unreal and Voile's mannequin). For each bone b that both skeletons have,
 *
 *      R_target(t) = D R_align R_target(rest),     D = F R_source(t) R_source(rest)^-1 F^-1
 *
 * in the world: the target turns from its rest pose as the source turns from its own. F turns the
 * source about the vertical until both face the same way. R_align makes up for rest poses that
 * differ in arms and legs (a T-pose and hanging arms): it is the shortest turn of the target's bone
 * onto the direction of the source's. Trunk, head, hands and feet take none, since what counts
 * there is how far they turn, not where a joint happens to be placed.
 *
 * The hip joints move as the source's do, scaled by the ratio of the legs' lengths, and so high
 * that the lowest ankle of the whole motion is as high as in the target's rest pose. They begin
 * above where they rest. Other joints of the target keep their rest pose relative to their parents.
 */
#ifndef VO_SCENE_IMPORT_RETARGET_H
#define VO_SCENE_IMPORT_RETARGET_H

#include "scene/import.h"

/* Bones that can be told by name. A spine may have several joints. */
typedef enum vo_part {
    VO_PART_NONE = -1,
    VO_PART_HIPS,
    VO_PART_SPINE,
    VO_PART_NECK,
    VO_PART_HEAD,
    VO_PART_LEFT_CLAVICLE,
    VO_PART_LEFT_UPPER_ARM,
    VO_PART_LEFT_FOREARM,
    VO_PART_LEFT_HAND,
    VO_PART_LEFT_THIGH,
    VO_PART_LEFT_SHIN,
    VO_PART_LEFT_FOOT,
    VO_PART_LEFT_TOES,
    VO_PART_RIGHT_CLAVICLE,
    VO_PART_RIGHT_UPPER_ARM,
    VO_PART_RIGHT_FOREARM,
    VO_PART_RIGHT_HAND,
    VO_PART_RIGHT_THIGH,
    VO_PART_RIGHT_SHIN,
    VO_PART_RIGHT_FOOT,
    VO_PART_RIGHT_TOES,
    VO_PART_COUNT
} vo_part;

/* What a bone's name says it is. Capitals, blanks, punctuation, digits at the end, everything up
 * to a ':' and the words skeleton and joint do not matter. */
vo_part vo_part_find(const char *name);
const char *vo_part_name(vo_part part); /* "left upper arm" */

enum { VO_RIG_SPINE = 8 }; /* joints of a spine, at most */

/* Which joint is which part; -1: none. Where several joints have the name of a part the first one
 * counts. LeftShoulder is a clavicle where there is a LeftArm beside it and an upper arm if not.
 * Where all bones of a limb have its name (leg 1, leg 2, leg 3) they are its parts, from the trunk
 * outwards; joints come after their parents. A skeleton without hips has them where the legs meet
 * the spine. */
typedef struct vo_rig {
    int joint[VO_PART_COUNT];
    int spine_count; /* from the hips up; joint[VO_PART_SPINE] is the first */
    int spine[VO_RIG_SPINE];
} vo_rig;

vo_rig vo_rig_find(int joint_count, const vo_joint *joint);

/* The clip of `source` for a skeleton of `joint_count` joints (names, parents and rest transforms)
 * under `world`. It lives in `memory`; its keys are at the times of the source's keys. VO_BAD_DATA
 * names the parts that one of the two lacks: hips, thighs, shins and feet are needed. Parts beyond
 * those that only one has are logged. `name` stands for the source in messages. */
vo_result vo_retarget(vo_context *ctx, const char *name, const vo_character *source,
                      const vo_joint_clip *clip, int joint_count, const vo_joint *joint,
                      vo_affine world, vo_arena *memory, vo_joint_clip *out);

#endif
