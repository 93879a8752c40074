/* Every pair of faces that intersect, exactly.
 *
 * The faces of all cloths come first, then those of all obstacles, with the nodes of all in one
 * numbering. Two faces count if vo_faces_intersect says so (collide/intersect.h): touching counts,
 * what faces of one mesh share by its topology does not. Obstacles are not compared with each
 * other.
 *
 * Nothing here is shared with the code that keeps cloth apart: the broad phase is a grid of its own
 * (spatial/grid.h), made anew each time from the positions alone, and the predicate has no
 * tolerance. Time is about proportional to the faces, and so is memory, which is kept for the next
 * time.
 *
 * Faces that follow each other lie side by side as a rule. Eight of them are a parcel, if its box
 * is not much larger than they are; grids hold parcels, a pair of which is looked through eight
 * boxes at a time. Faces in any other order make smaller parcels, down to single faces.
 *
 * A state can be so broken that pairs grow with the square of the faces, as when a cloth has
 * collapsed into a point. Each face therefore stops after VO_CROSSINGS_PER_FACE pairs with faces of
 * parcels as large as its own or larger; `complete` is then false and the number a lower bound. No
 * cloth that looks like one comes near it. */
#ifndef VO_COLLIDE_CROSSINGS_H
#define VO_COLLIDE_CROSSINGS_H

#include "spatial/grid.h"

enum { VO_CROSSINGS_PER_FACE = 128 };

/* What is looked at. Nodes must pass vo_crossings_is_place, or their faces are left out. */
typedef struct vo_face_soup {
    const vo_vec3 *x;     /* m, as vo_exact_point makes them */
    const int (*face)[3]; /* [face_count] nodes */
    int face_count;
    int cloth_face_count; /* these come first; all others are of obstacles */
} vo_face_soup;

/* Faces that lie together, and their boxes, rounded outward; empty beyond `count`. */
enum { VO_PARCEL_FACES = 8 };
typedef struct vo_parcel {
    float min[3][VO_PARCEL_FACES], max[3][VO_PARCEL_FACES];
    int face[VO_PARCEL_FACES];
    int count;
} vo_parcel;

/* What some parcels came to. */
typedef struct vo_crossings_chunk {
    int pairs;    /* found there; then the index at which they begin */
    bool stopped; /* a face had too many */
} vo_crossings_chunk;

/* The result and its memory. Zero is a good start. */
typedef struct vo_crossings {
    int count, capacity;
    int (*pair)[2]; /* [count] faces, the lower first, in ascending order */
    bool complete;

    vo_box *box; /* [face_count] of the faces; empty where they have no place */
    int parcel_count, cloth_parcel_count;
    vo_parcel *parcel;       /* [parcel_count] cloths' first */
    vo_box *parcel_box;      /* [parcel_count] */
    vo_grid cloth, obstacle; /* of parcels */
    int box_capacity, parcel_capacity, parcel_box_capacity;
    vo_crossings_chunk *chunk;
    int chunk_capacity;
} vo_crossings;

/* A failure for want of memory leaves an empty result. */
vo_result vo_crossings_find(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup);
void vo_crossings_free(vo_context *ctx, vo_crossings *c);

/* Finite, and small enough for the predicates and for a difference to mean something. */
static inline bool vo_crossings_is_place(vo_vec3 x) {
    return fabs(x.x) <= 1e30 && fabs(x.y) <= 1e30 && fabs(x.z) <= 1e30;
}

#endif
