/* What makes sense for a fabric, wherever its numbers come from.
 *
 * Each check returns NULL, or a phrase that completes "KEY ...": "must be ...". The caller puts
 * file and key path (or the field's name) before it. The upper bounds are far beyond anything real
 * (steel plate has 2e8 N/m and 20 N m); they keep squares and sums of squares finite further on. */
#ifndef VO_MATERIAL_FABRIC_CHECK_H
#define VO_MATERIAL_FABRIC_CHECK_H

#include "material/fabric.h"

const char *vo_check_density(double kg_per_m2);
const char *vo_check_modulus(double newton_per_m);
const char *vo_check_rigidity(double newton_m);
/* Plane stress of an orthotropic sheet has an energy with a minimum only for
 * poisson^2 < warp / weft. */
const char *vo_check_poisson(double poisson, double young_warp, double young_weft);
/* [c0 c1; c1 c2] must be positive semidefinite; the four numbers are moduli each. */
const char *vo_check_coupling(const double c[4]);

/* c of plane stress: c0 = Eu / (1 - nu_uv nu_vu) and so on, with nu_vu = nu_uv Ev / Eu. */
vo_stiffness vo_orthotropic_stiffness(double young_warp, double young_weft, double poisson,
                                      double shear);
/* Fills fabric->bend at one curvature sample from rigidities against curving the warp, the weft and
 * the bias. */
void vo_fabric_set_bending(vo_fabric *fabric, int curvature, double warp, double weft, double bias);

#endif
