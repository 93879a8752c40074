/* How a scene grows. The public calls check and copy what they are given; the loader hands over
 * what it has just read. Both end here. On success the scene owns the parts, on failure the caller
 * still does, if only to free them. A wrong value is VO_BAD_CALL with a sentence that names it. */
#ifndef VO_SCENE_BUILD_H
#define VO_SCENE_BUILD_H

#include "scene/scene.h"

typedef struct vo_cloth_parts {
    vo_mesh *mesh; /* as in its file */
    vo_transform placement;
    vo_vec3 linear_velocity, angular_velocity, velocity_origin; /* in the world */
    int material_count;
    vo_material *material;
    vo_remeshing remeshing;
    vo_sides sides;
} vo_cloth_parts;

vo_result vo_scene_take_cloth(vo_scene *scene, vo_cloth_parts *parts, int *id);
void vo_cloth_parts_free(vo_context *ctx, vo_cloth_parts *parts);

vo_result vo_scene_take_motion(vo_scene *scene, vo_motion *motion, int *id);

/* `mesh` gets the placement. */
vo_result vo_scene_take_obstacle(vo_scene *scene, const vo_obstacle_def *def, vo_mesh *mesh,
                                 vo_transform placement, int *id);

/* A body with its motion, not yet put into the world. */
typedef struct vo_character_parts {
    vo_body *body;
    vo_transform placement;
    double gap, start, end;
} vo_character_parts;

/* A mannequin; a copy where the scene has its like. */
vo_result vo_scene_make_mannequin(const vo_scene *scene, const vo_mannequin_def *def,
                                  vo_body **out);
vo_result vo_scene_take_character(vo_scene *scene, const vo_character_parts *parts, int *id);

/* Whether the numbers of a pose are within bounds. */
vo_result vo_scene_check_pose(vo_context *ctx, vo_pose pose);

/* Whether a mesh stays within bounds where the transform puts it. */
vo_result vo_scene_check_placement(vo_context *ctx, const vo_mesh *mesh, vo_transform placement);

vo_result vo_scene_check_motion(const vo_scene *scene, int motion);
vo_result vo_scene_check_times(vo_context *ctx, double start, double end, double fade);
vo_result vo_scene_check_def(vo_context *ctx, const vo_scene_def *def);

#endif
