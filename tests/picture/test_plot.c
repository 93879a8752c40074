/* Tests of plots: a recording pen, the structure of the SVG, and pixels. */
#include "support.h"

#include "codec/png.h"
#include "core/memory.h"
#include "picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- recording pen -------------------------------------------------------------------------- */

enum { WRITTEN = 200, POINTS = 20000 };

typedef struct record {
    int word_count;
    struct {
        char text[64];
        vo_vec2 at;
    } word[WRITTEN];
    int point_count;
    struct {
        vo_vec2 at;
        unsigned colour;
        bool first;
    } point[POINTS];
    unsigned colour;
} record;

static void record_begin(void *user, unsigned colour, double width) {
    assert_true(width > 0);
    ((record *)user)->colour = colour;
}

static void record_to(void *user, vo_vec2 at, bool first) {
    record *r = user;
    assert_true(r->point_count < POINTS);
    r->point[r->point_count].at = at;
    r->point[r->point_count].first = first;
    r->point[r->point_count++].colour = r->colour;
}

static void record_end(void *user) { (void)user; }

static void record_write(void *user, const char *text, vo_vec2 at, double size, vo_align align,
                         unsigned colour) {
    record *r = user;
    (void)size, (void)align, (void)colour;
    assert_true(r->word_count < WRITTEN);
    snprintf(r->word[r->word_count].text, 64, "%s", text);
    r->word[r->word_count++].at = at;
}

static void trace(const vo_figure *figure, record *r) {
    memset(r, 0, sizeof *r);
    vo_figure_draw_with_pen(figure,
                            &(vo_pen){r, record_begin, record_to, record_end, record_write});
    vo_vec2 size = vo_figure_size(figure);
    for (int i = 0; i < r->point_count; i++) {
        vo_vec2 at = r->point[i].at;
        if (!(at.x >= 0 && at.x <= size.x && at.y >= 0 && at.y <= size.y))
            fail_msg("point %g, %g is not in the figure", at.x, at.y);
    }
}

/* Parses a label that is a number. */
static bool number_of(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == 0;
}

/* ---- layout --------------------------------------------------------------------------------- */

/* The position of each line point, converted by the axis labels, is its value. */
static void axis_labels_match_positions(void **state) {
    (void)state;
    static record r;
    const double x[] = {0, 10, 25, 60, 100}, y[] = {0.97, 0.991, 1, 0.9834, 0.978};
    vo_plot_line line = {"a", 5, x, y};
    vo_plot plot = {.title = "overlap", .x_label = "frame", .line_count = 1, .line = &line};
    trace(&(vo_figure){1, &plot}, &r);
    vo_vec2 value[2] = {{NAN, NAN}, {NAN, NAN}}, at[2] = {{0, 0}, {0, 0}}; /* two ticks per axis */
    double bottom = 0;
    for (int i = 0; i < r.word_count; i++) bottom = vo_max(bottom, r.word[i].at.y);
    for (int i = 0; i < r.word_count; i++) {
        double number;
        if (!number_of(r.word[i].text, &number)) continue;
        bool along_x = fabs(r.word[i].at.y - (bottom - 18)) < 1;
        double *v = along_x ? &value[0].x : &value[0].y, *p = along_x ? &at[0].x : &at[0].y;
        int k = isnan(*v) ? 0 : 2; /* first and last */
        v[k] = number;
        p[k] = along_x ? r.word[i].at.x : r.word[i].at.y - 4.3;
    }
    assert_near(value[0].x, 0, 0);
    assert_near(value[1].x, 100, 0);
    assert_true(value[0].y <= 0.97 && value[1].y >= 1);
    int found = 0;
    for (int i = 0; i < r.point_count; i++) {
        if (r.point[i].colour != vo_ink_colour(VO_INK_LINE, 0) || i < 2) continue; /* the legend */
        vo_vec2 p = r.point[i].at;
        double a = (p.x - at[0].x) / (at[1].x - at[0].x), b = (p.y - at[0].y) / (at[1].y - at[0].y);
        assert_near(value[0].x + a * (value[1].x - value[0].x), x[found], 1e-9);
        assert_near(value[0].y + b * (value[1].y - value[0].y), y[found], 1e-9);
        found++;
    }
    assert_int_equal(found, 5);
}

/* The axis starts at zero, guides are inside the figure, and every name is in the legend. */
static void legend_lists_all_lines(void **state) {
    (void)state;
    static record r;
    const double x[] = {1, 2}, y[] = {0.95, 1.05};
    vo_plot_line line[3] = {{"view", 2, x, y}, {"full", 2, x, y}, {"none", 2, x, y}};
    vo_plot plot = {.title = "ratio",
                    .x_label = "frame",
                    .from_zero = true,
                    .guide_count = 2,
                    .guide = {0.9, 1.4},
                    .line_count = 3,
                    .line = line};
    trace(&(vo_figure){1, &plot}, &r);
    const char *const expected[] = {"view", "full", "none", "ratio", "frame", "0.0", "1.4"};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        bool found = false;
        for (int i = 0; i < r.word_count; i++) found |= strcmp(r.word[i].text, expected[k]) == 0;
        if (!found) fail_msg("%s is not there", expected[k]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(vo_ink_colour(VO_INK_LINE, i), vo_ink_colour(VO_INK_LINE, k));
}

/* A missing value interrupts the line. */
static void missing_value_interrupts_line(void **state) {
    (void)state;
    static record r;
    const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 2, NAN, 3, INFINITY};
    vo_plot_line line = {"a", 5, x, y};
    vo_plot plot = {.title = "", .x_label = "", .line_count = 1, .line = &line};
    trace(&(vo_figure){1, &plot}, &r);
    int first = 0, points = 0;
    for (int i = 2; i < r.point_count; i++) {
        if (r.point[i].colour != vo_ink_colour(VO_INK_LINE, 0)) continue;
        points++;
        first += r.point[i].first;
    }
    assert_int_equal(points, 3);
    assert_int_equal(first, 2);
}

/* For any values there are few ticks and everything is inside the figure. */
static void extreme_values_stay_inside(void **state) {
    (void)state;
    static record r;
    static const double odd[][2] = {{0, 0},
                                    {1, 1},
                                    {-3, -3},
                                    {1e-300, 2e-300},
                                    {1e300, -1e300},
                                    {1e308, 1e-8},
                                    {-1.7e308, 1.7e308},
                                    {NAN, NAN},
                                    {INFINITY, 1},
                                    {5e-324, 0},
                                    {1e15, 1e15 + 1},
                                    {-1e-9, 1e9},
                                    {123456789, 123456790}};
    for (size_t a = 0; a < sizeof odd / sizeof odd[0]; a++)
        for (size_t b = 0; b < sizeof odd / sizeof odd[0]; b++)
            for (int mode = 0; mode < 4; mode++) {
                vo_plot_line line = {"x", mode == 3 ? 0 : 2, odd[a], odd[b]};
                vo_plot plot = {.title = "t",
                                .x_label = "x",
                                .from_zero = mode & 1,
                                .line_count = mode == 2 ? 0 : 1,
                                .line = &line};
                trace(&(vo_figure){1, &plot}, &r);
                assert_true(r.word_count < 40);
            }
}

/* ---- SVG ------------------------------------------------------------------------------------ */

/* Checks that tags are balanced and only text is in between. */
static int check_xml(const char *p) {
    int depth = 0, tags = 0;
    while (*p) {
        if (*p != '<') {
            assert_true(*p != '>' && (*p != '&' || p[1] == '#'));
            p++;
            continue;
        }
        const char *end = strchr(p, '>');
        assert_non_null(end);
        int quotes = 0;
        for (const char *q = p; q < end; q++) quotes += *q == '"';
        assert_int_equal(quotes % 2, 0);
        if (p[1] == '/')
            depth--;
        else if (end[-1] != '/')
            depth++;
        assert_true(depth >= 0);
        tags++;
        p = end + 1;
    }
    assert_int_equal(depth, 0);
    return tags;
}

static vo_figure make_figure(void) {
    static double x[200], y[3][200], sum[3][200];
    static vo_plot_line line[2][3];
    static vo_plot plot[2];
    static const char *const names[] = {"view-dependent", "adaptive <full>", "none & \"uniform\""};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 200; i++) {
            x[i] = i;
            y[k][i] = (k + 1) * (2 + sin(i * 0.07) + 0.4 * sin(i * 0.9 + k));
            sum[k][i] = (i ? sum[k][i - 1] : 0) + y[k][i];
        }
        line[0][k] = (vo_plot_line){names[k], 200, x, y[k]};
        line[1][k] = (vo_plot_line){names[k], 200, x, sum[k]};
    }
    plot[0] = (vo_plot){.title = "Seconds per frame",
                        .x_label = "frame",
                        .from_zero = true,
                        .guide_count = 1,
                        .guide = {8.3},
                        .line_count = 3,
                        .line = line[0]};
    plot[1] = (vo_plot){.title = "Seconds in all",
                        .x_label = "frame",
                        .from_zero = true,
                        .line_count = 3,
                        .line = line[1]};
    return (vo_figure){2, plot};
}

static void svg_is_well_formed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_figure figure = make_figure();
    vo_string_builder text = {.ctx = ctx};
    vo_figure_write_svg(&figure, &text);
    assert_false(text.failed);
    assert_true(check_xml(text.data) > 60);
    assert_memory_equal(text.data, "<svg ", 5);
    assert_non_null(strstr(text.data, "adaptive &#60;full&#62;"));
    assert_non_null(strstr(text.data, "none &#38; &#34;uniform&#34;"));
    assert_null(strstr(text.data, "nan"));
    vo_string_builder_free(&text);
    vo_context_destroy(ctx);
}

/* ---- pixels --------------------------------------------------------------------------------- */

static int count_colour(const vo_image *image, unsigned colour) {
    int count = 0;
    for (int i = 0; i < image->width * image->height; i++) {
        const uint8_t *p = image->rgb + 3 * i;
        count += ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) == colour;
    }
    return count;
}

static void free_image(vo_context *ctx, vo_image *image) {
    vo_free(ctx, image->rgb, 3 * (size_t)image->width * (size_t)image->height);
}

static void lines_have_their_colours(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_figure figure = make_figure();
    vo_image image;
    char path[600];
    assert_ok(ctx, vo_figure_render(ctx, &figure, 2, &image));
    assert_int_equal(image.width, (int)(2 * vo_figure_size(&figure).x));
    /* Each line crosses both panels, 392 units wide and 3.6 pixels thick, about two of them fully
     * covered. */
    for (int i = 0; i < 3; i++)
        assert_true(count_colour(&image, vo_ink_colour(VO_INK_LINE, i)) > 2 * 2 * 392 * 2);
    double pixels = (double)image.width * image.height;
    assert_true(count_colour(&image, 0xffffff) > 0.85 * pixels);
    assert_true(count_colour(&image, vo_ink_colour(VO_INK_TEXT, 0)) > 300);
    snprintf(path, sizeof path, "%s/plot.png",
             getenv("VOILE_KEEP_PLOTS") ? getenv("VOILE_KEEP_PLOTS") : test_folder());
    if (vo_png_available()) assert_ok(ctx, vo_png_save(ctx, &image, path));
    free_image(ctx, &image);
    vo_context_destroy(ctx);
}

/* The coverage of a horizontal stroke equals its area. */
static void stroke_coverage_equals_area(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double x[] = {0, 1}, y[] = {1, 1};
    vo_plot_line line = {"", 2, x, y};
    vo_plot plot = {.title = "", .x_label = "", .from_zero = true, .line_count = 1, .line = &line};
    vo_figure figure = {1, &plot};
    vo_image with, without;
    assert_ok(ctx, vo_figure_render(ctx, &figure, 3, &with));
    line.count = 0; /* other axes; the coloured line is gone: grey inks have equal channels */
    assert_ok(ctx, vo_figure_render(ctx, &figure, 3, &without));
    double ink = 0, legend = 0; /* red missing relative to blue */
    for (int i = 0; i < with.width * with.height; i++) ink += with.rgb[3 * i + 2] - with.rgb[3 * i];
    for (int i = 0; i < without.width * without.height; i++)
        legend += without.rgb[3 * i + 2] - without.rgb[3 * i];
    /* 392 x 1.8 units with round ends, at three pixels per unit; blue - red of the colour is 178.
     */
    double area = 9 * (392 * 1.8 + VO_PI * 0.9 * 0.9);
    assert_near((ink - legend) / 178 / area, 1, 0.03);
    free_image(ctx, &with);
    free_image(ctx, &without);
    vo_context_destroy(ctx);
}

/* ---- letters -------------------------------------------------------------------------------- */

static void font_has_all_glyphs(void **state) {
    (void)state;
    static record r;
    vo_pen pen = {&r, record_begin, record_to, record_end, record_write};
    char word[2] = "";
    for (int c = 0x21; c < 0x7f; c++) {
        word[0] = (char)c;
        memset(&r, 0, sizeof r);
        vo_font_write(word, v2(100, 100), 100, &pen);
        assert_true(r.point_count >= 2);
        double width = vo_font_width(word, 100);
        for (int i = 0; i < r.point_count; i++) {
            vo_vec2 p = r.point[i].at;
            if (!(p.x > 99 && p.x <= 101 + width && p.y >= 27 && p.y <= 128))
                fail_msg("%c leaves its box at %g, %g", c, p.x, p.y);
        }
        bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        static record box; /* missing glyphs are boxes; letters and digits exist */
        memset(&box, 0, sizeof box);
        vo_pen other = {&box, record_begin, record_to, record_end, record_write};
        vo_font_write("\x01", v2(100, 100), 100, &other);
        bool same =
            box.point_count == r.point_count && memcmp(box.point, r.point, sizeof box.point) == 0;
        assert_false(letter && same);
    }
    assert_near(vo_font_width("", 12), 0, 0);
    assert_true(vo_font_width("ab", 12) > vo_font_width("a", 12) + 4);
}

static vo_result draw_once(vo_context *ctx, void *arg) {
    vo_image image = {0};
    vo_result result = vo_figure_render(ctx, arg, 0.5, &image);
    if (result == VO_OK) free_image(ctx, &image);
    return result;
}

static vo_result write_once(vo_context *ctx, void *arg) {
    vo_string_builder text = {.ctx = ctx};
    vo_figure_write_svg(arg, &text);
    vo_result result = text.failed ? vo_fail_memory(ctx, "a plot") : VO_OK;
    vo_string_builder_free(&text);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_figure figure = make_figure();
    test_every_allocation(draw_once, &figure);
    test_every_allocation(write_once, &figure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axis_labels_match_positions),
        cmocka_unit_test(legend_lists_all_lines),
        cmocka_unit_test(missing_value_interrupts_line),
        cmocka_unit_test(extreme_values_stay_inside),
        cmocka_unit_test(svg_is_well_formed),
        cmocka_unit_test(lines_have_their_colours),
        cmocka_unit_test(stroke_coverage_equals_area),
        cmocka_unit_test(font_has_all_glyphs),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
