/* Skeleton: kinematics, angles, limits. */
#include "support.h"

#include "core/random.h"
#include "pose_measure.h"

static void assert_same_point(vo_vec3 a, vo_vec3 b, double tolerance) {
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

/* Equal as rotations: q and -q are the same. */
static void assert_same_rotation(vo_quat a, vo_quat b, double tolerance) {
    assert_near(fabs(q_dot(a, b)), 1, tolerance);
}

static vo_vec3 joint_in(const vo_skeleton *s, const vo_body_pose *pose, vo_bone bone) {
    vo_transform world[VO_BONE_COUNT];
    vo_skeleton_world(s, pose, world);
    return world[bone].translation;
}

static vo_vec3 tip_in(const vo_skeleton *s, const vo_body_pose *pose, vo_bone bone) {
    vo_transform world[VO_BONE_COUNT];
    vo_skeleton_world(s, pose, world);
    return xf_point(world[bone], s->tip[bone]);
}

static void parents_precede_children(void **state) {
    (void)state;
    assert_int_equal(vo_bone_parent(VO_BONE_HIPS), -1);
    for (int b = 1; b < VO_BONE_COUNT; b++) {
        int parent = vo_bone_parent((vo_bone)b);
        assert_in_range(parent, 0, b - 1);
        assert_int_equal(vo_bone_mirror(vo_bone_mirror((vo_bone)b)), b);
        assert_int_equal(vo_bone_parent(vo_bone_mirror((vo_bone)b)),
                         vo_bone_mirror((vo_bone)parent));
    }
    assert_int_equal(vo_bone_mirror(VO_BONE_LEFT_TOES), VO_BONE_RIGHT_TOES);
    assert_int_equal(vo_bone_mirror(VO_BONE_CHEST), VO_BONE_CHEST);
}

/* The zero pose is as the header defines it. */
static void zero_pose_matches_definition(void **state) {
    (void)state;
    vo_skeleton s = vo_skeleton_make(NULL);
    vo_body_pose zero = vo_body_pose_zero();
    assert_near(tip_in(&s, &zero, VO_BONE_HEAD).z, 1.75, 1e-12);
    vo_vec3 shoulder = joint_in(&s, &zero, VO_BONE_LEFT_UPPER_ARM);
    vo_vec3 elbow = joint_in(&s, &zero, VO_BONE_LEFT_FOREARM);
    assert_near(2 * shoulder.x, 0.2 * 1.75, 1e-12);
    assert_near(elbow.x, shoulder.x, 1e-12);
    assert_true(elbow.z < shoulder.z);
    assert_true(tip_in(&s, &zero, VO_BONE_LEFT_TOES).y < joint_in(&s, &zero, VO_BONE_LEFT_FOOT).y);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_vec3 a = joint_in(&s, &zero, (vo_bone)b);
        vo_vec3 m = joint_in(&s, &zero, vo_bone_mirror((vo_bone)b));
        assert_same_point(v3(-a.x, a.y, a.z), m, 1e-12);
        assert_true(v3_length(s.tip[b]) > 0.01);
    }
}

/* Joints are at the ends of their parents' bones along a chain. */
static void bone_tips_meet_joints(void **state) {
    (void)state;
    vo_skeleton s = vo_skeleton_make(NULL);
    const vo_bone chain[] = {VO_BONE_SPINE,        VO_BONE_CHEST,          VO_BONE_HEAD,
                             VO_BONE_LEFT_FOREARM, VO_BONE_LEFT_UPPER_ARM, VO_BONE_LEFT_HAND,
                             VO_BONE_RIGHT_SHIN,   VO_BONE_RIGHT_FOOT,     VO_BONE_RIGHT_TOES};
    for (size_t i = 0; i < sizeof chain / sizeof *chain; i++)
        assert_same_point(s.offset[chain[i]], s.tip[vo_bone_parent(chain[i])], 1e-12);
}

static void skeleton_sizes_scale(void **state) {
    (void)state;
    vo_skeleton_def def = {1.5, 0.4, 0.2};
    vo_skeleton s = vo_skeleton_make(&def);
    vo_body_pose zero = vo_body_pose_zero();
    assert_near(tip_in(&s, &zero, VO_BONE_HEAD).z, 1.5, 1e-12);
    assert_near(joint_in(&s, &zero, VO_BONE_RIGHT_UPPER_ARM).x, -0.2, 1e-12);
    assert_near(joint_in(&s, &zero, VO_BONE_RIGHT_THIGH).x, -0.1, 1e-12);
}

static void rest_pose_stands_on_floor(void **state) {
    (void)state;
    vo_skeleton s = vo_skeleton_make(NULL);
    vo_body_pose rest = vo_body_pose_rest(&s), zero = vo_body_pose_zero();
    vo_transform motion[VO_BONE_COUNT], world[VO_BONE_COUNT];
    assert_near(pose_excess(&rest, NULL), 0, 0);
    vo_skeleton_motion(&s, &rest, motion);
    vo_skeleton_world(&s, &rest, world);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        assert_same_point(xf_point(motion[b], v3(0.3, -0.2, 1)), v3(0.3, -0.2, 1), 1e-14);
        assert_near(world[b].scale, 1, 0);
    }
    assert_near(joint_in(&s, &rest, VO_BONE_LEFT_FOOT).z, joint_in(&s, &zero, VO_BONE_LEFT_FOOT).z,
                1e-12);
    assert_same_rotation(world[VO_BONE_LEFT_FOOT].rotation, q_identity(), 1e-14);
    assert_true(joint_in(&s, &rest, VO_BONE_LEFT_FOOT).x >
                joint_in(&s, &zero, VO_BONE_LEFT_FOOT).x);
    assert_true(joint_in(&s, &rest, VO_BONE_RIGHT_HAND).x < -0.4);
}

/* Direction in which positive angles move the end of a bone. */
static void positive_angles_have_documented_directions(void **state) {
    (void)state;
    const struct {
        vo_bone bone;
        vo_joint_angles angles;
        vo_vec3 towards; /* on the left and in the middle */
    } cases[] = {
        {VO_BONE_SPINE, {20, 0, 0}, {0, -1, 0}},
        {VO_BONE_HEAD, {0, 20, 0}, {1, 0, 0}},
        {VO_BONE_LEFT_UPPER_ARM, {90, 0, 0}, {0, -1, 0}},
        {VO_BONE_LEFT_UPPER_ARM, {0, 90, 0}, {1, 0, 0}},
        {VO_BONE_LEFT_FOREARM, {90, 0, 0}, {0, -1, 0}},
        {VO_BONE_LEFT_HAND, {60, 0, 0}, {-1, 0, 0}},
        {VO_BONE_LEFT_HAND, {0, 20, 0}, {0, -1, 0}},
        {VO_BONE_LEFT_CLAVICLE, {20, 0, 0}, {0, -1, 0}},
        {VO_BONE_LEFT_CLAVICLE, {0, 20, 0}, {0, 0, 1}},
        {VO_BONE_LEFT_THIGH, {60, 0, 0}, {0, -1, 0}},
        {VO_BONE_LEFT_THIGH, {0, 60, 0}, {1, 0, 0}},
        {VO_BONE_LEFT_SHIN, {-60, 0, 0}, {0, 1, 0}},
        {VO_BONE_LEFT_FOOT, {20, 0, 0}, {0, 0, 1}},
        {VO_BONE_LEFT_FOOT, {0, 0, 20}, {1, 0, 0}},
        {VO_BONE_LEFT_TOES, {20, 0, 0}, {0, 0, 1}},
    };
    vo_skeleton s = vo_skeleton_make(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vo_vec3 tip = s.tip[cases[i].bone];
        vo_vec3 moved = q_rotate(vo_joint_rotation(cases[i].bone, cases[i].angles), tip);
        assert_true(v3_dot(v3_sub(moved, tip), cases[i].towards) > 0.005);
        vo_bone other = vo_bone_mirror(cases[i].bone);
        vo_vec3 image = q_rotate(vo_joint_rotation(other, cases[i].angles), s.tip[other]);
        if (other != cases[i].bone) assert_same_point(image, v3(-moved.x, moved.y, moved.z), 1e-12);
    }
}

/* Angles survive the conversion to a rotation and back, where it is unique. */
static void angles_survive_round_trip(void **state) {
    (void)state;
    vo_random random = vo_random_seed(7);
    for (int i = 0; i < 5000; i++) {
        vo_bone bone = (vo_bone)(i % VO_BONE_COUNT);
        vo_joint_angles a = {vo_random_real(&random, -120, 120), vo_random_real(&random, -120, 120),
                             vo_random_real(&random, -170, 170)};
        vo_quat q = vo_joint_rotation(bone, a);
        if (i & 1) q = q_scale(-1, q);
        vo_joint_angles b = angles_from_rotation(bone, q);
        assert_near(b.bend, a.bend, 1e-8);
        assert_near(b.side, a.side, 1e-8);
        assert_near(b.twist, a.twist, 1e-8);
    }
}

/* Every rotation has angles that reproduce it, including swings of half a turn. */
static void any_rotation_has_angles(void **state) {
    (void)state;
    vo_random random = vo_random_seed(8);
    for (int i = 0; i < 5000; i++) {
        vo_bone bone = (vo_bone)(i % VO_BONE_COUNT);
        vo_quat q = {vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1),
                     vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1)};
        if (i % 7 == 0) q.w = q.z = 0;
        if (i % 11 == 0) q.w = 0;
        q = q_normalize(q);
        assert_same_rotation(vo_joint_rotation(bone, angles_from_rotation(bone, q)), q, 1e-12);
    }
}

/* A point of a bone moves with all its ancestors: compared with an explicit product. */
static void kinematics_match_product(void **state) {
    (void)state;
    vo_skeleton s = vo_skeleton_make(NULL);
    vo_random random = vo_random_seed(10);
    vo_body_pose pose = vo_body_pose_zero();
    pose.translation = v3(1, 2, 3);
    for (int b = 0; b < VO_BONE_COUNT; b++)
        pose.rotation[b] =
            q_axis_angle(v3(vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1), 0.3),
                         vo_random_real(&random, -3, 3));
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_vec3 p = s.tip[b];
        for (int i = b; i >= 0; i = vo_bone_parent((vo_bone)i))
            p = v3_add(s.offset[i], q_rotate(pose.rotation[i], p));
        assert_same_point(tip_in(&s, &pose, (vo_bone)b), v3_add(p, v3(1, 2, 3)), 1e-12);
    }
}

static void blend_uses_shorter_arc(void **state) {
    (void)state;
    vo_body_pose a = vo_body_pose_zero(), b = a;
    b.translation = v3(0, 0, 2);
    b.rotation[VO_BONE_NECK] = q_scale(-1, q_axis_angle(v3(0, 0, 1), 1));
    vo_body_pose half = vo_body_pose_blend(&a, &b, 0.5);
    assert_near(half.translation.z, 1, 1e-15);
    assert_same_rotation(half.rotation[VO_BONE_NECK], q_axis_angle(v3(0, 0, 1), 0.5), 1e-15);
    assert_same_rotation(half.rotation[VO_BONE_HEAD], q_identity(), 1e-15);
    vo_body_pose end = vo_body_pose_blend(&a, &b, 1);
    assert_same_rotation(end.rotation[VO_BONE_NECK], b.rotation[VO_BONE_NECK], 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_precede_children),
        cmocka_unit_test(zero_pose_matches_definition),
        cmocka_unit_test(bone_tips_meet_joints),
        cmocka_unit_test(skeleton_sizes_scale),
        cmocka_unit_test(rest_pose_stands_on_floor),
        cmocka_unit_test(positive_angles_have_documented_directions),
        cmocka_unit_test(angles_survive_round_trip),
        cmocka_unit_test(any_rotation_has_angles),
        cmocka_unit_test(kinematics_match_product),
        cmocka_unit_test(blend_uses_shorter_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
