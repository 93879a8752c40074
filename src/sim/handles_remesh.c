/* Handles while the meshes that they hold are remeshed. */
#include "sim/sim.h"

#include <string.h>

/* ---- before: what edits must leave ---------------------------------------------------------- */

/* Marks nodes that edits must preserve: those that the scene names. Nodes added later may be
 * removed. */
void vo_sim_handles_mark_nodes(const vo_sim *sim, int cloth) {
    const vo_cloth_state *c = &sim->cloth[cloth];
    uint8_t *flags = c->edit->node_flags;
    for (int n = 0; n < c->mesh->node_count; n++) flags[n] &= (uint8_t)~VO_NODE_PRESCRIBED;
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        const vo_handle_state *h = &sim->handle[i];
        if (def->cloth != cloth || def->kind == VO_HANDLE_SOFT) continue;
        bool holds = vo_handle_is_hard(def) && vo_sim_handle_strength(sim, i, vo_sim_now(sim)) == 1;
        for (int k = 0; k < h->count; k++) {
            if (!c->origin || c->origin[h->node[k]] >= 0) flags[h->node[k]] |= VO_NODE_PRESERVED;
            if (holds) flags[h->node[k]] |= VO_NODE_PRESCRIBED;
        }
    }
}

/* ---- after: what became of the nodes -------------------------------------------------------- */

static bool is_on_border(const vo_edit *e, int node) {
    for (int h = e->node_halfedge[node]; h >= 0; h = e->edge_next[h >> 1][h & 1])
        if (e->edge_feature[h >> 1] & VO_FEATURE_BORDER) return true;
    return false;
}

/* State of the update of a handle's node list. */
typedef struct follower {
    vo_sim *sim;
    int handle;
    const vo_edit *edit;
    int *place; /* [nodes before] in the handle's old list, -1 */
    bool rim;   /* new nodes of the border may join */
    int count;
    int *node;
    vo_vec3 *attachment;
    vo_parents parents;
} follower;

/* Attachment of a new node between held ones; circles compute it from the material coordinates. */
static vo_vec3 hold_between(const follower *f, int node) {
    const vo_handle_def *def = &f->sim->scene->handle[f->handle].def;
    const vo_vec3 *hold = f->sim->handle[f->handle].attachment;
    int obstacle = f->sim->scene->handle[f->handle].obstacle;
    if (obstacle >= 0)
        return vo_mesh_bind_point(f->sim->obstacle[obstacle].mesh, f->edit->mesh->node_x[node]);
    if (def->kind == VO_HANDLE_CIRCLE)
        return vo_handle_attach(def, f->edit->mesh, node, xf_identity());
    vo_vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < f->parents.count; i++)
        sum = v3_add_scaled(sum, f->parents.weight[i], hold[f->place[f->parents.index[i]]]);
    return sum;
}

/* Adds an old node that still exists, or a new border node whose parents are all held. */
static vo_result follow_node(follower *f, int node) {
    const vo_lineage *l = &f->edit->remap.of[VO_REMAP_NODE];
    const vo_handle_state *h = &f->sim->handle[f->handle];
    int record = l->record[node];
    if (record < 0) return VO_OK;
    if (record < l->old_count) {
        if (f->place[record] < 0) return VO_OK;
        f->node[f->count] = node;
        f->attachment[f->count++] = h->attachment[f->place[record]];
        return VO_OK;
    }
    if (!f->rim || !is_on_border(f->edit, node)) return VO_OK;
    VO_TRY(vo_remap_parents(&f->edit->remap, VO_REMAP_NODE, node, &f->parents));
    for (int i = 0; i < f->parents.count; i++)
        if (f->place[f->parents.index[i]] < 0) return VO_OK;
    f->node[f->count] = node;
    f->attachment[f->count++] = h->active ? hold_between(f, node) : v3(0, 0, 0);
    return VO_OK;
}

static vo_result follow_list(follower *f) {
    vo_sim *sim = f->sim;
    vo_handle_state *h = &sim->handle[f->handle];
    int before = f->edit->remap.of[VO_REMAP_NODE].old_count, now = f->edit->mesh->node_count;
    for (int n = 0; n < before; n++) f->place[n] = -1;
    for (int k = 0; k < h->count; k++) f->place[h->node[k]] = k;
    for (int n = 0; n < now; n++) VO_TRY(follow_node(f, n));
    VO_TRY(vo_sim_handle_reserve(sim, f->handle, f->count));
    if (f->count) {
        memcpy(h->node, f->node, (size_t)f->count * sizeof *h->node);
        memcpy(h->attachment, f->attachment, (size_t)f->count * sizeof *h->attachment);
    }
    h->count = f->count;
    return VO_OK;
}

/* The two nodes of a glue stay, and in their order. */
static void follow_glue(vo_handle_state *h, const vo_remap *remap) {
    for (int k = 0; k < h->count; k++)
        h->node[k] = vo_remap_new_index(remap, VO_REMAP_NODE, h->node[k]);
}

/* Nodes of soft handles are held where all that they were made of is: NaN is not held, and any
 * blend with it is NaN. */
static vo_result follow_soft(follower *f) {
    vo_sim *sim = f->sim;
    vo_handle_state *h = &sim->handle[f->handle];
    int now = f->edit->mesh->node_count;
    VO_TRY(
        vo_remap_transfer(&f->edit->remap, VO_REMAP_NODE, 3, &h->attachment->x, &f->attachment->x));
    VO_TRY(vo_sim_handle_reserve(sim, f->handle, now));
    memcpy(h->attachment, f->attachment, (size_t)now * sizeof *h->attachment);
    h->count = now;
    return VO_OK;
}

static vo_result follow(follower *f) {
    const vo_handle_def *def = &f->sim->scene->handle[f->handle].def;
    vo_handle_state *h = &f->sim->handle[f->handle];
    f->count = 0;
    f->rim = def->rim || def->label != -1;
    switch (def->kind) {
    case VO_HANDLE_GLUE:
        follow_glue(h, &f->edit->remap);
        return VO_OK;
    case VO_HANDLE_SOFT:
        return follow_soft(f);
    default:
        return follow_list(f);
    }
}

vo_result vo_sim_handles_update_nodes(vo_sim *sim, int cloth) {
    const vo_edit *e = sim->cloth[cloth].edit;
    vo_arena *arena = &sim->remesh.arena;
    int before = e->remap.of[VO_REMAP_NODE].old_count, now = e->mesh->node_count;
    follower f = {.sim = sim,
                  .edit = e,
                  .place = vo_arena_array(arena, int, before + 1),
                  .node = vo_arena_array(arena, int, now + 1),
                  .attachment = vo_arena_array(arena, vo_vec3, now + 1)};
    if (!f.place || !f.node || !f.attachment) return vo_fail_memory(sim->ctx, "the handles");
    vo_result result = VO_OK;
    for (f.handle = 0; f.handle < sim->handle_count && result == VO_OK; f.handle++)
        if (sim->scene->handle[f.handle].def.cloth == cloth) result = follow(&f);
    vo_parents_free(sim->ctx, &f.parents);
    return result;
}
