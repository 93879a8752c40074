/* The walk down a tree to the nearest face, for four points at once: points that follow each other
 * lie side by side as a rule, and go the same way. */
#ifndef VO_COLLIDE_NEAREST_KERNEL_H
#define VO_COLLIDE_NEAREST_KERNEL_H

#include "collide/nearest.h"

/* Four points in the own frame of a part, and what was found for each. */
typedef struct vo_nearest_four {
    double x[3][4];
    double distance2[4]; /* only what is nearer counts; negative: nothing does */
    double near[3][4];   /* the nearest point */
    int face[4];         /* that it lies on; -1: none */
} vo_nearest_four;

typedef struct vo_nearest_kernels {
    /* Takes what the part has nearer to the points. */
    void (*ask_part)(const vo_nearest_part *part, vo_nearest_four *four);
    /* The same for one face. */
    void (*ask_face)(const vo_nearest_part *part, int face, vo_nearest_four *four);
} vo_nearest_kernels;

extern const vo_nearest_kernels vo_nearest_kernels_base, vo_nearest_kernels_avx2;

/* The copy that this processor can run. */
static inline const vo_nearest_kernels *vo_nearest_kernels_for(const vo_context *ctx) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) return &vo_nearest_kernels_avx2;
#endif
    (void)ctx;
    return &vo_nearest_kernels_base;
}

#endif
