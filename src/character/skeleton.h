/* Skeleton of the mannequin: bones, poses, joint limits and forward kinematics.
 *
 * Axes: z is up, metres; the body stands on z = 0 at the origin, faces -y, and its left is +x.
 *
 *              o            head            In the *zero pose* every rotation is the identity: the
 *              |            neck            body stands upright with arms hanging straight down and
 *        +-----+-----+      clavicles       palms against the thighs. The frames of all bones have
 *        |     |     |      chest           the axes of the world, so the axes of rotation have the
 *        |     |     |      spine           same meaning for arms, legs and trunk: x bends forwards
 *        |   +-+-+   |      hips, thighs    and backwards, y bends sideways, z twists.
 *        +   |   |   +
 *        |   +   +   |      shins           The surface of a body is created in the *rest pose*, in
 *            |   |                          which arms and legs are spread (vo_body_pose_rest). The
 *          __|   |__        feet, toes      zero pose suits motions, the rest pose suits skinning.
 *
 * A pose is one rotation per bone, relative to its parent, and a translation of the hips. Bones do
 * not stretch, so a pose fits skeletons of any size.
 *
 * Joint angles. Limits and clips use three angles in degrees whose signs agree on the left and the
 * right (vo_joint_angles):
 *
 *     bend    arms, legs, feet, clavicles: forwards (an elbow bends by positive angles, a knee by
 *             negative ones, a foot is drawn up by positive ones); hands: towards the palm;
 *             trunk and head: forwards
 *     side    arms, legs, feet: away from the middle; clavicles: up; hands: towards the thumb;
 *             trunk and head: to the left
 *     twist   arms, legs: outwards, about the bone; clavicles: the upper side backwards;
 *             trunk and head: to the left
 *
 * Swing-twist decomposition: bend and side form one rotation vector, the swing, applied after the
 * twist: R = S(bend, side) T(twist). In contrast to Euler angles it has no order of axes and is
 * singular only at a swing of half a turn, which only the hips reach. */
#ifndef VO_CHARACTER_SKELETON_H
#define VO_CHARACTER_SKELETON_H

#include "math/quat.h"

/* Parents precede their children. Right bones follow the left ones at a constant offset. */
typedef enum vo_bone {
    VO_BONE_HIPS, /* root */
    VO_BONE_SPINE,
    VO_BONE_CHEST,
    VO_BONE_NECK,
    VO_BONE_HEAD,
    VO_BONE_LEFT_CLAVICLE,
    VO_BONE_LEFT_UPPER_ARM,
    VO_BONE_LEFT_FOREARM,
    VO_BONE_LEFT_HAND,
    VO_BONE_LEFT_THIGH,
    VO_BONE_LEFT_SHIN,
    VO_BONE_LEFT_FOOT,
    VO_BONE_LEFT_TOES,
    VO_BONE_RIGHT_CLAVICLE,
    VO_BONE_RIGHT_UPPER_ARM,
    VO_BONE_RIGHT_FOREARM,
    VO_BONE_RIGHT_HAND,
    VO_BONE_RIGHT_THIGH,
    VO_BONE_RIGHT_SHIN,
    VO_BONE_RIGHT_FOOT,
    VO_BONE_RIGHT_TOES,
    VO_BONE_COUNT
} vo_bone;

int vo_bone_parent(vo_bone bone); /* -1 for the hips */
vo_bone vo_bone_mirror(
    vo_bone bone); /* bone of the other side; bones in the middle are returned unchanged */
const char *vo_bone_name(vo_bone bone); /* "left upper arm" */

/* Sizes of a skeleton. Values in square brackets are defaults, for 1.75 m. */
typedef struct vo_skeleton_def {
    double height;         /* [1.75] m, sole to crown, barefoot */
    double shoulder_width; /* [0.2 height] m, between the shoulder joints */
    double hip_width;      /* [0.1 height] m, between the hip joints */
} vo_skeleton_def;

/* Joint positions. */
typedef struct vo_skeleton {
    double height;
    vo_vec3 offset[VO_BONE_COUNT]; /* m, from the parent's joint to this one in the zero pose; for
                                      the hips: from the origin */
    vo_vec3 tip[VO_BONE_COUNT]; /* m, from the joint to the far end of the bone in the zero pose */
} vo_skeleton;

vo_skeleton_def vo_skeleton_def_default(void);
vo_skeleton vo_skeleton_make(const vo_skeleton_def *def); /* NULL: the default */

typedef struct vo_body_pose {
    vo_vec3 translation;             /* m, hips relative to the zero pose */
    vo_quat rotation[VO_BONE_COUNT]; /* unit, relative to the parent */
} vo_body_pose;

vo_body_pose vo_body_pose_zero(void);

/* Rest pose: arms spread sideways, legs slightly apart, soles flat on z = 0. */
vo_body_pose vo_body_pose_rest(const vo_skeleton *skeleton);

/* Interpolates every rotation along the shorter arc; t = 0 returns a, 1 returns b. */
vo_body_pose vo_body_pose_blend(const vo_body_pose *a, const vo_body_pose *b, double t);

/* Forward kinematics: world[bone] maps points of the bone's frame, whose origin is its joint, to
 * the world. Scales are 1. */
void vo_skeleton_world(const vo_skeleton *skeleton, const vo_body_pose *pose,
                       vo_transform world[VO_BONE_COUNT]);

/* Skinning transforms: motion[bone] maps a surface point of the rest pose to its position under
 * this bone alone. For the rest pose all are the identity. */
void vo_skeleton_motion(const vo_skeleton *skeleton, const vo_body_pose *pose,
                        vo_transform motion[VO_BONE_COUNT]);

/* Degrees; the header comment defines the angles. */
typedef struct vo_joint_angles {
    double bend, side, twist;
} vo_joint_angles;

vo_quat vo_joint_rotation(vo_bone bone, vo_joint_angles angles);

typedef struct vo_joint_limits {
    vo_joint_angles low, high;
} vo_joint_limits;

/* Returns the limits of a bone; the hips have none. */
vo_joint_limits vo_bone_limits(vo_bone bone);

#endif
