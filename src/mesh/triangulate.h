/* Cutting a flat region into triangles of good shape: constrained Delaunay, then refined.
 *
 * A region is bounded by closed loops of points: one around the outside, others around holes, each
 * in either direction (what lies inside an odd number of loops belongs to the region). Segments of
 * the loops, and the lines drawn inside, are edges of the result, and they are never split: who
 * samples the outline decides how many points it has, since the two sides of a seam must agree.
 *
 *     o-----o-----o-----o       o outline, given            loops      never split
 *     |  \ / \  /  \   /|       + added by refinement       lines      never split, both sides in
 *     o---+---+-----+-- o                                   sizes      the length of the segments
 *     |  /  \ |  /  \ \ |                                              around a point; between
 *     o-----o-----o-----o                                              them they grow gently
 *
 * Three passes:
 *  1. Lawson's incremental Delaunay triangulation in a large triangle, then the segments recovered
 *     by flips (Sloan 1993, "A fast algorithm for generating constrained Delaunay triangulations"),
 *     then everything outside carved away.
 *  2. Refinement (Chew 1989, "Guaranteed-quality triangular meshes"; Ruppert 1995): centres of the
 *     circles around triangles that are too large or too sharp become points, worst first, unless
 *     they come too near to a segment.
 *  3. Smoothing: added points move to the middle of their neighbours where that makes the smallest
 *     angle larger, and edges are flipped to Delaunay again.
 *
 * Which side of a line a point is on is answered exactly (math/predicates.h). The circle test is
 * not: it says "inside" only where rounding cannot have caused it, so flips never run in a circle,
 * and the result is Delaunay up to 1e-15 of the sizes involved. */
#ifndef VO_MESH_TRIANGULATE_H
#define VO_MESH_TRIANGULATE_H

#include "core/context.h"
#include "math/vec.h"

/* What to triangulate. Points of the loops come first, loop after loop; those of the lines may be
 * points of loops or follow. No two points may coincide. Borrowed. */
typedef struct vo_region {
    int point_count;
    const vo_vec2 *point;
    int loop_count;
    const int *loop_end; /* [loop_count] loop i has the points from loop_end[i - 1] (or 0) on */
    int line_count;
    const int (*line)[2]; /* [line_count] segments inside that become edges */
} vo_region;

/* In square brackets what vo_triangulate_def_default sets. */
typedef struct vo_triangulate_def {
    bool refine;      /* [true] add points; else only those given are joined */
    double size;      /* [inf] m, edges are about this long where the outline does not ask for
                         shorter ones; positive */
    double growth;    /* [0.25] how much longer edges may get per distance from a segment */
    double min_angle; /* [28] degrees, aimed at; at most 30 */
    int smoothing;    /* [12] rounds */
    int max_points;   /* [4 million] more is VO_BAD_CALL */
} vo_triangulate_def;

vo_triangulate_def vo_triangulate_def_default(void);

typedef struct vo_triangulation {
    vo_context *ctx;
    int point_count, point_capacity;
    vo_vec2 *point; /* those of the region first, in their order */
    int face_count, face_capacity;
    int (*face)[3]; /* counter-clockwise */
} vo_triangulation;

/* VO_BAD_DATA with the numbers of the points where a coordinate is not finite, two coincide, two
 * segments cross or overlap, or nothing is inside. Needs no free then. */
vo_result vo_triangulate(vo_context *ctx, const vo_region *region, const vo_triangulate_def *def,
                         vo_triangulation *out);
void vo_triangulation_free(vo_triangulation *t);

/* Smallest angle of a triangle in degrees; 0 if it has no area or turns to the right. */
double vo_triangle_min_angle(vo_vec2 a, vo_vec2 b, vo_vec2 c);

#endif
