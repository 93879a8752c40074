/* Evaluation of the operators of an asset. */
#include "rt/detail/operator.h"

#include <string.h>

/* The weight multiplies the input: it has fewer elements than the operator. */
static const vo_rt_vec4 *scale_input(const vo_rt_vec4 *input, int columns, float weight,
                                     vo_rt_vec4 *scaled) {
    if (weight == 1) return input;
    for (int j = 0; j < columns; j++) scaled[j] = f4_make(f3_scale(weight, f4_xyz(input[j])), 0);
    return scaled;
}

static void add_operator(const vo_rt_operator_kernels *kernels, const vo_rt_asset_detail *d,
                         const vo_rt_operator_record *r, int columns, const vo_rt_vec4 *input,
                         vo_rt_vec4 *product, vo_rt_vec4 *out) {
    const float *numbers = d->number + r->numbers;
    if (r->form == VO_RT_OPERATOR_DENSE) {
        kernels->add_dense(numbers, d->node_count, columns, input, out);
    } else if (r->form == VO_RT_OPERATOR_LOW_RANK) {
        memset(product, 0, vo_rt_strips(r->rank) * VO_RT_STRIP * sizeof *product);
        kernels->add_dense(numbers, r->rank, columns, input, product);
        kernels->add_half(d->half + r->halves, d->node_count, r->rank, product, out);
    } else {
        kernels->add_sparse(d->node_count, d->index + r->indices, d->column + r->columns, numbers,
                            input, out);
    }
}

void vo_rt_upsample_evaluate(const vo_rt_operator_kernels *kernels, const vo_rt_asset *asset,
                             const float *weight, const vo_rt_vec4 *input,
                             vo_rt_upsample_scratch scratch, vo_rt_vec4 *out) {
    const vo_rt_asset_detail *d = &asset->detail;
    kernels->apply_base(d, input, out);
    for (int k = 0; k < d->operator_count; k++) {
        const vo_rt_operator_record *r = &d->operators[k];
        if (!(weight[k] >= VO_RT_MIN_OPERATOR_WEIGHT)) continue;
        int columns = asset->vertex_count * (1 + r->history);
        const vo_rt_vec4 *scaled = scale_input(input, columns, weight[k], scratch.scaled);
        add_operator(kernels, d, r, columns, scaled, scratch.product, out);
    }
}
