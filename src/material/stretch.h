/* Stretching of one face, in plain scalar code: the reference that the vector kernel
 * (stretch_lanes.h) is tested against, and what energy reports use. */
#ifndef VO_MATERIAL_STRETCH_H
#define VO_MATERIAL_STRETCH_H

#include "material/buckle.h"
#include "material/fabric.h"

typedef struct vo_stretch_face {
    vo_mat2 inverse; /* of the material edge matrix [u1-u0 u2-u0], 1/m */
    double area;     /* material, m^2 */
    vo_sym2 offset;  /* taken from the strain before it counts */
    double slack;    /* of buckling compensation (buckle.h): 0 none, to 1 */
} vo_stretch_face;

/* The strain that counts. */
vo_sym2 vo_green_strain(const vo_stretch_face *face, const vo_vec3 x[3]);
double vo_stretch_energy(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3]);
/* dE/dx */
void vo_stretch_gradient(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                         vo_vec3 gradient[3]);
/* d2E/dx2, exact, or with the geometric part (stress) projected positive semidefinite. */
void vo_stretch_hessian(const vo_stretch_face *face, const vo_stiffness *c, const vo_vec3 x[3],
                        bool project, vo_mat3 hessian[3][3]);

#endif
