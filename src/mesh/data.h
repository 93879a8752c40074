/* Growing the arrays of vo_mesh_data (mesh/mesh.h), for readers of mesh files. */
#ifndef VO_MESH_DATA_H
#define VO_MESH_DATA_H

#include "mesh/mesh.h"

/* Maximum number of nodes, verts, faces or edges each; three times as many fits into an int. */
enum { VO_MESH_MAX_ELEMENTS = INT32_MAX / 4 };

/* Reserves capacity for `need` elements; new ones are zero. False without memory. The optional
 * arrays (node_y, face_curvature) stay NULL until enabled. */
bool vo_mesh_data_reserve_nodes(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_verts(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_faces(vo_context *ctx, vo_mesh_data *data, int need);
bool vo_mesh_data_reserve_edges(vo_context *ctx, vo_mesh_data *data, int need);

/* Allocates node_y, NaN for the whole capacity. */
bool vo_mesh_data_enable_embedding(vo_context *ctx, vo_mesh_data *data);
/* Allocates face_curvature, cleared. */
bool vo_mesh_data_enable_curvature(vo_context *ctx, vo_mesh_data *data);

#endif
