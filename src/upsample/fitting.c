#include "upsample/fitting.h"

#include "core/timer.h"
#include "upsample/fit/cross_validation.h"
#include "upsample/fit/fit.h"
#include "upsample/fit/profile.h"

static vo_result create_harmonics(const vo_upsample_pairs *pairs, const vo_upsample_fit_def *def,
                                  bool always, vo_harmonics **out, vo_upsample_fit_times *times) {
    vo_harmonics_def h = vo_harmonics_def_default();
    double start = vo_now();
    *out = NULL;
    if (vo_upsample_is_uniform(def) && !always) return VO_OK;
    h.count = vo_upsample_harmonic_count(def, pairs->fine.vertex_count, pairs->coarse.vertex_count);
    VO_TRY(vo_harmonics_create(pairs->ctx, &pairs->fine, &h, out));
    times->harmonics = (*out)->count;
    times->harmonics_were_stored = (*out)->was_stored;
    times->harmonics_s = vo_now() - start;
    return VO_OK;
}

/* Products in folds for cross-validation serve the fit of all frames as well. */
static vo_result fit(const vo_upsample_pairs *pairs, const vo_harmonics *harmonics,
                     vo_upsample_fit_def *def, bool choose_exponent, bool validate,
                     vo_upsample_operator **out, double *validated_rms) {
    vo_upsample_products *products;
    int folds = choose_exponent || validate ? VO_CROSS_VALIDATION_FOLDS : 1, best;
    VO_TRY(vo_upsample_products_create(pairs, def->history, def->history_step, folds, &products));
    vo_result result = VO_OK;
    if (choose_exponent) result = vo_upsample_choose_exponent(products, harmonics, def, NULL);
    if (result == VO_OK && validate)
        result = vo_upsample_cross_validate(products, harmonics, 1, def, validated_rms, &best);
    if (result == VO_OK) result = vo_upsample_fit(products, harmonics, def, out);
    vo_upsample_products_destroy(products);
    return result;
}

vo_result vo_upsample_fit_timed(const vo_upsample_pairs *pairs, const vo_upsample_fit_def *def,
                                bool choose_exponent, bool validate, vo_upsample_operator **out,
                                vo_upsample_fit_times *times) {
    vo_harmonics *harmonics;
    vo_upsample_fit_def chosen = *def;
    *times = (vo_upsample_fit_times){0};
    *out = NULL;
    VO_TRY(vo_upsample_fit_def_validate(pairs->ctx, def));
    VO_TRY(create_harmonics(pairs, def, validate, &harmonics, times));
    double start = vo_now();
    vo_result result =
        fit(pairs, harmonics, &chosen, choose_exponent, validate, out, &times->validated_rms);
    times->fit_s = vo_now() - start;
    vo_harmonics_destroy(harmonics);
    return result;
}
