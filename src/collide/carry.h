/* Where something goes that is worn by a body which jumps.
 *
 * A jump is no motion: there is no way to be followed, only a body before and after it. What lies
 * around goes where the body around it goes, as if it were rigid: at each point the turn and shift
 * that take the nearby points of the body best from their old to their new places,
 *
 *     R, c, c'  that minimize  sum_k w_k |R (from_k - c) + c' - to_k|^2,   w_k = 1 / |x - from_k|^6
 *     x -> c' + R (x - c)
 *
 * (moving least squares; Schaefer, McPhail, Warren 2006, "Image deformation using moving least
 * squares"). The best turn is the eigenvector of a 4x4 matrix for its largest eigenvalue (Horn
 * 1987, "Closed-form solution of absolute orientation using unit quaternions"). Around a rigid body
 * this is the body's own motion, so what did not intersect still does not; around limbs that move
 * differently it blends smoothly from one to the other. */
#ifndef VO_COLLIDE_CARRY_H
#define VO_COLLIDE_CARRY_H

#include "core/context.h"
#include "math/quat.h"

/* Carries `count` points x along and turns their velocities v, both changed in place, with a body
 * of which `samples` points went from `from` to `to`, m. At least one sample. In parallel;
 * allocates nothing. */
void vo_carry(vo_context *ctx, int samples, const vo_vec3 *from, const vo_vec3 *to, int count,
              vo_vec3 *x, vo_vec3 *v);

#endif
