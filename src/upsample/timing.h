/* Time of the operators of a detail mesh alone, without the stages around them. */
#ifndef VO_UPSAMPLE_TIMING_H
#define VO_UPSAMPLE_TIMING_H

#include "core/context.h"

#include <voile/rt.h>

typedef struct vo_upsample_timing {
    double warm_s, cold_s; /* s, shortest evaluation: operators in the cache; caches overwritten */
    size_t bytes;          /* of the detail in the asset */
} vo_upsample_timing;

/* Evaluates the operators of an asset with a detail mesh, equally weighted, on its rest shape. The
 * time does not depend on the positions. */
vo_result vo_upsample_time_operators(vo_context *ctx, const vo_rt_asset *asset,
                                     vo_upsample_timing *out);

#endif
