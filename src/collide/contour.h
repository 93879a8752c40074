/* Intersection contours: intersecting face pairs, joined into curves.
 *
 * Two faces that intersect properly share a segment. Each of its ends is a crossing: an edge of one
 * face passes through the other. The faces on both sides of that edge share the crossing, which
 * joins their segments into curves:
 *
 *        surface 0              surface 1            an open contour of 3 segments and 4 vertices;
 *      +---+---+---+          +-----------+          at vertices 0 and 3 a border edge of surface 0
 *      | 0-1---2-3 |          | 0-1---2-3 |          passes through surface 1, at 1 and 2 an edge
 *      +---+---+---+          +-----------+          between two of its faces does
 *
 * The same curve lies on both surfaces, which may be two places of one cloth. `side` and `segment`
 * assign its elements to the surfaces. A contour ends at a border, or at a node that both of its
 * faces share (where a cloth passes through itself at a pinched node); otherwise it is closed.
 *
 * Face intersections are decided exactly (collide/intersect.h), and so are crossings of edges and
 * faces, with ties broken so that exactly one of two faces at an edge is crossed. Faces that merely
 * touch, or are coplanar, have no proper segment: they are listed separately. Positions of
 * crossings are computed in floating point.
 *
 * If more face pairs are close, or intersect, than the budgets below allow, nothing is listed and
 * the state has a dense region (collide/dense_region.h). */
#ifndef VO_COLLIDE_CONTOUR_H
#define VO_COLLIDE_CONTOUR_H

#include "collide/surface.h"
#include "core/context.h"
#include "spatial/bvh.h"

/* Pair budgets per face of cloths and obstacles: pairs whose boxes overlap, and pairs that
 * intersect. Ten coincident layers have 60 of both. The minimum applies to small meshes. Boxes of
 * faces with a common node always overlap: these pairs, whose number is quadratic in the valence,
 * are allowed in addition, up to VO_CONTOUR_STAR_PAIRS (a fan of 5,700 faces, 128 MB). */
enum {
    VO_CONTOUR_NEAR_PAIRS = 256,
    VO_CONTOUR_PAIRS = 64,
    VO_CONTOUR_MIN_PAIRS = 1 << 20,
    VO_CONTOUR_STAR_PAIRS = 1 << 24
};

/* Cloths and obstacles in one numbering, as views of arrays, for example of a vo_surface. */
typedef struct vo_soup {
    int node_count, edge_count, face_count, part_count;
    const int (*face)[3];      /* [face_count] nodes */
    const int (*face_edge)[3]; /* [face_count] edges; side i goes from corner i to corner i + 1 */
    const int (*edge)[2];      /* [edge_count] nodes */
    const int *face_part;      /* [face_count] part */
    const unsigned char *part_flags; /* [part_count] VO_SOUP_* bits */
    const double *inverse_mass;      /* [node_count] 1/kg; 0: fixed */
} vo_soup;

/* Returns views of the arrays of a surface. */
vo_soup vo_soup_from_surface(const vo_surface *surface, const unsigned char *part_flags);

enum {
    VO_SOUP_OBSTACLE = 1, /* fixed; obstacles may intersect each other */
    VO_SOUP_ABSENT = 2,   /* its faces are ignored */
    VO_SOUP_ORIENTED = 4, /* obstacle: its solid is behind its faces, so that a closed one turned
                             inside out is a container; otherwise the enclosed side is solid */
};

typedef struct vo_contour_vertex {
    vo_vec3 p;      /* m */
    int edge, face; /* the edge passes through the face; -1: an end at a common node, or at a tie
                       without a crossing */
    int side;       /* surface of the edge, 0 or 1; the face is on the other */
    int segment[2]; /* faces of the segment to the next vertex on both surfaces; -1 at an end */
} vo_contour_vertex;

typedef struct vo_contour {
    int begin, end; /* vertices; if closed, the last is followed by the first */
    bool closed;
    double length; /* m */
} vo_contour;

/* End of the segment of a pair. */
typedef struct vo_contour_end {
    int edge, face; /* -1: none */
    int side;       /* 0: the edge belongs to the pair's first face */
    int link;       /* end of another pair with the same crossing, 2 pair + end; -1: none */
} vo_contour_end;

/* Contour finder with its results and memory; only the first search of a size allocates.
 * Zero-initialised: empty. */
typedef struct vo_contours {
    vo_context *ctx;
    vo_soup soup;

    /* results of the last search */
    bool over_budget; /* the pair budget is exceeded: nothing is listed */
    int pair_count, contour_count, vertex_count, touching_count;
    vo_pair *pair;             /* intersecting faces, a < b */
    vo_contour *contour;       /* ordered by their first pair; open ones first */
    vo_contour_vertex *vertex; /* vertices of all contours */
    vo_pair *touching;         /* intersecting without a proper segment */
    double length;             /* m, of all contours */

    /* memory */
    int pair_capacity, contour_capacity, vertex_capacity, touching_capacity;
    int face_count[2];          /* cloths, obstacles */
    int *face[2];               /* faces of the soup */
    vo_box *box[2];             /* box of each face */
    vo_bvh tree[2];             /* BVH over the boxes */
    vo_pair_list near_pairs[2]; /* overlapping boxes: cloths with cloths, cloths with obstacles */
    int64_t tested;             /* near pairs of all searches */
    unsigned char *intersects;  /* [near pairs] the faces intersect */
    int intersects_capacity;
    vo_contour_end *ends; /* [2 pair_count] */
    int ends_capacity;
    int *edge_first; /* [edge_count] first end at the edge, or -1 */
    int *end_next;   /* [2 pair_count] next end at the same edge, or -1 */
    int end_next_capacity;
    unsigned char *visited; /* [pair_count] */
    int visited_capacity;
} vo_contours;

/* Creates a finder for one topology; the arrays of the soup must outlive it. x determines the tree
 * topology and the obstacle positions; the absent flags are those of now. */
vo_result vo_contours_create(vo_context *ctx, const vo_soup *soup, const vo_vec3 *x,
                             vo_contours *out);
void vo_contours_free(vo_contours *c);

/* Updates the positions of obstacles. */
void vo_contours_set_obstacles(vo_contours *c, const vo_vec3 *x);

/* Finds all intersections at x, except between obstacles. Obstacles must be at the positions of
 * vo_contours_create or the last vo_contours_set_obstacles. Coordinates must be finite and at most
 * VO_EXACT_MAX. The result does not depend on the number of threads. */
vo_result vo_contours_find(vo_contours *c, const vo_vec3 *x);

/* Finds face pairs with at least one cloth face whose boxes are closer than `margin`, as indices
 * into c->face, in c->near_pairs. None if the budget is exceeded. */
vo_result vo_contours_find_near(vo_contours *c, const vo_vec3 *x, double margin);

#endif
