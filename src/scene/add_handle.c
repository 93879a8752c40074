/* Handles into the scene: checked, labels resolved into lists of nodes. */
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"

vo_handle_def vo_handle_def_default(void) {
    return (vo_handle_def){.kind = VO_HANDLE_NODE, .label = -1, .motion = -1, .end = INFINITY};
}

static bool is_direction(vo_vec3 v) { return v3_is_bounded(v) && v3_length2(v) > 0; }

static vo_result check_center(vo_context *ctx, const vo_handle_def *def) {
    if (v3_is_bounded(def->center)) return VO_OK;
    return vo_fail(ctx, VO_BAD_CALL, "center must be three numbers up to " VO_LARGEST_TEXT);
}

static vo_result check_circle(vo_context *ctx, const vo_handle_def *def) {
    if (!vo_is_positive(def->circumference))
        return vo_fail(ctx, VO_BAD_CALL, "circumference must be positive, up to " VO_LARGEST_TEXT);
    if (!v2_is_bounded(def->circle_u) || v2_length(def->circle_u) == 0)
        return vo_fail(ctx, VO_BAD_CALL, "circle_u must be a direction");
    if (!is_direction(def->axis0)) return vo_fail(ctx, VO_BAD_CALL, "axis0 must be a direction");
    if (!is_direction(def->axis1)) return vo_fail(ctx, VO_BAD_CALL, "axis1 must be a direction");
    return check_center(ctx, def);
}

static vo_result check_soft(vo_context *ctx, const vo_handle_def *def) {
    if (!vo_is_positive(def->radius))
        return vo_fail(ctx, VO_BAD_CALL, "radius must be positive, up to " VO_LARGEST_TEXT);
    return check_center(ctx, def);
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
    if (!vo_is_nonnegative(def->stiffness))
        return vo_fail(ctx, VO_BAD_CALL, "stiffness must be at least 0, up to " VO_LARGEST_TEXT);
    if (def->label < -1) return vo_fail(ctx, VO_BAD_CALL, "label must be at least -1");
    VO_TRY(check_kind(ctx, def));
    return check_nodes(scene, def);
}

/* Nodes that a handle can hold: a place on a circle comes from a material position, which a node of
 * no face does not have. */
typedef struct choice {
    const vo_handle_def *def;
    const vo_mesh *mesh;
    uint8_t *has_vert; /* [nodes] NULL: all will do */
    int dropped;
} choice;

static vo_result choice_open(vo_context *ctx, const vo_handle_def *def, const vo_mesh *mesh,
                             choice *out) {
    *out = (choice){def, mesh, NULL, 0};
    if (def->kind != VO_HANDLE_CIRCLE) return VO_OK;
    out->has_vert = vo_alloc_zero(ctx, (size_t)mesh->node_count);
    if (!out->has_vert) return vo_fail_memory(ctx, "a handle");
    for (int v = 0; v < mesh->vert_count; v++) out->has_vert[mesh->vert_node[v]] = true;
    return VO_OK;
}

static void choice_close(vo_context *ctx, choice *c) {
    vo_free(ctx, c->has_vert, (size_t)c->mesh->node_count);
}

/* Writes the nodes as given, or those with the label, and returns their number; `nodes` may be NULL
 * to count them. */
static int choose_nodes(choice *c, int *nodes) {
    const vo_handle_def *def = c->def;
    bool by_label = def->label != -1;
    int count = 0, end = by_label ? c->mesh->node_count : def->node_count;
    c->dropped = 0;
    for (int i = 0; i < end; i++) {
        if (by_label && c->mesh->node_label[i] != def->label) continue;
        int n = by_label ? i : def->nodes[i];
        if (c->has_vert && !c->has_vert[n]) {
            c->dropped++;
            continue;
        }
        if (nodes) nodes[count] = n;
        count++;
    }
    return count;
}

static void warn_about_nodes(const vo_scene *scene, const choice *c, int count) {
    int handle = scene->handle_count, cloth = c->def->cloth;
    if (c->dropped > 0)
        vo_log_line(scene->ctx, VO_LOG_WARNING,
                    "handle %d leaves out %d node%s of cloth %d that no face uses and that have no "
                    "place on a circle",
                    handle, c->dropped, c->dropped == 1 ? "" : "s", cloth);
    else if (count == 0)
        vo_log_line(scene->ctx, VO_LOG_WARNING,
                    "handle %d holds nothing: no node of cloth %d has label %d", handle, cloth,
                    c->def->label);
}

/* The handle's own list of nodes. */
static vo_result fill_nodes(const vo_scene *scene, choice *c, vo_scene_handle *out) {
    int count = choose_nodes(c, NULL);
    out->def.node_count = count;
    warn_about_nodes(scene, c, count);
    if (count == 0) return VO_OK;
    out->nodes = vo_new_array(scene->ctx, int, count);
    if (!out->nodes) return vo_fail_memory(scene->ctx, "a handle");
    choose_nodes(c, out->nodes);
    return VO_OK;
}

/* Soft handles choose their nodes when they take hold. */
static vo_result resolve_nodes(const vo_scene *scene, const vo_handle_def *def,
                               vo_scene_handle *out) {
    *out = (vo_scene_handle){.def = *def, .obstacle = -1};
    out->def.node_count = 0;
    out->def.nodes = NULL;
    if (def->kind == VO_HANDLE_SOFT) return VO_OK;
    choice c;
    VO_TRY(choice_open(scene->ctx, def, scene->cloth[def->cloth].mesh, &c));
    vo_result result = fill_nodes(scene, &c, out);
    choice_close(scene->ctx, &c);
    out->def.nodes = out->nodes;
    return result;
}

vo_result vo_scene_add_handle(vo_scene *scene, const vo_handle_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    VO_TRY(check_handle(scene, def));
    vo_scene_handle handle;
    VO_TRY(resolve_nodes(scene, def, &handle));
    if (!vo_reserve(ctx, &scene->handle, &scene->handle_capacity, scene->handle_count + 1)) {
        vo_free_array(ctx, handle.nodes, handle.def.node_count);
        return vo_fail_memory(ctx, "a handle");
    }
    if (id) *id = scene->handle_count;
    scene->handle[scene->handle_count++] = handle;
    return VO_OK;
}
