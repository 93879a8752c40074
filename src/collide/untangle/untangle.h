/* Untangling by contour minimisation: moves intersecting surfaces until they do not intersect.
 *
 * Used for initial states (imported garments always intersect) and after remeshing. No history is
 * available: inside and outside follow from the state alone. See untangle.c for the method. Cloth
 * moves; obstacles and pinned nodes do not.
 *
 * It always terminates: the number of steps and the number of tested face pairs are bounded in
 * proportion to the size of the problem. Remaining intersections are classified and located. A
 * dense region (collide/dense_region.h) is not attempted and left unchanged. */
#ifndef VO_COLLIDE_UNTANGLE_UNTANGLE_H
#define VO_COLLIDE_UNTANGLE_UNTANGLE_H

#include "collide/contour.h"
#include "collide/dense_region.h"

typedef struct vo_untangle_def {
    vo_soup soup;              /* its arrays must outlive the untangler */
    const double *edge_length; /* [edge_count] m, rest lengths; NULL: the initial lengths */
    double gap; /* m, at least 0: target distance of surfaces at the end, where there is space; less
                   for faces smaller than this */
    bool push_out;    /* move sheets that lie entirely inside a closed obstacle outside; false: only
                         report them */
    bool leave_clean; /* do not change a state without intersections, whatever its gaps */
    bool can_cancel;  /* polls the cancel callback of the context before each step */
    int max_iterations; /* 0: chosen from the number of faces */
} vo_untangle_def;

vo_untangle_def vo_untangle_def_default(void);

/* Reason why an intersection remains. */
typedef enum vo_tangle_reason {
    VO_TANGLE_UNSOLVED, /* no step shortened it any more, or the iterations ran out */
    VO_TANGLE_PINNED,   /* all nodes there are pinned */
    VO_TANGLE_SQUEEZED, /* two obstacles overlap, or nearly, with the cloth between them */
    VO_TANGLE_INSIDE,   /* a sheet entirely inside a closed obstacle, without an intersection */
    VO_TANGLE_OUTSIDE,  /* a sheet outside all containers; the second part is the nearest one */
} vo_tangle_reason;

typedef struct vo_tangle {
    vo_tangle_reason reason;
    int part[2]; /* equal: a self-intersection */
    int face[2]; /* a face pair of it; VO_TANGLE_INSIDE and _OUTSIDE: a face of the sheet, and -1 */
    int pairs;   /* face pairs */
    vo_vec3 position; /* m, midpoint */
    double length;    /* m, length of the contour; 0 if faces only touch */
} vo_tangle;

typedef struct vo_untangle_report {
    bool clean; /* no intersections remain */
    int iterations, restarts;
    int contours_before, contours_after;
    int pairs_before, pairs_after;      /* face pairs */
    double length_before, length_after; /* m, of all contours */
    double max_motion;                  /* m, largest displacement of a node */
    double gap;                         /* m, smallest remaining distance, at most def.gap */
    int tangle_count;                   /* remaining tangles, including sheets inside obstacles */
    const vo_tangle *tangle;            /* valid until the next call */
    int inside_count;                   /* tangles that are sheets inside obstacles */
    vo_dense_region dense_region; /* face >= 0: too many intersections in one place; nothing was
                                     changed, and no other result is valid */
} vo_untangle_report;

typedef struct vo_untangler vo_untangler;

/* Creates an untangler; x are the current positions. Free it with vo_untangler_destroy. */
vo_result vo_untangler_create(vo_context *ctx, const vo_untangle_def *def, const vo_vec3 *x,
                              vo_untangler **out);
void vo_untangler_destroy(vo_untangler *u);

/* Moves x until nothing intersects or no progress is made; x is then the best state found.
 * VO_BAD_DATA, naming the node, if a coordinate is not finite. VO_CANCELLED if cancelled; x is then
 * an intermediate state. Memory is reused by later calls; the
 * result does not depend on the number of threads. */
vo_result vo_untangle(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report);

/* Returns a short description for messages, such as "pinned". */
const char *vo_tangle_reason_text(vo_tangle_reason reason);

#endif
