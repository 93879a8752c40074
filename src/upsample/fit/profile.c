#include "upsample/fit/profile.h"

#include <math.h>

vo_upsample_profile vo_upsample_profile_make(double first, double last, double exponent,
                                             int count) {
    double b = pow(last / first, 1 / exponent) - 1;
    if (count > 1) b *= (double)count / (count - 1);
    return (vo_upsample_profile){first, b, exponent};
}

static double harmonic_gamma(const vo_upsample_fit_def *def, int count, int n) {
    vo_upsample_profile p =
        vo_upsample_profile_make(def->gamma_first, def->gamma_last, def->exponent, count);
    return p.a * pow(1 + p.b * (n - 1) / count, p.c);
}

double vo_upsample_gamma(const vo_upsample_fit_def *def, const vo_harmonics *h, int n) {
    switch (def->regularisation) {
    case VO_UPSAMPLE_HARMONIC:
        return harmonic_gamma(def, h->vertex_count, n);
    case VO_UPSAMPLE_LAPLACIAN:
        return def->alpha * vo_harmonics_normalised(h, n - 1);
    case VO_UPSAMPLE_LINEAR:
        return def->alpha + def->beta * vo_harmonics_normalised(h, n - 1);
    case VO_UPSAMPLE_CUTOFF:
        return n <= def->cutoff ? def->alpha : INFINITY;
    case VO_UPSAMPLE_TIKHONOV:
        return def->alpha;
    case VO_UPSAMPLE_UNREGULARISED:
        break;
    }
    return 0;
}

bool vo_upsample_is_uniform(const vo_upsample_fit_def *def) {
    return def->regularisation == VO_UPSAMPLE_TIKHONOV ||
           def->regularisation == VO_UPSAMPLE_UNREGULARISED;
}
