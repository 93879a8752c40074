/* Runs on disk: contents of a run folder, cancelling and resuming, damaged files, errors. */
#include "run_fixture.h"

#include "run/folder.h"
#include "run/segment.h"
#include "sim/sim.h"

static void resumed_run_has_equal_bits(void **state) {
    (void)state;
    run_fixture whole = open_run_fixture(1), parts = open_run_fixture(2);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&parts, 2), VO_CANCELLED);
    assert_true(access(frame_path(&parts, 2), R_OK) == 0);
    assert_true(access(frame_path(&parts, 3), R_OK) != 0);
    for (int stop = 5; stop < 12; stop += 3)
        assert_int_equal(resume_until(&parts, NULL, stop), VO_CANCELLED);
    assert_ok(parts.ctx, resume(&parts, 0, NULL));
    assert_same_frames(&whole, &parts, 12);
    close_run_fixture(&whole);
    close_run_fixture(&parts);
}

/* A process killed between a frame and its statistics line, or within the line, leaves a run that
 * resumes without manual repair; a partly written temporary frame file is ignored. */
static void killed_run_resumes(void **state) {
    (void)state;
    run_fixture whole = open_run_fixture(1), killed = open_run_fixture(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&killed, 4), VO_CANCELLED);
    char path[700];
    snprintf(path, sizeof path, "%s/stats.jsonl", killed.run);
    vo_bytes stats;
    assert_ok(killed.ctx, vo_file_read(killed.ctx, path, &stats));
    assert_ok(killed.ctx, vo_file_write(killed.ctx, path, stats.data, stats.size - 30));
    vo_bytes_free(killed.ctx, &stats);
    snprintf(path, sizeof path, "%s/frames/0005.vof.tmp", killed.run);
    assert_ok(killed.ctx, vo_file_append(killed.ctx, path, "half", 4));
    assert_ok(killed.ctx, resume(&killed, 0, NULL));
    assert_same_frames(&whole, &killed, 12);
    vo_run_info info;
    assert_ok(killed.ctx, vo_run_get_info(killed.ctx, killed.run, &info));
    assert_int_equal(info.frames, 13);
    assert_int_equal(info.warnings, 0);
    assert_near(info.faces.mean, 288, 1e-9);
    assert_true(info.wall_s.min > 0); /* the restored line has no wall time and is ignored */
    vo_run_info_free(killed.ctx, &info);
    close_run_fixture(&whole);
    close_run_fixture(&killed);
}

static void damaged_frame_is_named_and_recomputed(void **state) {
    (void)state;
    run_fixture whole = open_run_fixture(1), damaged = open_run_fixture(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&damaged, 6), VO_CANCELLED);
    char path[700];
    snprintf(path, sizeof path, "%s", frame_path(&damaged, 6));
    vo_bytes frame;
    assert_ok(damaged.ctx, vo_file_read(damaged.ctx, path, &frame));
    frame.data[frame.size / 2] ^= 1;
    assert_ok(damaged.ctx, vo_file_write(damaged.ctx, path, frame.data, frame.size));
    assert_int_equal(vo_check_run(damaged.ctx, damaged.run, NULL, NULL), VO_BAD_DATA);
    assert_ok(damaged.ctx, vo_file_write(damaged.ctx, path, frame.data, frame.size / 3));
    assert_int_equal(vo_check_run(damaged.ctx, damaged.run, NULL, NULL), VO_BAD_DATA);
    vo_bytes_free(damaged.ctx, &frame);
    assert_ok(damaged.ctx, resume(&damaged, 0, NULL));
    assert_ok(damaged.ctx, vo_check_run(damaged.ctx, damaged.run, NULL, NULL));
    assert_same_frames(&whole, &damaged, 12);
    close_run_fixture(&whole);
    close_run_fixture(&damaged);
}

/* Writes a frame in which the velocities of some nodes are NaN. */
static void set_nan_velocities(run_fixture *p, int frame, int first, int last) {
    vo_scene *scene;
    vo_sim *sim;
    vo_vof_writer *writer;
    assert_ok(p->ctx, vo_scene_load(p->ctx, p->scene, 0, NULL, &scene));
    assert_ok(p->ctx, vo_sim_create(p->ctx, scene, &sim));
    assert_ok(p->ctx, vo_vof_writer_create(p->ctx, &writer));
    assert_ok(p->ctx, vo_run_restore_frame(sim, p->run, frame));
    for (int i = first; i <= last; i++) sim->cloth[0].mesh->node_v[i].y = NAN;
    assert_ok(p->ctx, vo_sim_save(sim, writer, frame_path(p, frame)));
    vo_vof_writer_destroy(writer);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
}

typedef struct heard {
    int count;
    char last[500];
} heard;

static void hear(void *user, bool fatal, const char *sentence) {
    heard *h = user;
    assert_true(fatal);
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

/* One finding names the first node, however many there are. */
static void nan_velocities_are_reported_once(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    heard h = {0};
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    set_nan_velocities(&p, 1, 3, 40);
    assert_int_equal(vo_check_run(p.ctx, p.run, hear, &h), VO_BAD_DATA);
    assert_int_equal(h.count, 1);
    if (!strstr(h.last, "0001.vof: cloth 0: node 3, at")) fail_msg("%s", h.last);
    close_run_fixture(&p);
}

static void paths_are_quoted_for_shells(void **state) {
    (void)state;
    char out[20];
    assert_string_equal(vo_shell_quote("out/a_1.b", out, sizeof out), "out/a_1.b");
    assert_string_equal(vo_shell_quote("", out, sizeof out), "''");
    assert_string_equal(vo_shell_quote("-a", out, sizeof out), "./-a");
    assert_string_equal(vo_shell_quote("-a b", out, sizeof out), "'./-a b'");
    assert_string_equal(vo_shell_quote("it's $1", out, sizeof out), "'it'\\''s $1'");
    assert_true(strlen(vo_shell_quote("'", out, sizeof out)) < sizeof out);
}

static void existing_run_is_not_overwritten(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    assert_int_equal(simulate(&p, 2), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx,
                            "already contains a run of 3 frames; resume it, or set overwrite");
    assert_true(access(frame_path(&p, 2), R_OK) == 0);
    vo_run_def def = vo_run_def_default();
    def.folder = p.run;
    def.overwrite = true;
    def.last_frame = 1;
    assert_ok(p.ctx, vo_run_simulate(p.ctx, p.scene, &def));
    assert_true(access(frame_path(&p, 2), R_OK) != 0);
    close_run_fixture(&p);
}

/* A run locked by another process is not modified, even if overwriting is allowed. */
static void locked_run_is_not_modified(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    int lock;
    assert_ok(p.ctx, vo_folder_need_unlocked(p.ctx, p.run)); /* the folder does not exist yet */
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    assert_ok(p.ctx, vo_folder_need_unlocked(p.ctx, p.run)); /* the lock is released */
    assert_ok(p.ctx, vo_folder_lock(p.ctx, p.run, &lock));
    assert_int_equal(vo_folder_need_unlocked(p.ctx, p.run), VO_BAD_ARGUMENT);
    vo_run_def def = vo_run_def_default();
    def.folder = p.run;
    assert_int_equal(vo_run_simulate(p.ctx, p.scene, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "another process is writing this run");
    def.overwrite = true;
    assert_int_equal(vo_run_simulate(p.ctx, p.scene, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "another process is writing this run");
    assert_int_equal(vo_run_simulate(p.ctx, "nowhere.json", &def),
                     VO_BAD_ARGUMENT); /* the lock is tested before the scene is read */
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "another process is writing this run");
    assert_true(access(frame_path(&p, 2), R_OK) == 0);
    vo_folder_unlock(lock);
    assert_ok(p.ctx, resume(&p, 0, NULL));
    close_run_fixture(&p);
}

static void folder_without_run_is_rejected(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    vo_run_info info;
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_DATA);
    assert_int_equal(vo_run_get_info(p.ctx, p.run, &info), VO_BAD_DATA);
    vo_export_def def = vo_export_def_default();
    def.folder = p.run;
    assert_int_equal(vo_run_export_obj(p.ctx, &def), VO_BAD_DATA);
    assert_message_contains(p.ctx, "not the folder of a run");
    snprintf(p.run, sizeof p.run, "/proc/voile/run");
    assert_int_equal(simulate(&p, 2), VO_IO_FAILED);
    assert_message_contains(p.ctx, "/proc/voile");
    close_run_fixture(&p);
}

static void export_writes_arcsims_names(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 3), VO_CANCELLED);
    char output[700], path[800];
    snprintf(output, sizeof output, "%s-obj", p.run);
    vo_export_def def = vo_export_def_default();
    def.folder = p.run;
    def.output = output;
    def.first = 1;
    assert_ok(p.ctx, vo_run_export_obj(p.ctx, &def));
    for (int frame = 0; frame <= 3; frame++) {
        snprintf(path, sizeof path, "%s/%04d_00.obj", output, frame);
        assert_int_equal(access(path, R_OK) == 0, frame >= 1);
    }
    vo_mesh *mesh;
    assert_ok(p.ctx, vo_mesh_load_obj(p.ctx, path, VO_MESH_FOR_CLOTH, &mesh));
    assert_int_equal(vo_mesh_get_view(mesh).face_count, 288);
    vo_mesh_destroy(mesh);
    def.first = 50;
    assert_int_equal(vo_run_export_obj(p.ctx, &def), VO_BAD_ARGUMENT);
    close_run_fixture(&p);
}

/* A frame file with the name of another frame is rejected. */
static void frame_number_must_match_file_name(void **state) {
    (void)state;
    run_fixture whole = open_run_fixture(1), moved = open_run_fixture(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&moved, 6), VO_CANCELLED);
    char from[700];
    vo_bytes frame;
    snprintf(from, sizeof from, "%s", frame_path(&moved, 3));
    assert_ok(moved.ctx, vo_file_read(moved.ctx, from, &frame));
    assert_ok(moved.ctx, vo_file_write(moved.ctx, frame_path(&moved, 6), frame.data, frame.size));
    vo_bytes_free(moved.ctx, &frame);
    vo_export_def def = vo_export_def_default();
    def.folder = moved.run;
    assert_int_equal(vo_run_export_obj(moved.ctx, &def), VO_BAD_DATA);
    assert_message_contains(moved.ctx,
                            "0006.vof: contains frame 3, but its name is that of frame 6");
    assert_int_equal(vo_check_run(moved.ctx, moved.run, NULL, NULL), VO_BAD_DATA);
    assert_ok(moved.ctx, resume(&moved, 0, NULL));
    assert_ok(moved.ctx, vo_check_run(moved.ctx, moved.run, NULL, NULL));
    assert_same_frames(&whole, &moved, 12);
    close_run_fixture(&whole);
    close_run_fixture(&moved);
}

static vo_run_info get_info(const run_fixture *p) {
    vo_run_info info;
    assert_ok(p->ctx, vo_run_get_info(p->ctx, p->run, &info));
    return info;
}

/* Writes a statistics line of a frame with `faces` faces and a wall time. */
static void add_line(const run_fixture *p, int frame, int faces, double wall_s) {
    char path[700], line[2000];
    snprintf(path, sizeof path, "%s/stats.jsonl", p->run);
    snprintf(line, sizeof line,
             "{\"frame\": %d, \"time\": 0, \"cloths\": 1, \"faces\": %d, \"edges\": 1, "
             "\"nodes\": 1, \"verts\": 1, \"wall_s\": %g, \"stages\": {}}\n",
             frame, faces, wall_s);
    assert_ok(p->ctx, vo_file_append(p->ctx, path, line, strlen(line)));
}

static void info_joins_lines_and_frames(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    add_line(&p, 50, 100000, 1e6); /* frame out of range */
    add_line(&p, 2, 300, 5);       /* the last line of a frame is used */
    vo_run_info info = get_info(&p);
    assert_int_equal(info.frames, 5);
    assert_near(info.faces.max, 300, 0);
    assert_near(info.faces.mean, (4 * 288 + 300) / 5.0, 1e-9);
    assert_near(info.wall_s.max, 5, 0);
    assert_int_equal(info.warnings, 0);
    vo_run_info_free(p.ctx, &info);
    add_line(&p, 2, 288, 0); /* restored, without timing */
    info = get_info(&p);
    assert_true(info.wall_s.min > 0 && info.wall_s.max < 5);
    vo_run_info_free(p.ctx, &info);
    close_run_fixture(&p);
}

/* Appends another line for a frame, which replaces the earlier one. */
static void tell_excess(const run_fixture *p, int frame, double excess, int missed) {
    char path[700], line[400];
    snprintf(path, sizeof path, "%s/stats.jsonl", p->run);
    snprintf(line, sizeof line,
             "{\"frame\": %d, \"wall_s\": 1, \"stages\": {}, \"budget_excess\": %g, "
             "\"budget_missed\": %d}\n",
             frame, excess, missed);
    assert_ok(p->ctx, vo_file_append(p->ctx, path, line, strlen(line)));
}

static void expect_warning(const run_fixture *p, const char *text) {
    vo_run_info info = get_info(p);
    assert_int_equal(info.warnings, 1);
    assert_string_equal(info.warning[0], text);
    vo_run_info_free(p->ctx, &info);
}

/* Deviations from the budget up to 3 % are not reported; larger ones are summarised in one line. */
static void info_tells_of_budgets(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    tell_excess(&p, 0, 0.4, 0);
    tell_excess(&p, 1, 0.02, 0);
    expect_warning(&p, "1 frame is above view.budget_faces or view.budget_seconds, by up to 40 %");
    tell_excess(&p, 2, 0.1, 0);
    expect_warning(&p,
                   "2 frames are above view.budget_faces or view.budget_seconds, by up to 40 %");
    tell_excess(&p, 3, 0.1, 1);
    expect_warning(&p, "3 frames are above view.budget_faces or view.budget_seconds, by up to "
                       "40 %; in 1 of them edges have their maximum length");
    close_run_fixture(&p);
}

/* Adds a line for a frame, which replaces the earlier one. */
static void add_counter(const run_fixture *p, int frame, const char *counter, double value) {
    char path[700], line[400];
    snprintf(path, sizeof path, "%s/stats.jsonl", p->run);
    snprintf(line, sizeof line, "{\"frame\": %d, \"wall_s\": 1, \"stages\": {}, \"%s\": %g}\n",
             frame, counter, value);
    assert_ok(p->ctx, vo_file_append(p->ctx, path, line, strlen(line)));
}

/* The strain from which a simulation warns is listed. */
static void info_lists_implausible_strain(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    add_counter(&p, 1, "max_strain", 0.99);
    vo_run_info info = get_info(&p);
    assert_int_equal(info.warnings, 0);
    vo_run_info_free(p.ctx, &info);
    add_counter(&p, 2, "max_strain", 1.5);
    expect_warning(&p, "1 frame has cloth stretched to more than twice its length, up to 2.5 "
                       "times, from frame 2 on");
    add_counter(&p, 4, "max_strain", 1.25);
    expect_warning(&p, "2 frames have cloth stretched to more than twice its length, up to 2.5 "
                       "times, from frame 2 on");
    close_run_fixture(&p);
}

static void info_uses_singular_and_plural(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    add_counter(&p, 1, "frozen_substeps", 1);
    expect_warning(&p, "1 substep had no solution; the cloth was frozen in it (in 1 frame)");
    add_counter(&p, 2, "frozen_substeps", 2);
    expect_warning(&p, "3 substeps had no solution; the cloth was frozen in them (in 2 frames)");
    add_counter(&p, 1, "frozen_nodes", 1);
    add_counter(&p, 2, "frozen_nodes", 0);
    expect_warning(&p, "1 time a node was frozen to avoid a collision (in 1 frame)");
    close_run_fixture(&p);
}

static void info_counts_intact_frames(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    truncate_frame(&p, 4);
    char path[700];
    snprintf(path, sizeof path, "%s/frames/7.vof", p.run); /* not a name that a run creates */
    assert_ok(p.ctx, vo_file_append(p.ctx, path, "seven", 5));
    vo_run_info info = get_info(&p);
    assert_int_equal(info.frames, 4);
    assert_int_equal(info.last_frame, 3);
    assert_int_equal(info.warnings, 1);
    assert_non_null(strstr(info.warning[0], "0004.vof"));
    vo_run_info_free(p.ctx, &info);
    close_run_fixture(&p);
}

static vo_result info_body(vo_context *ctx, void *arg) {
    vo_run_info info;
    vo_result result = vo_run_get_info(ctx, ((run_fixture *)arg)->run, &info);
    vo_run_info_free(ctx, &info);
    return result;
}

static void info_survives_allocation_failure(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    assert_int_equal(resume_until(&p, "gravity=[0,0,5]", 4), VO_CANCELLED);
    truncate_frame(&p, 4);
    test_every_allocation(info_body, &p);
    close_run_fixture(&p);
}

/* ARCSim's flag scene gives the same bits for one and two threads. */
static void flag_has_equal_bits_for_any_thread_count(void **state) {
    (void)state;
    const char *data = test_data();
    if (!data) {
        print_message("skipped: no data folder (VOILE_DATA)\n");
        skip();
    }
    run_fixture p[2] = {open_run_fixture(1), open_run_fixture(2)};
    const char *sets[] = {"disable=proximity,collision,remeshing,separation,popfilter"};
    for (int i = 0; i < 2; i++) {
        snprintf(p[i].scene, sizeof p[i].scene, "%s/arcsim/conf/flag.json", data);
        vo_run_def def = vo_run_def_default();
        def.folder = p[i].run;
        def.last_frame = 20;
        def.overrides = sets;
        def.override_count = 1;
        assert_ok(p[i].ctx, vo_run_simulate(p[i].ctx, p[i].scene, &def));
    }
    assert_same_frames(&p[0], &p[1], 20);
    close_run_fixture(&p[0]);
    close_run_fixture(&p[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_run_has_equal_bits),
        cmocka_unit_test(killed_run_resumes),
        cmocka_unit_test(damaged_frame_is_named_and_recomputed),
        cmocka_unit_test(nan_velocities_are_reported_once),
        cmocka_unit_test(paths_are_quoted_for_shells),
        cmocka_unit_test(existing_run_is_not_overwritten),
        cmocka_unit_test(locked_run_is_not_modified),
        cmocka_unit_test(folder_without_run_is_rejected),
        cmocka_unit_test(export_writes_arcsims_names),
        cmocka_unit_test(frame_number_must_match_file_name),
        cmocka_unit_test(info_joins_lines_and_frames),
        cmocka_unit_test(info_tells_of_budgets),
        cmocka_unit_test(info_lists_implausible_strain),
        cmocka_unit_test(info_uses_singular_and_plural),
        cmocka_unit_test(info_counts_intact_frames),
        cmocka_unit_test(info_survives_allocation_failure),
        cmocka_unit_test(flag_has_equal_bits_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
