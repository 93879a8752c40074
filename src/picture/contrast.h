/* Two pictures of cloth and their difference, side by side, for people to look at.
 *
 *      +--------+--------+--------+   both lit from the camera, bodies grey; in the third cloth of
 *      |   a    |   b    | differ |   both is white where normals agree and goes over yellow and
 *      |        |        | -ence  |   red to black where they are 45 degrees apart; blue: only a
 *      +--------+--------+--------+   shows cloth, orange: only b */
#ifndef VO_PICTURE_CONTRAST_H
#define VO_PICTURE_CONTRAST_H

#include "codec/image.h"
#include "picture/measure.h"

#include <voile/camera.h>

/* Memory of the picture. */
typedef struct vo_contrast {
    vo_context *ctx;
    size_t size;
    uint8_t *rgb; /* [size] */
} vo_contrast;

void vo_contrast_free(vo_contrast *contrast);

/* Both have the same size and are seen by the camera. The image belongs to the contrast. Pictures
 * that are too wide to stand side by side are VO_BAD_CALL. */
vo_result vo_contrast_draw(vo_contrast *contrast, const vo_shown *a, const vo_shown *b,
                           const vo_camera *camera, vo_image *out);
/* The same, into a PNG file. */
vo_result vo_contrast_save(vo_contrast *contrast, const vo_shown *a, const vo_shown *b,
                           const vo_camera *camera, const char *path);

#endif
