/* Wavefront OBJ with ARCSim's extensions (docs/formats.md), both ways. */
#ifndef VO_CODEC_OBJ_H
#define VO_CODEC_OBJ_H

#include "mesh/mesh.h"
#include "mesh/validate.h"

/* Bytes to arrays. `name` is for messages ("dress.obj: line 12: ..."). */
vo_result vo_obj_parse(vo_context *ctx, const char *name, const char *text, size_t size,
                       vo_mesh_data *out);

/* Reads, validates for the given use and builds. Defects that do not stop it are logged as
 * warnings, at most three of them and then their number. */
vo_result vo_obj_load(vo_context *ctx, const char *path, vo_mesh_use use, vo_mesh **out);

vo_result vo_obj_save(vo_context *ctx, const vo_mesh *mesh, const char *path);

/* Copies a file with other positions and velocities, line for line: polygons, texture coordinates,
 * groups, labels and comments stay as they are. A v line keeps what follows its three numbers; nv
 * lines are made anew where a velocity is not zero; normals (vn, and the third number of a corner)
 * are left out, since they are no longer true. There are node_count positions, of which the first
 * ones are used; a file with more v lines is VO_BAD_DATA. */
vo_result vo_obj_rewrite(vo_context *ctx, const char *from, int node_count, const vo_vec3 *x,
                         const vo_vec3 *v, const char *to);

#endif
