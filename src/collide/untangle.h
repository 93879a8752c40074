/* Untangling: surfaces that intersect are moved until they do not.
 *
 * For states that start tangled (imported garments always do) and for what remeshing tangled. There
 * is no past to go by: what is inside and outside must be read off the state itself. See untangle.c
 * for the method. Cloth moves, obstacles and pinned nodes stay.
 *
 * It always ends: steps are bounded, and so is the number of pairs of faces that they look at; both
 * grow with the size of what is tangled. What could not be resolved is named and located. A clump
 * (collide/clump.h) is hopeless, and left as it is. */
#ifndef VO_COLLIDE_UNTANGLE_H
#define VO_COLLIDE_UNTANGLE_H

#include "collide/clump.h"
#include "collide/contour.h"

typedef struct vo_untangle_def {
    vo_soup soup;              /* the arrays must outlive the untangler */
    const double *edge_length; /* [edge_count] m, at rest; NULL: as they are at first */
    double gap;    /* m, at least 0: the distance that surfaces are to have at the end, as far as
                      there is room; faces smaller than this ask for less */
    bool push_out; /* move sheets that lie wholly inside a closed obstacle outside; otherwise they
                      are only reported */
    bool leave_clean;   /* what does not intersect is left as it is, whatever its gaps */
    int max_iterations; /* 0: by the size */
} vo_untangle_def;

vo_untangle_def vo_untangle_def_default(void);

/* Why something is left. */
typedef enum vo_tangle_why {
    VO_TANGLE_UNSOLVED, /* no step made it shorter any more, or the iterations ran out */
    VO_TANGLE_PINNED,   /* nothing there may move */
    VO_TANGLE_SQUEEZED, /* two obstacles overlap, or nearly, and the cloth is between them */
    VO_TANGLE_INSIDE,   /* a sheet wholly inside a closed obstacle: no intersection, but no place
                           for cloth either */
} vo_tangle_why;

typedef struct vo_tangle {
    vo_tangle_why why;
    int part[2];   /* the same one twice: with itself */
    int face[2];   /* a pair in it; inside: a face of the sheet, and -1 */
    int pairs;     /* of faces */
    vo_vec3 place; /* m: the middle */
    double length; /* m, of the contour; 0 where faces only touch */
} vo_tangle;

typedef struct vo_untangle_report {
    bool clean; /* no face intersects another */
    int iterations, restarts;
    int contours_before, contours_after;
    int pairs_before, pairs_after;      /* of faces */
    double length_before, length_after; /* of all contours, m */
    double moved;                       /* the longest way of a node, m */
    double gap;              /* the smallest distance that was left, at most that asked for */
    int tangle_count;        /* what is left, sheets inside obstacles included */
    const vo_tangle *tangle; /* valid until the next call */
    int inside_count;        /* of them, sheets inside obstacles */
    vo_clump clump;          /* too much intersects in one place: nothing was done, and nothing else
                                is told of what is left */
} vo_untangle_report;

typedef struct vo_untangler vo_untangler;

/* x: where everything is when it is made. */
vo_result vo_untangler_create(vo_context *ctx, const vo_untangle_def *def, const vo_vec3 *x,
                              vo_untangler **out);
void vo_untangler_destroy(vo_untangler *u);

/* Moves x until nothing intersects or nothing helps; then x is the best state that there was.
 * VO_BAD_DATA, naming the node, if a coordinate is not a usable number. Calls of one untangler
 * share its memory; the result does not depend on the number of threads. */
vo_result vo_untangle(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report);

/* "pinned", ... for messages. */
const char *vo_tangle_why_text(vo_tangle_why why);

#endif
