/* Clips: motions of the skeleton as keyframed angles and foot steps (file format: docs/motions.md).
 *
 * A clip is a set of *channels*, each a smooth curve over time (clip_curve.h): the position of the
 * hips, the three angles of every joint and, for each leg, the tilt of the foot, the outward angle
 * of the knee and the weight of its angles. *Steps* are added: "the left foot stands here from 0.1
 * s to 0.7 s".
 *
 *     time      0        0.2        0.4        0.6        0.8
 *     left      [== stands at a ==]             [== stands at b ==]
 *                                  ~~ swings ~~
 *     right  ~~ swings ~~    [== stands at c ==]
 *
 * Inverse kinematics determines the legs of feet that have steps: while a foot stands, its ankle is
 * prescribed exactly and thigh, shin and foot are solved for, so that the foot does not slide.
 * Between two steps the ankle follows a cubic whose end velocities equal those of the standing
 * foot. A free leg (a kick) follows its angles instead; both can be blended. Angles alone would
 * make a standing leg slide with every motion of the hips; paths alone would make kicks hard to
 * write.
 *
 * Lengths refer to a leg of `leg` metres, hip joint to floor, and are scaled to the skeleton. A
 * clip walks along -y, the direction that the body faces. */
#ifndef VO_CHARACTER_CLIP_H
#define VO_CHARACTER_CLIP_H

#include "character/clip_curve.h"
#include "character/skeleton.h"
#include "core/context.h"

enum { VO_CLIP_LEFT, VO_CLIP_RIGHT, VO_CLIP_SIDES };

/* Order of the channels: root, three per bone, both legs. */
typedef enum vo_root_channel {
    VO_ROOT_FORWARD, /* m, hips relative to the zero pose */
    VO_ROOT_LEFT,
    VO_ROOT_UP,
    VO_ROOT_HEADING, /* degrees to the left */
    VO_ROOT_CHANNELS
} vo_root_channel;

enum { VO_JOINT_BEND, VO_JOINT_SIDE, VO_JOINT_TWIST, VO_JOINT_CHANNELS };

typedef enum vo_leg_channel {
    VO_LEG_TILT, /* degrees between foot and floor: toes up positive, heel up negative */
    VO_LEG_KNEE, /* degrees, outward direction of the knee */
    VO_LEG_FREE, /* 0: determined by the steps, 1: by the angles */
    VO_LEG_CHANNELS
} vo_leg_channel;

enum {
    VO_CLIP_BONES = VO_ROOT_CHANNELS,
    VO_CLIP_LEGS = VO_CLIP_BONES + VO_BONE_COUNT * VO_JOINT_CHANNELS,
    VO_CLIP_CHANNELS = VO_CLIP_LEGS + VO_CLIP_SIDES * VO_LEG_CHANNELS
};

/* Interval in which a foot stands on the floor. */
typedef struct vo_clip_step {
    double from, to;   /* s; from < to */
    double at[2];      /* m; ball of the foot, forwards and to the left */
    double heading[2]; /* degrees to the left, at `from` and `to`: the foot may pivot on its ball */
    double
        lift; /* m, height of the ankle above the straight path during the swing before this step */
} vo_clip_step;

typedef struct vo_clip {
    vo_context *ctx;
    char *description; /* NULL if the file has none */
    double duration;   /* s */
    bool loop;
    double leg;       /* m, hip joint to floor, of the body to which the lengths refer */
    double travel[2]; /* m forwards and to the left, displacement per loop */
    int turns;        /* full turns to the left per loop */
    vo_curve channel[VO_CLIP_CHANNELS];
    int step_count[VO_CLIP_SIDES];
    vo_clip_step *step[VO_CLIP_SIDES]; /* ascending, disjoint; capacity equals count */
} vo_clip;

/* On failure *out is NULL and the message names the file and the key path. */
vo_result vo_clip_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_clip **out);
vo_result vo_clip_load(vo_context *ctx, const char *path, vo_clip **out);
void vo_clip_destroy(vo_clip *clip); /* NULL is allowed */

/* State of a foot at a time. */
typedef struct vo_clip_foot {
    bool stands;
    vo_vec3 pivot; /* m; point of the sole that is at rest while the foot stands: the ball, or the
                      heel while the toes are up */
    double shortfall; /* m, by which the leg is too short for its step; the foot then misses the
                         step */
} vo_clip_foot;

/* Returns the pose at any time, s, including times before 0 and after the end: loops continue (up
 * to a million times), other clips are held. `feet` may be NULL. */
vo_body_pose vo_clip_pose(const vo_clip *clip, const vo_skeleton *skeleton, double time,
                          vo_clip_foot feet[VO_CLIP_SIDES]);

#endif
