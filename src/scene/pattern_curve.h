/* Curves of pattern pieces: chains of cubic Bezier pieces, measured by length.
 *
 * Straight lines, quadratic curves and splines are cubics exactly; an arc is cut into pieces of at
 * most 15 degrees, which are off by less than 1e-8 of the radius. So one kind of piece serves every
 * edge, and lengths, areas, cuts and mirror images are written once. */
#ifndef VO_SCENE_PATTERN_CURVE_H
#define VO_SCENE_PATTERN_CURVE_H

#include "math/vec.h"

typedef struct vo_bezier {
    vo_vec2 p[4]; /* start, two handles, end */
} vo_bezier;

vo_bezier vo_bezier_line(vo_vec2 a, vo_vec2 b);
vo_bezier vo_bezier_quadratic(vo_vec2 a, vo_vec2 handle, vo_vec2 b);
/* From a to b, its highest point `bulge` to the right of the line (negative: to the left). Returns
 * the number of pieces, at most VO_ARC_PIECES; a bulge of 0 is a line. */
enum { VO_ARC_PIECES = 24 };
int vo_bezier_arc(vo_vec2 a, vo_vec2 b, double bulge, vo_bezier out[VO_ARC_PIECES]);
/* Through n points, each corner rounded as Catmull and Rom do; n - 1 pieces. */
void vo_bezier_spline(int n, const vo_vec2 *point, vo_bezier *out);

vo_bezier vo_bezier_reversed(vo_bezier b);
/* The part between two parameters. */
vo_bezier vo_bezier_part(vo_bezier b, double from, double to);
vo_vec2 vo_bezier_point(const vo_bezier *b, double t);
double vo_bezier_length(const vo_bezier *b, double t); /* from 0 to t */
double vo_bezier_parameter(const vo_bezier *b, double length);
/* The integral of x dy - y dx over 2: what it adds to the area of a closed outline. Exact. */
double vo_bezier_area(const vo_bezier *b);
/* How far its direction turns in all, rad. */
double vo_bezier_turning(const vo_bezier *b);

/* For chains of pieces. */
double vo_chain_length(int count, const vo_bezier *piece);
vo_vec2 vo_chain_point(int count, const vo_bezier *piece, double length);
/* The part between two lengths, into out[count]; returns its number of pieces. */
int vo_chain_part(int count, const vo_bezier *piece, double from, double to, vo_bezier *out);

#endif
