/* Choice of parameters by cross-validation.
 *
 * An operator is fitted to all folds of frames but one and measured on that one, for each fold in
 * turn. In the basis of harmonics this costs a small regression per fold and candidate, because the
 * products of each fold are at hand (products.h). Folds are the sequences of the pairs, or equal
 * parts of a single sequence; with a single, periodic motion all folds are alike, and the choice
 * says little about other motions: give several sequences where they exist. */
#ifndef VO_UPSAMPLE_FIT_CROSS_VALIDATION_H
#define VO_UPSAMPLE_FIT_CROSS_VALIDATION_H

#include "upsample/fit/fit.h"

enum { VO_CROSS_VALIDATION_FOLDS = 5 }; /* of a single sequence */

/* Candidates for the exponent c of the profile. */
enum { VO_EXPONENT_COUNT = 11 };
extern const double VO_EXPONENTS[VO_EXPONENT_COUNT];

/* rms[count]: m, root mean square error of frames that the fit has not seen, for each candidate
 * parameter set, which may differ in regularisation, exponent, penalties and cut-off but not in
 * base, weighting, history or harmonics. *best: the lowest, the first of equals. `products` have at
 * least two folds. */
vo_result vo_upsample_cross_validate(const vo_upsample_products *products,
                                     const vo_harmonics *harmonics, int count,
                                     const vo_upsample_fit_def *candidates, double *rms, int *best);

/* Sets def->exponent to the best of VO_EXPONENTS; rms[VO_EXPONENT_COUNT] may be NULL. */
vo_result vo_upsample_choose_exponent(const vo_upsample_products *products,
                                      const vo_harmonics *harmonics, vo_upsample_fit_def *def,
                                      double *rms);

/* Score of pairs that were tracked with a number T of test functions. More test functions make the
 * fine cloth more predictable but leave less detail; fewer leave detail that the coarse cloth does
 * not determine. So the measure is the detail that is predicted on unseen frames. */
typedef struct vo_tracking_score {
    double base_rms;      /* m, error of the base operator: all detail */
    double rms;           /* m, error on unseen frames */
    double predicted_rms; /* m, root of base_rms^2 - rms^2; 0 if the error is larger */
} vo_tracking_score;

/* scores[count] for sets of pairs of one garment and motion; *best: the largest predicted_rms.
 * `harmonics` are those of the fine mesh. */
vo_result vo_upsample_choose_tracking(int count, const vo_upsample_pairs *const *pairs,
                                      const vo_harmonics *harmonics, const vo_upsample_fit_def *def,
                                      vo_tracking_score *scores, int *best);

#endif
