/* Which nodes touch something, for pictures: what is drawn between them must not be rounded. */
#include "sim/render.h"

/* Within so many repulsion thicknesses things count as touching. */
static const double NEAR = 3;

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

vo_result vo_stage_touch(vo_stage *s, const vo_sim *sim, int cloth, const unsigned char **touches) {
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    vo_vec3 *near = vo_arena_array(&s->arena, vo_vec3, mesh->node_count);
    unsigned char *mark = vo_arena_array(&s->arena, unsigned char, mesh->node_count);
    if (mesh->node_count && (!near || !mark)) return vo_fail_memory(s->ctx, "a picture");
    vo_nearest_remove(&s->all, cloth);
    vo_nearest_find(&s->all, mesh->node_count, mesh->node_x,
                    NEAR * sim->scene->def.repulsion_thickness, near);
    vo_nearest_place(&s->all, cloth, xf_identity());
    for (int i = 0; i < mesh->node_count; i++) mark[i] = !isnan(near[i].x);
    *touches = mark;
    return VO_OK;
}
