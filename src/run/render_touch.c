/* Nodes of cloth that touch something: the faces between them are rendered flat, since a smoothed
 * surface would penetrate what they touch. */
#include "run/render.h"

/* Surfaces touch within this many repulsion thicknesses, or within this fraction of the longest
 * edge at a node: smoothed faces rise above flat ones by up to about that. */
static const double TOUCH_THICKNESSES = 3;
static const double SMOOTH_RISE = 0.25;

vo_result vo_render_session_update_positions(vo_render_session *s, const vo_sim *sim) {
    int cloths = sim->cloth_count, count = cloths + sim->obstacle_count;
    const vo_mesh **mesh = vo_arena_array(&s->arena, const vo_mesh *, count);
    if (count && !mesh) return vo_fail_memory(s->ctx, "an image");
    for (int i = 0; i < count; i++)
        mesh[i] = i < cloths ? sim->cloth[i].mesh : sim->obstacle[i - cloths].mesh;
    vo_nearest_free(&s->all);
    VO_TRY(vo_nearest_create(s->ctx, count, mesh, &s->all));
    for (int i = 0; i < count; i++)
        if (i < cloths || sim->obstacle[i - cloths].present)
            vo_nearest_set_pose(&s->all, i, xf_identity());
    return VO_OK;
}

/* Touch distance of each node, m, at least `min`; returns the largest. */
static double find_touch_distances(const vo_mesh *mesh, double min, double *distance) {
    double largest = min;
    for (int i = 0; i < mesh->node_count; i++) distance[i] = min;
    for (int e = 0; e < mesh->edge_count; e++) {
        const int *node = mesh->edge_node[e];
        double rise = SMOOTH_RISE * v3_distance(mesh->node_x[node[0]], mesh->node_x[node[1]]);
        for (int k = 0; k < 2; k++) distance[node[k]] = vo_max(distance[node[k]], rise);
        largest = vo_max(largest, rise);
    }
    return largest;
}

vo_result vo_render_session_find_touching(vo_render_session *s, const vo_sim *sim, int cloth,
                                          const unsigned char **touches) {
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    vo_vec3 *nearest = vo_arena_array(&s->arena, vo_vec3, mesh->node_count);
    double *distance = vo_arena_array(&s->arena, double, mesh->node_count);
    unsigned char *mark = vo_arena_array(&s->arena, unsigned char, mesh->node_count);
    if (mesh->node_count && (!nearest || !distance || !mark))
        return vo_fail_memory(s->ctx, "an image");
    double largest = find_touch_distances(
        mesh, TOUCH_THICKNESSES * sim->scene->def.repulsion_thickness, distance);
    vo_nearest_remove(&s->all, cloth);
    vo_nearest_find(&s->all, mesh->node_count, mesh->node_x, largest, nearest);
    vo_nearest_set_pose(&s->all, cloth, xf_identity());
    for (int i = 0; i < mesh->node_count; i++)
        mark[i] = v3_distance(nearest[i], mesh->node_x[i]) <= distance[i]; /* false for NaN */
    *touches = mark;
    return VO_OK;
}
