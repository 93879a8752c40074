/* Numbering the rows of a sparse matrix.
 *
 * Everything in this folder is fastest when rows that are coupled are near each other, and the
 * two-level preconditioner takes VO_ORDER_LEAF consecutive rows for one patch of the mesh. So rows
 * are numbered by recursive bisection: cut the mesh across its longest side into two halves, number
 * the one before the other, and go on within each. Every aligned run of 16, 32, 64... rows is then
 * a compact patch with a short border, and a sweep through the rows mostly runs one way.
 *
 * Reverse Cuthill-McKee was rejected: its layers are long and thin. So was a space-filling curve:
 * where a mesh is not a power of two wide, its runs of 16 straddle the curve's squares.
 *
 * Which positions to cut by: the nodes' material coordinates. Straight borders
 * along warp and weft let patches slide past each other as cheaply as the fabric shears, and that
 * saves a quarter of the iterations. Without positions the graph itself is laid out first. */
#ifndef VO_LINALG_ORDERING_H
#define VO_LINALG_ORDERING_H

#include "core/context.h"

enum { VO_ORDER_LEAF = 16 };

/* row_of[i]: the row to give to item i of [0, count), which lies at `at[i]`. Items that are coupled
 * should be close; panels that overlap in material space are kept apart by a third coordinate that
 * is larger than they are. Costs about count log(count). */
vo_result vo_order_points(vo_context *ctx, int count, const vo_vec3 *at, int *row_of);

/* How many of `leaves` >= 2 leaves the first half of a part gets: about half, in whole groups of 16
 * while there are many, so that aligned runs of 256 rows are parts as well. */
int vo_order_cut(int leaves);

#endif
