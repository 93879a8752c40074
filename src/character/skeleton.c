#include "character/skeleton.h"

enum { FIRST_LEFT = VO_BONE_LEFT_CLAVICLE, SIDE_COUNT = VO_BONE_RIGHT_CLAVICLE - FIRST_LEFT };

static bool is_left(int bone) { return bone >= FIRST_LEFT && bone < FIRST_LEFT + SIDE_COUNT; }
static bool is_right(int bone) { return bone >= FIRST_LEFT + SIDE_COUNT; }

/* Returns the left counterpart of a right bone; other bones are returned unchanged. */
static int left_bone(int bone) { return is_right(bone) ? bone - SIDE_COUNT : bone; }

int vo_bone_parent(vo_bone bone) {
    static const signed char parent[FIRST_LEFT + SIDE_COUNT] = {
        -1, VO_BONE_HIPS, VO_BONE_SPINE, VO_BONE_CHEST, VO_BONE_NECK,
        /* arm */
        VO_BONE_CHEST, VO_BONE_LEFT_CLAVICLE, VO_BONE_LEFT_UPPER_ARM, VO_BONE_LEFT_FOREARM,
        /* leg */
        VO_BONE_HIPS, VO_BONE_LEFT_THIGH, VO_BONE_LEFT_SHIN, VO_BONE_LEFT_FOOT};
    int up = parent[left_bone((int)bone)];
    return is_right((int)bone) && up >= FIRST_LEFT ? up + SIDE_COUNT : up;
}

vo_bone vo_bone_mirror(vo_bone bone) {
    if (is_left((int)bone)) return (vo_bone)((int)bone + SIDE_COUNT);
    return (vo_bone)left_bone((int)bone);
}

vo_skeleton_def vo_skeleton_def_default(void) {
    double height = 1.75;
    return (vo_skeleton_def){height, 0.2 * height, 0.1 * height};
}

/* Position of a joint of the middle or the left in the zero pose and the far end of its bone,
 * relative to the body height; x relative to half of the width that the bone follows. Joint heights
 * after Drillis and Contini, Body Segment Parameters, 1966. */
typedef struct proportions {
    vo_vec3 joint, end;
    enum { NO_WIDTH, SHOULDERS, HIPS } follows;
} proportions;

static const proportions PROPORTIONS[FIRST_LEFT + SIDE_COUNT] = {
    [VO_BONE_HIPS] = {{0, 0, 0.545}, {0, 0, 0.595}, NO_WIDTH},
    [VO_BONE_SPINE] = {{0, 0, 0.595}, {0, 0, 0.695}, NO_WIDTH},
    [VO_BONE_CHEST] = {{0, 0, 0.695}, {0, 0.01, 0.838}, NO_WIDTH},
    [VO_BONE_NECK] = {{0, 0.01, 0.838}, {0, 0, 0.888}, NO_WIDTH},
    [VO_BONE_HEAD] = {{0, 0, 0.888}, {0, 0, 1}, NO_WIDTH},
    [VO_BONE_LEFT_CLAVICLE] = {{0.14, 0, 0.808}, {1, 0.004, 0.802}, SHOULDERS},
    [VO_BONE_LEFT_UPPER_ARM] = {{1, 0.004, 0.802}, {1, 0.004, 0.621}, SHOULDERS},
    [VO_BONE_LEFT_FOREARM] = {{1, 0.004, 0.621}, {1, 0.004, 0.474}, SHOULDERS},
    [VO_BONE_LEFT_HAND] = {{1, 0.004, 0.474}, {1, 0.004, 0.369}, SHOULDERS},
    [VO_BONE_LEFT_THIGH] = {{1, 0, 0.52}, {1, 0, 0.283}, HIPS},
    [VO_BONE_LEFT_SHIN] = {{1, 0, 0.283}, {1, 0, 0.043}, HIPS},
    [VO_BONE_LEFT_FOOT] = {{1, 0, 0.043}, {1, -0.078, 0.012}, HIPS},
    [VO_BONE_LEFT_TOES] = {{1, -0.078, 0.012}, {1, -0.114, 0.01}, HIPS},
};

/* Converts a position of the table to metres, mirrored for right bones. */
static vo_vec3 joint_position(const vo_skeleton_def *def, int bone, vo_vec3 p) {
    const double width[] = {0, def->shoulder_width, def->hip_width};
    double x = p.x * 0.5 * width[PROPORTIONS[left_bone(bone)].follows];
    return v3(is_right(bone) ? -x : x, p.y * def->height, p.z * def->height);
}

vo_skeleton vo_skeleton_make(const vo_skeleton_def *def) {
    vo_skeleton_def plain = vo_skeleton_def_default();
    if (!def) def = &plain;
    vo_skeleton out = {.height = def->height};
    vo_vec3 joint[VO_BONE_COUNT];
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        const proportions *p = &PROPORTIONS[left_bone(b)];
        int parent = vo_bone_parent((vo_bone)b);
        joint[b] = joint_position(def, b, p->joint);
        out.offset[b] = parent < 0 ? joint[b] : v3_sub(joint[b], joint[parent]);
        out.tip[b] = v3_sub(joint_position(def, b, p->end), joint[b]);
    }
    return out;
}

vo_body_pose vo_body_pose_zero(void) {
    vo_body_pose pose = {.translation = {0, 0, 0}};
    for (int b = 0; b < VO_BONE_COUNT; b++) pose.rotation[b] = q_identity();
    return pose;
}

/* Sets a bone and its mirror image. */
static void set_pair(vo_body_pose *pose, vo_bone bone, vo_joint_angles angles) {
    vo_bone other = vo_bone_mirror(bone);
    pose->rotation[bone] = vo_joint_rotation(bone, angles);
    pose->rotation[other] = vo_joint_rotation(other, angles);
}

vo_body_pose vo_body_pose_rest(const vo_skeleton *skeleton) {
    const double leg = 6; /* degrees to the side */
    vo_body_pose pose = vo_body_pose_zero();
    set_pair(&pose, VO_BONE_LEFT_UPPER_ARM, (vo_joint_angles){0, 45, 0});
    set_pair(&pose, VO_BONE_LEFT_THIGH, (vo_joint_angles){0, leg, 0});
    set_pair(&pose, VO_BONE_LEFT_FOOT, (vo_joint_angles){0, -leg, 0});
    double length = skeleton->offset[VO_BONE_LEFT_SHIN].z + skeleton->offset[VO_BONE_LEFT_FOOT].z;
    pose.translation.z = length * (1 - cos(leg * VO_PI / 180));
    return pose;
}

/* Spherical linear interpolation along the shorter arc; linear where both are nearly equal. */
static vo_quat slerp(vo_quat a, vo_quat b, double t) {
    if (q_dot(a, b) < 0) b = q_scale(-1, b);
    double cosine = q_dot(a, b);
    if (cosine > 1 - 1e-9) return q_normalize(q_add(q_scale(1 - t, a), q_scale(t, b)));
    double angle = acos(cosine), s = 1 / sin(angle);
    return q_normalize(q_add(q_scale(s * sin((1 - t) * angle), a), q_scale(s * sin(t * angle), b)));
}

vo_body_pose vo_body_pose_blend(const vo_body_pose *a, const vo_body_pose *b, double t) {
    vo_body_pose out = {.translation = v3_lerp(a->translation, b->translation, t)};
    for (int i = 0; i < VO_BONE_COUNT; i++)
        out.rotation[i] = slerp(a->rotation[i], b->rotation[i], t);
    return out;
}

void vo_skeleton_world(const vo_skeleton *skeleton, const vo_body_pose *pose,
                       vo_transform world[VO_BONE_COUNT]) {
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        int parent = vo_bone_parent((vo_bone)b);
        vo_transform local = {skeleton->offset[b], 1, pose->rotation[b]};
        if (parent < 0) local.translation = v3_add(local.translation, pose->translation);
        world[b] = parent < 0 ? local : xf_mul(world[parent], local);
    }
}

void vo_skeleton_motion(const vo_skeleton *skeleton, const vo_body_pose *pose,
                        vo_transform motion[VO_BONE_COUNT]) {
    vo_transform rest[VO_BONE_COUNT];
    vo_body_pose rest_pose = vo_body_pose_rest(skeleton);
    vo_skeleton_world(skeleton, &rest_pose, rest);
    vo_skeleton_world(skeleton, pose, motion);
    for (int b = 0; b < VO_BONE_COUNT; b++) motion[b] = xf_mul(motion[b], xf_inverse(rest[b]));
}
