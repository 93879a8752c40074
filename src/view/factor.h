/* The view factor nu of a face: its edges may be 1 / nu times longer because of how visible it is
 * (Koh, Narain, O'Brien 2015, eqs. 2 to 4).
 *
 *      in the frustum, front-facing                 front_factor  1     full detail
 *      in the frustum, back-facing                  back_facing   0.2   far side of a garment
 *      in the frustum, front-facing but occluded    occluded      0.5   occlusion.h; extension
 *      outside the frustum                          off_screen    0.01  shadows and dynamics only
 *
 * The front is the side to which the face normal points, the outside of a garment. As in the paper,
 * facing is not visibility: the inside of a skirt may be visible from below. Such faces are refined
 * less than front faces but more than off-screen ones. Sheets without an inside (a flag, a cape)
 * are two-sided: both sides are front-facing.
 *
 * Outside the frustum the factor falls linearly with the distance d from its value inside to
 * `off_screen` over a margin in space (eq. 3). It also rises before a face enters the frustum:
 * nu(t) = max over the window of w(tau) nu~(t + tau), for a fixed face and a moving camera (eq. 4).
 * A frustum sample stands for the time until the next one (window.h): distances are reduced by the
 * possible motion of the frustum until then, and a face is front-facing if it may become so. nu is
 * therefore a lower bound on detail: never below eq. 4, and above it by at most slack / margin. */
#ifndef VO_VIEW_FACTOR_H
#define VO_VIEW_FACTOR_H

#include "mesh/mesh.h"
#include "view/window.h"

typedef struct vo_factor_def {
    double back_facing, occluded,
        off_screen; /* 0 to 1; clamped to the front factor of the viewpoint */
    double margin;  /* m, at least 0: width of the falloff outside the frustum */
} vo_factor_def;

vo_factor_def vo_factor_def_default(void); /* 0.2, 0.5, 0.01; 0.4 m */

/* Geometry of a face as needed for view factors. */
typedef struct vo_view_face {
    vo_vec3 x[3];   /* m, world */
    vo_vec3 normal; /* unit; zero for a degenerate face */
    vo_mat2 edges;  /* inverse of the material edge matrix (columns v0 v1, v0 v2), 1/m; zero if
                       singular */
    bool two_sided;
    bool occluded; /* its front is occluded from the viewpoint of the sample */
} vo_view_face;

/* Returns the geometry of a face of a mesh. */
vo_view_face vo_view_face_make(const vo_mesh *mesh, int face);
/* Like vo_view_face_make, but without the material edges. */
vo_view_face vo_view_face_make_spatial(const vo_mesh *mesh, int face);

/* Visibility of a face from a frustum sample, valid until the next sample. */
typedef struct vo_face_visibility {
    vo_vec3 p[3];      /* corners in the camera frame */
    double range;      /* m, distance of the furthest corner */
    bool front_facing; /* front-facing at some time in the interval */
    bool near_frame;   /* closer to the frustum than the margin */
    double factor;     /* nu~, eq. 3; maximum over the interval */
} vo_face_visibility;

/* Evaluates eq. 3 for a face. */
vo_face_visibility vo_factor_eval_face(const vo_factor_def *def, const vo_frustum_sample *sample,
                                       const vo_view_face *face);

/* Returns the factor of a face beyond the margin. */
static inline double vo_factor_off_screen(const vo_factor_def *def,
                                          const vo_frustum_sample *sample) {
    return vo_min(def->off_screen, sample->front_factor);
}

/* Position of a bounding ball of faces relative to the frustum: entirely inside, entirely beyond
 * the margin, or neither. */
typedef enum vo_ball_class { VO_BALL_STRADDLES, VO_BALL_INSIDE, VO_BALL_OUTSIDE } vo_ball_class;
vo_ball_class vo_factor_classify_ball(const vo_factor_def *def, const vo_frustum_sample *sample,
                                      vo_vec3 centre, double radius);

#endif
