/* The metric of compression: the matrix G of |x|^2 = x G x^T for a change x of a row of D. */
#ifndef VO_UPSAMPLE_COMPRESS_COMPRESS_METRIC_H
#define VO_UPSAMPLE_COMPRESS_COMPRESS_METRIC_H

#include "upsample/compress/compress.h"

/* gram[inputs][inputs]: sum of the products over all folds, plus a fraction of the mean diagonal on
 * the diagonal; the identity without products. */
void vo_compression_metric(const vo_upsample_operator *op, const vo_upsample_products *products,
                           double *gram);

/* Errors of value[fine_count][inputs] in place of the residual of `op`. */
vo_result vo_compression_measure(const vo_upsample_operator *op,
                                 const vo_upsample_products *products, const float *value,
                                 vo_compression_error *error);

/* Inputs of an operator: coarse_count (1 + history). */
static inline int vo_operator_inputs(const vo_upsample_operator *op) {
    return op->coarse_count * (1 + op->history);
}

#endif
