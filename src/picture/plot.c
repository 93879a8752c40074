#include "picture/plot.h"

#include <stdio.h>
#include <string.h>

/* Lengths in SVG pixels. */
static const double PANEL_WIDTH = 460, PANEL_HEIGHT = 270, LEGEND_HEIGHT = 38, MARGIN = 14;
static const double AXIS_LEFT = 52, AXIS_RIGHT = 16, AXIS_TOP = 34, AXIS_BOTTOM = 44;
static const double TEXT_SIZE = 12.5, TITLE_SIZE = 14;
enum { TICKS = 5 }; /* approximate */

unsigned vo_ink_colour(vo_ink ink, int line) {
    static const unsigned lines[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9};
    static const unsigned others[] = {[VO_INK_TEXT] = 0x333333,
                                      [VO_INK_AXIS] = 0x666666,
                                      [VO_INK_GRID] = 0xe3e3e3,
                                      [VO_INK_GUIDE] = 0x999999};
    if (ink != VO_INK_LINE) return others[ink];
    return lines[(size_t)line % (sizeof lines / sizeof lines[0])];
}

/* ---- axes ----------------------------------------------------------------------------------- */

typedef struct axis {
    double low, high; /* values at its ends */
    double step;      /* from tick to tick */
} axis;

/* Returns true for values that can be plotted. */
static bool is_usable(double value) { return fabs(value) < 1e100; }

/* Returns a tick distance of 1, 2 or 5 times a power of ten for about TICKS ticks. */
static double nice_step(double span) {
    double rough = span / TICKS, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

typedef struct bounds {
    double low, high;
    bool any;
} bounds;

static void include(bounds *b, double value) {
    if (!is_usable(value)) return;
    b->low = b->any ? vo_min(b->low, value) : value;
    b->high = b->any ? vo_max(b->high, value) : value;
    b->any = true;
}

/* Range of the values. Along x, frames without a value are included, so that panels agree. */
static bounds bounds_of(const vo_plot *p, bool along_y) {
    bounds b = {0};
    for (int i = 0; i < p->line_count; i++)
        for (int k = 0; k < p->line[i].count; k++) {
            double x = p->line[i].x[k], y = p->line[i].y[k];
            if (!along_y || is_usable(x)) include(&b, along_y ? y : x);
        }
    if (along_y && p->from_zero) include(&b, 0);
    for (int i = 0; along_y && i < p->guide_count; i++) include(&b, p->guide[i]);
    return b;
}

/* Makes an axis; a range that is empty or too small is enlarged. */
static axis make_axis(const vo_plot *p, bool along_y) {
    bounds b = bounds_of(p, along_y);
    double size = vo_max(fabs(b.low), fabs(b.high));
    if (!(b.high - b.low > vo_max(1e-9 * size, 1e-100))) {
        double more = size > 1e-100 ? 0.1 * size : 1;
        b.high += more;
        if (!(along_y && p->from_zero && b.low >= 0)) b.low -= more;
    }
    axis a = {b.low, b.high, nice_step(b.high - b.low)};
    if (!along_y) return a;
    a.low = floor(a.low / a.step + 1e-9) * a.step;
    a.high = ceil(a.high / a.step - 1e-9) * a.step;
    return a;
}

/* Formats a tick with as many decimals as the step needs. */
static void label_tick(double value, double step, char *out, size_t size) {
    int digits = (int)vo_clamp(ceil(-log10(step) - 1e-9), 0, 9);
    if (fabs(value) < 1e-9 * step) value = 0;
    if (fabs(value) >= 1e6 || step < 1e-6)
        snprintf(out, size, "%g", value);
    else
        snprintf(out, size, "%.*f", digits, value);
}

/* ---- panel ---------------------------------------------------------------------------------- */

typedef struct panel {
    const vo_plot *plot;
    const vo_pen *pen;
    double left, right, top, bottom; /* plot area */
    axis x, y;
} panel;

static vo_vec2 place(const panel *p, double x, double y) {
    return v2(p->left + (x - p->x.low) / (p->x.high - p->x.low) * (p->right - p->left),
              p->bottom - (y - p->y.low) / (p->y.high - p->y.low) * (p->bottom - p->top));
}

static void stroke(const vo_pen *pen, vo_vec2 a, vo_vec2 b, unsigned colour, double width) {
    pen->begin(pen->user, colour, width);
    pen->to(pen->user, a, true);
    pen->to(pen->user, b, false);
    pen->end(pen->user);
}

static void write(const vo_pen *pen, const char *words, vo_vec2 at, double size, vo_align align) {
    pen->write(pen->user, words, at, size, align, vo_ink_colour(VO_INK_TEXT, 0));
}

/* Index of the first tick, in steps from 0. */
static int64_t first_tick(const axis *a) { return (int64_t)ceil(a->low / a->step - 1e-6); }
static int64_t last_tick(const axis *a) { return (int64_t)floor(a->high / a->step + 1e-6); }

static void draw_y_axis(const panel *p) {
    char label[32];
    for (int64_t i = first_tick(&p->y); i <= last_tick(&p->y); i++) {
        double value = (double)i * p->y.step;
        vo_vec2 at = place(p, p->x.low, value);
        stroke(p->pen, at, v2(p->right, at.y), vo_ink_colour(VO_INK_GRID, 0), 1);
        label_tick(value, p->y.step, label, sizeof label);
        write(p->pen, label, v2(p->left - 8, at.y + 4.3), TEXT_SIZE, VO_ALIGN_RIGHT);
    }
}

static void draw_x_axis(const panel *p) {
    char label[32];
    unsigned colour = vo_ink_colour(VO_INK_AXIS, 0);
    stroke(p->pen, v2(p->left, p->bottom), v2(p->right, p->bottom), colour, 1);
    for (int64_t i = first_tick(&p->x); i <= last_tick(&p->x); i++) {
        double value = (double)i * p->x.step;
        vo_vec2 at = place(p, value, p->y.low);
        stroke(p->pen, at, v2(at.x, at.y + 5), colour, 1);
        label_tick(value, p->x.step, label, sizeof label);
        write(p->pen, label, v2(at.x, at.y + 18), TEXT_SIZE, VO_ALIGN_MIDDLE);
    }
    write(p->pen, p->plot->x_label, v2(0.5 * (p->left + p->right), p->bottom + 36), TEXT_SIZE,
          VO_ALIGN_MIDDLE);
}

/* Draws a dashed horizontal line. */
static void draw_guide(const panel *p, double value) {
    const double dash = 5, gap = 4;
    double y = place(p, p->x.low, value).y;
    int count = (int)ceil((p->right - p->left) / (dash + gap));
    for (int i = 0; i < count; i++) {
        double x = p->left + i * (dash + gap);
        stroke(p->pen, v2(x, y), v2(vo_min(x + dash, p->right), y), vo_ink_colour(VO_INK_GUIDE, 0),
               1);
    }
}

static void draw_line(const panel *p, int number) {
    const vo_plot_line *l = &p->plot->line[number];
    const vo_pen *pen = p->pen;
    bool open = false;
    pen->begin(pen->user, vo_ink_colour(VO_INK_LINE, number), 1.8);
    for (int i = 0; i < l->count; i++) {
        bool there = is_usable(l->x[i]) && is_usable(l->y[i]);
        if (there) pen->to(pen->user, place(p, l->x[i], l->y[i]), !open);
        open = there;
    }
    pen->end(pen->user);
}

static void draw_panel(const vo_figure *f, int number, const vo_pen *pen) {
    int column = number % 2, row = number / 2;
    double left = MARGIN + column * PANEL_WIDTH, top = LEGEND_HEIGHT + row * PANEL_HEIGHT;
    const vo_plot *plot = &f->plot[number];
    panel p = {.plot = plot,
               .pen = pen,
               .left = left + AXIS_LEFT,
               .right = left + PANEL_WIDTH - AXIS_RIGHT,
               .top = top + AXIS_TOP,
               .bottom = top + PANEL_HEIGHT - AXIS_BOTTOM,
               .x = make_axis(plot, false),
               .y = make_axis(plot, true)};
    write(pen, plot->title, v2(left + 8, top + 17), TITLE_SIZE, VO_ALIGN_LEFT);
    draw_y_axis(&p);
    draw_x_axis(&p);
    for (int i = 0; i < plot->guide_count; i++) draw_guide(&p, plot->guide[i]);
    for (int i = plot->line_count - 1; i >= 0; i--)
        draw_line(&p, i); /* the first line is drawn last */
}

/* ---- figure --------------------------------------------------------------------------------- */

vo_vec2 vo_figure_size(const vo_figure *f) {
    int columns = vo_min_int(f->plot_count, 2), rows = (f->plot_count + 1) / 2;
    return v2(2 * MARGIN + columns * PANEL_WIDTH, LEGEND_HEIGHT + rows * PANEL_HEIGHT + MARGIN);
}

static void draw_legend(const vo_figure *f, const vo_pen *pen) {
    double x = MARGIN + 8, y = 26;
    for (int i = 0; i < f->plot[0].line_count; i++) {
        const char *name = f->plot[0].line[i].name;
        stroke(pen, v2(x, y - 4), v2(x + 22, y - 4), vo_ink_colour(VO_INK_LINE, i), 3);
        write(pen, name, v2(x + 29, y), TEXT_SIZE, VO_ALIGN_LEFT);
        x += 29 + vo_font_width(name, TEXT_SIZE) + 26;
    }
}

void vo_figure_draw_with_pen(const vo_figure *f, const vo_pen *pen) {
    draw_legend(f, pen);
    for (int i = 0; i < f->plot_count; i++) draw_panel(f, i, pen);
}
