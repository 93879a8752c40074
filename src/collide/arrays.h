/* Array helpers of collide/: padded arrays, weighted sums. */
#ifndef VO_COLLIDE_ARRAYS_H
#define VO_COLLIDE_ARRAYS_H

#include "core/memory.h"
#include "core/union_find.h"
#include "math/vec.h"

/* Allocates a zeroed array of n elements and two spare ones: prefix sums need one or two extra
 * elements, and an empty array is not NULL. */
#define VO_PADDED_NEW(ctx, array, n) \
    ((array) = vo_alloc_zero((ctx), ((size_t)(n) + 2) * sizeof *(array)))
#define VO_PADDED_FREE(ctx, array, n) vo_free((ctx), (array), ((size_t)(n) + 2) * sizeof *(array))

/* Returns the sum of weight[i] x[node[i]]. */
static inline vo_vec3 vo_weighted_sum(const double weight[4], const int node[4], const vo_vec3 *x) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 4; i++) sum = v3_add_scaled(sum, weight[i], x[node[i]]);
    return sum;
}

#endif
