/* Buckling compensation: reduces the compression stiffness of faces that are too coarse to form
 * folds (Koh, Narain, O'Brien 2015, "View-dependent adaptive cloth simulation with buckling
 * compensation", section 3.5).
 *
 * A face with compensation factor alpha resists only the fraction alpha of its compression (eqs.
 * 9-11). The constitutive law uses, instead of the strain G,
 *       G^ = G + (1 - alpha) D,   S = C : G^,
 * where D is the excess length that fine folds would absorb, positive semidefinite. The paper
 * derives it from the principal strains, D = -min(G, 0). For a fabric with Poisson contraction this
 * S is not the derivative of an energy; and W(G^), differentiated consistently, has a kink where a
 * principal strain changes sign while the other is large, where a step that linearises once has no
 * valid slope. Here D minimises the remaining energy,
 *       D = argmin over D >= 0 of 1/2 (G + D) : C : (G + D),
 * which is the same if C does not couple directions. Then S is the derivative of
 *       alpha W(G) + (1 - alpha) W(G + D),   W(G) = 1/2 G : C : G:
 * the fabric's own energy and the relaxed energy of tension field theory (Pipkin 1986, "The relaxed
 * energy density for isotropic elastic membranes"; Steigmann 1990, "Tension-field theory"). Both
 * are convex in G with a continuous derivative. A strip under tension contracts exactly as much as
 * the fabric does; with the paper's law it would contract 1 / alpha as much.
 *
 * Computing D. The remaining stress S = C : (G + D) is nowhere compressive: S >= 0 and S : D = 0.
 * Scale the material axes such that c0 = c2 = 1 (a congruence, which preserves the signs of
 * eigenvalues) and write
 *       p = (Guu + Gvv) / 2,  q = (Guu - Gvv) / 2,  z = Guv.
 * Then C is diagonal, W = A p^2 + B q^2 + H z^2, and the positive semidefinite matrices form a
 * circular cone about the axis p:
 *
 *                  p
 *          \  taut  |      /
 *           \      |     /         taut       A p >= |(B q, H z)|:  D = 0
 *             \    |   /
 *      wrinkled  \ | /  wrinkled   wrinkled   S = s (1, c, d),  D = m (1, -c, -d),  both on the
 * cone:
 *     -------------+------------ q, z         q = c (a s - p),   a = 1/A + 1/B,   c^2 + d^2 = 1,
 *                / | \                        z = d (b s - p),   b = 1/A + 1/H,   m = s/A - p
 *             /    |   \
 *           / slack|     \         slack      -p >= |(q, z)|:  S = 0
 *
 * c^2 + d^2 = 1 is one equation for s, whose root Newton's method approaches monotonically from
 * below; in the form 1 / |(c, d)| = 1 it is nearly linear, and exactly linear for an isotropic
 * fabric. */
#ifndef VO_MATERIAL_BUCKLE_H
#define VO_MATERIAL_BUCKLE_H

#include "material/fabric.h"

/* Lower limits of the stiffness used for D: normal modulus relative to the largest; 1 - coupling
 * relative to the moduli; shear relative to the moduli. Within these limits VO_BUCKLE_STEPS Newton
 * steps determine s to 1e-11. */
#define VO_BUCKLE_MIN_NORMAL 1e-6
#define VO_BUCKLE_MIN_RATIO  1e-3
enum { VO_BUCKLE_STEPS = 8 };

/* Returns alpha of a face by its material area (eq. 11): 1 for the smallest, 0 for the largest; 1
 * if `largest` is not positive. `power` is at least 1. */
double vo_buckle_alpha(double area, double smallest, double largest, double power);

/* Returns the strain of eq. 10, at which measured stiffness is looked up; slack is 1 - alpha. */
vo_sym2 vo_buckle_strain(vo_sym2 strain, double slack);

/* W, S and dS/dG at a strain. Slopes are those of Suu, Svv, Suv by Guu, Gvv, 2 Guv: a symmetric
 * matrix [0 1 3; 1 2 4; 3 4 5], positive semidefinite, N/m. */
typedef struct vo_tension {
    double energy;  /* J/m^2 */
    vo_sym2 stress; /* N/m */
    double slope[6];
} vo_tension;

/* Evaluates the law: from the fabric itself (slack 0) to its tension field (slack 1). */
vo_tension vo_buckle_law(const vo_stiffness *c, double slack, vo_sym2 strain);

#endif
