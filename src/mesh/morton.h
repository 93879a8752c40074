/* Places along a Z-shaped curve through a square (Morton 1966): what is close on the curve is close
 * in the square. */
#ifndef VO_MESH_MORTON_H
#define VO_MESH_MORTON_H

#include "math/vec.h"

enum { VO_MORTON_CELLS = 2048, VO_MORTON_BITS = 11 }; /* cells along a side, and their bits */

/* Puts a zero before each of eleven bits. */
static inline int vo_morton_spread(int x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/* The cell of a coordinate; what lies outside counts to the outermost one. */
static inline int vo_morton_cell(double x, double low, double side) {
    double at = side > 0 ? (x - low) / side * VO_MORTON_CELLS : 0;
    return at < 0 ? 0 : at >= VO_MORTON_CELLS ? VO_MORTON_CELLS - 1 : (int)at;
}

/* The place of a point, of 2 VO_MORTON_BITS bits, in a square given by its corner and side. */
static inline int vo_morton_code(vo_vec2 u, vo_vec2 low, double side) {
    return vo_morton_spread(vo_morton_cell(u.x, low.x, side)) |
           vo_morton_spread(vo_morton_cell(u.y, low.y, side)) << 1;
}

#endif
