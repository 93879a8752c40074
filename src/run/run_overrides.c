#include "run/run_overrides.h"

#include "run/folder.h"
#include "run/segment.h"

#include <string.h>

static bool same_bytes(const void *a, const void *b, int count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

/* Compares the data that a frame file takes over from the scene. */
static bool same_start(const vo_mesh *a, const vo_mesh *b) {
    return a->node_count == b->node_count && a->vert_count == b->vert_count &&
           a->edge_count == b->edge_count && a->face_count == b->face_count &&
           same_bytes(a->node_x, b->node_x, a->node_count, sizeof *a->node_x) &&
           same_bytes(a->node_v, b->node_v, a->node_count, sizeof *a->node_v) &&
           same_bytes(a->vert_u, b->vert_u, a->vert_count, sizeof *a->vert_u) &&
           same_bytes(a->vert_node, b->vert_node, a->vert_count, sizeof *a->vert_node) &&
           same_bytes(a->face_vert, b->face_vert, a->face_count, sizeof *a->face_vert) &&
           same_bytes(a->face_label, b->face_label, a->face_count, sizeof *a->face_label) &&
           same_bytes(a->edge_rest_angle, b->edge_rest_angle, a->edge_count,
                      sizeof *a->edge_rest_angle);
}

/* The first difference between the initial states of two scenes; NULL if they are equal. */
static const char *find_difference(const vo_scene *a, const vo_scene *b) {
    if (a->def.engine != b->def.engine) return "the engine";
    if (a->cloth_count != b->cloth_count) return "the number of cloths";
    if (a->def.preroll != b->def.preroll || a->def.start_frame != b->def.start_frame)
        return "the beginning of the run";
    for (int c = 0; c < a->cloth_count; c++)
        if (!same_start(a->cloth[c].mesh, b->cloth[c].mesh))
            return "the cloth that the run started with";
    return NULL;
}

/* Finds the override that changes the initial state. All of them together do, so it is the last one
 * unless fewer suffice. Fewer may not form a valid scene, which is ignored; fails without memory or
 * when cancelled. */
static vo_result find_override(vo_context *ctx, const char *folder, int frame,
                               const vo_scene *recorded, int override_count,
                               const char *const *overrides, const char **out) {
    bool found = false;
    *out = overrides[override_count - 1];
    for (int k = 1; k < override_count && !found; k++) {
        vo_scene *scene;
        vo_result result = vo_run_segment_scene(ctx, folder, frame, k, overrides, &scene);
        if (result == VO_NO_MEMORY || result == VO_CANCELLED) return result;
        found = result == VO_OK && find_difference(scene, recorded) != NULL;
        if (found) *out = overrides[k - 1];
        vo_scene_destroy(scene);
    }
    return VO_OK;
}

static vo_result reject(vo_context *ctx, const char *folder, const char *set, const char *what) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    return vo_fail(
        ctx, VO_BAD_DATA,
        "%s (overridden by the caller): %.*s: changes %s, which cannot be changed on resume: "
        "the cloths with their mesh, grid, transform and velocity, engine, adapt from or to "
        "none, units, up_axis, preroll and start_frame apply to the start only; simulate "
        "again with it, or override disable=remeshing to continue without remeshing",
        path, (int)strcspn(set, "="), set, what);
}

vo_result vo_run_check_overrides(vo_context *ctx, const char *folder, int frame,
                                 const vo_scene *changed, int override_count,
                                 const char *const *overrides) {
    vo_scene *recorded;
    if (override_count == 0) return VO_OK;
    VO_TRY(vo_run_segment_scene(ctx, folder, frame, 0, NULL, &recorded));
    const char *what = find_difference(changed, recorded), *set = NULL;
    vo_result result = VO_OK;
    if (what) result = find_override(ctx, folder, frame, recorded, override_count, overrides, &set);
    if (what && result == VO_OK) result = reject(ctx, folder, set, what);
    vo_scene_destroy(recorded);
    return result;
}
