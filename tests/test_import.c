/* Characters from files: joints, skin, clips, cameras, units and axes. */
#include "support.h"

#include "import_files.h"
#include "mesh/mesh.h"
#include "scene/import_build.h"

static char log_text[4096];

static void keep_log(void *user, vo_log_level level, const char *text) {
    (void)user;
    (void)level;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", text);
}

static vo_context *logging_context(void) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    def.log = keep_log;
    def.threads = 2;
    log_text[0] = 0;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    return ctx;
}

#define assert_point(p, x_, y_, z_, tolerance) \
    do {                                       \
        vo_vec3 p_ = (p);                      \
        assert_near(p_.x, x_, tolerance);      \
        assert_near(p_.y, y_, tolerance);      \
        assert_near(p_.z, z_, tolerance);      \
    } while (0)

static void need_assimp(void) {
    if (!vo_import_has_assimp()) skip();
}

/* The node nearest to a point of the bind pose. */
static int node_at(const vo_character *c, double x, double y, double z) {
    int best = 0;
    for (int n = 0; n < c->node_count; n++) {
        if (v3_distance(c->node_x[n], v3(x, y, z)) < v3_distance(c->node_x[best], v3(x, y, z))) {
            best = n;
        }
    }
    return best;
}

static void strip_has_joints_skin_clip(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), NULL, &c));
    assert_int_equal(c.node_count, 6); /* the seam is closed */
    assert_int_equal(c.face_count, 4);
    assert_int_equal(c.clip_count, 1);
    assert_string_equal(c.clip[0].name, "bend");
    assert_near(c.clip[0].duration, 1, 1e-6);
    assert_int_equal(vo_character_find_clip(&c, "bend"), 0);
    assert_int_equal(vo_character_find_clip(&c, "Bend"), -1);
    for (int j = 0; j < c.joint_count; j++) assert_true(c.joint[j].parent < j);
    for (int n = 0; n < c.node_count; n++) {
        double sum = 0;
        for (int i = c.weight_begin[n]; i < c.weight_begin[n + 1]; i++) sum += c.weight[i];
        assert_near(sum, 1, 1e-12);
    }
    int middle = node_at(&c, 0.1, 0, 1);
    assert_int_equal(c.weight_begin[middle + 1] - c.weight_begin[middle], 2);
    assert_near(c.weight[c.weight_begin[middle]], 0.5, 1e-12);
    assert_non_null(strstr(log_text, "glTF, metres with y up, taken to metres with z up"));
    assert_null(strstr(strstr(log_text, "taken to") + 1, "taken to"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* y of the file is up, and its node's place does not count, since bones hold the mesh. */
static void bind_pose_is_upright(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), NULL, &c));
    assert_point(c.node_x[node_at(&c, -0.1, 0, 2)], -0.1, 0, 2, 1e-6);
    vo_vec3 x[6];
    assert_ok(ctx, vo_character_positions(&c, NULL, 0, VO_CLIP_HOLD, VO_BLEND_LINEAR, x));
    for (int n = 0; n < 6; n++) assert_near(v3_distance(x[n], c.node_x[n]), 0, 1e-6);
    assert_ok(ctx, vo_character_positions(&c, NULL, 0, VO_CLIP_HOLD, VO_BLEND_DUAL_QUATERNION, x));
    for (int n = 0; n < 6; n++) assert_near(v3_distance(x[n], c.node_x[n]), 0, 1e-6);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* The upper bone turned by `angle` about the file's z, which is -y here, at height 1. */
static vo_vec3 turned(vo_vec3 p, double angle) {
    double s = sin(angle), k = cos(angle), z = p.z - 1;
    return v3(k * p.x - s * z, p.y, 1 + s * p.x + k * z);
}

static void check_bend(const vo_character *c, double time, vo_clip_end end, double angle) {
    vo_vec3 x[6];
    for (int dual = 0; dual < 2; dual++) {
        vo_skin_blend blend = dual ? VO_BLEND_DUAL_QUATERNION : VO_BLEND_LINEAR;
        assert_ok(c->ctx, vo_character_positions(c, &c->clip[0], time, end, blend, x));
        for (int n = 0; n < 6; n++) {
            vo_vec3 p = c->node_x[n], q = turned(p, angle);
            /* The middle: a mean of positions, or half of the turn. */
            if (fabs(p.z - 1) < 0.5) q = dual ? turned(p, angle / 2) : v3_lerp(p, q, 0.5);
            if (p.z < 0.5) q = p;
            assert_near(v3_distance(x[n], q), 0, 1e-6);
        }
    }
}

static void clip_turns_at_constant_speed(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(3);
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), NULL, &c));
    for (int i = 0; i <= 8; i++) check_bend(&c, i / 8.0, VO_CLIP_HOLD, i / 8.0 * VO_PI / 2);
    check_bend(&c, -3, VO_CLIP_HOLD, 0);
    check_bend(&c, 9, VO_CLIP_HOLD, VO_PI / 2);
    check_bend(&c, NAN, VO_CLIP_HOLD, 0);
    check_bend(&c, 4.25, VO_CLIP_LOOP, VO_PI / 8);
    check_bend(&c, -0.25, VO_CLIP_LOOP, 3 * VO_PI / 8);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void collada_bends_alike(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, file_text("strip.dae", strip_dae), NULL, &c));
    assert_int_equal(c.node_count, 6);
    assert_int_equal(c.clip_count, 1);
    assert_near(c.clip[0].duration, 1, 1e-6);
    assert_point(c.node_x[node_at(&c, -0.1, 0, 2)], -0.1, 0, 2, 1e-6);
    for (int i = 0; i <= 4; i++) check_bend(&c, i / 4.0, VO_CLIP_HOLD, i / 4.0 * VO_PI / 2);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void camera_moves_with_its_node(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), NULL, &c));
    assert_int_equal(c.camera_count, 1);
    assert_string_equal(c.camera[0].name, "eye");
    vo_affine joint[16];
    assert_true(c.joint_count <= 16);
    vo_character_pose(&c, &c.clip[0], 0.5, VO_CLIP_HOLD, joint);
    vo_camera_view view = vo_character_camera(&c, 0, joint);
    assert_point(view.position, 0, -5.5, 1, 1e-5);
    assert_point(q_rotate(view.rotation, v3(0, 0, -1)), 0, 1, 0, 1e-6);
    assert_point(q_rotate(view.rotation, v3(0, 1, 0)), 0, 0, 1, 1e-6);
    assert_near(view.field_of_view, 0.6, 1e-6);
    assert_near(view.aspect, 1.5, 1e-6);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void units_and_axes_can_be_given(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    vo_import_options options = vo_import_options_default();
    options.units = 0.01;
    options.up_axis = VO_UP_Z;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), &options, &c));
    assert_point(c.node_x[node_at(&c, 0.001, 0.02, 0)], 0.001, 0.02, 0, 1e-8);
    assert_non_null(strstr(log_text, "centimetres with z up (as asked)"));
    vo_character_free(&c);
    options.up_axis = VO_UP_X;
    options.units = 1;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), &options, &c));
    assert_point(c.node_x[node_at(&c, -2, 0, 0.1)], -2, 0, 0.1, 1e-6);
    vo_character_free(&c);
    options.units = NAN;
    assert_int_equal(vo_import_character(ctx, strip_file("strip.gltf"), &options, &c), VO_BAD_CALL);
    options = vo_import_options_default();
    options.patience = 0;
    assert_int_equal(vo_import_character(ctx, strip_file("strip.gltf"), &options, &c), VO_BAD_CALL);
    vo_context_destroy(ctx);
}

/* An inch is an inch, whoever says so. */
static void check_triangle(vo_context *ctx, const char *path) {
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, path, NULL, &c));
    assert_int_equal(c.node_count, 3);
    assert_int_equal(c.face_count, 1);
    assert_point(c.node_x[c.face[0][0]], 0, 0, 0, 1e-9);
    assert_point(c.node_x[c.face[0][1]], 0.0254, 0, 0, 1e-8);
    assert_point(c.node_x[c.face[0][2]], 0, 0, 0.0508, 1e-8);
    assert_non_null(strstr(log_text, "inches with z up,"));
    vo_character_free(&c);
    log_text[0] = 0;
    vo_import_options options = vo_import_options_default();
    options.units = 2;
    options.up_axis = VO_UP_Y;
    assert_ok(ctx, vo_import_character(ctx, path, &options, &c));
    assert_point(c.node_x[c.face[0][2]], 0, -4, 0, 1e-5);
    vo_character_free(&c);
    log_text[0] = 0;
}

static void collada_and_fbx_state_theirs(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    check_triangle(ctx, file_text("triangle.dae", triangle_dae));
    check_triangle(ctx, file_text("triangle.fbx", triangle_fbx));
    vo_context_destroy(ctx);
}

static void obj_is_a_body_without_joints(void **state) {
    (void)state;
    vo_context *ctx = logging_context();
    const char *path = file_text("body.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 1\n"
                                             "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    vo_import_options options = vo_import_options_default();
    options.up_axis = VO_UP_Y;
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, path, &options, &c));
    assert_int_equal(c.joint_count, 0);
    assert_int_equal(c.node_count, 4);
    assert_point(c.node_x[2], 0, 0, 2, 0);
    vo_vec3 x[4];
    assert_ok(ctx, vo_character_positions(&c, NULL, 1, VO_CLIP_LOOP, VO_BLEND_LINEAR, x));
    assert_memory_equal(x, c.node_x, sizeof x);
    vo_mesh *mesh;
    assert_ok(ctx, vo_character_mesh(&c, path, &mesh));
    assert_int_equal(mesh->face_count, 4);
    vo_mesh_destroy(mesh);
    vo_character_free(&c);
    assert_ok(ctx, vo_import_character(ctx, path, NULL, &c));
    assert_point(c.node_x[2], 0, 2, 0, 0);
    assert_non_null(strstr(log_text, "(assumed"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* A message need not hold keys of what the file says is held; Assimp makes some up. */
static void tracks_without_keys_hold_none(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    eye_data eye = {.time = {0, 1}, .turn = {{0, 0, 0, 1}, {0, 0, 0, 1}}};
    vo_raw_track track[] = {{.node = 0, .count = {2, 0, 0}}, {.node = 1, .count = {0, 2, 0}}};
    vo_raw_node node[] = {{.name = "eye", .parent = -1}, {.name = "eye", .parent = -1}};
    vo_raw_clip clip = {.name = "film", .track_count = 2, .track = track};
    vo_raw_file file = {.node_count = 2, .node = node, .clip_count = 1, .clip = &clip};
    const char *path = file_text("held.gltf", eye_text(&eye, 2, "STEP"));
    assert_ok(ctx, vo_import_steps(ctx, path, &file));
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 3; kind++)
            assert_int_equal(track[i].steps[kind], track[i].count[kind] > 0);
    vo_context_destroy(ctx);
}

static void held_poses_without_keys_are_the_rest(void **state) {
    (void)state;
    vo_parts parts = {.translation = v3(1, 2, 3), .rotation = q_identity(), .scale = v3(1, 1, 1)};
    vo_joint joint = {.parent = -1, .rest = vo_affine_from_parts(parts), .rest_parts = parts};
    vo_joint_track track = {.move_steps = true, .turn_steps = true};
    vo_joint_clip clip = {.duration = 2, .track_count = 1, .track = &track};
    vo_character c = {.world = vo_affine_identity(), .joint_count = 1, .joint = &joint};
    vo_affine pose;
    vo_character_pose_stepping(&c, &clip, 1.5, VO_CLIP_HOLD, &pose);
    assert_point(pose.offset, 1, 2, 3, 0);
}

/* Scale, mirror and shear come out as they went in. */
static void affine_parts(void **state) {
    (void)state;
    vo_quat q = q_normalize((vo_quat){0.3, -0.5, 0.7, 0.2});
    vo_parts parts = {{1, 2, 3}, q, {0.5, 2, 3}};
    vo_parts back = vo_affine_parts(vo_affine_from_parts(parts));
    assert_near(fabs(q_dot(back.rotation, q)), 1, 1e-12);
    assert_point(back.scale, 0.5, 2, 3, 1e-12);
    vo_affine inverse, a = vo_affine_from_parts(parts);
    assert_true(vo_affine_inverse(a, &inverse));
    assert_point(vo_affine_point(vo_affine_mul(a, inverse), v3(4, 5, 6)), 4, 5, 6, 1e-12);
    for (int i = 0; i < 3; i++) { /* half turns, where the trace is -1 */
        vo_quat half = q_axis_angle(v3(i == 0, i == 1, i == 2), VO_PI);
        parts = (vo_parts){{0, 0, 0}, half, {1, 1, 1}};
        assert_near(fabs(q_dot(vo_affine_rotation(vo_affine_from_parts(parts)), half)), 1, 1e-12);
    }
    parts.scale = v3(0, 1, 1);
    assert_false(vo_affine_inverse(vo_affine_from_parts(parts), &inverse));
    parts.scale = v3(0, 0, 0);
    assert_near(q_dot(vo_affine_rotation(vo_affine_from_parts(parts)), q_identity()), 1, 0);
    parts.scale = v3(-1, 1, 1);
    vo_quat mirrored = vo_affine_rotation(vo_affine_from_parts(parts));
    assert_near(q_dot(mirrored, mirrored), 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strip_has_joints_skin_clip),
        cmocka_unit_test(bind_pose_is_upright),
        cmocka_unit_test(clip_turns_at_constant_speed),
        cmocka_unit_test(collada_bends_alike),
        cmocka_unit_test(camera_moves_with_its_node),
        cmocka_unit_test(units_and_axes_can_be_given),
        cmocka_unit_test(collada_and_fbx_state_theirs),
        cmocka_unit_test(obj_is_a_body_without_joints),
        cmocka_unit_test(tracks_without_keys_hold_none),
        cmocka_unit_test(held_poses_without_keys_are_the_rest),
        cmocka_unit_test(affine_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
