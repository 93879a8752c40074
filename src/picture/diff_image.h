/* Difference image: two renderings of cloth and their difference side by side.
 *
 *      +--------+--------+--------+   Both are lit from the camera, bodies grey. In the third,
 *      |   a    |   b    | differ |   cloth of both is white where normals agree and changes
 *      |        |        | -ence  |   through yellow and red to black at an angle of 45 degrees;
 *      +--------+--------+--------+   blue: cloth only in a, orange: only in b. */
#ifndef VO_PICTURE_DIFF_IMAGE_H
#define VO_PICTURE_DIFF_IMAGE_H

#include "codec/image.h"
#include "picture/similarity.h"

#include <voile/camera.h>

/* Buffer of the image. */
typedef struct vo_diff_image {
    vo_context *ctx;
    size_t size;
    uint8_t *rgb; /* [size] */
} vo_diff_image;

void vo_diff_image_free(vo_diff_image *diff);

/* Renders the difference image of two G-buffers of the same size and camera. The image is owned by
 * `diff`. VO_BAD_ARGUMENT if three images side by side exceed the maximum width. */
vo_result vo_diff_image_draw(vo_diff_image *diff, const vo_gbuffer *a, const vo_gbuffer *b,
                             const vo_camera *camera, vo_image *out);
/* Like vo_diff_image_draw, and saves the image as a PNG file. */
vo_result vo_diff_image_save(vo_diff_image *diff, const vo_gbuffer *a, const vo_gbuffer *b,
                             const vo_camera *camera, const char *path);

#endif
