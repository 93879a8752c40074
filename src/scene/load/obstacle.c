/* Obstacles of a scene file: a list, or a pattern such as bodies/body%04d.obj. */
#include "codec/obj.h"
#include "scene/build.h"
#include "scene/load/load.h"

/* Appends the obstacle of file number i. */
static vo_result put_obstacle(const vo_loader *loader, const vo_json_cursor *list, const char *name,
                              int i) {
    vo_json_cursor obstacle;
    VO_TRY(vo_json_put_object(list, NULL, &obstacle));
    VO_TRY(vo_json_put_string(&obstacle, "mesh", name));
    return vo_json_put_int(&obstacle, "motion", i < loader->scene->motion_count ? i : -1);
}

/* Replaces the pattern in the document by the list of its obstacles. */
static vo_result expand_pattern(vo_loader *loader, const vo_json_cursor *root) {
    vo_json_cursor at = vo_json_get(root, "obstacles"), list;
    vo_json_doc made;
    VO_TRY(vo_json_new(loader->ctx, at.file, &made));
    vo_json_cursor top = vo_json_root(&made);
    vo_result result = vo_json_put_array(&top, "obstacles", &list);
    if (result == VO_OK) result = vo_loader_expand(loader, at, false, &list, put_obstacle);
    if (result == VO_OK) result = vo_json_put_copy(root, "obstacles", list);
    vo_json_free(&made);
    if (result != VO_OK) return result;
    return vo_scene_check(loader->doc, (char[2]){0}, 2); /* fills in the new objects' defaults */
}

/* Loads the mesh file or creates the basic shape. */
static vo_result load_mesh(vo_loader *loader, const vo_json_cursor *at, vo_mesh **out) {
    bool has_mesh = vo_has(at, "mesh"), has_shape = vo_has(at, "shape");
    if (has_mesh && has_shape)
        return vo_json_fail(vo_json_get(at, "shape"), "mesh and shape exclude each other");
    if (!has_mesh && !has_shape)
        return vo_json_fail(vo_json_get(at, "mesh"),
                            "is missing; an obstacle needs a mesh or a shape");
    if (has_shape) return vo_load_shape(loader, vo_json_get(at, "shape"), out);
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, at, "mesh", path));
    return vo_at_fault(vo_json_get(at, "mesh"),
                       vo_obj_load(loader->ctx, path, VO_MESH_FOR_OBSTACLE, out));
}

static vo_result load_obstacle(vo_loader *loader, vo_json_cursor at) {
    vo_mesh *mesh = NULL;
    VO_TRY(load_mesh(loader, &at, &mesh));
    vo_obstacle_def def = {.motion = vo_get_int(&at, "motion", -1),
                           .start = vo_get_real(&at, "start_time"),
                           .end = vo_get_limit(&at, "end_time", INFINITY)};
    vo_transform placement =
        xf_mul(loader->frame, vo_pose_transform(vo_get_pose(&at, "transform")));
    vo_result result = vo_scene_adopt_obstacle(loader->scene, &def, mesh, placement, NULL);
    if (result != VO_OK) vo_mesh_destroy(mesh);
    return vo_at_fault(at, result);
}

vo_result vo_load_obstacles(vo_loader *loader, const vo_json_cursor *root) {
    if (vo_json_kind(vo_json_get(root, "obstacles")) == VO_JSON_STRING)
        VO_TRY(expand_pattern(loader, root));
    vo_json_cursor list = vo_json_get(root, "obstacles");
    int count = vo_json_length(list);
    for (int i = 0; i < count; i++) {
        VO_TRY(vo_check_cancel(loader->ctx));
        VO_TRY(load_obstacle(loader, vo_json_item(&list, i)));
        vo_report_work(loader->ctx, "loading obstacles", i + 1, count);
    }
    return VO_OK;
}
