#include "picture/plot.h"

static void begin(void *user, unsigned colour, double width) {
    vo_string_builder_add(
        user,
        "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\" stroke-linecap=\"round\" "
        "stroke-linejoin=\"round\" d=\"",
        colour, width);
}

static void to(void *user, vo_vec2 p, bool first) {
    vo_string_builder_add(user, "%c%.2f %.2f", first ? 'M' : 'L', p.x, p.y);
}

static void end(void *user) { vo_string_builder_add(user, "\"/>\n"); }

/* Appends text with XML characters escaped and other than ASCII replaced. */
static void add_escaped(vo_string_builder *out, const char *words) {
    for (const unsigned char *p = (const unsigned char *)words; *p; p++) {
        if (*p == '&' || *p == '<' || *p == '>' || *p == '"')
            vo_string_builder_add(out, "&#%d;", *p);
        else
            vo_string_builder_add(out, "%c", *p >= 0x20 && *p < 0x7f ? *p : '?');
    }
}

static void write(void *user, const char *words, vo_vec2 at, double size, vo_align align,
                  unsigned colour) {
    static const char *const aligns[] = {"start", "middle", "end"};
    vo_string_builder_add(
        user, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"#%06x\">",
        at.x, at.y, size, aligns[align], colour);
    add_escaped(user, words);
    vo_string_builder_add(user, "</text>\n");
}

void vo_figure_write_svg(const vo_figure *figure, vo_string_builder *out) {
    vo_vec2 size = vo_figure_size(figure);
    vo_pen pen = {out, begin, to, end, write};
    vo_string_builder_add(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 "
        "0 %g %g\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" "
        "height=\"100%%\" fill=\"#ffffff\"/>\n",
        size.x, size.y, size.x, size.y);
    vo_figure_draw_with_pen(figure, &pen);
    vo_string_builder_add(out, "</svg>\n");
}
