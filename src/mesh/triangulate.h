/* Triangulation of planar regions: constrained Delaunay with quality refinement.
 *
 * A region is bounded by closed loops of points: one around the outside, others around holes, in
 * any direction (even-odd rule). Segments of the loops and the inner lines are edges of the result
 * and are never split: the caller determines the sampling of the outline, since the two sides of a
 * seam must match.
 *
 *     o-----o-----o-----o       o outline, given            loops      never split
 *     |  \ / \  /  \   /|       + added by refinement       lines      never split, both sides in
 *     o---+---+-----+-- o                                   sizes      the length of the segments
 *     |  /  \ |  /  \ \ |                                              around a point, growing with
 *     o-----o-----o-----o                                              the distance from them
 *
 * Three passes:
 *  1. Lawson's incremental Delaunay triangulation in a large triangle, recovery of the segments by
 *     flips (Sloan 1993, "A fast algorithm for generating constrained Delaunay triangulations"),
 *     removal of everything outside.
 *  2. Refinement (Chew 1989, "Guaranteed-quality triangular meshes"; Ruppert 1995): inserts
 *     circumcentres of triangles that are too large or too sharp, worst first, unless they encroach
 *     upon a segment.
 *  3. Smoothing: added points move to the mean of their neighbours where that increases the
 *     smallest angle, and edges are flipped to Delaunay again.
 *
 * Orientation tests are exact (math/predicates.h). The in-circle test is conservative: it returns
 * true only where rounding cannot be the cause, so flips never cycle, and the result is Delaunay up
 * to 1e-15 of the sizes involved. */
#ifndef VO_MESH_TRIANGULATE_H
#define VO_MESH_TRIANGULATE_H

#include "core/context.h"
#include "math/vec.h"

/* The region. Points of the loops come first, loop after loop; lines may use points of loops or
 * later ones. No two points may coincide. Arrays are borrowed. */
typedef struct vo_planar_region {
    int point_count;
    const vo_vec2 *point;
    int loop_count;
    const int *loop_end; /* [loop_count] loop i has the points loop_end[i - 1] (or 0) to here */
    int line_count;
    const int (*line)[2]; /* [line_count] inner segments that become edges */
} vo_planar_region;

/* Defaults of vo_triangulate_def_default are in square brackets. */
typedef struct vo_triangulate_def {
    bool refine;          /* [true] add points; otherwise only the given points are joined */
    double size;          /* [inf] m, target edge length away from shorter segments; positive */
    double growth;        /* [0.25] growth of the edge length per distance from a segment */
    double min_angle;     /* [28] degrees, target; at most 30 */
    int smoothing_rounds; /* [12] */
    int max_points;       /* [4 million] more fails with VO_BAD_ARGUMENT */
} vo_triangulate_def;

vo_triangulate_def vo_triangulate_def_default(void);

typedef struct vo_triangulation {
    vo_context *ctx;
    int point_count, point_capacity;
    vo_vec2 *point; /* those of the region first, in their order */
    int face_count, face_capacity;
    int (*face)[3]; /* counter-clockwise */
} vo_triangulation;

/* Fails with VO_BAD_DATA and the indices of the points if a coordinate is not finite, two points
 * coincide, two segments intersect, or the interior is empty; `out` then needs no free. */
vo_result vo_triangulate(vo_context *ctx, const vo_planar_region *region,
                         const vo_triangulate_def *def, vo_triangulation *out);
void vo_triangulation_free(vo_triangulation *t);

/* Smallest angle of a triangle, degrees; 0 if it has no area or is clockwise. */
double vo_triangle_min_angle(vo_vec2 a, vo_vec2 b, vo_vec2 c);

#endif
