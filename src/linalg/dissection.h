/* Nested dissection: a fill-reducing elimination order.
 *
 * A part of the graph is divided by a separator, a small set of rows whose removal disconnects the
 * rest. The separator is eliminated last; the halves, which are then independent, are divided
 * recursively. The two functions differ in how they find a separator:
 *
 *     numbered  The given numbering (linalg/ordering.h) is a recursive bisection, so the separator
 *               needs no search: the rows of the first half that are coupled to the second.
 *
 *                   first half  | second half          order: first \ S, second, S
 *                   . . . . . S | o . . . . .
 *                   . . . . . S | o . . . . .
 *
 *     graph     Contacts couple rows that are far apart in any numbering of the fabric. Rows are
 *               ordered by distance from one end of the part (breadth-first search), and the
 *               separator is taken from the closer half. A rope of wound cloth is cut across. */
#ifndef VO_LINALG_DISSECTION_H
#define VO_LINALG_DISSECTION_H

#include "linalg/block_matrix.h"

/* Computes step_of[i], the elimination step of row i. Of the graph only row_start, column and
 * diagonal are used. */
void vo_dissect_numbered(const vo_block_pattern *graph, int *step_of);
/* Like vo_dissect_numbered, by graph distance; `scratch` has vo_dissect_scratch(row count) entries.
 */
void vo_dissect_graph(const vo_block_pattern *graph, int *step_of, int *scratch);
static inline size_t vo_dissect_scratch(int rows) { return 3 * (size_t)rows; }

#endif
