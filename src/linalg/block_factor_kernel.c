#include "linalg/block_factor.h"

#include "linalg/inverse3.h"

enum { B = VO_BLOCK_FLOATS };

/* target -= left * right, blocks of columns; element (r, c) of `right` fills all of
 * right[3 c + r]. */
VO_INLINE void subtract_product(const double *left, const vo_d4 right[9], double *target) {
    vo_d4 l0 = d4_load(left), l1 = d4_load(left + 4), l2 = d4_load(left + 8);
    for (int c = 0; c < 3; c++) {
        vo_d4 t = l0 * right[3 * c] + l1 * right[3 * c + 1] + l2 * right[3 * c + 2];
        d4_store(target + 4 * c, d4_load(target + 4 * c) - t);
    }
}

/* product = left * right */
VO_INLINE void multiply_blocks(const double *left, const double *right, vo_d4 *product) {
    vo_d4 l0 = d4_load(left), l1 = d4_load(left + 4), l2 = d4_load(left + 8);
    for (int c = 0; c < 3; c++)
        product[c] = l0 * d4_set(right[4 * c]) + l1 * d4_set(right[4 * c + 1]) +
                     l2 * d4_set(right[4 * c + 2]);
}

/* The elements of the transpose of m, each in all lanes. */
VO_INLINE void spread_transpose(const vo_d4 m[3], vo_d4 out[9]) {
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) out[3 * c + r] = d4_set(m[r][c]);
}

VO_INLINE void store_float_block(const vo_d4 *m, float *to) {
    for (int c = 0; c < 3; c++) f4_store(to + 4 * c, narrow(m[c]));
}

/* Column j of the work space loses W_i D^-1 W_j^t for every entry i >= j of column k, whose entries
 * are all found in column j (or are its pivot). `scaled` is (W_j D^-1)^t. Where there are as many
 * as column j has, they are the same, and nothing need be searched: so it is within separators,
 * where most of the work lies. */
VO_INLINE void update_column(const vo_block_factor *f, int k, int first, const vo_d4 scaled[9]) {
    double *column = f->work + (size_t)f->count * B;
    int j = f->step[first], target = f->column_start[j], end = f->column_start[k + 1];
    subtract_product(column + (size_t)first * B, scaled, f->work + (size_t)j * B);
    const double *from = column + (size_t)(first + 1) * B;
    double *to = column + (size_t)target * B;
    if (f->column_start[j + 1] - target == end - first - 1) {
        for (int q = first + 1; q < end; q++, from += B, to += B)
            subtract_product(from, scaled, to);
        return;
    }
    for (int q = first + 1; q < end; q++, from += B) {
        while (f->step[target] < f->step[q]) target++;
        subtract_product(from, scaled, column + (size_t)target * B);
    }
}

/* Right-looking L D Lt: W = L D is what the columns hold until their turn comes. */
void VO_KERNEL(vo_factor_eliminate)(const vo_block_factor *given) {
    const vo_block_factor factor = *given, *f = &factor; /* not aliased by what is stored */
    double *column = f->work + (size_t)f->count * B;
    for (int k = 0; k < f->count; k++) {
        double inverse[B];
        vo_invert3(f->work + (size_t)k * B, inverse);
        for (int i = 0; i < B; i++) f->pivot[(size_t)k * B + (size_t)i] = (float)inverse[i];
        for (int q = f->column_start[k]; q < f->column_start[k + 1]; q++) {
            vo_d4 scaled[3];
            multiply_blocks(column + (size_t)q * B, inverse, scaled);
            store_float_block(scaled, f->block + (size_t)q * B);
            vo_d4 spread[9];
            spread_transpose(scaled, spread);
            update_column(f, k, q, spread);
        }
    }
}

/* Forward with L, then D^-1 and backward with Lt: x_k = D^-1 y_k - sum L_ik^t x_i. */
void VO_KERNEL(vo_factor_substitute)(const vo_block_factor *given) {
    const vo_block_factor factor = *given, *f = &factor; /* not aliased by what is stored */
    for (int k = 0; k < f->count; k++) {
        vo_f4 x = f4_load(f->x + k);
        for (int q = f->column_start[k]; q < f->column_start[k + 1]; q++) {
            vo_float4 *y = f->x + f->step[q];
            f4_store(y, f4_load(y) - block_times_f4(f->block + (size_t)q * B, x));
        }
    }
    for (int k = f->count - 1; k >= 0; k--) {
        vo_f4 s0 = f4_set(0), s1 = s0, s2 = s0;
        for (int q = f->column_start[k]; q < f->column_start[k + 1]; q++) {
            const float *m = f->block + (size_t)q * B;
            vo_f4 x = f4_load(f->x + f->step[q]);
            s0 += f4_load(m) * x;
            s1 += f4_load(m + 4) * x;
            s2 += f4_load(m + 8) * x;
        }
        vo_f4 sum = {s0[0] + s0[1] + s0[2], s1[0] + s1[1] + s1[2], s2[0] + s2[1] + s2[2], 0};
        vo_f4 y = block_times_f4(f->pivot + (size_t)k * B, f4_load(f->x + k));
        f4_store(f->x + k, y - sum);
    }
}
