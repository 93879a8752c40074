/* Adds characters to the scene. */
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"

#include <string.h>

vo_character_def vo_character_def_default(void) {
    return (vo_character_def){.mannequin = vo_mannequin_def_default(),
                              .motion = vo_motion_def_default(),
                              .pose = vo_pose_identity(),
                              .self_gap = 0.005,
                              .end = INFINITY};
}

/* Places the body, which is in its rest pose when the preroll begins. */
static vo_result place_body(vo_scene *scene, const vo_character_parts *parts) {
    if (!vo_is_nonnegative(parts->gap))
        return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                       "self_gap must be at least 0, up to " VO_MAX_NUMBER_TEXT);
    double step = scene->def.frame_time;
    vo_body_placement_def def = {.placement = parts->placement,
                                 .preroll = vo_scene_preroll_frames(scene) * step,
                                 .self_gap = parts->gap,
                                 .sample_interval = step};
    return vo_body_set_placement(parts->body, &def);
}

/* Reserves space for one more obstacle and character. */
static vo_result adopt_body(vo_scene *scene, const vo_character_parts *parts, int *id) {
    vo_obstacle_def def = {.motion = -1, .start = parts->start, .end = parts->end};
    vo_mesh *mesh;
    int obstacle;
    VO_TRY(place_body(scene, parts));
    VO_TRY(vo_mesh_copy(scene->ctx, vo_body_rest_mesh(parts->body), &mesh));
    vo_result result = vo_scene_adopt_obstacle(scene, &def, mesh, xf_identity(), &obstacle);
    if (result != VO_OK) {
        vo_mesh_destroy(mesh);
        return result;
    }
    scene->obstacle[obstacle].body = parts->body;
    scene->character[scene->character_count - 1].obstacle = obstacle;
    if (id) *id = obstacle;
    return VO_OK;
}

vo_result vo_scene_adopt_character(vo_scene *scene, const vo_character_parts *parts, int *id) {
    if (!vo_reserve(scene->ctx, &scene->character, &scene->character_capacity,
                    scene->character_count + 1))
        return vo_fail_memory(scene->ctx, "a character");
    scene->character_count++; /* the preroll depends on whether there is one */
    vo_result result = adopt_body(scene, parts, id);
    if (result != VO_OK) scene->character_count--;
    return result;
}

const vo_body *vo_scene_character_body(const vo_scene *scene, int character) {
    return scene->obstacle[scene->character[character].obstacle].body;
}

vo_result vo_scene_make_mannequin(const vo_scene *scene, const vo_mannequin_def *def,
                                  vo_body **out) {
    for (int i = 0; i < scene->character_count; i++) {
        const vo_body *body = vo_scene_character_body(scene, i);
        if (vo_body_is_mannequin(body, def)) return vo_body_copy_mannequin(body, out);
    }
    return vo_body_create_mannequin(scene->ctx, def, out);
}

static vo_result make_body(const vo_scene *scene, const vo_character_def *def, double fps,
                           vo_body **out) {
    vo_context *ctx = scene->ctx;
    vo_import_options options = vo_import_options_default();
    options.metres_per_unit = def->metres_per_unit;
    options.up_axis = def->up_axis;
    if (!def->body) return vo_scene_make_mannequin(scene, &def->mannequin, out);
    if (strchr(def->body, '%')) return vo_body_create_sequence(ctx, def->body, fps, &options, out);
    return vo_body_create_file(ctx, def->body, &options, out);
}

vo_result vo_scene_add_character(vo_scene *scene, const vo_character_def *def, int *id) {
    if (!def) return vo_fail(scene->ctx, VO_BAD_ARGUMENT, "a character needs a definition");
    VO_TRY(vo_scene_check_pose(scene->ctx, def->pose));
    double fps = 1 / scene->def.frame_time;
    vo_body *body;
    VO_TRY(make_body(scene, def, fps, &body));
    vo_character_parts parts = {body, vo_pose_transform(def->pose), def->self_gap, def->start,
                                def->end};
    vo_result result = def->has_motion ? vo_body_set_motion(body, &def->motion, fps) : VO_OK;
    if (result == VO_OK) result = vo_scene_adopt_character(scene, &parts, id);
    if (result != VO_OK) vo_body_destroy(body);
    return result;
}
