/* What the files of the loader share. A scene file goes through these passes:
 *
 *     read      text to a JSON document                       codec/json
 *     override  changes recorded by a run, then --set         overrides.c
 *     check     keys and types; defaults filled in            check.c, by the tables of keys.c
 *     build     what it names, after what that names           load.c, load_*.c
 *
 * After the check every value has its type and every default is there, so the builders read without
 * asking again. The document, with the names of its files replaced by those under which a run keeps
 * them, becomes the resolved scene. */
#ifndef VO_SCENE_LOAD_H
#define VO_SCENE_LOAD_H

#include "codec/json.h"
#include "core/file.h"
#include "scene/camera_table.h"
#include "scene/keys.h"
#include "scene/odd_size.h"
#include "scene/scene.h"

/* Cells of a cloth that was made from a grid; zero for one from a mesh file. */
typedef struct vo_grid_size {
    int columns, rows;
} vo_grid_size;

/* Characters whose bodies were warned of, for one reason. */
typedef struct vo_told {
    int count, capacity;
    int *character;
} vo_told;

typedef struct vo_loader {
    vo_context *ctx;
    vo_json_doc *doc;
    vo_scene *scene;
    vo_transform frame; /* from the file's units and axes to metres and z up */
    double detail;      /* of a crowd's bodies, pixels; 0: all are alike */
    int copied;         /* characters of the file that a crowd copies, over and over; 0: none */
    vo_told odd_sizes, odd_forms;
    int grid_capacity;
    vo_grid_size *grid; /* a cloth each */
    char folder[VO_PATH_SIZE];
} vo_loader;

/* check.c. `later` receives the names of the keys that are there but not yet acted upon, separated
 * by commas: "morphs, cloths[].remeshing". */
vo_result vo_scene_check(vo_json_doc *doc, char *later, size_t size);
/* The same for another document, of which everything is acted upon. */
vo_result vo_scene_check_document(vo_json_doc *doc, const vo_key *keys);
/* The same for one object of a document: after a change, without going through all of it. */
vo_result vo_scene_check_part(vo_json_doc *doc, vo_json_at at, const vo_key *keys);

/* overrides.c */
vo_result vo_scene_apply_overrides(vo_json_doc *doc, int frame);
vo_result vo_scene_apply_sets(vo_json_doc *doc, int set_count, const char *const *sets);

/* paths.c. Finds the file that member `key` of `at` names, makes it an input of the scene and
 * replaces the member by its stored name. */
vo_result vo_loader_file(vo_loader *loader, const vo_json_at *at, const char *key,
                         char path[VO_PATH_SIZE]);
/* Only finds. A missing file is an error at `at`, or told in *found if that is not NULL. */
vo_result vo_loader_find(vo_loader *loader, vo_json_at at, const char *name, bool *found,
                         char path[VO_PATH_SIZE]);

/* The same for a name that is no member of its own. *stored lives as long as the scene. */
vo_result vo_loader_input(vo_loader *loader, vo_json_at at, const char *name,
                          char path[VO_PATH_SIZE], const char **stored);

/* load_pattern.c: calls `add` for each file that the name at `at` means, with 0, 1, 2... in the
 * place of its one number (%d, %4d, %04d), until there is none. `from_one`: where there is no 0 the
 * first may be 1. */
typedef vo_result vo_add_name(const vo_loader *loader, const vo_json_at *list, const char *name,
                              int number);
vo_result vo_loader_expand(vo_loader *loader, vo_json_at at, bool from_one, const vo_json_at *list,
                           vo_add_name *add);

/* load_cloth.c: of cloths and garments. */
struct vo_cloth_parts;
vo_result vo_load_materials(vo_loader *loader, vo_json_at at, struct vo_cloth_parts *parts);
vo_result vo_load_remeshing(const vo_loader *loader, const vo_json_at *cloth, vo_remeshing *out);
vo_sides vo_load_sides(const vo_json_at *cloth);

/* load_*.c */
vo_result vo_load_motions(vo_loader *loader, vo_json_at motions);
vo_result vo_load_cloths(vo_loader *loader, vo_json_at cloths);
vo_result vo_load_obstacles(vo_loader *loader, const vo_json_at *root);
vo_result vo_load_crowd(vo_loader *loader, const vo_json_at *root);
/* After the cameras: how many faces the bodies of a crowd have. */
vo_result vo_load_detail(vo_loader *loader, vo_json_at characters);
vo_result vo_load_characters(vo_loader *loader, vo_json_at characters);
/* load_room.c. After so many characters are `done`: VO_NO_MEMORY where it is plain that those of a
 * crowd do not fit into the context's limit. */
typedef struct vo_room {
    double taken;        /* bytes, after the last copy */
    double least, faces; /* bytes a face of the copy that took the least; its faces */
} vo_room;
vo_result vo_load_room(const vo_loader *loader, vo_room *room, const vo_json_at *characters,
                       int done);
/* A mannequin's bones and motion, to ask where it goes before its surface is made. No input of the
 * scene is made of the motion's file. */
struct vo_body;
vo_result vo_load_bones(vo_loader *loader, const vo_json_at *character, struct vo_body **out);
/* Where a character stands. Bodies are in metres with z up whatever the scene's units: those of the
 * transform count alone. */
vo_transform vo_load_placement(const vo_loader *loader, const vo_json_at *character);
/* A warning about the body of a character, unless `told` has one like it or another copy of it in
 * the crowd. The key is the one of the file. */
vo_result vo_tell_of_body(vo_loader *loader, vo_told *told, int character, const char *sentence);
vo_result vo_load_garments(vo_loader *loader, vo_json_at garments);
/* After the handles that the file numbers. */
vo_result vo_load_pins(vo_loader *loader);
vo_result vo_load_shape(vo_loader *loader, vo_json_at shape, vo_mesh **out);
vo_result vo_load_handles(vo_loader *loader, vo_json_at handles);
vo_result vo_load_cameras(vo_loader *loader, const vo_json_at *root);
/* load_camera_file.c: the path of a camera in an FBX, glTF or Collada file, in the units and axes
 * of the scene file and the times of its clip; `field` in degrees, 0: the file's. In the document
 * `keys` and what else is known from the file take the place of its name, so that what a run keeps
 * needs neither the file nor what that names in turn. */
/* Whether a picture can have this width by height; the sentence begins with `whose`. */
vo_result vo_camera_aspect_check(vo_json_at at, const char *whose, double aspect);
vo_result vo_load_camera_file(vo_loader *loader, const vo_json_at *camera, double field,
                              vo_camera_keys *out);

/* read.c: values that have been checked. An absent one is 0, or what is said. */
double vo_get_real(const vo_json_at *object, const char *key);
double vo_get_limit(const vo_json_at *object, const char *key, double absent);
int vo_get_int(const vo_json_at *object, const char *key, int absent);
const char *vo_get_string(const vo_json_at *object, const char *key); /* NULL if absent */
int vo_get_word(const vo_json_at *object, const char *key, const char *const *words);
bool vo_get_bool(const vo_json_at *object, const char *key);
vo_vec3 vo_get_vec3(const vo_json_at *object, const char *key);
bool vo_has(const vo_json_at *object, const char *key);
/* Member `key` as a pose of the file's units and axes. */
vo_pose vo_get_pose(const vo_json_at *object, const char *key);
/* Fails with a sentence on an object that begins with a member's name, as those of calls do: "field
 * must be ...", "view.back must be ...", "name: there is ...". Where the object has such a key the
 * path leads on to it, "camera.field: must be ...", and tells whether the call has set it. */
vo_result vo_fail_member(vo_json_at at, const char *sentence);
/* Puts file and key path in front of the message of a failed call; VO_BAD_CALL becomes VO_BAD_DATA,
 * and is about the member that it names. Success and want of memory pass. */
vo_result vo_at_fault(vo_json_at at, vo_result result);
/* A warning in the log. */
void vo_tell_ignored(const vo_json_at *object, const char *key, const char *reason);

/* The loader from a parsed document on, which it consumes in any case. `path` tells where relative
 * names start. */
vo_result vo_scene_load_document(vo_context *ctx, const char *path, vo_json_doc *doc, int frame,
                                 int set_count, const char *const *sets, vo_scene **out);

#endif
