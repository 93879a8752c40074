/* Adds handles to the scene: checks them and resolves labels into lists of nodes. */
#include "core/memory.h"
#include "core/plural.h"
#include "math/bounds.h"
#include "scene/build.h"

vo_handle_def vo_handle_def_default(void) {
    return (vo_handle_def){
        .kind = VO_HANDLE_NODE, .label = -1, .motion = -1, .character = -1, .end = INFINITY};
}

static bool is_direction(vo_vec3 v) { return v3_is_bounded(v) && v3_length2(v) > 0; }

static vo_result check_center(vo_context *ctx, const vo_handle_def *def) {
    if (v3_is_bounded(def->center)) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "center must be three numbers up to " VO_MAX_NUMBER_TEXT);
}

static vo_result check_circle(vo_context *ctx, const vo_handle_def *def) {
    if (!vo_is_positive(def->circumference))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "circumference must be positive, up to " VO_MAX_NUMBER_TEXT);
    if (!v2_is_bounded(def->circle_u) || v2_length(def->circle_u) == 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "circle_u must be a direction");
    if (!is_direction(def->axis0))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "axis0 must be a direction");
    if (!is_direction(def->axis1))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "axis1 must be a direction");
    return check_center(ctx, def);
}

static vo_result check_soft(vo_context *ctx, const vo_handle_def *def) {
    if (!vo_is_positive(def->radius))
        return vo_fail(ctx, VO_BAD_ARGUMENT, "radius must be positive, up to " VO_MAX_NUMBER_TEXT);
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
        return vo_fail(ctx, VO_BAD_ARGUMENT, "glue needs two different nodes");
    }
    return vo_fail(ctx, VO_BAD_ARGUMENT, "the kind is not one of vo_handle_kind");
}

static vo_result check_character(const vo_scene *scene, const vo_handle_def *def) {
    if (def->character == -1) return VO_OK;
    if (def->character < 0 || def->character >= scene->character_count)
        return vo_fail(scene->ctx, VO_BAD_ARGUMENT, "character %d does not exist; the scene has %d",
                       def->character, scene->character_count);
    if (def->kind == VO_HANDLE_NODE && def->motion == -1) return VO_OK;
    return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                   "character applies to handles of type node without a motion");
}

static vo_result check_nodes(const vo_scene *scene, const vo_handle_def *def) {
    if (def->kind == VO_HANDLE_SOFT || def->label != -1) return VO_OK;
    if (def->node_count < 1 || !def->nodes)
        return vo_fail(scene->ctx, VO_BAD_ARGUMENT, "a handle needs nodes or a label");
    int count = scene->cloth[def->cloth].mesh->node_count;
    for (int i = 0; i < def->node_count; i++)
        if (def->nodes[i] < 0 || def->nodes[i] >= count)
            return vo_fail(scene->ctx, VO_BAD_ARGUMENT,
                           "node %d does not exist; cloth %d has nodes 0 to %d", def->nodes[i],
                           def->cloth, count - 1);
    return VO_OK;
}

static vo_result check_handle(const vo_scene *scene, const vo_handle_def *def) {
    vo_context *ctx = scene->ctx;
    if (!def) return vo_fail(ctx, VO_BAD_ARGUMENT, "a handle needs a definition");
    if (def->cloth < 0 || def->cloth >= scene->cloth_count)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "cloth %d does not exist; the scene has %d",
                       def->cloth, scene->cloth_count);
    VO_TRY(vo_scene_check_motion(scene, def->motion));
    VO_TRY(check_character(scene, def));
    VO_TRY(vo_scene_check_times(ctx, def->start, def->end, def->fade));
    if (!vo_is_nonnegative(def->stiffness))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "stiffness must be at least 0, up to " VO_MAX_NUMBER_TEXT);
    if (def->label < -1) return vo_fail(ctx, VO_BAD_ARGUMENT, "label must be at least -1");
    VO_TRY(check_kind(ctx, def));
    return check_nodes(scene, def);
}

/* Selection of a handle's nodes. Positions on a circle are computed from material positions, which
 * nodes without faces do not have. */
typedef struct node_selection {
    const vo_handle_def *def;
    const vo_mesh *mesh;
    uint8_t *has_vert; /* [nodes] NULL: all nodes are valid */
    int dropped;
} node_selection;

static vo_result selection_open(vo_context *ctx, const vo_handle_def *def, const vo_mesh *mesh,
                                node_selection *out) {
    *out = (node_selection){def, mesh, NULL, 0};
    if (def->kind != VO_HANDLE_CIRCLE) return VO_OK;
    out->has_vert = vo_alloc_zero(ctx, (size_t)mesh->node_count);
    if (!out->has_vert) return vo_fail_memory(ctx, "a handle");
    for (int v = 0; v < mesh->vert_count; v++) out->has_vert[mesh->vert_node[v]] = true;
    return VO_OK;
}

static void selection_close(vo_context *ctx, node_selection *c) {
    vo_free(ctx, c->has_vert, (size_t)c->mesh->node_count);
}

/* Writes the nodes as given, or those with the label, and returns their number; `nodes` may be NULL
 * to count them. */
static int select_nodes(node_selection *c, int *nodes) {
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

static void warn_about_nodes(const vo_scene *scene, const node_selection *c, int count) {
    int handle = scene->handle_count, cloth = c->def->cloth;
    if (c->dropped > 0)
        vo_log_line(
            scene->ctx, VO_LOG_WARNING,
            "handle %d ignores %d node%s of cloth %d that no face uses; they have no position "
            "on the circle",
            handle, c->dropped, vo_plural(c->dropped), cloth);
    else if (count == 0)
        vo_log_line(scene->ctx, VO_LOG_WARNING,
                    "handle %d holds nothing: no node of cloth %d has label %d", handle, cloth,
                    c->def->label);
}

/* Creates the handle's list of nodes. */
static vo_result fill_nodes(const vo_scene *scene, node_selection *c, vo_scene_handle *out) {
    int count = select_nodes(c, NULL);
    out->def.node_count = count;
    warn_about_nodes(scene, c, count);
    if (count == 0) return VO_OK;
    out->nodes = vo_new_array(scene->ctx, int, count);
    if (!out->nodes) return vo_fail_memory(scene->ctx, "a handle");
    select_nodes(c, out->nodes);
    return VO_OK;
}

/* Creates a handle with its nodes; those of soft handles are selected when they become active. */
static vo_result resolve_nodes(const vo_scene *scene, const vo_handle_def *def,
                               vo_scene_handle *out) {
    *out = (vo_scene_handle){.def = *def, .obstacle = -1};
    if (def->character >= 0) out->obstacle = scene->character[def->character].obstacle;
    out->def.node_count = 0;
    out->def.nodes = NULL;
    if (def->kind == VO_HANDLE_SOFT) return VO_OK;
    node_selection c;
    VO_TRY(selection_open(scene->ctx, def, scene->cloth[def->cloth].mesh, &c));
    vo_result result = fill_nodes(scene, &c, out);
    selection_close(scene->ctx, &c);
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
