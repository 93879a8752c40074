/* Surface, skinning weights and poses of the mannequin. */
#include "surface_checks.h"

#include "character/mannequin.h"
#include "character/mannequin_implicit.h"
#include "core/random.h"
#include "mannequin_mesh.h"

#include <stdlib.h>
#include <string.h>

#define CONST_FACES(m) ((const int(*)[3])(m).face)

static vo_mannequin_def def_of(double build, double figure, int faces) {
    vo_mannequin_def def = vo_mannequin_def_default();
    def.build = build;
    def.figure = figure;
    def.faces = faces;
    return def;
}

static vo_mannequin make(vo_context *ctx, vo_mannequin_def def) {
    vo_mannequin m;
    assert_ok(ctx, vo_mannequin_create(ctx, &def, &m));
    return m;
}

/* Weights are not negative, descending, sum to 1, and their bones exist. */
static void check_weights(const vo_skin *skin) {
    for (int n = 0; n < skin->node_count; n++) {
        double sum = 0;
        for (int i = 0; i < VO_SKIN_MAX_BONES; i++) {
            assert_in_range(skin->bone[n][i], 0, VO_BONE_COUNT - 1);
            assert_true(skin->weight[n][i] >= 0);
            if (i > 0) assert_true(skin->weight[n][i] <= skin->weight[n][i - 1]);
            sum += skin->weight[n][i];
        }
        assert_near(sum, 1, 1e-14);
    }
}

/* Closed, manifold, of genus 0, without self-intersections, with about the requested number of
 * faces. */
static void check_body(vo_context *ctx, vo_mannequin_def def) {
    vo_mannequin m = make(ctx, def);
    assert_near(m.face_count, def.faces, 0.06 * def.faces);
    assert_closed(m.face_count, CONST_FACES(m));
    assert_manifold_nodes(m.skin.node_count, m.face_count, CONST_FACES(m));
    assert_int_equal(euler_of(m.skin.node_count, m.face_count), 2);
    assert_int_equal(intersections_of(ctx, m.skin.rest, m.face_count, CONST_FACES(m)), 0);
    assert_true(min_angle(m.skin.rest, m.face_count, CONST_FACES(m)) > 1);
    check_weights(&m.skin);
    vo_mannequin_free(ctx, &m);
}

static void test_builds(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    for (int build = -1; build <= 1; build++)
        for (int figure = -1; figure <= 1; figure++) check_body(ctx, def_of(build, figure, 10000));
    vo_context_destroy(ctx);
}

static void test_densities(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    const int faces[] = {VO_MANNEQUIN_MIN_LATTICE_FACES, 8000, 20000, 70000};
    for (int i = 0; i < 4; i++) check_body(ctx, def_of(0, 0, faces[i]));
    for (int build = -1; build <= 1; build += 2) check_body(ctx, def_of(build, 0, 8000));
    vo_context_destroy(ctx);
}

/* Random sizes within the limits, coarse and fine. */
static void random_bodies_are_sound(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(2024);
    for (int i = 0; i < (getenv("VOILE_TEST_LONG") ? 100 : 6); i++) {
        vo_mannequin_def def = def_of(vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1),
                                      (int)vo_random_real(&r, 6000, 16000));
        def.height = vo_random_real(&r, 1, 2.2);
        def.shoulders = vo_random_real(&r, 0.85, 1.2);
        def.chest = vo_random_real(&r, 0.85, 1.2);
        def.waist = vo_random_real(&r, 0.85, 1.2);
        def.hips = vo_random_real(&r, 0.85, 1.2);
        def.limbs = vo_random_real(&r, 0.85, 1.2);
        check_body(ctx, def);
    }
    vo_context_destroy(ctx);
}

/* Height, ground contact, symmetry and volume of the body are plausible. */
static void mannequin_sizes_are_as_requested(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double heights[] = {1.2, 1.75, 2.1};
    for (int i = 0; i < 3; i++) {
        vo_mannequin_def def = def_of(0, 0, 8000);
        def.height = heights[i];
        vo_mannequin m = make(ctx, def);
        vo_vec3 low = m.skin.rest[0], high = low;
        for (int n = 0; n < m.skin.node_count; n++) {
            low = v3_min(low, m.skin.rest[n]);
            high = v3_max(high, m.skin.rest[n]);
        }
        assert_near(low.z, 0, 0.005 * def.height);
        assert_true(low.z >= -1e-4);
        assert_near(high.z, def.height, 0.01 * def.height);
        assert_near(high.x + low.x, 0, 0.01 * def.height);
        double litres = 1000 * volume_of(m.skin.rest, m.face_count, CONST_FACES(m));
        assert_near(litres / pow(def.height / 1.75, 3), 65, 12);
        vo_mannequin_free(ctx, &m);
    }
    vo_context_destroy(ctx);
}

/* Approximate width of the body at a height, m. */
static double width_at(const vo_mannequin *m, double z, double max_distance) {
    double low = 0, high = 0;
    for (int n = 0; n < m->skin.node_count; n++) {
        vo_vec3 x = m->skin.rest[n];
        if (fabs(x.z - z) > 0.02 || fabs(x.x) > max_distance) continue;
        low = vo_min(low, x.x);
        high = vo_max(high, x.x);
    }
    return high - low;
}

/* Builds differ as expected, and the waist is narrower than hips and chest. */
static void mannequin_figures_differ(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    double waist[3];
    for (int build = -1; build <= 1; build++) {
        vo_mannequin m = make(ctx, def_of(build, 0, 8000));
        waist[build + 1] = width_at(&m, 1.10, 0.25);
        assert_true(waist[build + 1] > 0.2);
        if (build < 1) {
            assert_true(width_at(&m, 0.92, 0.25) > waist[build + 1] + 0.03);
            assert_true(width_at(&m, 1.30, 0.20) > waist[build + 1] + 0.02);
        }
        vo_mannequin_free(ctx, &m);
    }
    assert_true(waist[0] + 0.02 < waist[1] && waist[1] + 0.05 < waist[2]);
    vo_context_destroy(ctx);
}

/* The implicit function is exactly symmetric. */
static void mannequin_function_is_symmetric(void **state) {
    (void)state;
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_mannequin_def def = vo_mannequin_def_default();
    vo_implicit_body body;
    vo_implicit_body_make(&def, &skeleton, &body);
    for (int i = 0; i < 2000; i++) {
        vo_vec3 p = v3(0.0007 * (i % 100) * (i % 11), 0.01 * (i % 23) - 0.1, 0.0009 * i);
        double left = vo_implicit_body_value(&body, p);
        assert_true(left == vo_implicit_body_value(&body, v3(-p.x, p.y, p.z)));
        assert_true(isfinite(left));
    }
    assert_true(vo_implicit_body_value(&body, v3(0, 0, 1.2)) < -0.05);
    assert_true(vo_implicit_body_value(&body, v3(0, 0, 0.5)) > 0.05);
    assert_true(vo_implicit_body_value(&body, v3(0.02, 0.5, 1.2)) > 0.2);
}

/* Joints lie inside the body. */
static void mannequin_joints_are_inside(void **state) {
    (void)state;
    for (int build = -1; build <= 1; build++) {
        vo_skeleton skeleton = vo_skeleton_make(NULL);
        vo_mannequin_def def = def_of(build, 0, 20000);
        vo_implicit_body body;
        vo_implicit_body_make(&def, &skeleton, &body);
        vo_transform world[VO_BONE_COUNT];
        vo_body_pose rest = vo_body_pose_rest(&skeleton);
        vo_skeleton_world(&skeleton, &rest, world);
        for (int b = 0; b < VO_BONE_COUNT; b++)
            assert_true(vo_implicit_body_value(&body, world[b].translation) < -0.008);
    }
}

static void test_rest_is_identity(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin m = make(ctx, def_of(0, 0, 8000));
    vo_body_pose rest = vo_body_pose_rest(&m.skeleton);
    vo_mesh *mesh;
    assert_ok(ctx, mannequin_mesh(ctx, &m, &rest, &mesh));
    vo_mesh_view view = vo_mesh_get_view(mesh);
    assert_int_equal(view.face_count, m.face_count);
    for (int n = 0; n < view.node_count; n++)
        assert_near(v3_distance(view.node_x[n], m.skin.rest[n]), 0, 1e-14);
    vo_mesh_destroy(mesh);
    vo_mannequin_free(ctx, &m);
    vo_context_destroy(ctx);
}

/* The middle of every bone follows that bone. */
static void mannequin_skin_follows_its_bones(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin m = make(ctx, def_of(0, 0, 20000));
    vo_transform world[VO_BONE_COUNT];
    vo_body_pose rest = vo_body_pose_rest(&m.skeleton);
    vo_skeleton_world(&m.skeleton, &rest, world);
    const vo_bone bones[] = {VO_BONE_HEAD,       VO_BONE_LEFT_UPPER_ARM, VO_BONE_RIGHT_FOREARM,
                             VO_BONE_LEFT_HAND,  VO_BONE_LEFT_THIGH,     VO_BONE_RIGHT_SHIN,
                             VO_BONE_RIGHT_FOOT, VO_BONE_LEFT_TOES};
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        vo_vec3 middle = xf_point(world[bones[i]], v3_scale(0.55, m.skeleton.tip[bones[i]]));
        int best = 0;
        for (int f = 0; f < m.face_count; f++)
            if (v3_distance(m.skin.rest[m.face[f][0]], middle) <
                v3_distance(m.skin.rest[m.face[best][0]], middle))
                best = f;
        assert_int_equal(m.skin.bone[m.face[best][0]][0], bones[i]);
    }
    for (int n = 0; n < m.skin.node_count; n++) /* the left side does not follow right limbs */
        for (int k = 0; k < VO_SKIN_MAX_BONES; k++)
            if (m.skin.rest[n].x > 0.1 && m.skin.bone[n][k] >= VO_BONE_RIGHT_UPPER_ARM)
                assert_true(m.skin.weight[n][k] < 1e-3);
    vo_mannequin_free(ctx, &m);
    vo_context_destroy(ctx);
}

/* Neighbouring nodes have similar weights, so that the skin does not tear. */
static void mannequin_weights_are_smooth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin m = make(ctx, def_of(0, 0, 20000));
    for (int f = 0; f < m.face_count; f++) {
        double a[VO_BONE_COUNT] = {0}, difference = 0;
        for (int k = 0; k < VO_SKIN_MAX_BONES; k++) {
            a[m.skin.bone[m.face[f][0]][k]] += m.skin.weight[m.face[f][0]][k];
            a[m.skin.bone[m.face[f][1]][k]] -= m.skin.weight[m.face[f][1]][k];
        }
        for (int b = 0; b < VO_BONE_COUNT; b++) difference += 0.5 * fabs(a[b]);
        assert_true(difference < 0.35);
    }
    vo_mannequin_free(ctx, &m);
    vo_context_destroy(ctx);
}

/* With raised arms the skin has no self-intersections and no collapsed face. */
static void mannequin_with_raised_arms_has_no_intersections(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_mannequin m = make(ctx, def_of(0, 0, 14000));
    vo_body_pose pose = vo_body_pose_rest(&m.skeleton);
    for (int side = 0; side < 2; side++) {
        vo_bone arm = side ? VO_BONE_RIGHT_UPPER_ARM : VO_BONE_LEFT_UPPER_ARM;
        pose.rotation[arm] = vo_joint_rotation(arm, (vo_joint_angles){0, 120, 0});
    }
    vo_mesh *mesh;
    assert_ok(ctx, mannequin_mesh(ctx, &m, &pose, &mesh));
    vo_mesh_view view = vo_mesh_get_view(mesh);
    assert_int_equal(intersections_of(ctx, view.node_x, view.face_count, view.face_vert), 0);
    double top = 0;
    for (int n = 0; n < view.node_count; n++) top = vo_max(top, view.node_x[n].z);
    assert_true(top > 1.75);
    vo_mesh_destroy(mesh);
    vo_mannequin_free(ctx, &m);
    vo_context_destroy(ctx);
}

static void test_same_bits(void **state) {
    (void)state;
    vo_context *one = test_context(1), *three = test_context(3);
    vo_mannequin a = make(one, def_of(0.3, 0.2, 8000)), b = make(three, def_of(0.3, 0.2, 8000));
    assert_int_equal(a.skin.node_count, b.skin.node_count);
    size_t nodes = (size_t)a.skin.node_count;
    assert_memory_equal(a.skin.rest, b.skin.rest, nodes * sizeof *a.skin.rest);
    assert_memory_equal(a.skin.weight, b.skin.weight, nodes * sizeof *a.skin.weight);
    assert_memory_equal(a.face, b.face, (size_t)a.face_count * sizeof *a.face);
    vo_mannequin_free(one, &a);
    vo_mannequin_free(three, &b);
    vo_context_destroy(one);
    vo_context_destroy(three);
}

static void test_bad_sizes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mannequin_def def[10];
    for (int i = 0; i < 10; i++) def[i] = vo_mannequin_def_default();
    const char *name[10] = {"height", "build", "figure", "shoulders", "chest",
                            "waist",  "hips",  "limbs",  "faces",     "height"};
    def[0].height = 0, def[1].build = 2, def[2].figure = -3, def[3].shoulders = NAN;
    def[4].chest = 9, def[5].waist = 0, def[6].hips = INFINITY, def[7].limbs = -1;
    def[8].faces = 100, def[9].height = NAN;
    for (int i = 0; i < 10; i++) {
        vo_mannequin m;
        assert_int_equal(vo_mannequin_create(ctx, &def[i], &m), VO_BAD_ARGUMENT);
        assert_message_contains(ctx, name[i]);
        assert_null(m.face);
    }
    vo_context_destroy(ctx);
}

static vo_result make_posed(vo_context *ctx, void *arg) {
    vo_mannequin m;
    VO_TRY(vo_mannequin_create(ctx, arg, &m));
    vo_body_pose zero = vo_body_pose_zero();
    vo_mesh *mesh;
    vo_result result = mannequin_mesh(ctx, &m, &zero, &mesh);
    vo_mesh_destroy(mesh);
    vo_mannequin_free(ctx, &m);
    return result;
}

/* Fails every eighth allocation, because creating a body is slow; its parts are tested with all. */
static void mannequin_out_of_memory_is_reported(void **state) {
    (void)state;
    vo_mannequin_def def = def_of(0, 0, VO_MANNEQUIN_MIN_LATTICE_FACES);
    vo_result result = VO_NO_MEMORY;
    for (long fail = 0; result != VO_OK; fail += 8) {
        test_memory memory = {.fail_at = -1};
        vo_context *ctx = test_context_with(1, &memory);
        long live = memory.live;
        memory.fail_at = memory.calls + fail;
        result = make_posed(ctx, &def);
        assert_true(result == VO_OK ? memory.calls <= memory.fail_at : result == VO_NO_MEMORY);
        assert_int_equal(memory.live, live);
        vo_context_destroy(ctx);
        assert_int_equal(memory.live, 0);
    }
}

static void test_time(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double start = test_seconds();
        vo_mannequin m = make(ctx, vo_mannequin_def_default());
        best = vo_min(best, test_seconds() - start);
        vo_mannequin_free(ctx, &m);
    }
    assert_true(best < 2.0 * TEST_SLOWNESS);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_densities),
        cmocka_unit_test(random_bodies_are_sound),
        cmocka_unit_test(mannequin_sizes_are_as_requested),
        cmocka_unit_test(mannequin_figures_differ),
        cmocka_unit_test(mannequin_function_is_symmetric),
        cmocka_unit_test(mannequin_joints_are_inside),
        cmocka_unit_test(test_rest_is_identity),
        cmocka_unit_test(mannequin_skin_follows_its_bones),
        cmocka_unit_test(mannequin_weights_are_smooth),
        cmocka_unit_test(mannequin_with_raised_arms_has_no_intersections),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(mannequin_out_of_memory_is_reported),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
