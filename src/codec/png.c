#include "codec/png.h"

#include "core/file.h"
#include "core/memory.h"

#ifdef VO_HAVE_PNG
#include <png.h>

bool vo_png_available(void) { return true; }

vo_result vo_png_save(vo_context *ctx, const vo_image *image, const char *path) {
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = PNG_FORMAT_RGB,
                     .flags = PNG_IMAGE_FLAG_FAST}; /* 20 % larger files in a sixth of the time */
    size_t capacity = PNG_IMAGE_PNG_SIZE_MAX(png);
    void *data = vo_alloc(ctx, capacity);
    if (!data) return vo_fail_memory(ctx, path);
    png_alloc_size_t size = capacity;
    vo_result result = png_image_write_to_memory(&png, data, &size, 0, image->rgb, 0, NULL)
                           ? vo_file_write(ctx, path, data, size)
                           : vo_fail(ctx, VO_NO_MEMORY, "%s: libpng failed: %s", path, png.message);
    png_image_free(&png);
    vo_free(ctx, data, capacity);
    return result;
}

#else

bool vo_png_available(void) { return false; }

vo_result vo_png_save(vo_context *ctx, const vo_image *image, const char *path) {
    (void)image;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "%s: this build cannot write PNG files; rebuild it with libpng", path);
}

#endif
