/* Conversion of sRGB to Y'CbCr 4:2:0. The sRGB transfer curve is kept: players treat BT.709's as
 * equal.
 *
 * ITU-R BT.709-6, section 3: Y' = 0.2126 R' + 0.7152 G' + 0.0722 B', Cb = (B' - Y') / 1.8556,
 * Cr = (R' - Y') / 1.5748; in 8 bits Y' ranges from 16 to 235 and Cb, Cr from 16 to 240 around 128.
 * Computed in 16-bit fixed point, which is the same on every machine. */
#include "codec/movie.h"

enum { HALF = 1 << 15 };

static uint8_t luma(const uint8_t *p) {
    /* 219 / 255 of the weights above, times 65536 */
    int y = 11966 * p[0] + 40254 * p[1] + 4064 * p[2];
    return (uint8_t)(16 + ((y + HALF) >> 16));
}

/* From the sum of four pixels; 224 / 255 of the weights, times 65536 / 4. */
static uint8_t blue_difference(const int sum[3]) {
    int cb = -1649 * sum[0] - 5547 * sum[1] + 7196 * sum[2];
    return (uint8_t)(128 + ((cb + HALF) >> 16));
}

static uint8_t red_difference(const int sum[3]) {
    int cr = 7196 * sum[0] - 6536 * sum[1] - 660 * sum[2];
    return (uint8_t)(128 + ((cr + HALF) >> 16));
}

static void add_pixel(int sum[3], const uint8_t *p) {
    for (int i = 0; i < 3; i++) sum[i] += p[i];
}

static void convert_chroma(const vo_image *image, int row, const vo_planes *out) {
    size_t line = 3 * (size_t)image->width;
    const uint8_t *above = image->rgb + 2 * (size_t)row * line, *below = above + line;
    for (int i = 0; i < image->width / 2; i++, above += 6, below += 6) {
        int sum[3] = {0};
        add_pixel(sum, above);
        add_pixel(sum, above + 3);
        add_pixel(sum, below);
        add_pixel(sum, below + 3);
        out->data[1][(ptrdiff_t)row * out->stride[1] + i] = blue_difference(sum);
        out->data[2][(ptrdiff_t)row * out->stride[2] + i] = red_difference(sum);
    }
}

void vo_image_to_yuv420(const vo_image *image, const vo_planes *out) {
    const uint8_t *p = image->rgb;
    for (int j = 0; j < image->height; j++)
        for (int i = 0; i < image->width; i++, p += 3)
            out->data[0][(ptrdiff_t)j * out->stride[0] + i] = luma(p);
    for (int j = 0; j < image->height / 2; j++) convert_chroma(image, j, out);
}
