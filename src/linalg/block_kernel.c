#include "linalg/block_kernel.h"

void VO_KERNEL(vo_symmetrise_rows)(const vo_rows_view *a, int begin, int end, float *block) {
    for (int i = begin; i < end; i++) {
        int k = a->row_start[i];
        for (; a->column[k] < i; k++) {
            const float *from = block + (size_t)a->transpose[k] * VO_BLOCK_FLOATS;
            float *to = block + (size_t)k * VO_BLOCK_FLOATS;
            vo_f4 c0 = f4_load(from), c1 = f4_load(from + 4), c2 = f4_load(from + 8);
            f4_store(to, (vo_f4){c0[0], c1[0], c2[0], 0});
            f4_store(to + 4, (vo_f4){c0[1], c1[1], c2[1], 0});
            f4_store(to + 8, (vo_f4){c0[2], c1[2], c2[2], 0});
        }
        float *diagonal = block + (size_t)k * VO_BLOCK_FLOATS;
        diagonal[1] = diagonal[4];
        diagonal[2] = diagonal[8];
        diagonal[6] = diagonal[9];
    }
}

/* The loops use a local copy of the view, which stores cannot alias. */

/* Adds block * *p to three sums, one per column of the block. */
VO_INLINE void add_product(const float *block, const vo_vec4 *p, vo_d4 sum[3]) {
    sum[0] += widen(f4_load(block)) * d4_set(p->x);
    sum[1] += widen(f4_load(block + 4)) * d4_set(p->y);
    sum[2] += widen(f4_load(block + 8)) * d4_set(p->z);
}

/* Returns row i of A x. Two blocks at a time with six sums hide the latency of additions. */
VO_INLINE vo_d4 row_times(const vo_rows_view *a, int i, const vo_vec4 *x) {
    vo_d4 even[3] = {d4_set(0), d4_set(0), d4_set(0)}, odd[3] = {even[0], even[0], even[0]};
    int k = a->row_start[i], end = a->row_start[i + 1];
    const float *block = a->block + (size_t)k * VO_BLOCK_FLOATS;
    for (; k + 1 < end; k += 2, block += 2 * VO_BLOCK_FLOATS) {
        add_product(block, x + a->column[k], even);
        add_product(block + VO_BLOCK_FLOATS, x + a->column[k + 1], odd);
    }
    if (k < end) add_product(block, x + a->column[k], even);
    return (even[0] + odd[0]) + (even[1] + odd[1]) + (even[2] + odd[2]);
}

void VO_KERNEL(vo_multiply_rows)(const vo_rows_view *given, int begin, int end, const vo_vec4 *x,
                                 vo_vec4 *y) {
    const vo_rows_view rows = *given, *a = &rows;
    for (int i = begin; i < end; i++) vec4_store(y + i, row_times(a, i, x));
}

double VO_KERNEL(vo_multiply_dot_rows)(const vo_rows_view *given, int begin, int end,
                                       const vo_vec4 *x, vo_vec4 *y) {
    const vo_rows_view rows = *given, *a = &rows;
    vo_d4 sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        vo_d4 product = row_times(a, i, x);
        vec4_store(y + i, product);
        sum += product * vec4_load(x + i);
    }
    return d4_sum(sum);
}

void VO_KERNEL(vo_residual_rows)(const vo_rows_view *given, int begin, int end, const vo_vec4 *x,
                                 const vo_vec4 *b, vo_vec4 *r) {
    const vo_rows_view rows = *given, *a = &rows;
    for (int i = begin; i < end; i++) {
        fetch_ahead(a->block + (size_t)a->row_start[i] * VO_BLOCK_FLOATS, VO_BLOCKS_AHEAD,
                    VO_BLOCKS_LINES);
        fetch_ahead(a->column + a->row_start[i], VO_COLUMNS_AHEAD, VO_COLUMNS_LINES);
        vec4_store(r + i, vec4_load(b + i) - row_times(a, i, x));
    }
}

double VO_KERNEL(vo_couple_rows)(const vo_rows_view *given, int begin, int end, double scale,
                                 const vo_vec4 *x, vo_vec4 *y) {
    const vo_rows_view rows = *given, *c = &rows;
    vo_d4 s = d4_set(scale), sum = d4_set(0);
    for (int i = begin; i < end; i++) {
        if (c->row_start[i] == c->row_start[i + 1]) continue;
        vo_d4 product = s * row_times(c, i, x);
        vec4_store(y + i, vec4_load(y + i) + product);
        sum += product * vec4_load(x + i);
    }
    return d4_sum(sum);
}
