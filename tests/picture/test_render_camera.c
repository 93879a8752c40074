/* Tests of images through cameras: of the scene, of the caller, and for mesh files. */
#include "run_fixture.h"

#include "codec/png.h"
#include "run/render.h"
#include "spatial/rays.h"

/* A sheet of 1 m in the plane z = 0, viewed from above: `wide` has it in the middle half of a
 * square image, `near` fills the image with it, and `film` changes from one to the other with a cut
 * at frame 2 and a rotation before it. */
static const char scene_cameras[] =
    "{\"frame_time\": 0.04, \"end_frame\": 3, \"disable\": [\"physics\"],\n"
    " \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 4, \"rows\": 4},\n"
    "  \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                  \"poisson_ratio\": 0.3}]}],\n"
    " \"cameras\": [\n"
    "  {\"name\": \"film\", \"resolution\": [40, 40], \"fov_y\": 90, \"keys\": [\n"
    "   {\"frame\": 0, \"position\": [0.5, 0.5, 1], \"rotation\": [1, 0, 0, 0]},\n"
    "   {\"frame\": 1, \"position\": [0.5, 0.5, 1], \"rotation\": [0.9, 0, 0, 0.4]},\n"
    "   {\"frame\": 2, \"cut\": true, \"position\": [0.5, 0.5, 0.4], \"rotation\": [1, 0, 0, "
    "0]}]},\n"
    "  {\"name\": \"wide\", \"resolution\": [64, 64], \"fov_y\": 90, \"position\": [0.5, 0.5, 1],\n"
    "   \"target\": [0.5, 0.5, 0]},\n"
    "  {\"name\": \"near\", \"resolution\": [64, 64], \"fov_y\": 90, \"position\": [0.5, 0.5, "
    "0.4],\n"
    "   \"target\": [0.5, 0.5, 0]}]}\n";

static void skip_unless_available(void) {
    if (!vo_rays_available() || !vo_png_available()) skip();
}

typedef struct camera_fixture {
    run_fixture p;
    vo_scene *scene;
    vo_sim *sim;
} camera_fixture;

static camera_fixture open_camera_fixture(void) {
    camera_fixture s = {.p = open_run_fixture(1)};
    vo_context *ctx = s.p.ctx;
    assert_ok(ctx, vo_file_write(ctx, s.p.scene, scene_cameras, strlen(scene_cameras)));
    assert_ok(ctx, vo_scene_load(ctx, s.p.scene, 0, NULL, &s.scene));
    assert_ok(ctx, vo_sim_create(ctx, s.scene, &s.sim));
    return s;
}

static void close_camera_fixture(camera_fixture *s) {
    vo_sim_destroy(s->sim);
    vo_scene_destroy(s->scene);
    close_run_fixture(&s->p);
}

static const char *path_in(const run_fixture *p, const char *name) {
    static char paths[4][700];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 700, "%.*s%s", (int)(strlen(p->run) - 3), p->run, name);
    return path;
}

static vo_render_options small_options(int width, int height) {
    vo_render_options options = vo_render_options_default();
    options.width = width;
    options.height = height;
    options.samples = 1;
    options.ground = false;
    return options;
}

/* Returns the fraction of the image that has the red of cloth instead of grey. */
static double cloth_fraction(const uint8_t *rgb, int width, int height) {
    int count = 0;
    for (int i = 0; i < width * height; i++) count += rgb[3 * i] > rgb[3 * i + 1] + 40;
    return (double)count / (width * height);
}

static double render_fraction(const camera_fixture *s, const vo_camera *camera, int width,
                              int height) {
    static uint8_t rgb[3 * 64 * 64];
    vo_render_options options = small_options(width, height);
    options.camera = camera;
    assert_ok(s->p.ctx, vo_sim_render_image(s->sim, &options, rgb));
    return cloth_fraction(rgb, width, height);
}

/* From a height h with a half angle of 45 degrees the sheet covers 1 / (2 h)^2 of the image. */
static void camera_determines_covered_fraction(void **state) {
    (void)state;
    skip_unless_available();
    camera_fixture s = open_camera_fixture();
    vo_camera wide = vo_scene_eval_camera(s.scene, 1, 0),
              near = vo_scene_eval_camera(s.scene, 2, 0);
    assert_near(render_fraction(&s, &wide, 64, 64), 0.25, 0.02);
    assert_near(render_fraction(&s, &near, 64, 64), 1, 0.001);
    assert_near(render_fraction(&s, &wide, 64, 32), 0.125,
                0.02); /* the field of view is vertical */
    vo_camera away = vo_camera_look_at(v3(0.5, 0.5, 1), v3(0.5, 0.5, 9), v3(0, 0, 1), 90, 64, 64);
    assert_near(render_fraction(&s, &away, 64, 64), 0, 0);
    vo_camera left = vo_camera_look_at(v3(1, 0.5, 1), v3(1, 0.5, 0), v3(0, 0, 1), 90, 64, 64);
    static uint8_t rgb[3 * 64 * 64];
    vo_render_options options = small_options(64, 64);
    options.camera = &left;
    assert_ok(s.p.ctx, vo_sim_render_image(s.sim, &options, rgb));
    for (int y = 20; y < 44; y++) { /* world y is up: the sheet is in the left half */
        assert_true(rgb[3 * (64 * y + 20)] > rgb[3 * (64 * y + 20) + 1] + 40);
        assert_false(rgb[3 * (64 * y + 44)] > rgb[3 * (64 * y + 44) + 1] + 40);
    }
    close_camera_fixture(&s);
}

/* vo_render gives the same image as vo_sim_render_image through the same camera. */
static void render_uses_the_scene_camera(void **state) {
    (void)state;
    skip_unless_available();
    camera_fixture s = open_camera_fixture();
    vo_context *ctx = s.p.ctx;
    vo_render_def def = vo_render_def_default();
    def.input = s.p.scene;
    def.options = small_options(16, 16);
    def.camera = "near";
    def.output = path_in(&s.p, "near.png");
    assert_ok(ctx, vo_render(ctx, &def));
    static uint8_t rgb[3 * 64 * 64];
    vo_camera near = vo_scene_eval_camera(s.scene, 2, 0);
    vo_render_options options = small_options(64, 64); /* the camera's resolution */
    options.camera = &near;
    assert_ok(ctx, vo_sim_render_image(s.sim, &options, rgb));
    vo_image image = {64, 64, rgb};
    assert_ok(ctx, vo_png_save(ctx, &image, path_in(&s.p, "drawn.png")));
    assert_same_file(ctx, path_in(&s.p, "near.png"), path_in(&s.p, "drawn.png"));
    def.camera = NULL; /* the scene's first camera is overridden by options.camera */
    def.options.camera = &near;
    def.options.width = def.options.height = 64;
    def.output = path_in(&s.p, "own.png");
    assert_ok(ctx, vo_render(ctx, &def));
    assert_same_file(ctx, path_in(&s.p, "own.png"), path_in(&s.p, "drawn.png"));
    close_camera_fixture(&s);
}

/* Width of a PNG. */
static int width_of(vo_context *ctx, const char *path) {
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    const unsigned char *at = (const unsigned char *)bytes.data + 16;
    int width = at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
    vo_bytes_free(ctx, &bytes);
    return width;
}

static void image_size_is_that_of_the_camera(void **state) {
    (void)state;
    skip_unless_available();
    camera_fixture s = open_camera_fixture();
    vo_context *ctx = s.p.ctx;
    vo_render_def def = vo_render_def_default();
    def.input = s.p.scene;
    def.options = small_options(16, 12);
    def.output = path_in(&s.p, "a.png");
    assert_ok(ctx, vo_render(ctx, &def));
    assert_int_equal(width_of(ctx, def.output), 40);
    def.camera = "wide";
    assert_ok(ctx, vo_render(ctx, &def));
    assert_int_equal(width_of(ctx, def.output), 64);
    def.override_size = true;
    assert_ok(ctx, vo_render(ctx, &def));
    assert_int_equal(width_of(ctx, def.output), 16);
    def.override_size = false;
    def.camera = "none";
    assert_ok(ctx, vo_render(ctx, &def));
    assert_int_equal(width_of(ctx, def.output), 16);
    def.camera = "zoe";
    assert_int_equal(vo_render(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "no camera \"zoe\"; it has \"film\", \"wide\", \"near\"");
    vo_camera bad = vo_scene_eval_camera(s.scene, 1, 0);
    bad.up = bad.right;
    def.options.camera = &bad;
    assert_int_equal(vo_render(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "options.camera: right, up and forward must be at right angles");
    bad = vo_scene_eval_camera(s.scene, 1, 0);
    bad.z_far = 0;
    assert_int_equal(vo_render(ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "options.camera: z_far must be greater than z_near");
    close_camera_fixture(&s);
}

/* A camera with rounding errors, as from single precision, is accepted by rendering if the view
 * accepts it. */
static void rounded_camera_is_accepted_everywhere(void **state) {
    (void)state;
    skip_unless_available();
    camera_fixture s = open_camera_fixture();
    vo_camera camera = vo_camera_look_at(v3(0.5, 0.5, 1), v3(0.5, 0.5, 0), v3(0, 0, 1), 90, 64, 64);
    camera.up = v3_scale(1 + 1e-4, camera.up);
    assert_ok(s.p.ctx, vo_sim_set_camera(s.sim, &camera, false));
    assert_true(render_fraction(&s, &camera, 64, 64) > 0);
    camera.up = v3_scale(1.01, camera.up);
    assert_int_equal(vo_sim_set_camera(s.sim, &camera, false), VO_BAD_ARGUMENT);
    assert_message_contains(s.p.ctx, "camera: up must have the length 1");
    static uint8_t rgb[3 * 64 * 64];
    vo_render_options options = small_options(64, 64);
    options.camera = &camera;
    assert_int_equal(vo_sim_render_image(s.sim, &options, rgb), VO_BAD_ARGUMENT);
    assert_message_contains(s.p.ctx, "options.camera: up must have the length 1");
    close_camera_fixture(&s);
}

/* The camera cuts between frames 1 and 2; each image uses the camera at its own time. */
static void run_images_follow_the_camera_cut(void **state) {
    (void)state;
    skip_unless_available();
    camera_fixture s = open_camera_fixture();
    vo_context *ctx = s.p.ctx;
    assert_int_equal(simulate(&s.p, 9), VO_OK);
    vo_render_def def = vo_render_def_default();
    def.input = s.p.run;
    def.options = small_options(16, 16);
    def.output = path_in(&s.p, "stills");
    assert_ok(ctx, vo_render(ctx, &def));
    for (int frame = 0; frame <= 3; frame++) {
        static uint8_t rgb[3 * 40 * 40];
        char name[32];
        vo_frame_camera from;
        vo_camera camera = vo_scene_eval_camera(s.scene, 0, frame * 0.04);
        double late = frame * 0.04 - 1e-12; /* rounding of accumulated steps */
        assert_ok(ctx,
                  vo_frame_camera_find(&def, s.scene, frame == 2 ? late : frame * 0.04, &from));
        assert_true(from.given);
        assert_memory_equal(&from.camera, &camera, sizeof camera);
        /* lights keep their direction while the camera rotates */
        assert_near(from.lights.x, 1, 1e-12);
        assert_true(frame != 1 || camera.right.x < 0.9);
        snprintf(name, sizeof name, "stills/%04d.png", frame);
        assert_int_equal(width_of(ctx, path_in(&s.p, name)), 40);
        vo_render_options options = small_options(40, 40);
        options.camera = &camera;
        assert_ok(ctx, vo_sim_render_image(s.sim, &options, rgb));
        assert_near(cloth_fraction(rgb, 40, 40), frame < 2 ? 0.25 : 1, 0.03);
    }
    close_camera_fixture(&s);
}

/* ---- meshes --------------------------------------------------------------------------------- */

static const char cube[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf -4 -8 -5 -1\n";
static const char sheet[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                            "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";

static vo_result render_text(run_fixture *p, const char *text, vo_render_def *def) {
    def->input = path_in(p, "mesh.obj");
    assert_ok(p->ctx, vo_file_write(p->ctx, def->input, text, strlen(text)));
    def->output = path_in(p, "mesh.png");
    return vo_render(p->ctx, def);
}

/* Cloth is drawn as cloth, other meshes as bodies; both can be coloured. */
static void meshes_are_rendered(void **state) {
    (void)state;
    skip_unless_available();
    run_fixture p = open_run_fixture(1);
    const char *texts[] = {sheet, cube};
    for (int i = 0; i < 2; i++) {
        vo_render_def def = vo_render_def_default();
        def.options = small_options(32, 24);
        assert_ok(p.ctx, render_text(&p, texts[i], &def));
        assert_int_equal(width_of(p.ctx, def.output), 32);
        vo_bytes plain, other;
        assert_ok(p.ctx, vo_file_read(p.ctx, def.output, &plain));
        for (int change = 0; change < 2; change++) {
            def.options.wireframe = change == 0;
            def.options.colour_count = change;
            def.options.colours = (const unsigned[]){0x10c020};
            assert_ok(p.ctx, render_text(&p, texts[i], &def));
            assert_ok(p.ctx, vo_file_read(p.ctx, def.output, &other));
            assert_false(plain.size == other.size &&
                         memcmp(plain.data, other.data, plain.size) == 0);
            vo_bytes_free(p.ctx, &other);
        }
        vo_bytes_free(p.ctx, &plain);
    }
    close_run_fixture(&p);
}

static void invalid_meshes_are_rejected(void **state) {
    (void)state;
    skip_unless_available();
    run_fixture p = open_run_fixture(1);
    vo_render_def def = vo_render_def_default();
    def.options = small_options(8, 8);
    assert_int_equal(render_text(&p, "v 0 0 0\nf 1 2 3\n", &def), VO_BAD_DATA);
    assert_message_contains(p.ctx, "mesh.obj: ");
    assert_message_contains(p.ctx, "line 2");
    assert_int_equal(render_text(&p, "v 0 0 0\n", &def), VO_BAD_DATA);
    def.output = path_in(&p, "mesh.mp4");
    assert_int_equal(vo_render(p.ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "is a mesh, of which there is one image");
    def.frame = 3;
    assert_int_equal(vo_render(p.ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "is a mesh, which has no frames");
    def.frame = -1;
    def.last = 5;
    def.input = p.scene;
    assert_int_equal(vo_render(p.ctx, &def), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx,
                            "is a scene, which has no frames: leave them out, or simulate it");
    def.last = -1;
    def.input = path_in(&p, "gone.obj");
    def.output = path_in(&p, "mesh.png");
    assert_int_equal(vo_render(p.ctx, &def), VO_IO_FAILED);
    assert_message_contains(p.ctx, "gone.obj");
    close_run_fixture(&p);
}

static vo_result render_once(vo_context *ctx, void *arg) { return vo_render(ctx, arg); }

static void allocation_failure_is_reported(void **state) {
    (void)state;
    skip_unless_available();
    run_fixture p = open_run_fixture(1);
    vo_render_def def = vo_render_def_default();
    def.options = small_options(6, 4);
    for (int i = 0; i < 2; i++) {
        assert_ok(p.ctx, render_text(&p, i ? cube : sheet, &def));
        test_every_allocation_forgiving(render_once, &def);
    }
    close_run_fixture(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_determines_covered_fraction),
        cmocka_unit_test(render_uses_the_scene_camera),
        cmocka_unit_test(image_size_is_that_of_the_camera),
        cmocka_unit_test(rounded_camera_is_accepted_everywhere),
        cmocka_unit_test(run_images_follow_the_camera_cut),
        cmocka_unit_test(meshes_are_rendered),
        cmocka_unit_test(invalid_meshes_are_rejected),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
