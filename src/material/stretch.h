/* Stretching of one face in scalar code: used for energy statistics, and the reference against
 * which the SIMD kernel (stretch_lanes.h) is tested. */
#ifndef VO_MATERIAL_STRETCH_H
#define VO_MATERIAL_STRETCH_H

#include "material/buckle.h"
#include "material/fabric.h"

typedef struct vo_stretch_face {
    vo_mat2 inverse; /* inverse of the material edge matrix [u1-u0 u2-u0], 1/m */
    double area;     /* material area, m^2 */
    vo_sym2 offset;  /* subtracted from the strain */
    double slack;    /* buckling compensation (buckle.h), 0 (none) to 1 */
} vo_stretch_face;

/* Effective Green strain, minus the offset. */
vo_sym2 vo_green_strain(const vo_stretch_face *face, const vo_vec3 x[3]);
/* Energy, J. */
double vo_stretch_energy(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3]);
/* dE/dx */
void vo_stretch_gradient(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                         vo_vec3 gradient[3]);
/* d2E/dx2, exact, or with the geometric part (stress) projected positive semidefinite. */
void vo_stretch_hessian(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                        bool project, vo_mat3 hessian[3][3]);

#endif
