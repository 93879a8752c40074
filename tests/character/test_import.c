/* Import of characters: joints, skin, clips, cameras, units and axes. */
#include "support.h"

#include "character/import/build.h"
#include "import_files.h"
#include "mesh/mesh.h"

static char log_text[4096];

static void append_log(void *user, vo_log_level level, const char *text) {
    (void)user;
    (void)level;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", text);
}

static vo_context *logging_context(void) {
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    def.log = append_log;
    def.threads = 2;
    log_text[0] = 0;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    return ctx;
}

static void need_assimp(void) {
    if (!vo_import_has_assimp()) skip();
}

/* Returns the node nearest to a point of the bind pose. */
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
    assert_int_equal(c.node_count, 6); /* duplicate vertices are merged */
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
    assert_non_null(strstr(log_text, "glTF, metres with y up, converted to metres with z up"));
    assert_null(strstr(strstr(log_text, "converted to") + 1, "converted to"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* y of the file is up; the transform of the mesh's node is ignored, because bones place the
 * mesh. */
static void bind_pose_is_upright(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), NULL, &c));
    assert_point(c.node_x[node_at(&c, -0.1, 0, 2)], -0.1, 0, 2, 1e-6);
    vo_vec3 x[6];
    assert_ok(ctx, character_positions(&c, NULL, 0, VO_CLIP_HOLD, x));
    for (int n = 0; n < 6; n++) assert_near(v3_distance(x[n], c.node_x[n]), 0, 1e-6);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* Rotates the upper bone by `angle` about the file's z, which is -y here, at height 1. */
static vo_vec3 turned(vo_vec3 p, double angle) {
    double s = sin(angle), k = cos(angle), z = p.z - 1;
    return v3(k * p.x - s * z, p.y, 1 + s * p.x + k * z);
}

static void check_bend(const vo_character *c, double time, vo_clip_end end, double angle) {
    vo_vec3 x[6];
    assert_ok(c->ctx, character_positions(c, &c->clip[0], time, end, x));
    for (int n = 0; n < 6; n++) {
        vo_vec3 p = c->node_x[n], q = turned(p, angle);
        if (fabs(p.z - 1) < 0.5) q = v3_lerp(p, q, 0.5); /* equal weights of both bones */
        if (p.z < 0.5) q = p;
        assert_near(v3_distance(x[n], q), 0, 1e-6);
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

static void collada_clip_equals_gltf_clip(void **state) {
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
    assert_near(view.fov_y, 0.6, 1e-6);
    assert_near(view.aspect, 1.5, 1e-6);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void requested_units_and_axes_are_used(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = 0.01;
    options.up_axis = VO_UP_Z;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), &options, &c));
    assert_point(c.node_x[node_at(&c, 0.001, 0.02, 0)], 0.001, 0.02, 0, 1e-8);
    assert_non_null(strstr(log_text, "centimetres with z up (as requested)"));
    vo_character_free(&c);
    options.up_axis = VO_UP_X;
    options.metres_per_unit = 1;
    assert_ok(ctx, vo_import_character(ctx, strip_file("strip.gltf"), &options, &c));
    assert_point(c.node_x[node_at(&c, -2, 0, 0.1)], -2, 0, 0.1, 1e-6);
    vo_character_free(&c);
    options.metres_per_unit = NAN;
    assert_int_equal(vo_import_character(ctx, strip_file("strip.gltf"), &options, &c),
                     VO_BAD_ARGUMENT);
    options = vo_import_options_default();
    options.timeout = 0;
    assert_int_equal(vo_import_character(ctx, strip_file("strip.gltf"), &options, &c),
                     VO_BAD_ARGUMENT);
    vo_context_destroy(ctx);
}

/* The same triangle in inches, from several formats. */
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
    options.metres_per_unit = 2;
    options.up_axis = VO_UP_Y;
    assert_ok(ctx, vo_import_character(ctx, path, &options, &c));
    assert_point(c.node_x[c.face[0][2]], 0, -4, 0, 1e-5);
    vo_character_free(&c);
    log_text[0] = 0;
}

static void collada_and_fbx_units_are_read(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    check_triangle(ctx, file_text("triangle.dae", triangle_dae));
    check_triangle(ctx, file_text("triangle.fbx", triangle_fbx));
    vo_context_destroy(ctx);
}

/* A Collada file with four vertices of the unit square in the x-z plane and these primitives. */
static const char *square_file(const char *name, const char *primitives) {
    static char text[4096];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n"
             "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
             "<asset><unit meter=\"1\"/><up_axis>Z_UP</up_axis></asset>"
             "<library_geometries><geometry id=\"g\" name=\"g\"><mesh>"
             "<source id=\"p\"><float_array id=\"pa\" count=\"12\">0 0 0 1 0 0 1 0 1 0 0 1"
             "</float_array><technique_common><accessor source=\"#pa\" count=\"4\" stride=\"3\">"
             "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
             "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
             "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>%s"
             "</mesh></geometry></library_geometries>"
             "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"n\">"
             "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
             "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n",
             primitives);
    return file_text(name, text);
}

#define VERTEX "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
#define QUAD   "<polylist count=\"1\">" VERTEX "<vcount>4</vcount><p>0 1 2 3</p></polylist>"
#define LINES  "<lines count=\"2\">" VERTEX "<p>0 2 1 3</p></lines>"

/* Assimp sets its n-gon flag on meshes that it has triangulated. */
static void import_polygons_are_triangulated(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, square_file("quad.dae", QUAD), NULL, &c));
    assert_int_equal(c.node_count, 4);
    assert_int_equal(c.face_count, 2);
    assert_null(strstr(log_text, "not imported"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void import_lines_are_counted_in_a_warning(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    assert_ok(ctx, vo_import_character(ctx, square_file("both.dae", QUAD LINES), NULL, &c));
    assert_int_equal(c.face_count, 2);
    assert_non_null(strstr(log_text, "both.dae: 1 line mesh, not imported"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void import_of_lines_alone_fails_with_advice(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = logging_context();
    vo_character c;
    const char *path = square_file("lines.dae", LINES);
    assert_int_equal(vo_import_character(ctx, path, NULL, &c), VO_BAD_DATA);
    assert_message_contains(ctx, "0 point meshes, 1 line mesh and 0 meshes");
    assert_message_contains(ctx, "export the character as a polygon mesh");
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
    assert_ok(ctx, character_positions(&c, NULL, 1, VO_CLIP_LOOP, x));
    assert_memory_equal(x, c.node_x, sizeof x);
    assert_int_equal(c.face_count, 4);
    vo_character_free(&c);
    assert_ok(ctx, vo_import_character(ctx, path, NULL, &c));
    assert_point(c.node_x[2], 0, 2, 0, 0);
    assert_non_null(strstr(log_text, "(assumed"));
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* Tracks that a file marks as stepped may have no keys; Assimp adds keys of its own. */
static void stepped_tracks_without_keys_are_ignored(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    eye_data eye = {.time = {0, 1}, .turn = {{0, 0, 0, 1}, {0, 0, 0, 1}}};
    vo_raw_track track[] = {{.node = 0, .count = {2, 0, 0}}, {.node = 1, .count = {0, 2, 0}}};
    vo_raw_node node[] = {{.name = "eye", .parent = -1}, {.name = "eye", .parent = -1}};
    vo_raw_clip clip = {.name = "film", .track_count = 2, .track = track};
    vo_raw_file file = {.node_count = 2, .node = node, .clip_count = 1, .clip = &clip};
    const char *path = file_text("held.gltf", eye_text(&eye, 2, "STEP"));
    assert_ok(ctx, vo_import_mark_stepped_tracks(ctx, path, &file));
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < 3; kind++)
            assert_int_equal(track[i].is_stepped[kind], track[i].count[kind] > 0);
    vo_context_destroy(ctx);
}

static void tracks_without_keys_keep_rest_pose(void **state) {
    (void)state;
    vo_trs parts = {.translation = v3(1, 2, 3), .rotation = q_identity(), .scale = v3(1, 1, 1)};
    vo_joint joint = {.parent = -1, .rest = vo_affine_from_trs(parts), .rest_trs = parts};
    vo_joint_track track = {.translation_is_stepped = true, .rotation_is_stepped = true};
    vo_joint_clip clip = {.duration = 2, .track_count = 1, .track = &track};
    vo_character c = {.world = vo_affine_identity(), .joint_count = 1, .joint = &joint};
    vo_affine pose;
    vo_character_pose_stepped(&c, &clip, 1.5, VO_CLIP_HOLD, &pose);
    assert_point(pose.offset, 1, 2, 3, 0);
}

/* Scale, mirroring and shear survive the decomposition. */
static void affine_parts(void **state) {
    (void)state;
    vo_quat q = q_normalize((vo_quat){0.3, -0.5, 0.7, 0.2});
    vo_trs parts = {{1, 2, 3}, q, {0.5, 2, 3}};
    vo_trs back = vo_affine_to_trs(vo_affine_from_trs(parts));
    assert_near(fabs(q_dot(back.rotation, q)), 1, 1e-12);
    assert_point(back.scale, 0.5, 2, 3, 1e-12);
    vo_affine inverse, a = vo_affine_from_trs(parts);
    assert_true(vo_affine_inverse(a, &inverse));
    assert_point(vo_affine_point(vo_affine_mul(a, inverse), v3(4, 5, 6)), 4, 5, 6, 1e-12);
    for (int i = 0; i < 3; i++) { /* half turns, where the trace is -1 */
        vo_quat half = q_axis_angle(v3(i == 0, i == 1, i == 2), VO_PI);
        parts = (vo_trs){{0, 0, 0}, half, {1, 1, 1}};
        assert_near(fabs(q_dot(vo_affine_rotation(vo_affine_from_trs(parts)), half)), 1, 1e-12);
    }
    parts.scale = v3(0, 1, 1);
    assert_false(vo_affine_inverse(vo_affine_from_trs(parts), &inverse));
    parts.scale = v3(0, 0, 0);
    assert_near(q_dot(vo_affine_rotation(vo_affine_from_trs(parts)), q_identity()), 1, 0);
    parts.scale = v3(-1, 1, 1);
    vo_quat mirrored = vo_affine_rotation(vo_affine_from_trs(parts));
    assert_near(q_dot(mirrored, mirrored), 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strip_has_joints_skin_clip),
        cmocka_unit_test(bind_pose_is_upright),
        cmocka_unit_test(clip_turns_at_constant_speed),
        cmocka_unit_test(collada_clip_equals_gltf_clip),
        cmocka_unit_test(camera_moves_with_its_node),
        cmocka_unit_test(requested_units_and_axes_are_used),
        cmocka_unit_test(collada_and_fbx_units_are_read),
        cmocka_unit_test(import_polygons_are_triangulated),
        cmocka_unit_test(import_lines_are_counted_in_a_warning),
        cmocka_unit_test(import_of_lines_alone_fails_with_advice),
        cmocka_unit_test(obj_is_a_body_without_joints),
        cmocka_unit_test(stepped_tracks_without_keys_are_ignored),
        cmocka_unit_test(tracks_without_keys_keep_rest_pose),
        cmocka_unit_test(affine_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
