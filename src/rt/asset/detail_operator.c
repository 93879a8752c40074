/* Data of the operators of a detail mesh: residuals in strips, low-rank factors, sparse rows. */
#include "rt/asset/asset_private.h"
#include "rt/base/half.h"

/* Elements of an array of the data, with the padding behind it. */
static uint64_t pad(uint64_t count) {
    return (count + VO_RT_STRIP - 1) / VO_RT_STRIP * VO_RT_STRIP;
}

static uint32_t reserve(uint64_t *total, uint64_t count) {
    uint64_t at = *total;
    *total += pad(count);
    return (uint32_t)at;
}

static int columns_of(const vo_rt_detail_build *b, const vo_rt_operator_def *op) {
    return b->asset->vertex_count * (1 + op->history);
}

/* Sets the record of an operator and adds its data to the counts. */
static void plan_operator(vo_rt_detail_build *b, const vo_rt_operator_def *op,
                          vo_rt_operator_record *r) {
    uint64_t strips = vo_rt_strips(b->def->node_count), columns = (uint64_t)columns_of(b, op);
    *r = (vo_rt_operator_record){.form = (int32_t)op->form,
                                 .history = op->history,
                                 .rank = op->form == VO_RT_OPERATOR_LOW_RANK ? op->rank : 0,
                                 .mode_count = op->mode_count,
                                 .history_s = op->history_s,
                                 .mode_wind = op->mode_wind,
                                 .motion = op->motion};
    if (op->form == VO_RT_OPERATOR_DENSE) {
        r->numbers = reserve(&b->number_count, strips * columns * VO_RT_STRIP);
    } else if (op->form == VO_RT_OPERATOR_LOW_RANK) {
        uint64_t rank = (uint64_t)op->rank;
        r->numbers = reserve(&b->number_count, vo_rt_strips(op->rank) * columns * VO_RT_STRIP);
        r->halves = reserve(&b->half_count, strips * rank * VO_RT_STRIP);
    } else {
        uint64_t entries = (uint64_t)op->row_first[b->def->node_count];
        r->numbers = reserve(&b->number_count, entries);
        r->indices = reserve(&b->index_count, (uint64_t)b->def->node_count + 1);
        r->columns = reserve(&b->column_count, entries);
    }
    if (op->mode_count > 0)
        r->modes =
            reserve(&b->number_count, VO_RT_STRIP * (1 + 2 * strips * (uint64_t)op->mode_count));
}

/* Element of an array in strips. */
static size_t strip_index(int row, int column, int columns) {
    size_t strip = (size_t)row / VO_RT_STRIP, lane = (size_t)row % VO_RT_STRIP;
    return (strip * (size_t)columns + (size_t)column) * VO_RT_STRIP + lane;
}

static void write_strips(const float *matrix, int rows, int columns, float *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[strip_index(i, j, columns)] = matrix[(size_t)i * (size_t)columns + (size_t)j];
}

/* Power of two that brings the largest magnitude of a column to 0.5 to 1; 1 for a zero column.
 * Powers of two change no bits of half floats. */
static float column_scale(const vo_rt_operator_def *op, int rows, int column) {
    float most = 0;
    int exponent = 0;
    for (int i = 0; i < rows; i++)
        most = f_max(most, fabsf(op->left[(size_t)i * (size_t)op->rank + (size_t)column]));
    if (!(most > 0)) return 1;
    (void)frexp((double)most, &exponent);
    return (float)ldexp(1, exponent);
}

static void write_low_rank(const vo_rt_detail_build *b, const vo_rt_operator_def *op,
                           const vo_rt_operator_record *r) {
    int columns = columns_of(b, op), rows = b->def->node_count;
    float *right = b->number + r->numbers;
    uint16_t *left = b->half + r->halves;
    write_strips(op->right, op->rank, columns, right);
    for (int k = 0; k < op->rank; k++) {
        float scale = column_scale(op, rows, k);
        for (int j = 0; j < columns; j++) right[strip_index(k, j, columns)] *= scale;
        for (int i = 0; i < rows; i++)
            left[strip_index(i, k, op->rank)] =
                vo_rt_half_from_float(op->left[(size_t)i * (size_t)op->rank + (size_t)k] / scale);
    }
}

static void write_sparse(const vo_rt_detail_build *b, const vo_rt_operator_def *op,
                         const vo_rt_operator_record *r) {
    int rows = b->def->node_count;
    for (int i = 0; i <= rows; i++) b->index[r->indices + (uint32_t)i] = op->row_first[i];
    for (int k = 0; k < op->row_first[rows]; k++) {
        b->column[r->columns + (uint32_t)k] = (uint16_t)op->columns[k];
        b->number[r->numbers + (uint32_t)k] = op->weights[k];
    }
}

static void write_modes(const vo_rt_detail_build *b, const vo_rt_operator_def *op,
                        const vo_rt_operator_record *r) {
    int rows = b->def->node_count;
    size_t padded = vo_rt_strips(rows) * VO_RT_STRIP;
    float *rates = b->number + r->modes, *shape = rates + VO_RT_STRIP;
    for (int k = 0; k < op->mode_count; k++, shape += 2 * padded) {
        rates[k] = op->mode_rate[k];
        for (int i = 0; i < rows; i++) {
            shape[i] = op->mode_sine[(size_t)k * (size_t)rows + (size_t)i];
            shape[padded + (size_t)i] = op->mode_cosine[(size_t)k * (size_t)rows + (size_t)i];
        }
    }
}

vo_result vo_rt_build_operators(vo_rt_detail_build *b, vo_rt_message *message) {
    const vo_rt_detail_def *def = b->def;
    for (int k = 0; k < def->operator_count; k++)
        plan_operator(b, &def->operators[k], &b->record[k]);
    if (b->number_count > VO_RT_MAX_OPERATOR_NUMBERS || b->half_count > VO_RT_MAX_OPERATOR_NUMBERS)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "operators: more than %d numbers in all; use fewer operators or nodes",
                          VO_RT_MAX_OPERATOR_NUMBERS);
    b->number = vo_rt_scratch_array(&b->scratch, float, b->number_count);
    b->half = vo_rt_scratch_array(&b->scratch, uint16_t, b->half_count);
    b->index = vo_rt_scratch_array(&b->scratch, int32_t, b->index_count);
    b->column = vo_rt_scratch_array(&b->scratch, uint16_t, b->column_count);
    if (b->scratch.failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the operators");
    for (int k = 0; k < def->operator_count; k++) {
        const vo_rt_operator_def *op = &def->operators[k];
        const vo_rt_operator_record *r = &b->record[k];
        if (op->form == VO_RT_OPERATOR_DENSE)
            write_strips(op->residual, def->node_count, columns_of(b, op), b->number + r->numbers);
        else if (op->form == VO_RT_OPERATOR_LOW_RANK)
            write_low_rank(b, op, r);
        else
            write_sparse(b, op, r);
        if (op->mode_count > 0) write_modes(b, op, r);
    }
    return VO_OK;
}
