/* Camera rays. */
#ifndef VO_PICTURE_CAMERA_RAY_H
#define VO_PICTURE_CAMERA_RAY_H

#include "math/vec.h"
#include "spatial/rays.h"

#include <voile/camera.h>

/* Returns the ray along a unit direction from the near to the far plane. Ground and backdrop are
 * not clipped by these planes. */
static inline vo_ray vo_camera_ray_along(const vo_camera *camera, vo_vec3 direction) {
    double depth = v3_dot(direction, camera->forward); /* depth per metre along the ray */
    return (vo_ray){camera->position, direction, camera->z_far / depth, camera->z_near / depth};
}

/* Returns true if a depth is between the near and far planes. */
static inline bool vo_camera_depth_in_range(const vo_camera *camera, double depth) {
    return depth >= camera->z_near && depth <= camera->z_far;
}

#endif
