/* Where the clusters are, and how they move in a step.
 *
 * Cloths, and obstacles that change their shape, tell by their nodes. The clusters of a rigid
 * obstacle keep their boxes in its own frame; its two poses say the rest, and no node is looked at
 * but to see that it is where the pose puts it. Nodes that had to yield are not: then the obstacle
 * is taken by its nodes, as a soft one, until they have caught up. Parts that stand still cost one
 * comparison.
 *
 * From pose P to pose Q a point at v from a centre goes by (k N - 1) v, with N the turn by an angle
 * t round an axis a, and k the ratio of scales. Of this, w x v with w = k sin t a is the turn of
 * candidates_cluster.h; left is at most f |v|, f = |k - 1| + k (1 - cos t): that straight ways are
 * not arcs. */
#ifndef VO_COLLIDE_CANDIDATES_PLACE_H
#define VO_COLLIDE_CANDIDATES_PLACE_H

#include "collide/candidates_kernel.h"

/* A transform, ready for boxes. */
typedef struct vo_frame {
    vo_transform t;
    vo_vec3 x, y, z; /* sizes of what becomes of the axes */
    double size;     /* of the translation, for rounding */
} vo_frame;
vo_frame vo_frame_of(vo_transform t);
/* The smallest box that holds a transformed one, and a little more for rounding. */
vo_box vo_frame_box(const vo_frame *frame, const vo_box *box);

/* A part at one end of a step. */
typedef struct vo_part_place {
    bool rigid;        /* its nodes are at pose * rest, or at most `stray` away */
    vo_transform pose; /* rigid: */
    double stray;      /* m */
} vo_part_place;

typedef struct vo_part_motion {
    vo_part_place at, to;
    vo_frame end;        /* rigid: the pose at `to` */
    bool moves;          /* in the step */
    bool rigid;          /* in the step: it is at both ends, and the step is no wild turn */
    bool centred;        /* the clusters' centres and radii are those of `at` */
    double bend;         /* rigid, in the step: f above */
    vo_vec3 turn;        /* and w */
    vo_transform back;   /* the inverse of the pose at `at` */
    const vo_vec3 *rest; /* the positions that the boxes in its own frame are of */
    vo_box whole;        /* round all of them */
} vo_part_motion;

typedef struct vo_places {
    vo_context *ctx;
    const vo_surface *surface;
    const vo_clusters *clusters;
    const vo_candidates_kernels *kernels;
    double stray;                 /* m, how far off a rigid part may be */
    bool known;                   /* `at` is where everything is */
    bool stepped;                 /* the rest is about the step from `at` to `to` */
    vo_vec3 *at, *to;             /* [node_count] */
    vo_part_motion *part;         /* [part_count] */
    vo_box *box, *end_box, *hull; /* [clusters] at `at`, at `to` and over the step */
    vo_cluster_motion *motion;    /* [clusters] in the step */
    vo_box *own_box;              /* [clusters] of rigid parts: in the part's frame */
    vo_vec3 *own_centre;          /* the middle of it */
    double *own_radius;
    unsigned char *dirty; /* [clusters] to be looked at again */
} vo_places;

vo_result vo_places_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                           double stray, vo_places *out);
void vo_places_free(vo_places *places);

/* Brings everything to x0. True if something moved on the way: then `motion` says how. Where
 * nothing was known, everything has come anew. */
bool vo_places_arrive(vo_places *places);

/* Looks at the step from x0 to x1, or at what has changed of x1 since. */
void vo_places_step(vo_places *places);

/* Where a material point of a rigid part, now at p, goes in the step. */
vo_vec3 vo_part_shift(const vo_part_motion *part, vo_vec3 p);

#endif
