/* Lines of sight through a picture. */
#ifndef VO_PICTURE_SIGHT_H
#define VO_PICTURE_SIGHT_H

#include "math/vec.h"
#include "spatial/rays.h"

#include <voile/camera.h>

/* Along a direction, from the camera's near plane to its far one: what is beyond them is not in the
 * picture, as it is not for the view. Floor and sky are the backdrop, and everywhere. */
static inline vo_ray vo_sight_along(const vo_camera *camera, vo_vec3 direction) {
    double depth = v3_dot(direction, camera->forward); /* of 1 m */
    return (vo_ray){camera->position, direction, camera->far / depth, camera->near / depth};
}

/* Whether a depth is between them. */
static inline bool vo_sight_reaches(const vo_camera *camera, double depth) {
    return depth >= camera->near && depth <= camera->far;
}

#endif
