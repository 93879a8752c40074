#include "picture/palette.h"

static const double BACK_ALBEDO = 0.62; /* relative to the front */

static double linear(unsigned byte) {
    double x = (byte & 255) / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); /* IEC 61966-2-1 */
}

vo_vec3 vo_srgb_to_linear(unsigned rgb) {
    return v3(linear(rgb >> 16), linear(rgb >> 8), linear(rgb));
}

vo_render_material vo_render_material_cloth(unsigned rgb) {
    vo_vec3 front = vo_srgb_to_linear(rgb);
    return (vo_render_material){.front = front,
                                .back = v3_scale(BACK_ALBEDO, front),
                                .weave = 0.1,
                                .sheen = 0.22,
                                .transmission = 0.12,
                                .wireframe = true};
}

vo_render_material vo_render_material_obstacle(void) {
    vo_vec3 grey = vo_srgb_to_linear(0xb9b6b1);
    return (vo_render_material){.front = grey, .back = grey, .gloss = 0.06};
}

unsigned vo_palette_colour(int i) {
    static const unsigned colours[] = {0xb23a48, 0x2f5d8c, 0xd9a441, 0x3f7d5e,
                                       0x7a4f8f, 0xd8cbb3, 0x2e4057, 0xc8693b};
    return colours[i % (int)(sizeof colours / sizeof colours[0])];
}
