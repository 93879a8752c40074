/* Handles: from what the scene says (who, how, when, along which motion) to the pins and springs of
 * one step. */
#include "sim/sim.h"

/* ---- making --------------------------------------------------------------------------------- */

vo_result vo_sim_handle_reserve(vo_sim *sim, int handle, int count) {
    vo_handle_state *h = &sim->handle[handle];
    bool ok = vo_reserve(sim->ctx, &h->node, &h->node_capacity, count) &&
              vo_reserve(sim->ctx, &h->hold, &h->hold_capacity, count);
    return ok ? VO_OK : vo_fail_memory(sim->ctx, "the handles");
}

int vo_sim_node_now(const vo_cloth_state *cloth, int node) {
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
    int count = soft ? cloth->mesh->node_count : def->node_count;
    VO_TRY(vo_sim_handle_reserve(sim, i, count));
    h->active = false;
    h->count = count;
    for (int k = 0; k < count && !soft; k++) {
        h->node[k] = vo_sim_node_now(cloth, def->nodes[k]);
        if (h->node[k] < 0)
            return vo_fail(sim->ctx, VO_BAD_DATA,
                           "handles[%d] names node %d of cloth %d, which remeshing has taken away; "
                           "nodes that handles name from the start stay",
                           i, def->nodes[k], def->cloth);
    }
    return VO_OK;
}

vo_result vo_sim_handles_make_room(vo_sim *sim) {
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
    return vo_sim_handles_make_room(sim);
}

vo_result vo_sim_handles_create(vo_sim *sim) {
    int count = sim->scene->handle_count;
    sim->handle = vo_alloc_zero(sim->ctx, (size_t)count * sizeof *sim->handle);
    if (count && !sim->handle) return vo_fail_memory(sim->ctx, "the handles");
    sim->handle_count = count;
    return vo_sim_handles_reset(sim);
}

void vo_sim_handles_free(vo_sim *sim) {
    for (int i = 0; i < sim->handle_count; i++) {
        vo_free_array(sim->ctx, sim->handle[i].node, sim->handle[i].node_capacity);
        vo_free_array(sim->ctx, sim->handle[i].hold, sim->handle[i].hold_capacity);
    }
    vo_free_array(sim->ctx, sim->handle, sim->scene->handle_count);
    vo_free_array(sim->ctx, sim->pin, sim->pin_capacity);
    vo_free_array(sim->ctx, sim->anchor, sim->anchor_capacity);
    vo_free_array(sim->ctx, sim->tie, sim->tie_capacity);
}

int vo_sim_handles_ties(const vo_sim *sim, int (*ties)[2]) {
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

/* Times are sums of many substeps, so a moment that is due within a nanosecond counts as reached.
 */
double vo_handle_strength(const vo_handle_def *def, double t) {
    const double tick = 1e-9;
    if (!vo_scene_started(def->start, t + tick)) return 0;
    if (t <= def->end + tick) return 1;
    if (t >= def->end + def->fade) return 0;
    double s = 1 - (t - def->end) / def->fade;
    return s * s * s * s;
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

/* Where the handle holds a node, in the motion's frame, so that the motion carries it from there.
 */
vo_vec3 vo_handle_take(const vo_handle_def *def, const vo_mesh *mesh, int node,
                       vo_transform to_motion) {
    vo_vec3 x = mesh->node_x[node];
    if (def->kind == VO_HANDLE_CIRCLE) return circle_point(def, mesh, node);
    if (def->kind == VO_HANDLE_SOFT && v3_distance(x, def->center) > def->radius)
        return v3(NAN, NAN, NAN);
    return xf_point(to_motion, x);
}

/* An obstacle that has jumped (jump.c) rests where its motion has it when the substep ends, with
 * what it wears: so that it is not pulled back, handles are there as well. */
static double pose_time(const vo_sim *sim, double t) {
    for (int i = 0; i < sim->obstacle_count; i++) t = vo_max(t, sim->obstacle[i].rests_until);
    return t;
}

/* Takes hold at time t. The handle counts as active once a step with it was accepted: a step that
 * is cut may end before the handle starts. */
static void activate(vo_sim *sim, int i, double t) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    vo_handle_state *h = &sim->handle[i];
    vo_transform pose = vo_sim_pose(sim, def->motion, pose_time(sim, t));
    vo_transform to_motion = pose.scale != 0 ? xf_inverse(pose) : xf_identity();
    int obstacle = sim->scene->handle[i].obstacle;
    const vo_vec3 *x = sim->cloth[def->cloth].mesh->node_x;
    for (int k = 0; k < h->count && obstacle >= 0; k++)
        h->hold[k] = vo_sim_grip(sim, obstacle, x[h->node[k]]);
    for (int k = 0; k < h->count && obstacle < 0; k++)
        h->hold[k] =
            vo_handle_take(def, sim->cloth[def->cloth].mesh, handle_node(sim, i, k), to_motion);
}

/* ---- one step ------------------------------------------------------------------------------- */

static int row_of(const vo_sim *sim, int cloth, int node) {
    return sim->implicit.system.row_of[sim->cloth[cloth].first_node + node];
}

static void add_pin(vo_sim *sim, int row, vo_vec3 target, vo_vec3 x, double dt) {
    sim->pin[sim->constraints.pin_count++] = (vo_pin){row, v3_scale(1 / dt, v3_sub(target, x))};
}

static void hold_nodes(vo_sim *sim, int i, double end, double dt, double s) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    const vo_handle_state *h = &sim->handle[i];
    const vo_mesh *mesh = sim->cloth[def->cloth].mesh;
    bool hard = vo_handle_is_hard(def) && s == 1;
    double stiffness = s * (def->stiffness > 0 ? def->stiffness : sim->scene->def.handle_stiffness);
    vo_transform pose = vo_sim_pose(sim, def->motion, pose_time(sim, end));
    int obstacle = sim->scene->handle[i].obstacle;
    for (int k = 0; k < h->count; k++) {
        if (!v3_is_finite(h->hold[k])) continue;
        int node = handle_node(sim, i, k), row = row_of(sim, def->cloth, node);
        vo_vec3 target = obstacle >= 0 ? vo_sim_grip_point(sim, obstacle, h->hold[k])
                                       : xf_point(pose, h->hold[k]);
        if (hard)
            add_pin(sim, row, target, mesh->node_x[node], dt);
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

void vo_sim_handles_move(vo_sim *sim, double begin, double end, double dt) {
    sim->constraints = (vo_constraints){.pin = sim->pin, .anchor = sim->anchor, .tie = sim->tie};
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        double s = vo_handle_strength(def, end);
        if (s == 0) continue;
        if (def->kind == VO_HANDLE_GLUE) {
            tie_nodes(sim, i, s);
            continue;
        }
        if (!sim->handle[i].active) activate(sim, i, begin);
        hold_nodes(sim, i, end, dt, s);
    }
    sim->handles_time = end;
}

void vo_sim_handles_keep(vo_sim *sim) {
    for (int i = 0; i < sim->handle_count; i++) {
        const vo_handle_def *def = &sim->scene->handle[i].def;
        bool held = def->kind != VO_HANDLE_GLUE && vo_handle_strength(def, sim->handles_time) > 0;
        sim->handle[i].active = sim->handle[i].active || held;
    }
}
