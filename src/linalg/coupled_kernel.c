#include "linalg/coupled.h"

enum { B = VO_BLOCK_FLOATS, P = VO_PACKED };

/* Packs a row; blocks are in ascending column and thus aggregate order. */
VO_INLINE void pack_row(const vo_coupled *k, const float *inverse, const vo_coarse *coarse, int i) {
    const vo_couplings *c = k->couplings;
    const vo_columns none = {{f4_set(0), f4_set(0), f4_set(0)}};
    vo_columns sum = none;
    int s = k->sum_start[i];
    bool some = false;
    for (int n = c->row_start[i]; n < c->row_start[i + 1]; n++) {
        int j = c->column[n];
        vo_columns m = columns_load(c->block + (size_t)n * B);
        packed_scale(m.c[0], m.c[1], m.c[2], inverse + (size_t)i * VO_SCALE,
                     inverse + (size_t)j * VO_SCALE, k->block + (size_t)n * P);
        if (!coarse->free_row[i] || !coarse->free_row[j]) continue;
        if (some && j >> coarse->shift != k->sum_aggregate[s]) {
            columns_pack(&sum, k->sum + (size_t)s++ * P);
            sum = none;
        }
        columns_add(&sum, &m);
        some = true;
    }
    if (some) columns_pack(&sum, k->sum + (size_t)s * P);
}

void VO_KERNEL(vo_coupled_pack)(const vo_coupled *given, const vo_row_tiles *tiles,
                                const vo_coarse *coarse, int begin, int end) {
    const vo_coupled coupled = *given; /* local copy, which stores cannot alias */
    for (int i = begin; i < end; i++) pack_row(&coupled, tiles->inverse, coarse, i);
}
