/* Runs whose scene is overridden when they are resumed: the frame from which an override applies,
 * overrides that are rejected, and the scene with which each frame is read. */
#include "run_fixture.h"

#include "codec/vof.h"
#include "run/folder.h"

static const char lift[] = "gravity=[0,0,5]", calm[] = "wind.velocity=[0,0,0]";

/* Asserts that scene.json of a run contains the text, or does not. */
static bool scene_has(const run_fixture *p, const char *text) {
    vo_bytes scene = run_file(p, "scene.json");
    bool has = strstr(scene.data, text) != NULL;
    vo_bytes_free(p->ctx, &scene);
    return has;
}

/* Position of a node in a frame. */
static vo_vec3 node_at(const run_fixture *p, int frame, int node) {
    vo_vof_reader *reader;
    int count;
    const void *rows;
    assert_ok(p->ctx, vo_vof_open(p->ctx, frame_path(p, frame), &reader));
    assert_ok(p->ctx, vo_vof_find(reader, "node_x", 0, VO_VOF_F64, 3, &count, &rows));
    assert_true(node < count);
    vo_vec3 x = ((const vo_vec3 *)rows)[node];
    vo_vof_close(reader);
    return x;
}

static void changes_are_recorded_and_kept(void **state) {
    (void)state;
    run_fixture once = open_run_fixture(1), twice = open_run_fixture(1);
    const char *set = lift;
    assert_int_equal(simulate(&once, 4), VO_CANCELLED);
    assert_ok(once.ctx, resume(&once, 1, &set));
    assert_int_equal(simulate(&twice, 4), VO_CANCELLED);
    assert_int_equal(resume_until(&twice, lift, 7), VO_CANCELLED);
    assert_ok(twice.ctx, resume(&twice, 0, NULL)); /* the override still applies */
    assert_same_frames(&once, &twice, 12);
    assert_true(scene_has(&once, "\"from_frame\": 5"));
    assert_true(scene_has(&once, "gravity="));
    close_run_fixture(&once);
    close_run_fixture(&twice);
}

/* Deleted frames before and after an override are recomputed, each with its original scene. */
static void frames_made_again_follow_the_changes(void **state) {
    (void)state;
    run_fixture whole = open_run_fixture(1), broken = open_run_fixture(2),
                *both[] = {&whole, &broken};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(simulate(both[i], 4), VO_CANCELLED);
        assert_int_equal(resume_until(both[i], lift, 7), VO_CANCELLED);
        assert_ok(both[i]->ctx, resume(both[i], 1, (const char *[]){calm}));
    }
    for (int frame = 3; frame <= 12; frame++) truncate_frame(&broken, frame);
    assert_ok(broken.ctx, resume(&broken, 0, NULL));
    assert_same_frames(&whole, &broken, 12);
    close_run_fixture(&whole);
    close_run_fixture(&broken);
}

/* An override at a frame before a recorded one keeps the recorded one: the result is the same as if
 * both had been made in the order of their frames. */
static void override_before_a_recorded_one_keeps_both(void **state) {
    (void)state;
    run_fixture order = open_run_fixture(1), late = open_run_fixture(1);
    assert_int_equal(simulate(&order, 2), VO_CANCELLED);
    assert_int_equal(resume_until(&order, "gravity=[0,0,-1]", 4), VO_CANCELLED);
    assert_ok(order.ctx, resume(&order, 1, (const char *[]){lift}));
    assert_int_equal(simulate(&late, 4), VO_CANCELLED);
    assert_int_equal(resume_until(&late, lift, 7), VO_CANCELLED);
    for (int frame = 3; frame <= 7; frame++) truncate_frame(&late, frame);
    assert_ok(late.ctx, resume(&late, 1, (const char *[]){"gravity=[0,0,-1]"}));
    assert_same_frames(&order, &late, 12);
    vo_run_info info;
    assert_ok(late.ctx, vo_run_get_info(late.ctx, late.run, &info));
    assert_int_equal(info.overrides, 2);
    assert_non_null(strstr(info.override_text[0], "from frame 3: gravity="));
    assert_non_null(strstr(info.override_text[1], "from frame 5: gravity="));
    vo_run_info_free(late.ctx, &info);
    close_run_fixture(&order);
    close_run_fixture(&late);
}

/* The last override of the end time applies, even if frames before it are recomputed. */
static void later_end_time_is_kept(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, simulate(&p, 1000));
    assert_ok(p.ctx, resume(&p, 1, (const char *[]){"end_frame=14"}));
    assert_true(access(frame_path(&p, 14), R_OK) == 0);
    for (int frame = 9; frame <= 14; frame++) assert_int_equal(unlink(frame_path(&p, frame)), 0);
    assert_ok(p.ctx, resume(&p, 0, NULL));
    assert_true(access(frame_path(&p, 14), R_OK) == 0);
    assert_ok(p.ctx, vo_check_run(p.ctx, p.run, NULL, NULL));
    close_run_fixture(&p);
}

/* A new run of the scene of a run starts with its overrides. */
static void new_run_applies_all_overrides(void **state) {
    (void)state;
    run_fixture changed = open_run_fixture(1), again = open_run_fixture(1),
                plain = open_run_fixture(1);
    assert_int_equal(simulate(&changed, 4), VO_CANCELLED);
    assert_int_equal(resume_until(&changed, lift, 6), VO_CANCELLED);
    snprintf(again.scene, sizeof again.scene, "%.500s/scene.json", changed.run);
    assert_ok(again.ctx, simulate(&again, 1000));
    assert_false(scene_has(&again, "from_frame"));
    vo_run_def def = vo_run_def_default();
    def.folder = plain.run;
    def.override_count = 1;
    def.overrides = (const char *[]){lift};
    assert_ok(plain.ctx, vo_run_simulate(plain.ctx, plain.scene, &def));
    assert_same_frames(&plain, &again, 12);
    close_run_fixture(&changed);
    close_run_fixture(&again);
    close_run_fixture(&plain);
}

static void geometry_cannot_be_changed(void **state) {
    (void)state;
    static const char *const sets[] = {"cloths[0].grid.columns=9", "cloths[0].grid.columns=18",
                                       "cloths[0].grid.width=2",
                                       "cloths[0].transform.translate=[0,0,1]", "units=cm"};
    run_fixture whole = open_run_fixture(1), p = open_run_fixture(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        assert_int_equal(resume(&p, 1, &sets[i]), VO_BAD_DATA);
        char said[200];
        snprintf(said, sizeof said,
                 "caller): %.*s: changes the cloth that the run started with, which cannot",
                 (int)strcspn(sets[i], "="), sets[i]);
        assert_message_contains(p.ctx, said);
        assert_false(scene_has(&p, "from_frame"));
    }
    assert_ok(p.ctx, resume(&p, 0, NULL));
    assert_same_frames(&whole, &p, 12);
    close_run_fixture(&whole);
    close_run_fixture(&p);
}

/* Also if an editor changed the file: handles refer to nodes of the scene's mesh, so a frame of
 * another mesh is rejected. */
static void scene_with_another_mesh_is_rejected(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    vo_bytes scene = run_file(&p, "scene.json");
    char path[700], *columns = strstr(scene.data, "\"columns\": 12");
    assert_non_null(columns);
    memcpy(columns, "\"columns\": 60", 13);
    snprintf(path, sizeof path, "%s/scene.json", p.run);
    assert_ok(p.ctx, vo_file_write(p.ctx, path, scene.data, scene.size));
    vo_bytes_free(p.ctx, &scene);
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_DATA);
    assert_message_contains(p.ctx, "0004.vof: cloth 0 has 169 nodes, 169 verts and 288 faces");
    assert_int_equal(vo_check_run(p.ctx, p.run, NULL, NULL), VO_BAD_DATA);
    close_run_fixture(&p);
}

/* An override that removes one of two cloths, or adds a third, is rejected. */
static void number_of_cloths_cannot_change(void **state) {
    (void)state;
#define CLOTH                                                                                  \
    "{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 12, \"rows\": 12}, \"materials\": " \
    "[{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}"
    static const char *const sets[] = {"cloths=[" CLOTH "]", "cloths[2]=" CLOTH};
    run_fixture p = open_run_fixture(1);
    vo_run_def def = vo_run_def_default();
    def.folder = p.run;
    def.last_frame = 2;
    def.override_count = 1;
    def.overrides = (const char *[]){"cloths[1]=" CLOTH};
    assert_ok(p.ctx, vo_run_simulate(p.ctx, p.scene, &def));
    def.last_frame = 4;
    for (int i = 0; i < 2; i++) {
        def.overrides = &sets[i];
        assert_int_equal(vo_run_resume(p.ctx, &def), VO_BAD_DATA);
        assert_message_contains(p.ctx, i ? "caller): cloths[2]: changes the number of cloths"
                                         : "caller): cloths: changes the number of cloths");
        assert_false(scene_has(&p, "from_frame"));
    }
    close_run_fixture(&p);
#undef CLOTH
}

/* Handle 0 held node 0 and handle 1 node 12; the override swaps them. Each handle attaches to its
 * new node at the current position of that node. */
static void changed_handle_attaches_again(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 5), VO_CANCELLED);
    vo_vec3 before = node_at(&p, 5, 12);
    assert_int_equal(resume_until(&p, "handles=[{\"nodes\": [12]}, {\"nodes\": [0]}]", 6),
                     VO_CANCELLED);
    vo_vec3 after = node_at(&p, 6, 12);
    assert_near(after.x, before.x, 1e-12);
    assert_near(after.y, before.y, 1e-12);
    assert_near(after.z, before.z, 1e-12);
    assert_near(node_at(&p, 6, 0).x, 0, 1e-12);
    close_run_fixture(&p);
}

/* Adds a handle in front of or behind the existing ones. */
static void handles_can_be_added(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 3), VO_CANCELLED);
    assert_int_equal(
        resume_until(&p,
                     "handles=[{\"type\": \"soft\", \"center\": [1, 1, 0], \"radius\": 3}, "
                     "{\"nodes\": [0]}, {\"nodes\": [12, 11, 10]}]",
                     5),
        VO_CANCELLED);
    assert_ok(p.ctx, resume(&p, 0, NULL));
    assert_ok(p.ctx, vo_check_run(p.ctx, p.run, NULL, NULL));
    close_run_fixture(&p);
}

/* Copies the sections of a frame; the attachment of handle 0 loses its last row. */
static void truncate_attachment(const run_fixture *p, int frame) {
    static const struct {
        const char *tag;
        vo_vof_type type;
        int columns;
    } all[] = {
        {"node_x", VO_VOF_F64, 3},   {"node_v", VO_VOF_F64, 3},   {"node_lab", VO_VOF_I32, 1},
        {"vert_u", VO_VOF_F64, 2},   {"vert_nod", VO_VOF_I32, 1}, {"vert_lab", VO_VOF_I32, 1},
        {"face_vrt", VO_VOF_I32, 3}, {"face_lab", VO_VOF_I32, 1}, {"face_dmg", VO_VOF_F64, 1},
        {"edge_nod", VO_VOF_I32, 2}, {"edge_rst", VO_VOF_F64, 1}, {"edge_lab", VO_VOF_I32, 1},
        {"edge_dmg", VO_VOF_F64, 1}, {"guess", VO_VOF_F64, 3},    {"hold_who", VO_VOF_I32, 1},
        {"hold", VO_VOF_F64, 3}};
    vo_vof_reader *reader;
    vo_vof_writer *writer;
    assert_ok(p->ctx, vo_vof_open(p->ctx, frame_path(p, frame), &reader));
    assert_ok(p->ctx, vo_vof_writer_create(p->ctx, &writer));
    vo_vof_begin(writer, frame, vo_vof_time(reader));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int count;
        const void *rows;
        assert_ok(p->ctx,
                  vo_vof_find(reader, all[i].tag, 0, all[i].type, all[i].columns, &count, &rows));
        count -= strcmp(all[i].tag, "hold") == 0;
        assert_ok(p->ctx,
                  vo_vof_add(writer, all[i].tag, 0, all[i].type, all[i].columns, count, rows));
    }
    vo_vof_close(reader);
    assert_ok(p->ctx, vo_vof_save(writer, frame_path(p, frame)));
    vo_vof_writer_destroy(writer);
}

static void bad_attachment_names_the_handle(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 3), VO_CANCELLED);
    truncate_attachment(&p, 3);
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_DATA);
    assert_message_contains(p.ctx, "0003.vof: section hold of handle 0 has 0 rows instead of 1");
    close_run_fixture(&p);
}

/* Overrides of a finished run would have no effect and are rejected. */
static void finished_run_rejects_overrides(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, simulate(&p, 1000));
    assert_int_equal(resume(&p, 1, (const char *[]){lift}), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "later last_frame");
    assert_false(scene_has(&p, "from_frame"));
    assert_ok(p.ctx, resume(&p, 0, NULL));
    close_run_fixture(&p);
}

static double first_height(const char *folder, const char *name) {
    char path[900], line[200];
    double x, y, z = NAN;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s is not there", path);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "v %lf %lf %lf", &x, &y, &z) == 3) break;
    fclose(file);
    return z;
}

/* An obstacle moved by an override at frame 5 keeps its position in earlier frames. */
static void export_and_check_use_the_scene_of_each_frame(void **state) {
    (void)state;
    static const char block[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    run_fixture p = open_run_fixture(1);
    char path[700], output[700];
    snprintf(path, sizeof path, "%.*s/block.obj", (int)(strrchr(p.scene, '/') - p.scene), p.scene);
    assert_ok(p.ctx, vo_file_write(p.ctx, path, block, strlen(block)));
    vo_run_def run = vo_run_def_default();
    run.folder = p.run;
    run.last_frame = 4;
    run.override_count = 1;
    run.overrides = (const char *[]){
        "obstacles=[{\"mesh\": \"block.obj\", \"transform\": {\"translate\": [0, 0, -3]}}]"};
    assert_ok(p.ctx, vo_run_simulate(p.ctx, p.scene, &run));
    run.last_frame = 6;
    run.override_count = 2;
    run.overrides = (const char *[]){"obstacles[0].transform.translate=[0,0,-7]", "handles=[]"};
    assert_ok(p.ctx, vo_run_resume(p.ctx, &run));
    snprintf(output, sizeof output, "%s-obj", p.run);
    vo_export_def def = vo_export_def_default();
    def.folder = p.run;
    def.output = output;
    def.obstacles = true;
    assert_ok(p.ctx, vo_run_export_obj(p.ctx, &def));
    assert_near(first_height(output, "0000_obs00.obj"), -3, 1e-12);
    assert_near(first_height(output, "0004_obs00.obj"), -3, 1e-12);
    assert_near(first_height(output, "0005_obs00.obj"), -7, 1e-12);
    assert_ok(p.ctx, vo_check_run(p.ctx, p.run, NULL, NULL));
    close_run_fixture(&p);
}

/* Resumes before a recorded override with a new one; every allocation fails once. */
typedef struct attempt {
    run_fixture *base;
    vo_bytes scene; /* unchanged */
} attempt;

static vo_result resume_body(vo_context *ctx, void *arg) {
    const attempt *a = arg;
    char path[700];
    vo_run_def def = vo_run_def_default();
    def.folder = a->base->run;
    def.last_frame = 5;
    def.override_count = 1;
    def.overrides = (const char *[]){calm};
    unlink(frame_path(a->base, 4));
    unlink(frame_path(a->base, 5));
    snprintf(path, sizeof path, "%s/scene.json", a->base->run);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(a->scene.data, 1, a->scene.size, file), a->scene.size);
    assert_int_equal(fclose(file), 0);
    return vo_run_resume(ctx, &def);
}

/* A sheet falls through a ball while collisions are disabled. */
static const char ghost_text[] =
    "{\n"
    "  \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 6, \"disable\": [\"collision\", "
    "\"proximity\"],\n"
    "  \"cloths\": [{\"grid\": {\"width\": 0.4, \"height\": 0.4, \"columns\": 10, \"rows\": 10},\n"
    "    \"transform\": {\"translate\": [-0.2, -0.2, 0.12]},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3}]}],\n"
    "  \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1, \"edge_length\": "
    "0.04}}],\n"
    "  \"gravity\": [0, 0, -9.8]\n"
    "}\n";

static vo_stats stats_of(const run_fixture *p, int frame) {
    vo_stats_list list;
    vo_stats stats = {0};
    assert_ok(p->ctx, vo_folder_read_stats(p->ctx, p->run, &list));
    for (int i = 0; i < list.count; i++)
        if (list.stats[i].frame == frame) stats = list.stats[i];
    vo_stats_list_free(p->ctx, &list);
    return stats;
}

/* Intersections caused by an override are removed before its first frame, also in a run that is
 * cancelled there and in one that is recomputed. */
static void intersections_of_override_are_removed(void **state) {
    (void)state;
    run_fixture once = open_run_fixture(1), twice = open_run_fixture(2), *both[] = {&once, &twice};
    const char *set = "disable=[]";
    for (int i = 0; i < 2; i++) {
        run_fixture *p = both[i];
        assert_ok(p->ctx, vo_file_write(p->ctx, p->scene, ghost_text, strlen(ghost_text)));
        assert_int_equal(simulate(p, 4), VO_CANCELLED);
        assert_true(stats_of(p, 4).intersections > 0);
    }
    assert_ok(once.ctx, resume(&once, 1, &set));
    assert_int_equal(resume_until(&twice, set, 5), VO_CANCELLED);
    assert_int_equal(unlink(frame_path(&twice, 5)),
                     0); /* as if the run had ended before that frame */
    assert_int_equal(unlink(frame_path(&twice, 4)), 0);
    assert_ok(twice.ctx, resume(&twice, 0, NULL));
    for (int frame = 5; frame <= 6; frame++) {
        vo_stats stats = stats_of(&once, frame);
        assert_int_equal(stats.intersections, 0);
        assert_int_equal(stats.inside_nodes, 0);
    }
    assert_true(stats_of(&once, 5).untangled > 0);
    assert_int_equal(stats_of(&once, 5).untangled, stats_of(&twice, 5).untangled);
    assert_int_equal(stats_of(&once, 6).untangled, 0);
    assert_same_frames(&once, &twice, 6);
    close_run_fixture(&once);
    close_run_fixture(&twice);
}

static void overrides_survive_allocation_failure(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    assert_int_equal(resume_until(&p, lift, 5), VO_CANCELLED);
    attempt a = {&p, run_file(&p, "scene.json")};
    test_every_allocation(resume_body, &a);
    vo_bytes_free(p.ctx, &a.scene);
    close_run_fixture(&p);
}

/* A vo_cancel_fn that returns true after a number of calls. */
static bool stop_after(void *user) {
    int *left = user;
    return (*left)-- <= 0;
}

/* Cancelling during the search for the rejected key returns VO_CANCELLED and names no key. */
static void cancelled_override_search_names_no_key(void **state) {
    (void)state;
    static const char *const sets[] = {"friction=0.5", "preroll=1", "wind.drag=0"};
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    close_run_fixture(&p);
    int asked = 0, left = -1;
    for (; left < 0; asked++) {
        vo_context_def def = vo_context_def_default();
        def.threads = 1;
        def.cancel = stop_after;
        def.cancel_user = &left;
        left = asked;
        assert_int_equal(vo_context_create(&def, &p.ctx), VO_OK);
        vo_result result = resume(&p, 3, sets);
        assert_int_equal(result, left < 0 ? VO_CANCELLED : VO_BAD_DATA);
        assert_message_contains(p.ctx, left < 0 ? "cancelled by the caller" : "preroll: changes");
        close_run_fixture(&p);
    }
    assert_true(asked > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_recorded_and_kept),
        cmocka_unit_test(frames_made_again_follow_the_changes),
        cmocka_unit_test(override_before_a_recorded_one_keeps_both),
        cmocka_unit_test(later_end_time_is_kept),
        cmocka_unit_test(new_run_applies_all_overrides),
        cmocka_unit_test(geometry_cannot_be_changed),
        cmocka_unit_test(scene_with_another_mesh_is_rejected),
        cmocka_unit_test(number_of_cloths_cannot_change),
        cmocka_unit_test(changed_handle_attaches_again),
        cmocka_unit_test(handles_can_be_added),
        cmocka_unit_test(bad_attachment_names_the_handle),
        cmocka_unit_test(finished_run_rejects_overrides),
        cmocka_unit_test(export_and_check_use_the_scene_of_each_frame),
        cmocka_unit_test(intersections_of_override_are_removed),
        cmocka_unit_test(overrides_survive_allocation_failure),
        cmocka_unit_test(cancelled_override_search_names_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
