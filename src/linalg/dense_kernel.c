#include "linalg/dense_kernel.h"

void VO_KERNEL(vo_dense_tile)(const double *a, const double *b, int depth, double *c,
                              size_t stride) {
    vo_d4 sum[VO_DENSE_STRIP][2];
    for (int r = 0; r < VO_DENSE_STRIP; r++)
        for (int h = 0; h < 2; h++) sum[r][h] = d4_load(c + (size_t)r * stride + 4 * h);
    for (int k = 0; k < depth; k++, a += VO_DENSE_STRIP, b += VO_DENSE_PANEL) {
        vo_d4 left = d4_load(b), right = d4_load(b + 4);
        for (int r = 0; r < VO_DENSE_STRIP; r++) {
            vo_d4 factor = d4_set(a[r]);
            sum[r][0] += factor * left;
            sum[r][1] += factor * right;
        }
    }
    for (int r = 0; r < VO_DENSE_STRIP; r++)
        for (int h = 0; h < 2; h++) d4_store(c + (size_t)r * stride + 4 * h, sum[r][h]);
}
