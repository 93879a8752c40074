/* Runs on disk: what a folder holds, stopping and going on, damage, refusals. */
#include "support.h"

#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene_text[] =
    "// a small sheet in wind\n"
    "{\n"
    "  \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 12,\n"
    "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 12, \"rows\": 12},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3, \"strain_limits\": [0.9, 1.1]}]}],\n"
    "  \"motions\": [[{\"time\": 0}, {\"time\": 0.4, \"transform\": {\"translate\": [0, 0, "
    "0.2]}}]],\n"
    "  \"handles\": [{\"nodes\": [0]}, {\"nodes\": [12], \"motion\": 0, \"start_time\": 0.1}],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 4, 0]}\n"
    "}\n";

typedef struct place {
    vo_context *ctx;
    char scene[600], run[600];
} place;

static place open_place(int threads) {
    place p = {.ctx = test_context(threads)};
    const char *folder = test_folder();
    snprintf(p.scene, sizeof p.scene, "%s/scene.json", folder);
    snprintf(p.run, sizeof p.run, "%s/run", folder);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, scene_text, strlen(scene_text)));
    return p;
}

static void close_place(place *p) { vo_context_destroy(p->ctx); }

static bool stop_at(void *user, const vo_progress *progress) {
    return progress->frame < *(int *)user;
}

static vo_result simulate(place *p, int stop) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.progress = stop_at;
    def.user = &stop;
    return vo_run_simulate(p->ctx, p->scene, &def);
}

static vo_result resume(place *p, int set_count, const char *const *sets) {
    vo_run_def def = vo_run_def_default();
    def.folder = p->run;
    def.set_count = set_count;
    def.sets = sets;
    return vo_run_resume(p->ctx, &def);
}

static const char *frame_path(const place *p, int frame) {
    static char path[700];
    snprintf(path, sizeof path, "%s/frames/%04d.vof", p->run, frame);
    return path;
}

static void assert_same_file(vo_context *ctx, const char *a, const char *b) {
    vo_bytes left, right;
    assert_ok(ctx, vo_file_read(ctx, a, &left));
    assert_ok(ctx, vo_file_read(ctx, b, &right));
    if (left.size != right.size || memcmp(left.data, right.data, left.size) != 0)
        fail_msg("%s and %s differ", a, b);
    vo_bytes_free(ctx, &left);
    vo_bytes_free(ctx, &right);
}

static void assert_same_frames(const place *a, const place *b, int last) {
    for (int i = 0; i <= last; i++) {
        char left[700];
        snprintf(left, sizeof left, "%s", frame_path(a, i));
        assert_same_file(a->ctx, left, frame_path(b, i));
    }
}

static void a_resumed_run_has_the_same_bits(void **state) {
    (void)state;
    place whole = open_place(1), parts = open_place(2);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&parts, 2), VO_STOPPED);
    assert_true(access(frame_path(&parts, 2), R_OK) == 0);
    assert_true(access(frame_path(&parts, 3), R_OK) != 0);
    for (int stop = 5; stop < 12; stop += 3) {
        vo_run_def def = vo_run_def_default();
        def.folder = parts.run;
        def.progress = stop_at;
        def.user = &stop;
        assert_int_equal(vo_run_resume(parts.ctx, &def), VO_STOPPED);
    }
    assert_ok(parts.ctx, resume(&parts, 0, NULL));
    assert_same_frames(&whole, &parts, 12);
    close_place(&whole);
    close_place(&parts);
}

/* A kill between the frame and its line, or in the middle of the line, leaves nothing to mend by
 * hand; a half-written temporary frame is no frame. */
static void a_kill_at_any_moment_is_made_good(void **state) {
    (void)state;
    place whole = open_place(1), killed = open_place(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&killed, 4), VO_STOPPED);
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
    vo_run_info_free(killed.ctx, &info);
    close_place(&whole);
    close_place(&killed);
}

static void a_damaged_frame_is_named_and_made_again(void **state) {
    (void)state;
    place whole = open_place(1), damaged = open_place(1);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&damaged, 6), VO_STOPPED);
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
    close_place(&whole);
    close_place(&damaged);
}

static void changed_parameters_are_recorded_and_kept(void **state) {
    (void)state;
    place once = open_place(1), twice = open_place(1);
    const char *set = "gravity=[0,0,5]";
    assert_int_equal(simulate(&once, 4), VO_STOPPED);
    assert_ok(once.ctx, resume(&once, 1, &set));
    assert_int_equal(simulate(&twice, 4), VO_STOPPED);
    vo_run_def def = vo_run_def_default();
    int stop = 7;
    def.folder = twice.run;
    def.sets = &set;
    def.set_count = 1;
    def.progress = stop_at;
    def.user = &stop;
    assert_int_equal(vo_run_resume(twice.ctx, &def), VO_STOPPED);
    assert_ok(twice.ctx, resume(&twice, 0, NULL)); /* the change still holds */
    assert_same_frames(&once, &twice, 12);
    char path[700];
    vo_bytes scene;
    snprintf(path, sizeof path, "%s/scene.json", once.run);
    assert_ok(once.ctx, vo_file_read(once.ctx, path, &scene));
    const char *overrides = strstr(scene.data, "from_frame");
    assert_non_null(overrides);
    assert_non_null(strstr(overrides, "gravity="));
    vo_bytes_free(once.ctx, &scene);
    close_place(&once);
    close_place(&twice);
}

static void a_run_in_the_way_is_not_overwritten(void **state) {
    (void)state;
    place p = open_place(1);
    assert_int_equal(simulate(&p, 2), VO_STOPPED);
    assert_int_equal(simulate(&p, 2), VO_BAD_CALL);
    assert_non_null(strstr(vo_context_message(p.ctx), "already holds"));
    assert_true(access(frame_path(&p, 2), R_OK) == 0);
    vo_run_def def = vo_run_def_default();
    def.folder = p.run;
    def.overwrite = true;
    def.last_frame = 1;
    assert_ok(p.ctx, vo_run_simulate(p.ctx, p.scene, &def));
    assert_true(access(frame_path(&p, 2), R_OK) != 0);
    close_place(&p);
}

static void what_is_not_a_run_is_refused(void **state) {
    (void)state;
    place p = open_place(1);
    vo_run_info info;
    assert_int_equal(resume(&p, 0, NULL), VO_BAD_DATA);
    assert_int_equal(vo_run_get_info(p.ctx, p.run, &info), VO_BAD_DATA);
    snprintf(p.run, sizeof p.run, "/proc/voile/run");
    assert_int_equal(simulate(&p, 2), VO_IO_FAILED);
    assert_non_null(strstr(vo_context_message(p.ctx), "/proc/voile"));
    close_place(&p);
}

static void export_writes_arcsims_names(void **state) {
    (void)state;
    place p = open_place(1);
    assert_int_equal(simulate(&p, 3), VO_STOPPED);
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
    assert_int_equal(vo_run_export_obj(p.ctx, &def), VO_BAD_CALL);
    close_place(&p);
}

/* ARCSim's flag: the same bits for one and two threads. */
static void the_flag_has_the_same_bits_for_any_thread_count(void **state) {
    (void)state;
    const char *data = test_data();
    if (!data) {
        print_message("skipped: no data folder (VOILE_DATA)\n");
        skip();
    }
    place p[2] = {open_place(1), open_place(2)};
    const char *sets[] = {"disable=proximity,collision,remeshing,separation,popfilter"};
    for (int i = 0; i < 2; i++) {
        snprintf(p[i].scene, sizeof p[i].scene, "%s/arcsim/conf/flag.json", data);
        vo_run_def def = vo_run_def_default();
        def.folder = p[i].run;
        def.last_frame = 20;
        def.sets = sets;
        def.set_count = 1;
        assert_ok(p[i].ctx, vo_run_simulate(p[i].ctx, p[i].scene, &def));
    }
    assert_same_frames(&p[0], &p[1], 20);
    close_place(&p[0]);
    close_place(&p[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(a_kill_at_any_moment_is_made_good),
        cmocka_unit_test(a_damaged_frame_is_named_and_made_again),
        cmocka_unit_test(changed_parameters_are_recorded_and_kept),
        cmocka_unit_test(a_run_in_the_way_is_not_overwritten),
        cmocka_unit_test(what_is_not_a_run_is_refused),
        cmocka_unit_test(export_writes_arcsims_names),
        cmocka_unit_test(the_flag_has_the_same_bits_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
