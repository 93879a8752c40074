/* Bending in scalar code (see stretch.h): the angle of one hinge, and the energy of a face from its
 * three hinges.
 *
 *                 1                 A hinge: 0 and 1 are the edge, 2 is opposite in the face that
 *               / | \               traverses it from 0 to 1, 3 in the other. Viewed from the side
 *             /   |   \             of the normals n0 and n1, face 0 is on the left.
 *            2 n0 | n1 3
 *             \   |   /
 *               \ | /               angle = atan2(e . (n0 x n1), n0 . n1), e from 0 to 1, unit
 *                 0
 *
 * 0 is flat; positive is a ridge, both faces falling away from their normals; negative a valley.
 * The angle does not depend on the order of the ends. */
#ifndef VO_MATERIAL_BEND_H
#define VO_MATERIAL_BEND_H

#include "material/fabric.h"

/* Thresholds of a degenerate face: squared sine of its angle at node 0 (its normal is rounding
 * below), and squared length of its normal, m^4. */
#define VO_HINGE_MIN_SINE2   1e-24
#define VO_HINGE_MIN_NORMAL2 1e-60

/* Returns the dihedral angle in (-pi, pi]; 0 if a face is degenerate or the edge has no length. */
double vo_hinge_angle(const vo_vec3 x[4]);
/* d angle / dx; zero for a degenerate hinge. */
void vo_hinge_angle_gradient(const vo_vec3 x[4], vo_vec3 gradient[4]);

/* Curvature of a face from the angles at its three edges.
 *
 * An edge of length l with unit normal n in material space, folded by an angle, curves the two
 * adjacent faces by angle l / (2 area) n n^T each (Grinspun, Gingold, Reisman, Zorin 2006,
 * "Computing discrete shape operators on general meshes"). The sum over the three edges is the
 * curvature tensor of the face, exact for quadratic surfaces on regular meshes, and positive where
 * the surface curves away from its normal. The plate energy of this tensor couples the three
 * hinges. Independent hinges (Grinspun, Hirani, Desbrun, Schroeder 2003) were rejected: a strip of
 * them is a quarter too soft at every resolution, because twist and bending mix. */
typedef struct vo_bend_face {
    double basis[3][3]; /* curvature of edge k (corners k, k + 1) per radian: Kuu, Kvv, Kuv, 1/m */
    double area;        /* m^2 */
    double offset[3];   /* Kuu, Kvv, Kuv, subtracted from the curvature, 1/m */
} vo_bend_face;

/* Computes the basis from the face's corners in material space, m, in either orientation. All zero
 * for a degenerate face, which does not bend. */
vo_bend_face vo_bend_face_make(const vo_vec2 corner[3]);

/* Effective curvature Kuu, Kvv, Kuv, 1/m, from the three bend angles (angle - rest angle), rad. */
void vo_bend_tensor(const vo_bend_face *face, const double bend[3], double k[3]);
/* Norm of the effective curvature, 1/m. */
double vo_bend_curvature(const vo_bend_face *face, const double bend[3]);
/* Energy, J. */
double vo_bend_energy(const vo_bend_face *face, const vo_plate *plate, const double bend[3]);
/* dE / d bend, N m. */
void vo_bend_moments(const vo_bend_face *face, const vo_plate *plate, const double bend[3],
                     double moment[3]);
/* Diagonal upper bound of d2E / d bend2: the absolute row sums. The implicit step uses it instead
 * of the coupled matrix, which keeps the sparsity of independent hinges and adds slight damping;
 * the rest state is unaffected. */
void vo_bend_weights(const vo_bend_face *face, const vo_plate *plate, double weight[3]);

#endif
