/* The skeleton of the mannequin: bones, poses, joint limits and forward kinematics.
 *
 * Axes: z is up, metres; the body stands on z = 0 at the origin, faces -y, and its left is +x.
 *
 *              o            head            In the *zero pose*, where every rotation is the
 *              |            neck            identity, the body stands upright with arms hanging
 *        +-----+-----+      clavicles       straight down and palms against the thighs. There every
 *        |     |     |      chest           bone's frame has the axes of the world, so a rotation
 *        |     |     |      spine           means the same for an arm, a leg and the trunk: about x
 *        |   +-+-+   |      hips, thighs    forwards and back, about y sideways, about z a twist.
 *        +   |   |   +
 *        |   +   +   |      shins           The surface of a body is made in the *rest pose*, in
 *            |   |                          which arms and legs are apart (vo_body_pose_rest). The
 *          __|   |__        feet, toes      two are kept apart since the one is good to write
 *                                           motions in and the other to grow skin in.
 *
 * A pose is one rotation a bone, relative to its parent, and a translation of the hips. Bones do
 * not stretch, so a pose fits a skeleton of any size.
 *
 * Angles. Joints are limited, written and mirrored in degrees of three kinds whose signs agree on
 * the left and the right (vo_joint_angles):
 *
 *     bend    arms, legs, feet, clavicles: forwards (an elbow bends by positive angles, a knee by
 *             negative ones, a foot is drawn up by positive ones); hands: towards the palm;
 *             trunk and head: forwards
 *     side    arms, legs, feet: away from the middle; clavicles: up; hands: towards the thumb;
 *             trunk and head: to the left
 *     twist   arms, legs: outwards, about the bone; clavicles: the upper side backwards;
 *             trunk and head: to the left
 *
 * bend and side are one rotation vector, the swing; the twist comes before it: R = S(bend, side)
 * T(twist). Unlike Euler angles this is singular only where the swing is half a turn, which no
 * joint but the hips reaches, and it has no order for people to remember. */
#ifndef VO_SCENE_SKELETON_H
#define VO_SCENE_SKELETON_H

#include "math/quat.h"

/* Parents come before their children. Right bones follow left ones at a fixed distance. */
typedef enum vo_bone {
    VO_BONE_HIPS, /* the root */
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

/* Who gives bones which names. The same word can mean two bones: LeftShoulder is a clavicle to
 * Mixamo and an upper arm where joints lend the names, so a name is looked up in one scheme. */
typedef enum vo_bone_names {
    VO_NAMES_VOILE,  /* "left upper arm" */
    VO_NAMES_MIXAMO, /* "LeftArm", with or without "mixamorig:" */
    VO_NAMES_JOINTS, /* BVH files that name joints: "LeftShoulder", "LeftElbow" */
    VO_NAMES_CMU,    /* BVH files of the CMU library: "LowerBack", "LeftUpLeg" */
    VO_NAMES_COUNT
} vo_bone_names;

int vo_bone_parent(vo_bone bone);     /* -1 of the hips */
vo_bone vo_bone_mirror(vo_bone bone); /* the other side's; itself in the middle */
const char *vo_bone_name(vo_bone_names scheme, vo_bone bone);

/* The bone of this name, or -1. Capitals, spaces, '_', '-', '.' and whatever stands before a ':'
 * do not matter. */
int vo_bone_find(vo_bone_names scheme, const char *name);
/* The scheme in which the most of these names are known; the first of equals. NULL names count as
 * unknown. */
vo_bone_names vo_bone_names_guess(int count, const char *const *names);

/* Sizes of a skeleton. In square brackets what vo_skeleton_def_default sets, for 1.75 m. */
typedef struct vo_skeleton_def {
    double height;         /* [1.75] m, sole to crown, barefoot */
    double shoulder_width; /* [0.2 height] m, between the shoulder joints */
    double hip_width;      /* [0.1 height] m, between the hip joints */
} vo_skeleton_def;

/* Where the joints are. */
typedef struct vo_skeleton {
    double height;
    vo_vec3 offset[VO_BONE_COUNT]; /* m, from the parent's joint to this one's, in the zero pose;
                                      of the hips: from the origin */
    vo_vec3 tip[VO_BONE_COUNT];    /* m, from the joint to the far end of the bone, likewise */
} vo_skeleton;

vo_skeleton_def vo_skeleton_def_default(void);
vo_skeleton vo_skeleton_make(const vo_skeleton_def *def); /* NULL: the default */

typedef struct vo_body_pose {
    vo_vec3 translation;             /* m, of the hips from where they are in the zero pose */
    vo_quat rotation[VO_BONE_COUNT]; /* unit; relative to the parent */
} vo_body_pose;

vo_body_pose vo_body_pose_zero(void);

/* Arms lifted sideways, legs a little apart, soles flat on z = 0. */
vo_body_pose vo_body_pose_rest(const vo_skeleton *skeleton);

/* Every rotation the shorter way round; t = 0 gives a, 1 gives b. */
vo_body_pose vo_body_pose_blend(const vo_body_pose *a, const vo_body_pose *b, double t);

/* Left and right exchanged, as seen in a mirror in the plane x = 0. */
vo_body_pose vo_body_pose_mirror(const vo_body_pose *pose);

/* Forward kinematics: world[bone] takes points of the bone's frame (its joint is the origin) to the
 * world. Scales are 1. */
void vo_skeleton_world(const vo_skeleton *skeleton, const vo_body_pose *pose,
                       vo_transform world[VO_BONE_COUNT]);

/* What moves the skin: motion[bone] takes a point of the surface in the rest pose to where the bone
 * alone would carry it. The identity for the rest pose. */
void vo_skeleton_motion(const vo_skeleton *skeleton, const vo_body_pose *pose,
                        vo_transform motion[VO_BONE_COUNT]);

/* Degrees; see the top of this file. */
typedef struct vo_joint_angles {
    double bend, side, twist;
} vo_joint_angles;

vo_quat vo_joint_rotation(vo_bone bone, vo_joint_angles angles);
/* The inverse, with a twist in [-180, 180] and a swing of at most 180. */
vo_joint_angles vo_joint_angles_of(vo_bone bone, vo_quat rotation);

typedef struct vo_joint_limits {
    vo_joint_angles low, high;
} vo_joint_limits;

/* The hips are free. */
vo_joint_limits vo_bone_limits(vo_bone bone);

/* How far the rotation is beyond its limits: degrees of the worst angle; 0 inside. */
double vo_joint_excess(vo_bone bone, vo_quat rotation);
/* The worst of all bones. `bone` may be NULL; it gets the worst one. */
double vo_body_pose_excess(const vo_body_pose *pose, vo_bone *bone);

/* Each angle brought between its limits. Rotations inside them keep their bits. Returns the number
 * of bones that were changed. */
int vo_body_pose_clamp(vo_body_pose *pose);

#endif
