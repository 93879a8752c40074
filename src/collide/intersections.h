/* Exact list of all intersecting face pairs, for checking.
 *
 * Faces of all cloths come first, then those of all obstacles, with all nodes in one numbering.
 * Pairs are tested by vo_faces_intersect (collide/intersect.h): touching is an intersection, shared
 * corners and sides of one mesh are not. Obstacles are not compared with each other.
 *
 * No code is shared with the collision handling: the broad phase is a separate grid
 * (spatial/grid.h), rebuilt from the positions each time, and the predicate has no tolerance. Time
 * and memory are about proportional to the number of faces; memory is reused.
 *
 * Consecutive faces are usually adjacent. Eight of them form a block, if its box is not much larger
 * than they are; grids contain blocks, and a pair of blocks is tested with eight boxes at a time.
 * Faces in any other order form smaller blocks, down to single faces.
 *
 * A state can be so broken that the number of pairs is quadratic, as when a cloth has collapsed to
 * a point. Each face therefore stops after VO_MAX_FACE_INTERSECTIONS pairs with faces of blocks at
 * least as large as its own; `complete` is then false and the count a lower bound. No plausible
 * cloth comes close to it. */
#ifndef VO_COLLIDE_INTERSECTIONS_H
#define VO_COLLIDE_INTERSECTIONS_H

#include "spatial/grid.h"

enum { VO_MAX_FACE_INTERSECTIONS = 128 };

/* Input. Faces with a node that fails vo_position_is_valid are ignored. */
typedef struct vo_face_soup {
    const vo_vec3 *x;     /* m, rounded by vo_exact_point */
    const int (*face)[3]; /* [face_count] nodes */
    int face_count;
    int cloth_face_count; /* cloth faces come first; the others belong to obstacles */
} vo_face_soup;

/* Adjacent faces and their boxes, rounded outward; empty beyond `count`. */
enum { VO_BLOCK_FACES = 8 };
typedef struct vo_face_block {
    float min[3][VO_BLOCK_FACES], max[3][VO_BLOCK_FACES];
    int face[VO_BLOCK_FACES];
    int count;
} vo_face_block;

/* Result of a chunk of blocks. */
typedef struct vo_intersections_chunk {
    int pairs;      /* pairs found; later the index of the first one */
    bool truncated; /* a face reached the limit */
} vo_intersections_chunk;

/* Result and memory. Zero-initialised: empty. */
typedef struct vo_intersections {
    int count, capacity;
    int (*pair)[2]; /* [count] faces, the lower first, in ascending order */
    bool complete;

    vo_box *box; /* [face_count] boxes of the faces; empty for invalid positions */
    int block_count, cloth_block_count;
    vo_face_block *block;    /* [block_count] cloths first */
    vo_box *block_box;       /* [block_count] */
    vo_grid cloth, obstacle; /* grids of blocks */
    int box_capacity, block_capacity, block_box_capacity;
    vo_intersections_chunk *chunk;
    int chunk_capacity;
} vo_intersections;

/* Finds all pairs. VO_NO_MEMORY leaves an empty result. */
vo_result vo_intersections_find(vo_context *ctx, vo_intersections *c, const vo_face_soup *soup);
void vo_intersections_free(vo_context *ctx, vo_intersections *c);

/* Returns true for coordinates that are finite and small enough for the predicates and for accurate
 * differences. */
static inline bool vo_position_is_valid(vo_vec3 x) {
    return fabs(x.x) <= 1e30 && fabs(x.y) <= 1e30 && fabs(x.z) <= 1e30;
}

#endif
