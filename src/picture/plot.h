/* Line plots as SVG and as images.
 *
 *      --- view   --- full                 one legend for all panels
 *      seconds per frame      total        title with unit
 *      4 |      __            |     /
 *      2 |__ __/  \__         |   /
 *      0 +-----------         +-------
 *        0    50  frame
 *
 * plot.c computes the layout and passes strokes and text to a pen, of which there are two: one
 * writes SVG and one rasterises. Both outputs are therefore the same. Text of the rasteriser
 * consists of strokes too (plot_font.c) and needs no library. The colours are distinguishable with
 * red-green colour blindness (Okabe and Ito 2008, "Color universal design"). */
#ifndef VO_PICTURE_PLOT_H
#define VO_PICTURE_PLOT_H

#include "codec/image.h"
#include "core/string_builder.h"
#include "math/vec.h"

typedef struct vo_plot_line {
    const char *name; /* for the legend */
    int count;
    const double *x,
        *y; /* [count]; the line is interrupted at values that are not finite or beyond 1e100 */
} vo_plot_line;

enum { VO_MAX_GUIDES = 2 };

typedef struct vo_plot {
    const char *title, *x_label;
    bool from_zero; /* y axis starts at 0 */
    int guide_count;
    double guide[VO_MAX_GUIDES]; /* reference values, drawn as horizontal lines */
    int line_count;
    const vo_plot_line *line; /* line i has colour i in every panel */
} vo_plot;

/* Panels in rows of two. The legend is that of the first panel. */
typedef struct vo_figure {
    int plot_count; /* at least 1 */
    const vo_plot *plot;
} vo_figure;

/* Appends a complete SVG file; fails only in the string builder. */
void vo_figure_write_svg(const vo_figure *figure, vo_string_builder *out);

/* Renders the figure at `scale` times the SVG size; the caller frees the 3 width height bytes of
 * pixels. */
vo_result vo_figure_render(vo_context *ctx, const vo_figure *figure, double scale, vo_image *out);

/* Writes folder/name.svg and, in builds with PNG support, folder/name.png at twice its size. */
vo_result vo_figure_save(vo_context *ctx, const vo_figure *figure, const char *folder,
                         const char *name);

/* ---- internal to plot*.c -------------------------------------------------------------------- */

typedef enum vo_ink { VO_INK_TEXT, VO_INK_AXIS, VO_INK_GRID, VO_INK_GUIDE, VO_INK_LINE } vo_ink;

/* Returns a colour 0xRRGGBB; `line` selects the colour of VO_INK_LINE. */
unsigned vo_ink_colour(vo_ink ink, int line);

typedef enum vo_align { VO_ALIGN_LEFT, VO_ALIGN_MIDDLE, VO_ALIGN_RIGHT } vo_align;

/* Coordinates are in SVG pixels from the upper left corner, y down. */
typedef struct vo_pen {
    void *user;
    void (*begin)(void *user, unsigned colour, double width);
    void (*to)(void *user, vo_vec2 point, bool first); /* first: moves without a stroke */
    void (*end)(void *user);
    /* Writes one line of text with its baseline at point.y. */
    void (*write)(void *user, const char *text, vo_vec2 point, double size, vo_align align,
                  unsigned colour);
} vo_pen;

vo_vec2 vo_figure_size(const vo_figure *figure);
void vo_figure_draw_with_pen(const vo_figure *figure, const vo_pen *pen);

/* plot_font.c: strokes of one line of text. Missing glyphs are drawn as boxes. */
double vo_font_width(const char *text, double size);
void vo_font_write(const char *text, vo_vec2 point, double size, const vo_pen *pen);

#endif
