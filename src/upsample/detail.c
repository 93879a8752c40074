#include "upsample/detail.h"

#include "core/file.h"
#include "core/memory.h"
#include "rt/base/half.h"
#include "upsample/compress/compress.h"
#include "upsample/pairs_view.h"

#include <math.h>
#include <string.h>

static size_t residual_count(const vo_upsample_operator *op) {
    return (size_t)op->fine_count * (size_t)op->coarse_count * (size_t)(1 + op->history);
}

/* ---- operators ------------------------------------------------------------------------------ */

static bool has_same_base(const vo_upsample_operator *a, const vo_upsample_operator *b) {
    size_t rows = (size_t)a->fine_count + 1, entries = (size_t)a->base_first[a->fine_count];
    return memcmp(a->base_first, b->base_first, rows * sizeof *a->base_first) == 0 &&
           memcmp(a->base_column, b->base_column, entries * sizeof *a->base_column) == 0 &&
           memcmp(a->base_weight, b->base_weight, entries * sizeof *a->base_weight) == 0;
}

/* Adds scale B to the first block of the residual. */
static void add_base(const vo_upsample_operator *op, const vo_upsample_operator *base, float scale,
                     float *residual) {
    size_t row = (size_t)op->coarse_count * (size_t)(1 + op->history);
    for (int i = 0; i < base->fine_count; i++)
        for (int k = base->base_first[i]; k < base->base_first[i + 1]; k++)
            residual[(size_t)i * row + (size_t)base->base_column[k]] +=
                scale * base->base_weight[k];
}

/* The asset has one base operator: D of an operator with another one becomes D + B - base. */
static vo_result rebase(vo_upsample_detail *d, int k, const vo_upsample_operator *op) {
    if (has_same_base(op, d->base)) return VO_OK;
    float *copy = vo_new_array(d->vru->ctx, float, residual_count(op));
    if (!copy) return vo_fail_memory(d->vru->ctx, "an operator");
    memcpy(copy, op->residual, residual_count(op) * sizeof *copy);
    add_base(op, op, 1, copy);
    add_base(op, d->base, -1, copy);
    d->residual[k] = copy;
    d->operators[k].residual = copy;
    return VO_OK;
}

/* Mean motion of the sequences of an operator, by which operators are selected. */
static vo_rt_operator_motion mean_motion(const vo_upsample_pairs *p, const vo_vru_operator *op) {
    double travel = 0, deformation = 0, wind = 0;
    int count = 0, m = p->coarse.vertex_count;
    for (int s = op->first_sequence; s < op->first_sequence + op->sequence_count; s++)
        for (int f = p->first_frame[s] + 1; f < p->first_frame[s + 1]; f++, count++) {
            const vo_rt_vec3 *x = (const vo_rt_vec3 *)p->coarse_frames + (size_t)f * (size_t)m;
            const float *w = p->wind + 3 * (size_t)f;
            vo_rt_operator_motion motion =
                vo_rt_operator_measure(m, x, x - m, p->frame_s, (vo_rt_vec3){w[0], w[1], w[2]});
            travel += (double)motion.travel;
            deformation += (double)motion.deformation;
            wind += (double)motion.wind;
        }
    double scale = count ? 1.0 / count : 0;
    return (vo_rt_operator_motion){(float)(scale * travel), (float)(scale * deformation),
                                   (float)(scale * wind)};
}

static vo_result add_operator(vo_upsample_detail *d, int k) {
    const vo_upsample_operator *op = d->vru->operators[k].op;
    vo_rt_operator_def *o = &d->operators[k];
    *o = vo_rt_operator_def_default();
    o->form = VO_RT_OPERATOR_DENSE;
    o->residual = op->residual;
    o->history = op->history;
    if (op->history) o->history_s = op->history_s;
    o->mode_count = op->mode_count;
    o->mode_rate = op->mode_rate;
    o->mode_sine = op->mode_sine;
    o->mode_cosine = op->mode_cosine;
    o->mode_wind = op->mode_wind;
    o->motion = mean_motion(d->vru->pairs, &d->vru->operators[k]);
    d->def.operator_count = k + 1;
    return rebase(d, k, op);
}

static vo_result add_operators(vo_upsample_detail *d) {
    const vo_vru *vru = d->vru;
    if (vru->operator_count < 1)
        return vo_fail(vru->ctx, VO_BAD_ARGUMENT, "the file has no operator; fit one first");
    if (vru->operator_count > VO_RT_MAX_OPERATORS)
        return vo_fail(vru->ctx, VO_BAD_ARGUMENT,
                       "the file has %d operators; an asset has up to %d", vru->operator_count,
                       VO_RT_MAX_OPERATORS);
    d->base = vru->operators[0].op;
    for (int k = 0; k < vru->operator_count; k++) VO_TRY(add_operator(d, k));
    return VO_OK;
}

/* ---- compression ---------------------------------------------------------------------------- */

static size_t factor_count(const vo_upsample_operator *op, int rank) {
    size_t inputs = (size_t)op->coarse_count * (size_t)(1 + op->history);
    return ((size_t)op->fine_count + inputs) * (size_t)rank;
}

/* Makes every block of a row sum to 0: half floats do not. */
static void centre_row(float *row, int blocks, int count) {
    for (int b = 0; b < blocks; b++, row += count) {
        double sum = 0;
        for (int i = 0; i < count; i++) sum += (double)row[i];
        for (int i = 0; i < count; i++) row[i] -= (float)(sum / count);
    }
}

/* Replaces the residual of operator k by the factors. */
static vo_result store_factors(vo_upsample_detail *d, int k, const vo_low_rank *low) {
    const vo_upsample_operator *op = d->vru->operators[k].op;
    vo_rt_operator_def *o = &d->operators[k];
    size_t left = (size_t)low->fine_count * (size_t)low->rank;
    size_t right = (size_t)low->input_count * (size_t)low->rank;
    float *factors = vo_new_array(d->vru->ctx, float, factor_count(op, low->rank));
    if (!factors) return vo_fail_memory(d->vru->ctx, "an operator");
    for (size_t i = 0; i < left; i++) factors[i] = vo_rt_half_to_float(low->left[i]);
    for (size_t i = 0; i < right; i++) factors[left + i] = vo_rt_half_to_float(low->right[i]);
    for (int r = 0; r < low->rank; r++)
        centre_row(factors + left + (size_t)r * (size_t)low->input_count, 1 + op->history,
                   op->coarse_count);
    d->factors[k] = factors;
    o->form = VO_RT_OPERATOR_LOW_RANK;
    o->rank = low->rank;
    o->left = factors;
    o->right = factors + left;
    return VO_OK;
}

/* Bounds of an automatic rank: bytes with the base operator, and the error relative to that of the
 * operator. */
static const size_t MAX_BYTES = 1000000;
static const double MAX_RELATIVE_ERROR = 0.05;
enum { MIN_RANK = 4 };

/* Bytes of the base operator at run time. */
static size_t base_bytes(const vo_upsample_operator *op) {
    size_t n = (size_t)op->fine_count, entries = (size_t)op->base_first[n];
    return (n + 1) * sizeof(int32_t) + entries * (sizeof(int32_t) + sizeof(float));
}

/* Raises the rank by halves until both bounds or all inputs are reached. */
static vo_result choose_low_rank(const vo_upsample_operator *op, const vo_upsample_products *p,
                                 vo_low_rank **out) {
    size_t base = base_bytes(op);
    int most = vo_low_rank_for_bytes(op, base < MAX_BYTES ? MAX_BYTES - base : 0);
    for (int rank = most < MIN_RANK ? most : MIN_RANK;; rank += (rank + 1) / 2) {
        if (rank > most) rank = most;
        VO_TRY(vo_low_rank_create(op, p, rank, out));
        if (rank == most || (double)(*out)->error.rms <= MAX_RELATIVE_ERROR * (double)op->error.rms)
            return VO_OK;
        vo_low_rank_destroy(*out);
        *out = NULL;
    }
}

/* Compresses operator k for the frames of the file. */
static vo_result compress(vo_upsample_detail *d, int k, int rank) {
    const vo_vru_operator *named = &d->vru->operators[k];
    vo_upsample_pairs view;
    vo_upsample_operator op = *named->op; /* shares all arrays */
    int inputs = op.coarse_count * (1 + op.history), step = op.parameters.history_step;
    vo_upsample_products *products = NULL;
    vo_low_rank *low = NULL;
    if (d->residual[k]) op.residual = d->residual[k];
    VO_TRY(
        vo_upsample_pairs_view(d->vru->pairs, named->first_sequence, named->sequence_count, &view));
    vo_result result = vo_upsample_products_create(&view, op.history, step, 1, &products);
    if (result == VO_OK)
        result = rank < 0 ? choose_low_rank(&op, products, &low)
                          : vo_low_rank_create(&op, products, rank < inputs ? rank : inputs, &low);
    if (result == VO_OK) {
        d->error_rms = fmax(d->error_rms, (double)low->error.rms);
        result = store_factors(d, k, low);
    }
    vo_low_rank_destroy(low);
    vo_upsample_products_destroy(products);
    vo_upsample_pairs_close_view(&view);
    return result;
}

/* ---- the detail ----------------------------------------------------------------------------- */

static void fill_def(vo_upsample_detail *d) {
    const vo_upsample_mesh *fine = &d->vru->pairs->fine;
    d->def.node_count = fine->vertex_count;
    d->def.positions = fine->position;
    d->def.vertex_count = d->charts.vertex_count;
    d->def.nodes = d->charts.node;
    d->def.uv = d->charts.coordinate;
    d->def.triangle_count = fine->triangle_count;
    d->def.triangles = d->charts.triangle;
    d->def.base_first = d->base->base_first;
    d->def.base_columns = d->base->base_column;
    d->def.base_weights = d->base->base_weight;
    d->def.attachment = fine->attachment;
    d->def.operators = d->operators;
}

vo_result vo_upsample_detail_create(const vo_vru *vru, int rank, vo_upsample_detail *d) {
    *d = (vo_upsample_detail){.vru = vru, .def = vo_rt_detail_def_default()};
    vo_result result = add_operators(d);
    for (int k = 0; result == VO_OK && rank != 0 && k < d->def.operator_count; k++)
        result = compress(d, k, rank);
    if (result == VO_OK)
        result = vo_upsample_charts_create(vru->ctx, &vru->pairs->fine, &d->charts);
    if (result == VO_OK)
        fill_def(d);
    else
        vo_upsample_detail_free(d);
    return result;
}

void vo_upsample_detail_free(vo_upsample_detail *d) {
    for (int k = 0; k < VO_RT_MAX_OPERATORS; k++) {
        if (d->residual[k])
            vo_free_array(d->vru->ctx, d->residual[k], residual_count(d->vru->operators[k].op));
        if (d->factors[k])
            vo_free_array(d->vru->ctx, d->factors[k],
                          factor_count(d->vru->operators[k].op, d->operators[k].rank));
    }
    vo_upsample_charts_free(&d->charts);
    *d = (vo_upsample_detail){0};
}

/* ---- files ---------------------------------------------------------------------------------- */

static vo_result fail_asset(vo_context *ctx, vo_result result, const vo_rt_message *message) {
    return vo_fail(ctx, result, "the coarse garment: %s", message->text);
}

static vo_result save_asset(vo_context *ctx, const vo_rt_asset *asset, const char *path) {
    size_t bytes;
    const void *data = vo_rt_asset_get_data(asset, &bytes);
    return vo_file_write(ctx, path, data, bytes);
}

vo_result vo_upsample_detail_save(const vo_upsample_detail *d, const char *path) {
    vo_context *ctx = d->vru->ctx;
    const vo_upsample_pairs *p = d->vru->pairs;
    vo_rt_message message = {{0}};
    vo_rt_asset *coarse, *asset;
    vo_result result =
        vo_rt_asset_load(&ctx->allocator, p->asset, p->asset_bytes, &coarse, &message);
    if (result != VO_OK) return fail_asset(ctx, result, &message);
    result = vo_rt_asset_add_detail(&ctx->allocator, coarse, &d->def, &asset, &message);
    vo_rt_asset_destroy(coarse);
    if (result != VO_OK) return fail_asset(ctx, result, &message);
    result = save_asset(ctx, asset, path);
    vo_rt_asset_destroy(asset);
    return result;
}
