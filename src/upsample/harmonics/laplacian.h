/* Symmetrised cotangent Laplacian of a garment (Pinkall and Polthier 1993; Levy and Zhang 2010):
 *
 *     L = V^-1/2 K V^-1/2,   K_ij = -(cot a + cot b) / 2,   K_ii = -sum_j K_ij
 *
 * with a and b the angles opposite the edge ij and V the mixed Voronoi areas (Meyer et al. 2003).
 * K is positive semidefinite; on each component of the mesh its null vector is constant, and that
 * of L is V^1/2 1. Vertices are the nodes of the garment, so the Laplacian is assembled across
 * seams, and darts and seams of any shape leave one component.
 *
 * Angles are those of the fabric, from the material coordinates of the corners; a mesh in which a
 * triangle has no area in material space is measured in world space. */
#ifndef VO_UPSAMPLE_HARMONICS_LAPLACIAN_H
#define VO_UPSAMPLE_HARMONICS_LAPLACIAN_H

#include "linalg/eigen.h"
#include "upsample/pairs.h"

typedef struct vo_laplacian {
    vo_context *ctx;
    int vertex_count, entry_count;
    int *first;        /* [vertex_count + 1] rows of K; columns ascending */
    int *column;       /* [entry_count]; first[vertex_count] are used */
    double *stiffness; /* [entry_count] K, without unit */
    double *area;      /* [vertex_count] m^2, V */
    double total_area; /* m^2 */
} vo_laplacian;

/* VO_BAD_DATA if a vertex has no triangle with an area. */
vo_result vo_laplacian_create(vo_context *ctx, const vo_upsample_mesh *mesh, vo_laplacian *out);
void vo_laplacian_free(vo_laplacian *laplacian);

/* value[entry_count]: entries of L, 1/m^2, in the pattern of K. */
void vo_laplacian_symmetrise(const vo_laplacian *laplacian, double *value);

/* Area of the mesh, m^2; as total_area. VO_BAD_DATA if it is 0. */
vo_result vo_laplacian_area(vo_context *ctx, const vo_upsample_mesh *mesh, double *area);

#endif
