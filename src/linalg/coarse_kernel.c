#include "linalg/coarse.h"

enum { B = VO_BLOCK_FLOATS };

typedef int32_t vo_bits4 __attribute__((vector_size(16)));

/* All bits of an off-diagonal block but the signs, or-ed together. */
VO_INLINE vo_bits4 block_bits(const float *m) {
    vo_bits4 magnitude = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return ((vo_bits4)f4_load(m) | (vo_bits4)f4_load(m + 4) | (vo_bits4)f4_load(m + 8)) & magnitude;
}

VO_INLINE bool is_coupled(const vo_block_pattern *p, const float *block, int row) {
    vo_bits4 bits = {0, 0, 0, 0};
    for (int k = p->row_start[row]; k < p->diagonal[row]; k++)
        bits |= block_bits(block + (size_t)k * B);
    for (int k = p->diagonal[row] + 1; k < p->row_start[row + 1]; k++)
        bits |= block_bits(block + (size_t)k * B);
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

VO_INLINE void add_block(float *to, const float *from) {
    f4_store(to, f4_load(to) + f4_load(from));
    f4_store(to + 4, f4_load(to + 4) + f4_load(from + 4));
    f4_store(to + 8, f4_load(to + 8) + f4_load(from + 8));
}

/* Zt A and Zt A Z of aggregates [begin, end). */
void VO_KERNEL(vo_coarse_sum)(const vo_coarse *c, const vo_block_matrix *a, int begin, int end) {
    const vo_block_pattern *p = c->pattern;
    for (int g = begin; g < end; g++) {
        int sum_begin = c->sum_start[g], sum_end = c->sum_start[g + 1];
        int e_begin = c->coupling.row_start[g], e_end = c->coupling.row_start[g + 1];
        memset(c->sum + (size_t)sum_begin * B, 0,
               (size_t)(sum_end - sum_begin) * B * sizeof(float));
        memset(c->e.block + (size_t)e_begin * B, 0, (size_t)(e_end - e_begin) * B * sizeof(float));
        int last = p->row_count - g * c->size < c->size ? p->row_count : (g + 1) * c->size;
        for (int i = g * c->size; i < last; i++) {
            c->free_row[i] = is_coupled(p, a->block, i);
            if (!c->free_row[i]) continue;
            for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
                add_block(c->sum + (size_t)c->sum_of[k] * B, a->block + (size_t)k * B);
        }
        for (int s = sum_begin; s < sum_end; s++)
            add_block(c->e.block + (size_t)c->block_of[s] * B, c->sum + (size_t)s * B);
    }
}

/* Zt r and Zt r - scale (Zt A) w of aggregates [begin, end). */
void VO_KERNEL(vo_coarse_restrict)(const vo_coarse *c, const vo_vec4 *r, float scale,
                                   const vo_float4 *w, int begin, int end) {
    for (int g = begin; g < end; g++) {
        int rows = c->pattern->row_count;
        int last = rows - g * c->size < c->size ? rows : (g + 1) * c->size;
        vo_d4 sum = d4_set(0);
        for (int i = g * c->size; i < last; i++)
            if (c->free_row[i]) sum += vec4_load(r + i);
        vec4_store(c->restricted + g, sum);
        vo_f4 product = f4_set(0);
        if (w)
            product =
                blocks_times_f4(c->sum, c->sum_column, c->sum_start[g], c->sum_start[g + 1], w);
        f4_store(c->right + g, narrow(sum - d4_set(scale) * widen(product)));
    }
}
