/* PNG files: 8 bits per channel, sRGB, through libpng, which only png.c includes. */
#ifndef VO_CODEC_PNG_H
#define VO_CODEC_PNG_H

#include "codec/image.h"

/* True if the build includes libpng. */
bool vo_png_available(void);

/* Writes the file atomically. VO_BAD_ARGUMENT if the build does not include libpng. */
vo_result vo_png_save(vo_context *ctx, const vo_image *image, const char *path);

#endif
