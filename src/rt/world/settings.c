/* Setters and getters of cloths. Setters write the values of the next step only. */
#include "rt/world/world.h"

#include <string.h>

static vo_rt_message *message_of(vo_rt_cloth *c) { return &c->world->message; }

vo_result vo_rt_cloth_set_transform(vo_rt_cloth *c, vo_rt_transform t) {
    vo_result result = vo_rt_check_transform(&t, message_of(c));
    if (result != VO_OK) return result;
    c->next.transform = t;
    c->next.pose_changed = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_bones(vo_rt_cloth *c, int count, const vo_rt_matrix *bones) {
    if (count != c->asset->bone_count)
        return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT, "%d bones; the asset has %d", count,
                          c->asset->bone_count);
    if (count > 0 && !bones)
        return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT, "bones is NULL; pass %d matrices", count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 12; k++)
            if (!(fabsf(bones[i].m[k]) <= VO_RT_MAX_COORDINATE))
                return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT,
                                  "bones[%d].m[%d] is %g; use finite values of at most %g", i, k,
                                  (double)bones[i].m[k], (double)VO_RT_MAX_COORDINATE);
    if (count > 0) memcpy(c->bones, bones, (size_t)count * sizeof *bones);
    c->next.pose_changed = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_teleport(vo_rt_cloth *c) {
    c->next.teleport = 1;
    c->next.pose_changed = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_reset(vo_rt_cloth *c) {
    c->next.reset = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_wake(vo_rt_cloth *c) {
    c->next.wake = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_enabled(vo_rt_cloth *c, bool enabled) {
    c->next.enabled = enabled;
    c->next.wake = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_blend(vo_rt_cloth *c, float weight) {
    vo_result result = vo_rt_check_range(message_of(c), "weight", weight, 0, 1);
    if (result != VO_OK) return result;
    c->next.blend = weight;
    c->next.pose_changed = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_fabric(vo_rt_cloth *c, vo_rt_fabric fabric) {
    vo_result result = vo_rt_check_fabric(&fabric, VO_BAD_ARGUMENT, "fabric.", message_of(c));
    if (result != VO_OK) return result;
    c->next.fabric = fabric;
    c->next.wake = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_adaption(vo_rt_cloth *c, vo_rt_adaption a) {
    vo_result result = vo_rt_check_adaption(&a, message_of(c));
    if (result != VO_OK) return result;
    c->next.adaption = a;
    c->next.wake = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_levels(vo_rt_cloth *c, int min, int max) {
    int limit = c->asset->link_count > 0 ? 0 : c->asset->max_level;
    if (min < 0 || min > max || max > limit)
        return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT,
                          "levels are %d to %d; use 0 to %d, in ascending order", min, max, limit);
    c->next.min_level = min;
    c->next.max_level = max;
    c->next.wake = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_inertia(vo_rt_cloth *c, float linear, float angular, float centrifugal) {
    vo_result result = vo_rt_check_range(message_of(c), "linear", linear, 0, 1);
    if (result == VO_OK) result = vo_rt_check_range(message_of(c), "angular", angular, 0, 1);
    if (result == VO_OK)
        result = vo_rt_check_range(message_of(c), "centrifugal", centrifugal, 0, 1);
    if (result != VO_OK) return result;
    c->next.linear_inertia = linear;
    c->next.angular_inertia = angular;
    c->next.centrifugal_inertia = centrifugal;
    return VO_OK;
}

vo_result vo_rt_cloth_set_attachment(vo_rt_cloth *c, int vertex, float weight,
                                     vo_rt_vec3 position) {
    if (vertex < 0 || vertex >= c->asset->vertex_count)
        return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT,
                          "vertex is %d; the base mesh has %d vertices", vertex,
                          c->asset->vertex_count);
    vo_result result = vo_rt_check_range(message_of(c), "weight", weight, 0, 1);
    if (result != VO_OK) return result;
    if (!vo_rt_is_coordinate(position))
        return vo_rt_fail(message_of(c), VO_BAD_ARGUMENT,
                          "position is (%g, %g, %g); use finite values of at most %g",
                          (double)position.x, (double)position.y, (double)position.z,
                          (double)VO_RT_MAX_COORDINATE);
    c->attachments[vertex] = (vo_rt_attachment){position, weight};
    c->next.pose_changed = 1;
    return VO_OK;
}

vo_result vo_rt_cloth_set_link_strength(vo_rt_cloth *c, float strength) {
    vo_result result = vo_rt_check_range(message_of(c), "strength", strength, 0, 1);
    if (result != VO_OK) return result;
    c->next.link_strength = strength;
    c->next.wake = 1;
    return VO_OK;
}

void vo_rt_cloth_set_constraint(vo_rt_cloth *c, vo_rt_constraint_fn *constraint, void *user) {
    c->constraint = constraint;
    c->constraint_user = user;
    c->next.wake = 1;
}

vo_rt_leaf_view vo_rt_cloth_get_leaves(const vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    return (vo_rt_leaf_view){.vertex_count = f->vertex_end,
                             .positions = &f->position[0].x,
                             .velocities = &f->velocity[0].x,
                             .triangle_count = f->triangle_count,
                             .triangles = f->triangle_count ? f->triangles[0].vertex : NULL,
                             .topology = f->topology};
}

int vo_rt_cloth_get_levels(const vo_rt_cloth *c, int capacity, uint8_t *levels) {
    const vo_rt_mesh *m = &c->mesh;
    int count = m->front.triangle_count;
    for (int i = 0; i < count && i < capacity; i++)
        levels[i] = m->triangle[m->front.triangle_source[i]].level;
    return count;
}

vo_rt_cloth_info vo_rt_cloth_get_info(const vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    return (vo_rt_cloth_info){.triangles = f->triangle_count,
                              .vertices = f->vertex_count,
                              .springs = f->spring_count,
                              .level = c->mesh.finest_level,
                              .is_visible = c->state.is_visible,
                              .is_sleeping = c->state.is_sleeping,
                              .is_far = c->state.is_far,
                              .max_stretch = c->max_stretch,
                              .min = c->state.min,
                              .max = c->state.max,
                              .bytes = vo_rt_mesh_bytes(&c->mesh),
                              .user = c->user};
}

vo_rt_vec3 vo_rt_cloth_get_vertex(const vo_rt_cloth *c, int vertex) {
    if (vertex < 0 || vertex >= c->asset->vertex_count) return f3(0, 0, 0);
    return f4_xyz(c->mesh.front.position[vertex + 1]);
}
