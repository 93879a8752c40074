/* Tests of image similarity: synthetic fields with known overlap, angles and wrinkle power; and the
 * G-buffer of a sphere. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/string_builder.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "picture/diff_image.h"
#include "picture/gbuffer.h"
#include "picture/similarity.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 200 };

/* Writable arrays of a G-buffer. */
typedef struct field {
    float *data;
    float *depth, *normal[3];
    vo_gbuffer shown;
} field;

static field make_field(int width, int height) {
    size_t count = (size_t)width * (size_t)height;
    field f = {.data = calloc(4 * count, sizeof(float))};
    assert_non_null(f.data);
    f.depth = f.data;
    for (int i = 0; i < 3; i++) f.normal[i] = f.data + (size_t)(i + 1) * count;
    f.shown = (vo_gbuffer){width, height, f.depth, {f.normal[0], f.normal[1], f.normal[2]}};
    return f;
}

static void set_pixel(field *f, int x, int y, double depth, vo_vec3 normal) {
    size_t at = (size_t)y * (size_t)f->shown.width + (size_t)x;
    f->depth[at] = (float)depth;
    f->normal[0][at] = (float)normal.x;
    f->normal[1][at] = (float)normal.y;
    f->normal[2][at] = (float)normal.z;
}

/* Cloth in the columns [left, right), with normals rotated by an angle about y. */
static field make_band(int left, int right, double depth, double angle) {
    field f = make_field(WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = left; x < right; x++)
            set_pixel(&f, x, y, depth, v3(sin(angle), 0, cos(angle)));
    return f;
}

/* Normals that oscillate along x or the diagonal by `amplitude` about the viewing direction. */
static field make_waves(int width, int height, double amplitude, double wavelength, bool diagonal) {
    field f = make_field(width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double along = diagonal ? (x + y) / sqrt(2) : x;
            double a = amplitude * sin(2 * VO_PI * along / wavelength + 0.3);
            set_pixel(&f, x, y, 1, v3(sin(a), 0, cos(a)));
        }
    return f;
}

static vo_similarity compare(const field *a, const field *b) {
    vo_context *ctx = test_context(2);
    vo_similarity l = vo_similarity_measure(ctx, &a->shown, &b->shown);
    vo_context_destroy(ctx);
    return l;
}

static void silhouette_iou_is_exact(void **state) {
    (void)state;
    field a = make_band(10, 110, 2, 0), b = make_band(60, 160, 2.25, 0);
    field none = make_field(WIDTH, HEIGHT), apart = make_band(200, 220, 2, 0);
    vo_similarity l = compare(&a, &b);
    assert_int_equal(l.pixels[0], 100 * HEIGHT);
    assert_int_equal(l.both, 50 * HEIGHT);
    assert_near(l.silhouette_iou, 50.0 / 150, 1e-15);
    assert_near(l.depth, 0.25, 1e-6);
    assert_near(l.angle, 0, 0);
    assert_near(compare(&a, &a).silhouette_iou, 1, 0);
    assert_near(compare(&a, &none).silhouette_iou, 0, 0);
    assert_true(isnan(compare(&a, &none).angle));
    assert_true(isnan(compare(&none, &none).silhouette_iou));
    assert_near(compare(&a, &apart).silhouette_iou, 0, 0);
    free(a.data), free(b.data), free(none.data), free(apart.data);
}

/* Angles from tiny to a half turn. */
static void mean_angle_is_exact(void **state) {
    (void)state;
    const double tilts[] = {1e-4, 0.01, 0.5, VO_PI / 2, 3, VO_PI};
    field a = make_band(0, WIDTH, 1, 0);
    for (size_t i = 0; i < sizeof tilts / sizeof tilts[0]; i++) {
        field b = make_band(0, WIDTH, 1, tilts[i]);
        assert_near(compare(&a, &b).angle, tilts[i], 1e-6);
        assert_near(compare(&b, &a).angle, compare(&a, &b).angle, 0);
        free(b.data);
    }
    field half = make_band(0, WIDTH / 2, 1, 0.2); /* the mean is over common pixels only */
    assert_near(compare(&a, &half).angle, 0.2, 1e-6);
    free(a.data), free(half.data);
}

static void wrinkles(const field *a, const field *b, double wavelength, double power[2]) {
    vo_context *ctx = test_context(2);
    assert_ok(ctx, vo_similarity_measure_wrinkles(ctx, &a->shown, &b->shown, wavelength, power));
    vo_context_destroy(ctx);
}

/* Response of the filter to a wave, with half the power at `limit`. */
static double response(double wavelength, double limit) {
    double s = limit / 4.00936;
    return 1 - exp(-2 * VO_PI * VO_PI * s * s / (wavelength * wavelength));
}

/* The power of small waves is amplitude^2 / 2 times the squared response. The image is so large
 * that its border has little effect, and a multiple of the wavelength. */
static void wave_power_matches_response(void **state) {
    (void)state;
    const double limit = 32, amplitude = 0.05;
    const double waves[] = {8, 16, 32, 64};
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        field a = make_waves(1280, 96, amplitude, waves[i], false), b = a;
        double power[2], part = response(waves[i], limit);
        wrinkles(&a, &b, limit, power);
        assert_near(power[0], power[1], 0); /* the same bits */
        double expected = amplitude * amplitude / 2 * part * part;
        assert_near(power[0] / expected, 1, 0.03);
        if (waves[i] == limit) assert_near(part * part, 0.5, 1e-4);
        free(a.data);
    }
}

/* Twice the amplitude is four times the power in any direction; long waves are filtered out. */
static void wave_power_is_quadratic(void **state) {
    (void)state;
    double power[2];
    field a = make_waves(400, 400, 0.02, 12, true), b = make_waves(400, 400, 0.04, 12, true);
    wrinkles(&a, &b, 40, power);
    assert_near(power[0] / power[1], 0.25, 1e-3);
    field slow = make_waves(400, 400, 0.04, 400, true);
    wrinkles(&slow, &b, 20, power);
    assert_true(power[0] / power[1] < 1e-3);
    free(a.data), free(b.data), free(slow.data);
}

static void assert_flat_residual(const field *f, double limit, double largest) {
    double power[2];
    wrinkles(f, f, limit, power);
    if (!(power[0] <= largest)) fail_msg("power %g", power[0]);
}

/* The blur covers cloth only: holes and outlines of flat cloth are not wrinkles. */
static void blur_is_masked(void **state) {
    (void)state;
    double power[2];
    field f = make_field(WIDTH, HEIGHT), none = make_field(WIDTH, HEIGHT);
    for (int y = 20; y < 150; y++)
        for (int x = 5; x < 300; x++)
            if ((x - 100) * (x - 100) + (y - 80) * (y - 80) > 900 && (x + y) % 7)
                set_pixel(&f, x, y, 1, v3(0.6, 0, 0.8));
    assert_flat_residual(&f, 5, 1e-12);
    assert_flat_residual(&f, 64, 1e-12);
    assert_flat_residual(&f, VO_MAX_WAVELENGTH, 1e-12);
    wrinkles(&f, &none, 20, power);
    assert_true(isnan(power[0]) && isnan(power[1]));
    /* Pixels with cloth in only one image are ignored. */
    field g = make_waves(WIDTH, HEIGHT, 0.3, 10, false);
    memcpy(g.depth, f.depth, sizeof(float) * WIDTH * 100); /* from row 100 on all pixels */
    for (int i = 100 * WIDTH; i < WIDTH * HEIGHT; i++) f.depth[i] = 0;
    double whole[2];
    wrinkles(&f, &g, 20, power);
    for (int i = 100 * WIDTH; i < WIDTH * HEIGHT; i++) g.depth[i] = 0;
    wrinkles(&f, &g, 20, whole);
    assert_near(power[1], whole[1], 0);
    free(f.data), free(g.data), free(none.data);
}

/* Agrees with the definition, evaluated pixel by pixel, on a random field with holes. */
static void wrinkles_agree_with_definition(void **state) {
    (void)state;
    enum { W = 37, H = 23 };
    const double limit = 9, s = limit / 4.00936;
    vo_random random = vo_random_seed(7);
    field f = make_field(W, H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            vo_vec3 n =
                v3(vo_random_real(&random, -0.5, 0.5), vo_random_real(&random, -0.5, 0.5), 1);
            if (vo_random_real(&random, 0, 1) < 0.7) set_pixel(&f, x, y, 1, v3_normalize(n));
        }
    double expected = 0, pixels = 0, power[2];
    int reach = (int)ceil(3 * s);
    for (int p = 0; p < W * H; p++) {
        if (!(f.depth[p] > 0)) continue;
        double weight = 0, mean[3] = {0};
        for (int q = 0; q < W * H; q++) {
            int dx = abs(q % W - p % W), dy = abs(q / W - p / W);
            if (!(f.depth[q] > 0) || dx > reach || dy > reach) continue;
            double g = exp(-(dx * dx + dy * dy) / (2 * s * s));
            weight += g;
            for (int i = 0; i < 3; i++) mean[i] += g * (double)f.normal[i][q];
        }
        for (int i = 0; i < 3; i++) expected += pow((double)f.normal[i][p] - mean[i] / weight, 2);
        pixels++;
    }
    wrinkles(&f, &f, limit, power);
    assert_near(power[0], expected / pixels, 1e-6);
    free(f.data);
}

static void quantiles_interpolate(void **state) {
    (void)state;
    double value[] = {5, 1, 4, 2, 3};
    vo_sort_values(5, value);
    assert_near(vo_quantile(5, value, 0), 1, 0);
    assert_near(vo_quantile(5, value, 0.5), 3, 0);
    assert_near(vo_quantile(5, value, 0.6), 3.4, 1e-12);
    assert_near(vo_quantile(5, value, 1), 5, 0);
    assert_near(vo_quantile(1, value, 0.95), 1, 0);
    assert_true(isnan(vo_quantile(0, value, 0.5)));
}

/* The same bits for any number of threads. */
static void result_is_independent_of_threads(void **state) {
    (void)state;
    field a = make_waves(333, 211, 0.3, 13, true), b = make_waves(333, 211, 0.2, 17, true);
    double first[4] = {0};
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        double power[2];
        assert_ok(ctx, vo_similarity_measure_wrinkles(ctx, &a.shown, &b.shown, 21, power));
        vo_similarity l = vo_similarity_measure(ctx, &a.shown, &b.shown);
        double now[4] = {power[0], power[1], l.angle, l.depth};
        if (threads == 1) memcpy(first, now, sizeof now);
        assert_memory_equal(first, now, sizeof now);
        vo_context_destroy(ctx);
    }
    free(a.data), free(b.data);
}

/* ---- a camera ------------------------------------------------------------------------------- */

#define RADIUS 0.5

typedef struct stage {
    vo_context *ctx;
    vo_mesh *ball, *wall;
    vo_model model;
    vo_gbuffer_pass observer;
    vo_gbuffer_pass_def def;
} stage;

static vo_mesh *make_shape(vo_context *ctx, const vo_shape_def *def, vo_vec3 place) {
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create_shape(ctx, def, &mesh));
    for (int i = 0; i < mesh->node_count; i++) mesh->node_x[i] = v3_add(mesh->node_x[i], place);
    return mesh;
}

/* A sphere of cloth at the origin, viewed from x = 3, and a wall that occludes y > 0. */
static void open_stage(stage *s, int threads, bool wall) {
    *s = (stage){.ctx = test_context(threads)};
    vo_shape_def ball = vo_shape_def_default(VO_SHAPE_SPHERE);
    ball.radius = RADIUS;
    ball.edge_length = 0.02;
    s->ball = make_shape(s->ctx, &ball, v3_zero());
    vo_shape_def box = vo_shape_def_default(VO_SHAPE_BOX);
    box.size = v3(0.1, 1, 2);
    s->wall = make_shape(s->ctx, &box, v3(1, 0.5, 0));
    s->model = (vo_model){.ctx = s->ctx, .origin = {0.1, 0, 0}};
    assert_ok(s->ctx, vo_model_add_obstacle(&s->model, s->ball, 0));
    s->def = (vo_gbuffer_pass_def){
        .model = &s->model,
        .cloth_nodes = s->model.node_count,
        .cloth_faces = s->model.face_count,
        .camera = vo_camera_look_at(v3(3, 0, 0), v3_zero(), v3(0, 0, 1), 40, 240, 160)};
    s->def.camera.position = v3_sub(s->def.camera.position, s->model.origin);
    if (wall) assert_ok(s->ctx, vo_model_add_obstacle(&s->model, s->wall, 0));
    assert_ok(s->ctx, vo_gbuffer_pass_create(s->ctx, &s->observer));
    assert_ok(s->ctx, vo_gbuffer_render(&s->observer, &s->def));
}

static void close_stage(stage *s) {
    vo_gbuffer_pass_free(&s->observer);
    vo_model_free(&s->model);
    vo_mesh_destroy(s->ball);
    vo_mesh_destroy(s->wall);
    vo_context_destroy(s->ctx);
}

static void skip_without_rays(void) {
    if (!vo_rays_available()) skip();
}

/* Depths and normals are those of the sphere. */
static void gbuffer_of_sphere_is_exact(void **state) {
    (void)state;
    skip_without_rays();
    for (int flat = 0; flat < 2; flat++) {
        stage s;
        open_stage(&s, 2, false);
        s.def.flat = flat;
        assert_ok(s.ctx, vo_gbuffer_render(&s.observer, &s.def));
        int inside = 0;
        for (int y = 0; y < 160; y++)
            for (int x = 0; x < 240; x++) {
                vo_vec3 d = vo_camera_direction(&s.def.camera, v2(x + 0.5, y + 0.5));
                double b = -3 * d.x, c = 9 - RADIUS * RADIUS, root = b * b - c;
                if (fabs(root) < 5e-3) continue; /* polygonal outline */
                double depth = (double)s.observer.depth[y * 240 + x];
                assert_int_equal(depth > 0, root > 0);
                if (root < 0) continue;
                inside++;
                double t = b - sqrt(root);
                vo_vec3 n = v3_scale(1 / RADIUS, v3_add_scaled(v3(3, 0, 0), t, d));
                assert_near(depth, -t * d.x, 3e-3);
                vo_vec3 found = v3((double)s.observer.normal[0][y * 240 + x],
                                   (double)s.observer.normal[1][y * 240 + x],
                                   (double)s.observer.normal[2][y * 240 + x]);
                assert_true(v3_distance(found, n) < (flat ? 0.04 : 0.004));
            }
        assert_true(inside > 3000);
        close_stage(&s);
    }
}

/* Occluded cloth is excluded: its pixels and its edges. */
static void occluded_cloth_is_excluded(void **state) {
    (void)state;
    skip_without_rays();
    stage open, hidden;
    open_stage(&open, 1, false);
    open_stage(&hidden, 1, true);
    vo_similarity l =
        vo_similarity_measure(open.ctx, &hidden.observer.gbuffer, &open.observer.gbuffer);
    assert_near(l.silhouette_iou, 0.5, 0.02);
    assert_near(l.angle, 0, 1e-6);
    vo_edge_lengths all = {0}, half = {0};
    assert_ok(open.ctx, vo_gbuffer_pass_measure_edges(&open.observer, open.ball, &all));
    assert_ok(hidden.ctx, vo_gbuffer_pass_measure_edges(&hidden.observer, hidden.ball, &half));
    double part = (double)all.count / open.ball->edge_count;
    assert_near(part, 0.5 * (1 - RADIUS / 3), 0.03); /* visible cap of a sphere */
    assert_near((double)half.count / all.count, 0.5, 0.03);
    vo_sort_values(all.count, all.pixels);
    /* Edges of about 0.02 m at 160 / (2 tan 20) pixels per metre at 1 m, at a distance of 2.6 m;
     * shorter if foreshortened. */
    double largest = vo_quantile(all.count, all.pixels, 0.95);
    assert_true(largest > 1.2 && largest < 2.6);
    vo_free_array(open.ctx, all.pixels, all.capacity);
    vo_free_array(hidden.ctx, half.pixels, half.capacity);
    close_stage(&open);
    close_stage(&hidden);
}

/* No point of the sphere moves further in the image than the bound. */
static void shift_bound_holds(void **state) {
    (void)state;
    skip_without_rays();
    stage s;
    open_stage(&s, 1, false);
    const vo_camera *c = &s.def.camera;
    const double metres = 0.01, bound = vo_gbuffer_pass_max_shift(&s.observer, metres);
    vo_random random = vo_random_seed(3);
    double largest = 0;
    for (int i = 0; i < 20000; i++) {
        vo_vec3 n =
            v3_normalize(v3(vo_random_real(&random, 0, 1), vo_random_real(&random, -0.5, 0.5),
                            vo_random_real(&random, -0.5, 0.5)));
        vo_vec3 direction =
            v3_normalize(v3(vo_random_real(&random, -0.5, 0.5), vo_random_real(&random, -0.5, 0.5),
                            vo_random_real(&random, -0.5, 0.5)));
        vo_vec3 from = v3_sub(v3_scale(RADIUS, n), s.model.origin);
        vo_vec2 a, b;
        assert_true(vo_camera_project(c, from, &a, NULL));
        assert_true(vo_camera_project(c, v3_add_scaled(from, metres, direction), &b, NULL));
        largest = vo_max(largest, v2_length(v2_sub(a, b)));
    }
    assert_true(largest <= bound);
    assert_true(largest > 0.95 * bound);
    assert_near(vo_gbuffer_pass_max_shift(&s.observer, 0), 0, 0);
    s.def.cloth_faces = 0; /* no visible cloth */
    assert_ok(s.ctx, vo_gbuffer_render(&s.observer, &s.def));
    assert_near(vo_gbuffer_pass_max_shift(&s.observer, metres), 0, 0);
    close_stage(&s);
}

/* Points in front of the near or beyond the far plane are clipped and occlude nothing. */
static void near_and_far_planes_clip(void **state) {
    (void)state;
    skip_without_rays();
    stage s;
    open_stage(&s, 2, false);
    const float *depth = s.observer.depth;
    size_t pixels = (size_t)s.def.camera.width * (size_t)s.def.camera.height;
    struct {
        double near, far;
    } part[] = {{0.01, 2.7}, {2.7, 1000}, {0.01, 1}, {5, 9}};
    for (int k = 0; k < 4; k++) {
        vo_edge_lengths edges = {0};
        s.def.camera.z_near = part[k].near;
        s.def.camera.z_far = part[k].far;
        assert_ok(s.ctx, vo_gbuffer_render(&s.observer, &s.def));
        int shown = 0;
        for (size_t i = 0; i < pixels; i++) {
            if (!(depth[i] > 0)) continue;
            double z = (double)depth[i];
            assert_true(z > part[k].near - 1e-5 && z < part[k].far + 1e-5);
            shown++;
        }
        assert_true(k < 2 ? shown > 1000 : shown == 0);
        assert_ok(s.ctx, vo_gbuffer_pass_measure_edges(&s.observer, s.ball, &edges));
        assert_true(k < 2 ? edges.count > 100 : edges.count == 0);
        vo_free_array(s.ctx, edges.pixels, edges.capacity);
    }
    close_stage(&s);
}

/* Camera inside the sphere, with cloth behind it. */
static void camera_inside_sphere(void **state) {
    (void)state;
    skip_without_rays();
    stage s;
    open_stage(&s, 2, false);
    s.def.camera.position = v3(0.1, 0.05, 0);
    assert_ok(s.ctx, vo_gbuffer_render(&s.observer, &s.def));
    for (int i = 0; i < 240 * 160; i++) assert_true(s.observer.depth[i] > 0);
    vo_edge_lengths edges = {0};
    assert_ok(s.ctx, vo_gbuffer_pass_measure_edges(&s.observer, s.ball, &edges));
    assert_true(edges.count > 100 && edges.count < s.ball->edge_count / 4);
    vo_free_array(s.ctx, edges.pixels, edges.capacity);
    close_stage(&s);
}

/* ---- side by side --------------------------------------------------------------------------- */

static const uint8_t *pixel(const vo_image *image, int x, int y) {
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static int brightness(const uint8_t *p) { return p[0] + p[1] + p[2]; }

/* White where normals agree, darker with the angle, blue and orange where cloth is in one image
 * only. */
static void diff_image_colours(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_diff_image contrast = {.ctx = ctx};
    vo_image image;
    vo_camera camera = vo_camera_look_at(v3(0, 0, 5), v3_zero(), v3(0, 1, 0), 40, WIDTH, HEIGHT);
    field a = make_band(10, 110, 2, 0), b = make_band(60, 160, 2, 0);
    for (int x = 80; x < 110; x++) set_pixel(&b, x, 5, 2, v3(sin(0.01 * x), 0, cos(0.01 * x)));
    set_pixel(&a, 300, 5, -2, v3(0, 0, 1)); /* a body */
    assert_ok(ctx, vo_diff_image_draw(&contrast, &a.shown, &b.shown, &camera, &image));
    assert_int_equal(image.width, 3 * WIDTH);
    assert_int_equal(image.height, HEIGHT);
    for (int panel = 0; panel < 2; panel++) { /* white paper, lit cloth, grey body */
        assert_int_equal(brightness(pixel(&image, panel * WIDTH, 0)), 3 * 255);
        assert_true(brightness(pixel(&image, panel * WIDTH + 65, 0)) < 3 * 255);
    }
    assert_true(brightness(pixel(&image, 300, 5)) < brightness(pixel(&image, 65, 0)));
    assert_int_equal(brightness(pixel(&image, 2 * WIDTH + 70, 0)), 3 * 255);
    for (int x = 81; x < 110; x++) {
        if (0.01 * x > VO_PI / 4) break;
        assert_true(brightness(pixel(&image, 2 * WIDTH + x, 5)) <
                    brightness(pixel(&image, 2 * WIDTH + x - 1, 5)));
    }
    const uint8_t *only_a = pixel(&image, 2 * WIDTH + 20, 0);
    const uint8_t *only_b = pixel(&image, 2 * WIDTH + 150, 0);
    assert_true(only_a[2] > only_a[0] + 100 && only_b[0] > only_b[2] + 100);
    vo_gbuffer wide = a.shown;
    wide.width = 6000;
    wide.height = 1;
    assert_int_equal(vo_diff_image_draw(&contrast, &wide, &wide, &camera, &image), VO_BAD_ARGUMENT);
    vo_diff_image_free(&contrast);
    free(a.data), free(b.data);
    vo_context_destroy(ctx);
}

/* ---- memory, text --------------------------------------------------------------------------- */

static vo_result measure_once(vo_context *ctx, void *arg) {
    const field *f = arg;
    double power[2];
    return vo_similarity_measure_wrinkles(ctx, &f->shown, &f->shown, 11, power);
}

static vo_result observe_once(vo_context *ctx, void *arg) {
    stage *s = arg;
    vo_gbuffer_pass o;
    vo_edge_lengths edges = {0};
    vo_result result = vo_gbuffer_pass_create(ctx, &o);
    if (result == VO_OK) result = vo_gbuffer_render(&o, &s->def);
    if (result == VO_OK) result = vo_gbuffer_pass_measure_edges(&o, s->ball, &edges);
    vo_free_array(ctx, edges.pixels, edges.capacity);
    vo_gbuffer_pass_free(&o);
    return result;
}

static vo_result write_text(vo_context *ctx, void *arg) {
    vo_string_builder text = {.ctx = ctx};
    for (int i = 0; i < 300; i++) vo_string_builder_add(&text, "%d: %.3f\n", i, 0.5 * i);
    return vo_string_builder_save(&text, arg);
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    field f = make_waves(60, 40, 0.1, 9, false);
    test_every_allocation(measure_once, &f);
    free(f.data);
    char path[600];
    snprintf(path, sizeof path, "%s/text", test_folder());
    test_every_allocation(write_text, path);
    skip_without_rays();
    stage s;
    open_stage(&s, 1, true);
    test_every_allocation(observe_once, &s);
    close_stage(&s);
}

static void text_is_formatted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_string_builder text = {.ctx = ctx};
    const char *before = setlocale(LC_ALL, "de_DE.UTF-8");
    char longer[3000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    vo_string_builder_add(&text, "%.2f;", 1.5);
    vo_string_builder_add(&text, "%s", longer);
    assert_int_equal(text.size, 5 + sizeof longer - 1);
    assert_memory_equal(text.data, "1.50;xxx", 8);
    assert_int_equal(strlen(text.data), text.size);
    if (before) setlocale(LC_ALL, "C");
    vo_string_builder_free(&text);
    vo_string_builder_free(&text);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silhouette_iou_is_exact),
        cmocka_unit_test(mean_angle_is_exact),
        cmocka_unit_test(wave_power_matches_response),
        cmocka_unit_test(wave_power_is_quadratic),
        cmocka_unit_test(blur_is_masked),
        cmocka_unit_test(wrinkles_agree_with_definition),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(gbuffer_of_sphere_is_exact),
        cmocka_unit_test(occluded_cloth_is_excluded),
        cmocka_unit_test(shift_bound_holds),
        cmocka_unit_test(camera_inside_sphere),
        cmocka_unit_test(diff_image_colours),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(text_is_formatted),
        cmocka_unit_test(near_and_far_planes_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
