/* Rasterising pen.
 *
 * The coverage of a pixel depends on the distance of its centre from the stroke; the maximum over
 * all segments of a stroke is used, so joints are not darker. Coverage is accumulated in a separate
 * array and blended into the image at the end of the stroke. */
#include "core/memory.h"
#include "picture/plot.h"

#include <string.h>

typedef struct drawing {
    vo_image image;
    double scale;
    float *cover;                 /* [width height], 0 between strokes */
    int left, right, top, bottom; /* bounding box of the current stroke, pixels */
    unsigned colour;
    double width; /* pixels */
    vo_vec2 last;
} drawing;

static void begin(void *user, unsigned colour, double width) {
    drawing *d = user;
    d->colour = colour;
    d->width = width * d->scale;
    d->left = d->image.width;
    d->top = d->image.height;
    d->right = d->bottom = 0;
}

static double distance_to(vo_vec2 p, vo_vec2 a, vo_vec2 b) {
    vo_vec2 segment = v2_sub(b, a), from = v2_sub(p, a);
    double length2 = v2_dot(segment, segment);
    double t = length2 > 0 ? vo_clamp(v2_dot(from, segment) / length2, 0, 1) : 0;
    return v2_length(v2_sub(from, v2_scale(t, segment)));
}

static int pixel_of(double x, int max) { return (int)vo_clamp(floor(x), 0, max); }

static void cover_segment(drawing *d, vo_vec2 a, vo_vec2 b) {
    double radius = 0.5 * d->width + 1;
    int left = pixel_of(vo_min(a.x, b.x) - radius, d->image.width);
    int right = pixel_of(vo_max(a.x, b.x) + radius + 1, d->image.width);
    int top = pixel_of(vo_min(a.y, b.y) - radius, d->image.height);
    int bottom = pixel_of(vo_max(a.y, b.y) + radius + 1, d->image.height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double away = distance_to(v2(x + 0.5, y + 0.5), a, b);
            float cover = (float)vo_clamp(0.5 * d->width + 0.5 - away, 0, 1);
            float *at = &d->cover[(size_t)y * (size_t)d->image.width + (size_t)x];
            if (cover > *at) *at = cover;
        }
    d->left = vo_min_int(d->left, left);
    d->right = vo_max_int(d->right, right);
    d->top = vo_min_int(d->top, top);
    d->bottom = vo_max_int(d->bottom, bottom);
}

static void to(void *user, vo_vec2 point, bool first) {
    drawing *d = user;
    vo_vec2 p = v2_scale(d->scale, point);
    if (!first) cover_segment(d, d->last, p);
    d->last = p;
}

static void lay_over(uint8_t *rgb, unsigned colour, double cover) {
    for (int i = 0; i < 3; i++) {
        double ink = colour >> (16 - 8 * i) & 0xff;
        rgb[i] = (uint8_t)(rgb[i] + cover * (ink - rgb[i]) + 0.5);
    }
}

static void end(void *user) {
    drawing *d = user;
    for (int y = d->top; y < d->bottom; y++)
        for (int x = d->left; x < d->right; x++) {
            size_t at = (size_t)y * (size_t)d->image.width + (size_t)x;
            if (!(d->cover[at] > 0)) continue;
            lay_over(d->image.rgb + 3 * at, d->colour, (double)d->cover[at]);
            d->cover[at] = 0;
        }
}

static void write(void *user, const char *words, vo_vec2 at, double size, vo_align align,
                  unsigned colour) {
    double width = vo_font_width(words, size);
    vo_pen pen = {user, begin, to, end, write};
    if (align == VO_ALIGN_MIDDLE) at.x -= 0.5 * width;
    if (align == VO_ALIGN_RIGHT) at.x -= width;
    begin(user, colour, 0.095 * size);
    vo_font_write(words, at, size, &pen);
    end(user);
}

vo_result vo_figure_render(vo_context *ctx, const vo_figure *figure, double scale, vo_image *out) {
    vo_vec2 size = v2_scale(scale, vo_figure_size(figure));
    VO_REQUIRE(ctx,
               size.x >= 1 && size.x <= VO_MAX_PIXELS && size.y >= 1 && size.y <= VO_MAX_PIXELS);
    drawing d = {.image = {(int)size.x, (int)size.y, NULL}, .scale = scale};
    size_t count = (size_t)d.image.width * (size_t)d.image.height;
    *out = (vo_image){0};
    d.image.rgb = vo_new_array(ctx, uint8_t, 3 * count);
    d.cover = vo_new_array(ctx, float, count);
    if (!d.image.rgb || !d.cover) {
        vo_free_array(ctx, d.image.rgb, 3 * count);
        vo_free_array(ctx, d.cover, count);
        return vo_fail_memory(ctx, "a plot");
    }
    memset(d.image.rgb, 255, 3 * count);
    memset(d.cover, 0, count * sizeof *d.cover);
    vo_figure_draw_with_pen(figure, &(vo_pen){&d, begin, to, end, write});
    vo_free_array(ctx, d.cover, count);
    *out = d.image;
    return VO_OK;
}
