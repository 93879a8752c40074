/* Sizing terms of one face (Narain, Samii, O'Brien 2012, "Adaptive anisotropic remeshing for cloth
 * simulation"), as functions of the face and its three neighbours.
 *
 * Each term is a positive semidefinite tensor in material space, 1/m^2, whose quadratic form on an
 * edge is (change of a quantity along the edge / allowed change)^2. That makes them comparable:
 *
 *   bend        the normal may turn by refine_angle along an edge. Two estimates are combined: the
 *               derivative of the corner normals misses zigzag folds that are one face wide; the
 *               dihedral angles at the sides miss the curvature beyond the neighbours.
 *   velocity    may differ by refine_velocity, m/s, along an edge.
 *   compress    a strip under the compressive strain -e buckles into waves; one of length l has a
 *               height of about sqrt(-e) l. Waves up to a height of c = refine_compression, m, need
 *               not be resolved: the term is -e / c^2. A sheet curved across that direction is
 *               stiffened, as by ribs, and buckles less: with the curvature k across, the term is
 *               the larger root x of c^2 x^2 + e x + rib k^2 = 0.
 *   obstacle    the height above an obstacle may change by its own value along an edge: faces are
 *               small where the cloth touches down, not where it lies parallel.
 *   plastic     like bend, with the plastic curvature. */
#ifndef VO_REMESH_SIZING_FACE_H
#define VO_REMESH_SIZING_FACE_H

#include "remesh/metric.h"

/* Weights 1 / (allowed change)^2; 0 where a term is off. */
typedef struct vo_sizing_weights {
    bool hinge_sum;     /* always use the hinge sum, see sizing_face.c */
    double angle;       /* 1/rad^2 */
    double velocity;    /* s^2/m^2 */
    double compression; /* c of `compress`, m; infinite: off */
    double rib;         /* 1: as above; 0: no stiffening by curvature */
    double min_height,
        max_height; /* m; heights are clamped below to the first; no term above the second */
} vo_sizing_weights;

/* A face and the required data of its neighbours. Side i joins corners i and i + 1. */
typedef struct vo_sizing_face {
    vo_vec2 u[3];          /* corners in material space, m, counter-clockwise */
    vo_vec3 x[3], v[3];    /* world positions, m, and velocities, m/s, of the corners */
    vo_vec3 normal[3];     /* surface normals at the corners, unit or zero */
    double angle[3];       /* dihedral angle at side i, rad; 0 on a boundary */
    vo_vec2 flap[3];       /* opposite corner of the neighbour across side i: x along the side from
                              corner i, as a fraction of its length; y across it, m, 0 if there is
                              no neighbour */
    vo_vec3 nearest[3];    /* nearest obstacle point of corner i; NaN: none */
    const double *plastic; /* 2x2 plastic curvature, 1/m; NULL: none */
} vo_sizing_face;

/* Gradient operator of linear functions on the face: the inverse of [u1 - u0, u2 - u0]. Not finite
 * if the face has no material area. */
static inline vo_mat2 vo_sizing_gradient(const vo_vec2 u[3]) {
    vo_vec2 a = v2_sub(u[1], u[0]), b = v2_sub(u[2], u[0]);
    return m2_inverse((vo_mat2){a.x, b.x, a.y, b.y});
}

/* The `compress` term; `bend2` is the squared curvature tensor, 1/m^2. */
vo_sym2 vo_sizing_compression(const vo_sizing_weights *w, vo_mat2 gradient, const vo_vec3 x[3],
                              vo_sym2 bend2);

enum { VO_SIZING_TERMS = 6 };
/* Computes all terms of a face, each sanitised. */
void vo_sizing_terms(const vo_sizing_weights *w, const vo_sizing_face *face,
                     vo_sym2 term[VO_SIZING_TERMS]);

#endif
