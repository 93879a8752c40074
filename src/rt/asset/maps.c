/* Painted maps with their defaults. */
#include "rt/asset/asset_private.h"

#include <float.h>

#define DEFAULT_BACKSTOP_RADIUS 0.2f /* m */

static float value_or(const float *map, int vertex, float otherwise) {
    return map ? map[vertex] : otherwise;
}

vo_result vo_rt_cook_maps(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    cook->maps = vo_rt_scratch_array(&cook->scratch, vo_rt_vertex_maps, def->vertex_count);
    cook->stiffness_factor = vo_rt_scratch_array(&cook->scratch, float, def->vertex_count);
    if (cook->scratch.failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for maps");
    for (int v = 0; v < def->vertex_count; v++) {
        cook->maps[v] = (vo_rt_vertex_maps){
            .attachment = value_or(def->attachment, v, 0),
            .max_distance = value_or(def->max_distance, v, FLT_MAX),
            .backstop = value_or(def->backstop, v, -FLT_MAX),
            .backstop_radius = value_or(def->backstop_radius, v, DEFAULT_BACKSTOP_RADIUS),
        };
        cook->stiffness_factor[v] = value_or(def->stiffness_factor, v, 1);
    }
    return VO_OK;
}
