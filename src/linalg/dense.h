/* Dense matrices: products and Cholesky factors, double precision, row-major.
 *
 * Products are blocked for the caches (Goto and van de Geijn 2008) and parallel over rows of the
 * result. Each element is summed in the order of k whatever the number of threads and the
 * instruction set, so results are bit-identical; a BLAS would not guarantee that.
 *
 *     C[rows][columns] = sum_k A(row, k) B(k, column)
 *
 *     B   packed once: panels of 8 columns, [depth][8] each
 *     A   packed by each task for its rows: strips of 4 rows, [depth][4] each
 *
 * Operands are read through callbacks that fill these buffers, so transposed, strided, float and
 * weighted matrices need no copies. */
#ifndef VO_LINALG_DENSE_H
#define VO_LINALG_DENSE_H

#include "core/context.h"

/* Reads the block of `count` lines from `first` and `depth` indices k from `begin` of an operand;
 * lines are rows of A or columns of B. Writes element (line, k) to out[k * stride + line - first].
 * Called by several threads. */
typedef void vo_dense_read_fn(const void *operand, int first, int count, int begin, int depth,
                              int stride, double *out);

/* An operand: a matrix in memory, or any callback. */
typedef struct vo_dense_operand {
    vo_dense_read_fn *read;
    const void *data;
} vo_dense_operand;

/* A matrix in memory: element (line, k) is value[line * line_step + k * depth_step]. */
typedef struct vo_dense_matrix {
    const double *value;
    size_t line_step, depth_step;
} vo_dense_matrix;

/* The matrix must stay valid during the product. */
vo_dense_operand vo_dense_read_matrix(const vo_dense_matrix *matrix);

/* c[rows][columns] = A B. VO_NO_MEMORY if packed operands do not fit. */
vo_result vo_dense_multiply(vo_context *ctx, int rows, int columns, int depth, vo_dense_operand a,
                            vo_dense_operand b, double *c);

/* c[rows][columns] = a[rows][depth] b[depth][columns] */
vo_result vo_dense_multiply_nn(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c);
/* c[rows][columns] = a[depth][rows]^T b[depth][columns] */
vo_result vo_dense_multiply_tn(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c);
/* c[rows][columns] = a[rows][depth] b[columns][depth]^T */
vo_result vo_dense_multiply_nt(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c);

/* Replaces the symmetric a[n][n], of which the lower triangle is read, by its Cholesky factor in
 * the lower triangle. Returns false if a pivot is not positive. */
bool vo_dense_cholesky(int n, double *a);
/* Solves L L^T x = b in place. */
void vo_dense_cholesky_solve(int n, const double *factor, double *x);

#endif
