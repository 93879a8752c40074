/* Handles into the scene: checked, labels resolved into lists of nodes. */
#include "core/memory.h"
#include "scene/build.h"

#include <string.h>

vo_handle_def vo_handle_def_default(void) {
    return (vo_handle_def){.kind = VO_HANDLE_NODE, .label = -1, .motion = -1, .end = INFINITY};
}

static bool is_direction(vo_vec3 v) { return v3_is_finite(v) && v3_length2(v) > 0; }

static vo_result check_circle(vo_context *ctx, const vo_handle_def *def) {
    if (!(def->circumference > 0) || !isfinite(def->circumference))
        return vo_fail(ctx, VO_BAD_CALL, "the circumference must be positive");
    if (!isfinite(v2_length(def->circle_u)) || v2_length(def->circle_u) == 0)
        return vo_fail(ctx, VO_BAD_CALL, "u must be a direction");
    if (!v3_is_finite(def->center)) return vo_fail(ctx, VO_BAD_CALL, "the center must be finite");
    if (!is_direction(def->axis0) || !is_direction(def->axis1))
        return vo_fail(ctx, VO_BAD_CALL, "axis0 and axis1 must be directions");
    return VO_OK;
}

static vo_result check_soft(vo_context *ctx, const vo_handle_def *def) {
    if (!(def->radius > 0) || !isfinite(def->radius))
        return vo_fail(ctx, VO_BAD_CALL, "the radius must be positive");
    if (!v3_is_finite(def->center)) return vo_fail(ctx, VO_BAD_CALL, "the center must be finite");
    return VO_OK;
}

static vo_result check_kind(vo_context *ctx, const vo_handle_def *def) {
    switch (def->kind) {
    case VO_HANDLE_NODE:
        return VO_OK;
    case VO_HANDLE_CIRCLE:
        return check_circle(ctx, def);
    case VO_HANDLE_SOFT:
        return check_soft(ctx, def);
    case VO_HANDLE_GLUE:
        if (def->label == -1 && def->node_count == 2 && def->nodes &&
            def->nodes[0] != def->nodes[1])
            return VO_OK;
        return vo_fail(ctx, VO_BAD_CALL, "glue needs two different nodes");
    }
    return vo_fail(ctx, VO_BAD_CALL, "the kind is not one of vo_handle_kind");
}

static vo_result check_nodes(const vo_scene *scene, const vo_handle_def *def) {
    if (def->kind == VO_HANDLE_SOFT || def->label != -1) return VO_OK;
    if (def->node_count < 1 || !def->nodes)
        return vo_fail(scene->ctx, VO_BAD_CALL, "a handle needs nodes or a label");
    int count = scene->cloth[def->cloth].mesh->node_count;
    for (int i = 0; i < def->node_count; i++)
        if (def->nodes[i] < 0 || def->nodes[i] >= count)
            return vo_fail(scene->ctx, VO_BAD_CALL,
                           "node %d does not exist; cloth %d has nodes 0 to %d", def->nodes[i],
                           def->cloth, count - 1);
    return VO_OK;
}

static vo_result check_handle(const vo_scene *scene, const vo_handle_def *def) {
    vo_context *ctx = scene->ctx;
    if (!def) return vo_fail(ctx, VO_BAD_CALL, "a handle needs a definition");
    if (def->cloth < 0 || def->cloth >= scene->cloth_count)
        return vo_fail(ctx, VO_BAD_CALL, "cloth %d does not exist; the scene has %d", def->cloth,
                       scene->cloth_count);
    VO_TRY(vo_scene_check_motion(scene, def->motion));
    VO_TRY(vo_scene_check_times(ctx, def->start, def->end, def->fade));
    if (!(def->stiffness >= 0) || !isfinite(def->stiffness))
        return vo_fail(ctx, VO_BAD_CALL, "the stiffness must be at least 0");
    VO_TRY(check_kind(ctx, def));
    return check_nodes(scene, def);
}

static int count_label(const vo_mesh *mesh, int label) {
    int count = 0;
    for (int n = 0; n < mesh->node_count; n++) count += mesh->node_label[n] == label;
    return count;
}

/* The handle's own list: nodes as given, or those with the label. */
static void fill_nodes(const vo_mesh *mesh, const vo_handle_def *def, int *nodes) {
    if (def->label == -1) {
        memcpy(nodes, def->nodes, (size_t)def->node_count * sizeof *nodes);
        return;
    }
    for (int n = 0, count = 0; n < mesh->node_count; n++)
        if (mesh->node_label[n] == def->label) nodes[count++] = n;
}

static int handle_node_count(const vo_mesh *mesh, const vo_handle_def *def) {
    if (def->kind == VO_HANDLE_SOFT) return 0;
    return def->label == -1 ? def->node_count : count_label(mesh, def->label);
}

vo_result vo_scene_add_handle(vo_scene *scene, const vo_handle_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    VO_TRY(check_handle(scene, def));
    const vo_mesh *mesh = scene->cloth[def->cloth].mesh;
    vo_scene_handle handle = {.def = *def};
    handle.def.node_count = handle_node_count(mesh, def);
    if (handle.def.node_count > 0) {
        handle.nodes = vo_new_array(ctx, int, handle.def.node_count);
        if (!handle.nodes) return vo_fail_memory(ctx, "a handle");
        fill_nodes(mesh, def, handle.nodes);
    } else if (def->kind != VO_HANDLE_SOFT) {
        vo_log_line(ctx, VO_LOG_WARNING,
                    "handle %d holds nothing: no node of cloth %d has label %d",
                    scene->handle_count, def->cloth, def->label);
    }
    handle.def.nodes = handle.nodes;
    if (!vo_reserve(ctx, &scene->handle, &scene->handle_capacity, scene->handle_count + 1)) {
        vo_free_array(ctx, handle.nodes, handle.def.node_count);
        return vo_fail_memory(ctx, "a handle");
    }
    if (id) *id = scene->handle_count;
    scene->handle[scene->handle_count++] = handle;
    return VO_OK;
}
