/* Files of a figure. */
#include "codec/png.h"
#include "core/file.h"
#include "core/memory.h"
#include "picture/plot.h"

#include <stdio.h>

static const double PNG_SCALE = 2;

/* Writes folder/name.ending to path [VO_PATH_SIZE]. */
static void make_path(const char *folder, const char *name, const char *ending, char *path) {
    char file[128];
    snprintf(file, sizeof file, "%s.%s", name, ending);
    vo_path_join(path, VO_PATH_SIZE, folder, file);
}

static vo_result save_svg(vo_context *ctx, const vo_figure *figure, const char *path) {
    vo_string_builder text = {.ctx = ctx};
    vo_figure_write_svg(figure, &text);
    return vo_string_builder_save(&text, path);
}

static vo_result save_png(vo_context *ctx, const vo_figure *figure, const char *path) {
    vo_image image;
    if (!vo_png_available()) return VO_OK;
    VO_TRY(vo_figure_render(ctx, figure, PNG_SCALE, &image));
    vo_result result = vo_png_save(ctx, &image, path);
    vo_free(ctx, image.rgb, 3 * (size_t)image.width * (size_t)image.height);
    return result;
}

vo_result vo_figure_save(vo_context *ctx, const vo_figure *figure, const char *folder,
                         const char *name) {
    char path[VO_PATH_SIZE];
    make_path(folder, name, "svg", path);
    VO_TRY(save_svg(ctx, figure, path));
    make_path(folder, name, "png", path);
    return save_png(ctx, figure, path);
}
