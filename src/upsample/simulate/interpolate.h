/* Barycentric interpolation of a coarse mesh at the vertices of a fine mesh of the same fabric:
 * vertices are located by patch and material position (mesh/locate.h), so that layers that touch or
 * cross in the rest shape are not confused. */
#ifndef VO_UPSAMPLE_SIMULATE_INTERPOLATE_H
#define VO_UPSAMPLE_SIMULATE_INTERPOLATE_H

#include "mesh/mesh.h"
#include "upsample/simulate/follow.h"

/* Sets the rows of B, three entries each, with sums of 1; their arrays are owned by the caller. A
 * fine vertex outside the outline of the coarse mesh is at its nearest border. */
vo_result vo_upsample_interpolate(vo_context *ctx, const vo_mesh *coarse, const vo_mesh *fine,
                                  vo_upsample_rows *out);
void vo_upsample_rows_free(vo_context *ctx, vo_upsample_rows *rows);

/* out[i] = B x for coarse vectors of four floats, fine vectors of three. */
void vo_upsample_rows_apply(const vo_upsample_rows *rows, const float *x, float *out);
/* RMS distance of fine vertices y from B x, m; x and y have four floats each. `scratch` [3 N]
 * receives B x. */
float vo_upsample_rows_distance(const vo_upsample_rows *rows, const float *x, const float *y,
                                float *scratch);

#endif
