/* An image in memory. */
#ifndef VO_CODEC_IMAGE_H
#define VO_CODEC_IMAGE_H

#include "core/context.h"

enum { VO_MAX_PIXELS = 16384 }; /* largest width and height */

typedef struct vo_image {
    int width, height; /* 1 to VO_MAX_PIXELS */
    uint8_t *rgb;      /* [3 width height] sRGB; rows from the top */
} vo_image;

#endif
