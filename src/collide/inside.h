/* Points inside a closed surface, by winding number, and their depth.
 *
 * Along a ray from a point, faces left through their front add 1 and faces entered through it add
 * -1; the sum is the winding number of the surface about the point. It is 0 far away. Parts of one
 * surface may overlap. vo_solid_side defines which winding numbers are solid: a closed surface with
 * inward normals is a container, whose solid surrounds it.
 *
 * The ray is parallel to x. Its intersection with a face is decided by signs of exact determinants
 * (math/predicates.h) in the y-z plane. Rays through an edge or a corner are resolved by moving the
 * point by (0, e, e^2) with an infinitesimal e: each zero sign is replaced by that of its first
 * term in e (Edelsbrunner and Mücke 1990, "Simulation of simplicity"). Adjacent faces are then
 * consistent, since the sign of a common edge is computed from the same two points. There is no
 * tolerance and no degenerate direction. A point on the surface may be found on either side; its
 * depth is 0.
 *
 * The depth is the distance to the surface, in floating point. */
#ifndef VO_COLLIDE_INSIDE_H
#define VO_COLLIDE_INSIDE_H

#include "spatial/grid.h"

/* Winding numbers of the points that belong to the solid. */
typedef enum vo_solid_side {
    VO_SOLID_ENCLOSED, /* not 0: the enclosed side, for any orientation of the faces */
    VO_SOLID_BEHIND,   /* above 0: the enclosed side of outward faces */
    VO_SOLID_AROUND,   /* 0 and above: everything except the enclosed side of inward faces, a
                          container. Overlapping containers form their union */
} vo_solid_side;

/* A closed surface: each edge has as many faces in one direction as in the other. */
typedef struct vo_closed_surface {
    const vo_vec3 *x;     /* m, finite, rounded by vo_exact_point */
    const int (*face)[3]; /* [face_count] indices into x */
    int face_count;
    vo_solid_side solid;
} vo_closed_surface;

/* Returns VO_SOLID_AROUND if the signed volume of the surface is negative, otherwise
 * VO_SOLID_BEHIND. The volume is positive for a hollow body, whose cavity has inward faces, and
 * negative for a container with bodies inside. */
vo_solid_side vo_closed_surface_solid_side(const vo_closed_surface *surface);

/* Returns true if points with this winding number belong to the solid. */
static inline bool vo_solid_contains(vo_solid_side side, int winding) {
    return side == VO_SOLID_ENCLOSED ? winding != 0
           : side == VO_SOLID_BEHIND ? winding > 0
                                     : winding >= 0;
}

/* Deepest point. */
typedef struct vo_deepest {
    int point;    /* index; -1: no point is inside */
    double depth; /* m */
} vo_deepest;

/* Memory, reused by later calls. Zero-initialised: empty. */
typedef struct vo_inside {
    vo_box *box;      /* boxes of the faces */
    vo_box *flat_box; /* their projections along x */
    int box_capacity, flat_capacity;
    vo_grid grid;
    vo_deepest *chunk; /* deepest point of each chunk */
    int chunk_capacity;
} vo_inside;

/* Sets is_inside[i] to 1 for every point in the solid and leaves the others unchanged; points
 * that are not finite are outside. *deepest receives the deepest point, the first one among
 * equals. */
vo_result vo_inside_find(vo_context *ctx, vo_inside *inside, const vo_closed_surface *surface,
                         int point_count, const vo_vec3 *point, uint8_t *is_inside,
                         vo_deepest *deepest);
void vo_inside_free(vo_context *ctx, vo_inside *inside);

/* Returns the winding number of the surface about a point, by testing all faces. */
int vo_winding_number(const vo_closed_surface *surface, vo_vec3 point);

#endif
