/* Creation and destruction of a world, and its setters. */
#include "rt/world/world.h"

#include "math/simd_float.h"

#include <string.h>

static void *allocate(const vo_allocator *a, size_t bytes) {
    void *memory = a->allocate(a->user, bytes, VO_RT_ALIGNMENT);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static void release(const vo_allocator *a, void *memory, size_t bytes) {
    if (memory) a->release(a->user, memory, bytes);
}

static bool allocate_arrays(vo_rt_world *w) {
    const vo_rt_world_def *d = &w->def;
    const vo_allocator *a = &d->allocator;
    w->cloth = allocate(a, (size_t)d->max_cloths * sizeof *w->cloth);
    w->active = allocate(a, (size_t)d->max_cloths * sizeof *w->active);
    w->body = allocate(a, (size_t)d->max_bodies * sizeof *w->body);
    w->sorted = allocate(a, (size_t)d->max_bodies * sizeof *w->sorted);
    w->event = allocate(a, (size_t)(d->max_contact_events + 1) * sizeof *w->event);
    w->threads = d->run_tasks
                     ? vo_threads_create_host(a, d->threads, d->run_tasks, d->run_tasks_user)
                     : vo_threads_create(a, d->threads);
    return vo_rt_heap_init(&w->heap, a, d->pool_bytes) && w->cloth && w->active && w->body &&
           w->sorted && w->event && w->threads;
}

vo_result vo_rt_world_create(const vo_rt_world_def *def, vo_rt_world **out,
                             vo_rt_message *message) {
    *out = NULL;
    vo_result result = vo_rt_check_world_def(def, message);
    if (result != VO_OK) return result;
    vo_rt_world *w = allocate(&def->allocator, sizeof *w);
    if (!w) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for the world");
    w->def = *def;
    w->h = 1 / def->minor_rate;
    w->alpha = 1;
    w->use_avx2 = vo_simd_has_avx2();
    w->detail_scale = 1;
    w->next.gravity = def->gravity;
    w->next.budget_mode = (int32_t)def->budget_mode;
    w->next.budget_ms = def->budget_ms;
    w->input = w->next;
    if (!allocate_arrays(w)) {
        vo_rt_world_destroy(w);
        return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for the arrays of the world");
    }
    *out = w;
    return VO_OK;
}

void vo_rt_world_destroy(vo_rt_world *w) {
    if (!w) return;
    vo_rt_world_def d = w->def;
    const vo_allocator *a = &d.allocator;
    if (w->cloth)
        for (int i = 0; i < w->cloth_end; i++)
            if (w->cloth[i].is_used) vo_rt_cloth_free(&w->cloth[i]);
    if (w->body)
        for (int i = 0; i < w->body_end; i++)
            if (w->body[i]) vo_rt_body_destroy(w->body[i]);
    if (w->threads) vo_threads_destroy(w->threads, a);
    vo_rt_heap_free(&w->heap);
    release(a, w->event, (size_t)(d.max_contact_events + 1) * sizeof *w->event);
    release(a, w->sorted, (size_t)d.max_bodies * sizeof *w->sorted);
    release(a, w->body, (size_t)d.max_bodies * sizeof *w->body);
    release(a, w->active, (size_t)d.max_cloths * sizeof *w->active);
    release(a, w->cloth, (size_t)d.max_cloths * sizeof *w->cloth);
    release(a, w, sizeof *w);
}

const char *vo_rt_world_message(const vo_rt_world *w) { return w->message.text; }

double vo_rt_world_time(const vo_rt_world *w) { return w->time; }

vo_rt_stats vo_rt_world_get_stats(const vo_rt_world *w) { return w->stats; }

const vo_rt_contact_event *vo_rt_world_get_events(const vo_rt_world *w, int *count) {
    *count = w->event_count;
    return w->event;
}

static vo_result check_vector(vo_rt_world *w, const char *name, vo_rt_vec3 a) {
    if (vo_rt_is_coordinate(a)) return VO_OK;
    return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                      "%s is (%g, %g, %g); use finite values of at most %g", name, (double)a.x,
                      (double)a.y, (double)a.z, (double)VO_RT_MAX_COORDINATE);
}

/* Only a change of gravity, wind or fans wakes the cloths. */
static bool is_same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

vo_result vo_rt_world_set_gravity(vo_rt_world *w, vo_rt_vec3 gravity) {
    vo_result result = check_vector(w, "gravity", gravity);
    if (result != VO_OK) return result;
    if (!is_same(&w->next.gravity, &gravity, sizeof gravity)) w->next.changed = 1;
    w->next.gravity = gravity;
    return VO_OK;
}

vo_result vo_rt_world_set_wind(vo_rt_world *w, vo_rt_vec3 velocity, float turbulence) {
    vo_result result = check_vector(w, "velocity", velocity);
    if (result == VO_OK) result = vo_rt_check_range(&w->message, "turbulence", turbulence, 0, 10);
    if (result != VO_OK) return result;
    if (!is_same(&w->next.wind, &velocity, sizeof velocity) || w->next.turbulence != turbulence)
        w->next.changed = 1;
    w->next.wind = velocity;
    w->next.turbulence = turbulence;
    return VO_OK;
}

static vo_result check_camera(vo_rt_world *w, vo_rt_camera *c) {
    vo_rt_transform t = {c->position, c->rotation};
    vo_result result = vo_rt_check_transform(&t, &w->message);
    c->rotation = t.rotation;
    if (result == VO_OK) result = vo_rt_check_range(&w->message, "fov_y", c->fov_y, 1e-3f, 3.1f);
    if (result == VO_OK) result = vo_rt_check_range(&w->message, "aspect", c->aspect, 1e-2f, 100);
    if (result == VO_OK)
        result = vo_rt_check_range(&w->message, "height_pixels", c->height_pixels, 1, 1e5f);
    return result;
}

vo_result vo_rt_world_set_cameras(vo_rt_world *w, int count, const vo_rt_camera *cameras) {
    vo_rt_camera checked[VO_RT_MAX_CAMERAS];
    if (count < 0 || count > VO_RT_MAX_CAMERAS || (count > 0 && !cameras))
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT, "%d cameras; use 0 to %d", count,
                          VO_RT_MAX_CAMERAS);
    for (int i = 0; i < count; i++) {
        checked[i] = cameras[i];
        vo_result result = check_camera(w, &checked[i]);
        if (result != VO_OK) return result;
    }
    for (int i = 0; i < count; i++) w->next.camera[i] = checked[i];
    w->next.camera_count = count;
    return VO_OK;
}

static vo_result check_fan(vo_rt_world *w, vo_rt_fan *f) {
    vo_result result = check_vector(w, "fan.position", f->position);
    float length = f3_length(f->direction);
    if (result == VO_OK && !(length > 1e-6f && length < 1e6f))
        result = vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                            "fan.direction has length %g; use a unit vector", (double)length);
    if (result == VO_OK) result = vo_rt_check_range(&w->message, "fan.speed", f->speed, 0, 1e4f);
    if (result == VO_OK)
        result = vo_rt_check_range(&w->message, "fan.angle", f->angle, 1e-3f, 3.15f);
    if (result == VO_OK)
        result = vo_rt_check_range(&w->message, "fan.range", f->range, 1e-3f, 1e6f);
    f->direction = f3_normalize(f->direction);
    return result;
}

vo_result vo_rt_world_set_fans(vo_rt_world *w, int count, const vo_rt_fan *fans) {
    vo_rt_fan checked[VO_RT_MAX_FANS];
    if (count < 0 || count > VO_RT_MAX_FANS || (count > 0 && !fans))
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT, "%d fans; use 0 to %d", count,
                          VO_RT_MAX_FANS);
    for (int i = 0; i < count; i++) {
        checked[i] = fans[i];
        vo_result result = check_fan(w, &checked[i]);
        if (result != VO_OK) return result;
    }
    if (w->next.fan_count != count ||
        !is_same(w->next.fan, checked, (size_t)count * sizeof *checked))
        w->next.changed = 1;
    for (int i = 0; i < count; i++) w->next.fan[i] = checked[i];
    w->next.fan_count = count;
    return VO_OK;
}

vo_result vo_rt_world_set_budget(vo_rt_world *w, vo_rt_budget_mode mode, float ms) {
    if ((int)mode < 0 || mode > VO_RT_BUDGET_CLOCK)
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                          "budget mode is %d; use a vo_rt_budget_mode", (int)mode);
    if (mode != VO_RT_BUDGET_NONE) {
        vo_result result = vo_rt_check_range(&w->message, "budget_ms", ms, 1e-3f, 1e4f);
        if (result != VO_OK) return result;
    }
    w->next.budget_mode = (int32_t)mode;
    w->next.budget_ms = mode == VO_RT_BUDGET_NONE ? 0 : ms;
    return VO_OK;
}
