/* Obstacles follow their motions: rigidly by a transform of the scene's mesh or, for bodies, node
 * by node (character/body.h). Cloth never moves them, except where two of them squeeze it
 * (collide/response.h): then obstacle nodes lag behind their motion and catch up within a few
 * tenths of a second. The lag is part of the state. */
#include "sim/blend.h"
#include "sim/sim.h"

#include <string.h>

/* s, time constant of the decay of the lag. */
static const double LAG_DECAY_TIME = 0.1;
/* m, smaller lags are set to zero. */
static const double CAUGHT_UP = 1e-7;

/* An obstacle is rigid if its motion never changes its size or its form. */
static bool is_rigid(const vo_sim *sim, int obstacle) {
    int id = sim->scene->obstacle[obstacle].motion;
    if (sim->scene->obstacle[obstacle].body) return false;
    if (id < 0) return true;
    const vo_motion *motion = &sim->scene->motion[id];
    for (int k = 0; k < motion->key_count; k++)
        if (motion->key[k].pose.scale != motion->key[0].pose.scale ||
            motion->key[k].rate.scale != 0)
            return false;
    return true;
}

static vo_result create_body(vo_sim *sim, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    o->target_x = vo_new_array(sim->ctx, vo_vec3, o->mesh->node_count);
    if (!o->target_x) return vo_fail_memory(sim->ctx, "a moving body");
    o->deforms = true;
    return vo_body_evaluator_init(sim->ctx, sim->scene->obstacle[i].body, &o->follower);
}

vo_result vo_sim_obstacles_create(vo_sim *sim) {
    int count = sim->scene->obstacle_count;
    sim->obstacle = vo_alloc_zero(sim->ctx, (size_t)count * sizeof *sim->obstacle);
    if (count && !sim->obstacle) return vo_fail_memory(sim->ctx, "the obstacles");
    sim->obstacle_count = count;
    for (int i = 0; i < count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        VO_TRY(vo_check_cancel(sim->ctx));
        VO_TRY(vo_mesh_copy(sim->ctx, sim->scene->obstacle[i].mesh, &o->mesh));
        o->lag = vo_alloc_zero(sim->ctx, (size_t)o->mesh->node_count * sizeof *o->lag);
        if (o->mesh->node_count && !o->lag) return vo_fail_memory(sim->ctx, "an obstacle");
        o->rigid = is_rigid(sim, i);
        if (sim->scene->obstacle[i].body) VO_TRY(create_body(sim, i));
    }
    return VO_OK;
}

void vo_sim_obstacles_free(vo_sim *sim) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        vo_body_evaluator_free(&o->follower);
        if (o->mesh) vo_free_array(sim->ctx, o->lag, o->mesh->node_count);
        if (o->mesh) vo_free_array(sim->ctx, o->target_x, o->mesh->node_count);
        if (o->mesh) vo_free_array(sim->ctx, o->live_x, o->mesh->node_count);
        if (o->mesh) vo_free_array(sim->ctx, o->live_v, o->mesh->node_count);
        vo_mesh_destroy(o->mesh);
    }
    vo_free_array(sim->ctx, sim->obstacle, sim->scene->obstacle_count);
}

vo_transform vo_sim_motion_pose(const vo_sim *sim, int motion, double t) {
    return motion >= 0 ? vo_motion_pose(&sim->scene->motion[motion], t) : xf_identity();
}

static vo_transform pose_of(const vo_sim *sim, int i, double t) {
    return vo_sim_motion_pose(sim, sim->scene->obstacle[i].motion, t);
}

/* Returns false while the scene's motion drives obstacle i and has a scale of 0. */
static bool motion_is_present(const vo_sim *sim, int i, double t) {
    int motion = sim->scene->obstacle[i].motion;
    if (motion < 0 || sim->obstacle[i].live.driver != VO_DRIVER_SCENE) return true;
    return vo_motion_is_present(&sim->scene->motion[motion], t);
}

bool vo_sim_obstacle_exists(const vo_sim *sim, int i, double t) {
    const vo_scene_obstacle *o = &sim->scene->obstacle[i];
    return vo_scene_started(o->start, t) && t < o->end && motion_is_present(sim, i, t);
}

/* Like pose_of, but with a scale of 1 where that of the motion is 0, so that the mesh of an absent
 * obstacle is not degenerate. */
static vo_transform invertible_pose_of(const vo_sim *sim, int i, double t) {
    vo_transform pose = pose_of(sim, i, t);
    if (!(pose.scale > 0)) pose.scale = 1;
    return pose;
}

bool vo_sim_obstacle_displacement(const vo_sim *sim, int i, double t, vo_transform *out) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    bool rigid =
        o->live.driver == VO_DRIVER_SCENE && !o->deforms && sim->scene->obstacle[i].motion >= 0;
    if (!rigid || !(o->pose.scale > 0)) return false;
    *out = xf_mul(invertible_pose_of(sim, i, t), xf_inverse(o->pose));
    return v3_is_finite(out->translation);
}

/* Half of the time over which velocities are measured, s. Motions are smooth, and a difference
 * needs no second formula to be kept in step with the first. */
static const double VELOCITY_DT = 1e-4;

static void place_rigid(vo_sim *sim, int i, double t) {
    vo_transform now = invertible_pose_of(sim, i, t), before = pose_of(sim, i, t - VELOCITY_DT),
                 after = pose_of(sim, i, t + VELOCITY_DT);
    const vo_mesh *rest = sim->scene->obstacle[i].mesh;
    vo_obstacle_state *o = &sim->obstacle[i];
    o->pose = now;
    for (int k = 0; k < rest->node_count; k++) {
        vo_vec3 p = rest->node_x[k];
        o->mesh->node_x[k] = v3_add(xf_point(now, p), o->lag[k]);
        o->mesh->node_v[k] =
            v3_scale(0.5 / VELOCITY_DT, v3_sub(xf_point(after, p), xf_point(before, p)));
    }
}

static void place_body(vo_obstacle_state *o, double t) {
    vo_vec3 *x = o->mesh->node_x, *v = o->mesh->node_v;
    o->pose = xf_identity();
    vo_body_eval_positions(&o->follower, t - VELOCITY_DT, o->target_x);
    vo_body_eval_positions(&o->follower, t + VELOCITY_DT, v);
    for (int k = 0; k < o->mesh->node_count; k++)
        v[k] = v3_scale(0.5 / VELOCITY_DT, v3_sub(v[k], o->target_x[k]));
    vo_body_eval_positions(&o->follower, t, o->target_x);
    for (int k = 0; k < o->mesh->node_count; k++) x[k] = v3_add(o->target_x[k], o->lag[k]);
}

/* Moves an obstacle to its live target at once. */
static void place_live(vo_sim *sim, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    const vo_vec3 *rest = sim->scene->obstacle[i].mesh->node_x;
    o->pose = o->live.driver == VO_DRIVER_POSE ? o->live.pose : xf_identity();
    for (int k = 0; k < o->mesh->node_count; k++) {
        vo_vec3 p = o->deforms ? o->live_x[k] : xf_point(o->pose, rest[k]);
        o->mesh->node_x[k] = v3_add(p, o->lag[k]);
        o->mesh->node_v[k] = o->deforms && o->live.has_velocities ? o->live_v[k] : v3(0, 0, 0);
    }
}

static void place(vo_sim *sim, int i, double t) {
    if (sim->obstacle[i].live.driver != VO_DRIVER_SCENE)
        place_live(sim, i);
    else if (sim->obstacle[i].deforms)
        place_body(&sim->obstacle[i], t);
    else
        place_rigid(sim, i, t);
}

void vo_sim_obstacles_place(vo_sim *sim, double t) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        sim->obstacle[i].present = vo_sim_obstacle_exists(sim, i, t);
        sim->obstacle[i].rests_until = -INFINITY;
        place(sim, i, t);
    }
}

static vo_surface_part *part_of(vo_sim *sim, int i) {
    return &sim->contact.surface.part[sim->cloth_count + i];
}

/* Target of node k at the end of the step, without lag. */
static vo_vec3 target_of(const vo_obstacle_state *o, const vo_surface_part *part, int k) {
    return o->deforms ? o->target_x[k] : xf_point(part->pose[1], part->rest[k]);
}

/* Sets targets equal to the current positions. */
static void rest(vo_sim *sim, int i) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    size_t bytes = (size_t)o->mesh->node_count * sizeof *o->mesh->node_x;
    part->pose[0] = part->pose[1] = o->pose;
    memcpy(sim->contact.surface.x0 + part->node_begin, o->mesh->node_x, bytes);
    memcpy(sim->contact.surface.x1 + part->node_begin, o->mesh->node_x, bytes);
}

/* The pose of an obstacle at the end of a step. */
static vo_transform pose_after(const vo_sim *sim, int i, vo_step_span t) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    if (o->live.driver == VO_DRIVER_SCENE) return invertible_pose_of(sim, i, t.end);
    if (o->live.driver == VO_DRIVER_VERTICES) return xf_identity();
    return vo_transform_blend(o->pose, o->live.pose, vo_sim_live_fraction(sim, t));
}

/* Computes target_x of an obstacle that deforms. */
static void set_target_nodes(vo_sim *sim, int i, vo_step_span t) {
    vo_obstacle_state *o = &sim->obstacle[i];
    double fraction = vo_sim_live_fraction(sim, t);
    if (o->live.driver == VO_DRIVER_SCENE) {
        vo_body_eval_positions(&o->follower, t.end, o->target_x);
        return;
    }
    for (int k = 0; k < o->mesh->node_count; k++) {
        vo_vec3 now = v3_sub(o->mesh->node_x[k], o->lag[k]);
        o->target_x[k] = fraction == 1 ? o->live_x[k] : v3_lerp(now, o->live_x[k], fraction);
    }
}

/* Sets the targets of an obstacle at t. An obstacle that appears starts at its target. */
static void follow(vo_sim *sim, int i, vo_step_span t) {
    vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    vo_vec3 *x0 = sim->contact.surface.x0 + part->node_begin;
    vo_vec3 *x1 = sim->contact.surface.x1 + part->node_begin;
    double remains = LAG_DECAY_TIME / (LAG_DECAY_TIME + t.dt);
    part->pose[1] = pose_after(sim, i, t);
    part->pose[0] = o->present ? o->pose : part->pose[1];
    if (o->deforms) set_target_nodes(sim, i, t);
    for (int k = 0; k < o->mesh->node_count; k++) {
        x1[k] = v3_add_scaled(target_of(o, part, k), remains, o->lag[k]);
        x0[k] = o->present ? o->mesh->node_x[k] : x1[k];
    }
}

/* Sets the target positions of obstacle i for a step. */
static void set_target(vo_sim *sim, int i, vo_step_span t) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    bool was_present = o->present;
    part->present = vo_sim_obstacle_exists(sim, i, t.end);
    if (was_present && t.end <= o->rests_until)
        rest(sim, i);
    else
        follow(sim, i, t);
    bool rigid = o->rigid && !o->deforms && !o->live.rescaled;
    if (part->rigid != rigid) {
        part->rigid = rigid;
        vo_candidates_invalidate(sim->contact.candidates);
    }
    if (part->present != was_present) vo_candidates_invalidate(sim->contact.candidates);
    if (part->present && !was_present) sim->contact.obstacle_appeared = true;
}

void vo_sim_obstacles_set_targets(vo_sim *sim, vo_step_span t) {
    sim->contact.obstacle_appeared = false;
    for (int i = 0; i < sim->obstacle_count; i++) set_target(sim, i, t);
}

void vo_sim_obstacles_commit(vo_sim *sim, double dt) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        const vo_surface_part *part = part_of(sim, i);
        const vo_vec3 *x0 = sim->contact.surface.x0 + part->node_begin;
        const vo_vec3 *x1 = sim->contact.surface.x1 + part->node_begin;
        o->present = part->present;
        o->pose = part->pose[1];
        for (int k = 0; k < o->mesh->node_count; k++) {
            vo_vec3 p = target_of(o, part, k);
            o->lag[k] = v3_sub(x1[k], p);
            if (v3_length(o->lag[k]) < CAUGHT_UP) o->lag[k] = v3(0, 0, 0);
            o->mesh->node_x[k] = v3_add(p, o->lag[k]); /* as a resumed run will have it */
            o->mesh->node_v[k] = part->present ? v3_scale(1 / dt, v3_sub(x1[k], x0[k])) : v3_zero();
            if (o->live.driver == VO_DRIVER_VERTICES && o->live.has_velocities)
                o->mesh->node_v[k] = o->live_v[k];
        }
    }
}

void vo_sim_teleport_obstacle(vo_sim *sim, int i, double end) {
    vo_obstacle_state *o = &sim->obstacle[i];
    const vo_surface_part *part = part_of(sim, i);
    o->pose = part->pose[1];
    o->rests_until = end;
    for (int k = 0; k < o->mesh->node_count; k++) {
        o->mesh->node_x[k] = target_of(o, part, k);
        o->mesh->node_v[k] = o->lag[k] = v3(0, 0, 0);
    }
}

/* m, smaller lags are not reported. */
static const double MIN_REPORTED_LAG = 1e-4;

void vo_sim_list_lagging_nodes(const vo_sim *sim, vo_inspection *out) {
    out->lag_obstacle = out->lag_node = -1;
    for (int i = 0; i < sim->obstacle_count; i++) {
        const vo_obstacle_state *o = &sim->obstacle[i];
        for (int k = 0; k < o->mesh->node_count && o->present; k++) {
            double behind = v3_length(o->lag[k]);
            if (!(behind > MIN_REPORTED_LAG)) continue;
            out->lagging_nodes++;
            if (!(behind > out->max_lag)) continue;
            out->max_lag = behind;
            out->lag_obstacle = i;
            out->lag_node = k;
            out->lag_position = o->mesh->node_x[k];
        }
    }
}
