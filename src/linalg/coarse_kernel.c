#include "linalg/coarse.h"

enum { B = VO_BLOCK_FLOATS, P = VO_PACKED };

typedef int32_t vo_bits4 __attribute__((vector_size(16)));

/* A sum under way: three columns. */
typedef struct columns {
    vo_f4 c[3];
} columns;

/* All bits of a block but the signs, or-ed together. */
VO_INLINE vo_bits4 block_bits(const columns *m) {
    vo_bits4 magnitude = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return ((vo_bits4)m->c[0] | (vo_bits4)m->c[1] | (vo_bits4)m->c[2]) & magnitude;
}

/* The sums of one row: its blocks come by ascending column, and so by ascending aggregate. Returns
 * whether there is more than the diagonal block. */
VO_INLINE bool sum_row(const vo_coarse *c, const vo_block_pattern *p, const float *block, int i) {
    const columns none = {{f4_set(0), f4_set(0), f4_set(0)}};
    vo_bits4 bits = {0, 0, 0, 0};
    columns sum = none;
    int s = c->sum_start[i];
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        const float *from = block + (size_t)k * B;
        columns m = {{f4_load(from), f4_load(from + 4), f4_load(from + 8)}};
        if (p->column[k] != i) bits |= block_bits(&m);
        if (p->column[k] >> c->shift != c->sum_aggregate[s]) {
            packed_store(sum.c[0], sum.c[1], sum.c[2], c->sum + (size_t)s++ * P);
            sum = none;
        }
        for (int column = 0; column < 3; column++) sum.c[column] += m.c[column];
    }
    packed_store(sum.c[0], sum.c[1], sum.c[2], c->sum + (size_t)s * P);
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

/* The loops below work on copies of the structs, which what they store cannot alias. */

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

/* Adds a sum to E and scales it. */
VO_INLINE void gather_sum(const vo_coarse *c, const float *h, int s) {
    float *from = c->sum + (size_t)s * P, *to = c->e.block + (size_t)c->block_of[s] * B;
    columns m = {{f4_load(from), f4_load(from + 3), {from[6], from[7], from[8], 0}}};
    for (int column = 0; column < 3; column++) {
        vo_f4 v = f4_clear_w(m.c[column]);
        f4_store(to + 4 * column, f4_load(to + 4 * column) + v);
        m.c[column] = packed_times(h, v);
    }
    packed_store(m.c[0], m.c[1], m.c[2], from);
}

void VO_KERNEL(vo_coarse_gather)(const vo_coarse *given, const vo_ranges *ranges, int begin,
                                 int end) {
    const vo_coarse coarse = *given, *c = &coarse;
    const float *inverse = ranges->inverse;
    for (int g = begin; g < end; g++) {
        int first = c->coupling.row_start[g], count = c->coupling.row_start[g + 1] - first;
        memset(c->e.block + (size_t)first * B, 0, (size_t)count * B * sizeof(float));
        for (int i = g * c->size; i < vo_coarse_end(c, g); i++)
            for (int s = c->sum_start[i]; s < c->sum_start[i + 1]; s++)
                gather_sum(c, inverse + (size_t)i * VO_ROOT, s);
    }
}
