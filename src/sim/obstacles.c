/* Obstacles follow their motions; cloth never moves them. */
#include "sim/sim.h"

#include <string.h>

vo_result vo_sim_obstacles_create(vo_sim *sim) {
    int count = sim->scene->obstacle_count;
    sim->obstacle = vo_alloc_zero(sim->ctx, (size_t)count * sizeof *sim->obstacle);
    if (count && !sim->obstacle) return vo_fail_memory(sim->ctx, "the obstacles");
    sim->obstacle_count = count;
    for (int i = 0; i < count; i++)
        VO_TRY(vo_mesh_copy(sim->ctx, sim->scene->obstacle[i].mesh, &sim->obstacle[i].mesh));
    return VO_OK;
}

void vo_sim_obstacles_free(vo_sim *sim) {
    for (int i = 0; i < sim->obstacle_count; i++) vo_mesh_destroy(sim->obstacle[i].mesh);
    vo_free_array(sim->ctx, sim->obstacle, sim->scene->obstacle_count);
}

/* Velocity by central difference over a short time: motions are smooth, and this needs no second
 * formula to be kept in step with the first. */
static void place(vo_mesh *mesh, const vo_mesh *rest, const vo_motion *motion, double t) {
    const double h = 1e-4;
    vo_transform now = vo_motion_pose(motion, t);
    vo_transform before = vo_motion_pose(motion, t - h), after = vo_motion_pose(motion, t + h);
    for (int i = 0; i < rest->node_count; i++) {
        vo_vec3 p = rest->node_x[i];
        mesh->node_x[i] = xf_point(now, p);
        mesh->node_v[i] = v3_scale(0.5 / h, v3_sub(xf_point(after, p), xf_point(before, p)));
    }
}

void vo_sim_obstacles_move(vo_sim *sim, double t) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        const vo_scene_obstacle *o = &sim->scene->obstacle[i];
        sim->obstacle[i].present = t >= o->start && t < o->end;
        if (sim->obstacle[i].present && o->motion >= 0)
            place(sim->obstacle[i].mesh, o->mesh, &sim->scene->motion[o->motion], t);
    }
}
