/* How fine a face need be for the screen: the bound on the sizing metric of visible faces (Koh,
 * Narain, O'Brien 2015, section 3.2, eqs. 5 to 8).
 *
 * With S the Jacobian from material space to pixels, an edge u of the fabric is |S u| pixels long.
 * No edge need be shorter than l pixels: in screen space, eigenvalues of the sizing metric
 * S^-T M S^-1 are at most 1 / l^2. Back in material space that is the bound  B = S^T S / l^2,  and
 * whoever has M lowers it to B (remesh/metric.h). B needs no inverse, so a face seen edge-on is no
 * special case here.
 *
 *      eye <------- z -------> face      S = (pixels / z) [ right - (x/z) forward ] F
 *                                                         [ up    - (y/z) forward ]
 *
 * F is the deformation gradient, (x/z, y/z) the slope at which the middle of the face is seen. The
 * paper takes S from the corners' places on the screen; that is the same for small faces, but
 * corners behind the eye have no place there. Here z is the depth of the nearest corner, less what
 * the camera may come closer until the next moment, and not less than the near plane's: what is
 * finer than needed for most of a large face is right for its nearest part, and always finite.
 * Slopes end at the edges of the frame.
 *
 * Edge-on, S loses the direction along the line of sight, and faces there may become as long as
 * they like. A viewer sees such faces all the same: in the outline, which wrinkles along the line
 * of sight make; and soon from another side, since the cloth moves and only the camera is
 * anticipated. So a length along the line of sight counts as a part `grazing` of what it would be
 * across (a third row of S). 0 is the paper's rule. With 0.1 the flanks of folds are so coarse that
 * folds become jagged; from 0.5 on they are not, for a twelfth more faces. */
#ifndef VO_VIEW_SCREEN_H
#define VO_VIEW_SCREEN_H

#include "view/factor.h"

typedef struct vo_screen_def {
    double pixels;  /* l, the shortest edge on the screen; not positive: there is no bound */
    double grazing; /* 0 to 1 */
} vo_screen_def;

vo_screen_def vo_screen_def_default(void); /* 0; 0.5 */

/* Nothing is drawn larger than from this depth, m. */
#define VO_SCREEN_CLOSEST 1e-4
/* Beyond this, 1/m^2, a bound is none: edges of a thousandth of an atom. */
#define VO_SCREEN_LARGEST 1e26

/* Sets no bound. */
static inline vo_sym2 vo_screen_unbound(void) { return (vo_sym2){INFINITY, 0, INFINITY}; }

/* B, in 1/m^2; no bound where the face has no material area or is not finite. */
vo_sym2 vo_screen_bound(const vo_screen_def *def, const vo_moment *moment, const vo_view_face *face,
                        const vo_sight *sight);

/* Lowers eigenvalues to `largest`, which may be infinite. */
vo_sym2 vo_screen_limit(vo_sym2 b, double largest);

/* A tensor, as small as can be, that asks for all that a and b ask for: a's and b's ellipses
 * contain its own. Where one does already, it is that one. Exactly the smallest of two (by trace;
 * see remesh/metric.h for the geometry); of more, joined one by one, a little larger. */
vo_sym2 vo_screen_join(vo_sym2 a, vo_sym2 b);

#endif
