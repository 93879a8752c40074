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
 * A state can be so broken that pairs grow with the square of the faces, as when a cloth has
 * collapsed into a point. Each face therefore stops after VO_CROSSINGS_PER_FACE pairs with faces
 * of its size or larger; `complete` is then false and the number a lower bound. No cloth that looks
 * like one comes near it. */
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

/* What some faces came to. */
typedef struct vo_crossings_chunk {
    int pairs;    /* found there; then the index at which they begin */
    bool stopped; /* a face had too many */
} vo_crossings_chunk;

/* The result and its memory. Zero is a good start. */
typedef struct vo_crossings {
    int count, capacity;
    int (*pair)[2]; /* [count] faces, the lower first, in ascending order */
    bool complete;

    vo_grid cloth, obstacle;
    vo_box *box; /* [face_count] of the faces; empty where they have no place */
    int *class;  /* [face_count] their size classes (spatial/grid.h) */
    int box_capacity, class_capacity;
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
