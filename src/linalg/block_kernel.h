/* Kernels over the rows of a block matrix. */
#ifndef VO_LINALG_BLOCK_KERNEL_H
#define VO_LINALG_BLOCK_KERNEL_H

#include "linalg/couplings.h"
#include "linalg/kernel.h"

/* CSR arrays of a matrix as used by the kernels. */
typedef struct vo_rows_view {
    const int *row_start, *column, *transpose;
    const float *block;
} vo_rows_view;

static inline vo_rows_view vo_rows_of(const vo_block_matrix *a) {
    return (vo_rows_view){a->pattern->row_start, a->pattern->column, a->pattern->transpose,
                          a->block};
}
/* Couplings in the same form, without a diagonal. */
static inline vo_rows_view vo_couplings_of(const vo_couplings *c) {
    return (vo_rows_view){.row_start = c->row_start, .column = c->column, .block = c->block};
}

/* Fills the blocks below the diagonal in rows [begin, end) of `block`, the array of the same
 * matrix. */
VO_DECLARE_KERNEL(void, vo_symmetrise_rows, const vo_rows_view *a, int begin, int end,
                  float *block);
/* y = A x in rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_multiply_rows, const vo_rows_view *a, int begin, int end,
                  const vo_vec4 *x, vo_vec4 *y);
/* Like vo_multiply_rows; returns the rows' contribution to x . y. */
VO_DECLARE_KERNEL(double, vo_multiply_dot_rows, const vo_rows_view *a, int begin, int end,
                  const vo_vec4 *x, vo_vec4 *y);
/* r = b - A x in rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_residual_rows, const vo_rows_view *a, int begin, int end,
                  const vo_vec4 *x, const vo_vec4 *b, vo_vec4 *r);
/* y += scale C x in rows [begin, end); returns the rows' contribution to x . (scale C x). */
VO_DECLARE_KERNEL(double, vo_couple_rows, const vo_rows_view *c, int begin, int end, double scale,
                  const vo_vec4 *x, vo_vec4 *y);

#endif
