/* Obstacles follow their motions: as a whole by a transform of what the scene has, or, if they are
 * bodies, node by node (scene/body.h). Cloth never moves them, but where two of them squeeze it so
 * that nothing else is possible (collide/response.h): then nodes of an obstacle fall behind, and
 * catch up within a few tenths of a second once they can. How far each is behind is part of the
 * state. */
#include "sim/sim.h"

#include <string.h>

/* s, in which what has fallen behind makes up about two thirds of it. */
static const double CATCH_UP = 0.1;
/* m, less than this is not behind. */
static const double CAUGHT_UP = 1e-7;

static vo_result create_body(vo_sim *sim, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    o->goal = vo_new_array(sim->ctx, vo_vec3, o->mesh->node_count);
    if (!o->goal) return vo_fail_memory(sim->ctx, "a moving body");
    return vo_body_follow(sim->ctx, sim->scene->obstacle[i].body, &o->follower);
}

vo_result vo_sim_obstacles_create(vo_sim *sim) {
    int count = sim->scene->obstacle_count;
    sim->obstacle = vo_alloc_zero(sim->ctx, (size_t)count * sizeof *sim->obstacle);
    if (count && !sim->obstacle) return vo_fail_memory(sim->ctx, "the obstacles");
    sim->obstacle_count = count;
    for (int i = 0; i < count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        VO_TRY(vo_check_stop(sim->ctx));
        VO_TRY(vo_mesh_copy(sim->ctx, sim->scene->obstacle[i].mesh, &o->mesh));
        o->behind = vo_alloc_zero(sim->ctx, (size_t)o->mesh->node_count * sizeof *o->behind);
        if (o->mesh->node_count && !o->behind) return vo_fail_memory(sim->ctx, "an obstacle");
        if (sim->scene->obstacle[i].body) VO_TRY(create_body(sim, i));
    }
    return VO_OK;
}

void vo_sim_obstacles_free(vo_sim *sim) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        vo_body_follower_free(&o->follower);
        if (o->mesh) vo_free_array(sim->ctx, o->behind, o->mesh->node_count);
        if (o->mesh) vo_free_array(sim->ctx, o->goal, o->mesh->node_count);
        vo_mesh_destroy(o->mesh);
    }
    vo_free_array(sim->ctx, sim->obstacle, sim->scene->obstacle_count);
}

vo_transform vo_sim_pose(const vo_sim *sim, int motion, double t) {
    return motion >= 0 ? vo_motion_pose(&sim->scene->motion[motion], t) : xf_identity();
}

static vo_transform pose_of(const vo_sim *sim, int i, double t) {
    return vo_sim_pose(sim, sim->scene->obstacle[i].motion, t);
}

bool vo_sim_obstacle_is_there(const vo_sim *sim, int i, double t) {
    const vo_scene_obstacle *o = &sim->scene->obstacle[i];
    return vo_scene_started(o->start, t) && t < o->end;
}

bool vo_sim_obstacle_way(const vo_sim *sim, int i, double t, vo_transform *out) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    bool rigid = !o->goal && sim->scene->obstacle[i].motion >= 0;
    if (!rigid || !(o->pose.scale > 0)) return false;
    *out = xf_mul(pose_of(sim, i, t), xf_inverse(o->pose));
    return v3_is_finite(out->translation);
}

/* Half of the time over which velocities are measured, s. Motions are smooth, and a difference
 * needs no second formula to be kept in step with the first. */
static const double GLANCE = 1e-4;

static void place_rigid(vo_sim *sim, int i, double t) {
    vo_transform now = pose_of(sim, i, t), before = pose_of(sim, i, t - GLANCE),
                 after = pose_of(sim, i, t + GLANCE);
    const vo_mesh *rest = sim->scene->obstacle[i].mesh;
    vo_obstacle_state *o = &sim->obstacle[i];
    o->pose = now;
    for (int k = 0; k < rest->node_count; k++) {
        vo_vec3 p = rest->node_x[k];
        o->mesh->node_x[k] = v3_add(xf_point(now, p), o->behind[k]);
        o->mesh->node_v[k] =
            v3_scale(0.5 / GLANCE, v3_sub(xf_point(after, p), xf_point(before, p)));
    }
}

static void place_body(vo_obstacle_state *o, double t) {
    vo_vec3 *x = o->mesh->node_x, *v = o->mesh->node_v;
    o->pose = xf_identity();
    vo_body_place(&o->follower, t - GLANCE, o->goal);
    vo_body_place(&o->follower, t + GLANCE, v);
    for (int k = 0; k < o->mesh->node_count; k++)
        v[k] = v3_scale(0.5 / GLANCE, v3_sub(v[k], o->goal[k]));
    vo_body_place(&o->follower, t, o->goal);
    for (int k = 0; k < o->mesh->node_count; k++) x[k] = v3_add(o->goal[k], o->behind[k]);
}

static void place(vo_sim *sim, int i, double t) {
    if (sim->obstacle[i].goal)
        place_body(&sim->obstacle[i], t);
    else
        place_rigid(sim, i, t);
}

void vo_sim_obstacles_place(vo_sim *sim, double t) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        sim->obstacle[i].present = vo_sim_obstacle_is_there(sim, i, t);
        sim->obstacle[i].rests_until = -INFINITY;
        place(sim, i, t);
    }
}

static vo_surface_part *part_of(vo_sim *sim, int i) {
    return &sim->contact.surface.part[sim->cloth_count + i];
}

/* Where the motion has node k when the step ends, for which `pose` and `goal` stand. */
static vo_vec3 goal_of(const vo_obstacle_state *o, const vo_surface_part *part, int k) {
    return o->goal ? o->goal[k] : xf_point(part->pose[1], part->rest[k]);
}

/* Its nodes stay where they are. */
static void rest(vo_sim *sim, int i) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    size_t bytes = (size_t)o->mesh->node_count * sizeof *o->mesh->node_x;
    part->pose[0] = part->pose[1] = o->pose;
    memcpy(sim->contact.surface.x0 + part->node_begin, o->mesh->node_x, bytes);
    memcpy(sim->contact.surface.x1 + part->node_begin, o->mesh->node_x, bytes);
}

/* They go where the motion has them at t. One that appears is there at once. */
static void follow(vo_sim *sim, int i, double t, double dt) {
    vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    vo_vec3 *x0 = sim->contact.surface.x0 + part->node_begin;
    vo_vec3 *x1 = sim->contact.surface.x1 + part->node_begin;
    double remains = CATCH_UP / (CATCH_UP + dt);
    part->pose[1] = pose_of(sim, i, t);
    part->pose[0] = o->present ? o->pose : part->pose[1];
    if (o->goal) vo_body_place(&o->follower, t, o->goal);
    for (int k = 0; k < o->mesh->node_count; k++) {
        x1[k] = v3_add_scaled(goal_of(o, part, k), remains, o->behind[k]);
        x0[k] = o->present ? o->mesh->node_x[k] : x1[k];
    }
}

/* Where the nodes of obstacle i go in a step that ends at t. */
static void aim(vo_sim *sim, int i, double t, double dt) {
    const vo_obstacle_state *o = &sim->obstacle[i];
    vo_surface_part *part = part_of(sim, i);
    bool was_present = o->present;
    part->present = vo_sim_obstacle_is_there(sim, i, t);
    if (was_present && t <= o->rests_until)
        rest(sim, i);
    else
        follow(sim, i, t, dt);
    if (part->present != was_present) vo_candidates_forget(sim->contact.candidates);
    if (part->present && !was_present) sim->contact.appeared = true;
}

void vo_sim_obstacles_aim(vo_sim *sim, double t, double dt) {
    sim->contact.appeared = false;
    for (int i = 0; i < sim->obstacle_count; i++) aim(sim, i, t, dt);
}

void vo_sim_obstacles_keep(vo_sim *sim, double dt) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        vo_obstacle_state *o = &sim->obstacle[i];
        const vo_surface_part *part = part_of(sim, i);
        const vo_vec3 *x0 = sim->contact.surface.x0 + part->node_begin;
        const vo_vec3 *x1 = sim->contact.surface.x1 + part->node_begin;
        o->present = part->present;
        o->pose = part->pose[1];
        for (int k = 0; k < o->mesh->node_count; k++) {
            vo_vec3 p = goal_of(o, part, k);
            o->behind[k] = v3_sub(x1[k], p);
            if (v3_length(o->behind[k]) < CAUGHT_UP) o->behind[k] = v3(0, 0, 0);
            o->mesh->node_x[k] = v3_add(p, o->behind[k]); /* as a resumed run will have it */
            o->mesh->node_v[k] = v3_scale(1 / dt, v3_sub(x1[k], x0[k]));
        }
    }
}

void vo_sim_obstacle_put(vo_sim *sim, int i, double end) {
    vo_obstacle_state *o = &sim->obstacle[i];
    const vo_surface_part *part = part_of(sim, i);
    o->pose = part->pose[1];
    o->rests_until = end;
    for (int k = 0; k < o->mesh->node_count; k++) {
        o->mesh->node_x[k] = goal_of(o, part, k);
        o->mesh->node_v[k] = o->behind[k] = v3(0, 0, 0);
    }
}

/* m, that nobody sees. */
static const double HARDLY_BEHIND = 1e-4;

void vo_sim_obstacles_behind(const vo_sim *sim, vo_inspection *out) {
    out->behind_obstacle = out->behind_node = -1;
    for (int i = 0; i < sim->obstacle_count; i++) {
        const vo_obstacle_state *o = &sim->obstacle[i];
        for (int k = 0; k < o->mesh->node_count && o->present; k++) {
            double behind = v3_length(o->behind[k]);
            if (!(behind > HARDLY_BEHIND)) continue;
            out->yielded_nodes++;
            if (!(behind > out->max_behind)) continue;
            out->max_behind = behind;
            out->behind_obstacle = i;
            out->behind_node = k;
            out->behind_place = o->mesh->node_x[k];
        }
    }
}
