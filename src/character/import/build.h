/* Conversion of the reader's message to a character; shared by the files of this folder. */
#ifndef VO_CHARACTER_IMPORT_BUILD_H
#define VO_CHARACTER_IMPORT_BUILD_H

#include "character/import/import.h"
#include "character/import/wire.h"

/* Counters for the log. */
typedef struct vo_import_counts {
    int64_t vertices;             /* in the file, before merging */
    int64_t unweighted;           /* vertices of skinned meshes without weights */
    int64_t truncated;            /* vertices with more weights than are kept */
    int64_t degenerate;           /* faces without three different nodes */
    int64_t lost_tracks;          /* tracks of unknown nodes, and repeated ones */
    int64_t orthographic_cameras; /* cameras without perspective */
} vo_import_counts;

/* Units and axes that a file states or its format implies. */
typedef struct vo_import_space {
    const char *format; /* "glTF" */
    double unit;        /* metres per unit */
    bool unit_known;
    vo_up_axis up;
    bool up_known;
    bool unit_applied; /* Assimp has scaled the scene to metres already */
} vo_import_space;

/* Determines format, units and axes from name and content of a file, and detects damage that needs
 * no parser. VO_BAD_DATA with the reason. */
vo_result vo_import_inspect(vo_context *ctx, const char *path, vo_import_space *out);

/* Finds the first syntax error of a BVH file: "line 5: expected ...". Returns false if there is
 * none. */
bool vo_import_find_bvh_fault(const vo_bytes *bytes, char *text, size_t size);

/* Returns the map from units and axes of the file to metres, z up. `axes` may be NULL and is
 * ignored unless it is a right-handed triple. */
vo_affine vo_import_world(const vo_import_space *space, const vo_raw_axes *axes,
                          const vo_import_options *options);

/* Reads a file of any format except OBJ in the child process. `space` holds the result of
 * vo_import_inspect and receives unit and up axis that the file states; timeout in s. On failure
 * *out is cleared. */
vo_result vo_import_read(vo_context *ctx, const char *path, double timeout, vo_import_space *space,
                         vo_raw_file *out);

/* Marks the tracks of a glTF file with step interpolation. Fails without memory or if the file
 * cannot be read. */
vo_result vo_import_mark_stepped_tracks(vo_context *ctx, const char *path, vo_raw_file *file);

/* Fill in a character whose ctx, memory and world are set. On failure the caller frees it. */
vo_result vo_import_joints(const vo_raw_file *file, const char *path, vo_character *out);
vo_result vo_import_skin(const vo_raw_file *file, const char *path, vo_character *out,
                         vo_import_counts *counts);
vo_result vo_import_clips(const vo_raw_file *file, const char *path, vo_character *out,
                          vo_import_counts *counts);
vo_result vo_import_cameras(const vo_raw_file *file, const char *path, vo_character *out,
                            vo_import_counts *counts);
/* Calls the four functions above. */
vo_result vo_import_build(const vo_raw_file *file, const char *path, vo_character *out,
                          vo_import_counts *counts);
/* Imports an OBJ file. */
vo_result vo_import_obj(const char *path, vo_character *out, vo_import_counts *counts);

/* Allocate from the character's arena. The array is cleared; count 0 gives NULL and VO_OK. */
vo_result vo_import_array(vo_character *character, int64_t count, size_t size, void *out);
vo_result vo_import_text(vo_character *character, const char *text, char **out);

#endif
