/* Metrics: how long is too long, by direction, in material space.
 *
 * A metric is a symmetric positive definite 2x2 tensor M. The vector u is allowed as an edge while
 * u^T M u <= 1, so M is drawn as the ellipse of all vectors that are just allowed: half axes
 * 1 / sqrt(eigenvalue), short where the cloth bends.
 *
 *            .--""--.
 *          /    | b   \        eigenvalues 1 / a^2 (along the fold) and 1 / b^2 (across it)
 *         |     +--a---|       an edge from the centre that ends inside is short enough;
 *          \          /        one that ends outside is to be split
 *            '--..--'
 *
 * Maximum. Several causes ask for a size each, A, B, ...; the mesh must satisfy all of them. M
 * satisfies A where M - A is positive semidefinite (M "dominates" A: its ellipse lies inside that
 * of A). Many M do; the one wanted has the smallest trace. For 2x2 tensors that is plane geometry:
 * write
 *
 *      M = r I + [ p  q ]         the disk with centre (p, q) and radius r; its eigenvalues are
 *                [ q -p ]         r + |(p, q)| and r - |(p, q)|
 *
 * and M dominates A exactly if the disk of M contains the disk of A. So the maximum is the smallest
 * disk around the given disks: it exists, is unique, does not depend on order, turns with material
 * space, and is as happy with singular tensors (a cylinder bends in one direction only) as with
 * others. The other customary rule, which diagonalises two tensors at once and takes the larger of
 * each pair of eigenvalues, was rejected: it needs definite tensors, works on two at a time, and
 * then depends on their order. Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for
 * cloth simulation". */
#ifndef VO_REMESH_METRIC_H
#define VO_REMESH_METRIC_H

#include "math/mat.h"

/* Whatever the limits say, no metric asks for edges shorter than 10 micrometres or longer than a
 * thousand kilometres, or for a million times as long as wide: it would not be definite any more in
 * the precision of a double. */
#define VO_METRIC_LARGEST     1e10
#define VO_METRIC_SMALLEST    1e-12
#define VO_METRIC_LEAST_RATIO 1e-12

enum { VO_METRIC_MOST_TERMS = 8 }; /* that are combined at once */

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

/* Eigenvalues and axis of any finite symmetric tensor, without overflow or underflow on the way;
 * a tensor that is not finite has eigenvalues 0. */
vo_eigen2 vo_metric_eigen(vo_sym2 m);
/* The tensor with these eigenvalues. */
vo_sym2 vo_metric_from_eigen(vo_eigen2 e);

/* What one cause asks for, made safe to combine: nothing where it is not finite, and of a size
 * beside which what the others ask for is not lost in rounding. */
vo_sym2 vo_metric_safe(vo_sym2 m);

/* The smallest tensor, by trace, that dominates all given positive semidefinite ones, at most
 * VO_METRIC_MOST_TERMS. The same bits as the one argument that dominates the others, where there is
 * one; zero for none. */
vo_sym2 vo_metric_max(int count, const vo_sym2 *m);

/* Range of eigenvalues and of their ratio. */
typedef struct vo_metric_limits {
    double small, large; /* 1/m^2 */
    double ratio;        /* the smaller eigenvalue is at least this part of the larger */
} vo_metric_limits;

/* From edge lengths in m and the least ratio of a face's width to its length. A size_min or
 * aspect_min that is not positive, or an infinite size_max, sets no limit. Where both sizes exclude
 * each other, size_min is obeyed. */
vo_metric_limits vo_metric_limits_make(double size_min, double size_max, double aspect_min);
/* Clamps the eigenvalues into the range, then raises the smaller one to the ratio. The result is
 * definite for any input. */
vo_sym2 vo_metric_limit(const vo_metric_limits *limits, vo_sym2 m);

/* Lowers M to what `bound` allows: in coordinates in which `bound` is the identity, eigenvalues
 * above 1 become 1. With S the Jacobian from material space to the screen and `bound` = S^T S / l^2
 * this is the screen-space bound of Koh, Narain, O'Brien 2015, eqs. 5 to 8: no edge needs to be
 * shorter than l on the screen. A bound that is not finite allows everything; one without extent in
 * some direction (a face seen edge-on) takes almost all of M there. */
vo_sym2 vo_metric_bound(vo_sym2 m, vo_sym2 bound);

/* s(i, j)^2 = u^T (Mi + Mj) / 2 u for the edge u (Koh et al. 2015, eq. 1): above 1 it is too long.
 */
static inline double vo_metric_edge_size2(vo_sym2 mi, vo_sym2 mj, vo_vec2 u) {
    return 0.5 * (sym2_dot(mi, u, u) + sym2_dot(mj, u, u));
}

/* Whether the edge u[0] u[1] between the faces (0, 1, 2) and (1, 0, 3), counter-clockwise, gives
 * way to u[2] u[3]: whether the angles at 2 and 3, in the mean of the four metrics, add up to more
 * than pi and the sine of the excess is above `threshold` (Bossen, Heckbert 1996, "A pliant method
 * for anisotropic mesh generation"). Then both new faces have positive area, since a quadrilateral
 * with two opposite angles above pi together has no room for another above pi. The mean is the same
 * for both diagonals, so an edge just flipped does not flip back. False where a face has no area.
 */
bool vo_metric_should_flip(const vo_vec2 u[4], const vo_sym2 m[4], double threshold);

#endif
