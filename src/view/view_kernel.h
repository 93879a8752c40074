/* What a moment makes of a cluster of faces, four faces at a time.
 *
 * The same, but for rounding, as vo_factor_look, vo_screen_bound, vo_screen_limit and
 * vo_screen_join one after the other, face by face (tests compare); only distances that take more
 * than the corners of a face are still asked for one by one. */
#ifndef VO_VIEW_VIEW_KERNEL_H
#define VO_VIEW_VIEW_KERNEL_H

#include "view/screen.h"

enum { VO_VIEW_CLUSTER = 32 }; /* faces, a multiple of four */

/* A cluster, one row a property: what its faces are, and what is known of them so far. Rows are
 * filled up to a multiple of four with faces at the origin. */
typedef struct vo_view_lanes {
    int count;
    double x[3][3][VO_VIEW_CLUSTER];   /* m, [corner][coordinate] */
    double normal[3][VO_VIEW_CLUSTER]; /* unit; zero: both sides count as front */
    double edges[4][VO_VIEW_CLUSTER];  /* 1/m, inverse of the material edges, by rows */
    double most[VO_VIEW_CLUSTER];      /* a front counts no more than this; 1, or `hidden` */

    double factor[VO_VIEW_CLUSTER];   /* nu */
    double bound[3][VO_VIEW_CLUSTER]; /* 1/m^2: xx, xy, yy; zero while nobody asked for anything */
    double unbound[VO_VIEW_CLUSTER];  /* not zero: somebody asks for all there is */
    double seen[VO_VIEW_CLUSTER];     /* not zero: the front, in frame or margin */
} vo_view_lanes;

typedef struct vo_view_rules {
    vo_factor_def factor;
    vo_screen_def screen;
    double largest; /* 1/m^2, eigenvalues of bounds end here; may be infinite */
} vo_view_rules;

/* Adds what a moment sees. `in_frame`: the whole cluster is. */
typedef void vo_view_look_fn(const vo_view_rules *rules, const vo_moment *m, bool in_frame,
                             vo_view_lanes *lanes);
extern vo_view_look_fn vo_view_look_base, vo_view_look_avx2;

#endif
