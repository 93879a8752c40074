/* Drawing of a pattern: panels side by side, both sides of a seam in one colour. */
#include "core/file.h"
#include "garment/pattern.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct drawing {
    vo_context *ctx;
    int size, capacity;
    char *text;
    bool failed;    /* no memory */
    vo_vec2 offset; /* from panel coordinates to the sheet, before y is flipped */
} drawing;

enum { LINE = 4096 };
static const double SCALE = 500;   /* drawing units per metre */
static const double MARGIN = 0.06; /* m */

static void VO_PRINTF(2, 3) write_text(drawing *d, const char *format, ...) {
    va_list args;
    if (d->failed || !vo_reserve(d->ctx, &d->text, &d->capacity, d->size + LINE)) {
        d->failed = true;
        return;
    }
    va_start(args, format);
    int n = vsnprintf(d->text + d->size, LINE, format, args);
    va_end(args);
    d->size += vo_min_int(vo_max_int(n, 0), LINE - 1);
}

static vo_vec2 on_sheet(const drawing *d, vo_vec2 p) {
    return v2(SCALE * (p.x + d->offset.x), SCALE * (d->offset.y - p.y));
}

static void write_pieces(drawing *d, bool start, int count, const vo_bezier *piece) {
    vo_vec2 p = on_sheet(d, piece[0].p[0]);
    if (start) write_text(d, "M%.2f %.2f", p.x, p.y);
    for (int i = 0; i < count; i++) {
        vo_vec2 a = on_sheet(d, piece[i].p[1]), b = on_sheet(d, piece[i].p[2]);
        p = on_sheet(d, piece[i].p[3]);
        write_text(d, "C%.2f %.2f %.2f %.2f %.2f %.2f", a.x, a.y, b.x, b.y, p.x, p.y);
    }
}

/* Writes a name without characters that are special in XML. */
static void write_name(drawing *d, const char *name) {
    for (; *name; name++)
        if (*name == '<' || *name == '>' || *name == '&')
            write_text(d, "&#%d;", *name);
        else
            write_text(d, "%c", *name);
}

/* Returns the seam of an edge, or -1. */
static int find_seam(const vo_pattern *p, int panel, int edge) {
    for (int s = 0; s < p->seam_count; s++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < p->seam[s].count[side]; i++) {
                vo_pattern_ref r = p->seam[s].side[side][i];
                if (r.panel == panel && r.edge == edge) return s;
            }
    return -1;
}

static void bounds(const vo_pattern_panel *panel, vo_vec2 *low, vo_vec2 *high) {
    *low = v2(INFINITY, INFINITY), *high = v2(-INFINITY, -INFINITY);
    for (int e = 0; e < panel->edge_count; e++)
        for (int i = 0; i < panel->edge[e].piece_count; i++)
            for (int k = 0; k < 4; k++) {
                vo_vec2 p = vo_bezier_point(&panel->edge[e].piece[i], k / 3.0);
                *low = v2(vo_min(low->x, p.x), vo_min(low->y, p.y));
                *high = v2(vo_max(high->x, p.x), vo_max(high->y, p.y));
            }
}

static void draw_cloth(drawing *d, const vo_pattern_panel *panel) {
    write_text(d, "<path fill=\"#f4efe4\" fill-rule=\"evenodd\" stroke=\"none\" d=\"");
    for (int e = 0, loop = -1; e < panel->edge_count; e++) {
        write_pieces(d, panel->edge[e].loop != loop, panel->edge[e].piece_count,
                     panel->edge[e].piece);
        loop = panel->edge[e].loop;
    }
    write_text(d, "\"/>\n");
}

static void draw_edges(drawing *d, const vo_pattern *p, int index) {
    const vo_pattern_panel *panel = &p->panel[index];
    for (int e = 0; e < panel->edge_count; e++) {
        int seam = find_seam(p, index, e);
        /* hues differ by the golden angle */
        double hue = fmod(seam * 137.508, 360);
        if (seam < 0)
            write_text(d, "<path fill=\"none\" stroke=\"#222\" stroke-width=\"1.6\" d=\"");
        else
            write_text(d,
                       "<path fill=\"none\" stroke=\"hsl(%.0f,75%%,42%%)\" "
                       "stroke-width=\"3.2\" d=\"",
                       hue);
        write_pieces(d, true, panel->edge[e].piece_count, panel->edge[e].piece);
        write_text(d, "\"/>\n");
    }
    for (int i = 0; i < panel->line_count; i++) {
        write_text(d, "<path fill=\"none\" stroke=\"#777\" stroke-dasharray=\"5 4\" d=\"");
        write_pieces(d, true, panel->line[i].piece_count, panel->line[i].piece);
        write_text(d, "\"/>\n");
    }
}

/* Draws short strokes across the outline, inwards. */
static void draw_notches(drawing *d, const vo_pattern_panel *panel) {
    for (int i = 0; i < panel->notch_count; i++) {
        const vo_pattern_edge *e = &panel->edge[panel->notch[i].edge];
        double at = panel->notch[i].at;
        vo_vec2 p = vo_chain_point(e->piece_count, e->piece, at);
        vo_vec2 tangent = v2_sub(vo_chain_point(e->piece_count, e->piece, at + 1e-3),
                                 vo_chain_point(e->piece_count, e->piece, at - 1e-3));
        vo_vec2 in = v2_scale(0.012 / vo_max(v2_length(tangent), 1e-9), v2(-tangent.y, tangent.x));
        vo_vec2 a = on_sheet(d, p), b = on_sheet(d, v2_add(p, in));
        write_text(d, "<path stroke=\"#000\" stroke-width=\"2\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
                   a.x, a.y, b.x, b.y);
    }
}

/* Draws a double-headed arrow along the warp, and the name. */
static void draw_grain(drawing *d, const vo_pattern_panel *panel, vo_vec2 low, vo_vec2 high) {
    vo_vec2 c = v2_scale(0.5, v2_add(low, high));
    double reach = vo_min(high.x - low.x, high.y - low.y) / 4;
    vo_vec2 w = v2_scale(reach, v2(cos(panel->grain), sin(panel->grain)));
    vo_vec2 a = on_sheet(d, v2_sub(c, w)), b = on_sheet(d, v2_add(c, w));
    vo_vec2 t = on_sheet(d, v2(c.x, c.y));
    write_text(d,
               "<path stroke=\"#555\" marker-start=\"url(#h)\" marker-end=\"url(#h)\" "
               "d=\"M%.2f %.2fL%.2f %.2f\"/>\n<text x=\"%.2f\" y=\"%.2f\">",
               a.x, a.y, b.x, b.y, t.x + 6, t.y + 4);
    write_name(d, panel->name);
    write_text(d, "</text>\n");
}

static void draw_panel(drawing *d, const vo_pattern *p, int index, vo_vec2 low, vo_vec2 high) {
    draw_cloth(d, &p->panel[index]);
    draw_edges(d, p, index);
    draw_notches(d, &p->panel[index]);
    draw_grain(d, &p->panel[index], low, high);
}

/* Arranges panels in rows, left to right. Returns the height; *width receives that of the longest
 * row. */
static double draw_rows(drawing *d, const vo_pattern *p, double *width) {
    double x = MARGIN, y = MARGIN, row = 0, area = 0, limit;
    for (int i = 0; i < p->panel_count; i++) {
        vo_vec2 low, high;
        bounds(&p->panel[i], &low, &high);
        area += (high.x - low.x + MARGIN) * (high.y - low.y + MARGIN);
    }
    limit = 1.7 * sqrt(area);
    *width = 0;
    for (int i = 0; i < p->panel_count; i++) {
        vo_vec2 low, high;
        bounds(&p->panel[i], &low, &high);
        double w = high.x - low.x, h = high.y - low.y;
        if (x > MARGIN && x + w > limit) {
            x = MARGIN;
            y += row + MARGIN;
            row = 0;
        }
        d->offset = v2(x - low.x, y + high.y);
        draw_panel(d, p, i, low, high);
        x += w + MARGIN;
        row = vo_max(row, h);
        *width = vo_max(*width, x);
    }
    return y + row + MARGIN;
}

vo_result vo_pattern_save_svg(const vo_pattern *pattern, const char *path) {
    drawing d = {.ctx = pattern->ctx}, head = {.ctx = pattern->ctx};
    double width, height = draw_rows(&d, pattern, &width);
    write_text(&d, "</svg>\n");
    write_text(&head,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "font-family=\"sans-serif\" font-size=\"13\">\n"
               "<defs><marker id=\"h\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" "
               "orient=\"auto-start-reverse\"><path d=\"M0 0L9 4L0 8z\"/></marker></defs>\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
               SCALE * width, SCALE * height);
    for (int i = 0; i < d.size && !d.failed && !head.failed;) {
        int n = vo_min_int(LINE - 1, d.size - i);
        write_text(&head, "%.*s", n, d.text + i);
        i += n;
    }
    vo_result result = d.failed || head.failed
                           ? vo_fail_memory(pattern->ctx, "a drawing")
                           : vo_file_write(pattern->ctx, path, head.text, (size_t)head.size);
    vo_free_array(d.ctx, d.text, d.capacity);
    vo_free_array(d.ctx, head.text, head.capacity);
    return result;
}
