/* Stroke font.
 *
 * A glyph is one or more words; each word is a stroke with two characters per point: x as a digit,
 * y as a letter from a (3 units below the baseline) through d (baseline) and j (x-height) to l
 * (capital height, 8 units). A stroke that begins with ~ is smooth: its points are a polygon that
 * is refined three times by corner cutting (Chaikin 1974) with fixed ends.
 *
 *      l   ~0j0l4l4i0d 0d4d  is        4l ...        2
 *      |                            0j      4i
 *      d   ____________________________________0d____4d_______ */
#include "picture/plot.h"

#include <string.h>

enum { ROUND_POINTS = 64 };

static const double UNIT = 0.09;          /* relative to the font size: capitals are 0.72 high */
static const double SPACE = 3, GAP = 2.1; /* units; GAP follows each glyph */

static const char *const glyphs[128] = {
    ['0'] = "~0h0l4l4d0d0h",
    ['1'] = "0j2l2d",
    ['2'] = "~0j0l4l4h0d 0d4d",
    ['3'] = "~0k0l4l4h2h ~2h4h4d0d0e",
    ['4'] = "3d3l0f4f",
    ['5'] = "4l1l0h ~0h1i4i4d0d0e",
    ['6'] = "~3l0l0g ~0g0d4d4i0i0g",
    ['7'] = "0l4l1d",
    ['8'] = "~2h0h0l4l4h2h ~2h0h0d4d4h2h",
    ['9'] = "~4i4l0l0g4g4i ~4i4d1d",
    ['A'] = "0d2l4d 1g3g",
    ['B'] = "0d0l ~0l4l4h0h ~0h4h4d0d",
    ['C'] = "~4j4l0l0d4d4f",
    ['D'] = "0d0l ~0l2l4l4d2d0d",
    ['E'] = "4l0l0d4d 0h3h",
    ['F'] = "4l0l0d 0h3h",
    ['G'] = "~4j4l0l0d4d4g 4g2g",
    ['H'] = "0d0l 4d4l 0h4h",
    ['I'] = "0d0l",
    ['J'] = "3l3f ~3f3d0d0f",
    ['K'] = "0d0l 4l0g 1h4d",
    ['L'] = "0l0d4d",
    ['M'] = "0d0l3f6l6d",
    ['N'] = "0d0l4d4l",
    ['O'] = "~0h0l5l5d0d0h",
    ['P'] = "0d0l ~0l4l4g0g",
    ['Q'] = "~0h0l5l5d0d0h 3f5d",
    ['R'] = "0d0l ~0l4l4g0g 2g4d",
    ['S'] = "~4k4l0l0h4h4d0d0e",
    ['T'] = "0l4l 2l2d",
    ['U'] = "0l0f ~0f0d4d4f 4f4l",
    ['V'] = "0l2d4l",
    ['W'] = "0l2d3j4d6l",
    ['X'] = "0l4d 0d4l",
    ['Y'] = "0l2h4l 2h2d",
    ['Z'] = "0l4l0d4d",
    ['a'] = "4j4d ~4g4j0j0d4d4g",
    ['b'] = "0l0d ~0g0j4j4d0d0g",
    ['c'] = "~4i4j0j0d4d4e",
    ['d'] = "4l4d ~4g4j0j0d4d4g",
    ['e'] = "0g4g ~4g4j0j0d4d4e",
    ['f'] = "~3l1l1j 1j1d 0j3j",
    ['g'] = "4j4d ~4d4b0b0c ~4g4j0j0d4d4g",
    ['h'] = "0l0d ~0g0j4j4g 4g4d",
    ['i'] = "0j0d 0l0l",
    ['j'] = "1j1c ~1c1b0b 1l1l",
    ['k'] = "0l0d 3j0f 1g3d",
    ['l'] = "0l0d",
    ['m'] = "0j0d ~0g0j3j3g 3g3d ~3g3j6j6g 6g6d",
    ['n'] = "0j0d ~0g0j4j4g 4g4d",
    ['o'] = "~0g0j4j4d0d0g",
    ['p'] = "0j0b ~0g0j4j4d0d0g",
    ['q'] = "4j4b ~4g4j0j0d4d4g",
    ['r'] = "0j0d ~0g0j3j",
    ['s'] = "~3i3j0j0g3g3d0d0e",
    ['t'] = "1l1f ~1f1d3d 0j3j",
    ['u'] = "0j0g ~0g0d4d4g 4j4d",
    ['v'] = "0j2d4j",
    ['w'] = "0j1d3i5d6j",
    ['x'] = "0j4d 0d4j",
    ['y'] = "0j2d 4j1b",
    ['z'] = "0j4j0d4d",
    ['.'] = "0d0d",
    [','] = "1d0b",
    [':'] = "0d0d 0i0i",
    [';'] = "1d0b 1i1i",
    ['-'] = "0g3g",
    ['_'] = "0c4c",
    ['+'] = "0g4g 2e2i",
    ['='] = "0f4f 0h4h",
    ['/'] = "0c3l",
    ['\\'] = "0l3c",
    ['|'] = "0c0l",
    ['('] = "~2l0l0c2c",
    [')'] = "~0l2l2c0c",
    ['['] = "2l0l0c2c",
    [']'] = "0l2l2c0c",
    ['<'] = "4j0g4d",
    ['>'] = "0j4g0d",
    ['%'] = "0d5l ~0k0l2l2j0j0k ~3e3f5f5d3d3e",
    ['*'] = "0h4l 0l4h 2g2l",
    ['&'] = "~5d1j1l3l3j0f0d3d5g",
    ['#'] = "1d1l 3d3l 0f4f 0j4j",
    ['!'] = "0l0g 0d0d",
    ['?'] = "~0k0l4l4h2h2f 2d2d",
    ['\''] = "0l0j",
    ['"'] = "0l0j 2l2j",
    ['^'] = "0i2l4i",
};

static const char *glyph_of(char sign) {
    unsigned char c = (unsigned char)sign;
    const char *glyph = c < 128 ? glyphs[c] : NULL;
    return glyph ? glyph : "0d0l4l4d0d";
}

static bool is_point(const char *p) { return *p && *p != ' '; }

/* Width of a glyph in units. */
static double glyph_width(const char *glyph) {
    double width = 0;
    for (const char *p = glyph; *p; p++)
        if (*p >= '0' && *p <= '9') width = vo_max(width, *p - '0');
    return width;
}

static double advance(char sign) {
    return (sign == ' ' ? SPACE : glyph_width(glyph_of(sign)) + GAP) * UNIT;
}

double vo_font_width(const char *words, double size) {
    double width = 0;
    for (const char *p = words; *p; p++) width += advance(*p);
    if (words[0]) width -= GAP * UNIT;
    return width * size;
}

/* Reads the points of a stroke; returns the position after it. */
static const char *read_stroke(const char *p, int *count, vo_vec2 *point) {
    for (*count = 0; is_point(p); p += 2) point[(*count)++] = v2(p[0] - '0', p[1] - 'd');
    return p + (*p == ' ');
}

/* One step of Chaikin's corner cutting, with fixed ends. */
static int cut_corners(int count, vo_vec2 *point) {
    vo_vec2 cut[ROUND_POINTS];
    int n = 0;
    cut[n++] = point[0];
    for (int i = 0; i + 1 < count; i++) {
        vo_vec2 side = v2_sub(point[i + 1], point[i]);
        if (i > 0) cut[n++] = v2_add(point[i], v2_scale(0.25, side));
        if (i + 2 < count) cut[n++] = v2_add(point[i], v2_scale(0.75, side));
    }
    cut[n++] = point[count - 1];
    memcpy(point, cut, (size_t)n * sizeof *point);
    return n;
}

static void write_glyph(const char *glyph, vo_vec2 at, double unit, const vo_pen *pen) {
    vo_vec2 point[ROUND_POINTS];
    while (*glyph) {
        bool is_round = *glyph == '~';
        int count;
        glyph = read_stroke(glyph + is_round, &count, point);
        for (int i = 0; is_round && i < 3; i++) count = cut_corners(count, point);
        for (int i = 0; i < count; i++) {
            vo_vec2 p = v2(at.x + unit * point[i].x, at.y - unit * point[i].y);
            pen->to(pen->user, p, i == 0);
        }
    }
}

void vo_font_write(const char *words, vo_vec2 at, double size, const vo_pen *pen) {
    for (const char *p = words; *p; p++) {
        if (*p != ' ') write_glyph(glyph_of(*p), at, UNIT * size, pen);
        at.x += advance(*p) * size;
    }
}
