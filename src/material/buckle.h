/* Buckling compensation: what coarse faces make up for in place of the folds that they are too
 * large to have (Koh, Narain, O'Brien 2015, "View-dependent adaptive cloth simulation with buckling
 * compensation", section 3.5).
 *
 * A face that is alpha firm sees only the part alpha of its compression (eqs. 9-11). Of the strain
 * G the law sees
 *     G^ = G + (1 - alpha) D,   S = C : G^,
 * in which D is the length that the face has too much of: what fine folds would take up, and so
 * never negative in any direction. The paper takes it from the principal strains, D = -min(G, 0).
 * For a fabric that becomes narrower when it is pulled this S is the derivative of no energy; and
 * W(G^), with what the chain rule makes of it, has a kink where a principal strain changes sign
 * while the other is large, where a step that is linearised once has no slope to go by. Here D is
 * the one that leaves least energy,
 *     D = argmin over D >= 0 of 1/2 (G + D) : C : (G + D),
 * which is the same where C does not couple directions. Then S is the derivative of
 *     alpha W(G) + (1 - alpha) W(G + D),   W(G) = 1/2 G : C : G:
 * of the fabric's own energy and of that of tension field theory, its relaxed energy (Pipkin 1986,
 * "The relaxed energy density for isotropic elastic membranes"; Steigmann 1990, "Tension-field
 * theory"). Both are convex in G with a continuous derivative. A strip that is pulled becomes as
 * narrow as the fabric wants and not a bit narrower; the paper's would by 1 / alpha.
 *
 * How D is found. What is left, S = C : (G + D), nowhere pushes: S >= 0, and S : D = 0. Scale the
 * material axes so that c0 = c2 = 1 (a congruence: it keeps signs of eigenvalues) and write
 *     p = (Guu + Gvv) / 2,  q = (Guu - Gvv) / 2,  z = Guv.
 * There C is diagonal, W = A p^2 + B q^2 + H z^2, and matrices that are >= 0 fill a round cone
 * about the axis p:
 *
 *                p
 *        \  taut  |      /
 *         \      |     /         taut       A p >= |(B q, H z)|:  D = 0
 *           \    |   /
 *    wrinkled  \ | /  wrinkled   wrinkled   S = s (1, c, d),  D = m (1, -c, -d),  both on the cone:
 *   -------------+------------ q, z         q = c (a s - p),   a = 1/A + 1/B,   c^2 + d^2 = 1,
 *              / | \                        z = d (b s - p),   b = 1/A + 1/H,   m = s/A - p
 *           /    |   \
 *         / slack|     \         slack      -p >= |(q, z)|:  S = 0
 *
 * c^2 + d^2 = 1 is one equation for s, whose root Newton's method finds from below without ever
 * passing it; in the form 1 / |(c, d)| = 1 it is nearly a straight line, and is one for a fabric
 * that is the same in all directions. */
#ifndef VO_MATERIAL_BUCKLE_H
#define VO_MATERIAL_BUCKLE_H

#include "material/fabric.h"

/* Stiffness that has no share of at least this is given it before D is sought: normal modulus by
 * the largest; 1 - coupling by the moduli; shear by the moduli. Within these bounds so many steps
 * find s to 1e-11. */
#define VO_BUCKLE_LEAST_NORMAL 1e-6
#define VO_BUCKLE_LEAST_SHARE  1e-3
enum { VO_BUCKLE_STEPS = 8 };

/* Alpha of a face by its area in the flat fabric (eq. 11): 1 for the smallest, 0 for the largest; 1
 * if there is no largest. `power` is at least 1. */
double vo_buckle_alpha(double area, double smallest, double largest, double power);

/* The strain of eq. 10, at which measured fabrics are looked up; slack is 1 - alpha. */
vo_sym2 vo_buckle_strain(vo_sym2 strain, double slack);

/* W, S and dS/dG at a strain. Slopes are of Suu, Svv, Suv by Guu, Gvv, 2 Guv: a symmetric matrix
 * [0 1 3; 1 2 4; 3 4 5], positive semidefinite, N/m. */
typedef struct vo_tension {
    double energy;  /* J/m^2 */
    vo_sym2 stress; /* N/m */
    double slope[6];
} vo_tension;

/* Of the fabric itself, for slack 0, to its tension field, for slack 1. */
vo_tension vo_buckle_law(const vo_stiffness *c, double slack, vo_sym2 strain);

#endif
