/* Bodies of a world: creation, motion, and selection for cloths. */
#include "rt/world/world.h"

#include "core/timer.h"

#include <string.h>

static size_t block_bytes(void) { return sizeof(vo_rt_body_slot) + vo_rt_body_size(); }

static int find_place(const vo_rt_world *w) {
    for (int i = 0; i < w->def.max_bodies; i++)
        if (!w->body[i]) return i;
    return -1;
}

vo_result vo_rt_body_create(vo_rt_world *w, const vo_rt_body_def *def, vo_rt_body **out) {
    *out = NULL;
    int index = find_place(w);
    if (index < 0)
        return vo_rt_fail(&w->message, VO_NO_MEMORY,
                          "the world has %d bodies already; raise max_bodies", w->def.max_bodies);
    const vo_allocator *a = &w->def.allocator;
    vo_rt_body_slot *slot = a->allocate(a->user, block_bytes(), VO_RT_ALIGNMENT);
    if (!slot) return vo_rt_fail(&w->message, VO_NO_MEMORY, "out of memory for the body");
    memset(slot, 0, block_bytes());
    vo_rt_body *body = (vo_rt_body *)(slot + 1);
    vo_result result = vo_rt_body_init(body, a, def, &w->message);
    if (result != VO_OK) {
        a->release(a->user, slot, block_bytes());
        return result;
    }
    slot->world = w;
    slot->index = index;
    slot->has_moved = true;
    body->input.has_teleport = true; /* it may appear inside a cloth */
    vo_rt_body_get_bounds(body, &slot->min, &slot->max);
    slot->end_min = slot->min;
    slot->end_max = slot->max;
    w->body[index] = body;
    w->bodies_changed = true;
    if (index >= w->body_end) w->body_end = index + 1;
    *out = body;
    return VO_OK;
}

void vo_rt_body_destroy(vo_rt_body *body) {
    if (!body) return;
    vo_rt_body_slot *slot = vo_rt_body_get_slot(body);
    const vo_allocator *a = &slot->world->def.allocator;
    slot->world->body[slot->index] = NULL;
    slot->world->bodies_changed = true;
    vo_rt_body_free(body, a);
    a->release(a->user, slot, block_bytes());
}

/* True if the host has set a pose that differs from the last one. */
static bool has_new_pose(const vo_rt_body *body, const vo_rt_body_slot *slot, uint64_t hash) {
    const vo_rt_body_input *in = &body->input;
    return in->has_vertices || in->has_teleport || in->is_enabled != body->is_enabled ||
           hash != slot->pose_hash;
}

/* Bounds over the world step of a body that is posed by bones. Others are posed at once. `wakes`:
 * some cloth may sleep, so that the motion of bodies matters. */
static void update_bounds(vo_rt_body *body, float duration, bool wakes) {
    vo_rt_body_slot *slot = vo_rt_body_get_slot(body);
    if (wakes) {
        uint64_t hash = vo_rt_hash(0, &body->input.transform, sizeof body->input.transform);
        hash = vo_rt_hash(hash, body->bones, (size_t)body->bone_count * sizeof *body->bones);
        slot->has_moved = has_new_pose(body, slot, hash);
        slot->pose_hash = hash;
    }
    slot->origin = body->input.transform.position;
    slot->min = slot->end_min;
    slot->max = slot->end_max;
    if (body->is_posed_by_bones) {
        vo_rt_body_estimate_bounds(body, &slot->end_min, &slot->end_max);
    } else {
        vo_rt_body_begin_step(body, duration);
        vo_rt_body_get_target_bounds(body, &slot->end_min, &slot->end_max);
    }
    slot->min = f3_min(slot->min, slot->end_min);
    slot->max = f3_max(slot->max, slot->end_max);
}

static void update_chunk(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (w->body[i]) update_bounds(w->body[i], (float)w->step.steps * w->h, w->has_sleepers);
}

void vo_rt_bodies_update_bounds(vo_rt_world *w) {
    double start = vo_now();
    w->has_sleepers = false;
    for (int i = 0; i < w->cloth_end; i++)
        if (w->cloth[i].is_used && w->cloth[i].sleep_speed > 0) w->has_sleepers = true;
    if (!vo_threads_run(w->threads, w->body_end, 8, update_chunk, w)) w->step.tasks_failed = true;
    vo_rt_broad_phase_update(w);
    w->pose_s += vo_now() - start;
}

/* Box around a cloth within which bodies may touch it within dt seconds. */
static vo_rt_broad_query query_near(const vo_rt_cloth *c, float dt) {
    float reach = 0.02f + c->input.fabric.thickness + dt * c->world->def.max_speed * 0.25f +
                  vo_rt_upsampled_reach(c);
    vo_rt_vec3 margin = f3(reach, reach, reach);
    return vo_rt_broad_phase_begin(c->world, f3_sub(c->state.min, margin),
                                   f3_add(c->state.max, margin));
}

/* The part of a body with which a cloth collides. */
static uint8_t part_for(const vo_rt_cloth *c, const vo_rt_body *body) {
    bool shapes = vo_rt_body_uses_shapes(body, c->state.uses_shapes);
    return shapes ? VO_RT_USE_SHAPES : VO_RT_USE_MESH;
}

static void mark_bodies(const vo_rt_cloth *c) {
    const vo_rt_world *w = c->world;
    vo_rt_broad_query query = query_near(c, (float)w->step.steps * w->h);
    for (int i; (i = vo_rt_broad_phase_next(&query)) >= 0;) {
        vo_rt_body *body = w->body[i];
        if (body->layer & c->collision_mask) body->used |= part_for(c, body);
    }
}

static bool collides(const vo_rt_cloth *c) {
    return !c->state.is_parked && !c->state.follows_pose && c->input.blend > 0;
}

static void begin_chunk(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (w->body[i] && w->body[i]->is_posed_by_bones)
            vo_rt_body_begin_step(w->body[i], (float)w->step.steps * w->h);
}

void vo_rt_bodies_begin_step(vo_rt_world *w) {
    double start = vo_now();
    for (int i = 0; i < w->body_end; i++)
        if (w->body[i]) w->body[i]->used = w->body[i]->is_posed_by_bones ? 0 : VO_RT_USE_ALL;
    for (int i = 0; i < w->active_count; i++)
        if (collides(w->active[i])) mark_bodies(w->active[i]);
    if (!vo_threads_run(w->threads, w->body_end, 8, begin_chunk, w)) w->step.tasks_failed = true;
    w->pose_s += vo_now() - start;
}

typedef struct advance_arg {
    vo_rt_world *world;
    float s;
} advance_arg;

static void advance_bodies(void *arg, int begin, int end, int chunk) {
    const advance_arg *a = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_rt_body *body = a->world->body[i];
        if (body && body->used) vo_rt_body_advance(body, a->s);
    }
}

void vo_rt_bodies_advance(vo_rt_world *w, float s) {
    double start = vo_now();
    advance_arg arg = {w, s};
    if (!vo_threads_run(w->threads, w->body_end, 8, advance_bodies, &arg))
        w->step.tasks_failed = true;
    w->pose_s += vo_now() - start;
}

void vo_rt_bodies_select(vo_rt_cloth *c, float dt) {
    const vo_rt_world *w = c->world;
    vo_rt_broad_query query = query_near(c, dt);
    c->near_count = 0;
    c->state.needs_full_rate = false;
    for (int i; (i = vo_rt_broad_phase_next(&query)) >= 0;) {
        vo_rt_body *body = w->body[i];
        if (!body->is_enabled || !(body->layer & c->collision_mask)) continue;
        if (c->near_count == VO_RT_MAX_NEAR_BODIES) {
            c->stats.ignored_bodies++;
            continue;
        }
        c->near_body[c->near_count] = body;
        c->near_index[c->near_count] = i;
        bool shapes = vo_rt_body_uses_shapes(body, c->state.uses_shapes);
        if (!(body->used & part_for(c, body))) continue; /* it has come near in this world step */
        c->near_shapes[c->near_count] = shapes;
        if (!shapes &&
            (body->mesh_kind == VO_RT_MESH_SKINNED || body->mesh_kind == VO_RT_MESH_HOST))
            c->state.needs_full_rate = true;
        c->near_friction[c->near_count++] = body->friction;
    }
}

vo_rt_contact_bodies vo_rt_bodies_near(const vo_rt_cloth *c) {
    return (vo_rt_contact_bodies){.count = c->near_count,
                                  .body = c->near_body,
                                  .index = c->near_index,
                                  .use_shapes = c->near_shapes,
                                  .friction = c->near_friction,
                                  .span = c->state.move_advances,
                                  .set = &c->contacts};
}
