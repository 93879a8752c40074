/* Handles: converts the definitions of the scene (nodes, kind, time range, motion) to the pins and
 * springs of one step. */
#include "sim/blend.h"
#include "sim/sim.h"

/* ---- making --------------------------------------------------------------------------------- */

vo_result vo_sim_handle_reserve(vo_sim *sim, int handle, int count) {
    vo_handle_state *h = &sim->handle[handle];
    bool ok = vo_reserve(sim->ctx, &h->node, &h->node_capacity, count) &&
              vo_reserve(sim->ctx, &h->attachment, &h->attachment_capacity, count);
    return ok ? VO_OK : vo_fail_memory(sim->ctx, "the handles");
}

int vo_sim_find_node(const vo_cloth_state *cloth, int node) {
    if (!cloth->origin) return node;
    for (int i = 0; i < cloth->origin_count; i++)
        if (cloth->origin[i] == node) return i;
    return -1;
}

static vo_result reset_handle(vo_sim *sim, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    const vo_cloth_state *cloth = &sim->cloth[def->cloth];
    vo_handle_state *h = &sim->handle[i];
    bool soft = def->kind == VO_HANDLE_SOFT;
    /* meshes of the real-time engine do not contain the nodes of the scene's */
    bool absent = sim->scene->def.engine == VO_ENGINE_REALTIME && cloth->origin;
    int count = absent ? 0 : soft ? cloth->mesh->node_count : def->node_count;
    VO_TRY(vo_sim_handle_reserve(sim, i, count));
    h->active = false;
    h->count = count;
    for (int k = 0; k < count && !soft; k++) {
        h->node[k] = vo_sim_find_node(cloth, def->nodes[k]);
        if (h->node[k] < 0)
            return vo_fail(sim->ctx, VO_BAD_DATA,
                           "handles[%d] names node %d of cloth %d, which remeshing has removed; "
                           "nodes that handles name from the start stay",
                           i, def->nodes[k], def->cloth);
    }
    return VO_OK;
}

vo_result vo_sim_handles_reserve(vo_sim *sim) {
    int nodes = 0, ties = 0;
    for (int i = 0; i < sim->handle_count; i++) {
        nodes += sim->handle[i].count;
        ties += sim->scene->handle[i].def.kind == VO_HANDLE_GLUE;
    }
    bool ok = vo_reserve(sim->ctx, &sim->pin, &sim->pin_capacity, nodes) &&
              vo_reserve(sim->ctx, &sim->anchor, &sim->anchor_capacity, nodes) &&
              vo_reserve(sim->ctx, &sim->tie, &sim->tie_capacity, ties);
    return ok ? VO_OK : vo_fail_memory(sim->ctx, "the handles");
}

vo_result vo_sim_handles_reset(vo_sim *sim) {
    for (int i = 0; i < sim->handle_count; i++) VO_TRY(reset_handle(sim, i));
    return vo_sim_handles_reserve(sim);
}

vo_result vo_sim_handles_create(vo_sim *sim) {
    int count = sim->scene->handle_count;
    sim->handle = vo_alloc_zero(sim->ctx, (size_t)count * sizeof *sim->handle);
    if (count && !sim->handle) return vo_fail_memory(sim->ctx, "the handles");
    sim->handle_count = count;
    for (int i = 0; i < count; i++) sim->handle[i].live.weight = 1;
    return vo_sim_handles_reset(sim);
}

void vo_sim_handles_free(vo_sim *sim) {
    for (int i = 0; i < sim->handle_count; i++) {
        vo_free_array(sim->ctx, sim->handle[i].node, sim->handle[i].node_capacity);
        vo_free_array(sim->ctx, sim->handle[i].attachment, sim->handle[i].attachment_capacity);
    }
    vo_free_array(sim->ctx, sim->handle, sim->scene->handle_count);
    vo_free_array(sim->ctx, sim->pin, sim->pin_capacity);
    vo_free_array(sim->ctx, sim->anchor, sim->anchor_capacity);
    vo_free_array(sim->ctx, sim->tie, sim->tie_capacity);
}

int vo_sim_handles_list_ties(const vo_sim *sim, int (*ties)[2]) {
    int count = 0;
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        if (def->kind != VO_HANDLE_GLUE) continue;
        for (int k = 0; k < 2; k++)
            ties[count][k] = sim->cloth[def->cloth].first_node + sim->handle[i].node[k];
        count++;
    }
    return count;
}

/* ---- when and where ------------------------------------------------------------------------- */

/* Times are sums of many substeps, hence the tolerance of a nanosecond. */
double vo_handle_strength(const vo_handle_def *def, double t) {
    const double tick = 1e-9;
    if (!vo_scene_started(def->start, t + tick)) return 0;
    if (t <= def->end + tick) return 1;
    if (t >= def->end + def->fade) return 0;
    double s = 1 - (t - def->end) / def->fade;
    return s * s * s * s;
}

double vo_sim_handle_strength(const vo_sim *sim, int handle, double t) {
    return sim->handle[handle].live.weight * vo_handle_strength(&sim->scene->handle[handle].def, t);
}

/* Point on the handle's circle for a node, from the material coordinate of its first vert. */
static vo_vec3 circle_point(const vo_handle_def *def, const vo_mesh *mesh, int node) {
    int vert = 0;
    while (vert < mesh->vert_count && mesh->vert_node[vert] != node) vert++;
    if (vert == mesh->vert_count) return v3(NAN, NAN, NAN); /* a node without faces is not held */
    double radius = def->circumference / (2 * VO_PI);
    double angle = v2_dot(mesh->vert_u[vert], def->circle_u) / radius;
    vo_vec3 p = v3_add(v3_scale(cos(angle), def->axis0), v3_scale(sin(angle), def->axis1));
    return v3_add_scaled(def->center, radius, p);
}

static int handle_node(const vo_sim *sim, int i, int k) {
    return sim->scene->handle[i].def.kind == VO_HANDLE_SOFT ? k : sim->handle[i].node[k];
}

/* Attachment of a node in the frame of the motion. */
vo_vec3 vo_handle_attach(const vo_handle_def *def, const vo_mesh *mesh, int node,
                         vo_transform to_motion) {
    vo_vec3 x = mesh->node_x[node];
    if (def->kind == VO_HANDLE_CIRCLE) return circle_point(def, mesh, node);
    if (def->kind == VO_HANDLE_SOFT && v3_distance(x, def->center) > def->radius)
        return v3(NAN, NAN, NAN);
    return xf_point(to_motion, x);
}

/* A teleported obstacle (teleport.c) rests at its pose of the end of the substep, with the cloth
 * that it wears; handles use the same time. */
static double pose_time(const vo_sim *sim, double t) {
    for (int i = 0; i < sim->obstacle_count; i++) t = vo_max(t, sim->obstacle[i].rests_until);
    return t;
}

vo_transform vo_sim_handle_pose(const vo_sim *sim, int i, double t) {
    int motion = sim->scene->handle[i].def.motion;
    vo_transform pose = vo_sim_motion_pose(sim, motion, pose_time(sim, t));
    if (motion >= 0 && sim->scene->motion[motion].has_zero_scale) pose.scale = 1;
    return pose;
}

/* Pose of a handle at the beginning of a step. */
static vo_transform pose_before(const vo_sim *sim, int i, double begin) {
    const vo_handle_state *h = &sim->handle[i];
    if (!h->live.has_target) return vo_sim_handle_pose(sim, i, begin);
    return pose_time(sim, begin) > begin ? h->live.target : h->live.pose;
}

/* Pose of a handle at the end of a step. */
static vo_transform pose_after(const vo_sim *sim, int i, vo_step_span t) {
    const vo_handle_state *h = &sim->handle[i];
    if (!h->live.has_target) return vo_sim_handle_pose(sim, i, t.end);
    bool teleported = pose_time(sim, t.end) > t.end;
    return vo_transform_blend(h->live.pose, h->live.target,
                              teleported ? 1 : vo_sim_live_fraction(sim, t));
}

/* Records the attachments at time t. The handle becomes active when the step is committed: a halved
 * step may end before the handle starts. */
static void activate(vo_sim *sim, int i, double t) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    vo_handle_state *h = &sim->handle[i];
    vo_transform to_motion = xf_inverse(pose_before(sim, i, t));
    int obstacle = sim->scene->handle[i].obstacle;
    const vo_vec3 *x = sim->cloth[def->cloth].mesh->node_x;
    for (int k = 0; k < h->count && obstacle >= 0; k++)
        h->attachment[k] = vo_mesh_bind_point(sim->obstacle[obstacle].mesh, x[h->node[k]]);
    for (int k = 0; k < h->count && obstacle < 0; k++)
        h->attachment[k] =
            vo_handle_attach(def, sim->cloth[def->cloth].mesh, handle_node(sim, i, k), to_motion);
}

/* ---- one step ------------------------------------------------------------------------------- */

static int row_of(const vo_sim *sim, int cloth, int node) {
    return sim->implicit.system.row_of[sim->cloth[cloth].first_node + node];
}

static void add_pin(vo_sim *sim, int row, vo_vec3 target, vo_vec3 x, double dt) {
    sim->pin[sim->constraints.pin_count++] = (vo_pin){row, v3_scale(1 / dt, v3_sub(target, x))};
}

/* Position of a binding to a body at the end of the step. */
static vo_vec3 eval_binding(const vo_sim *sim, int obstacle, vo_vec3 binding) {
    const vo_surface *s = &sim->contact.surface;
    const vo_vec3 *x = s->x1 + s->part[sim->cloth_count + obstacle].node_begin;
    return vo_mesh_eval_binding(sim->obstacle[obstacle].mesh, x, binding);
}

static void hold_nodes(vo_sim *sim, int i, vo_step_span t, double s) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    const vo_handle_state *h = &sim->handle[i];
    const vo_mesh *mesh = sim->cloth[def->cloth].mesh;
    bool hard = vo_handle_is_hard(def) && s == 1;
    double stiffness = s * (def->stiffness > 0 ? def->stiffness : sim->scene->def.handle_stiffness);
    vo_transform pose = h->step_pose;
    int obstacle = sim->scene->handle[i].obstacle;
    for (int k = 0; k < h->count; k++) {
        if (!v3_is_finite(h->attachment[k])) continue;
        int node = handle_node(sim, i, k), row = row_of(sim, def->cloth, node);
        vo_vec3 target = obstacle >= 0 ? eval_binding(sim, obstacle, h->attachment[k])
                                       : xf_point(pose, h->attachment[k]);
        if (hard)
            add_pin(sim, row, target, mesh->node_x[node], t.dt);
        else
            sim->anchor[sim->constraints.anchor_count++] = (vo_anchor){row, stiffness, target};
    }
}

static void tie_nodes(vo_sim *sim, int i, double s) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    const int *node = sim->handle[i].node;
    double stiffness = s * (def->stiffness > 0 ? def->stiffness : sim->scene->def.handle_stiffness);
    sim->tie[sim->constraints.tie_count++] =
        (vo_tie){{row_of(sim, def->cloth, node[0]), row_of(sim, def->cloth, node[1])}, stiffness};
}

void vo_sim_handles_move(vo_sim *sim, vo_step_span t) {
    sim->constraints = (vo_constraints){.pin = sim->pin, .anchor = sim->anchor, .tie = sim->tie};
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        double s = vo_sim_handle_strength(sim, i, t.end);
        sim->handle[i].step_pose = pose_after(sim, i, t);
        if (s == 0) continue;
        if (def->kind == VO_HANDLE_GLUE) {
            tie_nodes(sim, i, s);
            continue;
        }
        if (!sim->handle[i].active) activate(sim, i, t.begin);
        hold_nodes(sim, i, t, s);
    }
    sim->handles_time = t.end;
}

void vo_sim_handles_commit(vo_sim *sim) {
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        bool held =
            def->kind != VO_HANDLE_GLUE && vo_sim_handle_strength(sim, i, sim->handles_time) > 0;
        sim->handle[i].live.pose = sim->handle[i].step_pose;
        sim->handle[i].active = sim->handle[i].active || held;
    }
}
