/* Evaluates one frustum sample for a cluster of faces, four faces at a time.
 *
 * Factors equal vo_factor_eval_face up to rounding; the bounds are those of screen.h. Only
 * distances that need more than the corners of a face are computed one by one. */
#ifndef VO_VIEW_VIEW_KERNEL_H
#define VO_VIEW_VIEW_KERNEL_H

#include "view/screen.h"

enum { VO_VIEW_CLUSTER = 32 }; /* faces, a multiple of four */

/* A cluster in structure-of-arrays layout: inputs and accumulated results per face. Rows are padded
 * to a multiple of four with faces at the origin. */
typedef struct vo_view_lanes {
    int count;
    double x[3][3][VO_VIEW_CLUSTER];   /* m, [corner][coordinate] */
    double normal[3][VO_VIEW_CLUSTER]; /* unit; zero: two-sided */
    double edges[4][VO_VIEW_CLUSTER];  /* 1/m, inverse of the material edges, by rows */
    double
        max_front[VO_VIEW_CLUSTER]; /* upper limit of the factor of front faces: 1, or `occluded` */

    double factor[VO_VIEW_CLUSTER];    /* nu */
    double bound[3][VO_VIEW_CLUSTER];  /* 1/m^2: xx, xy, yy; zero until a sample sets a bound */
    double unbounded[VO_VIEW_CLUSTER]; /* nonzero: a sample sets no bound */
    double visible[VO_VIEW_CLUSTER];   /* nonzero: front-facing and near the frustum */
} vo_view_lanes;

typedef struct vo_view_params {
    vo_factor_def factor;
    vo_screen_def screen;
    double max_bound; /* 1/m^2, upper limit of the eigenvalues of bounds; may be infinite */
} vo_view_params;

/* Accumulates one sample. `inside`: the whole cluster is inside the frustum. */
typedef void vo_view_eval_fn(const vo_view_params *params, const vo_frustum_sample *m, bool inside,
                             vo_view_lanes *lanes);
extern vo_view_eval_fn vo_view_eval_base, vo_view_eval_avx2;

#endif
