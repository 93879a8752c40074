/* Wrinkle power of two normal fields; see similarity.h.
 *
 * The blur is a separable convolution with a Gaussian truncated at three standard deviations.
 * Arrays hold the bounding box of the common pixels, padded with zeros by the kernel radius, so no
 * loop has a border case; channels are processed one after the other, so three arrays suffice.
 * Sixteen neighbouring sums are accumulated in parallel, which compilers vectorise; each sum has
 * its own fixed order. */
#include "core/memory.h"
#include "core/parallel.h"
#include "math/vec.h"
#include "picture/similarity.h"

#include <string.h>

enum { LANES = 16, ROWS = 8 };
enum { MAX_RADIUS = 3 * VO_MAX_WAVELENGTH / 4 + 2 }; /* maximum kernel radius, pixels */

/* 1 - exp(-2 pi^2 s^2 f^2) = sqrt(1/2) at f = 1 / (4.00936 s). */
static const double WAVELENGTH_PER_DEVIATION = 4.009360;

typedef struct blur {
    const vo_gbuffer *view[2];
    int left, top, width, height; /* bounding box, pixels; the width is a multiple of LANES */
    int radius;
    size_t row, count; /* floats per row, and per array */
    float *kernel;     /* [radius + 1] from the centre */
    float *in;         /* channel, zero outside the common pixels */
    float *along;      /* the same after the row pass */
    float *weight;     /* the mask after both passes */
    const float *from; /* source of `in`; NULL: the mask itself */
    double *sum;       /* [chunks of rows] */
} blur;

static bool counts(const blur *b, int x, int y) {
    size_t at = (size_t)y * (size_t)b->view[0]->width + (size_t)x;
    return x < b->view[0]->width && b->view[0]->depth[at] > 0 && b->view[1]->depth[at] > 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Finds the bounding box of the common pixels; false if there are none. */
static bool find_box(blur *b) {
    int width = b->view[0]->width, height = b->view[0]->height;
    int left = width, right = -1, top = height, bottom = -1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            if (!counts(b, x, y)) continue;
            left = vo_min_int(left, x);
            right = vo_max_int(right, x);
            top = vo_min_int(top, y);
            bottom = y;
        }
    b->left = left;
    b->top = top;
    b->width = (right - left + LANES) / LANES * LANES;
    b->height = bottom - top + 1;
    return right >= left;
}

static void make_kernel(blur *b, double deviation) {
    for (int i = 0; i <= b->radius; i++)
        b->kernel[i] = (float)exp(-0.5 * i * i / (deviation * deviation));
}

static vo_result open_blur(vo_context *ctx, blur *b, double deviation) {
    b->radius = vo_min_int((int)ceil(3 * deviation), MAX_RADIUS);
    b->row = (size_t)b->width + 2 * (size_t)b->radius;
    b->count = b->row * ((size_t)b->height + 2 * (size_t)b->radius);
    b->kernel = vo_new_array(ctx, float, b->radius + 1);
    b->in = vo_new_array(ctx, float, b->count);
    b->along = vo_new_array(ctx, float, b->count);
    b->weight = vo_new_array(ctx, float, b->count);
    b->sum = vo_new_array(ctx, double, vo_chunk_count(b->height, ROWS));
    if (!b->kernel || !b->in || !b->along || !b->weight || !b->sum)
        return vo_fail_memory(ctx, "wrinkle measurement");
    memset(b->in, 0, b->count * sizeof *b->in);
    memset(b->along, 0, b->count * sizeof *b->along);
    make_kernel(b, deviation);
    return VO_OK;
}

static void close_blur(vo_context *ctx, blur *b) {
    vo_free_array(ctx, b->kernel, b->radius + 1);
    vo_free_array(ctx, b->in, b->count);
    vo_free_array(ctx, b->along, b->count);
    vo_free_array(ctx, b->weight, b->count);
    vo_free_array(ctx, b->sum, vo_chunk_count(b->height, ROWS));
}

/* ---- passes over rows of the box ------------------------------------------------------------ */

static size_t pixel_index(const blur *b, int x, int y) {
    return (size_t)(y + b->radius) * b->row + (size_t)(x + b->radius);
}

static void fill_rows(void *arg, int begin, int end, int chunk) {
    blur *b = arg;
    (void)chunk;
    for (int y = begin; y < end; y++) {
        size_t from = (size_t)(y + b->top) * (size_t)b->view[0]->width + (size_t)b->left;
        for (int x = 0; x < b->width; x++) {
            float value = b->from ? 0 : 1;
            bool here = counts(b, x + b->left, y + b->top);
            if (here && b->from) value = b->from[from + (size_t)x];
            b->in[pixel_index(b, x, y)] = here ? value : 0;
        }
    }
}

/* Convolution sums of sixteen neighbours starting at `middle`; `stride` is the step along the blur.
 */
static inline void sum_around(const blur *b, const float *middle, size_t stride, float out[LANES]) {
    for (int i = 0; i < LANES; i++) out[i] = b->kernel[0] * middle[i];
    const float *before = middle, *after = middle;
    for (int k = 1; k <= b->radius; k++) {
        float weight = b->kernel[k];
        before -= stride;
        after += stride;
        for (int i = 0; i < LANES; i++) out[i] += weight * (before[i] + after[i]);
    }
}

static void blur_along(void *arg, int begin, int end, int chunk) {
    blur *b = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < b->width; x += LANES) {
            float sum[LANES];
            sum_around(b, b->in + pixel_index(b, x, y), 1, sum);
            memcpy(b->along + pixel_index(b, x, y), sum, sizeof sum);
        }
}

static void blur_weight(void *arg, int begin, int end, int chunk) {
    blur *b = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < b->width; x += LANES) {
            float sum[LANES];
            sum_around(b, b->along + pixel_index(b, x, y), b->row, sum);
            memcpy(b->weight + pixel_index(b, x, y), sum, sizeof sum);
        }
}

/* Accumulates the squared difference between the channel and its blur. */
static void sum_power(void *arg, int begin, int end, int chunk) {
    blur *b = arg;
    double power = 0;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < b->width; x += LANES) {
            size_t at = pixel_index(b, x, y);
            float sum[LANES];
            sum_around(b, b->along + at, b->row, sum);
            for (int i = 0; i < LANES; i++) {
                if (!counts(b, x + i + b->left, y + b->top)) continue;
                double rest = (double)(b->in[at + (size_t)i] - sum[i] / b->weight[at + (size_t)i]);
                power += rest * rest;
            }
        }
    b->sum[chunk] = power;
}

/* ---- total ---------------------------------------------------------------------------------- */

static int64_t count_pixels(const blur *b) {
    int64_t count = 0;
    for (int y = 0; y < b->height; y++)
        for (int x = 0; x < b->width; x++) count += counts(b, x + b->left, y + b->top);
    return count;
}

static double channel_power(vo_context *ctx, blur *b, const float *channel) {
    b->from = channel;
    vo_parallel_for(ctx, b->height, ROWS, fill_rows, b);
    vo_parallel_for(ctx, b->height, ROWS, blur_along, b);
    vo_parallel_for(ctx, b->height, ROWS, sum_power, b);
    double power = 0;
    for (int i = 0; i < vo_chunk_count(b->height, ROWS); i++) power += b->sum[i];
    return power;
}

static void measure(vo_context *ctx, blur *b, double power[2]) {
    double pixels = (double)count_pixels(b);
    b->from = NULL;
    vo_parallel_for(ctx, b->height, ROWS, fill_rows, b);
    vo_parallel_for(ctx, b->height, ROWS, blur_along, b);
    vo_parallel_for(ctx, b->height, ROWS, blur_weight, b);
    for (int k = 0; k < 2; k++) {
        power[k] = 0;
        for (int i = 0; i < 3; i++) power[k] += channel_power(ctx, b, b->view[k]->normal[i]);
        power[k] /= pixels;
    }
}

vo_result vo_similarity_measure_wrinkles(vo_context *ctx, const vo_gbuffer *a, const vo_gbuffer *b,
                                         double wavelength, double power[2]) {
    VO_REQUIRE(ctx, a->width == b->width && a->height == b->height);
    VO_REQUIRE(ctx, wavelength > 0 && wavelength <= VO_MAX_WAVELENGTH);
    blur pass = {.view = {a, b}};
    power[0] = power[1] = NAN;
    if (!find_box(&pass)) return VO_OK;
    vo_result result = open_blur(ctx, &pass, wavelength / WAVELENGTH_PER_DEVIATION);
    if (result == VO_OK) measure(ctx, &pass, power);
    close_blur(ctx, &pass);
    return result;
}
