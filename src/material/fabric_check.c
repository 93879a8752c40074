#include "material/fabric_check.h"

const char *vo_check_density(double kg_per_m2) {
    return kg_per_m2 >= 1e-9 && kg_per_m2 <= 1e6 ? NULL
                                                 : "must be a mass per area between 1e-9 and 1e6 "
                                                   "kg/m^2 (cloth has 0.03 to 1)";
}

const char *vo_check_modulus(double newton_per_m) {
    return newton_per_m >= 0 && newton_per_m <= 1e12 ? NULL : "must be between 0 and 1e12 N/m";
}

const char *vo_check_rigidity(double newton_m) {
    return newton_m >= 0 && newton_m <= 1e9 ? NULL : "must be between 0 and 1e9 N m";
}

const char *vo_check_poisson(double poisson, double young_warp, double young_weft) {
    bool bounded = poisson == 0 || poisson * poisson * young_weft < 0.999999 * young_warp;
    return poisson >= 0 && bounded ? NULL : "must be at least 0 and less than sqrt(warp / weft)";
}

const char *vo_check_coupling(const double c[4]) {
    return c[1] * c[1] <= c[0] * c[2] ? NULL
                                      : "couples warp and weft too strongly: the second number "
                                        "squared must not exceed the first times the third";
}

vo_stiffness vo_orthotropic_stiffness(double young_warp, double young_weft, double poisson,
                                      double shear) {
    double reverse = poisson == 0 ? 0 : poisson * young_weft / young_warp; /* nu_vu */
    double s = 1 / (1 - poisson * reverse);
    return (vo_stiffness){{s * young_warp, s * poisson * young_weft, s * young_weft, shear}};
}

void vo_fabric_set_bending(vo_fabric *fabric, int curvature, double warp, double weft,
                           double bias) {
    fabric->bend[0][curvature] = weft; /* an edge along U curves the weft */
    fabric->bend[1][curvature] = bias;
    fabric->bend[2][curvature] = warp;
}
