/* Row numbering of a sparse matrix.
 *
 * All algorithms of this folder benefit from coupled rows being close together, and the two-level
 * preconditioner takes VO_ORDER_LEAF consecutive rows as a patch of the mesh. Rows are therefore
 * numbered by recursive coordinate bisection: divide the mesh across its longest side, number one
 * half before the other, and recurse. Every aligned group of 16, 32, 64... rows is then a compact
 * patch with a short border, and a sweep through the rows mostly advances in one direction.
 *
 * Rejected: reverse Cuthill-McKee, whose levels are long and thin; and a space-filling curve, whose
 * groups of 16 straddle the curve's cells if the mesh width is not a power of two.
 *
 * The coordinates are the material coordinates of the nodes. Straight borders along warp and weft
 * allow patches to slide past each other at the cost of shear only, which saves a quarter of the
 * iterations. */
#ifndef VO_LINALG_ORDERING_H
#define VO_LINALG_ORDERING_H

#include "core/context.h"

enum { VO_ORDER_LEAF = 16 };

/* Computes row_of[i], the row of item i of [0, count) at position at[i]. Coupled items should be
 * close; panels that overlap in material space are separated by a third coordinate larger than
 * their size. O(count log(count)). */
vo_result vo_order_points(vo_context *ctx, int count, const vo_vec3 *at, int *row_of);

/* Returns how many of `leaves` >= 2 leaves the first half of a part gets: about half, in multiples
 * of 16 while there are many, so that aligned groups of 256 rows are parts too. */
int vo_order_split(int leaves);

#endif
