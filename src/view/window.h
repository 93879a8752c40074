/* The anticipation window: samples the path of a camera from now to `length` seconds ahead (Koh,
 * Narain, O'Brien 2015, "View-dependent adaptive cloth simulation with buckling compensation", eq.
 * 4).
 *
 *    w  1 |`.                    A sample stands for all times from itself to the next sample of
 *         |  `.                  its shot. Their weights are smaller, and the camera differs from
 *         |    `.                the sample by at most the difference to the next sample, which
 *         |      `.              is stored as slack:
 *       0 +--|--|--|`-> tau          drift   m, translation of the camera
 *         s0 s1 | s2 T               turn    rad, rotation of ray directions, zoom included
 *              cut               In the camera frame no point of the frustum then moves further
 *                                than drift + turn r at a distance r from the camera.
 *
 * Distances from the frustum minus the slack are lower bounds at all times between the samples
 * (factor.h): no face enters the frustum without anticipation, however few samples there are. More
 * samples only reduce conservative refinement. A path may deviate from the segment between two
 * samples; it is evaluated every `step` seconds in between, and the deviation is added to the
 * slack. Rejected: widening the frustum angles, which for distant faces is far more than necessary
 * for close ones.
 *
 * At a cut both sides are sampled, and slack does not extend across it. A static camera needs one
 * sample per shot. */
#ifndef VO_VIEW_WINDOW_H
#define VO_VIEW_WINDOW_H

#include "view/camera_predict.h"
#include "view/frustum.h"

typedef struct vo_view_sample {
    double ahead; /* s from now; ascending */
    vo_camera camera;
    bool cut;           /* first sample of a shot that begins with a cut */
    double drift, turn; /* m, rad: uncertainty of the camera, in addition to the motion until the
                           next sample */
} vo_view_sample;

/* A camera, or a light whose shadows are visible. */
typedef struct vo_viewpoint {
    int sample_count; /* 0: inactive */
    const vo_view_sample *sample;
    double front_factor; /* nu_front, 0 to 1: view factor of visible front faces */
} vo_viewpoint;

/* A camera sample prepared for queries. */
typedef struct vo_frustum_sample {
    vo_frustum frustum;
    double weight;           /* w(tau) = 1 - tau / T (eq. 4); positive */
    double front_factor;     /* nu_front of its viewpoint */
    double drift, turn;      /* slack until the next sample, m and rad */
    double pixel_x, pixel_y; /* pixels per unit of slope: width / (2 tan_x), height / (2 tan_y) */
    int viewpoint;           /* index of its viewpoint */
    bool first_of_shot;      /* first sample of its shot */
} vo_frustum_sample;

/* Returns the possible motion relative to the frustum until the next sample of the shot, m, at a
 * distance of `range` m. */
static inline double vo_frustum_sample_slack(const vo_frustum_sample *m, double range) {
    return m->drift + m->turn * range;
}

/* Makes the frustum samples of a viewpoint with positive weight, at most sample_count. Returns
 * their number. `length` is T in s; not positive: only the current time. */
int vo_frustum_samples_make(const vo_viewpoint *viewpoint, int index, double length,
                            vo_frustum_sample *out);

/* Returns the camera of a path at a time in s. The end of a shot is evaluated half a
 * VO_CUT_TOLERANCE before the cut. Returns false while the camera is inactive, which must be
 * uniform over a shot. */
typedef bool vo_camera_eval_fn(const void *path, double time, vo_camera *out);

typedef struct vo_window_def {
    double time;       /* [0] s, now */
    double length;     /* [0] s, T */
    int intervals;     /* [10] equal intervals that are always sampled; at least 1 */
    double step;       /* [0.02] s, evaluation interval of the path between samples, at most 64
                          evaluations; shorter motions may be missed */
    double tolerance;  /* [0.05] m, intervals are halved while the slack at `range` is larger */
    double range;      /* [5] m */
    int cut_count;     /* [0] */
    const double *cut; /* [NULL] s, ascending */
} vo_window_def;

vo_window_def vo_window_def_default(void);

/* Samples a path over the window and returns the number of samples, at most `capacity`. Samples
 * that repeat the previous one (static camera) are omitted. If the capacity is too small, cuts have
 * priority over equal intervals; VO_WINDOW_MIN_SAMPLES(cuts) is the minimum for a conservative
 * result. */
#define VO_WINDOW_MIN_SAMPLES(cuts) (2 * (cuts) + 2)
int vo_window_sample_path(const vo_window_def *def, vo_camera_eval_fn *at, const void *path,
                          int capacity, vo_view_sample *out);

/* Samples a predicted camera (camera_predict.h) with its uncertainty, from a time in s to `length`
 * seconds later. `jitter` is an additional velocity in m/s and rad/s that may begin at the last
 * given pose, or a window length before now if that was earlier. Makes `capacity` samples, at least
 * 1, or one if the window is empty; returns their number. */
int vo_window_sample_prediction(const vo_camera_predictor *predictor, double time, double length,
                                double jitter, int capacity, vo_view_sample *out);

#endif
