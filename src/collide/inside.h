/* Which points lie inside a closed surface, and how deep?
 *
 * A point is inside where the surface winds around it: along a ray from it, faces that are left
 * through their front count 1 and faces entered through it -1; the sum is the winding number, and
 * it is 0 exactly outside. So parts of one surface may overlap, and a surface turned inside out has
 * the same inside.
 *
 * The ray runs along x. Whether it meets a face is decided by signs of exact determinants
 * (math/predicates.h) in the plane of y and z. Rays that run through an edge or a corner are told
 * apart as if the point were moved by (0, e, e^2) with e smaller than any number there is: each
 * sign that is zero gets that of its first term in e (Edelsbrunner and Mücke 1990, "Simulation of
 * simplicity"). Neighbouring faces then agree on who is met, since the sign of a common edge is
 * computed from the same two points. There is no tolerance, and no bad direction to be avoided. A
 * point on the surface may be found on either side; its depth is 0.
 *
 * The depth is the distance to the surface, in doubles. */
#ifndef VO_COLLIDE_INSIDE_H
#define VO_COLLIDE_INSIDE_H

#include "spatial/grid.h"

/* A closed surface: on each edge as many faces run one way as the other. */
typedef struct vo_closed_surface {
    const vo_vec3 *x;     /* m, finite, as vo_exact_point makes them */
    const int (*face)[3]; /* [face_count] indices into x */
    int face_count;
} vo_closed_surface;

/* The deepest point. */
typedef struct vo_deepest {
    int point;    /* index; -1: none is inside */
    double depth; /* m */
} vo_deepest;

/* Memory, kept from one call to the next. Zero is a good start. */
typedef struct vo_inside {
    vo_box *box;      /* of the faces */
    vo_box *flat_box; /* the same, seen along x */
    int box_capacity, flat_capacity;
    vo_grid grid;
    vo_deepest *chunk; /* of each chunk of points */
    int chunk_capacity;
} vo_inside;

/* Sets is_inside[i] to 1 for every point that is inside, and leaves the others as they are; points
 * that are not finite are not. `deepest` gets the deepest one, of equal ones the first. */
vo_result vo_inside_find(vo_context *ctx, vo_inside *inside, const vo_closed_surface *surface,
                         int point_count, const vo_vec3 *point, uint8_t *is_inside,
                         vo_deepest *deepest);
void vo_inside_free(vo_context *ctx, vo_inside *inside);

/* The winding number of the surface about a point, by all faces. */
int vo_winding_number(const vo_closed_surface *surface, vo_vec3 point);

#endif
