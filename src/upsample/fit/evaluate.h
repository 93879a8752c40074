/* Evaluation of operators on training pairs or on pairs of unseen motions. */
#ifndef VO_UPSAMPLE_FIT_EVALUATE_H
#define VO_UPSAMPLE_FIT_EVALUATE_H

#include "upsample/fit/products.h"
#include "upsample/operator.h"

/* Positions U p_c of a range of frames, without oscillatory modes: out[N][3 count] m, columns by
 * frame and coordinate. The history of `products` must be that of the operator. */
vo_result vo_upsample_evaluate(const vo_upsample_products *products, const vo_upsample_operator *op,
                               int first_frame, int count, double *out);

/* Errors of an operator on pairs of the same meshes: members rms, max and base_rms; mode_rms is the
 * same as rms. VO_BAD_ARGUMENT if the sizes differ. */
vo_result vo_upsample_measure_error(const vo_upsample_pairs *pairs, const vo_upsample_operator *op,
                                    vo_upsample_error *error);

/* Displacements of the fine vertices from U p_c along the normals of that surface, [N][frames] m.
 */
vo_result vo_upsample_normal_residual(const vo_upsample_products *products,
                                      const vo_upsample_operator *op, double *displacement);

#endif
