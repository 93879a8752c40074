/* Plots of lines over a common axis, as SVG and as pictures.
 *
 *      --- view   --- full                 one legend for all panels
 *      seconds per frame      total        title: what is plotted, with its unit
 *      4 |      __            |     /
 *      2 |__ __/  \__         |   /
 *      0 +-----------         +-------
 *        0    50  frame
 *
 * plot.c decides where everything goes and hands strokes and words to a pen; there are two of them,
 * one that writes SVG and one that colours pixels. So both show the same. The pixels' letters are
 * strokes, too (plot_font.c), and need no library. Colours can be told apart by people who see red
 * and green alike (Okabe and Ito 2008, "Color universal design"). */
#ifndef VO_PICTURE_PLOT_H
#define VO_PICTURE_PLOT_H

#include "codec/image.h"
#include "core/text.h"
#include "math/vec.h"

typedef struct vo_plot_line {
    const char *name; /* for the legend */
    int count;
    const double *x, *y; /* [count]; where one is not finite, or beyond 1e100, the line breaks */
} vo_plot_line;

enum { VO_MAX_GUIDES = 2 };

typedef struct vo_plot {
    const char *title, *x_label;
    bool from_zero; /* the y axis begins at 0 */
    int guide_count;
    double guide[VO_MAX_GUIDES]; /* values that matter, drawn across */
    int line_count;
    const vo_plot_line *line; /* line i has the i-th colour in every panel */
} vo_plot;

/* Panels side by side, two a row. The legend is that of the first one. */
typedef struct vo_figure {
    int plot_count; /* at least 1 */
    const vo_plot *plot;
} vo_figure;

/* Appends a whole SVG file. Only the text's memory can run out. */
void vo_figure_write_svg(const vo_figure *figure, vo_text *out);

/* Draws it, `scale` times as large as the SVG says; the pixels are the caller's to free, 3 width
 * height bytes. */
vo_result vo_figure_draw(vo_context *ctx, const vo_figure *figure, double scale, vo_image *out);

/* ---- for the files plot_*.c ------------------------------------------------------------------ */

typedef enum vo_ink { VO_INK_TEXT, VO_INK_AXIS, VO_INK_GRID, VO_INK_GUIDE, VO_INK_LINE } vo_ink;

/* 0xRRGGBB; `line` says which one of VO_INK_LINE. */
unsigned vo_ink_colour(vo_ink ink, int line);

typedef enum vo_align { VO_ALIGN_LEFT, VO_ALIGN_MIDDLE, VO_ALIGN_RIGHT } vo_align;

/* Coordinates are in SVG pixels from the upper left corner, y down. */
typedef struct vo_pen {
    void *user;
    void (*begin)(void *user, unsigned colour, double width);
    void (*to)(void *user, vo_vec2 point, bool first); /* first: without a stroke to it */
    void (*end)(void *user);
    /* One line, standing on point.y. */
    void (*write)(void *user, const char *words, vo_vec2 point, double size, vo_align align,
                  unsigned colour);
} vo_pen;

vo_vec2 vo_figure_size(const vo_figure *figure);
void vo_figure_trace(const vo_figure *figure, const vo_pen *pen);

/* plot_font.c: the strokes of one line of words. Signs that there are not are boxes. */
double vo_font_width(const char *words, double size);
void vo_font_write(const char *words, vo_vec2 point, double size, const vo_pen *pen);

#endif
