/* Run reader: contents, frames, segments, running and damaged runs. */
#include "run_fixture.h"

#include "run/folder.h"
#include "run/log_filter.h"
#include "sim/sim.h"

static vo_run_reader *open_reader(const run_fixture *p) {
    vo_run_reader *reader;
    assert_ok(p->ctx, vo_run_reader_open(p->ctx, p->run, &reader));
    return reader;
}

static void finished_run_lists_frames_and_statistics(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, simulate(&p, 1000));
    vo_run_reader *reader = open_reader(&p);
    assert_int_equal(vo_run_reader_frame_count(reader), 13);
    assert_int_equal(vo_run_reader_start_frame(reader), 0);
    assert_int_equal(vo_run_reader_current_frame(reader), -1);
    assert_int_equal(vo_run_reader_get_cloth(reader, 0).node_count, 0);
    for (int i = 0; i < 13; i++) {
        assert_int_equal(vo_run_reader_frame_number(reader, i), i);
        assert_int_equal(vo_run_reader_find_frame(reader, i), i);
        assert_non_null(vo_run_reader_find_stats(reader, i));
        assert_int_equal(vo_run_reader_find_stats(reader, i)->frame, i);
        assert_int_equal(vo_run_reader_find_stats(reader, i)->faces, 288);
    }
    assert_int_equal(vo_run_reader_find_frame(reader, 13), -1);
    assert_null(vo_run_reader_find_stats(reader, 13));
    assert_non_null(strstr(vo_run_reader_scene_text(reader), "\"frame_time\""));
    vo_run_reader_close(reader);
    vo_run_reader_close(NULL);
    close_run_fixture(&p);
}

/* Frames read from a run equal those of a simulation, for any number of threads. */
static void frames_equal_the_simulation(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        run_fixture p = open_run_fixture(threads);
        vo_scene *scene;
        vo_sim *sim;
        assert_ok(p.ctx, simulate(&p, 1000));
        assert_ok(p.ctx, vo_scene_load(p.ctx, p.scene, 0, NULL, &scene));
        assert_ok(p.ctx, vo_sim_create(p.ctx, scene, &sim));
        vo_run_reader *reader = open_reader(&p);
        for (int frame = 0; frame <= 12; frame++) {
            if (frame > 0) assert_ok(p.ctx, vo_sim_step_frame(sim));
            assert_ok(p.ctx, vo_run_reader_read_frame(reader, frame));
            vo_mesh_view a = vo_sim_get_cloth(sim, 0), b = vo_run_reader_get_cloth(reader, 0);
            assert_int_equal(a.node_count, b.node_count);
            assert_memory_equal(a.node_x, b.node_x, (size_t)a.node_count * sizeof *a.node_x);
            assert_memory_equal(a.node_v, b.node_v, (size_t)a.node_count * sizeof *a.node_v);
            assert_memory_equal(a.face_vert, b.face_vert,
                                (size_t)a.face_count * sizeof *a.face_vert);
            assert_int_equal(vo_run_reader_current_frame(reader), frame);
            assert_near(vo_run_reader_time(reader), 0.04 * frame, 1e-12);
        }
        assert_int_equal(vo_run_reader_get_cloth(reader, 1).node_count, 0);
        assert_int_equal(vo_run_reader_get_cloth(reader, -1).node_count, 0);
        assert_int_equal(vo_run_reader_get_obstacle(reader, 0).node_count, 0);
        vo_run_reader_close(reader);
        vo_sim_destroy(sim);
        vo_scene_destroy(scene);
        close_run_fixture(&p);
    }
}

/* Frames can be read in any order; samples of the input mesh equal those of the simulation. */
static void frames_are_read_in_any_order(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, simulate(&p, 1000));
    vo_run_reader *reader = open_reader(&p);
    vo_vec3 first, again, sample[169];
    assert_int_equal(vo_run_reader_sample_input_mesh(reader, 0, VO_SURFACE_FLAT, 1, &first, NULL),
                     VO_BAD_ARGUMENT);
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 9));
    first = vo_run_reader_get_cloth(reader, 0).node_x[100];
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 2));
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 9));
    again = vo_run_reader_get_cloth(reader, 0).node_x[100];
    assert_memory_equal(&first, &again, sizeof first);
    assert_ok(p.ctx,
              vo_run_reader_sample_input_mesh(reader, 0, VO_SURFACE_FLAT, 169, sample, NULL));
    assert_memory_equal(&first, &sample[100], sizeof first);
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

/* A run that another process writes can be read despite its lock, and a refresh finds new
 * frames. */
static void running_run_is_read_and_refreshed(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    int lock;
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    vo_run_reader *reader = open_reader(&p);
    assert_int_equal(vo_run_reader_frame_count(reader), 5);
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 3));
    assert_int_equal(resume_until(&p, NULL, 6), VO_CANCELLED);
    assert_int_equal(vo_run_reader_frame_count(reader), 5);
    assert_ok(p.ctx, vo_folder_lock(p.ctx, p.run, &lock));
    vo_vec3 before = vo_run_reader_get_cloth(reader, 0).node_x[100];
    assert_ok(p.ctx, vo_run_reader_refresh(reader));
    assert_int_equal(vo_run_reader_frame_count(reader), 7);
    assert_int_equal(vo_run_reader_current_frame(reader), 3); /* the scene is the same */
    assert_memory_equal(&before, &vo_run_reader_get_cloth(reader, 0).node_x[100], sizeof before);
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 6));
    vo_folder_unlock(lock);
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static void run_without_frames_has_a_scene(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    const vo_scene *scene;
    assert_int_equal(simulate(&p, 1), VO_CANCELLED);
    for (int i = 0; i <= 1; i++) assert_int_equal(remove(frame_path(&p, i)), 0);
    vo_run_reader *reader = open_reader(&p);
    assert_int_equal(vo_run_reader_frame_count(reader), 0);
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 0, &scene));
    assert_int_equal(vo_scene_cloth_count(scene), 1);
    assert_int_equal(vo_run_reader_read_frame(reader, 0), VO_IO_FAILED);
    assert_message_contains(p.ctx, "0000.vof");
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static void segments_have_their_scenes_and_overrides(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    const vo_scene *scene;
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    vo_run_reader *reader = open_reader(&p);
    assert_int_equal(vo_run_reader_segment_count(reader), 1);
    assert_int_equal(vo_run_reader_get_segment(reader, 0).last_frame, -1);
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 4));
    assert_int_equal(resume_until(&p, "gravity=[0,0,5]", 7), VO_CANCELLED);
    assert_ok(p.ctx, resume(&p, 2, (const char *[]){"wind.velocity=[0,0,0]", "friction=0.1"}));
    assert_ok(p.ctx, vo_run_reader_refresh(reader));
    assert_int_equal(vo_run_reader_current_frame(reader), -1); /* scene.json has changed */
    assert_int_equal(vo_run_reader_segment_count(reader), 3);
    static const int first[] = {0, 5, 8}, last[] = {4, 7, -1}, overrides[] = {0, 1, 2};
    static const double gravity[] = {-9.8, 5, 5};
    for (int i = 0; i < 3; i++) {
        vo_segment s = vo_run_reader_get_segment(reader, i);
        assert_int_equal(s.first_frame, first[i]);
        assert_int_equal(s.last_frame, last[i]);
        assert_int_equal(s.override_count, overrides[i]);
        assert_ok(p.ctx, vo_run_reader_load_scene(reader, s.first_frame, &scene));
        assert_near(vo_scene_get_def(scene).gravity.z, gravity[i], 0);
    }
    assert_non_null(strstr(vo_run_reader_get_segment(reader, 1).overrides[0], "gravity="));
    assert_non_null(strstr(vo_run_reader_get_segment(reader, 2).overrides[1], "friction="));
    for (int frame = 0; frame <= 12; frame++)
        assert_ok(p.ctx, vo_run_reader_read_frame(reader, frame));
    /* Another scene discards the frame; the scene of another frame of the segment does not. */
    const vo_scene *later, *earlier;
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 6, &scene));
    assert_int_equal(vo_run_reader_current_frame(reader), -1);
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 7));
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 7, &later));
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 5, &earlier));
    assert_ptr_equal(later, earlier);
    assert_int_equal(vo_run_reader_current_frame(reader), 7);
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

/* A damaged frame fails alone; other frames remain readable. */
static void damaged_frame_fails_and_names_the_file(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    vo_bytes frame;
    assert_int_equal(simulate(&p, 6), VO_CANCELLED);
    vo_run_reader *reader = open_reader(&p);
    assert_ok(p.ctx, vo_file_read(p.ctx, frame_path(&p, 3), &frame));
    for (size_t cut = 0; cut < frame.size; cut += 1 + frame.size / 23) {
        assert_ok(p.ctx, vo_file_write(p.ctx, frame_path(&p, 3), frame.data, cut));
        assert_ok(p.ctx, vo_run_reader_read_frame(reader, 2));
        assert_int_equal(vo_run_reader_read_frame(reader, 3), VO_BAD_DATA);
        assert_message_contains(p.ctx, "0003.vof");
        assert_int_equal(vo_run_reader_current_frame(reader), -1);
        assert_int_equal(vo_run_reader_get_cloth(reader, 0).node_count, 0);
    }
    for (size_t at = 0; at < frame.size; at += 1 + frame.size / 37) {
        frame.data[at] ^= 4;
        assert_ok(p.ctx, vo_file_write(p.ctx, frame_path(&p, 3), frame.data, frame.size));
        assert_int_equal(vo_run_reader_read_frame(reader, 3), VO_BAD_DATA);
        frame.data[at] ^= 4;
    }
    assert_ok(p.ctx, vo_file_write(p.ctx, frame_path(&p, 3), frame.data, frame.size));
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 3));
    vo_bytes_free(p.ctx, &frame);
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

/* A scene.json truncated anywhere fails to open; a failed refresh leaves the reader unchanged. */
static void damaged_scene_fails_to_open(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    char path[700];
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    vo_run_reader *reader = open_reader(&p), *second;
    vo_bytes scene = run_file(&p, "scene.json");
    snprintf(path, sizeof path, "%s/scene.json", p.run);
    for (size_t cut = 0; cut + 3 < scene.size; cut += 1 + scene.size / 41) {
        assert_ok(p.ctx, vo_file_write(p.ctx, path, scene.data, cut));
        assert_int_equal(vo_run_reader_open(p.ctx, p.run, &second), VO_BAD_DATA);
        assert_message_contains(p.ctx, "scene.json");
        assert_null(second);
        assert_int_equal(vo_run_reader_refresh(reader), VO_BAD_DATA);
        assert_int_equal(vo_run_reader_frame_count(reader), 3);
    }
    vo_bytes_free(p.ctx, &scene);
    assert_int_equal(remove(path), 0);
    assert_int_equal(vo_run_reader_open(p.ctx, p.run, &second), VO_BAD_DATA);
    assert_message_contains(p.ctx, "not the folder of a run");
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

/* The last of several lines for a frame is returned; lines that are not statistics are ignored. */
static void statistics_tolerate_damaged_lines(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    char path[700];
    static const char lines[] = "{\"frame\": 1, \"faces\": 7, \"stages\": {}}\n"
                                "not json\n{\"frame\": -3}\n{\"frame\": 2, \"faces\": 9";
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    snprintf(path, sizeof path, "%s/stats.jsonl", p.run);
    assert_ok(p.ctx, vo_file_append(p.ctx, path, lines, sizeof lines - 1));
    vo_run_reader *reader = open_reader(&p);
    assert_int_equal(vo_run_reader_find_stats(reader, 1)->faces, 7);
    assert_int_equal(vo_run_reader_find_stats(reader, 2)->faces, 288);
    assert_null(vo_run_reader_find_stats(reader, -3));
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static void names_come_from_files(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    char name[80];
    const vo_scene *scene;
    assert_int_equal(simulate(&p, 1), VO_CANCELLED);
    vo_run_reader *reader = open_reader(&p);
    assert_string_equal(vo_run_reader_cloth_name(reader, 0, name, sizeof name), "cloth 0");
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 0, &scene));
    assert_string_equal(vo_run_reader_cloth_name(reader, 0, name, sizeof name), "cloth 0");
    assert_string_equal(vo_run_reader_obstacle_name(reader, 3, name, sizeof name), "obstacle 3");
    assert_string_equal(vo_run_reader_obstacle_name(reader, 3, name, 4), "obs");
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

/* Shapes are named by their type, characters by the file of their body. */
static void obstacles_are_named_by_shape_or_body(void **state) {
    (void)state;
    static const char text[] =
        "{\"frame_time\": 0.04, \"preroll\": 0, \"end_frame\": 1,\n"
        "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 2, \"rows\": 2},\n"
        "    \"transform\": {\"translate\": [0, 0, 1]}, \"materials\": [{\"thickness\": 3e-4,\n"
        "    \"density\": 500, \"elastic_modulus\": 1e6, \"poisson_ratio\": 0.3}]}],\n"
        "  \"obstacles\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.2}}],\n"
        "  \"characters\": [{\"body\": \"ball.obj\"}, {\"body\": {\"file\": \"ball.obj\"}}]}\n";
    run_fixture p = open_run_fixture(1);
    char name[80], path[700];
    const vo_scene *scene;
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_SPHERE);
    vo_mesh *ball;
    shape.radius = 0.2;
    assert_ok(p.ctx, vo_mesh_create_shape(p.ctx, &shape, &ball));
    snprintf(path, sizeof path, "%.*sball.obj", (int)(strlen(p.scene) - strlen("scene.json")),
             p.scene);
    assert_ok(p.ctx, vo_mesh_save_obj(p.ctx, ball, path));
    vo_mesh_destroy(ball);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, text, sizeof text - 1));
    assert_ok(p.ctx, simulate(&p, 2));
    vo_run_reader *reader = open_reader(&p);
    assert_ok(p.ctx, vo_run_reader_load_scene(reader, 0, &scene));
    assert_string_equal(vo_run_reader_obstacle_name(reader, 0, name, sizeof name), "sphere");
    assert_string_equal(vo_run_reader_obstacle_name(reader, 1, name, sizeof name), "ball");
    assert_string_equal(vo_run_reader_obstacle_name(reader, 2, name, sizeof name), "ball");
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static vo_result read_all(vo_context *ctx, void *arg) {
    vo_run_reader *reader;
    const run_fixture *p = arg;
    VO_TRY(vo_run_reader_open(ctx, p->run, &reader));
    vo_result result = vo_run_reader_read_frame(reader, 1);
    if (result == VO_OK) result = vo_run_reader_refresh(reader);
    vo_run_reader_close(reader);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 1), VO_CANCELLED);
    assert_int_equal(resume_until(&p, "gravity=[0,0,5]", 3), VO_CANCELLED);
    test_every_allocation(read_all, &p);
    close_run_fixture(&p);
}

static void invalid_arguments_are_rejected(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    vo_run_reader *reader = (vo_run_reader *)&p;
    const vo_scene *scene = (const vo_scene *)&p;
    vo_vec3 x;
    char name[20];
    assert_int_equal(simulate(&p, 1), VO_CANCELLED);
    assert_int_equal(vo_run_reader_open(p.ctx, NULL, &reader), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "folder");
    assert_null(reader);
    assert_int_equal(vo_run_reader_open(p.ctx, p.run, NULL), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "out");
    assert_int_equal(vo_run_reader_open(NULL, p.run, &reader), VO_BAD_ARGUMENT);
    reader = open_reader(&p);
    assert_int_equal(vo_run_reader_read_frame(reader, -1), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "frame must be at least 0, is -1");
    assert_int_equal(vo_run_reader_load_scene(reader, -1, &scene), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "frame must be at least 0, is -1");
    assert_null(scene);
    assert_int_equal(vo_run_reader_load_scene(reader, 0, NULL), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "out");
    assert_ok(p.ctx, vo_run_reader_read_frame(reader, 1));
    static const struct {
        int cloth, surface, count;
        const char *message;
    } samples[] = {{-1, 0, 1, "cloth -1"},   {1, 0, 1, "cloth 1"},    {0, 0, -1, "-1 nodes"},
                   {0, 0, 170, "170 nodes"}, {0, 2, 1, "surface: 2"}, {0, -1, 1, "surface: -1"}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        assert_int_equal(vo_run_reader_sample_input_mesh(reader, samples[i].cloth,
                                                         (vo_surface_kind)samples[i].surface,
                                                         samples[i].count, &x, NULL),
                         VO_BAD_ARGUMENT);
        assert_message_contains(p.ctx, samples[i].message);
    }
    assert_ok(p.ctx, vo_run_reader_sample_input_mesh(reader, 0, VO_SURFACE_FLAT, 1, NULL, NULL));
    for (int i = -1; i <= 2; i += 3) {
        assert_int_equal(vo_run_reader_frame_number(reader, i), -1);
        assert_int_equal(vo_run_reader_get_segment(reader, i).first_frame, -1);
        assert_int_equal(vo_run_reader_get_segment(reader, i).override_count, 0);
        assert_int_equal(vo_run_reader_get_cloth(reader, i).node_count, 0);
        assert_int_equal(vo_run_reader_get_obstacle(reader, i).node_count, 0);
    }
    assert_string_equal(vo_run_reader_cloth_name(reader, -1, name, sizeof name), "cloth -1");
    assert_string_equal(vo_run_reader_obstacle_name(reader, -1, name, sizeof name), "obstacle -1");
    assert_null(vo_run_reader_cloth_name(reader, 0, NULL, 0));
    assert_null(vo_run_reader_obstacle_name(reader, 0, NULL, 0));
    assert_int_equal(vo_run_reader_current_frame(reader), 1);
    vo_run_reader_close(reader);
    close_run_fixture(&p);
}

static void null_reader_is_empty(void **state) {
    (void)state;
    const vo_scene *scene;
    char name[20];
    assert_int_equal(vo_run_reader_refresh(NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_run_reader_read_frame(NULL, 0), VO_BAD_ARGUMENT);
    assert_int_equal(vo_run_reader_load_scene(NULL, 0, &scene), VO_BAD_ARGUMENT);
    assert_null(scene);
    assert_int_equal(vo_run_reader_sample_input_mesh(NULL, 0, VO_SURFACE_FLAT, 0, NULL, NULL),
                     VO_BAD_ARGUMENT);
    assert_int_equal(vo_run_reader_frame_count(NULL), 0);
    assert_int_equal(vo_run_reader_frame_number(NULL, 0), -1);
    assert_int_equal(vo_run_reader_find_frame(NULL, 0), -1);
    assert_int_equal(vo_run_reader_start_frame(NULL), -1);
    assert_null(vo_run_reader_find_stats(NULL, 0));
    assert_null(vo_run_reader_scene_text(NULL));
    assert_int_equal(vo_run_reader_segment_count(NULL), 0);
    assert_int_equal(vo_run_reader_get_segment(NULL, 0).first_frame, -1);
    assert_int_equal(vo_run_reader_current_frame(NULL), -1);
    assert_true(vo_run_reader_time(NULL) == 0);
    assert_int_equal(vo_run_reader_get_cloth(NULL, 0).node_count, 0);
    assert_int_equal(vo_run_reader_get_obstacle(NULL, 0).node_count, 0);
    assert_string_equal(vo_run_reader_cloth_name(NULL, 0, name, sizeof name), "cloth 0");
    assert_string_equal(vo_run_reader_obstacle_name(NULL, 0, name, sizeof name), "obstacle 0");
}

/* ---- cancellation and repeated warnings ----------------------------------------------------- */

static bool cancel_now(void *user) { return *(bool *)user; }

static void calls_are_cancelled_before_a_frame(void **state) {
    (void)state;
    bool cancelled = false;
    run_fixture p = open_run_fixture(1);
    assert_int_equal(simulate(&p, 2), VO_CANCELLED);
    vo_context_def def = vo_context_def_default();
    def.cancel = cancel_now;
    def.cancel_user = &cancelled;
    vo_context *ctx;
    vo_run_info info;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    vo_export_def export = vo_export_def_default();
    export.folder = p.run;
    assert_ok(ctx, vo_run_export_obj(ctx, &export));
    cancelled = true;
    assert_int_equal(vo_run_get_info(ctx, p.run, &info), VO_CANCELLED);
    assert_message_contains(ctx, "cancelled before frame 0");
    assert_int_equal(vo_run_export_obj(ctx, &export), VO_CANCELLED);
    vo_context_destroy(ctx);
    close_run_fixture(&p);
}

static bool stop_after_one(void *user, const vo_progress *progress) {
    assert_int_equal(progress->frame, ++*(int *)user);
    assert_non_null(progress->stats);
    return progress->frame < 2;
}

static void check_reports_progress_and_stops(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    int frame = -1;
    assert_int_equal(simulate(&p, 4), VO_CANCELLED);
    vo_check_def def = vo_check_def_default();
    def.path = p.run;
    def.progress = stop_after_one;
    def.user = &frame;
    assert_int_equal(vo_check(p.ctx, &def, NULL), VO_CANCELLED);
    assert_message_contains(p.ctx, "cancelled after frame 2");
    assert_int_equal(frame, 2);
    close_run_fixture(&p);
}

enum { MAX_LOGGED = 40 };

typedef struct logged_lines {
    int count;
    char line[MAX_LOGGED][300];
} logged_lines;

static void keep_line(void *user, vo_log_level level, const char *text) {
    logged_lines *h = user;
    (void)level;
    assert_true(h->count < MAX_LOGGED);
    snprintf(h->line[h->count++], sizeof *h->line, "%s", text);
}

static vo_context *open_logged(logged_lines *logged) {
    vo_context *ctx;
    vo_context_def def = vo_context_def_default();
    def.log = keep_line;
    def.log_user = logged;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    return ctx;
}

/* A warning repeated in a hundred frames is logged as two lines: the first, and the number of
 * repetitions. Warnings about two cloths are counted separately. */
static void repeated_warnings_are_counted(void **state) {
    (void)state;
    logged_lines logged = {0};
    vo_log_filter filter;
    vo_context *ctx = open_logged(&logged);
    vo_log_filter_begin(&filter, ctx);
    for (int frame = 3; frame < 103; frame++)
        for (int cloth = 0; cloth < 1 + (frame > 10); cloth++)
            vo_log_line(ctx, VO_LOG_WARNING, "frame %d: cloth %d: dense at (%g, -1e-5) m", frame,
                        cloth, 0.01 * frame - 0.5);
    assert_int_equal(logged.count, 2);
    assert_string_equal(logged.line[1], "frame 11: cloth 1: dense at (-0.39, -1e-5) m");
    vo_log_line(ctx, VO_LOG_WARNING, "scene.json: another one");
    vo_log_line(ctx, VO_LOG_INFO, "frame 7: a note");
    vo_log_line(ctx, VO_LOG_INFO, "frame 8: a note");
    assert_int_equal(logged.count, 5);
    vo_log_filter_end(&filter);
    assert_int_equal(logged.count, 7);
    assert_string_equal(logged.line[5], "frames 4 to 102: repeated in 99 frames: cloth 0: dense at "
                                        "(-0.47, -1e-5) m");
    assert_string_equal(logged.line[6],
                        "frames 12 to 102: repeated in 91 frames: cloth 1: dense at "
                        "(-0.39, -1e-5) m");
    vo_log_line(ctx, VO_LOG_WARNING, "frame 104: cloth 0: dense at (1, 0) m");
    assert_int_equal(logged.count, 8);
    vo_context_destroy(ctx);
}

/* Pairs of warnings in consecutive frames: both are logged, or the second one is a repetition. */
static void warnings_are_distinguished_by_objects(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        bool repeats;
    } pairs[] = {
        {"face 3 of cloth 1 is inside", "face 8 of cloth 1 is inside", true},
        {"face 3 of cloth 1 is inside", "face 3 of cloth 2 is inside", false},
        {"face 3 of cloth 1 is inside", "face 3 of cloth 11 is inside", false},
        {"obstacle 4 teleports by 3 m", "obstacle 5 teleports by 3 m", false},
        {"obstacle 4 teleports by 3 m", "obstacle 4 teleports by 2.5e-3 m", true},
        {"obstacle 4 teleports by 3 m", "obstacle 4 teleports by -nan m", true},
        {"cloths[0].materials[1]: soft by 7", "cloths[0].materials[2]: soft by 7", false},
        {"cloths[0].materials[1]: soft by 7", "cloths[0].materials[1]: soft by 8", true},
        {"dress2.obj: 7 slivers", "dress3.obj: 7 slivers", false},
        {"dress2.obj: 7 slivers", "dress2.obj: 9 slivers", true},
        {"view.budget_faces missed", "view.budget_seconds missed", false},
        {"3 of 4 cloths are carried", "2 of 4 cloths are carried", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        logged_lines logged = {0};
        vo_log_filter filter;
        vo_context *ctx = open_logged(&logged);
        vo_log_filter_begin(&filter, ctx);
        vo_log_line(ctx, VO_LOG_WARNING, "frame 1: %s", pairs[i].first);
        vo_log_line(ctx, VO_LOG_WARNING, "frame 2: %s", pairs[i].second);
        if (logged.count != (pairs[i].repeats ? 1 : 2))
            fail_msg("\"%s\" after \"%s\"", pairs[i].second, pairs[i].first);
        vo_log_filter_end(&filter);
        vo_context_destroy(ctx);
    }
}

static void warnings_about_many_objects_are_bounded(void **state) {
    (void)state;
    logged_lines logged = {0};
    vo_log_filter filter;
    vo_context *ctx = open_logged(&logged);
    vo_log_filter_begin(&filter, ctx);
    for (int cloth = 0; cloth < 1000; cloth++)
        vo_log_line(ctx, VO_LOG_WARNING, "frame %d: cloth %d is torn", 1 + cloth / 10, cloth);
    assert_int_equal(logged.count, VO_MAX_FILTERED_OBJECTS);
    vo_log_filter_end(&filter);
    assert_int_equal(logged.count, VO_MAX_FILTERED_OBJECTS + 1);
    assert_string_equal(logged.line[VO_MAX_FILTERED_OBJECTS],
                        "frames 1 to 100: 992 more warnings about other objects, like: cloth 0 is "
                        "torn");
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finished_run_lists_frames_and_statistics),
        cmocka_unit_test(frames_equal_the_simulation),
        cmocka_unit_test(frames_are_read_in_any_order),
        cmocka_unit_test(running_run_is_read_and_refreshed),
        cmocka_unit_test(run_without_frames_has_a_scene),
        cmocka_unit_test(segments_have_their_scenes_and_overrides),
        cmocka_unit_test(damaged_frame_fails_and_names_the_file),
        cmocka_unit_test(damaged_scene_fails_to_open),
        cmocka_unit_test(statistics_tolerate_damaged_lines),
        cmocka_unit_test(names_come_from_files),
        cmocka_unit_test(obstacles_are_named_by_shape_or_body),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(null_reader_is_empty),
        cmocka_unit_test(calls_are_cancelled_before_a_frame),
        cmocka_unit_test(check_reports_progress_and_stops),
        cmocka_unit_test(repeated_warnings_are_counted),
        cmocka_unit_test(warnings_are_distinguished_by_objects),
        cmocka_unit_test(warnings_about_many_objects_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
