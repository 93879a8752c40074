/* Inputs of the host become active at the beginning of a step. */
#include "rt/world/world.h"

#include <string.h>

/* The pose at the end of the last step is that at the start of this one. */
static void update_pose(vo_rt_cloth *c) {
    size_t bytes = (size_t)c->asset->vertex_count * sizeof *c->pose_end;
    memcpy(c->pose_start, c->pose_end, bytes);
    if (!c->next.pose_changed) return;
    vo_rt_pose_update(c);
    if (memcmp(c->pose_start, c->pose_end, bytes) != 0 || c->input.blend != c->next.blend)
        c->next.wake = 1;
}

static void serve_requests(vo_rt_cloth *c) {
    if (c->input.wake || c->input.reset || c->input.teleport) {
        c->state.is_sleeping = false;
        c->state.rest_time = 0;
    }
    if (c->input.teleport) {
        vo_rt_frame_teleport(c);
        vo_rt_detail_reset(&c->detail);
        vo_rt_upsample_reset(&c->upsample);
        c->state.frame = c->input.transform;
        c->state.arrives = true;
        c->state.may_intersect = true;
    }
    if (c->input.reset) vo_rt_cloth_reset_state(c);
}

/* The pose of a parked cloth is computed when it restarts. Requests are obsolete by then. */
static void apply_parked(vo_rt_cloth *c) {
    c->input = c->next;
    c->next.teleport = c->next.reset = c->next.wake = c->next.pose_changed = 0;
}

static void apply_cloth(vo_rt_cloth *c) {
    update_pose(c);
    if (c->next.fabric.density != c->mesh.density)
        vo_rt_mesh_set_density(&c->mesh, c->next.fabric.density);
    if (c->next.enabled && !c->input.enabled) c->state.arrives = c->state.may_intersect = true;
    c->input = c->next;
    c->next.teleport = c->next.reset = c->next.wake = c->next.pose_changed = 0;
    c->mesh.tie_rule = c->input.adaption.tie_rule;
    c->mesh.max_level = c->input.max_level;
    serve_requests(c);
    if (c->input.pose_changed) {
        vo_rt_pose_set_targets(c, 0);
        vo_rt_pose_apply_weights(c);
    }
}

/* Cloths whose requests need memory of the heap are left to the serial part. */
static bool is_serial(const vo_rt_cloth *c) { return c->next.reset && !c->state.is_parked; }

static void apply_cloths(void *arg, int begin, int end, int chunk) {
    vo_rt_world *w = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_rt_cloth *c = &w->cloth[i];
        if (!c->is_used || is_serial(c)) continue;
        if (w->next.changed) c->next.wake = 1;
        if (c->state.is_parked)
            apply_parked(c);
        else
            apply_cloth(c);
        vo_rt_classify_cloth(c);
    }
}

static void apply_serial(vo_rt_world *w) {
    for (int i = 0; i < w->cloth_end; i++) {
        vo_rt_cloth *c = &w->cloth[i];
        if (!c->is_used) continue;
        if (is_serial(c)) {
            apply_cloth(c);
            vo_rt_classify_cloth(c);
        }
        vo_rt_classify_restart(c);
    }
}

static void list_active(vo_rt_world *w) {
    w->active_count = 0;
    for (int i = 0; i < w->cloth_end; i++) {
        vo_rt_cloth *c = &w->cloth[i];
        if (!c->is_used) continue;
        c->stats = (vo_rt_cloth_stats){0};
        c->state.touch_count = 0;
        if (c->input.enabled) w->active[w->active_count++] = c;
    }
}

static void update_views(vo_rt_world *w) {
    for (int i = 0; i < w->input.camera_count; i++)
        w->view[i] = vo_rt_criteria_make_view(&w->input.camera[i], w->def.lod.margin);
}

void vo_rt_inputs_apply(vo_rt_world *w) {
    bool changed = w->next.changed;
    w->input = w->next;
    update_views(w);
    vo_rt_bodies_update_bounds(w);
    if (!vo_threads_run(w->threads, w->cloth_end, 8, apply_cloths, w)) w->step.tasks_failed = true;
    apply_serial(w);
    w->next.changed = 0;
    w->input.changed = changed;
    list_active(w);
    vo_rt_bodies_begin_step(w);
}
