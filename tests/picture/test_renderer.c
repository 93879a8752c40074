/* Tests of the renderer: a sphere on a floor with known outline, shadow and sky; framing,
 * subdivided cloth, files. */
#include "support.h"

#include "codec/hash.h"
#include "codec/movie.h"
#include "codec/png.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "mesh/mesh.h"
#include "picture/palette.h"
#include "picture/renderer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VO_HAVE_PNG
#include <png.h>
#endif

#define RADIUS 0.5
static const vo_vec3 CENTRE = {0, 0, RADIUS}; /* it rests on z = 0 */

/* ---- a sphere on a floor -------------------------------------------------------------------- */

typedef struct shot {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_model model;
    vo_renderer painter;
    vo_render_material paint;
    vo_renderer_def def;
    vo_image image;
} shot;

static vo_mesh *make_sphere(vo_context *ctx, double edge) {
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_SPHERE);
    vo_mesh *mesh;
    def.radius = RADIUS;
    def.edge_length = edge;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &mesh));
    for (int i = 0; i < mesh->node_count; i++) mesh->node_x[i] = v3_add(mesh->node_x[i], CENTRE);
    return mesh;
}

static vo_camera frame_camera(const vo_mesh *mesh, int width, int height) {
    vo_camera_framing_def def = {.up = {0, 0, 1},
                                 .azimuth = 20,
                                 .elevation = 25,
                                 .fov_long_side = 40,
                                 .zoom = 0.5,
                                 .width = width,
                                 .height = height};
    vo_camera_framing fit = vo_camera_framing_begin(&def);
    for (int i = 0; i < mesh->node_count; i++) vo_camera_framing_add(&fit, mesh->node_x[i]);
    return vo_camera_framing_end(&fit);
}

static void open_shot(shot *s, int threads, int width, int height) {
    *s = (shot){.ctx = test_context(threads), .paint = vo_render_material_obstacle()};
    s->mesh = make_sphere(s->ctx, 0.02);
    s->model = (vo_model){.ctx = s->ctx, .material = &s->paint, .material_count = 1};
    assert_ok(s->ctx, vo_renderer_create(s->ctx, &s->painter));
    assert_ok(s->ctx, vo_model_add_obstacle(&s->model, s->mesh, 0));
    s->def = (vo_renderer_def){.model = &s->model,
                               .camera = frame_camera(s->mesh, width, height),
                               .up = {0, 0, 1},
                               .has_ground = true,
                               .scale = 2,
                               .samples = 16};
    assert_ok(s->ctx, vo_renderer_render(&s->painter, &s->def, &s->image));
}

static void close_shot(shot *s) {
    vo_model_free(&s->model);
    vo_renderer_free(&s->painter);
    vo_mesh_destroy(s->mesh);
    vo_context_destroy(s->ctx);
}

static const vo_pixel *pixel_at(const shot *s, int x, int y) {
    return &s->painter.pixel[y * s->image.width + x];
}

/* Distance of a ray from the sphere's centre, and the distance along it; infinite behind the
 * origin. */
static double ray_distance(vo_vec3 from, vo_vec3 direction, double *along) {
    vo_vec3 to = v3_sub(CENTRE, from);
    *along = v3_dot(to, direction);
    return *along < 0 ? INFINITY : v3_length(v3_add_scaled(to, -*along, direction));
}

static vo_vec3 key_light_direction(const shot *s) {
    vo_lighting lighting = {
        .model = &s->model, .camera = s->def.camera, .up = s->def.up, .scale = 2};
    vo_lighting_prepare(&lighting);
    return lighting.key;
}

static void skip_without_rays(void) {
    if (!vo_rays_available()) skip();
}

static void silhouette_is_exact(void **state) {
    (void)state;
    skip_without_rays();
    shot s;
    open_shot(&s, 2, 160, 120);
    int inside = 0, floor_seen = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 160; x++) {
            double along;
            vo_vec3 d = vo_camera_direction(&s.def.camera, v2(x + 0.5, y + 0.5));
            double miss = ray_distance(s.def.camera.position, d, &along);
            /* The mesh lies inside the sphere, by less than edge^2 / (8 radius), 2e-4. */
            if (fabs(miss - RADIUS) < 5e-4) continue;
            bool seen = pixel_at(&s, x, y)->face >= 0;
            if (seen != (miss < RADIUS)) fail_msg("pixel %d, %d passes at %g", x, y, miss);
            inside += seen;
            bool down = d.z < -1e-3;
            if (!seen) assert_int_equal(pixel_at(&s, x, y)->face == VO_HIT_GROUND, down);
            floor_seen += !seen && down;
        }
    assert_true(inside > 1000 && floor_seen > 1000);
    close_shot(&s);
}

/* Images are clipped at the near and far planes, except for the ground. */
static void near_and_far_planes_clip(void **state) {
    (void)state;
    skip_without_rays();
    shot s;
    open_shot(&s, 2, 160, 120);
    vo_vec3 to = v3_sub(CENTRE, s.def.camera.position);
    double depth = v3_dot(to, s.def.camera.forward);
    struct {
        double near, far;
        bool seen;
    } part[] = {{0.01, depth, true},
                {depth, 1e3, true},
                {0.01, 0.5 * depth, false},
                {2 * depth, 1e3, false}};
    for (int k = 0; k < 4; k++) {
        s.def.camera.z_near = part[k].near;
        s.def.camera.z_far = part[k].far;
        assert_ok(s.ctx, vo_renderer_render(&s.painter, &s.def, &s.image));
        int inside = 0, floor_seen = 0;
        for (int i = 0; i < 160 * 120; i++) {
            inside += s.painter.pixel[i].face >= 0;
            floor_seen += s.painter.pixel[i].face == VO_HIT_GROUND;
        }
        assert_true(part[k].seen ? inside > 1000 : inside == 0);
        assert_true(floor_seen > 1000);
    }
    close_shot(&s);
}

/* Ground points at which all or none of the light's disc is behind the sphere. */
static void shadow_is_exact(void **state) {
    (void)state;
    skip_without_rays();
    shot s;
    open_shot(&s, 2, 160, 120);
    vo_vec3 key = key_light_direction(&s);
    int dark = 0, bright = 0, darker = 0;
    for (int i = 0; i < 160 * 120; i++) {
        const vo_pixel *p = &s.painter.pixel[i];
        if (p->face != VO_HIT_GROUND) continue;
        vo_vec3 x = v3((double)p->x[0], (double)p->x[1], (double)p->x[2]);
        double along, miss = ray_distance(x, key, &along), spread = 0.15 * along + 2e-3;
        if (miss < RADIUS - spread) {
            assert_near((double)p->key, 0, 0);
            darker += s.image.rgb[3 * i] < 150;
            dark++;
        } else if (miss == INFINITY || miss > RADIUS + spread) {
            assert_near((double)p->key, 1, 0);
            bright++;
        }
    }
    assert_true(dark > 30 && bright > 1000);
    assert_int_equal(dark, darker); /* lit: 190 and more */
    close_shot(&s);
}

/* Sky visibility of a ground point, by sums over cosine-weighted directions. */
static double open_sky(vo_vec3 x) {
    enum { N = 200 };
    double sum = 0, all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double r2 = (i + 0.5) / N, phi = 2 * VO_PI * (j + 0.5) / N, along;
            vo_vec3 d = v3(sqrt(r2) * cos(phi), sqrt(r2) * sin(phi), sqrt(1 - r2));
            double light = 0.6 + 0.6 * d.z;
            all += light;
            if (ray_distance(x, d, &along) > RADIUS) sum += light;
        }
    return sum / all;
}

static void sky_visibility_is_exact(void **state) {
    (void)state;
    skip_without_rays();
    shot s;
    open_shot(&s, 2, 160, 120);
    int tried = 0;
    double smallest = 1;
    for (int y = 2; y < 118; y += 5)
        for (int x = 2; x < 158; x += 7) {
            const vo_pixel *p = pixel_at(&s, x, y);
            if (p->face != VO_HIT_GROUND ||
                vo_render_target_is_outline(&(vo_render_target){.width = 160,
                                                                .height = 120,
                                                                .pixel = s.painter.pixel,
                                                                .lighting.model = &s.model},
                                            x, y))
                continue;
            vo_vec3 at = v3((double)p->x[0], (double)p->x[1], (double)p->x[2]);
            double exact = open_sky(at), smooth = (double)s.painter.smooth[y * 160 + x][1];
            if (v3_length(at) < 4 * RADIUS) assert_near(smooth, exact, 0.05);
            smallest = vo_min(smallest, exact);
            tried++;
        }
    assert_true(tried > 100 && smallest < 0.75);
    close_shot(&s);
}

static void image_is_independent_of_threads(void **state) {
    (void)state;
    skip_without_rays();
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        shot s;
        open_shot(&s, threads, 151, 97);
        uint64_t hash = vo_hash(s.image.rgb, 3 * 151 * 97);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        close_shot(&s);
    }
}

/* Previous contents of memory do not affect an image, also in background pixels, which hold no
 * light values. */
static void image_is_independent_of_old_memory(void **state) {
    (void)state;
    skip_without_rays();
    shot s;
    open_shot(&s, 1, 151, 97);
    s.def.has_ground = false;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        memset(s.painter.smooth, i ? 0xff : 0, 151 * 97 * sizeof *s.painter.smooth);
        memset(s.painter.pixel, i ? 0xff : 0, 151 * 97 * sizeof *s.painter.pixel);
        assert_ok(s.ctx, vo_renderer_render(&s.painter, &s.def, &s.image));
        hash[i] = vo_hash(s.image.rgb, 3 * 151 * 97);
    }
    assert_true(hash[0] == hash[1]);
    close_shot(&s);
}

/* ---- framing -------------------------------------------------------------------------------- */

/* All points are within the margin, and one is on it. */
static void framing_contains_all_points(void **state) {
    (void)state;
    vo_random random = vo_random_seed(7);
    for (int round = 0; round < 200; round++) {
        vo_camera_framing_def def = {.up = round % 2 ? v3(0, 0, 1) : v3(0, 1, 0),
                                     .azimuth = vo_random_real(&random, -400, 400),
                                     .elevation = vo_random_real(&random, -89, 89),
                                     .fov_long_side = vo_random_real(&random, 5, 120),
                                     .zoom = 1,
                                     .width = 300,
                                     .height = 100 + vo_random_int(&random, 400)};
        vo_vec3 x[20];
        vo_camera_framing fit = vo_camera_framing_begin(&def);
        for (int i = 0; i < 20; i++) {
            x[i] = v3(vo_random_real(&random, 5, 8), vo_random_real(&random, -1, 0),
                      vo_random_real(&random, 0, 2));
            vo_camera_framing_add(&fit, x[i]);
        }
        vo_camera camera = vo_camera_framing_end(&fit);
        double largest = 0;
        for (int i = 0; i < 20; i++) {
            vo_vec2 p;
            double depth;
            assert_true(vo_camera_project(&camera, x[i], &p, &depth));
            assert_true(depth > camera.z_near && depth < camera.z_far);
            double a = fabs(2 * p.x / camera.width - 1), b = fabs(2 * p.y / camera.height - 1);
            largest = vo_max(largest, vo_max(a, b));
        }
        assert_true(largest <= fit.fill + 1e-9);
        if (def.fov_long_side < 60) assert_near(largest, fit.fill, 1e-9);
    }
}

static void project_and_unproject_round_trip(void **state) {
    (void)state;
    vo_camera_framing_def def = {
        .up = {0, 0, 1}, .azimuth = 0, .fov_long_side = 60, .zoom = 1, .width = 40, .height = 20};
    vo_camera_framing fit = vo_camera_framing_begin(&def);
    vo_camera camera = vo_camera_framing_end(&fit);
    assert_near(camera.forward.y, 1, 1e-15); /* azimuth 0: view along y, x to the right */
    assert_near(camera.right.x, 1, 1e-15);
    assert_near(camera.up.z, 1, 1e-15);
    vo_vec2 p;
    vo_vec3 d = vo_camera_direction(&camera, v2(31.5, 4.25));
    assert_true(vo_camera_project(&camera, v3_add_scaled(camera.position, 3, d), &p, NULL));
    assert_near(p.x, 31.5, 1e-12);
    assert_near(p.y, 4.25, 1e-12);
    assert_false(vo_camera_project(&camera, v3_add_scaled(camera.position, -3, d), &p, NULL));
    def.azimuth = 90; /* the camera is on the right and looks along -x */
    fit = vo_camera_framing_begin(&def);
    assert_near(fit.camera.forward.x, -1, 1e-15);
}

/* ---- models --------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int)); }

/* Counts the sides that belong to a single face. */
static int count_lone_sides(const vo_model *m) {
    int(*side)[2] = malloc(3 * (size_t)m->face_count * sizeof *side), count = 0, lone = 0;
    assert_non_null(side);
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3; k++, count++) {
            int a = m->face[f].node[k], b = m->face[f].node[(k + 1) % 3];
            side[count][0] = vo_min_int(a, b);
            side[count][1] = vo_max_int(a, b);
        }
    qsort(side, (size_t)count, sizeof *side, compare_pairs);
    for (int i = 0; i < count;) {
        int j = i + 1;
        while (j < count && compare_pairs(side[i], side[j]) == 0) j++;
        assert_true(j - i <= 2);
        lone += j - i == 1;
        i = j;
    }
    free(side);
    return lone;
}

/* A sheet that bulges by the paraboloid z = x^2 + y^2. */
static vo_mesh *make_bulge(vo_context *ctx) {
    vo_mesh *mesh = test_grid(ctx, 1, 1, 6, 5);
    for (int i = 0; i < mesh->node_count; i++) {
        vo_vec3 *x = &mesh->node_x[i];
        x->z = x->x * x->x + x->y * x->y;
    }
    return mesh;
}

static void subdivided_cloth_is_watertight(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = make_bulge(ctx);
    for (int parts = 1; parts <= 4; parts++) {
        vo_model m = {.ctx = ctx, .origin = {0.5, 0.5, 0.5}};
        assert_ok(ctx, vo_model_add_cloth(&m, mesh, parts, NULL, 2, 5));
        assert_int_equal(m.face_count, mesh->face_count * parts * parts);
        assert_int_equal(count_lone_sides(&m), 22 * parts);
        assert_int_equal(m.face[0].material, 2);
        double off = 0;
        for (int f = 0; f < m.face_count; f++)
            for (int k = 0; k < 3; k++) {
                vo_vec3 x = v3_add(vo_model_x(&m, m.face[f].node[k]), m.origin);
                const float *u = m.u[m.face[f].vert[k]];
                assert_near(x.x, (double)u[0], 0.02); /* material coordinates */
                off = vo_max(off, fabs(x.z - x.x * x.x - x.y * x.y));
                vo_vec3 exact = v3_normalize(v3(-2 * x.x, -2 * x.y, 1));
                assert_true(v3_dot(vo_model_normal(&m, m.face[f].normal[k]), exact) > 0.99);
            }
        assert_true(off < (parts == 1 ? 1e-6 : 0.007)); /* chords would be off by 0.017 */
        vo_model_free(&m);
    }
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* A sheet folded onto itself: the common normals of the fold's nodes lie along it, at 90 degrees
 * from both layers; the shading normals of each layer stay within 60. */
static void folded_cloth_limits_normals(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = test_grid(ctx, 1, 1, 4, 4);
    for (int i = 0; i < mesh->node_count; i++) {
        vo_vec3 *x = &mesh->node_x[i];
        if (x->x > 0.5) *x = v3(1 - x->x, x->y, 0.002);
    }
    vo_model m = {.ctx = ctx};
    int tilted = 0;
    assert_ok(ctx, vo_model_add_cloth(&m, mesh, 1, NULL, 0, 0));
    for (int f = 0; f < m.face_count; f++)
        for (int k = 0; k < 3; k++) {
            vo_vec3 flat = v3_normalize(vo_mesh_face_normal(mesh, f));
            double along = v3_dot(vo_model_normal(&m, m.face[f].normal[k]), flat);
            assert_true(along > 0.5 - 1e-6);
            tilted += along < 0.6;
        }
    assert_true(tilted > 10);
    vo_model_free(&m);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* A box has sharp edges, a sphere has none. */
static void obstacle_normals_are_split(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_BOX);
    vo_mesh *box, *ball = make_sphere(ctx, 0.1);
    def.size = v3(1, 2, 3);
    assert_ok(ctx, vo_mesh_create_shape(ctx, &def, &box));
    vo_model m = {.ctx = ctx};
    assert_ok(ctx, vo_model_add_obstacle(&m, box, 0));
    for (int i = 0; i < m.normal_count; i++) {
        vo_vec3 n = vo_model_normal(&m, i);
        assert_near(vo_max(fabs(n.x), vo_max(fabs(n.y), fabs(n.z))), 1, 1e-6);
    }
    int before = m.face_count;
    assert_ok(ctx, vo_model_add_obstacle(&m, ball, 1));
    for (int f = before; f < m.face_count; f++)
        for (int k = 0; k < 3; k++) {
            vo_vec3 out = v3_normalize(v3_sub(vo_model_x(&m, m.face[f].node[k]), CENTRE));
            assert_true(v3_dot(vo_model_normal(&m, m.face[f].normal[k]), out) > 0.98);
        }
    vo_model_free(&m);
    vo_mesh_destroy(box);
    vo_mesh_destroy(ball);
    vo_context_destroy(ctx);
}

/* An arm with six sides. */
static vo_mesh *make_arm(vo_context *ctx) {
    vo_vec3 x[12];
    int face[12][3];
    for (int i = 0; i < 6; i++) {
        int next = (i + 1) % 6;
        x[i] = v3(0.05 * cos(i * VO_PI / 3), 0.05 * sin(i * VO_PI / 3), 0);
        x[6 + i] = v3_add(x[i], v3(0, 0, 0.3));
        memcpy(face[2 * i], (int[3]){i, next, 6 + next}, sizeof face[0]);
        memcpy(face[2 * i + 1], (int[3]){i, 6 + next, 6 + i}, sizeof face[0]);
    }
    vo_mesh *arm;
    assert_ok(ctx, vo_mesh_create(ctx, 12, x, 12, NULL, NULL, 12, (const int(*)[3])face,
                                  VO_MESH_FOR_OBSTACLE, &arm));
    return arm;
}

/* Smallest cosine between a corner's normal and the outward direction. */
static double min_outward_cosine(vo_context *ctx, const vo_mesh *arm, bool body) {
    vo_model m = {.ctx = ctx};
    double smallest = 1;
    assert_ok(ctx, body ? vo_model_add_body(&m, arm, 0) : vo_model_add_obstacle(&m, arm, 0));
    for (int f = 0; f < m.face_count; f++)
        for (int k = 0; k < 3; k++) {
            vo_vec3 x = vo_model_x(&m, m.face[f].node[k]), out = v3_normalize(v3(x.x, x.y, 0));
            smallest = vo_min(smallest, v3_dot(vo_model_normal(&m, m.face[f].normal[k]), out));
        }
    vo_model_free(&m);
    return smallest;
}

/* An obstacle has sharp edges where a body is smooth. */
static void body_normals_are_smooth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *arm = make_arm(ctx);
    assert_near(min_outward_cosine(ctx, arm, false), cos(VO_PI / 6), 1e-6);
    assert_true(min_outward_cosine(ctx, arm, true) >
                cos(VO_PI / 12)); /* a side has two faces or one */
    vo_mesh_destroy(arm);
    vo_context_destroy(ctx);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void fill_image(vo_image *image, uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    for (int i = 0; i < 3 * image->width * image->height; i++)
        image->rgb[i] = (uint8_t)vo_random_int(&random, 256);
}

static void png_round_trips(void **state) {
    (void)state;
#ifdef VO_HAVE_PNG
    vo_context *ctx = test_context(1);
    uint8_t rgb[3 * 31 * 17], back[3 * 31 * 17];
    vo_image image = {31, 17, rgb};
    char path[700];
    fill_image(&image, 3);
    snprintf(path, sizeof path, "%s/a.png", test_folder());
    assert_ok(ctx, vo_png_save(ctx, &image, path));
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, path));
    assert_int_equal(png.width, 31);
    assert_int_equal(png.height, 17);
    png.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&png, NULL, back, 0, NULL));
    assert_memory_equal(rgb, back, sizeof rgb);
    assert_int_equal(vo_png_save(ctx, &image, "/nonexistent/a.png"), VO_IO_FAILED);
    vo_context_destroy(ctx);
#else
    skip();
#endif
}

/* BT.709 in floating point. */
static void yuv_matches_bt709(void **state) {
    (void)state;
    uint8_t rgb[3 * 4 * 2], y[8], cb[2], cr[2];
    vo_image image = {4, 2, rgb};
    vo_planes planes = {{y, cb, cr}, {4, 2, 2}};
    for (uint64_t seed = 0; seed < 300; seed++) {
        fill_image(&image, seed);
        if (seed < 2) memset(rgb, seed ? 255 : 0, sizeof rgb);
        vo_image_to_yuv420(&image, &planes);
        double sum[2][3] = {{0}};
        for (int i = 0; i < 8; i++) {
            const uint8_t *p = rgb + 3 * i;
            double luma = 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
            assert_near(y[i], 16 + 219 * luma / 255, 0.51);
            sum[i % 4 / 2][0] += luma / 4;
            sum[i % 4 / 2][1] += p[2] / 4.0;
            sum[i % 4 / 2][2] += p[0] / 4.0;
        }
        for (int i = 0; i < 2; i++) {
            assert_near(cb[i], 128 + 224 * (sum[i][1] - sum[i][0]) / 1.8556 / 255, 0.52);
            assert_near(cr[i], 128 + 224 * (sum[i][2] - sum[i][0]) / 1.5748 / 255, 0.52);
        }
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result draw_small(vo_context *ctx, void *arg) {
    const vo_mesh *const *mesh = arg;
    vo_render_material paint[2] = {vo_render_material_cloth(vo_palette_colour(0)),
                                   vo_render_material_obstacle()};
    vo_model model = {.ctx = ctx, .material = paint, .material_count = 2};
    vo_renderer painter = {0};
    vo_image image;
    vo_renderer_def def = {.model = &model,
                           .camera = frame_camera(mesh[1], 8, 6),
                           .up = {0, 0, 1},
                           .scale = 1,
                           .samples = 2};
    vo_result result = vo_renderer_create(ctx, &painter);
    if (result == VO_OK) result = vo_model_add_cloth(&model, mesh[0], 2, NULL, 0, 0);
    if (result == VO_OK) result = vo_model_add_obstacle(&model, mesh[1], 1);
    if (result == VO_OK) result = vo_renderer_render(&painter, &def, &image);
    vo_renderer_free(&painter);
    vo_model_free(&model);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    skip_without_rays();
    vo_context *ctx = test_context(1);
    const vo_mesh *mesh[2] = {make_bulge(ctx), make_sphere(ctx, 0.2)};
    test_every_allocation(draw_small, mesh);
    vo_mesh_destroy((vo_mesh *)mesh[0]);
    vo_mesh_destroy((vo_mesh *)mesh[1]);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silhouette_is_exact),
        cmocka_unit_test(near_and_far_planes_clip),
        cmocka_unit_test(shadow_is_exact),
        cmocka_unit_test(sky_visibility_is_exact),
        cmocka_unit_test(image_is_independent_of_threads),
        cmocka_unit_test(image_is_independent_of_old_memory),
        cmocka_unit_test(framing_contains_all_points),
        cmocka_unit_test(project_and_unproject_round_trip),
        cmocka_unit_test(subdivided_cloth_is_watertight),
        cmocka_unit_test(folded_cloth_limits_normals),
        cmocka_unit_test(obstacle_normals_are_split),
        cmocka_unit_test(body_normals_are_smooth),
        cmocka_unit_test(png_round_trips),
        cmocka_unit_test(yuv_matches_bt709),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
