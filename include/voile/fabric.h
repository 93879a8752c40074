/* Voile: fabrics. */
#ifndef VOILE_FABRIC_H
#define VOILE_FABRIC_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A linear orthotropic fabric. Membrane moduli are forces per width (N/m): the force that stretches
 * a strip of one metre width by a strain of one. Bending moduli are flexural rigidities (N m). U is
 * the warp direction and V the weft direction of the material coordinates. */
typedef struct vo_fabric_def {
    double density;    /* kg/m^2, 1e-9 to 1e6 */
    double young_warp; /* N/m, Young's modulus along U, 0 to 1e12 */
    double young_weft; /* N/m, Young's modulus along V, 0 to 1e12 */
    double poisson;    /* contraction along V per strain along U under tension along U; 0 to below
                          sqrt(warp/weft) */
    double shear;      /* N/m, shear modulus, 0 to 1e12 */
    double bend_warp;  /* N m, against curvature along U, 0 to 1e9 */
    double bend_weft;  /* N m, against curvature along V, 0 to 1e9 */
    double bend_bias;  /* N m, against curvature at 45 degrees, 0 to 1e9 */
} vo_fabric_def;

typedef struct vo_fabric vo_fabric;

/* Returns a plain cotton weave of 0.15 kg/m^2. */
VO_API vo_fabric_def vo_fabric_def_default(void);
/* Creates a fabric; VO_BAD_ARGUMENT with a message that names an invalid member. */
VO_API vo_result vo_fabric_create(vo_context *ctx, const vo_fabric_def *def, vo_fabric **out);

/* Loads a fabric file (docs/fabrics.md) or a measured material file of ARCSim. VO_BAD_DATA or
 * VO_IO_FAILED with a message that names the file and key. */
VO_API vo_result vo_fabric_load(vo_context *ctx, const char *path, vo_fabric **out);
/* Frees a fabric; NULL is allowed. */
VO_API void vo_fabric_destroy(vo_fabric *fabric);

#ifdef __cplusplus
}
#endif
#endif
