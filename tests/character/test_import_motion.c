/* Motions without meshes, bone names, retargeting, and characters of other programs. */
#include "support.h"

#include "character/import/retarget.h"
#include "core/file.h"
#include "import_files.h"

#include <stdlib.h>

static void names_of_all_customs(void **state) {
    (void)state;
    static const struct {
        const char *name;
        vo_part part;
    } table[] = {
        {"mixamorig:Hips", VO_PART_HIPS},
        {"Bip01 Pelvis", VO_PART_HIPS},
        {"hip", VO_PART_HIPS},
        {"mixamorig:Spine2", VO_PART_SPINE},
        {"spine.003", VO_PART_SPINE},
        {"abdomen", VO_PART_SPINE},
        {"LowerBack", VO_PART_SPINE},
        {"mixamorig:LeftShoulder", VO_PART_LEFT_CLAVICLE},
        {"rCollar", VO_PART_RIGHT_CLAVICLE},
        {"clavicle_l", VO_PART_LEFT_CLAVICLE},
        {"mixamorig:LeftArm", VO_PART_LEFT_UPPER_ARM},
        {"lShldr", VO_PART_LEFT_UPPER_ARM},
        {"DEF-upper_arm.R", VO_PART_RIGHT_UPPER_ARM},
        {"right upper arm", VO_PART_RIGHT_UPPER_ARM},
        {"rForeArm", VO_PART_RIGHT_FOREARM},
        {"LeftElbow", VO_PART_LEFT_FOREARM},
        {"hand_r", VO_PART_RIGHT_HAND},
        {"LeftUpLeg", VO_PART_LEFT_THIGH},
        {"LThigh", VO_PART_LEFT_THIGH},
        {"Bip001 R Thigh", VO_PART_RIGHT_THIGH},
        {"LeftHip", VO_PART_LEFT_THIGH},
        {"LeftLeg", VO_PART_LEFT_SHIN},
        {"calf_l", VO_PART_LEFT_SHIN},
        {"rShin", VO_PART_RIGHT_SHIN},
        {"mixamorig:RightFoot", VO_PART_RIGHT_FOOT},
        {"LeftAnkle", VO_PART_LEFT_FOOT},
        {"RightToeBase", VO_PART_RIGHT_TOES},
        {"left toes", VO_PART_LEFT_TOES},
        {"Skeleton_neck_joint_1", VO_PART_NECK},
        {"Skeleton_arm_joint_R__2_", VO_PART_RIGHT_UPPER_ARM},
        {"leg_joint_L_5", VO_PART_LEFT_SHIN},
        {"Skeleton", VO_PART_NONE},
        {"joint", VO_PART_NONE},
        {"LeftHandThumb1", VO_PART_NONE},
        {"HeadTop_End", VO_PART_NONE},
        {"leftEye", VO_PART_NONE},
        {"", VO_PART_NONE},
        {"l", VO_PART_NONE},
        {"1234", VO_PART_NONE},
        {":", VO_PART_NONE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (vo_part_find(table[i].name) != table[i].part) fail_msg("%s", table[i].name);
    }
    /* the name of every part is recognised */
    for (int p = 0; p < VO_PART_COUNT; p++) assert_int_equal(vo_part_find(vo_part_name(p)), p);
}

/* Bones that all have the name of their limb are its parts, from the trunk outwards. */
static void numbered_bones_are_in_order(void **state) {
    (void)state;
    static const struct {
        char name[12];
        int parent;
        vo_part part;
    } table[] = {
        {"torso_1", -1, VO_PART_HIPS},        {"torso_2", 0, VO_PART_SPINE},
        {"torso_3", 1, VO_PART_NONE},         {"neck_1", 2, VO_PART_NECK},
        {"neck_2", 3, VO_PART_HEAD},          {"arm_L_4", 2, VO_PART_LEFT_UPPER_ARM},
        {"arm_L_3", 5, VO_PART_LEFT_FOREARM}, {"arm_L_2", 6, VO_PART_LEFT_HAND},
        {"leg_R_1", 0, VO_PART_RIGHT_THIGH},  {"leg_R_2", 8, VO_PART_RIGHT_SHIN},
        {"leg_R_3", 9, VO_PART_RIGHT_FOOT},   {"leg_R_5", 10, VO_PART_RIGHT_TOES},
        {"leg_L_1", 0, VO_PART_LEFT_THIGH},   {"leg_L_2", 12, VO_PART_LEFT_SHIN},
        {"leg_L_3", 13, VO_PART_LEFT_FOOT},
    };
    enum { JOINTS = sizeof table / sizeof *table };
    char name[JOINTS][12];
    vo_joint joint[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        memcpy(name[j], table[j].name, sizeof name[j]);
        joint[j] = (vo_joint){.name = name[j], .parent = table[j].parent};
    }
    vo_rig rig = vo_rig_find(JOINTS, joint);
    for (int j = 0; j < JOINTS; j++)
        if (table[j].part != VO_PART_NONE) assert_int_equal(rig.joint[table[j].part], j);
    assert_int_equal(rig.spine_count, 2);
    assert_int_equal(rig.joint[VO_PART_RIGHT_UPPER_ARM], -1);
    assert_int_equal(rig.joint[VO_PART_LEFT_TOES], -1);
    /* if the parts have names of their own, repeated names are ignored */
    memcpy(name[13], "left foot", 10);
    rig = vo_rig_find(JOINTS, joint);
    assert_int_equal(rig.joint[VO_PART_LEFT_SHIN], 12);
    assert_int_equal(rig.joint[VO_PART_LEFT_FOOT], 13);
    assert_int_equal(rig.joint[VO_PART_LEFT_THIGH], -1);
}

static int joint_named(const vo_character *c, const char *name) {
    for (int j = 0; j < c->joint_count; j++) {
        if (strcmp(c->joint[j].name, name) == 0) return j;
    }
    fail_msg("no joint %s", name);
    return -1;
}

static void load_person(vo_context *ctx, vo_character *out) {
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = 1;
    assert_ok(ctx, vo_import_character(ctx, file_text("person.bvh", person_bvh), &options, out));
}

static void bvh_moves_as_written(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    vo_context *ctx = test_context(1);
    vo_character c;
    vo_affine joint[64];
    load_person(ctx, &c);
    assert_true(c.joint_count <= 64);
    assert_int_equal(c.face_count, 0);
    assert_int_equal(c.clip_count, 1);
    assert_near(c.clip[0].duration, 1, 1e-6);
    vo_character_pose(&c, &c.clip[0], 0.25, VO_CLIP_HOLD, joint);
    assert_point(joint[joint_named(&c, "Hips")].offset, 0, 0, 0.95, 1e-6);
    vo_character_pose(&c, &c.clip[0], 1, VO_CLIP_HOLD, joint);
    assert_point(joint[joint_named(&c, "LeftElbow")].offset, 0.2, -0.5, 1.1, 1e-5);
    assert_point(joint[joint_named(&c, "LeftAnkle")].offset, 0.1, -0.5 + 0.9 * sin(VO_PI / 6),
                 0.9 - 0.9 * cos(VO_PI / 6), 1e-5);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

/* A giant with legs twice as long, hanging arms, and the mannequin's bone names. */
enum {
    HIPS,
    SPINE,
    LEFT_ARM,
    LEFT_FOREARM,
    LEFT_HAND,
    LEFT_THIGH,
    LEFT_SHIN,
    LEFT_FOOT,
    RIGHT_THIGH,
    RIGHT_SHIN,
    RIGHT_FOOT,
    TAIL,
    GIANT
};

static vo_joint giant_joint(const char *name, int parent, double x, double y, double z) {
    vo_joint joint = {.name = (char *)(uintptr_t)name, .parent = parent};
    joint.rest = vo_affine_identity();
    joint.rest.offset = v3(x, y, z);
    joint.rest_trs = vo_affine_to_trs(joint.rest);
    return joint;
}

static void make_giant(vo_joint *g) {
    g[HIPS] = giant_joint("hips", -1, 0, 0, 2);
    g[SPINE] = giant_joint("spine", HIPS, 0, 0, 0.6);
    g[LEFT_ARM] = giant_joint("left upper arm", SPINE, 0.4, 0, 0.4);
    g[LEFT_FOREARM] = giant_joint("left forearm", LEFT_ARM, 0, 0, -0.6);
    g[LEFT_HAND] = giant_joint("left hand", LEFT_FOREARM, 0, 0, -0.5);
    g[LEFT_THIGH] = giant_joint("left thigh", HIPS, 0.2, 0, 0);
    g[LEFT_SHIN] = giant_joint("left shin", LEFT_THIGH, 0, 0, -0.9);
    g[LEFT_FOOT] = giant_joint("left foot", LEFT_SHIN, 0, 0, -0.9);
    g[RIGHT_THIGH] = giant_joint("right thigh", HIPS, -0.2, 0, 0);
    g[RIGHT_SHIN] = giant_joint("right shin", RIGHT_THIGH, 0, 0, -0.9);
    g[RIGHT_FOOT] = giant_joint("right foot", RIGHT_SHIN, 0, 0, -0.9);
    g[TAIL] = giant_joint("tail", HIPS, 0, 0.3, 0);
}

/* Poses the giant in a world rotated about z; the results are rotated back. */
static void pose_giant(vo_context *ctx, vo_joint *giant, const vo_character *person, double turn,
                       double time, vo_vec3 *x) {
    vo_arena memory;
    vo_joint_clip clip;
    vo_affine joint[GIANT];
    vo_quat q = q_axis_angle(v3(0, 0, 1), turn);
    vo_affine world = vo_affine_from_trs((vo_trs){{0, 0, 0}, q, {1, 1, 1}});
    vo_arena_init(&memory, ctx);
    assert_ok(ctx, vo_retarget(ctx, "person.bvh", person, &person->clip[0], GIANT, giant, world,
                               &memory, &clip));
    assert_near(clip.duration, 1, 1e-6);
    vo_character c = {.ctx = ctx, .world = world, .joint_count = GIANT, .joint = giant};
    vo_character_pose(&c, &clip, time, VO_CLIP_HOLD, joint);
    for (int j = 0; j < GIANT; j++) x[j] = q_rotate(q_conjugate(q), joint[j].offset);
    vo_arena_free(&memory);
}

static void giant_moves_as_the_person_does(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    vo_context *ctx = test_context(1);
    vo_character person;
    vo_joint giant[GIANT];
    vo_vec3 x[GIANT];
    load_person(ctx, &person);
    make_giant(giant);
    for (int i = 0; i < 4; i++) {
        double turn = i * 1.3;
        pose_giant(ctx, giant, &person, turn, 0, x);
        assert_point(x[HIPS], 0, 0, 2, 1e-5);
        assert_point(x[LEFT_FOOT], 0.2, 0, 0.2, 1e-5);
        assert_point(x[LEFT_FOREARM], 1, 0, 3, 1e-5); /* T-pose */
        assert_point(x[LEFT_HAND], 1.5, 0, 3, 1e-5);
        pose_giant(ctx, giant, &person, turn, 0.5, x);
        assert_point(x[HIPS], 0, 0, 2.2, 1e-5);
        pose_giant(ctx, giant, &person, turn, 1, x);
        assert_point(x[HIPS], 0, -1, 2, 1e-5);
        assert_point(x[LEFT_HAND], 0.4, -1, 1.9, 1e-5); /* hanging */
        assert_point(x[RIGHT_FOOT], -0.2, -1 + 1.8 * sin(VO_PI / 6), 2 - 1.8 * cos(VO_PI / 6),
                     1e-5);
        assert_point(x[TAIL], 0, -0.7, 2, 1e-5);
    }
    vo_character_free(&person);
    vo_context_destroy(ctx);
}

static void parts_that_are_missing(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    vo_context *ctx = test_context(1);
    vo_character person;
    vo_joint giant[GIANT];
    vo_arena memory;
    vo_joint_clip clip;
    load_person(ctx, &person);
    make_giant(giant);
    giant[LEFT_SHIN].name = (char *)(uintptr_t) "bone 17";
    vo_arena_init(&memory, ctx);
    assert_int_equal(vo_retarget(ctx, "person.bvh", &person, &person.clip[0], GIANT, giant,
                                 vo_affine_identity(), &memory, &clip),
                     VO_BAD_DATA);
    assert_message_contains(ctx, "person.bvh: no bone of the character is known "
                                 "as the left shin");
    vo_arena_free(&memory);
    vo_character_free(&person);
    vo_context_destroy(ctx);
}

static vo_result retarget_body(vo_context *ctx, void *arg) {
    vo_character person = *(const vo_character *)arg;
    vo_joint giant[GIANT];
    vo_arena memory;
    vo_joint_clip clip;
    make_giant(giant);
    vo_arena_init(&memory, ctx);
    vo_result result = vo_retarget(ctx, "person.bvh", &person, &person.clip[0], GIANT, giant,
                                   vo_affine_identity(), &memory, &clip);
    vo_arena_free(&memory);
    return result;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    if (!vo_import_has_assimp()) skip();
    vo_context *ctx = test_context(1);
    vo_character person;
    load_person(ctx, &person);
    test_every_allocation(retarget_body, &person);
    vo_character_free(&person);
    vo_context_destroy(ctx);
}

/* Loads a file of the characters' folder, or skips the test. */
static void load_character(vo_context *ctx, const char *name, vo_character *out) {
    char path[1024];
    snprintf(path, sizeof path, "%s/characters/%s", test_data(), name);
    assert_ok(ctx, vo_import_character(ctx, path, NULL, out));
}

static bool have_characters(void) {
    char path[1024];
    if (!vo_import_has_assimp() || test_data() == NULL) return false;
    snprintf(path, sizeof path, "%s/characters/Soldier.glb", test_data());
    if (vo_file_exists(path)) return true;
    print_message("the characters are not there: set VOILE_DATA\n");
    return false;
}

typedef struct extent {
    vo_vec3 low, high;
} extent;

static extent extent_at(const vo_character *c, const vo_joint_clip *clip, double time) {
    vo_vec3 *x = calloc((size_t)c->node_count, sizeof *x);
    assert_ok(c->ctx, character_positions(c, clip, time, VO_CLIP_LOOP, x));
    extent e = {x[0], x[0]};
    for (int n = 0; n < c->node_count; n++) {
        assert_true(v3_is_finite(x[n]));
        e.low = v3_min(e.low, x[n]);
        e.high = v3_max(e.high, x[n]);
    }
    free(x);
    return e;
}

/* The feet alternate in front, and one of them is on the floor. */
static void check_gait(const vo_character *c, const vo_joint_clip *clip, const char *left,
                       const char *right, double height) {
    vo_affine *joint = calloc((size_t)c->joint_count, sizeof *joint);
    int l = joint_named(c, left), r = joint_named(c, right);
    double most = 0, least = 0;
    for (int i = 0; i < 24; i++) {
        double t = clip->duration * i / 24;
        vo_character_pose(c, clip, t, VO_CLIP_LOOP, joint);
        double ahead = joint[l].offset.y - joint[r].offset.y;
        most = vo_max(most, ahead);
        least = vo_min(least, ahead);
        extent e = extent_at(c, clip, t);
        assert_near(e.high.z, height, 0.09);
        assert_near(e.low.z, 0, 0.05);
    }
    free(joint);
    assert_true(most > 0.25 && least < -0.25);
}

static void cesium_man_walks(void **state) {
    (void)state;
    if (!have_characters()) skip();
    vo_context *ctx = test_context(2);
    vo_character c;
    load_character(ctx, "CesiumMan.glb", &c);
    assert_int_equal(c.face_count, 4672);
    assert_near(extent_at(&c, NULL, 0).high.z, 1.507, 0.01);
    check_gait(&c, &c.clip[0], "leg_joint_L_5", "leg_joint_R_5", 1.49);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void soldier_stands_and_walks(void **state) {
    (void)state;
    if (!have_characters()) skip();
    vo_context *ctx = test_context(2);
    vo_character c;
    load_character(ctx, "Soldier.glb", &c);
    int idle = vo_character_find_clip(&c, "Idle"), walk = vo_character_find_clip(&c, "Walk");
    int run = vo_character_find_clip(&c, "Run");
    assert_true(idle >= 0 && walk >= 0 && run >= 0);
    for (int i = 0; i < 8; i++) {
        extent e = extent_at(&c, &c.clip[idle], 0.25 * i);
        assert_near(e.low.z, 0, 0.02);
        assert_near(e.high.z, 1.75, 0.06);
    }
    check_gait(&c, &c.clip[walk], "mixamorig:LeftFoot", "mixamorig:RightFoot", 1.77);
    assert_near(c.clip[run].duration, 0.7, 1e-3);
    vo_character_free(&c);
    vo_context_destroy(ctx);
}

static void soldier_turns_a_pirouette(void **state) {
    (void)state;
    if (!have_characters()) skip();
    vo_context *ctx = test_context(2);
    vo_character soldier, dance;
    vo_joint_clip clip;
    load_character(ctx, "Soldier.glb", &soldier);
    load_character(ctx, "pirouette.bvh", &dance);
    assert_ok(ctx, vo_retarget(ctx, "pirouette.bvh", &dance, &dance.clip[0], soldier.joint_count,
                               soldier.joint, soldier.world, &soldier.memory, &clip));
    vo_affine *joint = calloc((size_t)soldier.joint_count, sizeof *joint);
    int left = joint_named(&soldier, "mixamorig:LeftUpLeg");
    int right = joint_named(&soldier, "mixamorig:RightUpLeg");
    int head = joint_named(&soldier, "mixamorig:Head");
    double turned = 0, before = 0, most = 0;
    for (int i = 0; i <= 120; i++) {
        double t = clip.duration * i / 120;
        vo_character_pose(&soldier, &clip, t, VO_CLIP_HOLD, joint);
        vo_vec3 side = v3_sub(joint[left].offset, joint[right].offset);
        double angle = atan2(side.y, side.x);
        if (i > 0) turned += remainder(angle - before, 2 * VO_PI);
        most = vo_max(most, fabs(turned));
        before = angle;
        assert_true(joint[head].offset.z > joint[left].offset.z + 0.3);
        extent e = extent_at(&soldier, &clip, t);
        assert_near(e.low.z, 0.04,
                    0.12); /* it jumps and stands on its toes, but stays above the floor */
    }
    assert_true(most > 2 * VO_PI);
    free(joint);
    vo_character_free(&soldier);
    vo_character_free(&dance);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_all_customs),
        cmocka_unit_test(numbered_bones_are_in_order),
        cmocka_unit_test(bvh_moves_as_written),
        cmocka_unit_test(giant_moves_as_the_person_does),
        cmocka_unit_test(parts_that_are_missing),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(cesium_man_walks),
        cmocka_unit_test(soldier_stands_and_walks),
        cmocka_unit_test(soldier_turns_a_pirouette),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
