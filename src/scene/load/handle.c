/* Handles of a scene file. */
#include "core/memory.h"
#include "scene/keys.h"
#include "scene/load/load.h"

#include <stdio.h>
#include <string.h>

static vo_result require_key(const vo_json_cursor *at, const char *key, const char *kind) {
    vo_json_cursor value = vo_json_get(at, key);
    if (vo_json_is_present(value)) return VO_OK;
    return vo_json_fail(value, "is missing; a %s handle needs it", kind);
}

/* Checks the directions of a circle. */
static vo_result check_directions(const vo_json_cursor *at) {
    static const char *const axes[] = {"axis0", "axis1"};
    double u[2] = {0};
    for (int i = 0; i < 2; i++)
        if (v3_length2(vo_get_vec3(at, axes[i])) == 0)
            return vo_json_fail(vo_json_get(at, axes[i]), "must be a direction, is zero");
    VO_TRY(vo_json_read_reals(vo_json_get(at, "u"), u, 2));
    if (u[0] == 0 && u[1] == 0)
        return vo_json_fail(vo_json_get(at, "u"), "must be a direction, is zero");
    return VO_OK;
}

/* Checks the keys that the handle's kind requires. */
static vo_result check_required_keys(const vo_json_cursor *at, vo_handle_kind kind) {
    static const char *const circle[] = {"circumference", "u", "center", "axis0", "axis1"};
    if (kind == VO_HANDLE_CIRCLE) {
        for (int i = 0; i < 5; i++) VO_TRY(require_key(at, circle[i], "circle"));
        VO_TRY(check_directions(at));
    }
    if (kind == VO_HANDLE_SOFT) {
        VO_TRY(require_key(at, "center", "soft"));
        VO_TRY(require_key(at, "radius", "soft"));
    }
    return VO_OK;
}

/* Warns about keys that do not apply to the handle's kind. */
static void warn_inapplicable_keys(const vo_json_cursor *at, vo_handle_kind kind) {
    enum { CIRCLE = 1 << VO_HANDLE_CIRCLE, SOFT = 1 << VO_HANDLE_SOFT };
    static const struct {
        const char *key;
        unsigned kinds;
    } own[] = {{"circumference", CIRCLE}, {"u", CIRCLE},     {"center", CIRCLE | SOFT},
               {"axis0", CIRCLE},         {"axis1", CIRCLE}, {"radius", SOFT}};
    char reason[64];
    snprintf(reason, sizeof reason, "the handle is of type \"%s\"", vo_handle_words[kind]);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (vo_has(at, own[i].key) && !(own[i].kinds >> kind & 1))
            vo_warn_ignored(at, own[i].key, reason);
}

/* Reads all members except the nodes, in the world's units and axes. */
static vo_handle_def read_handle(const vo_loader *loader, const vo_json_cursor *at) {
    vo_transform frame = loader->frame;
    double u[2] = {0};
    (void)vo_json_read_reals(vo_json_get(at, "u"), u, 2);
    return (vo_handle_def){
        .kind = (vo_handle_kind)vo_get_word(at, "type", vo_handle_words),
        .cloth = vo_get_int(at, "cloth", 0),
        .label = vo_get_int(at, "label", -1),
        .motion = vo_get_int(at, "motion", -1),
        .character = vo_get_int(at, "character", -1),
        .start = vo_get_real(at, "start_time"),
        .end = vo_get_limit(at, "end_time", INFINITY),
        .fade = vo_get_real(at, "fade_time"),
        .stiffness = vo_get_real(at, "stiffness"),
        .circumference = frame.scale * vo_get_real(at, "circumference"),
        .circle_u = {u[0], u[1]},
        .center = xf_vector(frame, vo_get_vec3(at, "center")),
        .axis0 = q_rotate(frame.rotation, vo_get_vec3(at, "axis0")),
        .axis1 = q_rotate(frame.rotation, vo_get_vec3(at, "axis1")),
        .radius = frame.scale * vo_get_real(at, "radius"),
    };
}

typedef struct node_list {
    int count;
    int *nodes;
} node_list;

static vo_result new_list(vo_context *ctx, int count, node_list *out) {
    *out = (node_list){count, vo_new_array(ctx, int, count)};
    return out->nodes ? VO_OK : vo_fail_memory(ctx, "a handle");
}

static vo_result read_nodes(vo_json_cursor at, node_list *out) {
    VO_TRY(new_list(at.ctx, vo_json_length(at), out));
    for (int i = 0; i < out->count; i++)
        VO_TRY(vo_json_read_int(vo_json_item(&at, i), &out->nodes[i]));
    return VO_OK;
}

/* Reads a list of nodes of the handle's cloth, whose number is valid. */
static vo_result find_listed(const vo_loader *loader, vo_json_cursor at, const vo_handle_def *def,
                             node_list *out) {
    VO_TRY(read_nodes(at, out));
    if (def->cloth < 0 || def->cloth >= loader->scene->cloth_count)
        return VO_OK; /* reported by the scene */
    int count = loader->scene->cloth[def->cloth].mesh->node_count;
    for (int i = 0; i < out->count; i++)
        if (out->nodes[i] < 0 || out->nodes[i] >= count)
            return vo_json_fail(vo_json_item(&at, i),
                                "node %d does not exist; cloth %d has nodes 0 to %d", out->nodes[i],
                                def->cloth, count - 1);
    if (def->kind == VO_HANDLE_GLUE && (out->count != 2 || out->nodes[0] == out->nodes[1]))
        return vo_json_fail(at, "glue needs two different nodes");
    return VO_OK;
}

/* Corner 0 is the origin; 1, 2 and 3 follow counter-clockwise. */
static vo_result find_corners(vo_json_cursor at, vo_grid_size grid, node_list *out) {
    int top = grid.rows * (grid.columns + 1);
    int corner[4] = {0, grid.columns, top + grid.columns, top};
    VO_TRY(read_nodes(at, out));
    for (int i = 0; i < out->count; i++) {
        if (out->nodes[i] > 3)
            return vo_json_fail(vo_json_item(&at, i), "a grid has corners 0 to 3, not %d",
                                out->nodes[i]);
        out->nodes[i] = corner[out->nodes[i]];
    }
    return VO_OK;
}

/* Writes the nodes of a side and returns their number; `nodes` may be NULL to count them. They are
 * found by their material position, which is exact for the midpoints of refined edges, too. */
static int list_side(const vo_mesh *mesh, bool upright, vo_vec2 corner, int *nodes) {
    int count = 0;
    for (int v = 0; v < mesh->vert_count; v++) {
        vo_vec2 u = mesh->vert_u[v];
        if (upright ? u.x != corner.x : u.y != corner.y) continue;
        if (nodes) nodes[count] = mesh->vert_node[v];
        count++;
    }
    return count;
}

/* Sides in the order of vo_grid_side_words: left, right, bottom, top. */
static vo_result find_side(vo_context *ctx, int side, const vo_mesh *mesh, vo_grid_size grid,
                           node_list *out) {
    bool upright = side < 2;
    int corner = side == 1 ? grid.columns : side == 3 ? grid.rows * (grid.columns + 1) : 0;
    VO_TRY(new_list(ctx, list_side(mesh, upright, mesh->vert_u[corner], NULL), out));
    list_side(mesh, upright, mesh->vert_u[corner], out->nodes);
    return VO_OK;
}

static vo_result find_on_grid(const vo_loader *loader, const vo_json_cursor *at, const char *key,
                              int cloth, node_list *out) {
    vo_json_cursor value = vo_json_get(at, key);
    vo_grid_size grid = {0, 0};
    if (cloth >= loader->scene->cloth_count)
        return vo_json_fail(vo_json_get(at, "cloth"), "%d does not exist; the scene has %d", cloth,
                            loader->scene->cloth_count);
    grid = loader->grid[cloth];
    if (grid.columns == 0) return vo_json_fail(value, "cloth %d is not made from a grid", cloth);
    if (strcmp(key, "corners") == 0) return find_corners(value, grid, out);
    const vo_mesh *mesh = loader->scene->cloth[cloth].mesh;
    return find_side(loader->ctx, vo_get_word(at, key, vo_grid_side_words), mesh, grid, out);
}

/* Finds the one key that lists nodes; NULL: none. */
static vo_result choose_key(const vo_json_cursor *at, const char **out) {
    static const char *const keys[] = {"nodes", "vertices", "corners", "edge"};
    *out = NULL;
    for (int i = 0; i < 4; i++) {
        if (!vo_has(at, keys[i])) continue;
        if (*out)
            return vo_json_fail(vo_json_get(at, keys[i]), "%s and %s exclude each other", *out,
                                keys[i]);
        *out = keys[i];
    }
    return VO_OK;
}

/* Finds the nodes of a handle. A label takes precedence over a list, as in ARCSim. */
static vo_result find_nodes(const vo_loader *loader, const vo_json_cursor *at,
                            const vo_handle_def *def, node_list *out) {
    const char *key;
    *out = (node_list){0};
    VO_TRY(choose_key(at, &key));
    if (def->kind == VO_HANDLE_SOFT) {
        if (key) vo_warn_ignored(at, key, "a soft handle holds the nodes within its radius");
        return VO_OK;
    }
    if (def->label != -1) {
        if (key) vo_warn_ignored(at, key, "label is given");
        return VO_OK;
    }
    if (!key) return vo_json_fail(*at, "has no nodes; a handle needs a label or nodes");
    if (key[0] == 'n' || key[0] == 'v') return find_listed(loader, vo_json_get(at, key), def, out);
    return find_on_grid(loader, at, key, def->cloth, out);
}

static vo_result load_handle(vo_loader *loader, vo_json_cursor at) {
    vo_handle_def def = read_handle(loader, &at);
    node_list list = {0};
    VO_TRY(check_required_keys(&at, def.kind));
    warn_inapplicable_keys(&at, def.kind);
    vo_result result = find_nodes(loader, &at, &def, &list);
    def.rim = vo_has(&at, "edge");
    def.node_count = list.count;
    def.nodes = list.nodes;
    if (result == VO_OK) result = vo_at_fault(at, vo_scene_add_handle(loader->scene, &def, NULL));
    vo_free_array(loader->ctx, list.nodes, list.count);
    return result;
}

vo_result vo_load_handles(vo_loader *loader, vo_json_cursor handles) {
    for (int i = 0; i < vo_json_length(handles); i++)
        VO_TRY(load_handle(loader, vo_json_item(&handles, i)));
    return VO_OK;
}
