/* The window of time over which a view is anticipated: a camera from now to `length` seconds ahead,
 * as a few samples of its path (Koh, Narain, O'Brien 2015, "View-dependent adaptive cloth
 * simulation with buckling compensation", eq. 4).
 *
 *    w  1 |`.                    A sample stands for all moments from itself to the next one of
 *         |  `.                  its shot. They are later, so their weight is less; and the camera
 *         |    `.                differs from the sample's by no more than the next sample's does.
 *         |      `.              How much that is says the sample's slack:
 *       0 +--|--|--|`-> tau          drift   m, what the eye moves
 *         s0 s1 | s2 T               turn    rad, what directions turn, zoom included
 *              cut               In its own frame nothing of the frustum then moves further than
 *                                drift + turn r at a distance r from the eye.
 *
 * Distances from the frustum less that are distances at any moment between the samples, or less
 * (factor.h): nothing comes into the frame unforeseen, however few samples there are. More of them
 * only spare work. A path need not go straight from one sample to the next, and may have been
 * elsewhere where both are the same: between them it is asked every `step` seconds, and what it
 * goes beyond the way between them is slack, too. Rejected: widening the frustum itself, which
 * turns far away into metres for things that are near.
 *
 * A cut is where one shot ends and another begins. Both sides of it are sampled, and no slack
 * reaches across. A camera that stands still needs one sample a shot. */
#ifndef VO_VIEW_WINDOW_H
#define VO_VIEW_WINDOW_H

#include "view/camera_predict.h"
#include "view/frustum.h"

typedef struct vo_view_sample {
    double ahead; /* s from now; a view's samples are in order */
    vo_camera camera;
    bool cut;           /* the first of another shot than the sample before */
    double drift, turn; /* m, rad: what the camera may be off the given one, beside what it goes
                           until the next sample */
} vo_view_sample;

/* One who looks on: a camera, or a light whose shadows are seen. */
typedef struct vo_view_eye {
    int sample_count; /* 0: it is not there */
    const vo_view_sample *sample;
    double front; /* nu_front, 0 to 1: view factor of what it sees */
} vo_view_eye;

/* A sample, ready to be asked. */
typedef struct vo_moment {
    vo_frustum frustum;
    double weight;           /* w(tau) = 1 - tau / T (eq. 4); positive */
    double front;            /* nu_front of its eye */
    double drift, turn;      /* slack until the next sample, m and rad */
    double pixel_x, pixel_y; /* pixels a unit of slope: width / (2 tan_x), height / (2 tan_y) */
    int eye;                 /* whose it is */
    bool first;              /* of its shot */
} vo_moment;

/* How far things in the frame may have moved against it, from a moment until the next one of its
 * shot, at a distance of `range` m. */
static inline double vo_moment_slack(const vo_moment *m, double range) {
    return m->drift + m->turn * range;
}

/* The moments of an eye whose weight is not zero, at most sample_count of them: returns how many.
 * `length` is T in s; not positive: only what is seen now counts. */
int vo_moments_make(const vo_view_eye *eye, int index, double length, vo_moment *out);

/* The camera of a path at a time in s. The end of a shot is asked for half a VO_CAMERA_INSTANT
 * before the cut. False where nobody looks through it: that is so for all of a shot, or for none.
 */
typedef bool vo_camera_at_fn(const void *path, double time, vo_camera *out);

typedef struct vo_window_def {
    double time;       /* [0] s, now */
    double length;     /* [0] s, T */
    int intervals;     /* [10] equal parts that are always looked at; at least 1 */
    double step;       /* [0.02] s, so often the path is asked between samples, but 64 times at
                          most: what is over in less may go unseen */
    double tolerance;  /* [0.05] m, further halves are taken while slack at `range` is larger */
    double range;      /* [5] m */
    int cut_count;     /* [0] */
    const double *cut; /* [NULL] s, rising */
} vo_window_def;

vo_window_def vo_window_def_default(void);

/* Samples the path over the window. Samples that add nothing to the one before (the camera stands
 * still) are left out. Where there is no room for all, those at cuts come first, then the equal
 * parts; VO_WINDOW_LEAST(cuts) is the least that is sound. Returns how many samples were made,
 * `capacity` at most. */
#define VO_WINDOW_LEAST(cuts) (2 * (cuts) + 2)
int vo_window_sample(const vo_window_def *def, vo_camera_at_fn *at, const void *path, int capacity,
                     vo_view_sample *out);

/* Samples for a camera that nobody prescribed, from what is predicted of it (camera_predict.h) and
 * how doubtful that is, from a time in s to `length` seconds later. `jitter` is what it may begin
 * to do on top of that, in m/s and rad/s, from the last pose on that was given, or from a window
 * before now if that was earlier. Makes `capacity` samples, at least 1, or
 * one where there is no window; returns how many. */
int vo_window_follow(const vo_camera_guide *guide, double time, double length, double jitter,
                     int capacity, vo_view_sample *out);

#endif
