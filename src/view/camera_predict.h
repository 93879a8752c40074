/* Where a camera that nobody has prescribed will be.
 *
 * A program that is steered by hand gives the camera step by step. What it has given lately is
 * followed on: the same velocity, the same turning speed about the same axis, the same zoom. The
 * further ahead, the less that is to be trusted; `vo_camera_predict_doubt` says by how much the
 * camera may be elsewhere if it goes on changing its speeds as it did lately, so that the margin
 * around its picture can be made as much wider.
 *
 *      given      1-----2-----3                    speeds from 2 to 3,
 *      predicted               \- - - - - - o      changes of speed from 1-2 to 2-3
 *
 * Three poses, and what was known before the last, are all the memory there is. A turn by more than
 * an eighth of a circle in one step is a jump and says nothing about what comes; jumps that do not
 * turn must be told. */
#ifndef VO_VIEW_CAMERA_PREDICT_H
#define VO_VIEW_CAMERA_PREDICT_H

#include "view/camera.h"

/* Per second, all of them. */
typedef struct vo_camera_speed {
    vo_vec3 velocity; /* m/s */
    vo_vec3 turning;  /* rad/s about this axis, world */
    double zooming;   /* 1/s, of log tan_y */
} vo_camera_speed;

typedef struct vo_camera_guide {
    int count;             /* poses given since the last jump, at most 3 */
    double time;           /* s, of the last one */
    vo_camera camera;      /* the last one */
    vo_camera_speed speed; /* since the one before; zero with fewer than 2 poses */
    double step;           /* s, from the one before */
    double push;           /* m/s^2, change of velocity; zero with fewer than 3 poses */
    double twist;          /* rad/s^2, change of turning speed */
    double widening;       /* 1/s^2, change of zooming */
    struct {
        int count;
        double time;
        vo_camera camera;
        vo_camera_speed speed;
        double step;
    } before; /* the same before the last pose, should another take its place */
} vo_camera_guide;

/* Knows nothing yet. */
vo_camera_guide vo_camera_guide_begin(void);

/* The camera at a time. One of the same time as the last takes its place, as if that had not been;
 * one of an earlier time begins again. */
void vo_camera_guide_add(vo_camera_guide *guide, double time, const vo_camera *camera);

/* What was given so far says nothing about what comes. */
void vo_camera_guide_cut(vo_camera_guide *guide);

/* At least one camera has been given. A time before the last one gives the last one. */
vo_camera vo_camera_predict(const vo_camera_guide *guide, double time);

/* How far off the prediction for a time may be: of the camera's place, and of the directions of its
 * rays, which turn and open. */
typedef struct vo_camera_doubt {
    double metres, radians;
} vo_camera_doubt;
vo_camera_doubt vo_camera_predict_doubt(const vo_camera_guide *guide, double time);

#endif
