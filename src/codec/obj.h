/* Reader and writer of Wavefront OBJ with ARCSim's extensions (docs/formats.md). */
#ifndef VO_CODEC_OBJ_H
#define VO_CODEC_OBJ_H

#include "mesh/mesh.h"
#include "mesh/validate.h"

/* Parses a text; `name` is the file name in messages ("dress.obj: line 12: ..."). */
vo_result vo_obj_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                       vo_mesh_data *out);

/* Loads a mesh and validates it for the given use. Defects that are not errors are logged as
 * warnings: at most three, then their number. */
vo_result vo_obj_load(vo_context *ctx, const char *path, vo_mesh_use use, vo_mesh **out);

vo_result vo_obj_save(vo_context *ctx, const vo_mesh *mesh, const char *path);

/* Copies a file line by line with new positions and velocities. Polygons, texture coordinates,
 * groups, labels and comments are kept, as is the text after the three numbers of a v line. nv
 * lines are replaced, for velocities that are not zero. Normals (vn lines and the third number of a
 * corner) are removed, since they are no longer valid. The arrays have node_count elements; a file
 * with more v lines is VO_BAD_DATA. */
vo_result vo_obj_rewrite(vo_context *ctx, const char *from, int node_count, const vo_vec3 *x,
                         const vo_vec3 *v, const char *to);

#endif
