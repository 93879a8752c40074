/* Image similarity of two renderings of cloth, computed from G-buffers of the same size.
 *
 * A G-buffer (picture/gbuffer.h) holds depth and normal of the cloth per pixel. A depth that is not
 * positive means no cloth, or cloth behind an obstacle. The functions take arrays only; sums are
 * accumulated in an order that does not depend on threads.
 *
 * Wrinkles are the normals minus their Gaussian blur:
 *
 *      n'(p) = n(p) - sum_q g(p - q) n(q) / sum_q g(p - q),    q over the common pixels,
 *      power = mean over these pixels of |n'|^2
 *
 * Common pixels show cloth in both images, so a fold whose outline moved affects both equally. A
 * wave of normals of wavelength l keeps the fraction 1 - exp(-2 pi^2 s^2 / l^2) of its amplitude,
 * where s is the standard deviation of the blur: half its power at l = 4.01 s, less for longer
 * waves. Callers specify this wavelength. */
#ifndef VO_PICTURE_SIMILARITY_H
#define VO_PICTURE_SIMILARITY_H

#include "core/context.h"
#include "math/vec.h"

typedef struct vo_gbuffer {
    int width, height;      /* pixels, at most VO_MAX_PIXELS (codec/image.h) */
    const float *depth;     /* [width height] m; 0 or less: no cloth */
    const float *normal[3]; /* [width height] each: x, y and z of unit normals of cloth */
} vo_gbuffer;

static inline vo_vec3 vo_gbuffer_normal(const vo_gbuffer *s, size_t at) {
    return v3((double)s->normal[0][at], (double)s->normal[1][at], (double)s->normal[2][at]);
}

/* Similarity of two images; NaN if there is no pixel to measure. */
typedef struct vo_similarity {
    int64_t pixels[2];     /* pixels with cloth in the first and second image */
    int64_t both;          /* pixels with cloth in both */
    double silhouette_iou; /* intersection over union: pixels of both / pixels of either */
    double angle;          /* rad, mean angle between the normals over common pixels */
    double depth;          /* m, mean absolute difference over common pixels */
} vo_similarity;

/* Measures two G-buffers of the same size. */
vo_similarity vo_similarity_measure(vo_context *ctx, const vo_gbuffer *a, const vo_gbuffer *b);

enum { VO_MAX_WAVELENGTH = 1024 }; /* pixels */

/* Measures the power of the wrinkles of both images below a wavelength in pixels (above 0, at most
 * VO_MAX_WAVELENGTH); NaN without common pixels. Fails only if memory is exhausted. */
vo_result vo_similarity_measure_wrinkles(vo_context *ctx, const vo_gbuffer *a, const vo_gbuffer *b,
                                         double wavelength, double power[2]);

/* Returns the quantile q, 0 to 1, of ascending values by linear interpolation; NaN if count is 0.
 */
double vo_quantile(int count, const double *sorted, double q);
/* Sorts ascending. */
void vo_sort_values(int count, double *value);

#endif
