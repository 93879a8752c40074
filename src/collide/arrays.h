/* What the parts of collide/ do with arrays: padded ones, weighted sums. */
#ifndef VO_COLLIDE_ARRAYS_H
#define VO_COLLIDE_ARRAYS_H

#include "core/forest.h"
#include "core/memory.h"
#include "math/vec.h"

/* An array of n elements, all zero, with room for two more: where counts become places, there is
 * one element more, or two; and an array of none is never NULL. */
#define VO_PADDED_NEW(ctx, array, n) \
    ((array) = vo_alloc_zero((ctx), ((size_t)(n) + 2) * sizeof *(array)))
#define VO_PADDED_FREE(ctx, array, n) vo_free((ctx), (array), ((size_t)(n) + 2) * sizeof *(array))

/* The sum of weight[i] x[node[i]]. */
static inline vo_vec3 vo_weighted_sum(const double weight[4], const int node[4], const vo_vec3 *x) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 4; i++) sum = v3_add_scaled(sum, weight[i], x[node[i]]);
    return sum;
}

#endif
