/* The linear algebra of a fit (fit.h), shared with cross-validation. */
#ifndef VO_UPSAMPLE_FIT_FIT_PROBLEM_H
#define VO_UPSAMPLE_FIT_FIT_PROBLEM_H

#include "upsample/fit/fit.h"

/* Basis of the rows of D: harmonics divided by the weights of the vertices, or the vertices
 * themselves. */
typedef struct vo_fit_basis {
    vo_context *ctx;
    const vo_harmonics *harmonics; /* NULL: vertices */
    int row_count;                 /* harmonics used, or vertices */
    int fine_count;
    double *weight; /* [fine_count] root of the weight of a vertex; NULL: 1 */
} vo_fit_basis;

vo_result vo_fit_basis_create(vo_context *ctx, const vo_harmonics *harmonics,
                              const vo_upsample_fit_def *def, int fine_count, int coarse_count,
                              vo_fit_basis *out);
void vo_fit_basis_free(vo_fit_basis *basis);

/* rows[row_count][columns] = Q^T diag(weight) value[fine_count][columns] */
vo_result vo_fit_basis_project(const vo_fit_basis *basis, int columns, const double *value,
                               double *rows);
/* value[fine_count][columns] = diag(1 / weight) Q rows[row_count][columns] */
vo_result vo_fit_basis_expand(const vo_fit_basis *basis, int columns, const double *rows,
                              double *value);

/* penalty[row_count] = gamma_n^2 area, m^2 */
void vo_fit_penalties(const vo_fit_basis *basis, const vo_upsample_fit_def *def, double area,
                      double *penalty);

/* sum |row|^2 and so on: |D P - R|^2 = energy - 2 <D, cross> + <D gram, D> for rows of D, with
 * energy = |R|^2, cross = R P^T, gram = P P^T. */
vo_result vo_fit_energy(vo_context *ctx, int rows, int columns, const double *d,
                        const double *cross, const double *gram, double energy, double *out);

/* Squared error of the base operator over the frames of a fold, m^2: sum over fine vertices of
 * |weight|^2 |p_f - B p_c|^2; weight may be NULL. */
double vo_fit_base_energy(const vo_upsample_products *products, const vo_sparse_rows *base,
                          const double *weight, int fold);

/* Sum of a fold's matrices over all folds except `skip` (-1: none). */
void vo_fit_sum_folds(int folds, int skip, size_t count, const double *fold, double *sum);

#endif
