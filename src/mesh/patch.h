/* Patches of fabric: sets of faces joined by common verts, bounded by seams and borders. */
#ifndef VO_MESH_PATCH_H
#define VO_MESH_PATCH_H

#include "mesh/corner.h"
#include "mesh/mesh.h"

typedef struct vo_patches {
    vo_context *ctx;
    int count;         /* length of both arrays: one entry per vert */
    int *root;         /* the representative vert of the patch of each vert */
    uint8_t *mirrored; /* at a root: the patch has inverted faces and no upright one */
} vo_patches;

/* Ignores the faces marked in `skip` (NULL: none); all others must have valid indices. */
vo_result vo_patches_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                            vo_patches *out);
void vo_patches_free(vo_patches *patches);

/* Computes only the roots, into root[vert_count]. */
void vo_patches_find_roots(int vert_count, int face_count, const int (*face_vert)[3],
                           const uint8_t *skip, int *root);

/* Twice the signed area of a triangle in material space. */
static inline double vo_material_cross(const vo_vec2 *u, const int vert[3]) {
    return vo_triangle_cross(u[vert[0]], u[vert[1]], u[vert[2]]);
}

#endif
