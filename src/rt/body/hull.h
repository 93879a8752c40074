/* Convex hulls of small point sets. */
#ifndef VO_RT_BODY_HULL_H
#define VO_RT_BODY_HULL_H

#include "rt/base/vec.h"

enum { VO_RT_MAX_HULL_POINTS = 256, VO_RT_MAX_HULL_TRIANGLES = 2 * VO_RT_MAX_HULL_POINTS };

/* A closed, outward-facing triangle mesh. */
typedef struct vo_rt_hull {
    int vertex_count, triangle_count;
    vo_rt_vec3 vertex[VO_RT_MAX_HULL_POINTS];
    int32_t triangle[3 * VO_RT_MAX_HULL_TRIANGLES];
} vo_rt_hull;

/* Quickhull. Points within 1e-4 of the size of the hull are dropped, so that coplanar points leave
 * no slivers. VO_BAD_ARGUMENT (without a message): the points (4 to 256, finite) are in a plane. */
vo_result vo_rt_hull_build(const vo_allocator *allocator, int count, const vo_rt_vec3 *points,
                           vo_rt_hull *hull);

#endif
