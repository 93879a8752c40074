/* Skin over bones. */
#include "support.h"

#include "core/random.h"
#include "scene/skin.h"

enum { NODES = 200, BONES = 6 };

static vo_vec3 random_vector(vo_random *r, double size) {
    double x = vo_random_real(r, -size, size), y = vo_random_real(r, -size, size);
    return v3(x, y, vo_random_real(r, -size, size));
}

static vo_transform random_motion(vo_random *r) {
    vo_quat q = q_axis_angle(random_vector(r, 1), vo_random_real(r, -3, 3));
    return (vo_transform){random_vector(r, 2), 1, q};
}

static vo_skin random_skin(vo_context *ctx, vo_random *r) {
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, NODES, &skin));
    for (int n = 0; n < NODES; n++) {
        double shares[BONES];
        for (int b = 0; b < BONES; b++) shares[b] = vo_random_real(r, 0, 1);
        skin.rest[n] = random_vector(r, 1);
        vo_skin_set_node(&skin, n, BONES, shares);
    }
    return skin;
}

static void test_largest_four(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, 2, &skin));
    vo_skin_set_node(&skin, 0, 6, (double[]){0.1, 3, 0, 1, 2, 2});
    const int bones[4] = {1, 4, 5, 3};
    const double shares[4] = {3.0 / 8, 2.0 / 8, 2.0 / 8, 1.0 / 8};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(skin.bone[0][i], bones[i]);
        assert_near(skin.share[0][i], shares[i], 1e-16);
    }
    vo_skin_set_node(&skin, 1, 3, (double[]){0, 0, 0.5});
    assert_int_equal(skin.bone[1][0], 2);
    assert_near(skin.share[1][0], 1, 0);
    assert_near(skin.share[1][1], 0, 0);
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* All bones moved alike move the skin rigidly, either way, also by -q and with a scale. */
static void test_rigid(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(1);
    vo_skin skin = random_skin(ctx, &r);
    for (int i = 0; i < 20; i++) {
        vo_transform motion[BONES], all = random_motion(&r);
        all.scale = i % 2 ? 1 : 1.7;
        for (int b = 0; b < BONES; b++) motion[b] = all;
        motion[2].rotation = q_scale(-1, motion[2].rotation);
        vo_vec3 x[NODES];
        vo_skin_place(ctx, &skin, i % 4 < 2 ? VO_SKINNING_DUAL_QUATERNION : VO_SKINNING_LINEAR,
                      motion, x);
        for (int n = 0; n < NODES; n++)
            assert_near(v3_distance(x[n], xf_point(all, skin.rest[n])), 0, 1e-13);
    }
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* A node of one bone follows it, whatever the others do. */
static void test_single_bone(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, BONES, &skin));
    vo_transform motion[BONES];
    vo_vec3 x[BONES];
    for (int n = 0; n < BONES; n++) {
        double shares[BONES] = {0};
        shares[n] = 1;
        motion[n] = random_motion(&r);
        skin.rest[n] = random_vector(&r, 1);
        vo_skin_set_node(&skin, n, BONES, shares);
    }
    for (int how = 0; how < 2; how++) {
        vo_skin_place(ctx, &skin, (vo_skinning)how, motion, x);
        for (int n = 0; n < BONES; n++)
            assert_near(v3_distance(x[n], xf_point(motion[n], skin.rest[n])), 0, 1e-13);
    }
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* A ring of a forearm, half and half between a bone at rest and one twisted by 150 degrees: dual
 * quaternions keep its radius, linear blending gives cos 75. */
static void test_twist(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, 8, &skin));
    for (int n = 0; n < 8; n++) {
        double angle = n * VO_PI / 4;
        skin.rest[n] = v3(0.04 * cos(angle), 0.04 * sin(angle), 0.3);
        vo_skin_set_node(&skin, n, 2, (double[]){0.5, 0.5});
    }
    double twist = 150 * VO_PI / 180;
    vo_transform motion[2] = {xf_identity(), xf_identity()};
    motion[1].rotation = q_axis_angle(v3(0, 0, 1), twist);
    vo_vec3 x[8];
    vo_skin_place(ctx, &skin, VO_SKINNING_DUAL_QUATERNION, motion, x);
    for (int n = 0; n < 8; n++) assert_near(hypot(x[n].x, x[n].y), 0.04, 1e-15);
    vo_vec3 half = q_rotate(q_axis_angle(v3(0, 0, 1), twist / 2), skin.rest[3]);
    assert_near(v3_distance(x[3], half), 0, 1e-15);
    vo_skin_place(ctx, &skin, VO_SKINNING_LINEAR, motion, x);
    for (int n = 0; n < 8; n++) assert_near(hypot(x[n].x, x[n].y), 0.04 * cos(twist / 2), 1e-15);
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* A body turning about an axis: v = w x r, to second order of the step around the middle. */
static void test_velocity(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(3);
    vo_skin skin = random_skin(ctx, &r);
    const double step = 1e-5;
    vo_vec3 w = v3(1, -2, 3), drift = v3(0.5, 0, 2);
    vo_transform before[BONES], after[BONES];
    for (int b = 0; b < BONES; b++) {
        before[b] = (vo_transform){v3_scale(-step / 2, drift), 1,
                                   q_axis_angle(w, -v3_length(w) * step / 2)};
        after[b] =
            (vo_transform){v3_scale(step / 2, drift), 1, q_axis_angle(w, v3_length(w) * step / 2)};
    }
    vo_vec3 x[NODES], v[NODES], y[NODES];
    vo_skin_move(ctx, &skin, VO_SKINNING_DUAL_QUATERNION, before, after, step, x, v);
    vo_skin_place(ctx, &skin, VO_SKINNING_DUAL_QUATERNION, after, y);
    for (int n = 0; n < NODES; n++) {
        assert_true(v3_equal(x[n], y[n]));
        vo_vec3 exact = v3_add(drift, v3_cross(w, skin.rest[n]));
        assert_near(v3_distance(v[n], exact), 0, 1e-8);
    }
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

static vo_result make_skin(vo_context *ctx, void *arg) {
    (void)arg;
    vo_skin skin;
    VO_TRY(vo_skin_create(ctx, 100, &skin));
    vo_skin_free(ctx, &skin);
    return VO_OK;
}

static void test_memory_failures(void **state) {
    (void)state;
    test_every_allocation(make_skin, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_four), cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_single_bone),  cmocka_unit_test(test_twist),
        cmocka_unit_test(test_velocity),     cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
