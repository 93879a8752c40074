/* The view factor of a face: nu, by which its edges may be longer (1 / nu times) because of how it
 * is seen (Koh, Narain, O'Brien 2015, eqs. 2 to 4).
 *
 *      in frame, front towards the eye     front   1      nothing is lost on what is seen
 *      in frame, back towards the eye      back    0.2    far side of a garment
 *      in frame, front, behind something   hidden  0.5    occlusion.h; ours
 *      out of frame                        out     0.01   shadows and dynamics only
 *
 * Front is the side to which the face's normal points, the outside of a garment. That is what the
 * paper goes by, and it is not visibility: the inside of a skirt may well be seen from below. Such
 * faces are refined less, but not as little as what nobody can see. Sheets that have no inside (a
 * flag, a cape) are two-sided: both sides count as front.
 *
 * Out of frame the factor falls from what it would be inside to `out` over a margin of space,
 * linearly with the distance d from the frustum (eq. 3). And it rises before a face comes into the
 * frame: nu(t) = max over the window of w(tau) nu~(t + tau), the face held and the camera moving
 * (eq. 4). Moments stand for the time until the next one (window.h): the distance is less by
 * what the frustum may move until then, and what the eye may get to see the front of counts as
 * seen. So nu is never below what eq. 4 says, and above it by no more than slack / margin. */
#ifndef VO_VIEW_FACTOR_H
#define VO_VIEW_FACTOR_H

#include "mesh/mesh.h"
#include "view/window.h"

typedef struct vo_factor_def {
    double back, hidden, out; /* 0 to 1; an eye's own front is the most there is */
    double margin;            /* m, 0 or more */
} vo_factor_def;

vo_factor_def vo_factor_def_default(void); /* 0.2, 0.5, 0.01; 0.4 m */

/* A face as eyes see it. */
typedef struct vo_view_face {
    vo_vec3 x[3];   /* m, world */
    vo_vec3 normal; /* unit; zero where it has no area */
    vo_mat2 edges;  /* inverse of its material edges (columns v0 v1, v0 v2), 1/m; zero if none */
    bool two_sided;
    bool hidden; /* its front, from the eye whose moment it is */
} vo_view_face;

vo_view_face vo_view_face_make(const vo_mesh *mesh, int face);
/* The same without its material edges. */
vo_view_face vo_view_face_place(const vo_mesh *mesh, int face);

/* What an eye sees of a face, from a moment until the next one. */
typedef struct vo_sight {
    vo_vec3 p[3];  /* corners in the eye's frame */
    double range;  /* m, of the furthest corner */
    bool front;    /* its front may be seen, if it is in frame */
    bool near;     /* closer to the frame than the margin */
    double factor; /* nu~, eq. 3; of all that is possible the most */
} vo_sight;

/* Eq. 3: `shown` is front, back or hidden; d the distance from the frustum in m. */
double vo_factor_fall(const vo_factor_def *def, double shown, double out, double d);

vo_sight vo_factor_look(const vo_factor_def *def, const vo_moment *moment,
                        const vo_view_face *face);

/* What a face out of reach of the frame counts. */
static inline double vo_factor_out(const vo_factor_def *def, const vo_moment *moment) {
    return vo_min(def->out, moment->front);
}

/* A ball around faces: whether all of them are in frame, or all further away than the margin. */
typedef enum vo_ball_place { VO_BALL_ACROSS, VO_BALL_IN_FRAME, VO_BALL_OUT } vo_ball_place;
vo_ball_place vo_factor_place(const vo_factor_def *def, const vo_moment *moment, vo_vec3 centre,
                              double radius);

#endif
