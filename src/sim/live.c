/* Live inputs: checked, and stored for the next substep. */
#include "math/bounds.h"
#include "scene/build.h"
#include "sim/sim.h"

#include <voile/live.h>

#include <string.h>

vo_placement vo_placement_identity(void) {
    return (vo_placement){.scale = 1, .rotation = {1, 0, 0, 0}};
}

static vo_result check_index(const vo_sim *sim, const char *what, int index, int count) {
    if (index >= 0 && index < count) return VO_OK;
    return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "%s: %d does not exist; the simulation has %d", what,
                   index, count);
}

/* Largest deviation of the length of a quaternion from 1. */
static const double UNIT_TOLERANCE = 1e-6;

static vo_result check_placement(const vo_sim *sim, const vo_placement *p) {
    vo_quat q = {p->rotation[0], p->rotation[1], p->rotation[2], p->rotation[3]};
    if (!v3_is_bounded(p->translate))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "pose.translate must be finite, up to 1e15 m");
    if (!vo_is_positive(p->scale))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "pose.scale must be positive, is %g", p->scale);
    if (!(fabs(q_dot(q, q) - 1) <= 2 * UNIT_TOLERANCE))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT,
                       "pose.rotation must be a unit quaternion; its squared length is %g",
                       q_dot(q, q));
    return VO_OK;
}

static vo_transform to_transform(const vo_placement *p) {
    return (vo_transform){
        p->translate, p->scale, {p->rotation[0], p->rotation[1], p->rotation[2], p->rotation[3]}};
}

/* ---- obstacles ------------------------------------------------------------------------------ */

/* Gives an obstacle back to the motion or the body of the scene. */
static void follow_scene(vo_sim *sim, int obstacle) {
    vo_obstacle_state *o = &sim->obstacle[obstacle];
    o->live.driver = VO_DRIVER_SCENE;
    o->deforms = sim->scene->obstacle[obstacle].body != NULL;
}

vo_result vo_sim_set_obstacle_pose(vo_sim *sim, int obstacle, const vo_placement *pose) {
    if (!sim) return VO_BAD_ARGUMENT;
    VO_TRY(check_index(sim, "obstacle", obstacle, sim->obstacle_count));
    vo_obstacle_state *o = &sim->obstacle[obstacle];
    if (sim->scene->obstacle[obstacle].body && pose)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT,
                       "obstacle %d is a character, which has no pose; set its vertices", obstacle);
    if (!pose) {
        follow_scene(sim, obstacle);
        return VO_OK;
    }
    VO_TRY(check_placement(sim, pose));
    VO_TRY(vo_scene_check_placement(sim->ctx, sim->scene->obstacle[obstacle].mesh,
                                    to_transform(pose)));
    o->live.driver = VO_DRIVER_POSE;
    o->live.pose = to_transform(pose);
    o->live.rescaled = o->live.rescaled || pose->scale != o->pose.scale;
    o->deforms = false;
    return VO_OK;
}

vo_result vo_sim_reserve_live_vertices(vo_sim *sim, int obstacle) {
    vo_obstacle_state *o = &sim->obstacle[obstacle];
    int count = o->mesh->node_count;
    if (!o->live_x) o->live_x = vo_new_array(sim->ctx, vo_vec3, count);
    if (!o->live_v) o->live_v = vo_new_array(sim->ctx, vo_vec3, count);
    if (!o->target_x) o->target_x = vo_new_array(sim->ctx, vo_vec3, count);
    bool ok = count == 0 || (o->live_x && o->live_v && o->target_x);
    return ok ? VO_OK : vo_fail_memory(sim->ctx, "the vertices of an obstacle");
}

static vo_result check_vertices(const vo_sim *sim, const char *what, int count, const vo_vec3 *x) {
    for (int i = 0; i < count && x; i++)
        if (!v3_is_bounded(x[i]))
            return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "%s[%d] must be finite, up to 1e15", what, i);
    return VO_OK;
}

vo_result vo_sim_set_obstacle_vertices(vo_sim *sim, int obstacle, int count,
                                       const vo_vec3 *positions, const vo_vec3 *velocities) {
    if (!sim) return VO_BAD_ARGUMENT;
    VO_TRY(check_index(sim, "obstacle", obstacle, sim->obstacle_count));
    vo_obstacle_state *o = &sim->obstacle[obstacle];
    if (count == 0 && !positions && !velocities) {
        follow_scene(sim, obstacle);
        return VO_OK;
    }
    if (!positions)
        return vo_fail(
            sim->ctx, VO_BAD_ARGUMENT,
            "positions is NULL; give those of all nodes, or NULL velocities and count 0");
    if (count != o->mesh->node_count)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "count is %d, but obstacle %d has %d nodes",
                       count, obstacle, o->mesh->node_count);
    VO_TRY(check_vertices(sim, "positions", count, positions));
    VO_TRY(check_vertices(sim, "velocities", count, velocities));
    VO_TRY(vo_sim_reserve_live_vertices(sim, obstacle));
    memcpy(o->live_x, positions, (size_t)count * sizeof *positions);
    if (velocities) memcpy(o->live_v, velocities, (size_t)count * sizeof *velocities);
    o->live.driver = VO_DRIVER_VERTICES;
    o->live.has_velocities = velocities != NULL;
    o->deforms = true;
    return VO_OK;
}

/* ---- handles -------------------------------------------------------------------------------- */

vo_result vo_sim_set_handle_target(vo_sim *sim, int handle, const vo_placement *pose) {
    if (!sim) return VO_BAD_ARGUMENT;
    VO_TRY(check_index(sim, "handle", handle, sim->handle_count));
    const vo_scene_handle *scene = &sim->scene->handle[handle];
    vo_handle_live *live = &sim->handle[handle].live;
    if (pose && (scene->obstacle >= 0 || scene->def.kind == VO_HANDLE_GLUE))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "handle %d %s and has no pose", handle,
                       scene->obstacle >= 0 ? "follows a character" : "joins two nodes");
    if (pose) VO_TRY(check_placement(sim, pose));
    if (pose && !live->has_target) live->pose = vo_sim_handle_pose(sim, handle, vo_sim_now(sim));
    if (pose) live->target = to_transform(pose);
    live->has_target = pose != NULL;
    return VO_OK;
}

vo_result vo_sim_set_handle_weight(vo_sim *sim, int handle, double weight) {
    if (!sim) return VO_BAD_ARGUMENT;
    VO_TRY(check_index(sim, "handle", handle, sim->handle_count));
    if (!(weight >= 0 && weight <= 1))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "weight must be from 0 to 1, is %g", weight);
    sim->handle[handle].live.weight = weight;
    if (weight == 0) sim->handle[handle].active = false;
    return VO_OK;
}

/* ---- environment ---------------------------------------------------------------------------- */

vo_result vo_sim_set_gravity(vo_sim *sim, vo_vec3 gravity) {
    if (!sim) return VO_BAD_ARGUMENT;
    if (!v3_is_bounded(gravity))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "gravity must be finite, up to 1e15 m/s^2");
    sim->environment.gravity = gravity;
    return VO_OK;
}

vo_result vo_sim_set_wind(vo_sim *sim, double density, vo_vec3 velocity, double drag) {
    if (!sim) return VO_BAD_ARGUMENT;
    if (!vo_is_nonnegative(density))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "density must be at least 0, is %g", density);
    if (!v3_is_bounded(velocity))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "velocity must be finite, up to 1e15 m/s");
    if (!vo_is_nonnegative(drag))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "drag must be at least 0, is %g", drag);
    sim->environment.wind = (vo_wind){density, velocity, drag};
    return VO_OK;
}

vo_result vo_sim_set_friction(vo_sim *sim, double cloth, double obstacle) {
    if (!sim) return VO_BAD_ARGUMENT;
    if (!vo_is_nonnegative(cloth))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "cloth must be at least 0, is %g", cloth);
    if (!vo_is_nonnegative(obstacle))
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "obstacle must be at least 0, is %g", obstacle);
    sim->environment.friction = cloth;
    sim->environment.obstacle_friction = obstacle;
    return VO_OK;
}

/* ---- materials ------------------------------------------------------------------------------ */

void vo_sim_replace_material(vo_sim *sim, int cloth, int material, const vo_material *live) {
    vo_cloth_state *c = &sim->cloth[cloth];
    vo_material *m = &c->material[material];
    if (c->material_is_live[material]) vo_fabric_destroy(m->fabric);
    c->material_is_live[material] = live != NULL;
    *m = live ? *live : sim->scene->cloth[cloth].material[material];
    if (c->edit) c->edit->density[material] = m->fabric->density * m->density_mult;
}

vo_result vo_sim_set_material(vo_sim *sim, int cloth, int material, const vo_material_def *def) {
    vo_material live;
    if (!sim) return VO_BAD_ARGUMENT;
    VO_TRY(check_index(sim, "cloth", cloth, sim->cloth_count));
    VO_TRY(check_index(sim, "material", material, sim->scene->cloth[cloth].material_count));
    VO_TRY(vo_sim_check_intact(sim));
    if (def) VO_TRY(vo_material_create(sim->ctx, def, &live));
    vo_sim_replace_material(sim, cloth, material, def ? &live : NULL);
    return vo_sim_rebuild_solver(sim);
}
