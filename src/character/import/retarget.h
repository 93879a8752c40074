/* Retargeting: applies a motion of one skeleton to another, matching bones by name.
 *
 * names.c implements the naming conventions of Mixamo, Biped, Poser, CMU, Blender, Unreal and
 * Voile's mannequin. For each bone b of both skeletons,
 *
 *      R_target(t) = D R_align R_target(rest),     D = F R_source(t) R_source(rest)^-1 F^-1
 *
 * in the world: the target rotates from its rest pose as the source rotates from its own. F rotates
 * the source about the vertical so that both face the same direction. R_align compensates for rest
 * poses with different arms and legs (a T-pose and hanging arms): it is the smallest rotation of
 * the target's bone onto the direction of the source's. Trunk, head, hands and feet are not
 * aligned: their relative rotation matters, not the placement of their joints.
 *
 * The hip joints move as those of the source, scaled by the ratio of the leg lengths, at a height
 * at which the lowest ankle of the whole motion is as high as in the target's rest pose. They begin
 * above their rest position. Other joints of the target keep their rest pose relative to their
 * parents. */
#ifndef VO_CHARACTER_IMPORT_RETARGET_H
#define VO_CHARACTER_IMPORT_RETARGET_H

#include "character/import/import.h"

/* Body parts that are identified by name. A spine may have several joints. */
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

/* Returns the body part that a bone name denotes, VO_PART_NONE if it is unknown. Ignores case,
 * blanks, punctuation, digits at the end, everything up to a ':' and the words skeleton and
 * joint. */
vo_part vo_part_find(const char *name);
const char *vo_part_name(vo_part part); /* "left upper arm" */

enum { VO_RIG_SPINE = 8 }; /* maximum number of joints of a spine */

/* Joint of each body part; -1: none. If several joints have the name of a part, the first one is
 * used. LeftShoulder is a clavicle if a LeftArm exists and an upper arm otherwise. If all bones of
 * a limb have its name (leg 1, leg 2, leg 3) they are its parts, from the trunk outwards. The hips
 * of a skeleton without them are where the legs meet the spine. Joints must follow their
 * parents. */
typedef struct vo_rig {
    int joint[VO_PART_COUNT];
    int spine_count; /* from the hips up; joint[VO_PART_SPINE] is the first */
    int spine[VO_RIG_SPINE];
} vo_rig;

vo_rig vo_rig_find(int joint_count, const vo_joint *joint);

/* Computes the clip of `source` for a skeleton of `joint_count` joints (names, parents and rest
 * transforms) under `world`. The result is allocated in `memory`; its keys are at the times of the
 * source's keys. VO_BAD_DATA names missing parts: hips, thighs, shins and feet are required. Other
 * parts that only one skeleton has are logged. `name` denotes the source in messages. */
vo_result vo_retarget(vo_context *ctx, const char *name, const vo_character *source,
                      const vo_joint_clip *clip, int joint_count, const vo_joint *joint,
                      vo_affine world, vo_arena *memory, vo_joint_clip *out);

#endif
