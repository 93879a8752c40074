/* Comparison of runs: equal runs, cloth displaced by a known distance, frames that one run lacks,
 * output files, rejected input. */
#include "run_fixture.h"

#include "codec/json.h"
#include "codec/png.h"
#include "math/vec.h"
#include "run/compare.h"

static void need_rays(void) {
    if (!vo_rays_available()) skip();
}

/* Fixture: two runs of different lengths with different winds, and the comparison options. */
typedef struct pair {
    run_fixture base;
    char other[600], output[600];
    const char *runs[3];
    vo_compare_def def;
} pair;

static void simulate_into(pair *p, const char *folder, int last, const char *set) {
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = last;
    def.override_count = set != NULL;
    def.overrides = &set;
    assert_ok(p->base.ctx, vo_run_simulate(p->base.ctx, p->base.scene, &def));
}

static void open_pair(pair *p, int threads, const char *set) {
    p->base = open_run_fixture(threads);
    snprintf(p->other, sizeof p->other, "%.*s/other", (int)(strlen(p->base.run) - 4), p->base.run);
    snprintf(p->output, sizeof p->output, "%.*s/compared", (int)(strlen(p->base.run) - 4),
             p->base.run);
    simulate_into(p, p->base.run, 5, NULL);
    simulate_into(p, p->other, 4, set);
    p->runs[0] = p->other;
    p->runs[1] = p->base.run;
    p->runs[2] = p->base.run;
    p->def = vo_compare_def_default();
    p->def.run_count = 2;
    p->def.runs = p->runs;
    p->def.width = 160;
    p->def.height = 120;
}

static void close_pair(pair *p) { close_run_fixture(&p->base); }

/* A run compared with itself has similarity 1. */
static void test_equal_runs(void **state) {
    (void)state;
    need_rays();
    pair p;
    vo_comparison c;
    open_pair(&p, 2, NULL);
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_int_equal(c.run_count, 2);
    assert_int_equal(c.reference, 1);
    const vo_run_comparison *a = &c.run[0], *b = &c.run[1];
    assert_string_equal(a->name, "other");
    assert_string_equal(b->name, "run");
    assert_int_equal(a->frame_count, 5);
    assert_int_equal(b->frame_count, 6);
    assert_int_equal(a->only_here_count, 0);
    assert_int_equal(a->only_reference_count, 1);
    assert_int_equal(a->only_reference[0], 5);
    assert_near(a->all.silhouette_iou.min, 1, 0);
    assert_near(a->all.normal_angle.max, 0, 0);
    assert_near(a->all.depth_difference.max, 0, 0);
    assert_near(a->all.wrinkle_ratio.min, 1, 0);
    assert_near(a->all.wrinkle_ratio.max, 1, 0);
    assert_int_equal(a->all.silhouette_iou.frames, 5);
    assert_true(a->all.cloth_pixels.min > 1000);
    assert_int_equal(b->all.silhouette_iou.frames, 0);
    assert_true(isnan(b->all.silhouette_iou.mean) && isnan(b->frame[2].silhouette_iou));
    assert_near(b->speed_up, 1, 0);
    assert_near(a->all.faces.mean, 288, 0);
    assert_near(a->all.verts.max, 169, 0);
    assert_near(a->all.popping_bound.max, 0, 0); /* remeshing is off */
    assert_int_equal(a->all.popping.frames, 0);  /* no camera */
    for (int i = 0; i < 5; i++) {
        assert_int_equal(a->frame[i].frame, i);
        assert_near(a->frame[i].edge_50, b->frame[i].edge_50, 0);
        assert_true(a->frame[i].edge_5 <= a->frame[i].edge_50);
        assert_true(a->frame[i].edge_50 <= a->frame[i].edge_95);
    }
    assert_true(isnan(a->frame[0].seconds)); /* the initial state is not computed */
    double seconds = 0;
    for (int i = 1; i < 5; i++) seconds += a->frame[i].seconds;
    assert_near(a->seconds_total, seconds, 1e-12);
    vo_comparison_free(p.base.ctx, &c);
    close_pair(&p);
}

/* Different winds give different images. The speed-up is measured over the common frames. */
static void test_other_runs(void **state) {
    (void)state;
    need_rays();
    pair p;
    vo_comparison c;
    open_pair(&p, 1, "wind.velocity=[0,-9,0]");
    p.def.run_count = 3; /* the third run is the reference */
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    const vo_run_comparison *a = &c.run[0];
    assert_near(a->frame[0].silhouette_iou, 1, 0); /* frame 0 is equal */
    assert_true(a->frame[4].silhouette_iou < 0.999 && a->frame[4].silhouette_iou > 0.3);
    assert_true(a->frame[4].normal_angle > 1);
    assert_true(a->frame[4].depth_difference > 1e-3);
    assert_true(a->frame[4].silhouette_iou < a->frame[1].silhouette_iou);
    assert_near(c.run[2].all.silhouette_iou.min, 1, 0);
    assert_int_equal(c.run[2].frame_count, 6);
    assert_string_equal(c.run[1].name, "run"); /* the folder without the common components */
    assert_string_equal(c.run[2].name, "run~2");
    assert_string_equal(c.run[1].label, "run");
    assert_string_equal(c.run[2].label, "run~2"); /* the same folder twice: labels still differ */
    double own = 0, reference = 0;
    for (int i = 1; i < 5; i++) {
        own += a->frame[i].seconds;
        reference += c.run[1].frame[i].seconds;
    }
    assert_near(a->speed_up, reference / own, 1e-9);
    vo_comparison_free(p.base.ctx, &c);
    close_pair(&p);
}

/* A sheet displaced by half its width: half of its pixels are outside the reference's. */
static void test_known_overlap(void **state) {
    (void)state;
    need_rays();
    pair p;
    vo_comparison c;
    open_pair(&p, 1, "cloths[0].transform={\"translate\": [0.5, 0, 0]}");
    p.def.last = 0;
    p.def.options.azimuth = 0;
    p.def.options.elevation = 89; /* from above; the sheet is horizontal */
    p.def.camera = "none";
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_near(c.run[0].frame[0].silhouette_iou, 1.0 / 3, 0.02);
    assert_near(c.run[0].frame[0].normal_angle, 0, 1e-3);
    assert_true(isnan(c.run[0].frame[0].wrinkle_ratio)); /* flat cloth has no wrinkles */
    assert_true(c.framed);
    vo_comparison_free(p.base.ctx, &c);
    close_pair(&p);
}

/* The scene's camera cuts to a view without the sheet before frame 3. */
static void test_scene_camera(void **state) {
    (void)state;
    need_rays();
    static const char camera[] =
        "camera={\"name\": \"above\", \"resolution\": [96, 64], \"fov_y\": 40, \"keys\": ["
        "{\"time\": 0, \"position\": [0.5, 0.5, 3], \"target\": [0.5, 0.5, 0]},"
        "{\"time\": 0.1, \"cut\": true, \"position\": [0.5, 0.5, 3], \"target\": [0.5, 0.5, 9]}]}";
    pair p;
    vo_comparison c;
    open_pair(&p, 1, camera);
    p.runs[1] = p.other; /* the reference's camera is used */
    p.runs[0] = p.base.run;
    p.def.width = p.def.height = 0;
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_false(c.framed);
    assert_int_equal(c.width, 96);
    assert_int_equal(c.height, 64);
    assert_near(c.wavelength, 4, 0);
    /* A square of 1 m at a distance of 3 m; 64 / (2 tan 20) pixels per metre at 1 m. */
    double side = 64 / (2 * tan(20 * VO_PI / 180)) / 3;
    assert_near(c.run[0].frame[0].cloth_pixels / (side * side), 1, 0.05);
    assert_near(c.run[0].frame[0].edge_50, side / 12, 0.05);
    for (int i = 0; i < 5; i++) assert_int_equal(c.run[0].frame[i].cloth_pixels > 0, i < 3);
    assert_true(isnan(c.run[0].frame[4].silhouette_iou) && isnan(c.run[0].frame[4].edge_50));
    assert_int_equal(c.run[0].only_here_count, 1);
    assert_int_equal(c.run[0].all.popping.frames, 5);
    vo_comparison_free(p.base.ctx, &c);
    p.def.camera = "above";
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_false(c.framed);
    vo_comparison_free(p.base.ctx, &c);
    p.def.camera = "none";
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_true(c.framed);
    assert_int_equal(c.width, 1920);
    assert_true(c.run[0].frame[4].cloth_pixels > 0);
    vo_comparison_free(p.base.ctx, &c);
    close_pair(&p);
}

/* A camera of 80 x 60 pixels with part of the sheet in its frustum, and one that no shot uses. */
#define CLOSE_CAMERA                                                                         \
    "cameras=[{\"name\": \"close\", \"resolution\": [80, 60], \"fov_y\": 20, \"position\": " \
    "[0.4, 0.6, 2], \"target\": [0.5, 0.5, 0]}"
#define FURTHER_CAMERA \
    ", {\"resolution\": [%d, 60], \"position\": [9, 9, 9], \"target\": [0, 0, 0]}"

static vo_comparison compare_sized(pair *p, int width, int height) {
    vo_comparison c;
    p->def.width = width;
    p->def.height = height;
    assert_ok(p->base.ctx, vo_compare(p->base.ctx, &p->def, &c));
    return c;
}

/* Pixels outside the camera's frame are not measured, for any image size. */
static void test_another_aspect(void **state) {
    (void)state;
    need_rays();
    static const int size[][2] = {{80, 60}, {200, 60}, {80, 190}, {300, 60}};
    pair p;
    open_pair(&p, 1, CLOSE_CAMERA "]");
    p.runs[1] = p.other;
    p.runs[0] = p.base.run;
    vo_comparison own = compare_sized(&p, 0, 0);
    assert_int_equal(own.width, 80);
    assert_true(own.run[0].frame[3].cloth_pixels > 4000); /* nearly the whole sheet */
    for (int i = 0; i < 4; i++) {
        vo_comparison c = compare_sized(&p, size[i][0], size[i][1]);
        assert_int_equal(c.width, size[i][0]);
        assert_int_equal(c.height, size[i][1]);
        for (int f = 0; f < 5; f++) {
            const vo_frame_comparison *a = &c.run[0].frame[f], *b = &own.run[0].frame[f];
            assert_near(a->cloth_pixels, b->cloth_pixels, 2); /* rays are rounded differently */
            assert_near(a->visible_faces, b->visible_faces, 0);
            assert_near(a->edge_50, b->edge_50, 1e-6);
            assert_near(a->silhouette_iou, b->silhouette_iou, 1e-3);
        }
        vo_comparison_free(p.base.ctx, &c);
    }
    vo_comparison twice = compare_sized(&p, 300, 120); /* larger and with a wider aspect */
    assert_near(twice.run[0].frame[3].cloth_pixels / own.run[0].frame[3].cloth_pixels, 4, 0.1);
    assert_near(twice.run[0].frame[3].edge_50, 2 * own.run[0].frame[3].edge_50, 1e-6);
    vo_comparison_free(p.base.ctx, &twice);
    vo_comparison_free(p.base.ctx, &own);
    close_pair(&p);
}

/* Popping from the statistics is scaled like the camera's frame. It is not available if cameras
 * with other resolutions are active too, because the statistics do not name the camera. */
static void test_scaled_popping(void **state) {
    (void)state;
    need_rays();
    const struct {
        int other, width, height;
        double zoom;
    } sets[] = {{0, 80, 60, 1},
                {0, 300, 120, 2},
                {0, 40, 600, 0.5},
                {80, 160, 120, 2},
                {90, 160, 120, NAN}};
    for (int i = 0; i < 5; i++) {
        char more[200] = "", set[500];
        pair p;
        if (sets[i].other) snprintf(more, sizeof more, FURTHER_CAMERA, sets[i].other);
        snprintf(set, sizeof set, CLOSE_CAMERA "%s]", more);
        open_pair(&p, 1, set);
        p.runs[1] = p.other;
        p.runs[0] = p.base.run;
        static const char line[] =
            "{\"frame\": 3, \"time\": 0.12, \"cloths\": 1, \"faces\": 9, \"edges\": 1, \"nodes\": "
            "1, "
            "\"verts\": 1, \"wall_s\": 1, \"popping_px\": 5, \"stages\": {}}\n";
        char path[700];
        snprintf(path, sizeof path, "%s/stats.jsonl", p.base.run);
        assert_ok(p.base.ctx, vo_file_append(p.base.ctx, path, line, strlen(line)));
        p.def.step = 2; /* frame 3 is skipped */
        vo_comparison c = compare_sized(&p, sets[i].width, sets[i].height);
        double popping = c.run[0].frame[3].popping;
        if (isnan(sets[i].zoom))
            assert_true(isnan(popping));
        else
            assert_near(popping, 5 * sets[i].zoom, 0);
        vo_comparison_free(p.base.ctx, &c);
        close_pair(&p);
    }
}

/* Every second frame is rendered; the statistics include all frames. */
static void test_some_frames(void **state) {
    (void)state;
    need_rays();
    pair p;
    vo_comparison c;
    open_pair(&p, 1, NULL);
    p.def.first = 1;
    p.def.step = 2;
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    assert_int_equal(c.run[0].frame_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(isnan(c.run[0].frame[i].silhouette_iou) != 0, i % 2);
        assert_true(c.run[0].frame[i].seconds > 0);
    }
    vo_comparison_free(p.base.ctx, &c);
    int stop = 2;
    p.def.progress = stop_at;
    p.def.user = &stop;
    assert_int_equal(vo_compare(p.base.ctx, &p.def, &c), VO_CANCELLED);
    assert_null(c.run);
    close_pair(&p);
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char *output_path(const pair *p, const char *name) {
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", p->output, name);
    return path;
}

static vo_bytes read_output(const pair *p, const char *name) {
    vo_bytes bytes;
    assert_ok(p->base.ctx, vo_file_read(p->base.ctx, output_path(p, name), &bytes));
    return bytes;
}

/* The file contains the values that the call returned. */
static void check_json(const pair *p, const vo_comparison *c) {
    vo_json_doc doc;
    assert_ok(p->base.ctx, vo_json_load(p->base.ctx, output_path(p, "compare.json"), &doc));
    vo_json_cursor root = vo_json_root(&doc), runs = vo_json_get(&root, "runs");
    assert_int_equal(vo_json_length(runs), 2);
    vo_json_cursor run = vo_json_item(&runs, 0), frames = vo_json_get(&run, "frames");
    assert_int_equal(vo_json_length(frames), 5);
    for (int i = 0; i < 5; i++) {
        vo_json_cursor frame = vo_json_item(&frames, i);
        for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++) {
            double value = NAN, known = vo_compare_field_value(&c->run[0].frame[i], f);
            vo_json_cursor at = vo_json_get(&frame, vo_compare_field_name(f));
            assert_ok(p->base.ctx, vo_json_read_real(at, &value));
            assert_true(isnan(known) ? isnan(value) : value == known);
        }
    }
    vo_json_free(&doc);
}

/* A header and one line per frame, all with the same number of columns. */
static void check_csv(const pair *p) {
    vo_bytes csv = read_output(p, "frames.csv");
    int lines = 0, commas = 0;
    assert_memory_equal(csv.data, "run,frame,faces,", 16);
    for (size_t i = 0; i < csv.size; i++) {
        commas += csv.data[i] == ',';
        lines += csv.data[i] == '\n';
        if (csv.data[i] == '\n') assert_int_equal(commas, lines * (VO_COMPARE_FIELD_COUNT + 1));
    }
    assert_int_equal(lines, 1 + 5 + 6);
    vo_bytes_free(p->base.ctx, &csv);
}

static void test_files(void **state) {
    (void)state;
    need_rays();
    if (!vo_png_available()) skip();
    pair p;
    vo_comparison c;
    open_pair(&p, 1, "wind.velocity=[0,-9,0]");
    p.def.output = p.output;
    p.def.images = true;
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &c));
    check_json(&p, &c);
    check_csv(&p);
    vo_bytes runs = read_output(&p, "runs.csv");
    assert_non_null(strstr(runs.data, "\"other\",silhouette_iou,5,"));
    assert_non_null(strstr(runs.data, "\"run\",speed_up,5,,,1,,\n"));
    assert_non_null(strstr(runs.data, "\"run\",silhouette_iou,0,,,,,\n"));
    vo_bytes_free(p.base.ctx, &runs);
    const char *const names[] = {"time.svg",     "time.png",     "mesh.svg",      "mesh.png",
                                 "fidelity.svg", "fidelity.png", "run0_0000.png", "run0_0004.png"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(vo_file_exists(output_path(&p, names[i])));
    assert_false(vo_file_exists(output_path(&p, "run0_0005.png")));
    vo_bytes svg = read_output(&p, "time.svg");
    assert_non_null(strstr(svg.data, ">other</text>"));
    assert_non_null(strstr(svg.data, "Seconds per frame"));
    vo_bytes_free(p.base.ctx, &svg);
    vo_comparison_free(p.base.ctx, &c);
    close_pair(&p);
}

/* All files except timings are equal for any number of threads. */
static void test_threads(void **state) {
    (void)state;
    need_rays();
    pair p;
    vo_comparison first = {0}, c;
    open_pair(&p, 1, "wind.velocity=[0,-9,0]");
    assert_ok(p.base.ctx, vo_compare(p.base.ctx, &p.def, &first));
    for (int threads = 2; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        assert_ok(ctx, vo_compare(ctx, &p.def, &c));
        for (int i = 0; i < 2; i++)
            assert_memory_equal(c.run[i].frame, first.run[i].frame,
                                (size_t)c.run[i].frame_count * sizeof *c.run[i].frame);
        vo_comparison_free(ctx, &c);
        vo_context_destroy(ctx);
    }
    vo_comparison_free(p.base.ctx, &first);
    close_pair(&p);
}

/* ---- rejected input ------------------------------------------------------------------------- */

static void refuse(pair *p, const vo_compare_def *def, vo_result expected, const char *words) {
    vo_comparison c;
    assert_int_equal(vo_compare(p->base.ctx, def, &c), expected);
    assert_message_contains(p->base.ctx, words);
    assert_null(c.run);
    assert_int_equal(c.run_count, 0);
}

static void test_rejected_input(void **state) {
    (void)state;
    need_rays();
    pair p;
    open_pair(&p, 1, NULL);
    vo_compare_def d = p.def;
    d.run_count = 1;
    refuse(&p, &d, VO_BAD_ARGUMENT, "runs");
    d = p.def, d.step = 0;
    refuse(&p, &d, VO_BAD_ARGUMENT, "step");
    d = p.def, d.width = 0;
    refuse(&p, &d, VO_BAD_ARGUMENT, "width");
    d = p.def, d.height = 16385;
    refuse(&p, &d, VO_BAD_ARGUMENT, "height");
    d = p.def, d.wavelength = NAN;
    refuse(&p, &d, VO_BAD_ARGUMENT, "wavelength");
    d = p.def, d.images = true;
    refuse(&p, &d, VO_BAD_ARGUMENT, "images");
    d = p.def, d.options.zoom = 0;
    refuse(&p, &d, VO_BAD_ARGUMENT, "zoom");
    d = p.def, d.first = 50;
    refuse(&p, &d, VO_BAD_ARGUMENT, "no frames in the requested range");
    d = p.def, d.camera = "left";
    refuse(&p, &d, VO_BAD_ARGUMENT, "no camera \"left\"");
    d = p.def, d.images = true, d.output = p.output, d.width = 6000;
    refuse(&p, &d, VO_BAD_ARGUMENT, "side by side");
    d = p.def, d.output = p.base.scene;
    refuse(&p, &d, VO_BAD_ARGUMENT, "scene.json: cannot create the folder: a file has that name");
    p.runs[0] = test_folder();
    refuse(&p, &p.def, VO_BAD_DATA, "not the folder of a run");
    close_pair(&p);
}

/* Runs of unrelated scenes or without common frames, and damaged frames. */
static void test_strangers(void **state) {
    (void)state;
    need_rays();
    pair p;
    open_pair(&p, 1, "frame_time=0.02");
    refuse(&p, &p.def, VO_BAD_DATA, "frame_time");
    close_pair(&p);
    open_pair(&p, 1, NULL);
    for (int i = 0; i < 5; i++) {
        char path[700];
        snprintf(path, sizeof path, "%s/frames/%04d.vof", p.other, i);
        if (i < 4) assert_int_equal(unlink(path), 0);
    }
    p.def.last = 4;
    assert_int_equal(unlink(frame_path(&p.base, 4)), 0);
    refuse(&p, &p.def, VO_BAD_ARGUMENT, "no frame in common");
    close_pair(&p);
    open_pair(&p, 1, NULL);
    truncate_frame(&p.base, 3);
    refuse(&p, &p.def, VO_BAD_DATA, "0003.vof");
    close_pair(&p);
}

static vo_result compare_once(vo_context *ctx, void *arg) {
    vo_comparison c;
    vo_result result = vo_compare(ctx, arg, &c);
    if (result == VO_OK) vo_comparison_free(ctx, &c);
    return result;
}

static void test_allocations(void **state) {
    (void)state;
    need_rays();
    if (!vo_png_available()) skip();
    pair p;
    open_pair(&p, 1, NULL);
    p.def.last = 1;
    p.def.step = 2;
    p.def.width = p.def.height = 8;
    p.def.output = p.output;
    p.def.images = true;
    test_every_allocation_forgiving(compare_once, &p.def);
    close_pair(&p);
}

/* The documentation of comparisons names every measure. */
static void test_page(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_bytes page;
    assert_ok(ctx, vo_file_read(ctx, VOILE_SOURCE_DIR "/docs/comparing.md", &page));
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", vo_compare_field_name(f));
        if (!strstr(page.data, quoted)) fail_msg("docs/comparing.md does not name %s", quoted);
    }
    vo_bytes_free(ctx, &page);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_runs),     cmocka_unit_test(test_other_runs),
        cmocka_unit_test(test_known_overlap),  cmocka_unit_test(test_scene_camera),
        cmocka_unit_test(test_another_aspect), cmocka_unit_test(test_scaled_popping),
        cmocka_unit_test(test_some_frames),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_rejected_input),
        cmocka_unit_test(test_strangers),      cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
