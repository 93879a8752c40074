/* Detail meshes of the real-time library from a .vru file: its fine mesh and all its operators. */
#ifndef VO_UPSAMPLE_ASSET_H
#define VO_UPSAMPLE_ASSET_H

#include "upsample/file/vru.h"
#include "upsample/harmonics/charts.h"

#include <voile/rt.h>

/* Definition of a detail mesh, and the arrays that it refers to besides those of the file. */
typedef struct vo_upsample_detail {
    const vo_vru *vru; /* not owned; must stay valid */
    vo_rt_detail_def def;
    double error_rms; /* m, of compressed operators against dense ones, on the training data */
    /* Vertex i < N is node i; further ones are copies of nodes at seams. */
    vo_upsample_charts charts;
    const vo_upsample_operator *base; /* whose base operator the detail has */
    vo_rt_operator_def operators[VO_RT_MAX_OPERATORS];
    float *residual[VO_RT_MAX_OPERATORS]; /* owned; NULL: that of the operator is used */
    float *factors[VO_RT_MAX_OPERATORS];  /* owned: left, then right factor; NULL: dense */
} vo_upsample_detail;

/* `rank`: residuals are replaced by products of this rank, stored as half floats; 0: dense;
 * VO_UPSAMPLE_RANK_AUTO: chosen.
 * VO_BAD_ARGUMENT if the file has no operator. */
vo_result vo_upsample_detail_create(const vo_vru *vru, int rank, vo_upsample_detail *out);
void vo_upsample_detail_free(vo_upsample_detail *detail);

/* Writes a .vrt file: the stored coarse garment with the detail. */
vo_result vo_upsample_detail_save(const vo_upsample_detail *detail, const char *path);

#endif
