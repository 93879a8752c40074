#include "upsample/base/sides.h"

#include "core/memory.h"

#include <stdlib.h>

static int compare_sides(const void *x, const void *y) {
    const vo_triangle_side *s = x, *t = y;
    if (s->a != t->a) return s->a < t->a ? -1 : 1;
    if (s->b != t->b) return s->b < t->b ? -1 : 1;
    return (s->corner > t->corner) - (s->corner < t->corner);
}

vo_triangle_side *vo_triangle_sides_create(vo_context *ctx, int triangle_count,
                                           const int32_t *triangle) {
    int count = 3 * triangle_count;
    vo_triangle_side *sides = vo_new_array(ctx, vo_triangle_side, count);
    if (!sides) return NULL;
    for (int c = 0; c < count; c++) {
        const int32_t *t = triangle + c / 3 * 3;
        int a = t[(c + 1) % 3], b = t[(c + 2) % 3];
        sides[c] = (vo_triangle_side){a < b ? a : b, a < b ? b : a, c};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    return sides;
}
