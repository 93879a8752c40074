/* Oscillatory modes of the residual of an operator. */
#include "upsample/fit/oscillation.h"

#include "core/memory.h"
#include "upsample/fit/evaluate.h"

#include <math.h>

typedef struct fit {
    const vo_upsample_products *products;
    vo_upsample_operator *op;
    int max_modes;
    double *displacement; /* [N][frames] */
    vo_oscillation found;
} fit;

static size_t vertices(const fit *f) { return (size_t)f->products->fine_count; }

static bool allocate(fit *f) {
    vo_context *ctx = f->products->ctx;
    size_t modes = (size_t)f->max_modes, n = vertices(f);
    f->displacement = vo_new_array(ctx, double, n *(size_t)f->products->pairs->frame_count);
    f->found.theta = vo_new_array(ctx, double, modes);
    f->found.fraction = vo_new_array(ctx, double, modes);
    f->found.sine = vo_new_array(ctx, double, modes *n);
    f->found.cosine = vo_new_array(ctx, double, modes *n);
    return f->displacement && f->found.theta && f->found.fraction && f->found.sine &&
           f->found.cosine;
}

static void release(fit *f) {
    vo_context *ctx = f->products->ctx;
    size_t modes = (size_t)f->max_modes, n = vertices(f);
    vo_free_array(ctx, f->displacement, n * (size_t)f->products->pairs->frame_count);
    vo_free_array(ctx, f->found.theta, modes);
    vo_free_array(ctx, f->found.fraction, modes);
    vo_free_array(ctx, f->found.sine, modes * n);
    vo_free_array(ctx, f->found.cosine, modes * n);
}

static vo_result find(fit *f) {
    const vo_upsample_pairs *p = f->products->pairs;
    VO_TRY(vo_upsample_normal_residual(f->products, f->op, f->displacement));
    vo_oscillation_def def = {p->fine.vertex_count,
                              p->frame_count,
                              p->sequence_count,
                              p->first_frame,
                              f->displacement,
                              f->max_modes,
                              f->op->parameters.mode_threshold};
    return vo_oscillation_find(f->products->ctx, &def, &f->found);
}

static float mean_wind(const vo_upsample_pairs *p) {
    double sum = 0;
    for (size_t f = 0; f < (size_t)p->frame_count; f++) {
        const float *w = p->wind + 3 * f;
        sum += sqrt((double)w[0] * (double)w[0] + (double)w[1] * (double)w[1] +
                    (double)w[2] * (double)w[2]);
    }
    return p->frame_count ? (float)(sum / p->frame_count) : 0;
}

/* Root mean square after the modes have removed their energy. */
static float reduced_rms(const fit *f) {
    const vo_upsample_pairs *p = f->products->pairs;
    double count = (double)p->fine.vertex_count * p->frame_count, removed = 0;
    for (int k = 0; k < f->found.mode_count; k++) removed += f->found.fraction[k];
    double rms = (double)f->op->error.rms;
    return (float)sqrt(fmax(rms * rms - removed * f->found.energy / count, 0));
}

static vo_result store(const fit *f) {
    const vo_upsample_pairs *p = f->products->pairs;
    vo_upsample_operator *op = f->op;
    if (f->found.mode_count && !(p->frame_s > 0))
        return vo_fail(p->ctx, VO_BAD_DATA, "the frames of the training pairs have no duration");
    VO_TRY(vo_upsample_operator_set_mode_count(op, f->found.mode_count));
    for (int k = 0; k < op->mode_count; k++) {
        op->mode_rate[k] = (float)(f->found.theta[k] / (double)p->frame_s);
        op->mode_fraction[k] = (float)f->found.fraction[k];
    }
    for (size_t i = 0; i < (size_t)op->mode_count * vertices(f); i++) {
        op->mode_sine[i] = (float)f->found.sine[i];
        op->mode_cosine[i] = (float)f->found.cosine[i];
    }
    op->mode_wind = mean_wind(p);
    op->error.mode_rms = reduced_rms(f);
    return VO_OK;
}

vo_result vo_upsample_add_modes(const vo_upsample_products *products, vo_upsample_operator *op) {
    fit f = {.products = products, .op = op, .max_modes = op->parameters.mode_count};
    if (f.max_modes < 1) return VO_OK;
    vo_result result = allocate(&f) ? find(&f) : vo_fail_memory(op->ctx, "oscillatory modes");
    if (result == VO_OK) result = store(&f);
    release(&f);
    return result;
}
