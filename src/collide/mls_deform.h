/* Moving least squares (MLS) deformation: moves worn cloth with a teleported body.
 *
 * A teleport has no trajectory, only a body before and after it. Points around the body move with
 * the nearby body as if rigidly: at each point the rotation and translation that best map the
 * nearby body points from their old to their new positions,
 *
 *     R, c, c'  that minimise  sum_k w_k |R (from_k - c) + c' - to_k|^2,   w_k = 1 / |x - from_k|^6
 *     x -> c' + R (x - c)
 *
 * (Schaefer, McPhail, Warren 2006, "Image deformation using moving least squares"). The best
 * rotation is the eigenvector of a 4x4 matrix for its largest eigenvalue (Horn 1987, "Closed-form
 * solution of absolute orientation using unit quaternions"). Around a rigid body this is the motion
 * of the body, so no intersections arise; around limbs that move differently it blends smoothly. */
#ifndef VO_COLLIDE_MLS_DEFORM_H
#define VO_COLLIDE_MLS_DEFORM_H

#include "core/context.h"
#include "math/quat.h"

/* Moves `count` points x and rotates their velocities v, in place, with a body whose `samples`
 * points moved from `from` to `to` (m). At least one sample. In parallel; allocates nothing. */
void vo_mls_deform(vo_context *ctx, int samples, const vo_vec3 *from, const vo_vec3 *to, int count,
                   vo_vec3 *x, vo_vec3 *v);

#endif
