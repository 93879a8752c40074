/* The view frustum of a camera, and distances from it.
 *
 * All queries are in the camera frame (x right, y up, z forward), where the frustum is
 *
 *      |x| <= tan_x z,   |y| <= tan_y z,   near <= z <= far
 *
 *              far
 *       \---------------/          Point: mirrored into x, y >= 0, the closest point of each
 *        \   frustum   /           slice z is found by clamping, and its squared distance is
 *    p .  \           /              (z - pz)^2 + max(0, px - tan_x z)^2 + max(0, py - tan_y z)^2,
 *        ` q         /             convex and piecewise quadratic in z. The minimum is exact,
 *           \-------/  near        without a case per face, edge and corner.
 *            .     .
 *             camera
 *
 * Triangle: it touches the frustum if a corner is inside or if clipping by the six planes leaves a
 * polygon. Otherwise let c be its corner closest to the frustum and q the closest point of the
 * frustum to c. If the whole triangle lies beyond the plane through c normal to c - q, then |c - q|
 * is the distance, because the frustum lies on the other side of the parallel plane through q. This
 * settles nearly all cases; the rest (edge against edge, frustum corner against triangle interior)
 * are tested exhaustively.
 *
 * Rejected: GJK, which is not faster here and needs care with degenerate simplices. */
#ifndef VO_VIEW_FRUSTUM_H
#define VO_VIEW_FRUSTUM_H

#include "math/vec.h"

#include <voile/camera.h>

/* Maximum depth of a frustum, m. */
#define VO_FRUSTUM_MAX_DEPTH 1e6

typedef struct vo_frustum {
    vo_vec3 position, right, up, forward; /* camera frame, world */
    double tan_x, tan_y;                  /* positive */
    double z_near, z_far;                 /* m, 0 <= near <= far */
    double side_x, side_y; /* cosines of half the fields of view: (x - tan_x z) side_x is the
                              distance from the right plane */
    double inverse_slant2; /* 1 / (1 + tan_x^2 + tan_y^2) */
    vo_vec3 corner[8];     /* camera frame; bit 0: right, bit 1: up, bit 2: far */
} vo_frustum;

/* A triangle whose distance is below that of its closest corner by less than this is treated as
 * equally far, m. */
#define VO_FRUSTUM_TOLERANCE 1e-10

/* Returns the frustum of a camera; invalid values (zero field of view, far below near) are clamped.
 */
vo_frustum vo_frustum_make(const vo_camera *camera);

/* Transforms a point from the world to the camera frame. */
static inline vo_vec3 vo_frustum_to_local(const vo_frustum *f, vo_vec3 x) {
    vo_vec3 d = v3_sub(x, f->position);
    return v3(v3_dot(f->right, d), v3_dot(f->up, d), v3_dot(f->forward, d));
}

/* Returns the point of the frustum closest to p; p itself if it is inside. */
vo_vec3 vo_frustum_closest_point(const vo_frustum *f, vo_vec3 p);

/* Returns true only if a ball is entirely inside; conservative: may return false for a ball that
 * is. */
bool vo_frustum_contains_ball(const vo_frustum *f, vo_vec3 centre, double radius);

/* Returns the distance between a triangle and the frustum, 0 if they intersect. For distances of at
 * least `max_distance` any value between `max_distance` and the distance is returned, which is
 * cheaper. */
double vo_frustum_triangle_distance(const vo_frustum *f, const vo_vec3 p[3], double max_distance);

#endif
