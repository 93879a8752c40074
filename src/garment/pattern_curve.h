/* Curves of pattern pieces: chains of cubic Bezier curves, measured by length.
 *
 * Straight lines, quadratic curves and splines are cubics exactly; an arc is divided into pieces of
 * at most 15 degrees, whose error is below 1e-8 of the radius. One kind of piece serves every edge,
 * so that lengths, areas, subdivision and reflection are implemented once. */
#ifndef VO_GARMENT_PATTERN_CURVE_H
#define VO_GARMENT_PATTERN_CURVE_H

#include "math/vec.h"

typedef struct vo_bezier {
    vo_vec2 p[4]; /* start, two handles, end */
} vo_bezier;

vo_bezier vo_bezier_line(vo_vec2 a, vo_vec2 b);
vo_bezier vo_bezier_quadratic(vo_vec2 a, vo_vec2 handle, vo_vec2 b);
/* Creates an arc from a to b whose apex is `bulge` to the right of the chord (negative: to the
 * left). Returns the number of pieces, at most VO_ARC_PIECES; a bulge of 0 gives a line. */
enum { VO_ARC_PIECES = 24 };
int vo_bezier_arc(vo_vec2 a, vo_vec2 b, double bulge, vo_bezier out[VO_ARC_PIECES]);
/* Creates a Catmull-Rom spline through n points; n - 1 pieces. */
void vo_bezier_spline(int n, const vo_vec2 *point, vo_bezier *out);

vo_bezier vo_bezier_reversed(vo_bezier b);
vo_vec2 vo_bezier_point(const vo_bezier *b, double t);
double vo_bezier_length(const vo_bezier *b, double t); /* m, from 0 to t */
/* Returns the integral of (x dy - y dx) / 2, its contribution to the area of a closed outline.
 * Exact. */
double vo_bezier_area(const vo_bezier *b);
/* Returns the total turning angle of its direction, rad. */
double vo_bezier_turning(const vo_bezier *b);

/* The same for chains of pieces. */
double vo_chain_length(int count, const vo_bezier *piece);
vo_vec2 vo_chain_point(int count, const vo_bezier *piece, double length);
/* Writes the part between two lengths to out[count]; returns its number of pieces. */
int vo_chain_part(int count, const vo_bezier *piece, double from, double to, vo_bezier *out);

#endif
