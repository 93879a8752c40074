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

#endif
