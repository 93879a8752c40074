/* Compressed forms of the residual D of an operator; the base operator is kept in full.
 *
 * - Low rank: D ~ L R, both in half floats: the product costs (N + I) r instead of N I operations,
 *   for N fine vertices and I inputs.
 * - Sparse rows: the k entries of each row that matter most, refitted so that the row keeps its
 *   effect and its sum of 0.
 *
 * Both minimise the change of the positions in the training data, |(D - D') P_c|, with a small
 * addition for inputs in all directions, so that unseen motions change little, too. Without
 * training data they minimise |D - D'|. Sums of rows remain 0: translations are reproduced. */
#ifndef VO_UPSAMPLE_COMPRESS_COMPRESS_H
#define VO_UPSAMPLE_COMPRESS_COMPRESS_H

#include "upsample/fit/products.h"
#include "upsample/operator.h"

/* What a compressed form changes. */
typedef struct vo_compression_error {
    float rms;   /* m, root mean square of |(D - D') p_c| over vertices and training frames; 0 if
                    there are no training data */
    float bound; /* largest Euclidean norm of a row of D - D': no position changes by more than this
                    times the root of the summed squared distances of all inputs from their centroid
                  */
    float relative; /* Frobenius norm of D - D' / that of D */
} vo_compression_error;

typedef struct vo_low_rank {
    vo_context *ctx;
    int fine_count, input_count, rank;
    uint16_t *left;  /* [fine_count][rank] half floats (rt/base/half.h) */
    uint16_t *right; /* [rank][input_count] half floats; rows of every block of coarse_count sum to
                        0 within rounding */
    size_t bytes;    /* of both */
    vo_compression_error error;
} vo_low_rank;

typedef struct vo_sparse_residual {
    vo_context *ctx;
    int fine_count, input_count, row_entries; /* entries of each row */
    int *column;                              /* [fine_count][row_entries] ascending */
    float *weight;                            /* [fine_count][row_entries] */
    size_t bytes;                             /* with 2-byte columns */
    vo_compression_error error;
} vo_sparse_residual;

/* Largest rank whose halves fit into `bytes`; at least 1, at most the number of inputs. */
int vo_low_rank_for_bytes(const vo_upsample_operator *op, size_t bytes);

/* 1 <= rank <= inputs. `products` of the training data, with the operator's history; NULL: none.
 * VO_BAD_ARGUMENT if the build has no LAPACK or a factor exceeds the range of half floats. */
vo_result vo_low_rank_create(const vo_upsample_operator *op, const vo_upsample_products *products,
                             int rank, vo_low_rank **out);
void vo_low_rank_destroy(vo_low_rank *low_rank); /* NULL is allowed */

/* 2 <= row_entries <= inputs. */
vo_result vo_sparse_residual_create(const vo_upsample_operator *op,
                                    const vo_upsample_products *products, int row_entries,
                                    vo_sparse_residual **out);
void vo_sparse_residual_destroy(vo_sparse_residual *sparse); /* NULL is allowed */

/* The compressed residual in full, value[fine_count][input_count]. */
void vo_low_rank_expand(const vo_low_rank *low_rank, float *value);
void vo_sparse_residual_expand(const vo_sparse_residual *sparse, float *value);

#endif
