/* PNG files: 8 bits a channel, sRGB, through libpng, which only png.c knows. */
#ifndef VO_CODEC_PNG_H
#define VO_CODEC_PNG_H

#include "codec/image.h"

/* Whether this build can. */
bool vo_png_available(void);

/* The file is whole or not there. VO_BAD_CALL where this build has no libpng. */
vo_result vo_png_save(vo_context *ctx, const vo_image *image, const char *path);

#endif
