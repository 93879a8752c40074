/* Handles as attachments of base vertices. Only handles that prescribe nodes have an equivalent:
 * they hold the vertices that are their nodes, or that have their label. */
#include "realtime/realtime_private.h"

/* Weight of handles with a stiffness, such as pinned labels: the vertices follow closely, but yield
 * to bodies. Between two pinned base vertices the surface of a body may lie outside the chord. */
static const double SOFT_WEIGHT = 0.9;

static bool holds(const vo_handle_def *def, const int node[2]) {
    if (def->label >= 0) return node[1] == def->label;
    for (int k = 0; k < def->node_count; k++)
        if (def->nodes[k] == node[0]) return true;
    return false;
}

static vo_result create_handle(vo_realtime *r, int i) {
    const vo_handle_def *def = &r->sim->scene->handle[i].def;
    vo_realtime_handle *h = &r->handle[i];
    const vo_realtime_asset *a = &r->asset[r->cloth[def->cloth].asset];
    if (def->kind != VO_HANDLE_NODE) return VO_OK;
    int count = 0;
    for (int n = 0; n < a->node_count; n++) count += holds(def, a->node[n]);
    h->count = count;
    h->vertex = vo_new_array(r->ctx, int, count);
    h->attachment = vo_alloc_zero(r->ctx, (size_t)count * sizeof *h->attachment);
    if (count && (!h->vertex || !h->attachment)) return vo_fail_memory(r->ctx, "handles");
    for (int n = 0, k = 0; n < a->node_count; n++)
        if (holds(def, a->node[n])) h->vertex[k++] = n;
    return VO_OK;
}

vo_result vo_realtime_create_handles(vo_realtime *r) {
    for (int i = 0; i < r->sim->scene->handle_count; i++) VO_TRY(create_handle(r, i));
    return VO_OK;
}

void vo_realtime_free_handles(vo_realtime *r) {
    for (int i = 0; i < r->sim->scene->handle_count; i++) {
        vo_free_array(r->ctx, r->handle[i].vertex, r->handle[i].count);
        vo_free_array(r->ctx, r->handle[i].attachment, r->handle[i].count);
    }
    vo_free_array(r->ctx, r->handle, r->sim->scene->handle_count);
}

static vo_vec3 vertex_position(const vo_realtime *r, int cloth, int vertex) {
    vo_rt_vec3 x = vo_rt_cloth_get_vertex(r->cloth[cloth].cloth, vertex);
    return v3((double)x.x, (double)x.y, (double)x.z);
}

/* Records the attachments at the current positions of vertices and obstacles. */
static void activate(vo_realtime *r, int i, double t) {
    const vo_scene_handle *scene = &r->sim->scene->handle[i];
    vo_realtime_handle *h = &r->handle[i];
    vo_transform to_motion = xf_inverse(vo_sim_handle_pose(r->sim, i, t));
    for (int k = 0; k < h->count; k++) {
        vo_vec3 x = vertex_position(r, scene->def.cloth, h->vertex[k]);
        h->attachment[k] = scene->obstacle >= 0
                               ? vo_mesh_bind_point(r->sim->obstacle[scene->obstacle].mesh, x)
                               : xf_point(to_motion, x);
    }
    h->is_active = true;
}

static vo_result set_attachments(vo_realtime *r, int i, double t, double strength) {
    const vo_scene_handle *scene = &r->sim->scene->handle[i];
    const vo_realtime_handle *h = &r->handle[i];
    vo_rt_cloth *cloth = r->cloth[scene->def.cloth].cloth;
    vo_transform pose = vo_sim_handle_pose(r->sim, i, t);
    const vo_mesh *body = scene->obstacle >= 0 ? r->sim->obstacle[scene->obstacle].mesh : NULL;
    for (int k = 0; k < h->count; k++) {
        vo_vec3 x = body ? vo_mesh_eval_binding(body, body->node_x, h->attachment[k])
                         : xf_point(pose, h->attachment[k]);
        VO_TRY(vo_rt_cloth_set_attachment(cloth, h->vertex[k], (float)strength, vo_rt_vec3_of(x)));
    }
    return VO_OK;
}

static vo_result move_handle(vo_realtime *r, int i, double t) {
    vo_realtime_handle *h = &r->handle[i];
    const vo_handle_def *def = &r->sim->scene->handle[i].def;
    double strength = (vo_handle_is_hard(def) ? 1 : SOFT_WEIGHT) * vo_handle_strength(def, t);
    if (h->count == 0 || (strength == 0 && !h->is_held)) return VO_OK;
    h->is_held = strength > 0;
    return set_attachments(r, i, t, strength);
}

void vo_realtime_attach_handles(vo_realtime *r, double begin, double end) {
    for (int i = 0; i < r->sim->scene->handle_count; i++)
        if (!r->handle[i].is_active && vo_handle_strength(&r->sim->scene->handle[i].def, end) > 0)
            activate(r, i, begin);
}

vo_result vo_realtime_move_handles(vo_realtime *r, double t) {
    for (int i = 0; i < r->sim->scene->handle_count; i++) {
        vo_result result = move_handle(r, i, t);
        if (result != VO_OK) return vo_realtime_fail(r, result, "handle", i);
    }
    return VO_OK;
}
