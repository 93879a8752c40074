/* A fit with its prerequisites and their times, as the commands train and fit need it. */
#ifndef VO_UPSAMPLE_FITTING_H
#define VO_UPSAMPLE_FITTING_H

#include "upsample/operator.h"
#include "upsample/pairs.h"

typedef struct vo_upsample_fit_times {
    int harmonics; /* number of harmonics of the fine mesh; 0: none were needed */
    bool harmonics_were_stored;
    double harmonics_s, fit_s; /* s, elapsed */
    double validated_rms;      /* m */
} vo_upsample_fit_times;

/* Fits an operator to pairs, with harmonics of the user's cache. `choose_exponent`: the exponent is
 * chosen by cross-validation, in place of that of `def`. `validate`: times->validated_rms is set.
 */
vo_result vo_upsample_fit_timed(const vo_upsample_pairs *pairs, const vo_upsample_fit_def *def,
                                bool choose_exponent, bool validate, vo_upsample_operator **out,
                                vo_upsample_fit_times *times);

#endif
