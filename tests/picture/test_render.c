/* Tests of rendering runs and scenes to images, movies and image sequences; rejected input. */
#include "run_fixture.h"
#include "soup.h"

#include "codec/movie.h"
#include "codec/png.h"
#include "run/render.h"
#include "spatial/rays.h"

#ifdef VO_HAVE_LIBAV
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#endif

static void skip_unless_available(void) {
    if (!vo_rays_available() || !vo_png_available() || !vo_movie_available()) skip();
}

static const char *path_in(const run_fixture *p, const char *name) {
    static char paths[4][700];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 700, "%.*s%s", (int)(strlen(p->run) - 3), p->run, name);
    return path;
}

/* Simulates frames 0 to 4 and sets up small images. */
static run_fixture make_run(int threads, vo_render_def *def) {
    run_fixture p = open_run_fixture(threads);
    int stop = 4;
    vo_result result = simulate(&p, stop);
    assert_int_equal(result, VO_CANCELLED);
    *def = vo_render_def_default();
    def->input = p.run;
    def->options.width = 64;
    def->options.height = 48;
    def->options.samples = 2;
    return p;
}

/* Renders to a file; sets def->input again, because p->run moves with the struct. */
static vo_result render_to(run_fixture *p, vo_render_def *def, const char *name) {
    def->input = p->run;
    def->output = path_in(p, name);
    return vo_render(p->ctx, def);
}

static void images_are_rendered(void **state) {
    (void)state;
    skip_unless_available();
    vo_render_def def;
    run_fixture p = make_run(2, &def);
    assert_ok(p.ctx, render_to(&p, &def, "last.png"));
    def.frame = 4;
    assert_ok(p.ctx, render_to(&p, &def, "four.PNG"));
    assert_same_file(p.ctx, path_in(&p, "last.png"), path_in(&p, "four.PNG"));
    def.frame = -1;
    def.first = 1;
    def.last = 3;
    def.framing = VO_FRAMING_PER_FRAME;
    assert_ok(p.ctx, render_to(&p, &def, "some/stills"));
    assert_false(vo_file_exists(path_in(&p, "some/stills/0000.png")));
    assert_true(vo_file_exists(path_in(&p, "some/stills/0001.png")));
    assert_true(vo_file_exists(path_in(&p, "some/stills/0003.png")));
    assert_false(vo_file_exists(path_in(&p, "some/stills/0004.png")));
    assert_ok(p.ctx, render_to(&p, &def, "three.png"));
    assert_same_file(p.ctx, path_in(&p, "three.png"), path_in(&p, "some/stills/0003.png"));
    close_run_fixture(&p);
}

#ifdef VO_HAVE_LIBAV
/* Properties of a decoded movie. */
typedef struct movie_info {
    int frames, width, height;
    double rate;
    bool index_first;
} movie_info;

static int count_frames(AVCodecContext *codec, const AVPacket *packet, AVFrame *frame) {
    int count = 0;
    assert_true(avcodec_send_packet(codec, packet) >= 0);
    while (avcodec_receive_frame(codec, frame) >= 0) count++;
    return count;
}

static movie_info decode_movie(const char *path) {
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, path, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(format->nb_streams, 1);
    const AVCodecParameters *parameters = format->streams[0]->codecpar;
    assert_int_equal(parameters->codec_id, AV_CODEC_ID_H264);
    assert_int_equal(parameters->format, AV_PIX_FMT_YUV420P);
    movie_info w = {0, parameters->width, parameters->height,
                    av_q2d(format->streams[0]->avg_frame_rate), false};
    AVCodecContext *codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    assert_true(avcodec_parameters_to_context(codec, parameters) >= 0);
    codec->thread_count = 1;
    assert_int_equal(avcodec_open2(codec, codec->codec, NULL), 0);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    while (av_read_frame(format, packet) >= 0) {
        w.frames += count_frames(codec, packet, frame);
        av_packet_unref(packet);
    }
    w.frames += count_frames(codec, NULL, frame);
    av_packet_free(&packet);
    av_frame_free(&frame);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
    return w;
}

/* Returns true if "moov" precedes "mdat". */
static bool index_first(vo_context *ctx, const char *path) {
    vo_bytes bytes;
    long moov = -1, mdat = -1;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    for (long i = 0; i + 4 <= (long)bytes.size && (moov < 0 || mdat < 0); i++) {
        if (moov < 0 && memcmp(bytes.data + i, "moov", 4) == 0) moov = i;
        if (mdat < 0 && memcmp(bytes.data + i, "mdat", 4) == 0) mdat = i;
    }
    vo_bytes_free(ctx, &bytes);
    return moov >= 0 && mdat > moov;
}
#endif

static void movie_is_encoded(void **state) {
    (void)state;
    skip_unless_available();
#ifdef VO_HAVE_LIBAV
    vo_render_def def;
    for (int threads = 1; threads <= 2; threads++) {
        run_fixture p = make_run(threads, &def);
        assert_ok(p.ctx, render_to(&p, &def, "a.mp4"));
        movie_info w = decode_movie(path_in(&p, "a.mp4"));
        assert_int_equal(w.frames, 5);
        assert_int_equal(w.width, 64);
        assert_int_equal(w.height, 48);
        assert_near(w.rate, 25, 1e-6);
        assert_true(index_first(p.ctx, path_in(&p, "a.mp4")));
        assert_ok(p.ctx, render_to(&p, &def, "b.mp4"));
        assert_same_file(p.ctx, path_in(&p, "a.mp4"), path_in(&p, "b.mp4"));
        def.first = 2;
        assert_ok(p.ctx, render_to(&p, &def, "c.mov"));
        assert_int_equal(decode_movie(path_in(&p, "c.mov")).frames, 3);
        assert_false(vo_file_exists(path_in(&p, "c.mov.tmp")));
        close_run_fixture(&p);
    }
#endif
}

/* A cancelled movie contains the frames rendered until then. */
static void cancelled_movie_has_the_rendered_frames(void **state) {
    (void)state;
    skip_unless_available();
#ifdef VO_HAVE_LIBAV
    vo_render_def def;
    run_fixture p = make_run(1, &def);
    int stop = 1;
    def.progress = stop_at;
    def.user = &stop;
    assert_int_equal(render_to(&p, &def, "a.mp4"), VO_CANCELLED);
    assert_int_equal(decode_movie(path_in(&p, "a.mp4")).frames, 2);
    close_run_fixture(&p);
#endif
}

/* Simulation and rendering give the same pixels for any number of threads. */
static void pixels_are_independent_of_threads(void **state) {
    (void)state;
    skip_unless_available();
    vo_bytes first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        vo_render_def def;
        run_fixture p = make_run(threads, &def);
        vo_bytes bytes;
        assert_ok(p.ctx, render_to(&p, &def, "a.png"));
        assert_ok(p.ctx, vo_file_read(p.ctx, def.output, &bytes));
        if (threads == 1) {
            first.data = malloc(bytes.size);
            first.size = bytes.size;
            memcpy(first.data, bytes.data, bytes.size);
        }
        assert_int_equal(bytes.size, first.size);
        assert_memory_equal(bytes.data, first.data, first.size);
        vo_bytes_free(p.ctx, &bytes);
        close_run_fixture(&p);
    }
    free(first.data);
}

static void scene_and_simulation_are_rendered(void **state) {
    (void)state;
    skip_unless_available();
    vo_render_def def;
    run_fixture p = make_run(1, &def);
    def.frame = 0;
    assert_ok(p.ctx, render_to(&p, &def, "run.png"));
    def.input = p.scene;
    def.output = path_in(&p, "scene.png");
    assert_ok(p.ctx, vo_render(p.ctx, &def));
    assert_same_file(p.ctx, path_in(&p, "run.png"), path_in(&p, "scene.png"));

    static uint8_t rgb[2][3 * 64 * 48];
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(p.ctx, vo_scene_load(p.ctx, p.scene, 0, NULL, &scene));
    assert_ok(p.ctx, vo_sim_create(p.ctx, scene, &sim));
    assert_ok(p.ctx, vo_sim_render_image(sim, &def.options, rgb[0]));
    def.options.wireframe = true; /* lines change the image */
    assert_ok(p.ctx, vo_sim_render_image(sim, &def.options, rgb[1]));
    assert_memory_not_equal(rgb[0], rgb[1], sizeof rgb[0]);
    def.options.wireframe = false;
    def.options.colour_count = 1; /* a colour changes it: more green */
    def.options.colours = (const unsigned[]){0x10c020};
    assert_ok(p.ctx, vo_sim_render_image(sim, &def.options, rgb[1]));
    int green = 0; /* relative to red, the first default colour */
    for (int i = 0; i < 64 * 48; i++)
        green += rgb[1][3 * i + 1] - rgb[1][3 * i] - rgb[0][3 * i + 1] + rgb[0][3 * i];
    assert_true(green > 5000);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    close_run_fixture(&p);
}

/* Counts the nodes of two horizontal sheets, `gap` apart, that touch the other sheet: the lower one
 * has edges of 0.2 m, the upper one of 2 cm. */
static void count_touching(double gap, int count[2]) {
    vo_context *ctx = test_context(1);
    vo_fabric_def fabric = vo_fabric_def_default();
    vo_material_def material = vo_material_def_default();
    vo_scene_def scene_def = vo_scene_def_default();
    vo_fabric *made;
    vo_scene *scene;
    vo_mesh *mesh[2];
    vo_sim *sim;
    assert_ok(ctx, vo_fabric_create(ctx, &fabric, &made));
    assert_ok(ctx, vo_scene_create(ctx, &scene_def, &scene));
    material.fabric = made;
    for (int c = 0; c < 2; c++) {
        int cells = c ? 20 : 2;
        vo_cloth_def cloth = vo_cloth_def_default();
        mesh[c] = test_grid(ctx, 0.4, 0.4, cells, cells);
        for (int i = 0; i < mesh[c]->node_count; i++) mesh[c]->node_x[i].z = c * gap;
        cloth.mesh = mesh[c];
        cloth.material_count = 1;
        cloth.materials = &material;
        assert_ok(ctx, vo_scene_add_cloth(scene, &cloth, NULL));
    }
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    vo_render_options shot = vo_render_options_default();
    vo_render_session stage;
    assert_ok(ctx, vo_render_session_create(ctx, &shot, &stage));
    assert_ok(ctx, vo_render_session_update_positions(&stage, sim));
    for (int c = 0; c < 2; c++) {
        const unsigned char *touches;
        assert_ok(ctx, vo_render_session_find_touching(&stage, sim, c, &touches));
        count[c] = 0;
        for (int i = 0; i < sim->cloth[c].mesh->node_count; i++) count[c] += touches[i];
    }
    vo_render_session_free(&stage);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    for (int c = 0; c < 2; c++) vo_mesh_destroy(mesh[c]);
    vo_fabric_destroy(made);
    vo_context_destroy(ctx);
}

/* Large rounded faces bulge further, so they detect contacts at a larger distance. */
static void rounding_applies_near_contacts_only(void **state) {
    (void)state;
    skip_unless_available();
    int count[2];
    count_touching(0.005, count); /* within three thicknesses of 5 mm */
    assert_int_equal(count[0], 9);
    assert_int_equal(count[1], 441);
    count_touching(0.03, count); /* within a quarter of 0.2 m, not of 28 mm */
    assert_int_equal(count[0], 9);
    assert_int_equal(count[1], 0);
    count_touching(0.1, count);
    assert_int_equal(count[0], 0);
}

/* Counts the reddish pixels of an image of a red sheet in a cube, seen from an azimuth. */
static int count_red(bool inward, double azimuth) {
    static uint8_t rgb[3 * 64 * 64];
    vo_context *ctx = test_context(1);
    vo_fabric_def fabric_def = vo_fabric_def_default();
    vo_material_def material = vo_material_def_default();
    vo_cloth_def cloth = vo_cloth_def_default();
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    vo_scene_def scene_def = vo_scene_def_default();
    vo_render_options options = vo_render_options_default();
    vo_fabric *fabric;
    vo_scene *scene;
    vo_sim *sim;
    vo_mesh *cube, *sheet = test_grid(ctx, 0.4, 0.4, 4, 4);
    scene_def.disable = VO_DISABLE_SEPARATION; /* else the sheet may leave an outward cube */
    soup s = {0};
    soup_box(&s, v3(-0.2, -0.3, -0.4), v3(0.6, 0.6, 0.4));
    for (int f = 0; f < s.face_count && inward; f++) {
        int a = s.face[f][0];
        s.face[f][0] = s.face[f][1];
        s.face[f][1] = a;
    }
    assert_ok(ctx, vo_mesh_create(ctx, s.node_count, s.x, s.node_count, NULL, NULL, s.face_count,
                                  (const int(*)[3])s.face, VO_MESH_FOR_OBSTACLE, &cube));
    assert_ok(ctx, vo_fabric_create(ctx, &fabric_def, &fabric));
    assert_ok(ctx, vo_scene_create(ctx, &scene_def, &scene));
    material.fabric = fabric;
    cloth.mesh = sheet;
    cloth.material_count = 1;
    cloth.materials = &material;
    obstacle.mesh = cube;
    assert_ok(ctx, vo_scene_add_cloth(scene, &cloth, NULL));
    assert_ok(ctx, vo_scene_add_obstacle(scene, &obstacle, NULL));
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    options.width = options.height = 64;
    options.samples = 2;
    options.azimuth = azimuth;
    options.colour_count = 1;
    options.colours = (const unsigned[]){0xe00000};
    assert_ok(ctx, vo_sim_render_image(sim, &options, rgb));
    int red = 0;
    for (int i = 0; i < 64 * 64; i++) red += rgb[3 * i] > 2 * rgb[3 * i + 1];
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_mesh_destroy(cube);
    vo_mesh_destroy(sheet);
    vo_fabric_destroy(fabric);
    soup_free(&s);
    vo_context_destroy(ctx);
    return red;
}

/* Walls of a container are omitted where they are seen from outside, those of a solid are not. */
static void content_of_a_container_is_visible(void **state) {
    (void)state;
    skip_unless_available();
    for (double azimuth = 0; azimuth < 360; azimuth += 90) {
        assert_true(count_red(true, azimuth) > 50);
        assert_int_equal(count_red(false, azimuth), 0);
    }
}

static void invalid_input_is_rejected(void **state) {
    (void)state;
    skip_unless_available();
    vo_render_def def, given;
    run_fixture p = make_run(1, &given);
    def = given;
    assert_int_equal(render_to(&p, &def, "a.tga"), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, ".png");
    def.first = 7;
    assert_int_equal(render_to(&p, &def, "a.png"), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "no frames in the requested range");
    def = given;
    assert_int_equal(render_to(&p, &def, "no/such/folder.png"), VO_IO_FAILED);
    assert_int_equal(render_to(&p, &def, "no/such/folder.mp4"), VO_IO_FAILED);
    assert_message_contains(p.ctx, "folder.mp4: cannot write");
    assert_int_equal(render_to(&p, &def, "scene.json/stills"), VO_BAD_ARGUMENT);
    def.options.width = 63;
    assert_int_equal(render_to(&p, &def, "a.mp4"), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "even");
    assert_false(vo_file_exists(path_in(&p, "a.mp4.tmp")));
    def = given;
    def.output = path_in(&p, "stills");
    def.input = p.scene;
    assert_int_equal(vo_render(p.ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "is a scene");
    def.input = test_folder();
    assert_int_equal(vo_render(p.ctx, &def), VO_BAD_DATA); /* a folder that is not a run */
    truncate_frame(&p, 2);
    def = given;
    assert_int_equal(render_to(&p, &def, "a.mp4"), VO_BAD_DATA);
    assert_false(vo_file_exists(path_in(&p, "a.mp4")));
    assert_false(vo_file_exists(path_in(&p, "a.mp4.tmp")));
    close_run_fixture(&p);
}

static void invalid_options_are_rejected(void **state) {
    (void)state;
    skip_unless_available();
    vo_render_def given;
    run_fixture p = make_run(1, &given);
    struct {
        size_t member;
        double low, high;
        const char *name;
    } reals[] = {{offsetof(vo_render_options, elevation), -90, 90, "elevation"},
                 {offsetof(vo_render_options, fov_long_side), 0, 151, "fov_long_side"},
                 {offsetof(vo_render_options, zoom), 0, 1e4, "zoom"},
                 {offsetof(vo_render_options, azimuth), -1e16, NAN, "azimuth"},
                 {offsetof(vo_render_options, ground_height), -1e16, INFINITY, "ground_height"}};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        for (int high = 0; high < 2; high++) {
            vo_render_def def = given;
            double *value = (double *)(void *)((char *)&def.options + reals[i].member);
            *value = high ? reals[i].high : reals[i].low;
            assert_int_equal(render_to(&p, &def, "a.png"), VO_BAD_ARGUMENT);
            assert_message_contains(p.ctx, reals[i].name);
        }
    vo_render_def def = given;
    def.options.samples = 0;
    assert_int_equal(render_to(&p, &def, "a.png"), VO_BAD_ARGUMENT);
    def = given;
    def.options.height = 16385;
    assert_int_equal(render_to(&p, &def, "a.png"), VO_BAD_ARGUMENT);
    def = given;
    def.options.colour_count = 2;
    assert_int_equal(render_to(&p, &def, "a.png"), VO_BAD_ARGUMENT);
    close_run_fixture(&p);
}

/* The error names the library that this build lacks. */
static void missing_libraries_are_reported(void **state) {
    (void)state;
    if (vo_rays_available() && vo_png_available() && vo_movie_available()) skip();
    run_fixture p = open_run_fixture(1);
    vo_render_def def = vo_render_def_default();
    def.input = p.scene;
    def.output = path_in(&p, "a.png");
    def.options.width = def.options.height = 16;
    vo_result result = vo_render(p.ctx, &def);
    if (!vo_rays_available() || !vo_png_available()) assert_int_equal(result, VO_BAD_ARGUMENT);
    if (!vo_rays_available())
        assert_message_contains(p.ctx, "without Embree");
    else if (!vo_png_available())
        assert_message_contains(p.ctx, "rebuild it with libpng");
    vo_movie *movie;
    vo_movie_def movie_def = {"a.mp4", 16, 16, 0.04, 1};
    if (!vo_movie_available()) {
        assert_int_equal(vo_movie_open(p.ctx, &movie_def, &movie), VO_BAD_ARGUMENT);
        assert_message_contains(p.ctx, "rebuild it with libavcodec");
    }
    close_run_fixture(&p);
}

static vo_result render_frame(vo_context *ctx, void *arg) {
    vo_render_def def = *(const vo_render_def *)arg;
    return vo_render(ctx, &def);
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    skip_unless_available();
    vo_render_def def;
    run_fixture p = make_run(1, &def);
    def.input = p.run;
    def.output = path_in(&p, "a.png");
    def.frame = 3;
    def.options.width = 8;
    def.options.height = 6;
    def.options.samples = 1;
    test_every_allocation_forgiving(render_frame, &def);
    def.output = path_in(&p, "a.mp4");
    def.options.width = 16;
    def.options.height = 16;
    test_every_allocation_forgiving(render_frame, &def);
    close_run_fixture(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_rendered),
        cmocka_unit_test(movie_is_encoded),
        cmocka_unit_test(cancelled_movie_has_the_rendered_frames),
        cmocka_unit_test(pixels_are_independent_of_threads),
        cmocka_unit_test(scene_and_simulation_are_rendered),
        cmocka_unit_test(rounding_applies_near_contacts_only),
        cmocka_unit_test(content_of_a_container_is_visible),
        cmocka_unit_test(invalid_input_is_rejected),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(missing_libraries_are_reported),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
