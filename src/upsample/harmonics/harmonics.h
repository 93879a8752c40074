/* Mesh harmonics: the lowest eigenvectors of the symmetrised Laplacian L = Q Lambda Q^T
 * (laplacian.h; Vallet and Levy 2008), ordered by eigenvalue.
 *
 * Columns of Q are orthonormal. The generalised modes K phi = lambda V phi are phi = V^-1/2 q; the
 * first of them is constant. On a uniform mesh both bases differ by a factor only. A truncated
 * basis does not contain the constant vector itself unless the mesh is uniform (Q Q^T 1 is not 1),
 * so sums of rows are a constraint of their own (fit.h).
 *
 * Harmonics depend on the mesh alone and take seconds to minutes, so they are kept in the cache of
 * the context (codec/cache.h). */
#ifndef VO_UPSAMPLE_HARMONICS_HARMONICS_H
#define VO_UPSAMPLE_HARMONICS_HARMONICS_H

#include "upsample/pairs.h"

typedef struct vo_harmonics {
    vo_context *ctx;
    int vertex_count, count;
    double total_area; /* m^2 */
    double *area;      /* [vertex_count] m^2, V */
    double *value;     /* [count] 1/m^2, ascending; the first one is 0 up to rounding */
    double *mode;      /* [count][vertex_count] orthonormal: columns of Q. Of each mode and its
                          negative, the one is chosen whose product with a fixed vector is positive;
                          the first mode is positive */
    uint64_t key;      /* vo_harmonics_key */
    bool was_stored;   /* read from the cache */
} vo_harmonics;

typedef struct vo_harmonics_def {
    int count; /* modes; 0 (default) or at least the number of vertices: all */
} vo_harmonics_def;

vo_harmonics_def vo_harmonics_def_default(void);

/* Computes harmonics or reads them. The lowest modes of a larger stored number are not reused: the
 * last bits of a mode depend on the number, and results must not depend on what is stored.
 * VO_BAD_ARGUMENT if the build lacks ARPACK and LAPACK. */
vo_result vo_harmonics_create(vo_context *ctx, const vo_upsample_mesh *mesh,
                              const vo_harmonics_def *def, vo_harmonics **out);
void vo_harmonics_destroy(vo_harmonics *harmonics); /* NULL is allowed */

/* lambda_n A / (4 pi N): without unit, and by Weyl's law about (n - 1) / N for low modes. */
double vo_harmonics_normalised(const vo_harmonics *harmonics, int mode);

/* Hash of the mesh, as far as the Laplacian depends on it, and the number of modes. */
uint64_t vo_harmonics_key(const vo_upsample_mesh *mesh, int count);

#endif
