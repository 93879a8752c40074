/* Access to the objects of the engine. */
#include "realtime/realtime_private.h"
#include "rt/world/world.h"

vo_rt_world *vo_realtime_get_world(vo_realtime *r) { return r->world; }

vo_rt_cloth *vo_realtime_get_cloth(const vo_realtime *r, int c) { return r->cloth[c].cloth; }

const vo_rt_asset *vo_realtime_get_asset(const vo_realtime *r, int c) {
    return r->asset[r->cloth[c].asset].asset;
}

float vo_realtime_get_density(const vo_realtime *r, int c) {
    return vo_realtime_fabric(r, c, r->sim->scene->cloth[c].mesh).density;
}

void vo_realtime_list_attachments(const vo_realtime *r, int c, float *weight) {
    const vo_rt_asset *asset = vo_realtime_get_asset(r, c);
    for (int n = 0; n < asset->vertex_count; n++) weight[n] = asset->maps[n].attachment;
    for (int i = 0; i < r->sim->scene->handle_count; i++)
        for (int k = 0; r->sim->scene->handle[i].def.cloth == c && k < r->handle[i].count; k++)
            weight[r->handle[i].vertex[k]] = 1;
}

/* Distances are from the shell, which is offset outwards from the surface. */
double vo_realtime_measure_depth(const vo_realtime *r, vo_vec3 x) {
    double depth = 0, offset = r->sim->scene->def.realtime.offset;
    for (int i = 0; i < r->sim->scene->obstacle_count; i++) {
        vo_rt_surface_point p;
        if (r->sim->obstacle[i].present &&
            vo_rt_body_find_nearest(r->body[i].body, false, vo_rt_vec3_of(x), 0, -1, &p))
            depth = vo_max(depth, -(double)p.distance - offset);
    }
    return depth;
}
