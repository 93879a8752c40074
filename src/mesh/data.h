/* Growing what a reader collects (vo_mesh_data in mesh/mesh.h). */
#ifndef VO_MESH_DATA_H
#define VO_MESH_DATA_H

#include "mesh/mesh.h"

/* Of nodes, verts, faces or edges each. The three sides of all faces must be countable. */
enum { VO_MESH_MAX_ELEMENTS = INT32_MAX / 4 };

/* Room for `need` elements; new ones are zero. False without memory. The optional arrays (node_y,
 * face_curvature) stay NULL until asked for. */
bool vo_mesh_data_reserve_nodes(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_verts(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_faces(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_edges(vo_context *ctx, vo_mesh_data *data, int need);

/* Makes node_y, NaN for every node there is room for. */
bool vo_mesh_data_enable_embedding(vo_context *ctx, vo_mesh_data *data);
/* Makes face_curvature, zero. */
bool vo_mesh_data_enable_curvature(vo_context *ctx, vo_mesh_data *data);

#endif
