/* Adds motions and obstacles to the scene. */
#include "core/memory.h"
#include "core/plural.h"
#include "math/bounds.h"
#include "scene/build.h"

vo_obstacle_def vo_obstacle_def_default(void) {
    return (vo_obstacle_def){.pose = vo_pose_identity(), .motion = -1, .end = INFINITY};
}

vo_result vo_scene_adopt_motion(vo_scene *scene, vo_motion *motion, int *id) {
    for (int k = 0; k < motion->key_count; k++)
        if (!v3_is_bounded(motion->key[k].pose.translation))
            return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                           "key %d of the motion: the pose is out of bounds", k);
    if (!vo_reserve(scene->ctx, &scene->motion, &scene->motion_capacity, scene->motion_count + 1))
        return vo_fail_memory(scene->ctx, "a motion");
    if (id) *id = scene->motion_count;
    scene->motion[scene->motion_count++] = *motion;
    *motion = (vo_motion){0};
    return VO_OK;
}

vo_result vo_scene_add_motion(vo_scene *scene, int key_count, const vo_keyframe *keys, int *id) {
    vo_motion motion;
    VO_TRY(vo_motion_from_keyframes(scene->ctx, key_count, keys, &motion));
    vo_result result = vo_scene_adopt_motion(scene, &motion, id);
    if (result != VO_OK) vo_motion_free(scene->ctx, &motion);
    return result;
}

vo_result vo_scene_check_motion(const vo_scene *scene, int motion) {
    if (motion >= -1 && motion < scene->motion_count) return VO_OK;
    return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                   "motion %d does not exist; the scene has %d motion%s", motion,
                   scene->motion_count, vo_plural(scene->motion_count));
}

vo_result vo_scene_check_times(vo_context *ctx, double start, double end, double fade) {
    if (!vo_is_bounded(start))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "start must be a time up to " VO_MAX_NUMBER_TEXT " s");
    if (!vo_is_end_time(end))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "end must be a time up to " VO_MAX_NUMBER_TEXT " s, or plus infinity");
    if (!vo_is_nonnegative(fade))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "fade must be at least 0, up to " VO_MAX_NUMBER_TEXT " s");
    return VO_OK;
}

vo_result vo_scene_check_pose(vo_context *ctx, vo_pose pose) {
    const char *defect = vo_pose_defect(pose);
    return defect ? vo_fail(ctx, VO_BAD_ARGUMENT, "pose.%s", defect) : VO_OK;
}

vo_result vo_scene_check_placement(vo_context *ctx, const vo_mesh *mesh, vo_transform placement) {
    for (int n = 0; n < mesh->node_count; n++)
        if (!v3_is_bounded(xf_point(placement, mesh->node_x[n])))
            return vo_fail(ctx, VO_BAD_ARGUMENT, "the pose takes node %d out of bounds", n);
    return VO_OK;
}

static vo_result check_obstacle(const vo_scene *scene, const vo_obstacle_def *def,
                                const vo_mesh *mesh, vo_transform t) {
    VO_TRY(vo_scene_check_motion(scene, def->motion));
    VO_TRY(vo_scene_check_times(scene->ctx, def->start, def->end, 0));
    return vo_scene_check_placement(scene->ctx, mesh, t);
}

vo_result vo_scene_adopt_obstacle(vo_scene *scene, const vo_obstacle_def *def, vo_mesh *mesh,
                                  vo_transform placement, int *id) {
    VO_TRY(check_obstacle(scene, def, mesh, placement));
    if (!vo_reserve(scene->ctx, &scene->obstacle, &scene->obstacle_capacity,
                    scene->obstacle_count + 1))
        return vo_fail_memory(scene->ctx, "an obstacle");
    for (int n = 0; n < mesh->node_count; n++)
        mesh->node_x[n] = xf_point(placement, mesh->node_x[n]);
    if (id) *id = scene->obstacle_count;
    scene->obstacle[scene->obstacle_count++] =
        (vo_scene_obstacle){mesh, def->motion, def->start, def->end, NULL};
    return VO_OK;
}

vo_result vo_scene_add_obstacle(vo_scene *scene, const vo_obstacle_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    if (!def || !def->mesh) return vo_fail(ctx, VO_BAD_ARGUMENT, "an obstacle needs a mesh");
    VO_TRY(vo_scene_check_pose(ctx, def->pose));
    vo_mesh *mesh;
    VO_TRY(vo_mesh_copy(ctx, def->mesh, &mesh));
    vo_result result = vo_scene_adopt_obstacle(scene, def, mesh, vo_pose_transform(def->pose), id);
    if (result != VO_OK) vo_mesh_destroy(mesh);
    return result;
}
