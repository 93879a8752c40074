/* From the message of the reading process to a character; shared by the files import*.c. */
#ifndef VO_SCENE_IMPORT_BUILD_H
#define VO_SCENE_IMPORT_BUILD_H

#include "scene/import.h"
#include "scene/import_wire.h"

/* What is counted on the way, for the log. */
typedef struct vo_import_counts {
    int64_t vertices;     /* of the file, before equal ones were joined */
    int64_t unweighted;   /* vertices of skinned meshes that no bone holds */
    int64_t crowded;      /* vertices with more bones than are kept */
    int64_t degenerate;   /* faces without three different nodes */
    int64_t lost_tracks;  /* tracks of nodes that are not there, and repeated ones */
    int64_t flat_cameras; /* parallel projections */
} vo_import_counts;

/* What a file says about its space, or its format implies. */
typedef struct vo_import_space {
    const char *format; /* "glTF" */
    double unit;        /* metres */
    bool unit_known;
    vo_up_axis up;
    bool up_known;
    bool unit_applied; /* Assimp has scaled the scene to metres already */
} vo_import_space;

/* Looks at name and bytes of a file before Assimp does: format, units, axes, and damage that can be
 * told apart without a parser. VO_BAD_DATA says what is wrong. */
vo_result vo_import_inspect(vo_context *ctx, const char *path, vo_import_space *out);

/* Where a BVH file is not as such files are, and why: "line 5: expected ...". False: it is. */
bool vo_import_find_bvh_fault(const vo_bytes *bytes, char *text, size_t size);

/* Units and axes of the file -> metres, z up. `axes` counts where it makes sense. */
vo_affine vo_import_world(const vo_import_space *space, const vo_raw_axes *axes,
                          const vo_import_options *options);

/* Marks the tracks of a glTF whose keys are held until the next one. Fails without memory or if the
 * file cannot be read. */
vo_result vo_import_steps(vo_context *ctx, const char *path, vo_raw_file *file);

/* Fill in a character whose ctx, memory and world are set. On failure the caller frees it. */
vo_result vo_import_joints(const vo_raw_file *file, const char *path, vo_character *out);
vo_result vo_import_skin(const vo_raw_file *file, const char *path, vo_character *out,
                         vo_import_counts *counts);
vo_result vo_import_clips(const vo_raw_file *file, const char *path, vo_character *out,
                          vo_import_counts *counts);
vo_result vo_import_cameras(const vo_raw_file *file, const char *path, vo_character *out,
                            vo_import_counts *counts);
/* All of it, from an OBJ file. */
vo_result vo_import_obj(const char *path, vo_character *out, vo_import_counts *counts);

/* From the character's memory, cleared; no elements give NULL and no failure. */
vo_result vo_import_array(vo_character *character, int64_t count, size_t size, void *out);
vo_result vo_import_text(vo_character *character, const char *text, char **out);

#endif
