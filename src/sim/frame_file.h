/* Reading and writing the state of a simulation in frame files.
 *
 * One list defines the stored arrays of a mesh for both directions. Edges are stored with their
 * pair of nodes and matched by it, because building a mesh numbers them by the faces alone.
 *
 * A frame is applied only where it matches the scene, which may have changed: cloths must be the
 * scene's, and attachments apply only to a handle of the same nodes and kind. */
#ifndef VO_SIM_FRAME_FILE_H
#define VO_SIM_FRAME_FILE_H

#include "codec/vof.h"
#include "sim/sim.h"

/* X(tag, member of vo_mesh and vo_mesh_data, type, columns, count member, must be there) */
#define VO_MESH_SECTIONS(X)                                  \
    X("node_x", node_x, F64, 3, node_count, true)            \
    X("node_v", node_v, F64, 3, node_count, true)            \
    X("node_lab", node_label, I32, 1, node_count, true)      \
    X("node_y", node_y, F64, 3, node_count, false)           \
    X("vert_u", vert_u, F64, 2, vert_count, true)            \
    X("vert_nod", vert_node, I32, 1, vert_count, true)       \
    X("vert_lab", vert_label, I32, 1, vert_count, true)      \
    X("vert_pat", vert_patch, I32, 1, vert_count, false)     \
    X("face_vrt", face_vert, I32, 3, face_count, true)       \
    X("face_lab", face_label, I32, 1, face_count, true)      \
    X("face_dmg", face_damage, F64, 1, face_count, true)     \
    X("face_cur", face_curvature, F64, 4, face_count, false) \
    X("edge_nod", edge_node, I32, 2, edge_count, true)       \
    X("edge_rst", edge_rest_angle, F64, 1, edge_count, true) \
    X("edge_lab", edge_label, I32, 1, edge_count, true)      \
    X("edge_dmg", edge_damage, F64, 1, edge_count, true)

/* Identity of a handle: kind, cloth, motion, then its nodes (none for soft handles). */
enum { VO_HANDLE_IDENTITY_HEAD = 3 };

static inline void vo_handle_identity_head(const vo_handle_def *def,
                                           int head[VO_HANDLE_IDENTITY_HEAD]) {
    head[0] = (int)def->kind;
    head[1] = def->cloth;
    head[2] = def->motion;
}

static inline int vo_handle_identity_nodes(const vo_handle_def *def) {
    return def->kind == VO_HANDLE_SOFT ? 0 : def->node_count;
}

#endif
