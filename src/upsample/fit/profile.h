/* Penalties of harmonics. */
#ifndef VO_UPSAMPLE_FIT_PROFILE_H
#define VO_UPSAMPLE_FIT_PROFILE_H

#include "upsample/harmonics/harmonics.h"
#include "upsample/operator.h"

/* Polynomial profile gamma_n = a (1 + b (n - 1) / N)^c, n = 1..N (Kavan et al. 2011, section 3.2).
 */
typedef struct vo_upsample_profile {
    double a, b, c;
} vo_upsample_profile;

/* The profile with gamma_1 = first and gamma_N = last. */
vo_upsample_profile vo_upsample_profile_make(double first, double last, double exponent, int count);

/* gamma_n of a fit; n from 1, `harmonics` have at least n modes. INFINITY: the harmonic is not
 * used. */
double vo_upsample_gamma(const vo_upsample_fit_def *def, const vo_harmonics *harmonics, int n);

/* True if every harmonic has the same penalty: the fit needs no harmonics. */
bool vo_upsample_is_uniform(const vo_upsample_fit_def *def);

#endif
