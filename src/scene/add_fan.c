/* Adds fans to the scene. */
#include "math/bounds.h"
#include "scene/build.h"

vo_fan_def vo_fan_def_default(void) {
    return (vo_fan_def){.direction = {0, 1, 0}, .speed = 5, .angle = 20, .range = 4, .motion = -1};
}

static const char *fan_defect(const vo_fan_def *def) {
    if (!v3_is_bounded(def->position)) return "position must be three numbers";
    if (!v3_is_bounded(def->direction) || !(v3_length(def->direction) > 1e-9))
        return "direction must be a vector other than zero";
    if (!(def->speed >= 0 && def->speed <= 1000)) return "speed must be 0 to 1000 m/s";
    if (!(def->angle > 0 && def->angle < 90)) return "angle must be above 0 and below 90 degrees";
    if (!(def->range > 0 && def->range <= 1e6)) return "range must be above 0, up to 1e6 m";
    return NULL;
}

vo_result vo_scene_add_fan(vo_scene *scene, const vo_fan_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    if (!def) return vo_fail(ctx, VO_BAD_ARGUMENT, "a fan needs a definition");
    const char *defect = fan_defect(def);
    if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "%s", defect);
    VO_TRY(vo_scene_check_motion(scene, def->motion));
    if (scene->fan_count == VO_SCENE_MAX_FANS)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "a scene has at most %d fans; remove one",
                       VO_SCENE_MAX_FANS);
    if (id) *id = scene->fan_count;
    scene->fan[scene->fan_count++] = *def;
    return VO_OK;
}
