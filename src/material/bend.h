/* Bending in plain scalar code (see stretch.h): the angle of one hinge, and what a face makes of
 * its three. Nodes 0 and 1 of a hinge are the edge, 2 is opposite in the face that crosses it from
 * 0 to 1, 3 in the other. */
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

/* What the angles at a face's three edges mean as curvature of the face.
 *
 * An edge of length l with unit normal n in material space, folded by an angle, curves the two
 * faces beside it by angle l / (2 area) n n^T each (Grinspun, Gingold, Reisman, Zorin 2006,
 * "Computing discrete shape operators on general meshes"); the sum over the three edges is the
 * face's curvature tensor, exact for quadratic surfaces on regular meshes, and positive where the
 * surface curves away from its normal. The plate's energy of that tensor couples the three hinges.
 * Hinges on their own (Grinspun, Hirani, Desbrun, Schroeder 2003) were rejected: a strip of them is
 * a quarter too soft, at every resolution, because twist and bending mix. */
typedef struct vo_bend_face {
    double basis[3][3]; /* of edge k (corners k, k + 1): Kuu, Kvv, Kuv per radian, 1/m */
    double area;        /* m^2 */
    double offset[3];   /* Kuu, Kvv, Kuv, taken from the curvature before it counts, 1/m */
} vo_bend_face;

/* From the face's corners in material space, m, in either order. All zero where the face is
 * degenerate: it does not bend. */
vo_bend_face vo_bend_face_make(const vo_vec2 corner[3]);

/* The curvature that counts: Kuu, Kvv, Kuv, 1/m; `bent` are the three angles minus the rest angles.
 */
void vo_bend_tensor(const vo_bend_face *face, const double bent[3], double k[3]);
/* Its size. */
double vo_bend_curvature(const vo_bend_face *face, const double bent[3]);
double vo_bend_energy(const vo_bend_face *face, const vo_plate *plate, const double bent[3]);
/* dE / d bent, N m */
void vo_bend_moments(const vo_bend_face *face, const vo_plate *plate, const double bent[3],
                     double moment[3]);
/* A diagonal matrix that is nowhere below d2E / d bent2: the sums of its rows' absolute values. The
 * implicit step uses it in place of the coupled one, which keeps the matrix as sparse as if the
 * hinges were on their own and damps a little more; the rest state is not affected. */
void vo_bend_weights(const vo_bend_face *face, const vo_plate *plate, double weight[3]);

#endif
