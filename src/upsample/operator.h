/* Upsampling operator: fine positions as a linear function of coarse positions (Kavan et al. 2011,
 * "Physics-inspired upsampling for cloth simulation in games").
 *
 *     p_f = B p_c + D [p_c; p_c(t - h); ...] + n (S sin + C cos)
 *
 *     B   sparse base operator, rows sum to 1: barycentric or Loop interpolation
 *     D   dense residual, the learned part; every block of M columns has rows that sum to 0
 *     n   normals of the fine surface; S, C: fields of the oscillatory modes
 *
 * The split into B and D keeps hems and the rest shape, which a truncated basis of harmonics cannot
 * represent, and makes affine invariance a property of the storage: D applied to a translation is
 * zero. D is float, B is exact up to rounding of its weights.
 *
 * Computed by upsample/fit.h, made smaller by upsample/compress.h. */
#ifndef VO_UPSAMPLE_OPERATOR_H
#define VO_UPSAMPLE_OPERATOR_H

#include "core/context.h"

#include <voile/upsample.h>

/* Errors of an operator on pairs, m: root mean square over vertices and frames. */
typedef struct vo_upsample_error {
    float rms;      /* of B p_c + D p_c */
    float max;      /* largest distance of a vertex; 0 after a fit, which does not measure it */
    float base_rms; /* of B p_c alone */
    float mode_rms; /* with the oscillatory modes, amplitude and phase fitted per sequence */
} vo_upsample_error;

/* Arrays are owned by the operator and allocated from `ctx`. */
typedef struct vo_upsample_operator {
    vo_context *ctx;
    int fine_count, coarse_count; /* N, M */
    int history;                  /* number of previous coarse states used as input; 0: none */
    float history_s;              /* s between these states */
    int base_entries;             /* elements of B */
    int *base_first;              /* [N + 1] rows of B in base_column, base_weight */
    int *base_column;             /* [base_entries] coarse vertices */
    float *base_weight;           /* [base_entries] rows sum to 1 */
    float *residual; /* [N][M (1 + history)] D; block k multiplies the state k steps before; rows of
                        every block sum to 0 */
    int mode_count;  /* pairs of oscillatory modes */
    float *mode_rate;     /* [mode_count] rad/s in the training data */
    float *mode_sine;     /* [mode_count][N] m, displacements along the normal */
    float *mode_cosine;   /* [mode_count][N] m */
    float *mode_fraction; /* [mode_count] energy of the residual along the normals that the mode
                             removed, 0 to 1 */
    float mode_wind;      /* m/s, mean wind speed of the training data; 0: none */
    vo_upsample_fit_def parameters; /* with the automatic values resolved */
    int frame_count;                /* frames of the training data */
    vo_upsample_error error;        /* on the training data */
} vo_upsample_operator;

typedef struct vo_upsample_operator_size {
    int fine_count, coarse_count, base_entries, history, mode_count;
} vo_upsample_operator_size;

/* Allocates an operator whose arrays are zero. *out is NULL on failure. */
vo_result vo_upsample_operator_create(vo_context *ctx, const vo_upsample_operator_size *size,
                                      vo_upsample_operator **out);
void vo_upsample_operator_destroy(vo_upsample_operator *op); /* NULL is allowed */

/* Replaces the oscillatory modes by `count` modes of zeros. Without memory there are none. */
vo_result vo_upsample_operator_set_mode_count(vo_upsample_operator *op, int count);

/* Checks an operator from a file: sizes, columns in range, finite values, rows of B that sum to 1
 * and of D that sum to 0 within rounding. VO_BAD_DATA with a message otherwise. */
vo_result vo_upsample_operator_validate(vo_context *ctx, const vo_upsample_operator *op);

/* fine[3 N] = B coarse + D states, without oscillatory modes. states[k], k = 0..history: coarse
 * positions [3 M] k steps before; states[0] is the current one. Double accumulation: a reference
 * for faster evaluations. */
void vo_upsample_operator_apply(const vo_upsample_operator *op, const float *const *states,
                                float *fine);

/* Applies B only. */
void vo_upsample_operator_apply_base(const vo_upsample_operator *op, const float *coarse,
                                     float *fine);

/* Shape of an operator, for reports. */
typedef struct vo_upsample_operator_stats {
    double max_base_sum_error;     /* largest |row sum - 1| of B */
    double max_residual_sum_error; /* largest |row sum| of a block of D */
    double residual_norm;          /* Frobenius norm of D */
    double max_weight, min_weight; /* of U = B + D, current state */
    double negative_share;         /* sum of negative weights of U / sum of absolute weights */
    double effective_inputs;       /* mean over rows of (sum |u|)^2 / sum u^2: coarse vertices that
                                      determine a fine vertex */
    size_t base_bytes, residual_bytes, mode_bytes;
} vo_upsample_operator_stats;

vo_upsample_operator_stats vo_upsample_operator_measure(const vo_upsample_operator *op);

#endif
