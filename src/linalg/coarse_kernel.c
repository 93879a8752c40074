#include "linalg/coarse.h"

enum { B = VO_BLOCK_FLOATS };

typedef int32_t vo_bits4 __attribute__((vector_size(16)));

VO_INLINE void add_block(float *to, const float *from) {
    f4_store(to, f4_load(to) + f4_load(from));
    f4_store(to + 4, f4_load(to + 4) + f4_load(from + 4));
    f4_store(to + 8, f4_load(to + 8) + f4_load(from + 8));
}

/* All bits of a block but the signs, or-ed together. */
VO_INLINE vo_bits4 block_bits(const float *m) {
    vo_bits4 magnitude = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return ((vo_bits4)f4_load(m) | (vo_bits4)f4_load(m + 4) | (vo_bits4)f4_load(m + 8)) & magnitude;
}

/* Adds blocks [k, end) to their sums; returns their bits. */
VO_INLINE vo_bits4 add_blocks(const float *block, const int *sum_of, int k, int end, float *sum) {
    vo_bits4 bits = {0, 0, 0, 0};
    for (; k < end; k++) {
        const float *m = block + (size_t)k * B;
        bits |= block_bits(m);
        add_block(sum + (size_t)sum_of[k] * B, m);
    }
    return bits;
}

/* Adds a row to the sums of its aggregate, unless only its diagonal block is there. */
VO_INLINE bool add_row(const vo_coarse *c, const vo_block_pattern *p, const float *block, int row) {
    int diagonal = p->diagonal[row];
    vo_bits4 bits = add_blocks(block, c->sum_of, p->row_start[row], diagonal, c->sum) |
                    add_blocks(block, c->sum_of, diagonal + 1, p->row_start[row + 1], c->sum);
    bool coupled = (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
    if (coupled) add_blocks(block, c->sum_of, diagonal, diagonal + 1, c->sum);
    return coupled;
}

/* One past the last row of aggregate g. */
VO_INLINE int last_row(const vo_coarse *c, const vo_block_pattern *p, int g) {
    return p->row_count - g * c->size < c->size ? p->row_count : (g + 1) * c->size;
}

/* The loops below work on copies of the structs, which what they store cannot alias. */

/* Zt A and Zt A Z of aggregates [begin, end). */
void VO_KERNEL(vo_coarse_sum)(const vo_coarse *given, const vo_block_matrix *a, int begin,
                              int end) {
    const vo_coarse coarse = *given, *c = &coarse;
    const vo_block_pattern pattern = *c->pattern, *p = &pattern;
    const float *block = a->block;
    for (int g = begin; g < end; g++) {
        int first = c->sum_start[g], count = c->sum_start[g + 1] - first;
        int e_first = c->coupling.row_start[g], e_count = c->coupling.row_start[g + 1] - e_first;
        memset(c->sum + (size_t)first * B, 0, (size_t)count * B * sizeof(float));
        memset(c->e.block + (size_t)e_first * B, 0, (size_t)e_count * B * sizeof(float));
        for (int i = g * c->size; i < last_row(c, p, g); i++)
            c->free_row[i] = add_row(c, p, block, i);
        for (int s = first; s < first + count; s++)
            add_block(c->e.block + (size_t)c->block_of[s] * B, c->sum + (size_t)s * B);
    }
}

/* Zt r and Zt r - scale (Zt A) w of aggregates [begin, end). */
void VO_KERNEL(vo_coarse_restrict)(const vo_coarse *given, const vo_vec4 *r, float scale,
                                   const vo_float4 *w, int begin, int end) {
    const vo_coarse coarse = *given, *c = &coarse;
    for (int g = begin; g < end; g++) {
        vo_d4 sum = d4_set(0);
        for (int i = g * c->size; i < last_row(c, c->pattern, g); i++)
            if (c->free_row[i]) sum += vec4_load(r + i);
        vec4_store(c->restricted + g, sum);
        vo_f4 product = f4_set(0);
        if (w)
            product =
                blocks_times_f4(c->sum, c->sum_column, c->sum_start[g], c->sum_start[g + 1], w);
        f4_store(c->right + g, narrow(sum - d4_set(scale) * widen(product)));
    }
}

/* A Z is the transpose of the sums, Zt A. */
void VO_KERNEL(vo_coarse_subtract)(const vo_coarse *given, const vo_vec4 *r, int begin, int end,
                                   vo_vec4 *q) {
    const vo_coarse coarse = *given, *c = &coarse;
    for (int i = begin; i < end; i++) {
        vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
        for (int k = c->at_start[i]; k < c->at_start[i + 1]; k++) {
            const float *m = c->sum + (size_t)c->at_sum[k] * B;
            vo_f4 y = f4_load(c->first + c->at_aggregate[k]);
            s0 += f4_load(m) * y;
            s1 += f4_load(m + 4) * y;
            s2 += f4_load(m + 8) * y;
        }
        vo_f4 product = {s0[0] + s0[1] + s0[2], s1[0] + s1[1] + s1[2], s2[0] + s2[1] + s2[2], 0};
        vec4_store(q + i, vec4_load(r + i) - widen(product));
    }
}
