#include "material/measured.h"

/* Interpolates between two rows. */
static void interpolate_row(const double a[4], const double b[4], double t, double out[4]) {
    for (int i = 0; i < 4; i++) out[i] = (1 - t) * a[i] + t * b[i];
}

/* Converts from ARCSim: the first three numbers are half the stiffness, the last is the shear
 * modulus. Negative values are noise of the fit and become zero. */
static vo_stiffness stiffness_from_arcsim(const double k[4]) {
    double c0 = 2 * vo_max(k[0], 0), c1 = 2 * vo_max(k[1], 0), c2 = 2 * vo_max(k[2], 0);
    return (vo_stiffness){{c0, vo_min(c1, sqrt(c0 * c2)), c2, vo_max(k[3], 0)}};
}

vo_stiffness vo_measured_stiffness(const vo_measured *measured, vo_sym2 strain) {
    vo_sym2 cauchy = {2 * strain.xx + 1, 2 * strain.xy, 2 * strain.yy + 1};
    vo_eigen2 e = vo_sym2_eigen(cauchy);
    double stretch = sqrt(vo_max(e.lambda_max, 0));
    double angle = atan2(fabs(e.axis.y), fabs(e.axis.x)) / (VO_PI / 8); /* 0 .. 4 */
    int row = vo_min_int((int)angle, VO_MEASURED_ANGLES - 2);
    double pulled[4], k[4];
    interpolate_row(measured->k[1 + row], measured->k[2 + row], angle - row, pulled);
    interpolate_row(measured->k[0], pulled, vo_clamp((stretch - 1) * 6, 0, 1), k);
    return stiffness_from_arcsim(k);
}

/* Rounds to float with c1^2 <= c0 c2 exactly: a product of two floats is exact in double. */
static vo_stiffness_sample round_sample(const vo_stiffness *s) {
    vo_stiffness_sample r;
    for (int i = 0; i < 4; i++) r.c[i] = (float)s->c[i];
    while ((double)r.c[1] * r.c[1] > (double)r.c[0] * r.c[2]) r.c[1] = nextafterf(r.c[1], 0);
    return r;
}

void vo_measured_tabulate(const vo_measured *measured, vo_stiffness_sample *table) {
    for (int i = 0; i < VO_STRETCH_SAMPLES; i++)
        for (int j = 0; j < VO_STRETCH_SAMPLES; j++)
            for (int k = 0; k < VO_STRETCH_SAMPLES; k++) {
                vo_sym2 strain = {VO_STRAIN_LOW + i * VO_STRAIN_STEP, k * VO_STRAIN_STEP,
                                  VO_STRAIN_LOW + j * VO_STRAIN_STEP};
                vo_stiffness c = vo_measured_stiffness(measured, strain);
                *table++ = round_sample(&c);
            }
}

bool vo_measured_is_linear(const vo_measured *measured) {
    for (int row = 1; row < VO_MEASURED_ROWS; row++)
        for (int i = 0; i < 4; i++)
            if (measured->k[row][i] != measured->k[0][i]) return false;
    return true;
}
