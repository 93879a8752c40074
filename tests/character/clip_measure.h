/* Quality measures of a clip on a skeleton, for tests. */
#ifndef VOILE_TESTS_CLIP_MEASURE_H
#define VOILE_TESTS_CLIP_MEASURE_H

#include "character/clip_legs.h"
#include "pose_measure.h"

#include <float.h>
#include <stdio.h>

/* Body part as a capsule, for collision tests between limbs. */
typedef struct measure_capsule {
    const char *name;
    int bone;
    double from, to; /* fractions of the distance from the joint to the tip */
    double radius;   /* relative to the height of the body */
} measure_capsule;

enum {
    PART_HIPS,
    PART_WAIST,
    PART_CHEST,
    PART_HEAD,
    PART_LEFT, /* five parts of the left side, then of the right */
    PART_UPPER_ARM = 0,
    PART_FOREARM,
    PART_HAND,
    PART_THIGH,
    PART_SHIN,
    PART_FOOT,
    SIDE_PARTS,
    PART_COUNT = PART_LEFT + 2 * SIDE_PARTS
};

static const measure_capsule MEASURE_PART[PART_COUNT] = {
    {"hips", VO_BONE_HIPS, -0.6, 1, 0.07},
    {"waist", VO_BONE_SPINE, 0, 1, 0.065},
    {"chest", VO_BONE_CHEST, 0, 0.7, 0.07},
    {"head", VO_BONE_HEAD, 0.25, 0.6, 0.045},
    {"left upper arm", VO_BONE_LEFT_UPPER_ARM, 0.3, 1, 0.025},
    {"left forearm", VO_BONE_LEFT_FOREARM, 0, 1, 0.02},
    {"left hand", VO_BONE_LEFT_HAND, 0, 0.9, 0.018},
    {"left thigh", VO_BONE_LEFT_THIGH, 0.35, 1, 0.036},
    {"left shin", VO_BONE_LEFT_SHIN, 0, 1, 0.026},
    {"left foot", VO_BONE_LEFT_FOOT, 0, 1, 0.02},
    {"right upper arm", VO_BONE_RIGHT_UPPER_ARM, 0.3, 1, 0.025},
    {"right forearm", VO_BONE_RIGHT_FOREARM, 0, 1, 0.02},
    {"right hand", VO_BONE_RIGHT_HAND, 0, 0.9, 0.018},
    {"right thigh", VO_BONE_RIGHT_THIGH, 0.35, 1, 0.036},
    {"right shin", VO_BONE_RIGHT_SHIN, 0, 1, 0.026},
    {"right foot", VO_BONE_RIGHT_FOOT, 0, 1, 0.02},
};

/* Returns the distance of two segments by sampling, which is sufficient for capsules of
 * centimetres. */
static inline double measure_segments(vo_vec3 a0, vo_vec3 a1, vo_vec3 b0, vo_vec3 b1) {
    vo_vec3 d = v3_sub(b1, b0);
    double best = DBL_MAX, length2 = v3_length2(d);
    for (int i = 0; i <= 16; i++) {
        vo_vec3 p = v3_lerp(a0, a1, i / 16.0);
        double t = vo_clamp(v3_dot(v3_sub(p, b0), d) / length2, 0, 1);
        best = vo_min(best, v3_distance(p, v3_add(b0, v3_scale(t, d))));
    }
    return best;
}

/* Returns true for parts that are connected, or touch in any pose. */
static inline bool measure_adjacent(int a, int b) {
    if (a < PART_LEFT && b < PART_LEFT) return true;
    int side_a = (a - PART_LEFT) / SIDE_PARTS, part_b = (b - PART_LEFT) % SIDE_PARTS;
    if (a < PART_LEFT) {
        if (part_b == PART_THIGH) return a == PART_HIPS || a == PART_WAIST;
        return part_b == PART_UPPER_ARM && a == PART_CHEST;
    }
    int part_a = (a - PART_LEFT) % SIDE_PARTS;
    if (side_a != (b - PART_LEFT) / SIDE_PARTS) return false;
    bool legs = part_a >= PART_THIGH && part_b >= PART_THIGH;
    bool arms = part_a <= PART_HAND && part_b <= PART_HAND;
    return legs || arms;
}

typedef struct measure_pair {
    double gap; /* m; negative: the limbs intersect */
    int a, b;
    double time;
} measure_pair;

static inline void measure_ends(const vo_skeleton *skeleton, const vo_transform *world, int part,
                                vo_vec3 end[2]) {
    const measure_capsule *c = &MEASURE_PART[part];
    end[0] = xf_point(world[c->bone], v3_scale(c->from, skeleton->tip[c->bone]));
    end[1] = xf_point(world[c->bone], v3_scale(c->to, skeleton->tip[c->bone]));
}

/* Returns the pair of parts with the smallest gap. */
static inline measure_pair measure_gap(const vo_skeleton *skeleton, const vo_transform *world) {
    vo_vec3 end[PART_COUNT][2];
    measure_pair worst = {.gap = DBL_MAX};
    for (int p = 0; p < PART_COUNT; p++) measure_ends(skeleton, world, p, end[p]);
    for (int a = 0; a < PART_COUNT; a++)
        for (int b = a + 1; b < PART_COUNT; b++) {
            if (measure_adjacent(a, b)) continue;
            double touch = (MEASURE_PART[a].radius + MEASURE_PART[b].radius) * skeleton->height;
            double gap = measure_segments(end[a][0], end[a][1], end[b][0], end[b][1]) - touch;
            if (gap < worst.gap) worst = (measure_pair){gap, a, b, 0};
        }
    return worst;
}

/* Worst value of each measure and its time. */
typedef struct measures {
    double excess, excess_time; /* degrees beyond a joint limit */
    vo_bone excess_bone;
    double slide, slide_time;         /* m, displacement of a pivot that should be at rest */
    double floor, floor_time;         /* m, height of the lowest point of a foot */
    double shortfall, shortfall_time; /* m, by which a leg was too short */
    double angular_step, turn_time;   /* degrees/s, difference of consecutive angular velocities */
    vo_bone turn_bone;
    double velocity_step, move_time; /* m/s, difference of consecutive joint velocities */
    vo_bone move_bone;
    double hover, hover_time; /* m, vertical error of a pivot */
    measure_pair gap;
} measures;

/* Returns the lowest height of heel, ball and tip of the toes, m. */
static inline double measure_sole(const vo_skeleton *skeleton, const vo_transform *world,
                                  int side) {
    vo_bone foot = side == 0 ? VO_BONE_LEFT_FOOT : VO_BONE_RIGHT_FOOT, toes = (vo_bone)(foot + 1);
    double ankle = 0.043 * skeleton->height, ball = 0.012 * skeleton->height;
    double heel = xf_point(world[foot], v3(0, 0.6 * ankle, -ankle)).z;
    double under_ball = world[toes].translation.z - ball;
    double tip =
        xf_point(world[toes], v3_add(skeleton->tip[toes], v3(0, 0, -0.01 * skeleton->height))).z;
    return vo_min(heel, vo_min(under_ball, tip));
}

/* Returns the pivot of a standing foot: the ball or the heel of the posed foot. */
static inline vo_vec3 measure_pivot(const vo_skeleton *skeleton, const vo_transform *world,
                                    int side, vo_vec3 near) {
    vo_bone foot = side == 0 ? VO_BONE_LEFT_FOOT : VO_BONE_RIGHT_FOOT, toes = (vo_bone)(foot + 1);
    double ankle = 0.043 * skeleton->height;
    vo_vec3 heel = xf_point(world[foot], v3(0, 0.6 * ankle, -ankle));
    vo_vec3 ball = world[toes].translation;
    return v3_distance(ball, near) < v3_distance(heel, near) ? ball : heel;
}

/* Returns the angle between two rotations, degrees. */
static inline double measure_angle(vo_quat a, vo_quat b) {
    vo_quat d = q_mul(q_conjugate(a), b);
    return 2 * atan2(v3_length(v3(d.x, d.y, d.z)), fabs(d.w)) * 180 / VO_PI;
}

/* Returns the change of angular velocity (degrees/s) between a -> b and b -> c, dt each. */
static inline double measure_rate_change(vo_quat a, vo_quat b, vo_quat c, double dt) {
    vo_quat first = q_mul(q_conjugate(a), b), second = q_mul(q_conjugate(b), c);
    return measure_angle(first, second) / dt;
}

#define MEASURE_WORSE(value, field, when)                           \
    do {                                                            \
        if ((value) > m->field) m->field = (value), m->when = time; \
    } while (0)

typedef struct measure_sample {
    vo_body_pose pose;
    vo_transform world[VO_BONE_COUNT];
    vo_clip_foot feet[VO_CLIP_SIDES];
} measure_sample;

static inline void measure_take(const vo_clip *clip, const vo_skeleton *skeleton, double time,
                                measure_sample *s) {
    s->pose = vo_clip_pose(clip, skeleton, time, s->feet);
    vo_skeleton_world(skeleton, &s->pose, s->world);
}

/* Position at which a foot stands. Changing from the heel to the ball starts a new one. */
typedef struct measure_anchor {
    bool stands;
    vo_vec3 pivot, place; /* m; of the clip and of the pose */
} measure_anchor;

static inline void measure_foot(const vo_skeleton *skeleton, const measure_sample *now, int side,
                                double time, measure_anchor *anchor, measures *m) {
    double sole = -measure_sole(skeleton, now->world, side);
    MEASURE_WORSE(sole, floor, floor_time);
    const vo_clip_foot *foot = &now->feet[side];
    bool stood = anchor->stands && v3_distance(anchor->pivot, foot->pivot) < 0.05;
    anchor->stands = foot->stands;
    if (!foot->stands) return;
    MEASURE_WORSE(foot->shortfall, shortfall, shortfall_time);
    vo_vec3 place = measure_pivot(skeleton, now->world, side, foot->pivot);
    MEASURE_WORSE(v3_distance(place, foot->pivot), hover, hover_time);
    if (!stood) *anchor = (measure_anchor){true, foot->pivot, place};
    MEASURE_WORSE(v3_distance(place, anchor->place), slide, slide_time);
}

static inline void measure_jumps(const measure_sample *a, const measure_sample *b,
                                 const measure_sample *c, double dt, double time, measures *m) {
    for (int i = 0; i < VO_BONE_COUNT; i++) {
        double turn =
            measure_rate_change(a->pose.rotation[i], b->pose.rotation[i], c->pose.rotation[i], dt);
        if (turn > m->angular_step)
            m->angular_step = turn, m->turn_bone = (vo_bone)i, m->turn_time = time;
        vo_vec3 p = a->world[i].translation, q = b->world[i].translation,
                r = c->world[i].translation;
        double move = v3_length(v3_add(p, v3_sub(r, v3_scale(2, q)))) / dt;
        if (move > m->velocity_step)
            m->velocity_step = move, m->move_bone = (vo_bone)i, m->move_time = time;
    }
}

/* Samples the clip every dt seconds, across the end of a loop. */
static inline measures measure_clip(const vo_clip *clip, const vo_skeleton *skeleton, double dt) {
    measures out = {.gap = {.gap = DBL_MAX}, .floor = -DBL_MAX}, *m = &out;
    measure_sample s[3];
    measure_anchor anchor[VO_CLIP_SIDES] = {0};
    for (int k = 0; k < 2; k++) measure_take(clip, skeleton, (k - 2) * dt, &s[k]);
    int n = (int)(clip->duration / dt) + 2;
    for (int i = 0; i < n; i++) {
        double time = i * dt;
        measure_sample *now = &s[(i + 2) % 3], *before = &s[(i + 1) % 3];
        measure_take(clip, skeleton, time, now);
        vo_bone bone;
        double excess = pose_excess(&now->pose, &bone);
        if (excess > m->excess) m->excess = excess, m->excess_bone = bone, m->excess_time = time;
        for (int side = 0; side < VO_CLIP_SIDES; side++)
            measure_foot(skeleton, now, side, time, &anchor[side], m);
        measure_jumps(&s[i % 3], before, now, dt, time, m);
        measure_pair gap = measure_gap(skeleton, now->world);
        if (gap.gap < m->gap.gap) m->gap = gap, m->gap.time = time;
    }
    return out;
}

static inline void measure_print(const char *name, const measures *m) {
    printf("%-14s excess %.2f deg (%s %.2f s)  slide %.3f mm (%.2f)  hover %.3f mm (%.2f)  "
           "below %.1f mm (%.2f)  short %.1f mm (%.2f)\n",
           name, m->excess, vo_bone_name(m->excess_bone), m->excess_time, 1e3 * m->slide,
           m->slide_time, 1e3 * m->hover, m->hover_time, 1e3 * m->floor, m->floor_time,
           1e3 * m->shortfall, m->shortfall_time);
    printf("%-14s jumps %.1f deg/s (%s %.2f)  %.3f m/s (%s %.2f)  gap %.1f mm (%s, %s %.2f)\n", "",
           m->angular_step, vo_bone_name(m->turn_bone), m->turn_time, m->velocity_step,
           vo_bone_name(m->move_bone), m->move_time, 1e3 * m->gap.gap, MEASURE_PART[m->gap.a].name,
           MEASURE_PART[m->gap.b].name, m->gap.time);
}

/* Displacement of the body per loop, m. */
static inline vo_vec3 clip_travel(const vo_clip *clip, const vo_skeleton *skeleton) {
    double scale = vo_clip_scale(clip, skeleton);
    return v3(scale * clip->travel[1], -scale * clip->travel[0], 0);
}

#endif
