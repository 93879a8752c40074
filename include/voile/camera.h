/* Voile: cameras. */
#ifndef VOILE_CAMERA_H
#define VOILE_CAMERA_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A camera at one moment. A point at depth z along `forward` is in the picture where it is within
 * tan_x z to the right and left and within tan_y z above and below. */
typedef struct vo_camera {
    vo_vec3 position; /* m */
    vo_vec3 right, up,
        forward;         /* orthonormal, right-handed as right x up = -forward; of the world */
    double tan_x, tan_y; /* of half the opening angles */
    double near, far;    /* m along forward; far may be infinite */
    int width, height;   /* pixels */
} vo_camera;

#ifdef __cplusplus
}
#endif
#endif
