/* Hot loops of surfaces, compiled per instruction set; the variants are bit-identical. */
#ifndef VO_RT_BODY_SURFACE_KERNEL_H
#define VO_RT_BODY_SURFACE_KERNEL_H

#include "rt/body/surface.h"

/* Skin of a surface, in the order of its vertices. */
typedef struct vo_rt_skin_vertex {
    float weight[VO_RT_BONES_PER_VERTEX];
    uint16_t bone[VO_RT_BONES_PER_VERTEX]; /* in descending order of the weights */
    uint32_t count;                        /* bones with a weight */
} vo_rt_skin_vertex;

/* A bone matrix by columns, as needed for 8-wide blending: columns 0 and 1, then 2 and 3. */
typedef struct vo_rt_bone_columns {
    _Alignas(32) float column[4][4];
} vo_rt_bone_columns;

typedef struct vo_rt_surface_kernels {
    /* Skins the bind pose linearly. */
    void (*skin)(int count, const vo_rt_vec4 *bind, const vo_rt_skin_vertex *skin,
                 const vo_rt_bone_columns *bones, vo_rt_vec4 *out);
    /* Fits the boxes of a pose to its vertices. */
    void (*refit)(const vo_rt_surface *surface, vo_rt_surface_pose pose);
    /* out = a + s (b - a) for `count` floats, a multiple of 8. */
    void (*interpolate)(size_t count, const float *a, const float *b, float s, float *out);
    /* Triangle nearest to x with distance^2 <= *bound2, or -1; *bound2 becomes its distance^2. Ties
     * are broken by slot, so the result does not depend on the hint. */
    int32_t (*find_nearest)(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                            int32_t hint, float *bound2);
    /* Lower bound on the distance of x from the leaves that are not local to leaf `home` (-1: from
     * all leaves), at most `limit`. */
    float (*find_clearance)(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                            int32_t home, float limit);
} vo_rt_surface_kernels;

extern const vo_rt_surface_kernels vo_rt_surface_kernels_base, vo_rt_surface_kernels_avx2;

/* Kernels for this processor. */
const vo_rt_surface_kernels *vo_rt_surface_kernels_select(void);

#endif
