/* Training pairs: a coarse and a fine simulation of one garment, frame by frame.
 *
 *     mesh     M coarse and N fine vertices of the same rest shape; seams are merged
 *     frame    positions of both at the same time; the fine cloth follows the coarse one through
 *              tracking constraints (tracking.h), so that low frequencies of both agree
 *     sequence frames of one simulation; positions jump between sequences
 *
 * Simulated by upsample/simulate.h, or read from two runs. Positions are float, metres, world
 * space with z up. */
#ifndef VO_UPSAMPLE_PAIRS_H
#define VO_UPSAMPLE_PAIRS_H

#include "core/context.h"

#include <voile/rt.h>

/* One resolution of the garment. */
typedef struct vo_upsample_mesh {
    int vertex_count, triangle_count;
    vo_rt_vec3 *position;   /* [vertex_count] m, rest shape in world space */
    int32_t *triangle;      /* [3 triangle_count] */
    vo_rt_vec2 *coordinate; /* [3 triangle_count] m, material coordinates of corners */
    float *mass;            /* [vertex_count] kg */
    float *attachment;      /* [vertex_count] 0 free, 1 attached */
} vo_upsample_mesh;

/* Measures of a frame, after the projection of the tracking constraints:
 * X(member, description). */
#define VO_UPSAMPLE_FRAME_MEASURES(X)                                                           \
    X(strain, "99th percentile of the absolute strain of fine edges")                           \
    X(max_strain, "largest absolute strain of a fine edge")                                     \
    X(penetration, "m, largest depth of a free fine vertex inside a body")                      \
    X(inside, "free fine vertices inside a body")                                               \
    X(tracking_error, "RMS of the violation of the tracking constraints / size of the garment") \
    X(distance, "m, RMS distance of the fine vertices from the interpolated coarse mesh")

typedef struct vo_upsample_frame_stats {
#define X(name, description) float name;
    VO_UPSAMPLE_FRAME_MEASURES(X)
#undef X
} vo_upsample_frame_stats;

typedef struct vo_upsample_pairs {
    vo_context *ctx; /* whose allocator owns all arrays */
    vo_upsample_mesh coarse, fine;
    int sequence_count;
    int *first_frame; /* [sequence_count + 1] */
    int frame_count;
    float frame_s;                  /* s, duration of a frame */
    float *coarse_frames;           /* [frame_count][coarse.vertex_count][3] m */
    float *fine_frames;             /* [frame_count][fine.vertex_count][3] m */
    float *wind;                    /* [frame_count][3] m/s */
    vo_upsample_frame_stats *stats; /* [frame_count] */
    int test_function_count;        /* T of the tracking constraints, 0: none */
    size_t asset_bytes;             /* 0: none */
    unsigned char *asset;           /* [asset_bytes] .vrt file of the coarse garment */
} vo_upsample_pairs;

/* Sizes of the arrays. */
typedef struct vo_upsample_pairs_size {
    int coarse_vertices, coarse_triangles, fine_vertices, fine_triangles;
    int sequences, frames;
    size_t asset_bytes;
} vo_upsample_pairs_size;

/* Allocates pairs whose arrays are zero; the last element of first_frame is the number of frames.
 * *out is NULL on failure. */
vo_result vo_upsample_pairs_create(vo_context *ctx, const vo_upsample_pairs_size *size,
                                   vo_upsample_pairs **out);
void vo_upsample_pairs_destroy(vo_upsample_pairs *pairs); /* NULL is allowed */

/* Appends the sequences of `more` to `pairs`, which must have the same meshes: equal numbers of
 * vertices and equal triangles; VO_BAD_ARGUMENT otherwise. */
vo_result vo_upsample_pairs_append(vo_upsample_pairs *pairs, const vo_upsample_pairs *more);

/* Diagonal of the bounds of the rest shape, m. */
float vo_upsample_mesh_size(const vo_upsample_mesh *mesh);

#endif
