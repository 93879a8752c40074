/* Contents of character files: meshes, joints, clips, cameras, units and bounds. */
#include "support.h"

#include "core/file.h"
#include "import_files.h"

#include <voile/character.h>

static void need_assimp(void) {
    if (!vo_import_has_assimp()) skip();
}

static void gltf_info_lists_all_contents(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character_file_info info;
    assert_ok(ctx, vo_character_file_get_info(ctx, strip_file("strip.gltf"), &info));
    assert_string_equal(info.format, "glTF");
    assert_true(info.metres_per_unit == 1 && !info.unit_is_assumed);
    assert_true(info.up_axis == VO_UP_Y && !info.up_axis_is_assumed);
    assert_near(info.height, 2, 1e-6);
    assert_near(info.bounds[1].x - info.bounds[0].x, 0.2, 1e-6);
    assert_int_equal(info.mesh_count, 1);
    assert_int_equal(info.meshes[0].face_count, 4);
    assert_int_equal(info.meshes[0].vertex_count, 7);
    assert_int_equal(info.meshes[0].bone_count, 2);
    assert_int_equal(info.bone_count, 2);
    int bones = 0;
    for (int i = 0; i < info.joint_count; i++) {
        const vo_character_joint_info *joint = &info.joints[i];
        assert_true(joint->parent < i);
        assert_int_equal(joint->depth,
                         joint->parent < 0 ? 0 : info.joints[joint->parent].depth + 1);
        if (joint->is_bone) assert_string_equal(joint->name, bones++ ? "upper" : "lower");
    }
    assert_int_equal(bones, 2);
    assert_int_equal(info.clip_count, 1);
    assert_string_equal(info.clips[0].name, "bend");
    assert_near(info.clips[0].duration, 1, 1e-6);
    assert_int_equal(info.clips[0].track_count, 2);
    assert_int_equal(info.clips[0].key_count, 2);
    assert_near(info.clips[0].fps, 1, 1e-6);
    assert_int_equal(info.camera_count, 1);
    assert_string_equal(info.cameras[0].name, "eye");
    assert_near(info.cameras[0].fov_y, 0.6 * 180 / VO_PI, 1e-4);
    vo_character_file_info_free(&info);
    assert_null(info.meshes);
    vo_character_file_info_free(&info);
    vo_context_destroy(ctx);
}

static void bvh_info_has_bones_and_key_rate(void **state) {
    (void)state;
    need_assimp();
    vo_context *ctx = test_context(1);
    vo_character_file_info info;
    const char *path = file_text("walk.bvh", "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\n"
                                             "CHANNELS 3 Zrotation Xrotation Yrotation\n"
                                             "JOINT Leg\n{\nOFFSET 10 0 0\nCHANNELS 3 Zrotation "
                                             "Xrotation Yrotation\n"
                                             "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\n"
                                             "MOTION\nFrames: 3\nFrame Time: 0.04\n"
                                             "0 90 5 4 1 1\n0 91 6 3 1 1\n0 92 6 3 1 1\n");
    assert_ok(ctx, vo_character_file_get_info(ctx, path, &info));
    assert_string_equal(info.format, "BVH");
    assert_true(info.unit_is_assumed && info.up_axis_is_assumed);
    assert_int_equal(info.mesh_count, 0);
    assert_int_equal(info.bone_count, 2);
    assert_int_equal(info.clip_count, 1);
    assert_int_equal(info.clips[0].key_count, 3);
    assert_near(info.clips[0].fps, 25, 1e-3);
    assert_true(info.height > 0.3 && info.height < 1);
    vo_character_file_info_free(&info);
    vo_context_destroy(ctx);
}

static void obj_info_is_one_mesh(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_character_file_info info;
    const char *path = file_text("body.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n"
                                             "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    assert_ok(ctx, vo_character_file_get_info(ctx, path, &info));
    assert_string_equal(info.format, "OBJ");
    assert_true(info.unit_is_assumed && info.up_axis == VO_UP_Z);
    assert_int_equal(info.mesh_count, 1);
    assert_string_equal(info.meshes[0].name, "body.obj");
    assert_int_equal(info.meshes[0].face_count, 4);
    assert_true(info.height == 3);
    assert_int_equal(info.joint_count + info.clip_count + info.camera_count, 0);
    vo_character_file_info_free(&info);
    vo_context_destroy(ctx);
}

static void info_of_unreadable_file_fails(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_character_file_info info;
    assert_int_equal(vo_character_file_get_info(ctx, file_path("absent.glb"), &info), VO_IO_FAILED);
    assert_null(info.memory);
    assert_int_equal(vo_character_file_get_info(ctx, file_text("x.txt", "x"), &info), VO_BAD_DATA);
    assert_message_contains(ctx, "x.txt: not a format that can be imported");
    vo_context_destroy(ctx);
}

static vo_result get_info(vo_context *ctx, void *arg) {
    vo_character_file_info info;
    VO_TRY(vo_character_file_get_info(ctx, arg, &info));
    vo_character_file_info_free(&info);
    return VO_OK;
}

static void info_survives_failing_allocations(void **state) {
    (void)state;
    need_assimp();
    char path[1024];
    snprintf(path, sizeof path, "%s", strip_file("strip.gltf"));
    test_every_allocation(get_info, path);
}

/* Files of other programs; skipped with a message where they are absent. */
static void character_files_are_described(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int meshes, bones, clips;
    } file[] = {
        {"CesiumMan.glb", 1, 19, 1}, {"Michelle.glb", 1, 65, 2},  {"Samba Dancing.fbx", 2, 52, 1},
        {"Soldier.glb", 2, 49, 4},   {"pirouette.bvh", 0, 43, 1}, {"Xbot.glb", 2, 67, 7},
    };
    need_assimp();
    int described = 0;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[640];
        vo_character_file_info info;
        snprintf(path, sizeof path, "%s/characters/%s", test_data() ? test_data() : "",
                 file[i].name);
        if (!vo_file_exists(path)) continue;
        vo_context *ctx = test_context(1);
        assert_ok(ctx, vo_character_file_get_info(ctx, path, &info));
        if (info.mesh_count != file[i].meshes || info.bone_count != file[i].bones ||
            info.clip_count != file[i].clips || !(info.height > 1.4 && info.height < 2))
            fail_msg("%s: %d meshes, %d bones, %d clips, %g m", path, info.mesh_count,
                     info.bone_count, info.clip_count, info.height);
        vo_character_file_info_free(&info);
        vo_context_destroy(ctx);
        described++;
    }
    if (described == 0) print_message("skipped: no character files in the data folder\n");
    if (described == 0) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gltf_info_lists_all_contents),
        cmocka_unit_test(bvh_info_has_bones_and_key_rate),
        cmocka_unit_test(obj_info_is_one_mesh),
        cmocka_unit_test(info_of_unreadable_file_fails),
        cmocka_unit_test(info_survives_failing_allocations),
        cmocka_unit_test(character_files_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
