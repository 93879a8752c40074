/* Metric tensors: the desired edge length per direction, in material space.
 *
 * A metric is a symmetric positive definite 2x2 tensor M. An edge vector u is short enough while
 * u^T M u <= 1, so M corresponds to the ellipse of all vectors of length 1: semi-axes
 * 1 / sqrt(eigenvalue), short where the cloth bends.
 *
 *            .--""--.
 *          /    | b   \        eigenvalues 1 / a^2 (along the fold) and 1 / b^2 (across it)
 *         |     +--a---|       an edge from the centre that ends inside is short enough;
 *          \          /        one that ends outside must be split
 *            '--..--'
 *
 * Maximum. Several criteria request sizes A, B, ...; the mesh must satisfy all of them. M satisfies
 * A if M - A is positive semidefinite (M "dominates" A: its ellipse lies inside that of A). The
 * maximum is the dominating M of smallest trace. For 2x2 tensors this is planar geometry: with
 *
 *      M = r I + [ p  q ]         the disk with centre (p, q) and radius r; its eigenvalues are
 *                [ q -p ]         r + |(p, q)| and r - |(p, q)|
 *
 * M dominates A exactly if the disk of M contains the disk of A. So the maximum is the smallest
 * enclosing disk of the given disks: it exists, is unique, independent of order, equivariant under
 * rotation of material space, and defined for singular tensors (a cylinder bends in one direction
 * only). Rejected: simultaneous diagonalisation of two tensors with the larger eigenvalue of each
 * pair, which needs definite tensors, combines only two at a time and depends on their order.
 * Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for cloth simulation". */
#ifndef VO_REMESH_METRIC_H
#define VO_REMESH_METRIC_H

#include "math/mat.h"

/* Bounds on eigenvalues (1/m^2) and their ratio, independent of the settings: edges between 10
 * micrometres and 1000 kilometres, aspect up to a million. Beyond them a tensor in double precision
 * would not stay definite. */
#define VO_METRIC_MAX       1e10
#define VO_METRIC_MIN       1e-12
#define VO_METRIC_MIN_RATIO 1e-12

enum { VO_METRIC_MAX_TERMS = 8 }; /* maximum number of arguments of vo_metric_max */

static inline vo_sym2 sym2_add(vo_sym2 a, vo_sym2 b) {
    return (vo_sym2){a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}
static inline vo_sym2 sym2_sub(vo_sym2 a, vo_sym2 b) {
    return (vo_sym2){a.xx - b.xx, a.xy - b.xy, a.yy - b.yy};
}
static inline vo_sym2 sym2_scale(double s, vo_sym2 a) {
    return (vo_sym2){s * a.xx, s * a.xy, s * a.yy};
}
/* s u u^T */
static inline vo_sym2 sym2_outer(double s, vo_vec2 u) {
    return (vo_sym2){s * u.x * u.x, s * u.x * u.y, s * u.y * u.y};
}
/* s I */
static inline vo_sym2 sym2_diagonal(double s) { return (vo_sym2){s, 0, s}; }
static inline double sym2_det(vo_sym2 m) { return m.xx * m.yy - m.xy * m.xy; }
/* a^T M b */
static inline double sym2_dot(vo_sym2 m, vo_vec2 a, vo_vec2 b) {
    return a.x * (m.xx * b.x + m.xy * b.y) + a.y * (m.xy * b.x + m.yy * b.y);
}
static inline bool sym2_is_finite(vo_sym2 m) {
    return isfinite(m.xx) && isfinite(m.xy) && isfinite(m.yy);
}
static inline bool sym2_equal(vo_sym2 a, vo_sym2 b) {
    return a.xx == b.xx && a.xy == b.xy && a.yy == b.yy;
}

/* Eigenvalues and axis of any finite symmetric tensor, without overflow or underflow; eigenvalues 0
 * if the tensor is not finite. */
vo_eigen2 vo_metric_eigen(vo_sym2 m);
/* The tensor with these eigenvalues. */
vo_sym2 vo_metric_from_eigen(vo_eigen2 e);

/* Makes the request of one criterion safe to combine: zero if it is not finite, and scaled down so
 * far that the other requests are not lost to rounding. */
vo_sym2 vo_metric_sanitise(vo_sym2 m);

/* The tensor of smallest trace that dominates `count` positive semidefinite tensors, at most
 * VO_METRIC_MAX_TERMS. Bit-identical to the argument that dominates all others, if there is one;
 * zero for count 0. */
vo_sym2 vo_metric_max(int count, const vo_sym2 *m);

/* Range of eigenvalues and of their ratio. */
typedef struct vo_metric_limits {
    double min_eigenvalue, max_eigenvalue; /* 1/m^2 */
    double min_ratio; /* lower bound on the smaller eigenvalue, relative to the larger */
} vo_metric_limits;

/* Limits from edge lengths in m and the smallest ratio of a face's width to its length. A size_min
 * or aspect_min that is not positive, or an infinite size_max, sets no limit. size_min takes
 * precedence over size_max. */
vo_metric_limits vo_metric_limits_make(double size_min, double size_max, double aspect_min);
/* Clamps the eigenvalues into the range, then raises the smaller one to the ratio. The result is
 * definite for any input. */
vo_sym2 vo_metric_limit(const vo_metric_limits *limits, vo_sym2 m);

/* Reduces M to `bound`: in coordinates in which `bound` is the identity, eigenvalues above 1 become
 * 1. With S the Jacobian from material space to the screen and `bound` = S^T S / l^2 this is the
 * screen-space bound of Koh, Narain, O'Brien 2015, eqs. 5 to 8: edges need not be shorter than l on
 * screen. A bound that is not finite changes nothing; one that is singular in a direction (a face
 * viewed edge-on) reduces M to almost zero in it. */
vo_sym2 vo_metric_bound(vo_sym2 m, vo_sym2 bound);

/* s(i, j)^2 = u^T (Mi + Mj) / 2 u of the edge u (Koh et al. 2015, eq. 1); above 1: too long. */
static inline double vo_metric_edge_size2(vo_sym2 mi, vo_sym2 mj, vo_vec2 u) {
    return 0.5 * (sym2_dot(mi, u, u) + sym2_dot(mj, u, u));
}

/* Anisotropic Delaunay criterion (Bossen, Heckbert 1996, "A pliant method for anisotropic mesh
 * generation"): true if the edge u[0] u[1] between the counter-clockwise faces (0, 1, 2) and
 * (1, 0, 3) should be flipped to u[2] u[3], that is, if the angles at 2 and 3, in the mean of the
 * four metrics, add up to more than pi and the sine of the excess is above `threshold`. The
 * quadrilateral is then convex, so both new faces have positive area. The mean is the same for both
 * diagonals, so a flipped edge does not flip back. False if a face has no area. */
bool vo_metric_should_flip(const vo_vec2 u[4], const vo_sym2 m[4], double threshold);

#endif
