/* Validation of fabric parameters from any source.
 *
 * Each check returns NULL or a phrase that completes "KEY ...": "must be ...". The caller prepends
 * the file and key path, or the member's name. The upper limits are far beyond real materials
 * (steel plate has 2e8 N/m and 20 N m); they keep later squares and sums of squares finite. */
#ifndef VO_MATERIAL_FABRIC_CHECK_H
#define VO_MATERIAL_FABRIC_CHECK_H

#include "material/fabric.h"

const char *vo_check_density(double kg_per_m2);
const char *vo_check_modulus(double newton_per_m);
const char *vo_check_rigidity(double newton_m);
/* An orthotropic sheet in plane stress has a positive definite energy only for poisson^2 < warp /
 * weft. */
const char *vo_check_poisson(double poisson, double young_warp, double young_weft);
/* [c0 c1; c1 c2] must be positive semidefinite; each of the four is checked as a modulus. */
const char *vo_check_coupling(const double c[4]);

/* Stiffness of plane stress: c0 = Eu / (1 - nu_uv nu_vu) and so on, with nu_vu = nu_uv Ev / Eu. */
vo_stiffness vo_orthotropic_stiffness(double young_warp, double young_weft, double poisson,
                                      double shear);
/* Sets fabric->bend at one curvature sample from the rigidities against curvature of the warp, the
 * weft and the bias. */
void vo_fabric_set_bending(vo_fabric *fabric, int curvature, double warp, double weft, double bias);

#endif
