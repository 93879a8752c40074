/* Declarations shared by the files of the loader. A scene file goes through these passes:
 *
 *     read      text to a JSON document                       codec/json
 *     override  changes recorded by a run, then overrides     overrides.c
 *     check     keys and types; defaults filled in            check.c, by the tables of keys.c
 *     build     objects, after those that they refer to        load.c, load_*.c
 *
 * After the check every value has its type and every default is filled in, so the builders read
 * without further checks. The document, with the names of its files replaced by those under which a
 * run keeps them, becomes the resolved scene. */
#ifndef VO_SCENE_LOAD_LOAD_H
#define VO_SCENE_LOAD_LOAD_H

#include "codec/json.h"
#include "core/file.h"
#include "scene/camera_table.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/size_check.h"

/* Cells of a cloth that was made from a grid; zero for one from a mesh file. */
typedef struct vo_grid_size {
    int columns, rows;
} vo_grid_size;

/* Characters whose bodies have been reported by one kind of warning. */
typedef struct vo_warned {
    int count, capacity;
    int *character;
} vo_warned;

typedef struct vo_loader {
    vo_context *ctx;
    vo_json_doc *doc;
    vo_scene *scene;
    vo_transform frame; /* from the file's units and axes to metres and z up */
    double detail;      /* pixels, edge length of a crowd's bodies; 0: as given */
    int copied;         /* number of characters that each place of a crowd copies; 0: no crowd */
    vo_warned size_warnings, shape_warnings;
    int grid_capacity;
    vo_grid_size *grid; /* one per cloth */
    char folder[VO_PATH_SIZE];
} vo_loader;

/* check.c. `unimplemented` receives the names of keys that are present but not implemented,
 * separated by commas: "morphs, cloths[].remeshing". */
vo_result vo_scene_check(vo_json_doc *doc, char *unimplemented, size_t size);
/* The same for another document. */
vo_result vo_scene_check_document(vo_json_doc *doc, const vo_key *keys);
/* The same for one object of a document: after a change, without going through all of it. */
vo_result vo_scene_check_part(vo_json_doc *doc, vo_json_cursor at, const vo_key *keys);

/* overrides.c */
vo_result vo_scene_apply_recorded_overrides(vo_json_doc *doc, int frame);
vo_result vo_scene_apply_overrides(vo_json_doc *doc, int override_count,
                                   const char *const *overrides);

/* paths.c. Finds the file that member `key` of `at` names, makes it an input of the scene and
 * replaces the member by its stored name. */
vo_result vo_loader_file(vo_loader *loader, const vo_json_cursor *at, const char *key,
                         char path[VO_PATH_SIZE]);
/* Finds a file. A missing file is an error at `at`, or *found = false if `found` is not NULL. */
vo_result vo_loader_find(vo_loader *loader, vo_json_cursor at, const char *name, bool *found,
                         char path[VO_PATH_SIZE]);

/* The same for a name that is not a member. *stored lives as long as the scene. */
vo_result vo_loader_input(vo_loader *loader, vo_json_cursor at, const char *name,
                          char path[VO_PATH_SIZE], const char **stored);

/* load_pattern.c: calls `add` for each existing file of the pattern at `at`, whose one conversion
 * (%d, %4d, %04d) is replaced by 0, 1, 2..., up to the first missing file. `from_one`: if file 0 is
 * missing, the numbers may begin with 1. */
typedef vo_result vo_add_name(const vo_loader *loader, const vo_json_cursor *list, const char *name,
                              int number);
vo_result vo_loader_expand(vo_loader *loader, vo_json_cursor at, bool from_one,
                           const vo_json_cursor *list, vo_add_name *add);

/* load_cloth.c: parts of cloths and garments. */
struct vo_cloth_parts;
vo_result vo_load_materials(vo_loader *loader, vo_json_cursor at, struct vo_cloth_parts *parts);
vo_result vo_load_remeshing(const vo_loader *loader, const vo_json_cursor *cloth,
                            vo_remeshing_def *out);
vo_sidedness vo_load_sides(const vo_json_cursor *cloth);

/* load_*.c */
vo_result vo_load_motions(vo_loader *loader, vo_json_cursor motions);
vo_result vo_load_cloths(vo_loader *loader, vo_json_cursor cloths);
vo_result vo_load_obstacles(vo_loader *loader, const vo_json_cursor *root);
vo_result vo_load_crowd(vo_loader *loader, const vo_json_cursor *root);
/* Sets the numbers of faces of a crowd's bodies; after vo_load_cameras. */
vo_result vo_load_crowd_lod(vo_loader *loader, vo_json_cursor characters);
vo_result vo_load_characters(vo_loader *loader, vo_json_cursor characters);
/* load_crowd_memory.c */
typedef struct vo_crowd_memory {
    double used;           /* bytes, after the last copy */
    double bytes_per_face; /* smallest of the measured copies */
    double faces;          /* of that copy */
} vo_crowd_memory;
/* Called after `done` characters are loaded; `memory` is zero before the first call. Fails with
 * VO_NO_MEMORY if the bodies of the crowd certainly exceed the context's memory limit. */
vo_result vo_check_crowd_memory(const vo_loader *loader, vo_crowd_memory *memory,
                                const vo_json_cursor *characters, int done);
/* Creates the skeleton of a mannequin with its motion, which gives its path before its surface
 * exists. The motion's file does not become an input of the scene. */
struct vo_body;
vo_result vo_load_bones(vo_loader *loader, const vo_json_cursor *character, struct vo_body **out);
/* Placement of a character in the world. Bodies are in metres with z up for all units of the scene;
 * the units apply to the transform only. */
vo_transform vo_load_placement(const vo_loader *loader, const vo_json_cursor *character);
/* Warns about the body of a character, unless `warned` contains an equal body or another copy of it
 * in the crowd. The message names the key of the file. */
vo_result vo_warn_body(vo_loader *loader, vo_warned *warned, int character, const char *message);
vo_result vo_load_garments(vo_loader *loader, vo_json_cursor garments);
/* Adds the handles of pinned labels; after vo_load_handles, so that the file's handles come first.
 */
vo_result vo_load_pins(vo_loader *loader);
vo_result vo_load_shape(vo_loader *loader, vo_json_cursor shape, vo_mesh **out);
vo_result vo_load_handles(vo_loader *loader, vo_json_cursor handles);
vo_result vo_load_cameras(vo_loader *loader, const vo_json_cursor *root);
/* load_realtime.c: settings and fans of the real-time engine. */
vo_realtime_settings vo_load_realtime(const vo_json_cursor *root);
vo_result vo_load_fans(vo_loader *loader, const vo_json_cursor *root);
/* Checks the aspect ratio of an image; the message begins with `prefix`. */
vo_result vo_camera_aspect_check(vo_json_cursor at, const char *prefix, double aspect);
/* load_camera_file.c: reads the path of a camera from an FBX, glTF or Collada file, in the units
 * and axes of the scene file and the times of its clip. `fov_y` in degrees; 0: that of the file. In
 * the document `keys` and `aspect` replace the name of the file, so that a stored scene depends
 * neither on the file nor on files that it refers to. */
vo_result vo_load_camera_file(vo_loader *loader, const vo_json_cursor *camera, double fov_y,
                              vo_camera_keys *out);

/* read.c: values that have been checked. An absent value is 0, or `absent`. */
double vo_get_real(const vo_json_cursor *object, const char *key);
double vo_get_limit(const vo_json_cursor *object, const char *key, double absent);
int vo_get_int(const vo_json_cursor *object, const char *key, int absent);
const char *vo_get_string(const vo_json_cursor *object, const char *key); /* NULL if absent */
int vo_get_word(const vo_json_cursor *object, const char *key, const char *const *words);
bool vo_get_bool(const vo_json_cursor *object, const char *key);
vo_vec3 vo_get_vec3(const vo_json_cursor *object, const char *key);
bool vo_has(const vo_json_cursor *object, const char *key);
/* Member `key` as a pose of the file's units and axes. */
vo_pose vo_get_pose(const vo_json_cursor *object, const char *key);
/* Fails with a message of a call, which begins with a member's name: "fov_y must be ...",
 * "view.back_facing must be ...". If the object has a key of that name, the message names its path,
 * "camera.fov_y: must be ...", and whether an override has set it. */
vo_result vo_fail_member(vo_json_cursor at, const char *message);
/* Prefixes the message of a failed call with file and key path; VO_BAD_ARGUMENT becomes VO_BAD_DATA
 * at the member that it names. VO_OK and VO_NO_MEMORY are returned unchanged. */
vo_result vo_at_fault(vo_json_cursor at, vo_result result);
/* Warns that a key has no effect. */
void vo_warn_ignored(const vo_json_cursor *object, const char *key, const char *reason);

/* Builds a scene from a parsed document, which is freed in any case. Relative names are searched
 * for from the folder of `path`. */
vo_result vo_scene_load_document(vo_context *ctx, const char *path, vo_json_doc *doc, int frame,
                                 int override_count, const char *const *overrides, vo_scene **out);

#endif
