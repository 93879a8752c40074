/* Corners of triangles: cyclic indices and the signed area in material space. */
#ifndef VO_MESH_CORNER_H
#define VO_MESH_CORNER_H

#include "math/vec.h"

static inline int vo_next_corner(int corner) { return corner == 2 ? 0 : corner + 1; }
static inline int vo_prev_corner(int corner) { return corner == 0 ? 2 : corner - 1; }

/* Twice the signed area of a triangle. */
static inline double vo_triangle_cross(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(c, a));
}

#endif
