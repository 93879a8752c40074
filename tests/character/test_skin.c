/* Dual quaternion skinning. */
#include "support.h"

#include "character/skin.h"
#include "core/random.h"

enum { NODES = 200, BONES = 6 };

static vo_transform random_motion(vo_random *r) {
    vo_quat q = q_axis_angle(test_random_vec3(r, 1), vo_random_real(r, -3, 3));
    return (vo_transform){test_random_vec3(r, 2), 1, q};
}

static vo_skin random_skin(vo_context *ctx, vo_random *r) {
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, NODES, &skin));
    for (int n = 0; n < NODES; n++) {
        double weights[BONES];
        for (int b = 0; b < BONES; b++) weights[b] = vo_random_real(r, 0, 1);
        skin.rest[n] = test_random_vec3(r, 1);
        vo_skin_set_node(&skin, n, BONES, weights);
    }
    return skin;
}

static void skin_node_keeps_four_largest_weights(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, 2, &skin));
    vo_skin_set_node(&skin, 0, 6, (double[]){0.1, 3, 0, 1, 2, 2});
    const int bones[4] = {1, 4, 5, 3};
    const double weights[4] = {3.0 / 8, 2.0 / 8, 2.0 / 8, 1.0 / 8};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(skin.bone[0][i], bones[i]);
        assert_near(skin.weight[0][i], weights[i], 1e-16);
    }
    vo_skin_set_node(&skin, 1, 3, (double[]){0, 0, 0.5});
    assert_int_equal(skin.bone[1][0], 2);
    assert_near(skin.weight[1][0], 1, 0);
    assert_near(skin.weight[1][1], 0, 0);
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* Equal motions of all bones, including -q and a scale, move the skin rigidly. */
static void skin_with_equal_motions_moves_rigidly(void **state) {
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
        vo_skin_eval(ctx, &skin, motion, x);
        for (int n = 0; n < NODES; n++)
            assert_near(v3_distance(x[n], xf_point(all, skin.rest[n])), 0, 1e-13);
    }
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* A node of one bone follows it, regardless of the other bones. */
static void skin_node_of_one_bone_follows_it(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(2);
    vo_skin skin;
    assert_ok(ctx, vo_skin_create(ctx, BONES, &skin));
    vo_transform motion[BONES];
    vo_vec3 x[BONES];
    for (int n = 0; n < BONES; n++) {
        double weights[BONES] = {0};
        weights[n] = 1;
        motion[n] = random_motion(&r);
        skin.rest[n] = test_random_vec3(&r, 1);
        vo_skin_set_node(&skin, n, BONES, weights);
    }
    vo_skin_eval(ctx, &skin, motion, x);
    for (int n = 0; n < BONES; n++)
        assert_near(v3_distance(x[n], xf_point(motion[n], skin.rest[n])), 0, 1e-13);
    vo_skin_free(ctx, &skin);
    vo_context_destroy(ctx);
}

/* A ring of a forearm, with equal weights of a bone at rest and one twisted by 150 degrees: dual
 * quaternions keep its radius. */
static void skin_twist_keeps_radius(void **state) {
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
    vo_skin_eval(ctx, &skin, motion, x);
    for (int n = 0; n < 8; n++) assert_near(hypot(x[n].x, x[n].y), 0.04, 1e-15);
    vo_vec3 half = q_rotate(q_axis_angle(v3(0, 0, 1), twist / 2), skin.rest[3]);
    assert_near(v3_distance(x[3], half), 0, 1e-15);
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

static void skin_out_of_memory_is_reported(void **state) {
    (void)state;
    test_every_allocation(make_skin, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skin_node_keeps_four_largest_weights),
        cmocka_unit_test(skin_with_equal_motions_moves_rigidly),
        cmocka_unit_test(skin_node_of_one_bone_follows_it),
        cmocka_unit_test(skin_twist_keeps_radius),
        cmocka_unit_test(skin_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
