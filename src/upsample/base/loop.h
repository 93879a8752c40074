/* Loop subdivision of the coarse mesh as sparse rows (base_operator.h). */
#ifndef VO_UPSAMPLE_BASE_LOOP_H
#define VO_UPSAMPLE_BASE_LOOP_H

#include "upsample/base/base_operator.h"
#include "upsample/base/surface_location.h"

/* Appends one row per fine vertex: the limit surface at location[fine->vertex_count]. */
vo_result vo_loop_append(const vo_upsample_mesh *coarse, const vo_upsample_mesh *fine,
                         const vo_upsample_location *location, vo_sparse_rows *out);

#endif
