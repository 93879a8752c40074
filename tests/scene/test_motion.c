/* Motions: Hermite curves against hand-computed values, valid and damaged .mot files. */
#include "support.h"

#include "core/file.h"
#include "core/memory.h"
#include "scene/motion.h"
#include "sim/sim.h"

#include <voile/sim.h>

#include <stdio.h>
#include <string.h>

static vo_keyframe key_at(double time, double x) {
    vo_keyframe key = {.time = time, .pose = {.translate = {x, 0, 0}, .scale = 1}};
    return key;
}

static vo_motion make_motion(vo_context *ctx, int count, const vo_keyframe *keys) {
    vo_motion motion;
    assert_ok(ctx, vo_motion_from_keyframes(ctx, count, keys, &motion));
    return motion;
}

static double x_at(const vo_motion *motion, double time) {
    return vo_motion_pose(motion, time).translation.x;
}

static void assert_same_rotation(vo_quat a, vo_quat b, double tolerance) {
    assert_near(fabs(q_dot(a, b)), 1, tolerance);
}

static void poses_are_held_outside_the_keys(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_motion motion = make_motion(ctx, 2, (vo_keyframe[]){key_at(1, 5), key_at(2, 7)});
    assert_true(x_at(&motion, -1e9) == 5 && x_at(&motion, 1) == 5);
    assert_true(x_at(&motion, 2) == 7 && x_at(&motion, 1e9) == 7);
    vo_motion_free(ctx, &motion);
    motion = make_motion(ctx, 1, (vo_keyframe[]){key_at(3, 4)});
    assert_true(x_at(&motion, 0) == 4 && x_at(&motion, 3) == 4 && x_at(&motion, 9) == 4);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

static void two_keys_ease_in_and_out(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_motion motion = make_motion(ctx, 2, (vo_keyframe[]){key_at(0, 0), key_at(2, 1)});
    for (int i = 0; i <= 20; i++) {
        double s = i / 20.0; /* both rates are zero: 3 s^2 - 2 s^3 */
        assert_near(x_at(&motion, 2 * s), 3 * s * s - 2 * s * s * s, 1e-15);
    }
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* Keys (0, 0), (1, 1), (3, 5): the rate in the middle is (5 - 0) / 3.
 * Halfway through the first span: 1/2 (0 + 1) + 1/8 (0 - 5/3) = 7/24.
 * Halfway through the second: 1/2 (1 + 5) + 2/8 (5/3 - 0) = 41/12. */
static void missing_velocities_are_central_differences(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 1), key_at(3, 5)};
    vo_motion motion = make_motion(ctx, 3, keys);
    assert_near(motion.key[1].rate.translation.x, 5.0 / 3, 1e-15);
    assert_near(x_at(&motion, 0.5), 7.0 / 24, 1e-15);
    assert_near(x_at(&motion, 2), 41.0 / 12, 1e-14);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* With exact slopes a cubic is reproduced, whatever the spacing of the keys. */
static void given_velocities_reproduce_a_cubic(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[4];
    double times[] = {-1, 0.25, 2, 2.5};
    for (int k = 0; k < 4; k++) {
        double t = times[k];
        keys[k] = key_at(t, t * t * t - 2 * t + 1);
        keys[k].pose.scale = 3 + 0.5 * t;
        keys[k].has_velocity = true;
        keys[k].velocity = (vo_pose){.translate = {3 * t * t - 2, 0, 0}, .scale = 0.5};
    }
    vo_motion motion = make_motion(ctx, 4, keys);
    for (int i = 0; i <= 56; i++) {
        double t = -1 + i / 16.0;
        assert_near(x_at(&motion, t), t * t * t - 2 * t + 1, 1e-13);
        assert_near(vo_motion_pose(&motion, t).scale, 3 + 0.5 * t, 1e-13);
    }
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

static void rotations_blend_to_unit_quaternions(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0)};
    keys[1].pose.degrees = 90;
    keys[1].pose.axis = v3(0, 0, 2);
    vo_motion motion = make_motion(ctx, 2, keys);
    vo_quat half = vo_motion_pose(&motion, 0.5).rotation;
    assert_near(q_dot(half, half), 1, 1e-15);
    assert_same_rotation(half, q_axis_angle(v3(0, 0, 1), VO_PI / 4), 1e-15);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* From 0 to 270 degrees the rotation passes 135 degrees instead of -45. */
static void large_turns_go_the_way_the_angles_say(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0)};
    keys[1].pose.degrees = 270;
    keys[1].pose.axis = v3(0, 0, 1);
    vo_motion motion = make_motion(ctx, 2, keys);
    assert_same_rotation(vo_motion_pose(&motion, 0.5).rotation,
                         q_axis_angle(v3(0, 0, 1), 0.75 * VO_PI), 1e-15);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* Creates keys with rotations about z by these angles, 1 s apart. */
static vo_motion make_turns(vo_context *ctx, int count, const double *degrees) {
    vo_keyframe keys[8];
    for (int k = 0; k < count; k++) {
        keys[k] = key_at(k, 0);
        keys[k].pose.degrees = degrees[k];
        keys[k].pose.axis = v3(0, 0, 3);
    }
    return make_motion(ctx, count, keys);
}

/* Accumulated rotation about z from time a to b, degrees, summed over small steps. */
static double turned_between(const vo_motion *motion, double a, double b) {
    enum { STEPS = 4000 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        vo_quat p = vo_motion_pose(motion, a + (b - a) * i / STEPS).rotation;
        vo_quat q = vo_motion_pose(motion, a + (b - a) * (i + 1) / STEPS).rotation;
        vo_quat d = q_mul(q, q_conjugate(p));
        sum += 2 * atan(d.z / d.w) * 180 / VO_PI;
    }
    return sum;
}

/* Two keys ease in and out: the angle is (3 s^2 - 2 s^3) times the total, for any total. */
static void full_turns_are_turned(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double whole[] = {181, 270, 360, 720, -360, -1000, 36000};
    for (int i = 0; i < 7; i++) {
        vo_motion motion = make_turns(ctx, 2, (double[]){0, whole[i]});
        assert_near(turned_between(&motion, 0, 1), whole[i], 1e-6);
        assert_near(turned_between(&motion, 0, 0.25), whole[i] * 5 / 32, 1e-6);
        vo_quat end = vo_motion_pose(&motion, 1).rotation;
        assert_same_rotation(end, q_axis_angle(v3(0, 0, 1), whole[i] * VO_PI / 180), 1e-12);
        vo_quat near_end = vo_motion_pose(&motion, 1 - 1e-9).rotation;
        assert_same_rotation(end, near_end, 1e-9);
        vo_motion_free(ctx, &motion);
    }
    vo_context_destroy(ctx);
}

/* The longer arc through 0, as the angles specify. */
static void turns_through_zero_go_the_long_way(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_motion motion = make_turns(ctx, 2, (double[]){-170, 170});
    assert_near(turned_between(&motion, 0, 1), 340, 1e-6);
    assert_same_rotation(vo_motion_pose(&motion, 0.5).rotation, q_identity(), 1e-12);
    vo_motion_free(ctx, &motion);
    motion = make_turns(ctx, 2, (double[]){170, 190});
    assert_near(turned_between(&motion, 0, 1), 20, 1e-6);
    vo_motion_free(ctx, &motion);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0)}; /* -z and z are one axis of rotation */
    keys[0].pose.degrees = 170;
    keys[0].pose.axis = v3(0, 0, -1);
    keys[1].pose.degrees = 170;
    keys[1].pose.axis = v3(0, 0, 1);
    motion = make_motion(ctx, 2, keys);
    assert_near(turned_between(&motion, 0, 1), 340, 1e-6);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* Three keys one revolution apart: the angular velocity at the middle key is one revolution per
 * second. */
static void full_turns_do_not_stop_at_the_keys_between(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_motion motion = make_turns(ctx, 3, (double[]){0, 360, 720});
    const double h = 1e-5;
    assert_near(turned_between(&motion, 1 - h, 1) / h, 360, 0.1);
    assert_near(turned_between(&motion, 1, 1 + h) / h, 360, 0.1);
    assert_near(turned_between(&motion, 0, 2), 720, 1e-6);
    vo_motion_free(ctx, &motion);
    motion = make_turns(ctx, 4, (double[]){0, 60, 420, 480}); /* a large turn between small ones */
    for (int k = 1; k < 3; k++)
        assert_near(turned_between(&motion, k - h, k) / h, turned_between(&motion, k, k + h) / h,
                    0.1);
    assert_near(turned_between(&motion, 0, 3), 480, 1e-6);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* With the right speed at both ends even two turns are even. */
static void given_speeds_hold_over_full_turns(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0)};
    keys[1].pose.degrees = 720;
    keys[1].pose.axis = v3(0, 0, 1);
    for (int k = 0; k < 2; k++) {
        keys[k].has_velocity = true;
        keys[k].velocity = (vo_pose){.degrees = 720, .axis = v3(0, 0, 1)};
    }
    vo_motion motion = make_motion(ctx, 2, keys);
    for (int i = 0; i <= 16; i++)
        assert_same_rotation(vo_motion_pose(&motion, i / 16.0).rotation,
                             q_axis_angle(v3(0, 0, 1), i / 4.0 * VO_PI), 1e-12);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* From 350 degrees about z to 20 about x: the quaternions have opposite signs, the poses differ by
 * 22 degrees. After a full revolution about z the rotation to 90 degrees about x is 90 degrees too.
 */
static void different_axes_go_the_shorter_way(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0), key_at(2, 0)};
    keys[0].pose.degrees = 350;
    keys[0].pose.axis = v3(0, 0, 1);
    keys[1].pose.degrees = 20;
    keys[1].pose.axis = v3(1, 0, 0);
    vo_motion motion = make_motion(ctx, 2, keys);
    for (int i = 0; i <= 16; i++)
        assert_true(fabs(vo_motion_pose(&motion, i / 16.0).rotation.w) > cos(12 * VO_PI / 180));
    vo_motion_free(ctx, &motion);
    keys[0] = key_at(0, 0);
    keys[1].pose.degrees = 360;
    keys[1].pose.axis = v3(0, 0, 1);
    keys[2].pose.degrees = 90;
    keys[2].pose.axis = v3(1, 0, 0);
    keys[1].has_velocity = true; /* stops there */
    motion = make_motion(ctx, 3, keys);
    assert_same_rotation(vo_motion_pose(&motion, 0.5).rotation, q_axis_angle(v3(0, 0, 1), VO_PI),
                         1e-12);
    assert_same_rotation(vo_motion_pose(&motion, 1.5).rotation,
                         q_axis_angle(v3(1, 0, 0), VO_PI / 4), 1e-12);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* A body that spins at 30 degrees a second, given by its poses and turning speed once a second. */
static void turning_speed_is_kept_between_keys(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[5];
    vo_vec3 axis = v3(1, 2, -1);
    for (int k = 0; k < 5; k++) {
        keys[k] = key_at(k, 0);
        keys[k].pose.degrees = 30 * k;
        keys[k].pose.axis = axis;
        keys[k].has_velocity = true;
        keys[k].velocity = (vo_pose){.degrees = 30, .axis = axis};
    }
    vo_motion motion = make_motion(ctx, 5, keys);
    for (int i = 0; i <= 32; i++)
        assert_same_rotation(vo_motion_pose(&motion, i / 8.0).rotation,
                             q_axis_angle(axis, i / 8.0 * VO_PI / 6), 1e-9);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

static void overshoot_leaves_the_scale_positive(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[4];
    double scales[] = {1, 0.01, 0.01, 1};
    for (int k = 0; k < 4; k++) {
        keys[k] = key_at(k, 0);
        keys[k].pose.scale = scales[k];
    }
    vo_motion motion = make_motion(ctx, 4, keys);
    for (int i = 0; i < 192; i++) assert_true(vo_motion_pose(&motion, i / 64.0).scale > 0);
    assert_near(vo_motion_pose(&motion, 1.5).scale, 1e-4, 1e-18);
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

static void scale_zero_is_absent(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[4];
    double scales[] = {0, 0, 2, 0};
    for (int k = 0; k < 4; k++) {
        keys[k] = key_at(k, 0);
        keys[k].pose.scale = scales[k];
    }
    vo_motion motion = make_motion(ctx, 4, keys);
    for (int i = -64; i <= 64; i++) {
        assert_false(vo_motion_is_present(&motion, i / 64.0));
        assert_true(vo_motion_pose(&motion, i / 64.0).scale == 0);
    }
    for (int i = 65; i < 192; i++) assert_true(vo_motion_is_present(&motion, i / 64.0));
    assert_false(vo_motion_is_present(&motion, 3) || vo_motion_is_present(&motion, 4));
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* A sheet held at one edge falls onto a ball whose motion has a scale above 0 from 0.1 s to 0.3 s
 * only. The other edge is held by a handle on the same motion, which is not scaled. */
static const char appearing_ball[] =
    "{\"frame_time\": 0.04, \"frame_steps\": 4, \"gravity\": [0, 0, -9.8],\n"
    " \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 8, \"rows\": 8},\n"
    "   \"materials\": [{\"thickness\": 1e-3, \"density\": 500, \"elastic_modulus\": 1e5,\n"
    "                   \"poisson_ratio\": 0.3}]}],\n"
    " \"motions\": [[{\"time\": 0, \"transform\": {\"scale\": 0}},\n"
    "               {\"time\": 0.1, \"transform\": {\"scale\": 0}},\n"
    "               {\"time\": 0.2, \"transform\": {\"scale\": 1}},\n"
    "               {\"time\": 0.3, \"transform\": {\"scale\": 0}},\n"
    "               {\"time\": 0.4, \"transform\": {\"scale\": 0}}]],\n"
    " \"handles\": [{\"edge\": \"left\"}, {\"edge\": \"right\", \"motion\": 0}],\n"
    " \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"motion\": 0,\n"
    "                 \"transform\": {\"translate\": [0.5, 0.5, -0.4]}}]}";

static void obstacle_scaled_to_zero_is_absent_in_simulation(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    snprintf(path, sizeof path, "%s/appearing_ball.json", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, appearing_ball, sizeof appearing_ball - 1));
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int f = 0; f <= 10; f++) {
        double t = f * 0.04;
        vo_mesh_view ball = vo_sim_get_obstacle(sim, 0);
        bool present = t > 0.1 && t < 0.3;
        assert_int_equal(ball.face_count > 0, present);
        if (f < 10) assert_ok(ctx, vo_sim_step_frame(sim));
    }
    assert_near(vo_sim_get_cloth(sim, 0).node_x[8].x, 1, 1e-9);
    assert_near(vo_sim_get_cloth(sim, 0).node_x[8].z, 0, 1e-9);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* A sheet lies on a box that shrinks from a scale of 1 at 0.04 s to 0 at 0.06 s, at 70 m/s, and
 * reappears from 0.08 s to 0.1 s. A camera follows the motion. */
static const char vanishing_box[] =
    "{\"frame_time\": 0.04, \"frame_steps\": 4, \"gravity\": [0, 0, -9.8],\n"
    " \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 8, \"rows\": 8},\n"
    "   \"transform\": {\"translate\": [0, 0, 1.006]},\n"
    "   \"materials\": [{\"thickness\": 1e-3, \"density\": 500, \"elastic_modulus\": 1e5,\n"
    "                   \"poisson_ratio\": 0.3}]}],\n"
    " \"motions\": [[{\"time\": 0.03, \"velocity\": {}, \"transform\": {\"scale\": 1}},\n"
    "               {\"time\": 0.04, \"velocity\": {\"scale\": -70}, \"transform\": {}},\n"
    "               {\"time\": 0.06, \"velocity\": {},\n"
    "                \"transform\": {\"scale\": 0, \"translate\": [0, 0, 0.5]}},\n"
    "               {\"time\": 0.08, \"velocity\": {}, \"transform\": {\"scale\": 0}},\n"
    "               {\"time\": 0.1, \"velocity\": {}, \"transform\": {\"scale\": 1}}]],\n"
    " \"camera\": {\"position\": [0, -5, 1], \"target\": [0, 0, 1], \"motion\": 0},\n"
    " \"obstacles\": [{\"shape\": {\"type\": \"box\", \"size\": [2, 2, 2]}, \"motion\": 0}]}";

static vo_scene *load_vanishing_box(vo_context *ctx) {
    char path[600];
    vo_scene *scene;
    snprintf(path, sizeof path, "%s/vanishing_box.json", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, vanishing_box, sizeof vanishing_box - 1));
    assert_ok(ctx, vo_scene_load(ctx, path, 0, NULL, &scene));
    return scene;
}

static double max_speed(const vo_mesh *mesh) {
    double most = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        assert_true(v3_is_finite(mesh->node_v[i]) && v3_is_finite(mesh->node_x[i]));
        most = vo_max(most, v3_length(mesh->node_v[i]));
    }
    return most;
}

/* The cloth is neither pulled into the point to which the box shrinks nor thrown; an absent
 * obstacle has no velocity. */
static void vanishing_obstacle_leaves_cloth_behind(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene = load_vanishing_box(ctx);
    vo_sim *sim;
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int step = 1; step <= 16; step++) {
        assert_ok(ctx, vo_sim_step(sim));
        const vo_obstacle_state *box = &sim->obstacle[0];
        double speed = max_speed(box->mesh);
        assert_int_equal(box->present, step < 6 || step > 8);
        if (!box->present) assert_true(speed == 0);
        assert_true(speed < 130); /* 70 / s times the distance of a corner from the centre */
        assert_true(max_speed(sim->cloth[0].mesh) < 2);
    }
    vo_stats stats = vo_sim_get_stats(sim);
    assert_true(stats.min_strain > -0.1 && stats.max_strain < 0.1);
    assert_int_equal(stats.intersections, 0);
    assert_int_equal(stats.inside_nodes, 0);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* At a scale of 0 the camera is at the motion's translation and keeps its orientation. */
static void camera_at_scale_zero_is_finite(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_scene *scene = load_vanishing_box(ctx);
    for (int i = 0; i <= 120; i++) {
        vo_camera camera = vo_scene_eval_camera(scene, 0, i * 1e-3);
        assert_true(v3_is_finite(camera.position));
        assert_near(v3_distance(camera.forward, v3(0, 1, 0)), 0, 1e-12);
        assert_near(v3_distance(camera.up, v3(0, 0, 1)), 0, 1e-12);
        if (i == 60) assert_near(v3_distance(camera.position, v3(0, 0, 0.5)), 0, 1e-12);
    }
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
}

/* The binary search returns the interval that contains the time. */
static void many_keys_are_searched_right(void **state) {
    (void)state;
    enum { COUNT = 1001 };
    vo_context *ctx = test_context(1);
    static vo_keyframe keys[COUNT];
    double time = 0;
    for (int k = 0; k < COUNT; k++) {
        keys[k] = key_at(time, k);
        time += 0.5 + (k * 7) % 5;
    }
    vo_motion motion = make_motion(ctx, COUNT, keys);
    for (int k = 0; k + 1 < COUNT; k++) {
        assert_true(x_at(&motion, keys[k].time) == k);
        double x = x_at(&motion, (keys[k].time + keys[k + 1].time) / 2);
        assert_true(x > k - 0.5 && x < k + 1.5);
    }
    vo_motion_free(ctx, &motion);
    vo_context_destroy(ctx);
}

/* M' C p = C M p for the pose at any time, with C a change of axes and units. */
static void change_of_axes_moves_the_same_points(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[3];
    for (int k = 0; k < 3; k++) {
        keys[k] = key_at(k, k * k);
        keys[k].pose.scale = 1 + 0.5 * k;
        keys[k].pose.degrees = k == 2 ? 250 : 10 * k; /* the second turn is a large one */
        keys[k].pose.axis = v3(1, k == 0, 2);
    }
    vo_motion before = make_motion(ctx, 3, keys), after = make_motion(ctx, 3, keys);
    vo_transform frame = {{0, 0, 0}, 0.01, q_axis_angle(v3(1, 0, 0), VO_PI / 2)};
    vo_motion_change_frame(&after, frame);
    vo_vec3 p = v3(3, -4, 5);
    for (int i = -5; i < 25; i++) {
        double t = i / 10.0;
        vo_vec3 a = xf_point(frame, xf_point(vo_motion_pose(&before, t), p));
        vo_vec3 b = xf_point(vo_motion_pose(&after, t), xf_point(frame, p));
        assert_near(v3_distance(a, b), 0, 1e-14);
    }
    vo_motion_free(ctx, &before);
    vo_motion_free(ctx, &after);
    vo_context_destroy(ctx);
}

static void expect_bad_keys(vo_context *ctx, int count, const vo_keyframe *keys,
                            const char *message) {
    vo_motion motion;
    assert_int_equal(vo_motion_from_keyframes(ctx, count, keys, &motion), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, message);
    assert_null(motion.key);
}

static void bad_keys_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_keyframe keys[] = {key_at(0, 0), key_at(1, 0)};
    expect_bad_keys(ctx, 0, keys, "at least one key");
    expect_bad_keys(ctx, 1, NULL, "at least one key");
    keys[1].time = 0;
    expect_bad_keys(ctx, 2, keys, "key 1 of the motion: time must be at least 1e-9 s later");
    keys[1].time = NAN;
    expect_bad_keys(ctx, 2, keys, "key 1 of the motion: time must be");
    keys[1] = key_at(1, INFINITY);
    expect_bad_keys(ctx, 2, keys, "key 1 of the motion: pose.translate");
    keys[1] = key_at(1, 0);
    keys[1].pose.scale = -1;
    expect_bad_keys(ctx, 2, keys, "key 1 of the motion: pose.scale");
    keys[1] = key_at(1, 0);
    keys[1].has_velocity = true;
    keys[1].velocity.degrees = NAN;
    expect_bad_keys(ctx, 2, keys, "key 1 of the motion: velocity.degrees");
    vo_context_destroy(ctx);
}

static const char two_bodies[] = "NumFrames: 3\n"
                                 "body[0] position\n"
                                 "0 0 0\n"
                                 "1 0 0\r\n"
                                 "  2\t0 1e0\n"
                                 "\n"
                                 "body[0] orientation\n"
                                 "1 0 0 0\n"
                                 "-2 0 0 0\n"
                                 "0.6 0.8 0 0\n"
                                 "\n"
                                 "\n"
                                 "body[1] position\n"
                                 "5 5 5\n"
                                 "5 5 5\n"
                                 "5 5 5\n"
                                 "\n"
                                 "body[1] orientation\n"
                                 "0 0 0 1\n"
                                 "0 0 0 1\n"
                                 "0 0 0 1\n"
                                 "\n";

static void mot_files_become_motions(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mot mot;
    assert_ok(ctx, vo_mot_parse(ctx, "a.mot", two_bodies, sizeof two_bodies - 1, 10, xf_identity(),
                                &mot));
    assert_int_equal(mot.body_count, 2);
    assert_int_equal(mot.body[0].key_count, 3);
    const vo_motion_key *key = mot.body[0].key;
    assert_true(key[1].time == 0.1 && key[2].time == 0.2);
    assert_true(key[2].pose.translation.x == 2 && key[2].pose.translation.z == 1);
    assert_true(key[1].pose.rotation.w ==
                1); /* the sign is chosen by the previous key, the length is 1 */
    assert_near(key[1].rate.translation.x, 10, 1e-12);
    assert_true(key[0].rate.translation.x == 0 && key[2].rate.translation.x == 0);
    assert_true(mot.body[1].key[0].pose.rotation.z == 1);
    vo_mot_free(&mot);
    vo_context_destroy(ctx);
}

static void mot_placement_is_applied_last(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_transform placement = {{0, 0, -1}, 2, q_axis_angle(v3(0, 0, 1), VO_PI / 2)};
    vo_mot plain, placed;
    size_t size = sizeof two_bodies - 1;
    assert_ok(ctx, vo_mot_parse(ctx, "a.mot", two_bodies, size, 10, xf_identity(), &plain));
    assert_ok(ctx, vo_mot_parse(ctx, "a.mot", two_bodies, size, 10, placement, &placed));
    vo_vec3 p = v3(0.3, 0.1, 0.7);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 6; i++) {
            double t = i / 20.0;
            vo_vec3 want = xf_point(placement, xf_point(vo_motion_pose(&plain.body[b], t), p));
            vo_vec3 have = xf_point(vo_motion_pose(&placed.body[b], t), p);
            assert_near(v3_distance(want, have), 0, 1e-14);
        }
    vo_mot_free(&plain);
    vo_mot_free(&placed);
    vo_context_destroy(ctx);
}

static void expect_bad_mot(const char *text, const char *message) {
    vo_context *ctx = test_context(1);
    vo_mot mot;
    assert_int_equal(vo_mot_parse(ctx, "a.mot", text, strlen(text), 30, xf_identity(), &mot),
                     VO_BAD_DATA);
    assert_message_contains(ctx, message);
    vo_context_destroy(ctx);
}

static void bad_mot_files_are_rejected_with_line(void **state) {
    (void)state;
    expect_bad_mot("", "a.mot: line 1: expected \"NumFrames: N\"");
    expect_bad_mot("Frames: 3\n", "a.mot: line 1: expected \"NumFrames: N\"");
    expect_bad_mot("NumFrames: 0\n", "a.mot: line 1: expected \"NumFrames: N\"");
    expect_bad_mot("NumFrames: 1.5\n", "a.mot: line 1: expected \"NumFrames: N\"");
    expect_bad_mot("NumFrames: 1 2\n", "a.mot: line 1: expected \"NumFrames: N\"");
    expect_bad_mot("NumFrames: 1000000000\nx\n", "line 1: the file is too short");
    expect_bad_mot("NumFrames: 1\n\n\n", "line 4: the file ends before its first body");
    expect_bad_mot("NumFrames: 1\np\n1 2\n\no\n1 0 0 0\n",
                   "line 3: expected 3 numbers (body[0] pos");
    expect_bad_mot("NumFrames: 1\np\n1 2 3 4\n\no\n1 0 0 0\n", "line 3: expected 3 numbers");
    expect_bad_mot("NumFrames: 1\np\n1 2 x\n\no\n1 0 0 0\n", "line 3: expected 3 numbers");
    expect_bad_mot("NumFrames: 1\np\n1 2 1e999\n\no\n1 0 0 0\n", "line 3: expected 3 numbers");
    expect_bad_mot("NumFrames: 1\np\n1 2 3\n\no\n1 0 0\n",
                   "line 6: expected 4 numbers (body[0] or");
    expect_bad_mot("NumFrames: 1\np\n1 2 3\n\no\n0 0 0 0\n", "line 6: not a rotation");
    expect_bad_mot("NumFrames: 2\np\n1 2 3\n1 2 3\n\no\n1 0 0 0\n",
                   "line 8: the file ends after 1 of 2 lines of body[0] orientation");
}

/* Text truncated at any byte is rejected with a line number or is a valid shorter file. */
static void mot_files_cut_at_every_byte_are_safe(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (size_t size = 0; size < sizeof two_bodies; size++) {
        char *copy =
            vo_alloc(ctx, size + 1); /* exact size, so that the sanitizer detects overruns */
        memcpy(copy, two_bodies, size);
        vo_mot mot;
        vo_result result = vo_mot_parse(ctx, "a.mot", copy, size, 10, xf_identity(), &mot);
        if (result == VO_OK)
            assert_in_range(mot.body_count, 1, 2);
        else
            assert_message_contains(ctx, "a.mot: line ");
        assert_true(result == VO_OK || result == VO_BAD_DATA);
        vo_mot_free(&mot);
        vo_free(ctx, copy, size + 1);
    }
    vo_context_destroy(ctx);
}

static vo_result parse_two_bodies(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mot mot;
    vo_result result =
        vo_mot_parse(ctx, "a.mot", two_bodies, sizeof two_bodies - 1, 10, xf_identity(), &mot);
    vo_mot_free(&mot);
    return result;
}

static void mot_files_survive_allocation_failure(void **state) {
    (void)state;
    test_every_allocation(parse_two_bodies, NULL);
}

static void arcsim_dance_is_read(void **state) {
    (void)state;
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    char path[1200];
    snprintf(path, sizeof path, "%s/arcsim/meshes/dance-paused.mot", test_data());
    if (!vo_file_exists(path)) skip();
    vo_bytes bytes;
    vo_mot mot;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_ok(ctx, vo_mot_parse(ctx, path, bytes.data, bytes.size, 30, xf_identity(), &mot));
    assert_int_equal(mot.body_count, 16);
    for (int b = 0; b < 16; b++) {
        assert_int_equal(mot.body[b].key_count, 716);
        for (int k = 1; k < 716; k++)
            assert_true(
                q_dot(mot.body[b].key[k].pose.rotation, mot.body[b].key[k - 1].pose.rotation) > 0);
    }
    vo_mot_free(&mot);
    vo_bytes_free(ctx, &bytes);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_held_outside_the_keys),
        cmocka_unit_test(two_keys_ease_in_and_out),
        cmocka_unit_test(missing_velocities_are_central_differences),
        cmocka_unit_test(given_velocities_reproduce_a_cubic),
        cmocka_unit_test(rotations_blend_to_unit_quaternions),
        cmocka_unit_test(large_turns_go_the_way_the_angles_say),
        cmocka_unit_test(full_turns_are_turned),
        cmocka_unit_test(turns_through_zero_go_the_long_way),
        cmocka_unit_test(full_turns_do_not_stop_at_the_keys_between),
        cmocka_unit_test(given_speeds_hold_over_full_turns),
        cmocka_unit_test(different_axes_go_the_shorter_way),
        cmocka_unit_test(turning_speed_is_kept_between_keys),
        cmocka_unit_test(overshoot_leaves_the_scale_positive),
        cmocka_unit_test(scale_zero_is_absent),
        cmocka_unit_test(obstacle_scaled_to_zero_is_absent_in_simulation),
        cmocka_unit_test(vanishing_obstacle_leaves_cloth_behind),
        cmocka_unit_test(camera_at_scale_zero_is_finite),
        cmocka_unit_test(many_keys_are_searched_right),
        cmocka_unit_test(change_of_axes_moves_the_same_points),
        cmocka_unit_test(bad_keys_are_named),
        cmocka_unit_test(mot_files_become_motions),
        cmocka_unit_test(mot_placement_is_applied_last),
        cmocka_unit_test(bad_mot_files_are_rejected_with_line),
        cmocka_unit_test(mot_files_cut_at_every_byte_are_safe),
        cmocka_unit_test(mot_files_survive_allocation_failure),
        cmocka_unit_test(arcsim_dance_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
