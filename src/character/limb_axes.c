/* Axes of the trunk and the limbs of a body at rest. */
#include "character/limb_axes.h"

#define SLANT 0.70710678118654752 /* arms hang 45 degrees from the body in the rest pose */
#define LEG_X 0.087155742747658   /* legs 5 degrees */
#define LEG_Z 0.99619469809174553

const vo_limb_axis vo_default_limb_axes[VO_LIMB_AXES] = {
    {"trunk", {0, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {"neck", {0, 0.01, 1.45}, {0, 0, 1}, {0, -1, 0}},
    {"left_arm", {0.18, 0, 1.40}, {-SLANT, 0, SLANT}, {0, -1, 0}},
    {"right_arm", {-0.18, 0, 1.40}, {SLANT, 0, SLANT}, {0, -1, 0}},
    {"left_leg", {0.09, 0, 0.90}, {-LEG_X, 0, LEG_Z}, {0, -1, 0}},
    {"right_leg", {-0.09, 0, 0.90}, {LEG_X, 0, LEG_Z}, {0, -1, 0}},
};

/* The front is the facing direction of the body, -y, projected perpendicular to the axis. */
vo_limb_axis vo_limb_axis_at(int index, vo_vec3 origin, vo_vec3 direction) {
    vo_limb_axis axis = vo_default_limb_axes[index];
    axis.origin = origin;
    if (v3_length(direction) < 1e-9) return axis;
    axis.direction = v3_normalize(direction);
    vo_vec3 front = v3(0, -1, 0);
    front = v3_sub(front, v3_scale(v3_dot(front, axis.direction), axis.direction));
    if (v3_length(front) > 1e-3) axis.front = v3_normalize(front);
    return axis;
}
