/* Morton codes (Morton 1966): positions along a Z-order curve through a square. Points that are
 * close on the curve are close in the square. */
#ifndef VO_MESH_MORTON_H
#define VO_MESH_MORTON_H

#include "math/vec.h"

enum { VO_MORTON_CELLS = 2048, VO_MORTON_BITS = 11 }; /* cells per side; bits of a cell index */

/* Inserts a zero bit before each of the eleven lowest bits. */
static inline int vo_morton_spread(int x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/* The cell of a coordinate, clamped to the square. */
static inline int vo_morton_cell(double x, double low, double side) {
    double at = side > 0 ? (x - low) / side * VO_MORTON_CELLS : 0;
    return at < 0 ? 0 : at >= VO_MORTON_CELLS ? VO_MORTON_CELLS - 1 : (int)at;
}

/* Morton code (2 VO_MORTON_BITS bits) of a point in a square given by its minimum corner and side.
 */
static inline int vo_morton_code(vo_vec2 u, vo_vec2 low, double side) {
    return vo_morton_spread(vo_morton_cell(u.x, low.x, side)) |
           vo_morton_spread(vo_morton_cell(u.y, low.y, side)) << 1;
}

#endif
