/* Fitting of upsampling operators to training pairs (Kavan et al. 2011, section 3).
 *
 * The residual D of U = B + D minimises
 *
 *     |D P_c - (P_f - B P_c)|^2 + sum_n gamma_n^2 |row n of Q^T D|^2   subject to D 1 = 0
 *
 * with squared Frobenius norms, and the error weighted by vertex areas if requested. In the basis
 * Q of mesh harmonics the rows are independent. With G = P_c P_c^T, H = (P_f - B P_c) P_c^T and
 * centred inputs, the n-th row of Q^T D is the n-th row of Q^T H (G + (gamma_n l)^2 A I)^-1, with l
 * = VO_FIT_UNIT_LENGTH, A the area of the garment: penalties apply to lengths relative to its root.
 * Centring the inputs satisfies the constraint exactly: the solution of a ridge regression lies in
 * the span of its inputs.
 *
 * The constraint is on D, not on its coefficients: with few harmonics Q Q^T 1 is not 1, so rows
 * that sum to 1 cannot be represented in the truncated basis, while D 1 = 0 holds for any basis. */
#ifndef VO_UPSAMPLE_FIT_FIT_H
#define VO_UPSAMPLE_FIT_FIT_H

#include "upsample/fit/products.h"
#include "upsample/harmonics/harmonics.h"
#include "upsample/operator.h"

/* Harmonics that a fit of these sizes uses if def->harmonic_count is 0: twice the coarse vertices,
 * at least 300, at most all. */
int vo_upsample_harmonic_count(const vo_upsample_fit_def *def, int fine_count, int coarse_count);

/* VO_BAD_ARGUMENT, naming the parameter, if one is out of range. */
vo_result vo_upsample_fit_def_validate(vo_context *ctx, const vo_upsample_fit_def *def);

/* Fits an operator. `harmonics` are those of the fine mesh, at least as many as the fit uses; NULL
 * is allowed if the regularisation is uniform (Tikhonov, none), which needs none. The history of
 * `products` must be that of `def`. */
vo_result vo_upsample_fit(const vo_upsample_products *products, const vo_harmonics *harmonics,
                          const vo_upsample_fit_def *def, vo_upsample_operator **out);

/* The same with products and harmonics made for this call. */
vo_result vo_upsample_fit_pairs(const vo_upsample_pairs *pairs, const vo_harmonics_def *harmonics,
                                const vo_upsample_fit_def *def, vo_upsample_operator **out);

#endif
