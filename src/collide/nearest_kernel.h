/* BVH traversal to the nearest face, for four points at once: consecutive points are usually
 * adjacent and take the same path. */
#ifndef VO_COLLIDE_NEAREST_KERNEL_H
#define VO_COLLIDE_NEAREST_KERNEL_H

#include "collide/nearest.h"

/* Four points in the frame of a part, with the result of each. */
typedef struct vo_nearest_lanes {
    double x[3][4];
    double distance2[4];  /* m^2, search radius; negative: nothing is found */
    double nearest[3][4]; /* nearest point */
    int face[4];          /* face of the nearest point; -1: none */
} vo_nearest_lanes;

typedef struct vo_nearest_kernels {
    /* Updates the nearest points with those of a part. */
    void (*query_part)(const vo_nearest_part *part, vo_nearest_lanes *lanes);
    /* Updates them with one face. */
    void (*query_face)(const vo_nearest_part *part, int face, vo_nearest_lanes *lanes);
} vo_nearest_kernels;

extern const vo_nearest_kernels vo_nearest_kernels_base, vo_nearest_kernels_avx2;

/* Returns the kernels for this processor. */
static inline const vo_nearest_kernels *vo_nearest_kernels_for(const vo_context *ctx) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) return &vo_nearest_kernels_avx2;
#endif
    (void)ctx;
    return &vo_nearest_kernels_base;
}

#endif
