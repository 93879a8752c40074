/* The view frustum: the part of the world that a camera's picture shows, and how far things are
 * from it.
 *
 * Everything is asked in the camera's own frame (x right, y up, z forward), where the frustum is
 *
 *      |x| <= tan_x z,   |y| <= tan_y z,   near <= z <= far
 *
 *              far
 *       \---------------/          A point: mirrored into x, y >= 0, the nearest point of each
 *        \   frustum   /           slice z is found by clamping, and its distance squared is
 *    p .  \           /              (z - pz)^2 + max(0, px - tan_x z)^2 + max(0, py - tan_y z)^2,
 *        ` q         /             convex in z and of three pieces. Its least value is exact,
 *           \-------/  near        without a case for each face, edge and corner.
 *            .     .
 *              eye
 *
 * A triangle: touches the frustum if a corner is inside, or if something is left after clipping by
 * the six planes. Otherwise the nearest of its corners, c, and the point q of the frustum nearest
 * to it, are the answer if the whole triangle lies beyond the plane through c across c - q, since
 * the frustum lies before the one through q. That settles nearly all; what is left (edge against
 * edge, corner of the frustum against the inside of the triangle) is searched in full.
 *
 * Rejected: GJK, which is no faster here and needs care where simplices become flat. */
#ifndef VO_VIEW_FRUSTUM_H
#define VO_VIEW_FRUSTUM_H

#include "math/vec.h"

#include <voile/camera.h>

/* What is further from the camera is not seen, m. */
#define VO_FRUSTUM_FARTHEST 1e6

typedef struct vo_frustum {
    vo_vec3 eye, right, up, forward; /* the camera's frame, world */
    double tan_x, tan_y;             /* positive */
    double near, far;                /* m, 0 <= near <= far */
    double side_x, side_y;           /* cosines of half the opening angles: x - tan_x z times side_x
                                        is a distance from the right plane */
    double slant;                    /* 1 / (1 + tan_x^2 + tan_y^2) */
    vo_vec3 corner[8];               /* camera's frame; bit 0: right, bit 1: up, bit 2: far */
} vo_frustum;

/* A triangle that comes nearer than its nearest corner by less than this is as near, m. */
#define VO_FRUSTUM_FLAT 1e-10

/* Values that make no camera (an opening of zero, far before near) are brought into range. */
vo_frustum vo_frustum_make(const vo_camera *camera);

/* World to the camera's frame. */
static inline vo_vec3 vo_frustum_local(const vo_frustum *f, vo_vec3 x) {
    vo_vec3 d = v3_sub(x, f->eye);
    return v3(v3_dot(f->right, d), v3_dot(f->up, d), v3_dot(f->forward, d));
}

/* Point of the frustum nearest to p; p itself if it is inside. */
vo_vec3 vo_frustum_nearest(const vo_frustum *f, vo_vec3 p);

/* Whether a ball is inside with all of it. May say no for one that is, never yes for one that is
 * not. */
bool vo_frustum_holds_ball(const vo_frustum *f, vo_vec3 centre, double radius);

/* Distance of a triangle from the frustum, 0 where they touch. Where it is not below `reach`, any
 * number from `reach` up to it is returned, which costs less. */
double vo_frustum_distance(const vo_frustum *f, const vo_vec3 p[3], double reach);

#endif
