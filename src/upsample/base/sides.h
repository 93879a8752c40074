/* Sides of triangles, sorted so that the sides of one edge are consecutive. */
#ifndef VO_UPSAMPLE_BASE_SIDES_H
#define VO_UPSAMPLE_BASE_SIDES_H

#include "core/context.h"

#include <stdint.h>

typedef struct vo_triangle_side {
    int a, b;   /* vertices, a < b */
    int corner; /* opposite: 3 triangle + k */
} vo_triangle_side;

/* All sides by vertices, then by corner; NULL without memory. Released by vo_free_array with
 * 3 triangle_count elements. */
vo_triangle_side *vo_triangle_sides_create(vo_context *ctx, int triangle_count,
                                           const int32_t *triangle);

/* True if two sides are of one edge. */
static inline bool vo_is_same_edge(const vo_triangle_side *s, const vo_triangle_side *t) {
    return s->a == t->a && s->b == t->b;
}

#endif
