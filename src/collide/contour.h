/* Where do surfaces intersect? Pairs of faces, joined into curves.
 *
 * Two faces that intersect properly share a segment. Each of its ends is a crossing: an edge of one
 * face passes through the other. The faces on both sides of that edge have the crossing in common,
 * so it joins their segments, and the segments make curves:
 *
 *        surface 0              surface 1            an open contour of 3 segments and 4 vertices;
 *      +---+---+---+          +-----------+          at vertices 0 and 3 a border edge of surface 0
 *      | 0-1---2-3 |          | 0-1---2-3 |          passes through surface 1, at 1 and 2 an edge
 *      +---+---+---+          +-----------+          between two of its faces does
 *
 * The same curve lies on both surfaces, which may be two places of one cloth. `side` and `segment`
 * say what belongs to which. A contour ends at a border, or at a node that both of its faces have
 * (where a cloth is pinched and passes through itself); otherwise it is closed.
 *
 * That two faces intersect is decided exactly (collide/intersect.h), and so is whether an edge
 * crosses a face, with ties broken so that of two faces at an edge one is crossed and not both.
 * Faces that merely touch, or lie in a common plane, have no proper segment: they are listed apart.
 * Positions of crossings are plain doubles.
 *
 * Where more pairs of faces come near, or intersect, than the bounds below allow, nothing is listed
 * and the state is a clump (collide/clump.h). */
#ifndef VO_COLLIDE_CONTOUR_H
#define VO_COLLIDE_CONTOUR_H

#include "core/context.h"
#include "spatial/bvh.h"

/* Pairs for each face of cloths and obstacles: those whose boxes overlap, and those that intersect.
 * Ten coincident layers have 60 of both. Small meshes may have more. Boxes of faces that meet at a
 * node overlap however free they lie: such pairs, which a fan has as many of as the square of its
 * faces, are allowed on top, up to VO_CONTOUR_STARS (a fan of 5,700 faces, 128 MB). */
enum {
    VO_CONTOUR_NEAR = 256,
    VO_CONTOUR_PAIRS = 64,
    VO_CONTOUR_LEAST = 1 << 20,
    VO_CONTOUR_STARS = 1 << 24
};

/* Cloths and obstacles in one numbering; see collide/surface.h, whose arrays fit. */
typedef struct vo_soup {
    int node_count, edge_count, face_count, part_count;
    const int (*face)[3];            /* nodes */
    const int (*face_edge)[3];       /* side i runs from corner i to corner i + 1 */
    const int (*edge)[2];            /* nodes */
    const int *face_part;            /* whose face */
    const unsigned char *part_flags; /* [part_count] VO_SOUP_* bits */
    const double *inverse_mass;      /* [node_count] 0: must not move */
} vo_soup;

enum {
    VO_SOUP_OBSTACLE = 1, /* does not move; obstacles may intersect each other */
    VO_SOUP_ABSENT = 2,   /* its faces are ignored */
};

typedef struct vo_contour_vertex {
    vo_vec3 p;      /* m */
    int edge, face; /* the edge passes through the face; -1: the end at a common node, or at a tie
                       that has no crossing */
    int side;       /* of the edge: surface 0 or 1; the face lies on the other */
    int segment[2]; /* faces on both surfaces of the segment to the next vertex; -1 at an end */
} vo_contour_vertex;

typedef struct vo_contour {
    int begin, end; /* vertices; where closed, the last is followed by the first */
    bool closed;
    double length; /* m */
} vo_contour;

/* An end of a pair's segment. */
typedef struct vo_contour_end {
    int edge, face; /* -1: none */
    int side;       /* 0: the edge belongs to the pair's first face */
    int link;       /* the same crossing as the end of another pair, 2 pair + end; -1: none */
} vo_contour_end;

/* The finder, its results and their memory; a search after the first of its size allocates
 * nothing. Zero is the empty one. */
typedef struct vo_contours {
    vo_context *ctx;
    vo_soup soup;

    /* results of the last search */
    bool crowded; /* there are too many pairs: none is listed */
    int pair_count, contour_count, vertex_count, touching_count;
    vo_pair *pair;             /* all that intersect, a < b as faces */
    vo_contour *contour;       /* by their first pair; open ones first */
    vo_contour_vertex *vertex; /* of all contours */
    vo_pair *touching;         /* intersecting without a proper segment */
    double length;             /* of all contours, m */

    /* memory */
    int pair_capacity, contour_capacity, vertex_capacity, touching_capacity;
    int face_count[2];    /* of cloths, of obstacles */
    int *face[2];         /* which */
    vo_box *box[2];       /* of each of them */
    vo_bvh tree[2];       /* over them */
    vo_pair_list near[2]; /* boxes: cloths with cloths, cloths with obstacles */
    int64_t tested;       /* near pairs, by all searches so far */
    unsigned char *meets; /* of each near pair */
    int meets_capacity;
    vo_contour_end *ends; /* [2 pair_count] */
    int ends_capacity;
    int *edge_first; /* [edge_count] first end at the edge, or -1 */
    int *end_next;   /* [2 pair_count] next end at the same edge, or -1 */
    int end_next_capacity;
    unsigned char *seen; /* [pair_count] */
    int seen_capacity;
} vo_contours;

/* Prepares searches over one topology; the soup's arrays must outlive it. x gives the trees their
 * shape and the obstacles their place; absent is who is flagged so now. */
vo_result vo_contours_create(vo_context *ctx, const vo_soup *soup, const vo_vec3 *x,
                             vo_contours *out);
void vo_contours_free(vo_contours *c);

/* Takes new places of obstacles. */
void vo_contours_place(vo_contours *c, const vo_vec3 *x);

/* Finds everything that intersects at x, obstacles with obstacles left out. Obstacles must be where
 * they were when the finder was made, or last placed. Coordinates must be finite and at most
 * VO_EXACT_MAX. The result does not depend on the number of threads. */
vo_result vo_contours_find(vo_contours *c, const vo_vec3 *x);

/* Pairs of faces of which a cloth's is one and whose boxes come closer than `margin`; in c->near,
 * as indices into c->face. None if they are crowded. */
vo_result vo_contours_near(vo_contours *c, const vo_vec3 *x, double margin);

#endif
