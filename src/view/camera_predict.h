/* Extrapolates the path of an interactive camera and bounds the error.
 *
 * An interactive host sets the camera step by step. The prediction continues the last velocity,
 * angular velocity and zoom rate. Its error grows with the time ahead;
 * `vo_camera_predict_uncertainty` bounds it under the assumption that the velocities keep changing
 * as they did recently, and the frustum margin is widened by this bound.
 *
 *      given      1-----2-----3                    velocities from 2 to 3,
 *      predicted               \- - - - - - o      accelerations from 1-2 to 2-3
 *
 * The state consists of the last three poses and of the state before the last one, in case that
 * pose is replaced. A rotation of more than an eighth of a turn in one step is treated as a cut and
 * resets the predictor; cuts without rotation must be reported by the caller. */
#ifndef VO_VIEW_CAMERA_PREDICT_H
#define VO_VIEW_CAMERA_PREDICT_H

#include "view/camera.h"

/* Rates of change. */
typedef struct vo_camera_velocity {
    vo_vec3 linear;  /* m/s */
    vo_vec3 angular; /* rad/s, angular velocity, world */
    double zoom;     /* 1/s, rate of log tan_y */
} vo_camera_velocity;

typedef struct vo_camera_predictor {
    int count;                   /* poses since the last cut, at most 3 */
    double time;                 /* s, time of the last pose */
    vo_camera camera;            /* last pose */
    vo_camera_velocity velocity; /* between the last two poses; zero with fewer than 2 */
    double step;                 /* s, between the last two poses */
    double acceleration;         /* m/s^2; zero with fewer than 3 poses */
    double angular_acceleration; /* rad/s^2 */
    double zoom_acceleration;    /* 1/s^2 */
    struct {
        int count;
        double time;
        vo_camera camera;
        vo_camera_velocity velocity;
        double step;
    } previous; /* state before the last pose, restored if that pose is replaced */
} vo_camera_predictor;

/* Returns an empty predictor. */
vo_camera_predictor vo_camera_predictor_init(void);

/* Adds the pose at a time. A pose with the time of the last one replaces it; an earlier time resets
 * the predictor first. */
void vo_camera_predictor_add(vo_camera_predictor *predictor, double time, const vo_camera *camera);

/* Discards all poses, for a cut. */
void vo_camera_predictor_reset(vo_camera_predictor *predictor);

/* Returns the predicted camera; the last pose for times up to it. At least one pose must have been
 * added. */
vo_camera vo_camera_predict(const vo_camera_predictor *predictor, double time);

/* Bounds of the prediction error: of the position, and of ray directions by rotation and zoom. */
typedef struct vo_camera_uncertainty {
    double metres, radians;
} vo_camera_uncertainty;
/* Returns the error bounds of vo_camera_predict for the same time. */
vo_camera_uncertainty vo_camera_predict_uncertainty(const vo_camera_predictor *predictor,
                                                    double time);

#endif
