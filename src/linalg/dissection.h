/* Nested dissection: an order of elimination for a sparse factor that keeps it sparse.
 *
 * A part of the graph is cut in two by a separator, a few rows without which the rest falls apart.
 * They are eliminated last; the halves, which no longer know of each other, are cut again. The two
 * functions differ in how they find a separator:
 *
 *   numbered  The numbering that comes in (linalg/ordering.h) is a recursive bisection already, so
 *             the separator is there without a search: the rows of the first half that are coupled
 *             to the second.
 *
 *                 first half  | second half          order: first \ S, second, S
 *                 . . . . . S | o . . . . .
 *                 . . . . . S | o . . . . .
 *
 *   graph     Contacts couple rows that are far apart in any numbering of the fabric. So rows are
 *             taken in the order of their distance from one end of the part (breadth first search),
 *             and the half that is nearer gives the separator. A rope of wound cloth is cut
 *             across. */
#ifndef VO_LINALG_DISSECTION_H
#define VO_LINALG_DISSECTION_H

#include "linalg/block_matrix.h"

/* step_of[i]: when row i is eliminated. Of the graph only row_start, column and diagonal count. */
void vo_dissect_numbered(const vo_block_pattern *graph, int *step_of);
/* `scratch` has room for vo_dissect_scratch(row count) entries. */
void vo_dissect_graph(const vo_block_pattern *graph, int *step_of, int *scratch);
static inline size_t vo_dissect_scratch(int rows) { return 3 * (size_t)rows; }

#endif
