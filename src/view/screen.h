/* Screen-space resolution limit: the bound on the sizing metric of visible faces (Koh, Narain,
 * O'Brien 2015, section 3.2, eqs. 5 to 8).
 *
 * With S the Jacobian from material space to pixels, a material edge u is |S u| pixels long. Edges
 * shorter than l pixels are not needed: in screen space the eigenvalues of the sizing metric S^-T M
 * S^-1 are at most 1 / l^2. In material space this is the bound  B = S^T S / l^2,  to which the
 * metric M is clamped (remesh/metric.h). B needs no inverse, so a face seen edge-on is not a
 * special case.
 *
 *      camera <------- z -------> face      S = (pixels / z) [ right - (x/z) forward ] F
 *                                                            [ up    - (y/z) forward ]
 *
 * F is the deformation gradient, (x/z, y/z) the slope of the ray to the face's centroid. The paper
 * computes S from the projected corners; that is equivalent for small faces but undefined for
 * corners behind the camera. Here z is the depth of the closest corner, reduced by the possible
 * approach of the camera until the next sample and clamped to the near plane: this is finer than
 * necessary for most of a large face, right for its closest part, and always finite. Slopes are
 * clamped to the image borders.
 *
 * Edge-on, S loses the direction along the ray, and faces could become arbitrarily long in it. They
 * still matter: wrinkles along the ray shape the outline, and the cloth soon turns, while only the
 * camera is anticipated. A length along the ray is therefore weighted by `grazing` relative to a
 * length across it (a third row of S). 0 is the paper's rule. With 0.1 the flanks of folds are so
 * coarse that folds become jagged; from 0.5 on they are smooth, for 8 % more faces.
 *
 * A face has one bound per frustum sample, limited to the metric of the finest edges. The bound B
 * of all samples is their join: a small tensor J with J >= B_k for each, whose ellipse is contained
 * in that of every B_k (remesh/metric.h explains the geometry). It is the smallest by trace for two
 * samples; joining several one by one is slightly larger. view_kernel.c computes it. */
#ifndef VO_VIEW_SCREEN_H
#define VO_VIEW_SCREEN_H

#include "view/factor.h"

typedef struct vo_screen_def {
    double min_edge_pixels; /* l, minimum edge length on screen, pixels; not positive: no bound */
    double grazing;         /* 0 to 1 */
} vo_screen_def;

static inline vo_screen_def vo_screen_def_default(void) {
    return (vo_screen_def){.min_edge_pixels = 0, .grazing = 0.5};
}

/* Minimum depth for the projection, m. */
#define VO_SCREEN_MIN_DEPTH 1e-4
/* Larger bounds are treated as no bound, 1/m^2: edges far below atomic size. */
#define VO_SCREEN_MAX_BOUND 1e26

/* The value for no bound. */
static inline vo_sym2 vo_screen_no_bound(void) { return (vo_sym2){INFINITY, 0, INFINITY}; }

#endif
