/* How alike two pictures of cloth are: numbers from what two pictures of the same size show.
 *
 * What a picture shows of cloth is kept pixel by pixel: how deep it lies and where its normal
 * points (picture/observe.h finds both by rays). Where the depth is not positive there is no cloth,
 * or something stands before it. All functions here know arrays only; their sums are added up in an
 * order that does not depend on threads.
 *
 * Wrinkles are the part of the normals that is left when their Gaussian blur is taken off:
 *
 *      n'(p) = n(p) - sum_q g(p - q) n(q) / sum_q g(p - q),    q over the pixels that count,
 *      power = mean over these pixels of |n'|^2
 *
 * The pixels that count are those that show cloth in both pictures, the same for both, so a fold
 * that only moved its outline changes neither. A wave of normals of wavelength l keeps the part 1 -
 * exp(-2 pi^2 s^2 / l^2) of its amplitude, s being the blur's standard deviation: half its power
 * where l = 4.01 s, and less the longer it is. That wavelength is what callers give. */
#ifndef VO_PICTURE_MEASURE_H
#define VO_PICTURE_MEASURE_H

#include "core/context.h"
#include "math/vec.h"

typedef struct vo_shown {
    int width, height;  /* pixels, at most VO_MAX_PIXELS (codec/image.h) */
    const float *depth; /* [width height] m; 0 or less: no cloth */
    const float
        *normal[3]; /* [width height] each: x, y and z of unit vectors where there is cloth */
} vo_shown;

static inline vo_vec3 vo_shown_normal(const vo_shown *s, size_t at) {
    return v3((double)s->normal[0][at], (double)s->normal[1][at], (double)s->normal[2][at]);
}

/* Measures over two pictures; NaN where no pixel counts. */
typedef struct vo_likeness {
    int64_t pixels[2]; /* that show cloth in the first and the second */
    int64_t both;      /* and in both */
    double overlap;    /* both / either */
    double angle;      /* rad, mean between the normals over both */
    double depth;      /* m, mean difference over both */
} vo_likeness;

/* The pictures have the same size. */
vo_likeness vo_measure_likeness(vo_context *ctx, const vo_shown *a, const vo_shown *b);

enum { VO_MAX_WAVELENGTH = 1024 }; /* pixels */

/* Power of the wrinkles of both pictures that are shorter than a wavelength in pixels (above 0, at
 * most VO_MAX_WAVELENGTH); NaN where no pixel shows cloth in both. Fails only without memory. */
vo_result vo_measure_wrinkles(vo_context *ctx, const vo_shown *a, const vo_shown *b,
                              double wavelength, double power[2]);

/* The value that a part `q` of the values is not above, 0 to 1, linear between them; they are
 * sorted upwards. NaN without any. */
double vo_measure_quantile(int count, const double *sorted, double q);
void vo_measure_sort(int count, double *value);

#endif
