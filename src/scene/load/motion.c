/* Motions of a scene file: keyframes, or the bodies of a .mot file. */
#include "codec/number.h"
#include "core/file.h"
#include "core/memory.h"
#include "scene/build.h"
#include "scene/load/load.h"

static vo_keyframe read_keyframe(const vo_json_cursor *at) {
    return (vo_keyframe){.time = vo_get_real(at, "time"),
                         .pose = vo_get_pose(at, "transform"),
                         .has_velocity = vo_has(at, "velocity"),
                         .velocity = vo_get_pose(at, "velocity")};
}

/* Reads key i after the earlier ones and checks it. */
static vo_result load_key(vo_json_cursor key, vo_keyframe *keys, int i) {
    keys[i] = read_keyframe(&key);
    const char *defect = vo_key_time_defect(keys, i);
    if (defect) {
        char time[VO_NUMBER_TEXT];
        vo_number_write(keys[i].time, time);
        return vo_json_fail(vo_json_get(&key, "time"), "%s, is %s", defect, time);
    }
    defect = vo_pose_key_defect(keys[i].pose);
    if (defect) return vo_json_fail(vo_json_get(&key, "transform"), "%s", defect);
    defect = keys[i].has_velocity ? vo_pose_rate_defect(keys[i].velocity) : NULL;
    return defect ? vo_json_fail(vo_json_get(&key, "velocity"), "%s", defect) : VO_OK;
}

/* Converts a motion to the world's axes and adds it to the scene. */
static vo_result add_motion(vo_loader *loader, vo_motion *motion) {
    vo_motion_change_frame(motion, loader->frame);
    return vo_scene_adopt_motion(loader->scene, motion, NULL);
}

static vo_result add_keyframes(vo_loader *loader, int count, const vo_keyframe *keys) {
    vo_motion motion;
    VO_TRY(vo_motion_from_keyframes(loader->ctx, count, keys, &motion));
    vo_result result = add_motion(loader, &motion);
    vo_motion_free(loader->ctx, &motion);
    return result;
}

static vo_result load_keyframes(vo_loader *loader, vo_json_cursor at) {
    int count = vo_json_length(at);
    vo_keyframe *keys = vo_new_array(loader->ctx, vo_keyframe, count);
    if (!keys) return vo_fail_memory(loader->ctx, "a motion");
    vo_result result = VO_OK;
    for (int i = 0; i < count && result == VO_OK; i++)
        result = load_key(vo_json_item(&at, i), keys, i);
    if (result == VO_OK) result = vo_at_fault(at, add_keyframes(loader, count, keys));
    vo_free_array(loader->ctx, keys, count);
    return result;
}

static vo_result add_bodies(vo_loader *loader, vo_mot *mot) {
    for (int b = 0; b < mot->body_count; b++) VO_TRY(add_motion(loader, &mot->body[b]));
    return VO_OK;
}

static vo_result load_motfile(vo_loader *loader, vo_json_cursor at) {
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, &at, "motfile", path));
    vo_json_cursor named = vo_json_get(&at, "motfile");
    vo_bytes bytes;
    VO_TRY(vo_at_fault(named, vo_file_read(loader->ctx, path, &bytes)));
    vo_mot mot;
    vo_result result =
        vo_mot_parse(loader->ctx, path, bytes.data, bytes.size, vo_get_real(&at, "fps"),
                     vo_pose_transform(vo_get_pose(&at, "transform")), &mot);
    vo_bytes_free(loader->ctx, &bytes);
    if (result != VO_OK) return vo_at_fault(named, result);
    result = add_bodies(loader, &mot);
    vo_mot_free(&mot);
    return vo_at_fault(named, result);
}

vo_result vo_load_motions(vo_loader *loader, vo_json_cursor motions) {
    if (vo_json_kind(motions) == VO_JSON_OBJECT) return load_motfile(loader, motions);
    for (int i = 0; i < vo_json_length(motions); i++)
        VO_TRY(load_keyframes(loader, vo_json_item(&motions, i)));
    return VO_OK;
}
