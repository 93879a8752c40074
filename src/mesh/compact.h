/* Closing the holes that edits leave, with neighbours side by side in memory.
 *
 *      nodes   patch by patch, along a Z-shaped curve (Morton 1966) through material space:
 *                  0-1 4-5         what is close on the fabric is close in memory, with no look
 *                   / / /          at the connectivity, in time proportional to the mesh
 *                  2-3 6-7
 *      verts   in the order of their nodes
 *      faces   by their lowest node
 *      edges   by their first appearance in the faces, which they cross as that one does: as
 *              vo_mesh_build numbers them, so that a mesh that was saved and built again is the
 * same
 *
 * Ties go by the index before, so the order depends on the mesh and its history alone. */
#ifndef VO_MESH_COMPACT_H
#define VO_MESH_COMPACT_H

#include "mesh/remap.h"

/* New numbers of everything that is left. */
typedef struct vo_order {
    int old_count[VO_REMAP_KINDS]; /* holes included */
    int count[VO_REMAP_KINDS];
    int *from[VO_REMAP_KINDS]; /* [count] index before */
    int *to[VO_REMAP_KINDS];   /* [old_count] index after; -1 for a hole */
} vo_order;

struct vo_edit;

/* From the editor's scratch memory. */
vo_result vo_order_create(struct vo_edit *edit, vo_order *out);

#endif
