#include "linalg/coarse.h"

enum { B = VO_BLOCK_FLOATS, P = VO_PACKED };

typedef int32_t vo_bits4 __attribute__((vector_size(16)));

/* Bitwise or of all values of a block without their signs. */
VO_INLINE vo_bits4 block_bits(const vo_columns *m) {
    vo_bits4 magnitude = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return ((vo_bits4)m->c[0] | (vo_bits4)m->c[1] | (vo_bits4)m->c[2]) & magnitude;
}

/* Computes the sums of one row: its blocks are in ascending column and thus aggregate order.
 * Returns true if the row has an off-diagonal block. */
VO_INLINE bool sum_row(const vo_coarse *c, const vo_block_pattern *p, const float *block, int i) {
    const vo_columns none = {{f4_set(0), f4_set(0), f4_set(0)}};
    vo_bits4 bits = {0, 0, 0, 0};
    vo_columns sum = none;
    int s = c->sum_start[i];
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        vo_columns m = columns_load(block + (size_t)k * B);
        if (p->column[k] != i) bits |= block_bits(&m);
        if (p->column[k] >> c->shift != c->sum_aggregate[s]) {
            columns_pack(&sum, c->sum + (size_t)s++ * P);
            sum = none;
        }
        columns_add(&sum, &m);
    }
    columns_pack(&sum, c->sum + (size_t)s * P);
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

/* The loops use local copies of the structs, which stores cannot alias. */

void VO_KERNEL(vo_coarse_sum)(const vo_coarse *given, const vo_block_matrix *a, int begin,
                              int end) {
    const vo_coarse coarse = *given, *c = &coarse;
    const vo_block_pattern pattern = *c->pattern, *p = &pattern;
    const float *block = a->block;
    for (int i = begin; i < end; i++) {
        c->free_row[i] = sum_row(c, p, block, i);
        if (!c->free_row[i])
            memset(c->sum + (size_t)c->sum_start[i] * P, 0,
                   (size_t)(c->sum_start[i + 1] - c->sum_start[i]) * P * sizeof(float));
    }
}

/* Adds a sum to a block and scales the sum. */
VO_INLINE void gather_sum(const float *h, float *sum, float *to) {
    vo_columns m = {{f4_load(sum), f4_load(sum + 3), {sum[6], sum[7], sum[8], 0}}};
    for (int column = 0; column < 3; column++) {
        vo_f4 v = f4_clear_w(m.c[column]);
        f4_store(to + 4 * column, f4_load(to + 4 * column) + v);
        m.c[column] = packed_times(h, v);
    }
    columns_pack(&m, sum);
}

void VO_KERNEL(vo_coarse_gather)(const vo_coarse *c, const vo_sums *given,
                                 const vo_row_tiles *tiles, int begin, int end, float *block) {
    const vo_sums s = *given;
    const float *inverse = tiles->inverse;
    int last = end > begin ? vo_coarse_end(c, end - 1) : begin;
    for (int i = begin * c->size; i < last; i++)
        for (int k = s.start[i]; k < s.start[i + 1]; k++)
            gather_sum(inverse + (size_t)i * VO_SCALE, s.sum + (size_t)k * P,
                       block + (size_t)s.block_of[k] * B);
}
