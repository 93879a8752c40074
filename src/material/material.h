/* A fabric with the multipliers, damping and strain limits of one cloth. */
#ifndef VO_MATERIAL_MATERIAL_H
#define VO_MATERIAL_MATERIAL_H

#include "material/fabric.h"

typedef struct vo_material {
    vo_fabric *fabric;
    double density_mult, stretching_mult, bending_mult;
    double damping; /* s, stiffness-proportional */
    double stretch_min,
        stretch_max; /* limits of the principal stretches, 1 = rest; infinite: none */
} vo_material;

#endif
