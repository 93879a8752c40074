/* Voile: what cloth is made of. */
#ifndef VOILE_FABRIC_H
#define VOILE_FABRIC_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A linear orthotropic fabric. Stretching numbers are forces per width (N/m): the force that a
 * strip one metre wide needs for a strain of one. Bending numbers are flexural rigidities (N m). */
typedef struct vo_fabric_def {
    double density;    /* kg/m^2 */
    double young_warp; /* N/m, along U */
    double young_weft; /* N/m, along V */
    double
        poisson;  /* strain along V per strain along U under pull along U; 0 .. < sqrt(warp/weft) */
    double shear; /* N/m, shear modulus */
    double bend_warp; /* N m, against curving along U */
    double bend_weft; /* N m, against curving along V */
    double bend_bias; /* N m, at 45 degrees between */
} vo_fabric_def;

typedef struct vo_fabric vo_fabric;

/* Plain cotton weave, 0.15 kg/m^2. */
VO_API vo_fabric_def vo_fabric_def_default(void);
VO_API vo_result vo_fabric_create(vo_context *ctx, const vo_fabric_def *def, vo_fabric **out);

/* A fabric file (docs/fabrics.md) or a measured material file of ARCSim. */
VO_API vo_result vo_fabric_load(vo_context *ctx, const char *path, vo_fabric **out);
VO_API void vo_fabric_destroy(vo_fabric *fabric);

#ifdef __cplusplus
}
#endif
#endif
