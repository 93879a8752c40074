/* Clips: motions of the skeleton as keyframed angles and steps (docs/motions.md has the file).
 *
 * A clip is a set of *channels*, each a smooth curve over time (clip_curve.h): where the hips are,
 * the three angles of every joint, and for each leg how its foot is tilted, how far its knee points
 * outwards and whether it is free. With the channels come the *steps*: "the left foot stands here
 * from 0.1 s to 0.7 s".
 *
 *     time      0        0.2        0.4        0.6        0.8
 *     left      [== stands at a ==]             [== stands at b ==]
 *                                  ~~ swings ~~
 *     right  ~~ swings ~~    [== stands at c ==]
 *
 * Legs come from the feet wherever a foot has steps: where it stands, the ankle is known exactly
 * and thigh, shin and foot are solved for, so that nothing slides whatever the hips do. Between two
 * steps the ankle flies on a cubic that leaves and lands at the speed it stands with. A leg that is
 * free (a kick) follows its angles instead; anything between is blended. Writing angles alone for a
 * leg that stands would slide with every change of the hips; writing paths alone would make kicks
 * guesswork.
 *
 * Lengths are for a leg of `leg` metres, hip joint to floor, and scaled to the skeleton's. A clip
 * walks along -y, the way the body faces. */
#ifndef VO_SCENE_CLIP_H
#define VO_SCENE_CLIP_H

#include "core/context.h"
#include "scene/clip_curve.h"
#include "scene/skeleton.h"

enum { VO_CLIP_LEFT, VO_CLIP_RIGHT, VO_CLIP_SIDES };

/* Channels in this order: the root's, three for each bone, those of both legs. */
typedef enum vo_root_channel {
    VO_ROOT_FORWARD, /* m, of the hips from the zero pose */
    VO_ROOT_LEFT,
    VO_ROOT_UP,
    VO_ROOT_HEADING, /* degrees to the left */
    VO_ROOT_CHANNELS
} vo_root_channel;

enum { VO_JOINT_BEND, VO_JOINT_SIDE, VO_JOINT_TWIST, VO_JOINT_CHANNELS };

typedef enum vo_leg_channel {
    VO_LEG_TILT, /* degrees; the foot against the floor: toes up positive, heel up negative */
    VO_LEG_KNEE, /* degrees that the knee points outwards */
    VO_LEG_FREE, /* 0: by steps, 1: by angles */
    VO_LEG_CHANNELS
} vo_leg_channel;

enum {
    VO_CLIP_BONES = VO_ROOT_CHANNELS,
    VO_CLIP_LEGS = VO_CLIP_BONES + VO_BONE_COUNT * VO_JOINT_CHANNELS,
    VO_CLIP_CHANNELS = VO_CLIP_LEGS + VO_CLIP_SIDES * VO_LEG_CHANNELS
};

/* A foot on the floor. */
typedef struct vo_clip_step {
    double from, to;   /* s; stands from < to */
    double at[2];      /* m; the ball of the foot, forwards and to the left */
    double heading[2]; /* degrees to the left, at `from` and `to`: the foot may turn on its ball */
    double lift;       /* m, how high the ankle is raised on the way here */
} vo_clip_step;

typedef struct vo_clip {
    vo_context *ctx;
    char *description; /* NULL if there is none */
    double duration;   /* s */
    bool loop;
    double leg;       /* m, hip joint to floor, of the body that the lengths are for */
    double travel[2]; /* m forwards and to the left, by which a loop ends further on */
    int turns;        /* full turns to the left in a loop */
    vo_curve channel[VO_CLIP_CHANNELS];
    int step_count[VO_CLIP_SIDES];
    vo_clip_step *step[VO_CLIP_SIDES]; /* ascending, apart; capacity is the count */
} vo_clip;

/* On failure *out is NULL and the message names the file and the key path. */
vo_result vo_clip_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_clip **out);
vo_result vo_clip_load(vo_context *ctx, const char *path, vo_clip **out);
void vo_clip_destroy(vo_clip *clip); /* NULL is allowed */

/* What a foot does at some time. */
typedef struct vo_clip_foot {
    bool stands;
    vo_vec3 pivot;  /* m; the point of the sole that is at rest while it stands: the ball, or the
                       heel while the toes are up */
    double too_far; /* m, by which the leg is too short for its step; then the foot misses it */
} vo_clip_foot;

/* The pose at any time, also before 0 and after the end: a loop goes on (for a million
 * turns), others are held. `feet` may be NULL. */
vo_body_pose vo_clip_pose(const vo_clip *clip, const vo_skeleton *skeleton, double time,
                          vo_clip_foot feet[VO_CLIP_SIDES]);

/* The way into a clip: at time -over it is `from`, at 0 the clip takes over with no jump in rate.
 * Later it is the clip. */
vo_body_pose vo_clip_enter(const vo_clip *clip, const vo_skeleton *skeleton,
                           const vo_body_pose *from, double over, double time);

/* From one clip to another: a while time <= start, b from start + over on, blended between; b's own
 * time is 0 at start. */
vo_body_pose vo_clip_cross(const vo_clip *a, const vo_clip *b, const vo_skeleton *skeleton,
                           double start, double over, double time);

/* How far a loop takes this body; zero for a clip that is none. */
vo_vec3 vo_clip_travel(const vo_clip *clip, const vo_skeleton *skeleton);

#endif
