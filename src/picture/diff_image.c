#include "picture/diff_image.h"

#include "codec/png.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/vec.h"

enum { ROWS = 8 };

static const vo_vec3 PAPER = {1, 1, 1}, CLOTH = {0.93, 0.90, 0.86}, BODY = {0.62, 0.64, 0.67};
static const vo_vec3 ONLY_A = {0, 0.447, 0.698}, ONLY_B = {0.835, 0.369, 0};
static const double MAX_ANGLE = 45; /* degrees, angle shown as black */

typedef struct drawing {
    const vo_gbuffer *a, *b;
    vo_vec3 light; /* unit vector to the light */
    vo_image image;
} drawing;

static vo_vec3 shade_pixel(const drawing *d, const vo_gbuffer *s, size_t at) {
    double depth = (double)s->depth[at];
    if (depth == 0) return PAPER;
    double facing = v3_dot(vo_gbuffer_normal(s, at), d->light);
    return v3_scale(0.30 + 0.70 * vo_max(facing, 0) * vo_max(facing, 0), depth > 0 ? CLOTH : BODY);
}

/* Colour map: white, yellow, red, black; monotonic in brightness, for colour-blind viewers too. */
static vo_vec3 colour_map(double value_01) {
    static const vo_vec3 step[] = {{1, 1, 1}, {1, 0.87, 0.35}, {0.89, 0.29, 0.2}, {0.15, 0, 0.1}};
    double position = 3 * vo_clamp(value_01, 0, 1);
    int at = vo_min_int((int)position, 2);
    return v3_lerp(step[at], step[at + 1], position - at);
}

static vo_vec3 diff_colour(const drawing *d, size_t at) {
    bool a = d->a->depth[at] > 0, b = d->b->depth[at] > 0;
    if (a && b) {
        double angle = v3_unit_angle(vo_gbuffer_normal(d->a, at), vo_gbuffer_normal(d->b, at));
        return colour_map(angle * 180 / VO_PI / MAX_ANGLE);
    }
    if (a) return ONLY_A;
    if (b) return ONLY_B;
    return v3_lerp(shade_pixel(d, d->b, at), v3(0.85, 0.87, 0.9), 0.75);
}

static void store_rgb(uint8_t *rgb, vo_vec3 colour) {
    const double value[3] = {colour.x, colour.y, colour.z};
    for (int i = 0; i < 3; i++) rgb[i] = (uint8_t)(255 * vo_clamp(value[i], 0, 1) + 0.5);
}

static void draw_rows(void *arg, int begin, int end, int chunk) {
    const drawing *d = arg;
    size_t width = (size_t)d->a->width;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (size_t x = 0; x < width; x++) {
            size_t at = (size_t)y * width + x;
            uint8_t *rgb = d->image.rgb + 3 * ((size_t)y * 3 * width + x);
            store_rgb(rgb, shade_pixel(d, d->a, at));
            store_rgb(rgb + 3 * width, shade_pixel(d, d->b, at));
            store_rgb(rgb + 6 * width, diff_colour(d, at));
        }
}

static vo_result reserve(vo_diff_image *c, size_t size) {
    if (c->size == size) return VO_OK;
    vo_diff_image_free(c);
    c->rgb = vo_new_array(c->ctx, uint8_t, size);
    if (!c->rgb) return vo_fail_memory(c->ctx, "a difference image");
    c->size = size;
    return VO_OK;
}

void vo_diff_image_free(vo_diff_image *c) {
    vo_free_array(c->ctx, c->rgb, c->size);
    *c = (vo_diff_image){.ctx = c->ctx};
}

vo_result vo_diff_image_draw(vo_diff_image *c, const vo_gbuffer *a, const vo_gbuffer *b,
                             const vo_camera *camera, vo_image *out) {
    VO_REQUIRE(c->ctx, a->width == b->width && a->height == b->height);
    if (3 * a->width > VO_MAX_PIXELS)
        return vo_fail(c->ctx, VO_BAD_ARGUMENT,
                       "width: must be at most %d pixels, so that three images fit side by side",
                       VO_MAX_PIXELS / 3);
    VO_TRY(reserve(c, 9 * (size_t)a->width * (size_t)a->height));
    vo_vec3 light = v3_add(v3_scale(-0.45, camera->right), v3_scale(0.55, camera->up));
    drawing d = {.a = a,
                 .b = b,
                 .light = v3_normalize(v3_sub(light, camera->forward)),
                 .image = {3 * a->width, a->height, c->rgb}};
    vo_parallel_for(c->ctx, a->height, ROWS, draw_rows, &d);
    *out = d.image;
    return VO_OK;
}

vo_result vo_diff_image_save(vo_diff_image *c, const vo_gbuffer *a, const vo_gbuffer *b,
                             const vo_camera *camera, const char *path) {
    vo_image image;
    VO_TRY(vo_diff_image_draw(c, a, b, camera, &image));
    return vo_png_save(c->ctx, &image, path);
}
