/* Fabrics: stiffness as a function of strain, direction and curvature.
 *
 * Stretching. With Green strain G (2x2) the stress is
 *     Suu = c0 Guu + c1 Gvv,   Svv = c1 Guu + c2 Gvv,   Suv = 2 c3 Guv
 * in N/m; c3 is the shear modulus. A linear fabric has four constants. A measured one (Wang,
 * O'Brien, Ramamoorthi 2011, "Data-driven elastic models for cloth") has c(G) in a table over Guu,
 * Gvv and |Guv|; derivatives treat c as constant within a step. The table is in float: 432 KB,
 * which stay in a core's own cache; the measurements have three digits at best.
 *
 * Bending. The energy per area of a fabric with curvature K (2x2, in material space) is that of an
 * orthotropic plate,
 *     1/2 (d0 Kuu^2 + d1 Kvv^2 + d2 Kuv^2),
 * where d0 and d1 are the flexural rigidities (N m) against curvature along the warp and the weft,
 * and d2 follows from the rigidity along the bias: bent to a cylinder at 45 degrees the plate has
 * (d0 + d1 + d2) / 4. Measured fabrics have a rigidity per edge direction (three) and curvature
 * (five). Curvature is across an edge: an edge along V bends the warp (U), and an edge along U the
 * weft. */
#ifndef VO_MATERIAL_FABRIC_H
#define VO_MATERIAL_FABRIC_H

#include "core/context.h"
#include "math/mat.h"

#include <voile/fabric.h>

enum {
    VO_STRETCH_SAMPLES = 30, /* samples per axis of the measured table */
    VO_STRETCH_TABLE = VO_STRETCH_SAMPLES * VO_STRETCH_SAMPLES * VO_STRETCH_SAMPLES,
    VO_BEND_DIRECTIONS = 3, /* edge along U, at 45 degrees, along V */
    VO_BEND_CURVATURES = 5, /* 0, 10, 20, 30, 40 1/m */
};

#define VO_STRAIN_LOW  (-0.25) /* Guu and Gvv of the table's first sample */
#define VO_STRAIN_STEP (1.0 / VO_STRETCH_SAMPLES)
#define VO_BEND_STEP   10.0 /* 1/m between curvature samples */

typedef struct vo_stiffness {
    double c[4]; /* c0 c1 c2 c3 above, N/m; [c0 c1; c1 c2] is positive semidefinite, c3 >= 0 */
} vo_stiffness;

/* A table entry: 16 bytes, one vector load. */
typedef struct vo_stiffness_sample {
    float c[4];
} vo_stiffness_sample;

struct vo_fabric {
    vo_context *ctx;
    char *description;          /* one line, may be NULL */
    double density;             /* kg/m^2 */
    vo_stiffness linear;        /* constant stiffness, or that at zero strain if there is a table */
    vo_stiffness_sample *table; /* [VO_STRETCH_TABLE] in the order Guu, Gvv, |Guv|; or NULL */
    double bend[VO_BEND_DIRECTIONS]
               [VO_BEND_CURVATURES]; /* rigidity, N m, by direction of the edge */
};

/* A homogeneous isotropic sheet (materials of ARCSim 0.3.1 without a data file). */
typedef struct vo_solid {
    double thickness;       /* m */
    double density;         /* kg/m^3 */
    double elastic_modulus; /* Pa */
    double poisson_ratio;   /* 0 .. 0.5 */
} vo_solid;
vo_result vo_fabric_from_solid(vo_context *ctx, const vo_solid *solid, vo_fabric **out);

/* Parses the text of a fabric file; `file` is its name in messages. */
vo_result vo_fabric_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                          vo_fabric **out);
vo_result vo_fabric_copy(vo_context *ctx, const vo_fabric *fabric, vo_fabric **out);

/* Returns c at strain G, by trilinear interpolation if the fabric is measured. */
vo_stiffness vo_fabric_stiffness(const vo_fabric *fabric, vo_sym2 strain);

/* Rigidities of the plate energy above, N m; not negative. */
typedef struct vo_plate {
    double d[3];
} vo_plate;

/* Returns the rigidities by linear interpolation in the norm of the curvature (1/m), constant
 * beyond the last sample. d2 is at least a tenth of d0 + d1, so that twist always has a resistance.
 */
vo_plate vo_fabric_plate(const vo_fabric *fabric, double curvature);

#endif
