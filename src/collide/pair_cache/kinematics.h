/* Cluster kinematics: boxes of the clusters and their motion in a step.
 *
 * Cloths and deformable obstacles are evaluated from their nodes. The clusters of a rigid obstacle
 * have boxes in its rest frame, and its two poses give their motion; its nodes are only checked
 * against the pose. If nodes deviate by more than rigid_tolerance, as after the fail-safe has moved
 * obstacle nodes back (failsafe.h), the obstacle is treated as deformable until they match again. A
 * part at rest costs one comparison of its positions.
 *
 * From pose P to pose Q a point at offset v from a centre moves by (k N - 1) v, where N is the
 * rotation by the angle t about an axis a, and k the ratio of the scales. Of this, w x v with w = k
 * sin t a is the rotation term of cluster.h. The residual is at most f |v| with f = |k - 1| + k (1
 * - cos t), because trajectories in a step are chords and not arcs. */
#ifndef VO_COLLIDE_PAIR_CACHE_KINEMATICS_H
#define VO_COLLIDE_PAIR_CACHE_KINEMATICS_H

#include "collide/pair_cache/distance_kernel.h"

/* A similarity transform prepared for AABBs. */
typedef struct vo_box_transform {
    vo_transform t;
    vo_vec3 x, y, z; /* absolute values of the transformed axes */
    double size;     /* length of the translation, for the rounding bound */
} vo_box_transform;

vo_box_transform vo_box_transform_make(vo_transform t);
/* Returns the bounds of a transformed box, rounded outward. */
vo_box vo_box_transform_apply(const vo_box_transform *frame, const vo_box *box);

/* Pose of a part at x0 or x1. */
typedef struct vo_part_pose {
    bool rigid;        /* every node is within rigid_tolerance of pose * rest */
    vo_transform pose; /* valid if rigid */
    double deviation;  /* m, largest distance of a node from pose * rest */
} vo_part_pose;

typedef struct vo_part_motion {
    vo_part_pose start_pose, end_pose;
    vo_box_transform end_frame; /* rigid: end_pose, prepared for boxes */
    bool moves;                 /* a node changes its position in the step */
    bool rigid;            /* rigid at both ends, and the rotation is small enough for the bounds */
    bool centres_valid;    /* centres and radii of the clusters are those of the start */
    double residual_ratio; /* f above */
    vo_vec3 rotation;      /* w above */
    vo_transform inverse_pose; /* inverse of start_pose */
    const vo_vec3 *rest_x;     /* rest positions that the rest boxes were computed from */
    vo_box rest_bounds;        /* bounds of the part in the rest pose */
} vo_part_motion;

typedef struct vo_cluster_kinematics {
    vo_context *ctx;
    const vo_surface *surface;
    const vo_clusters *clusters;
    const vo_candidates_kernels *kernels;
    double rigid_tolerance; /* m, largest deviation of a node of a rigid part */
    bool valid;             /* x_start and start_box are up to date */
    bool step_valid; /* x_end, end_box, swept_box and motion describe the step from x_start */
    vo_vec3 *x_start, *x_end; /* [node_count] */
    vo_part_motion *part;     /* [part_count] */
    vo_box *start_box, *end_box,
        *swept_box;            /* [clusters] at x_start, at x_end, and over the step */
    vo_cluster_motion *motion; /* [clusters] over the step */
    vo_box *rest_box;          /* [clusters] of rigid parts: bounds in the rest frame */
    vo_vec3 *rest_centre;      /* [clusters] centre of rest_box */
    double *rest_radius;
    unsigned char *dirty; /* [clusters] a node has changed its end position */
} vo_cluster_kinematics;

vo_result vo_cluster_kinematics_create(vo_context *ctx, const vo_surface *surface,
                                       const vo_clusters *clusters, double rigid_tolerance,
                                       vo_cluster_kinematics *out);
void vo_cluster_kinematics_free(vo_cluster_kinematics *k);

/* Advances positions and boxes to x0. Returns true if positions changed; `motion` then describes
 * the change. If the state was invalid, everything is computed from x0. */
bool vo_cluster_kinematics_sync(vo_cluster_kinematics *k);

/* Computes boxes and motions of the step from x0 to x1; updates only changed clusters when called
 * again with a new x1. */
void vo_cluster_kinematics_update_step(vo_cluster_kinematics *k);

/* Returns the displacement in the step of the material point of a rigid part that is at p. */
vo_vec3 vo_part_displacement(const vo_part_motion *part, vo_vec3 p);

#endif
