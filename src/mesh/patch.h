/* Patches of fabric: sets of faces joined by common verts, bounded by seams and borders. */
#ifndef VO_MESH_PATCH_H
#define VO_MESH_PATCH_H

#include "mesh/mesh.h"

typedef struct vo_patches {
    vo_context *ctx;
    int count;         /* entries of both arrays: one a vert */
    int *root;         /* the vert that stands for the patch of each vert */
    uint8_t *mirrored; /* at a root: no face of the patch is upright, at least one is turned over */
} vo_patches;

/* Faces marked in `skip` (NULL: none) do not take part; all others have usable indices. */
vo_result vo_patches_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                            vo_patches *out);
void vo_patches_free(vo_patches *patches);

/* The roots alone, into root[vert_count]. */
void vo_patches_find_roots(int vert_count, int face_count, const int (*face_vert)[3],
                           const uint8_t *skip, int *root);

/* Twice the signed area of a triangle in material space. */
static inline double vo_material_cross(const vo_vec2 *u, const int vert[3]) {
    return v2_cross(v2_sub(u[vert[1]], u[vert[0]]), v2_sub(u[vert[2]], u[vert[0]]));
}

#endif
