/* Construction of a scene, shared by the public calls, which check and copy their arguments, and
 * the file loader, which passes ownership. On success the scene owns the parts; on failure the
 * caller does. An invalid value is VO_BAD_ARGUMENT with a message that names it. */
#ifndef VO_SCENE_BUILD_H
#define VO_SCENE_BUILD_H

#include "core/file.h"
#include "scene/scene.h"

typedef struct vo_cloth_parts {
    vo_mesh *mesh; /* as in its file */
    vo_transform placement;
    vo_vec3 linear_velocity, angular_velocity, velocity_origin; /* in the world */
    int material_count;
    vo_material *material;
    vo_remeshing_def remeshing;
    vo_sidedness sides;
} vo_cloth_parts;

vo_result vo_scene_adopt_cloth(vo_scene *scene, vo_cloth_parts *parts, int *id);
void vo_cloth_parts_free(vo_context *ctx, vo_cloth_parts *parts);

/* Copies materials into parts->material; on failure `parts` holds those copied before. */
vo_result vo_cloth_parts_copy_materials(vo_context *ctx, int count,
                                        const vo_material_def *materials, vo_cloth_parts *parts);

/* A garment before it becomes a cloth of the scene (add_garment.c). */
typedef struct vo_garment_parts {
    vo_cloth_parts cloth;
    vo_scene_garment fitted; /* cut.pattern is NULL for a garment from a mesh */
    bool owns_cut;
} vo_garment_parts;

enum { VO_BODY_WARNING_TEXT = 360 };

/* Fits the pattern at `path` to the character parts->fitted.character, by parts->fitted.how:
 * sets parts->fitted and the mesh and placement of parts->cloth. `warning` receives a message about
 * a body that patterns cannot be fitted to, else "". */
vo_result vo_scene_fit_garment(const vo_scene *scene, const char *path, vo_garment_parts *parts,
                               char warning[VO_BODY_WARNING_TEXT]);
vo_result vo_scene_adopt_garment(vo_scene *scene, vo_garment_parts *parts, int *id);
void vo_garment_parts_free(vo_context *ctx, vo_garment_parts *parts);
/* Adds handles by which pinned labels of the cloth's pattern follow the body; none on failure. */
vo_result vo_scene_add_garment_pins(vo_scene *scene, int cloth);

/* Removes all cloths, or handles, after the first `count`: undoes additions. */
void vo_scene_remove_cloths(vo_scene *scene, int count);
void vo_scene_remove_handles(vo_scene *scene, int count);

/* Names under which a fabric of a pattern is searched for, in the order of `candidate`: as it is,
 * next to the pattern, among the assets, and in the folder of fabrics next to that of the
 * pattern. */
enum { VO_GARMENT_FABRIC_NAMES = 4 };
void vo_garment_fabric_name(const char *pattern, const char *fabric, int candidate,
                            char name[VO_PATH_SIZE]);

/* paths.c: finds a file by a relative or absolute name, in `folder` (NULL: none), the current
 * folder, the parent of `folder` and the folder of assets, in this order. */
bool vo_scene_find_file(const char *folder, const char *name, char path[VO_PATH_SIZE]);

/* Checks a material and copies it with its fabric, which the caller must destroy. On failure
 * out->fabric is NULL. */
vo_result vo_material_create(vo_context *ctx, const vo_material_def *def, vo_material *out);

vo_result vo_scene_adopt_motion(vo_scene *scene, vo_motion *motion, int *id);

/* Applies `placement` to `mesh`. */
vo_result vo_scene_adopt_obstacle(vo_scene *scene, const vo_obstacle_def *def, vo_mesh *mesh,
                                  vo_transform placement, int *id);

/* A body with its motion, before it is placed in the world. */
typedef struct vo_character_parts {
    vo_body *body;
    vo_transform placement;
    double gap, start, end;
} vo_character_parts;

/* Creates a mannequin, as a copy if the scene has an equal one. */
vo_result vo_scene_make_mannequin(const vo_scene *scene, const vo_mannequin_def *def,
                                  vo_body **out);
vo_result vo_scene_adopt_character(vo_scene *scene, const vo_character_parts *parts, int *id);

/* Checks that the numbers of a pose are valid. */
vo_result vo_scene_check_pose(vo_context *ctx, vo_pose pose);

/* Checks that a mesh stays within bounds after the transform. */
vo_result vo_scene_check_placement(vo_context *ctx, const vo_mesh *mesh, vo_transform placement);

vo_result vo_scene_check_motion(const vo_scene *scene, int motion);
vo_result vo_scene_check_times(vo_context *ctx, double start, double end, double fade);
vo_result vo_scene_check_def(vo_context *ctx, const vo_scene_def *def);

#endif
