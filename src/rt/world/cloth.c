/* Creation and destruction of cloths. */
#include "rt/world/world.h"

#include <string.h>

static void release_arrays(vo_rt_cloth *c) {
    vo_rt_heap *heap = &c->world->heap;
    vo_rt_heap_release(heap, c->bones, c->bone_capacity, sizeof *c->bones);
    vo_rt_heap_release(heap, c->attachments, c->attachment_capacity, sizeof *c->attachments);
    vo_rt_heap_release(heap, c->pose_start, c->pose_capacity, sizeof *c->pose_start);
    vo_rt_heap_release(heap, c->pose_end, c->end_capacity, sizeof *c->pose_end);
    vo_rt_levels_free(&c->levels, heap);
    vo_rt_heap_release(heap, c->edits.split, c->split_capacity, sizeof *c->edits.split);
    vo_rt_heap_release(heap, c->edits.join, c->join_capacity, sizeof *c->edits.join);
    for (int i = 0; i < 2; i++)
        vo_rt_heap_release(heap, c->blended[i], c->blended_capacity[i], sizeof *c->blended[i]);
}

void vo_rt_cloth_free(vo_rt_cloth *c) {
    vo_rt_world *w = c->world;
    vo_rt_detail_free(&c->detail, &w->def.allocator, c->asset);
    vo_rt_upsample_free(&c->upsample, &w->def.allocator);
    vo_rt_contact_free(&c->contacts, &w->heap);
    vo_rt_self_free(&c->self, &w->heap);
    vo_rt_mesh_free(&c->mesh, &w->heap);
    release_arrays(c);
    for (int i = 0; i < w->cloth_end; i++) vo_rt_self_invalidate(&w->cloth[i].self);
    *c = (vo_rt_cloth){0};
}

void vo_rt_cloth_destroy(vo_rt_cloth *c) {
    if (c && c->is_used) vo_rt_cloth_free(c);
}

/* Arrays whose size is fixed by the asset. */
static bool reserve_arrays(vo_rt_cloth *c) {
    vo_rt_heap *heap = &c->world->heap;
    const vo_rt_asset *a = c->asset;
    return vo_rt_heap_reserve(heap, (void **)&c->bones, &c->bone_capacity, a->bone_count,
                              sizeof *c->bones) &&
           vo_rt_heap_reserve(heap, (void **)&c->attachments, &c->attachment_capacity,
                              a->vertex_count, sizeof *c->attachments) &&
           vo_rt_heap_reserve(heap, (void **)&c->pose_start, &c->pose_capacity, a->vertex_count,
                              sizeof *c->pose_start) &&
           vo_rt_heap_reserve(heap, (void **)&c->pose_end, &c->end_capacity, a->vertex_count,
                              sizeof *c->pose_end);
}

static void set_inputs(vo_rt_cloth *c, const vo_rt_cloth_def *def) {
    int levels = def->asset->link_count > 0 ? 0 : def->asset->max_level;
    c->next.transform = def->transform;
    c->next.fabric = def->asset->fabric;
    c->next.adaption = def->adaption;
    c->next.min_level = def->min_level < levels ? def->min_level : levels;
    c->next.max_level = def->max_level < levels ? def->max_level : levels;
    c->next.linear_inertia = def->linear_inertia;
    c->next.angular_inertia = def->angular_inertia;
    c->next.centrifugal_inertia = def->centrifugal_inertia;
    c->next.blend = 1;
    c->next.link_strength = 1;
    c->next.enabled = 1;
    c->next.detail_enabled = 1;
    c->input = c->next;
}

/* A skinned cloth without bones from the host stands in the bind pose, moved by its transform. */
static void set_bones(vo_rt_cloth *c) {
    vo_rt_transform t = c->next.transform;
    vo_rt_vec3 x = fq_rotate(t.rotation, f3(1, 0, 0)), y = fq_rotate(t.rotation, f3(0, 1, 0));
    vo_rt_vec3 z = fq_rotate(t.rotation, f3(0, 0, 1)), p = t.position;
    vo_rt_matrix m = {{x.x, y.x, z.x, p.x, x.y, y.y, z.y, p.y, x.z, y.z, z.z, p.z}};
    for (int i = 0; i < c->asset->bone_count; i++) c->bones[i] = m;
    for (int i = 0; i < c->asset->vertex_count; i++) c->attachments[i].weight = -1;
}

/* Sets the particles to the animated pose at rest. */
static void place_particles(vo_rt_cloth *c) {
    vo_rt_front *f = &c->mesh.front;
    vo_rt_pose_set_targets(c, 1);
    vo_rt_pose_apply_weights(c);
    vo_rt_vec3 low = f4_xyz(f->target[1]), high = low;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        vo_rt_vec3 x = f4_xyz(f->target[i]);
        f->position[i] = f4_make(x, f->position[i].w);
        f->velocity[i] = f4_make(f3(0, 0, 0), 0);
        f->previous[i] = f->shown[i] = f4_make(x, 0);
        f->flags[i] &=
            (uint8_t) ~(VO_RT_VERTEX_CONTACT | VO_RT_VERTEX_TRAPPED | VO_RT_VERTEX_TANGLED);
        low = f3_min(low, x);
        high = f3_max(high, x);
    }
    c->state.min = low;
    c->state.max = high;
    vo_rt_solve_normals(f);
}

void vo_rt_cloth_reset_state(vo_rt_cloth *c) {
    int count = c->asset->vertex_count;
    memcpy(c->pose_start, c->pose_end, (size_t)count * sizeof *c->pose_start);
    vo_rt_mesh_reset(&c->mesh);
    c->mesh.tie_rule = c->input.adaption.tie_rule;
    c->mesh.max_level = c->input.max_level;
    vo_rt_levels_update(&c->levels, &c->mesh);
    c->contacts.count = 0;
    for (int i = 0; i < c->contacts.hint_capacity; i++) c->contacts.hint[i] = -1;
    for (int i = 0; i < c->contacts.shell_capacity; i++)
        c->contacts.shell[i] = f4_make(f3(0, 0, 0), INFINITY);
    c->state.frame = c->input.transform;
    c->state.is_sleeping = false;
    c->state.arrives = true;
    c->state.may_intersect = true;
    c->state.rest_time = 0;
    c->state.steps_since_move = 0;
    c->state.move_steps = 1;
    c->needs_recovery = false;
    c->has_moved = true;
    c->state.advances = 0;
    c->state.move_advances = 1;
    place_particles(c);
    vo_rt_detail_rebind(&c->detail, &c->mesh);
    vo_rt_detail_reset(&c->detail);
    vo_rt_upsample_reset(&c->upsample);
}

int vo_rt_cloth_find_middle(const vo_rt_asset *a, float *radius) {
    vo_rt_vec3 center = f3_lerp(a->min, a->max, 0.5f);
    int best = 0;
    for (int i = 1; i < a->vertex_count; i++)
        if (f3_distance(a->position[i], center) < f3_distance(a->position[best], center)) best = i;
    *radius = 0;
    for (int i = 0; i < a->vertex_count; i++)
        *radius = f_max(*radius, f3_distance(a->position[i], a->position[best]));
    return best;
}

static vo_rt_cloth *find_place(vo_rt_world *w) {
    for (int i = 0; i < w->def.max_cloths; i++)
        if (!w->cloth[i].is_used) return &w->cloth[i];
    return NULL;
}

static vo_result create(vo_rt_cloth *c, const vo_rt_cloth_def *def) {
    vo_rt_world *w = c->world;
    if (!reserve_arrays(c) || !vo_rt_mesh_init(&c->mesh, c->asset, &w->heap) ||
        !vo_rt_contact_reserve(&c->contacts, &w->heap, &c->mesh.front) ||
        !vo_rt_levels_reserve(&c->levels, &w->heap, &c->mesh))
        return vo_rt_fail(&w->message, VO_NO_MEMORY,
                          "pool of %u bytes is exhausted; raise pool_bytes",
                          (unsigned)w->def.pool_bytes);
    if (!vo_rt_detail_init(&c->detail, &w->def.allocator, c->asset) ||
        !vo_rt_upsample_init(&c->upsample, &w->def.allocator, c->asset))
        return vo_rt_fail(&w->message, VO_NO_MEMORY, "out of memory for the output of the cloth");
    c->middle_vertex = vo_rt_cloth_find_middle(c->asset, &c->middle_radius);
    set_inputs(c, def);
    set_bones(c);
    vo_rt_pose_update(c);
    vo_rt_cloth_reset_state(c);
    c->state.steps_to_major = c->index % w->def.minor_per_major;
    c->state.is_visible = true;
    vo_rt_detail_publish(&c->detail, &c->mesh, 1, 0);
    vo_rt_publish_upsampled(c, &c->mesh, 1, 0, false);
    return VO_OK;
}

vo_result vo_rt_cloth_create(vo_rt_world *w, const vo_rt_cloth_def *def, vo_rt_cloth **out) {
    *out = NULL;
    vo_rt_cloth_def d = *def;
    vo_result result = vo_rt_check_cloth_def(&d, &w->message);
    if (result == VO_OK) result = vo_rt_check_transform(&d.transform, &w->message);
    if (result != VO_OK) return result;
    vo_rt_cloth *c = find_place(w);
    if (!c)
        return vo_rt_fail(&w->message, VO_NO_MEMORY,
                          "the world has %d cloths already; raise max_cloths", w->def.max_cloths);
    *c = (vo_rt_cloth){.world = w,
                       .index = (int32_t)(c - w->cloth),
                       .is_used = true,
                       .asset = d.asset,
                       .solver = d.solver,
                       .collision_mask = d.collision_mask,
                       .stretch_limit = d.stretch_limit,
                       .compression = d.compression,
                       .sleep_speed = d.sleep_speed,
                       .self_collision = d.self_collision,
                       .self_thickness = d.self_thickness,
                       .layer = d.layer,
                       .user = d.user};
    result = create(c, &d);
    if (result != VO_OK) {
        vo_rt_cloth_free(c);
        return result;
    }
    if (c->index >= w->cloth_end) w->cloth_end = c->index + 1;
    *out = c;
    return VO_OK;
}
