/* Axes of the trunk and the limbs of a body at rest, around which garment panels are placed.
 *
 * The frame is that of a body: z up, the body faces -y and stands on z = 0. */
#ifndef VO_CHARACTER_LIMB_AXES_H
#define VO_CHARACTER_LIMB_AXES_H

#include "math/vec.h"

/* Axis of a cylindrical coordinate system. Angle 0 points towards `front`, height 0 is at the
 * origin. */
typedef struct vo_limb_axis {
    const char *name;
    vo_vec3 origin, direction, front; /* m; the last two are unit vectors and perpendicular */
} vo_limb_axis;

enum { VO_LIMB_AXES = 6 };

#define VO_LIMB_AXES_HEIGHT 1.72 /* m, height of the body of vo_default_limb_axes */

/* Trunk, neck, left and right arm, left and right leg of an average body in its rest pose. */
extern const vo_limb_axis vo_default_limb_axes[VO_LIMB_AXES];

/* Returns the default axis `index` with another origin (m) and direction (any length; the default
 * direction is kept where it is zero). */
vo_limb_axis vo_limb_axis_at(int index, vo_vec3 origin, vo_vec3 direction);

#endif
