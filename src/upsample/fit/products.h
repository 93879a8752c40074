/* Products of the training data that all fits share: P_c P_c^T and P_f P_c^T per fold of frames.
 *
 * They take most of the time of a fit and do not depend on its parameters, so that fits with other
 * parameters, and cross-validation, are nearly free. Positions of a frame are relative to the
 * centroid of its current coarse vertices, and each state of the input is centred: a residual D
 * fitted to centred inputs by least squares satisfies D 1 = 0 in every block. */
#ifndef VO_UPSAMPLE_FIT_PRODUCTS_H
#define VO_UPSAMPLE_FIT_PRODUCTS_H

#include "upsample/base/base_operator.h"
#include "upsample/pairs.h"

typedef struct vo_upsample_products {
    vo_context *ctx;
    const vo_upsample_pairs *pairs; /* not owned; must stay valid */
    int fine_count, coarse_count, history, history_step;
    int input_count; /* I = coarse_count (1 + history) */
    int fold_count;
    int *fold_first; /* [fold_count + 1] first frame of each fold */
    double *gram;    /* [fold_count][I][I] m^2, sum over frames and coordinates */
    double *cross;   /* [fold_count][N][I] m^2 */
    double *energy;  /* [fold_count][N] m^2, sum of the squared distances of fine vertices */
    double *input;   /* [frames][3][coarse_count] m, centred coarse positions */
    double *centre;  /* [frames][3] m, centroid of the coarse vertices */
} vo_upsample_products;

/* Folds are contiguous ranges of frames: the sequences of the pairs if there are at least two of
 * them and more than one fold is wanted, otherwise `folds` equal parts. VO_BAD_DATA if there are
 * fewer frames than folds or a position is not finite. With 0 folds the products are not computed:
 * for vo_upsample_predict alone. */
vo_result vo_upsample_products_create(const vo_upsample_pairs *pairs, int history, int history_step,
                                      int folds, vo_upsample_products **out);
void vo_upsample_products_destroy(vo_upsample_products *products); /* NULL is allowed */

/* Frame whose coarse state is block `block` of the input of `frame`: earlier by block times
 * history_step, but not before the first frame of the sequence. */
int vo_upsample_input_frame(const vo_upsample_products *products, int frame, int block);

/* cross[N][I] -= base gram[I][I]: products of the residual P_f - B P_c with the input. */
void vo_upsample_subtract_base(const vo_upsample_products *products, const vo_sparse_rows *base,
                               const double *gram, double *cross);

/* Predictions of D alone for a range of frames: out[N][3 count], columns by frame and coordinate.
 */
vo_result vo_upsample_predict(const vo_upsample_products *products, const float *residual,
                              int first_frame, int count, double *out);

#endif
