#include "sim/run_sets.h"

#include "sim/epoch.h"
#include "sim/folder.h"

#include <string.h>

static bool same_bytes(const void *a, const void *b, int count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

/* Whether two meshes start alike: all that a frame keeps and the scene then has no say in. */
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

/* What a scene begins with that is not so in another one; NULL: nothing. */
static const char *other_start(const vo_scene *a, const vo_scene *b) {
    if (a->cloth_count != b->cloth_count) return "the number of cloths";
    if (a->def.preroll != b->def.preroll || a->def.start_frame != b->def.start_frame)
        return "how the run began";
    for (int c = 0; c < a->cloth_count; c++)
        if (!same_start(a->cloth[c].mesh, b->cloth[c].mesh))
            return "the cloth that the run started with";
    return NULL;
}

/* The setting with which the start becomes another one. That all of them together do is known, so
 * it is the last one unless fewer are enough. Fewer may make no scene at all, which says nothing;
 * fails without memory or where the caller stops. */
static vo_result find_culprit(vo_context *ctx, const char *folder, int frame,
                              const vo_scene *recorded, int set_count, const char *const *sets,
                              const char **out) {
    bool found = false;
    *out = sets[set_count - 1];
    for (int k = 1; k < set_count && !found; k++) {
        vo_scene *scene;
        vo_result result = vo_epoch_scene(ctx, folder, frame, k, sets, &scene);
        if (result == VO_NO_MEMORY || result == VO_STOPPED) return result;
        found = result == VO_OK && other_start(scene, recorded) != NULL;
        if (found) *out = sets[k - 1];
        vo_scene_destroy(scene);
    }
    return VO_OK;
}

static vo_result refuse(vo_context *ctx, const char *folder, const char *set, const char *what) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s (as set by the call): %.*s: changes %s, which cannot be changed on resume: "
                   "the cloths with their mesh, grid, transform and velocity, adapt from or to "
                   "none, units, up_axis, preroll and start_frame count from the start. Simulate "
                   "again with it; to go on without remeshing, set disable=remeshing",
                   path, (int)strcspn(set, "="), set, what);
}

vo_result vo_run_check_sets(vo_context *ctx, const char *folder, int frame, const vo_scene *changed,
                            int set_count, const char *const *sets) {
    vo_scene *recorded;
    if (set_count == 0) return VO_OK;
    VO_TRY(vo_epoch_scene(ctx, folder, frame, 0, NULL, &recorded));
    const char *what = other_start(changed, recorded), *set = NULL;
    vo_result result = VO_OK;
    if (what) result = find_culprit(ctx, folder, frame, recorded, set_count, sets, &set);
    if (what && result == VO_OK) result = refuse(ctx, folder, set, what);
    vo_scene_destroy(recorded);
    return result;
}
