/* Settings and fans of the real-time engine. */
#include "scene/load/load.h"

vo_realtime_settings vo_load_realtime(const vo_json_cursor *root) {
    vo_json_cursor at = vo_json_get(root, "realtime");
    return (vo_realtime_settings){
        .rate = vo_get_real(&at, "rate"),
        .substeps = vo_get_int(&at, "substeps", 4),
        .levels = vo_get_int(&at, "levels", 3),
        .faces = vo_get_int(&at, "faces", 0),
        .budget_ms = vo_get_real(&at, "budget_ms"),
        .budget_clock = vo_get_bool(&at, "budget_clock"),
        .offset = vo_get_real(&at, "offset"),
        .bodies = (vo_realtime_bodies)vo_get_word(&at, "bodies", vo_realtime_body_words),
        .self_collision = vo_get_bool(&at, "self_collision"),
        .thickness = vo_get_real(&at, "thickness"),
        .compression = vo_get_real(&at, "compression"),
        .damping = vo_get_real(&at, "damping"),
        .solver = (vo_realtime_solver)vo_get_word(&at, "solver", vo_realtime_words)};
}

vo_result vo_load_fans(vo_loader *loader, const vo_json_cursor *root) {
    vo_json_cursor realtime = vo_json_get(root, "realtime"), list = vo_json_get(&realtime, "fans");
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_cursor at = vo_json_item(&list, i);
        vo_fan_def def = {.position = xf_point(loader->frame, vo_get_vec3(&at, "position")),
                          .direction =
                              q_rotate(loader->frame.rotation, vo_get_vec3(&at, "direction")),
                          .speed = vo_get_real(&at, "speed"),
                          .angle = vo_get_real(&at, "angle"),
                          .range = vo_get_real(&at, "range"),
                          .motion = vo_get_int(&at, "motion", -1)};
        VO_TRY(vo_at_fault(at, vo_scene_add_fan(loader->scene, &def, NULL)));
    }
    return VO_OK;
}
