/* Hot loops of upsampling, compiled per instruction set; the variants are bit-identical.
 *
 * Points are 16-byte elements, so that eight of them are loaded and transposed at once. Arrays of
 * points in the order of the rows have room for a multiple of VO_RT_STRIP. Sums are formed in the
 * order of the columns. Products are accurate to columns * 2^-24 of the sum of the magnitudes. */
#ifndef VO_RT_DETAIL_OPERATOR_KERNELS_H
#define VO_RT_DETAIL_OPERATOR_KERNELS_H

#include "rt/asset/asset.h"

/* Sphere, capsule or tapered capsule in world space, or a plane: spheres of radius + slope * s
 * around origin + s axis, for s from 0 to length. */
typedef struct vo_rt_push_shape {
    vo_rt_vec3 origin, axis; /* m; axis: unit. Plane: a point and the normal */
    float length;            /* m; below 0: a plane */
    float radius, slope;     /* m; radius includes `level`, the distance kept from the surface */
    float tangent;           /* of the half angle of the cone */
    float level;             /* m */
    vo_rt_vec3 min, max;     /* m, bounds */
} vo_rt_push_shape;

/* Result for eight points: bits of those that were moved and of those inside a surface. */
typedef struct vo_rt_push_bits {
    unsigned moved, inside;
} vo_rt_push_bits;

typedef struct vo_rt_operator_kernels {
    /* out = B input for all rows of the base operator. */
    void (*apply_base)(const vo_rt_asset_detail *detail, const vo_rt_vec4 *input, vo_rt_vec4 *out);
    /* out += A input; A has `rows` x `columns` floats or half floats in strips. */
    void (*add_dense)(const float *strips, int rows, int columns, const vo_rt_vec4 *input,
                      vo_rt_vec4 *out);
    void (*add_half)(const uint16_t *strips, int rows, int columns, const vo_rt_vec4 *input,
                     vo_rt_vec4 *out);
    /* out += A input; A has sparse rows. */
    void (*add_sparse)(int rows, const int32_t *first, const uint16_t *column, const float *weight,
                       const vo_rt_vec4 *input, vo_rt_vec4 *out);
    /* out += normal * sum over modes of sine[k] shape[2 k] + cosine[k] shape[2 k + 1]; each shape
     * has as many elements as the strips of `rows`. */
    void (*add_modes)(int rows, int modes, const float *shape, const float *sine,
                      const float *cosine, const vo_rt_vec4 *normal, vo_rt_vec4 *out);
    /* Area-weighted unit normals of the nodes; zero without a triangle of positive area. */
    void (*compute_normals)(const vo_rt_asset_detail *detail, const vo_rt_vec4 *position,
                            vo_rt_vec4 *normal);
    /* Moves eight points out of the shapes, in up to `rounds` rounds over all shapes; those whose w
     * is 1 stay. */
    vo_rt_push_bits (*push)(const vo_rt_push_shape *const *shape, int count, int rounds,
                            vo_rt_vec4 point[8]);
} vo_rt_operator_kernels;

extern const vo_rt_operator_kernels vo_rt_operator_kernels_base, vo_rt_operator_kernels_avx2;

static inline const vo_rt_operator_kernels *vo_rt_operator_select_kernels(bool use_avx2) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (use_avx2) return &vo_rt_operator_kernels_avx2;
#endif
    (void)use_avx2;
    return &vo_rt_operator_kernels_base;
}

/* Functions of the kernel files of one variant, for its table. */
#ifdef VO_KERNEL_SUFFIX
void VO_KERNEL(vo_rt_apply_base)(const vo_rt_asset_detail *detail, const vo_rt_vec4 *input,
                                 vo_rt_vec4 *out);
void VO_KERNEL(vo_rt_add_sparse)(int rows, const int32_t *first, const uint16_t *column,
                                 const float *weight, const vo_rt_vec4 *input, vo_rt_vec4 *out);
void VO_KERNEL(vo_rt_add_modes)(int rows, int modes, const float *shape, const float *sine,
                                const float *cosine, const vo_rt_vec4 *normal, vo_rt_vec4 *out);
void VO_KERNEL(vo_rt_node_normals)(const vo_rt_asset_detail *detail, const vo_rt_vec4 *position,
                                   vo_rt_vec4 *normal);
vo_rt_push_bits VO_KERNEL(vo_rt_push_points)(const vo_rt_push_shape *const *shape, int count,
                                             int rounds, vo_rt_vec4 point[8]);
#endif

#endif
