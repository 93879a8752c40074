/* What one face asks for: the sizing terms of Narain, Samii, O'Brien 2012, "Adaptive anisotropic
 * remeshing for cloth simulation", as functions of the face and its three neighbours alone.
 *
 * Each term is a positive semidefinite tensor in material space, 1/m^2, whose quadratic form on an
 * edge is (what changes along the edge / what may change)^2. That makes them comparable:
 *
 *   bend        normals may turn by refine_angle along an edge. Measured twice, since either
 *               measure is blind to something: the derivative of the corners' normals does not see
 *               a zigzag whose folds are one face wide, the angles at the sides do not see how a
 *               fold goes on beyond them.
 *   velocity    may differ by refine_velocity, m/s.
 *   compress    a strip under the compressive strain -e buckles into waves; one of length l has a
 *               height of about sqrt(-e) l. Waves up to a height of c = refine_compression, m, may
 *               be lost: the term is -e / c^2. A sheet that is already curved across that direction
 *               is stiffened by it, as by ribs, and buckles less: with the curvature k across, the
 *               term is the larger root x of c^2 x^2 + e x + rib k^2 = 0.
 *   obstacle    the height above an obstacle may change by itself, so that faces become small where
 *               the cloth touches down, and not where it lies parallel.
 *   plastic     bend once more, with the curvature that stays. */
#ifndef VO_REMESH_SIZING_FACE_H
#define VO_REMESH_SIZING_FACE_H

#include "remesh/metric.h"

/* 1 / (what may change)^2; 0 where a term is off. */
typedef struct vo_sizing_weights {
    bool hinge_sum;               /* see vo_sizing_curvature */
    double angle;                 /* 1/rad^2 */
    double velocity;              /* s^2/m^2 */
    double compression;           /* c of `compress`, m; infinite: off */
    double rib;                   /* 1: as above; 0: curvature does not stiffen */
    double near_least, near_most; /* m: heights are raised to the first; above the second no term */
} vo_sizing_weights;

/* A face and what its neighbours tell about it. Side i joins corners i and i + 1. */
typedef struct vo_sizing_face {
    vo_vec2 u[3];          /* corners in material space, m, counter-clockwise */
    vo_vec3 x[3], v[3];    /* in the world, m, and their velocities, m/s */
    vo_vec3 normal[3];     /* of the surface at the corners, unit or zero */
    double angle[3];       /* dihedral angle at side i, rad; 0 on a boundary */
    vo_vec2 flap[3];       /* where the neighbour across side i has its third corner: x along the
                              side from corner i, as part of its length; y across it, m, 0 where
                              there is no neighbour */
    vo_vec3 near[3];       /* nearest point of an obstacle to corner i; NaN: none */
    const double *plastic; /* 2x2 plastic curvature, 1/m; NULL: none */
} vo_sizing_face;

/* Gradients of what is given at the corners: the inverse of [u1 - u0, u2 - u0]. Not finite where
 * the face has no material area. */
static inline vo_mat2 vo_sizing_gradient(const vo_vec2 u[3]) {
    vo_vec2 a = v2_sub(u[1], u[0]), b = v2_sub(u[2], u[0]);
    return m2_inverse((vo_mat2){a.x, b.x, a.y, b.y});
}

/* The curvature tensor, 1/m, from the angles at the sides; positive where the surface falls away
 * from its normals.
 *
 * The three angles give three linear equations for the three numbers of the tensor: a quadratic
 * surface sampled at the six corners of the face and its neighbours has just these folds. Their
 * solution is exact for such a surface on any mesh. The customary sum over the sides of
 * angle l / (2 area) n n^T (Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape
 * operators on general meshes") is the same on a mesh whose neighbours are point reflections of the
 * face; elsewhere it sees up to one and a half times the curvature of a cylinder, and half of it
 * along the axis, which would rob the mesh of its anisotropy. It is taken instead, also on request
 * (`hinge_sum`), where a neighbour is missing, where the six corners lie near a conic (then the
 * equations do not determine a quadratic surface), and where the solution is more than half as
 * large again: rough folds are not quadratic, and the solution would magnify them. */
vo_sym2 vo_sizing_curvature(const vo_sizing_weights *w, const vo_sizing_face *face);
/* G^T G of the derivative G, by material position, of a vector given at the corners. */
vo_sym2 vo_sizing_change(vo_mat2 gradient, const vo_vec3 value[3]);
/* `bend2` is the squared curvature, 1/m^2. */
vo_sym2 vo_sizing_compression(const vo_sizing_weights *w, vo_mat2 gradient, const vo_vec3 x[3],
                              vo_sym2 bend2);
vo_sym2 vo_sizing_obstacle(const vo_sizing_weights *w, vo_mat2 gradient,
                           const vo_sizing_face *face);

enum { VO_SIZING_TERMS = 6 };
/* All terms of a face, each made safe to combine. */
void vo_sizing_terms(const vo_sizing_weights *w, const vo_sizing_face *face,
                     vo_sym2 term[VO_SIZING_TERMS]);

#endif
