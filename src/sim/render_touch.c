/* Which nodes touch something, for pictures: what is drawn between them must not be rounded. */
#include "sim/render.h"

/* Within so many repulsion thicknesses things count as touching; and within so much of the longest
 * edge at a node, as rounded faces rise above flat ones by up to about that. */
static const double NEAR = 3;
static const double RISE = 0.25;

vo_result vo_stage_meet(vo_stage *s, const vo_sim *sim) {
    int cloths = sim->cloth_count, count = cloths + sim->obstacle_count;
    const vo_mesh **mesh = vo_arena_array(&s->arena, const vo_mesh *, count);
    if (count && !mesh) return vo_fail_memory(s->ctx, "a picture");
    for (int i = 0; i < count; i++)
        mesh[i] = i < cloths ? sim->cloth[i].mesh : sim->obstacle[i - cloths].mesh;
    vo_nearest_free(&s->all);
    VO_TRY(vo_nearest_create(s->ctx, count, mesh, &s->all));
    for (int i = 0; i < count; i++)
        if (i < cloths || sim->obstacle[i - cloths].present)
            vo_nearest_place(&s->all, i, xf_identity());
    return VO_OK;
}

/* How far around each node things touch it, m; returns the largest. */
static double find_reaches(const vo_mesh *mesh, double least, double *reach) {
    double largest = least;
    for (int i = 0; i < mesh->node_count; i++) reach[i] = least;
    for (int e = 0; e < mesh->edge_count; e++) {
        const int *node = mesh->edge_node[e];
        double rise = RISE * v3_distance(mesh->node_x[node[0]], mesh->node_x[node[1]]);
        for (int k = 0; k < 2; k++) reach[node[k]] = vo_max(reach[node[k]], rise);
        largest = vo_max(largest, rise);
    }
    return largest;
}

vo_result vo_stage_touch(vo_stage *s, const vo_sim *sim, int cloth, const unsigned char **touches) {
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    vo_vec3 *near = vo_arena_array(&s->arena, vo_vec3, mesh->node_count);
    double *reach = vo_arena_array(&s->arena, double, mesh->node_count);
    unsigned char *mark = vo_arena_array(&s->arena, unsigned char, mesh->node_count);
    if (mesh->node_count && (!near || !reach || !mark)) return vo_fail_memory(s->ctx, "a picture");
    double largest = find_reaches(mesh, NEAR * sim->scene->def.repulsion_thickness, reach);
    vo_nearest_remove(&s->all, cloth);
    vo_nearest_find(&s->all, mesh->node_count, mesh->node_x, largest, near);
    vo_nearest_place(&s->all, cloth, xf_identity());
    for (int i = 0; i < mesh->node_count; i++)
        mark[i] = v3_distance(near[i], mesh->node_x[i]) <= reach[i]; /* not where near is NaN */
    *touches = mark;
    return VO_OK;
}
