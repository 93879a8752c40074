/* Eigenvectors of symmetric matrices: the lowest ones of a sparse matrix by ARPACK (shift and
 * invert, factorised by CHOLMOD), all of a dense one by LAPACK.
 *
 * Results do not depend on the number of threads of the context. OpenBLAS sums in an order that
 * depends on its own number of threads, so it is limited to one thread during a call; that number
 * belongs to the process, and is restored afterwards. Bits depend on the processor, for which
 * OpenBLAS selects its kernels. ARPACK has static variables: one call of vo_eigen_lowest at a time
 * per process. */
#ifndef VO_LINALG_EIGEN_H
#define VO_LINALG_EIGEN_H

#include "core/context.h"

/* A symmetric sparse matrix: all entries of each row, columns ascending. Not owned. */
typedef struct vo_symmetric_matrix {
    int row_count;
    const int *first;    /* [row_count + 1] */
    const int *column;   /* [first[row_count]] */
    const double *value; /* [first[row_count]] */
} vo_symmetric_matrix;

/* True if the build has ARPACK, LAPACK and CHOLMOD. */
bool vo_eigen_lowest_available(void);
/* True if the build has LAPACK. */
bool vo_eigen_all_available(void);

/* The `count` lowest eigenvalues of a positive semidefinite matrix, ascending, and orthonormal
 * eigenvectors, vector[count][row_count]; 1 <= count < row_count. `shift` > 0 makes the matrix
 * definite: A + shift I is factorised; about the distance of two eigenvalues is best. Fails with
 * VO_BAD_ARGUMENT if the build lacks a library, VO_BAD_DATA if the matrix is not positive
 * semidefinite or the iteration does not converge. */
vo_result vo_eigen_lowest(vo_context *ctx, const vo_symmetric_matrix *a, double shift, int count,
                          double *value, double *vector);

/* All eigenvalues of the dense symmetric matrix[n][n], ascending; the matrix is replaced by
 * orthonormal eigenvectors, one per row. Divide and conquer; needs 2 n^2 doubles of scratch. */
vo_result vo_eigen_all(vo_context *ctx, int n, double *matrix, double *value);

/* y = A x */
void vo_symmetric_multiply(const vo_symmetric_matrix *a, const double *x, double *y);

#endif
