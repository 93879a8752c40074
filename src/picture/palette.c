#include "picture/palette.h"

static const double BACK = 0.62; /* of the front's colour */

static double linear(unsigned byte) {
    double x = (byte & 255) / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); /* IEC 61966-2-1 */
}

vo_vec3 vo_colour_linear(unsigned rgb) {
    return v3(linear(rgb >> 16), linear(rgb >> 8), linear(rgb));
}

vo_paint vo_paint_cloth(unsigned rgb) {
    vo_vec3 front = vo_colour_linear(rgb);
    return (vo_paint){.front = front,
                      .back = v3_scale(BACK, front),
                      .weave = 0.1,
                      .sheen = 0.22,
                      .through = 0.12,
                      .wire = true};
}

vo_paint vo_paint_obstacle(void) {
    vo_vec3 grey = vo_colour_linear(0xb9b6b1);
    return (vo_paint){.front = grey, .back = grey, .gloss = 0.06};
}

unsigned vo_palette(int i) {
    static const unsigned colours[] = {0xb23a48, 0x2f5d8c, 0xd9a441, 0x3f7d5e,
                                       0x7a4f8f, 0xd8cbb3, 0x2e4057, 0xc8693b};
    return colours[i % (int)(sizeof colours / sizeof colours[0])];
}
