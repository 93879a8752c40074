/* Bending of one hinge in plain scalar code (see stretch.h). Nodes 0 and 1 are the edge, 2 is
 * opposite in the face that crosses it from 0 to 1, 3 in the other. */
#ifndef VO_MATERIAL_BEND_H
#define VO_MATERIAL_BEND_H

#include "material/fabric.h"

/* A face counts as degenerate when the squared sine of its angle at node 0 is below the first
 * number (nothing but rounding is left of its normal), or its squared normal below the second, in
 * m^4. */
#define VO_HINGE_THIN 1e-24
#define VO_HINGE_TINY 1e-60

/* The dihedral angle in (-pi, pi], as vo_mesh_dihedral_angle counts it. 0 where a face is
 * degenerate or the edge has no length. */
double vo_hinge_angle(const vo_vec3 x[4]);
/* d angle / dx; zero where the angle is 0 for want of a face. */
void vo_hinge_angle_gradient(const vo_vec3 x[4], vo_vec3 gradient[4]);

/* E = 1/2 weight (angle - rest)^2, weight = B l^2 / A. */
double vo_bend_energy(double weight, double rest_angle, const vo_vec3 x[4]);
void vo_bend_gradient(double weight, double rest_angle, const vo_vec3 x[4], vo_vec3 gradient[4]);
/* Gauss-Newton: weight times the outer product of the angle's gradient; exact at the rest angle and
 * always positive semidefinite. */
void vo_bend_hessian(double weight, const vo_vec3 x[4], vo_mat3 hessian[4][4]);

#endif
