/* The step of a world. */
#include "rt/world/world.h"

#include "core/timer.h"

/* Minor steps until simulated time reaches that of the host. The tolerance prevents an additional
 * step because of rounding. */
static double steps_needed(const vo_rt_world *w, double dt) {
    return ceil((dt - w->lead) / (double)w->h - 1e-4);
}

static void plan_steps(vo_rt_world *w, float dt) {
    double needed = steps_needed(w, (double)dt);
    if (needed < 0) needed = 0;
    double limit = w->def.max_steps_per_call;
    w->step = (vo_rt_step){.is_begun = true, .dt = dt};
    w->step.steps = (int32_t)(needed < limit ? needed : limit);
    w->step.dropped = needed > limit ? (int64_t)(needed - limit < 1e15 ? needed - limit : 1e15) : 0;
    w->lead += needed * (double)w->h - (double)dt;
    if (needed > limit || w->lead < 0 || !(w->lead < (double)w->h)) {
        double excess = w->lead - (double)w->h;
        w->lead = needed > limit || w->lead < 0 || excess > 1e-4 * (double)w->h ? 0 : (double)w->h;
    }
    w->alpha = f_clamp(1 - (float)(w->lead / (double)w->h), 0, 1);
}

vo_result vo_rt_world_begin_step(vo_rt_world *w, float dt) {
    if (w->step.is_begun)
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                          "a step is in progress; call vo_rt_world_end_step first");
    if (!(dt >= 0) || isinf(dt))
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT, "dt is %g; use a finite time of at least 0",
                          (double)dt);
    plan_steps(w, dt);
    w->pose_s = 0;
    if (w->step.steps > 0) vo_rt_inputs_apply(w);
    return VO_OK;
}

/* True if a body that moves in this step is near. */
static bool is_disturbed(const vo_rt_cloth *c) {
    float reach = 0.05f + vo_rt_upsampled_reach(c);
    vo_rt_vec3 margin = f3(reach, reach, reach);
    vo_rt_broad_query query = vo_rt_broad_phase_begin(c->world, f3_sub(c->state.min, margin),
                                                      f3_add(c->state.max, margin));
    for (int i; (i = vo_rt_broad_phase_next(&query)) >= 0;) {
        const vo_rt_body *body = c->world->body[i];
        if (vo_rt_body_get_slot(body)->has_moved && (body->layer & c->collision_mask)) return true;
    }
    return false;
}

/* Selects the cloths that move in this minor step; a moving body wakes those near it. */
static void select_cloths(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        bool is_reduced = c->state.is_far && !c->state.needs_full_rate;
        int divisor = is_reduced ? w->def.lod.far_rate_divisor : 1;
        if (c->state.is_sleeping && is_disturbed(c)) {
            c->state.is_sleeping = false;
            c->state.rest_time = 0;
        }
        c->moves = false;
        if (c->state.is_parked) continue;
        int phase = (int)((w->minors + c->index) % divisor);
        c->state.advances++;
        c->state.steps_since_move += w->step.span;
        c->moves = !c->state.is_sleeping && (phase == 0 || phase + w->step.span > divisor ||
                                             c->state.steps_since_move >= divisor);
        if (c->state.is_sleeping) c->state.steps_since_move = c->state.advances = 0;
    }
}

/* Minor steps that bodies and contacts cross at once: contacts are planes that move with the
 * surface, which is a good approximation for 1/30 s of motion (Simnett et al. 2010, 6.1, test
 * collisions once per major step). */
static int choose_span(const vo_rt_world *w) {
    int left = w->step.steps - w->step.minor, most = (int)(w->def.minor_rate / 30 + 0.5f);
    return left < most ? left : most;
}

static void run_minor_steps(vo_rt_world *w) {
    w->step.span = choose_span(w);
    float s = (float)(w->step.minor + w->step.span) / (float)w->step.steps;
    vo_rt_air_update(w);
    vo_rt_bodies_advance(w, s);
    vo_rt_groups_find(w);
    select_cloths(w);
    if (w->step.minor == 0) vo_rt_arrive_cloths(w);
    vo_rt_adapt_cloths(w);
    vo_rt_move_cloths(w, s);
    w->minors += w->step.span;
    w->time += w->step.span * (double)w->h;
    w->step.minor += w->step.span;
}

void vo_rt_world_run_step(vo_rt_world *w) {
    if (!w->step.is_begun || w->step.has_run) return;
    double start = vo_now();
    for (w->step.minor = 0; w->step.minor < w->step.steps;) run_minor_steps(w);
    w->step.has_run = true;
    w->step.elapsed = vo_now() - start;
}

vo_result vo_rt_world_end_step(vo_rt_world *w) {
    if (!w->step.has_run)
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                          "no step has run; call vo_rt_world_begin_step and vo_rt_world_run_step");
    vo_rt_publish(w);
    bool failed = w->step.tasks_failed;
    w->step.is_begun = w->step.has_run = false;
    if (!failed) return VO_OK;
    return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                      "run_tasks returned before it had run every task; run each task once");
}

vo_result vo_rt_world_step(vo_rt_world *w, float dt) {
    if (dt == 0) return VO_OK;
    vo_result result = vo_rt_world_begin_step(w, dt);
    if (result != VO_OK) return result;
    vo_rt_world_run_step(w);
    return vo_rt_world_end_step(w);
}
