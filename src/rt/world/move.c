/* Minor step: cloths move under forces, constraints and contacts. */
#include "rt/world/world.h"

#include "core/timer.h"

#include <string.h>

static const float SLEEP_TIME = 1; /* s of slow motion before a cloth sleeps */

/* Particles of the start of the step are shown if the output lies before its end. */
static void store_shown(vo_rt_front *f) {
    memcpy(f->shown, f->position, (size_t)f->vertex_end * sizeof *f->shown);
}

static void update_bounds(vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    vo_rt_vec3 low = f4_xyz(f->position[1]), high = low;
    for (int i = 2; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        low = f3_min(low, f4_xyz(f->position[i]));
        high = f3_max(high, f4_xyz(f->position[i]));
    }
    c->state.min = low;
    c->state.max = high;
}

static vo_rt_touch *find_touch(vo_rt_cloth *c, const vo_rt_contact *contact) {
    vo_rt_cloth_state *s = &c->state;
    for (int i = 0; i < s->touch_count; i++)
        if (s->touch[i].body == contact->body) return &s->touch[i];
    if (s->touch_count == VO_RT_MAX_NEAR_BODIES) return NULL;
    vo_rt_touch *touch = &s->touch[s->touch_count++];
    vo_rt_vec3 v = f4_xyz(c->mesh.front.velocity[contact->vertex]);
    *touch = (vo_rt_touch){.body = contact->body,
                           .speed = fabsf(f3_dot(f3_sub(v, contact->velocity), contact->normal)),
                           .position = contact->point,
                           .normal = contact->normal};
    return touch;
}

/* Sums the impulses on bodies, with the opposite sign of those on the cloth. */
static void sum_touches(vo_rt_cloth *c) {
    for (int i = 0; i < c->contacts.count; i++) {
        const vo_rt_contact *contact = &c->contacts.contact[i];
        if (!(contact->impulse > 0)) continue;
        vo_rt_touch *touch = find_touch(c, contact);
        if (!touch) continue;
        vo_rt_vec3 impulse = f3_scale(-1, contact->force_impulse);
        touch->impulse = f3_add(touch->impulse, impulse);
        touch->torque = f3_add(touch->torque, f3_cross(contact->point, impulse));
    }
}

/* Distant cloths make the substeps of one minor step in all that they skipped. */
int vo_rt_move_count_substeps(const vo_rt_cloth *c) {
    const vo_rt_world_def *def = &c->world->def;
    bool is_reduced = c->state.is_far && !c->state.needs_full_rate;
    int divisor = is_reduced ? def->lod.far_rate_divisor : 1;
    return def->substeps * ((c->state.move_steps + divisor - 1) / divisor);
}

static vo_rt_solve_def solve_def(vo_rt_cloth *c, float dt) {
    const vo_rt_world *w = c->world;
    return (vo_rt_solve_def){.dt = dt,
                             .substeps = vo_rt_move_count_substeps(c),
                             .solver = c->solver,
                             .gravity = w->input.gravity,
                             .fabric = c->input.fabric,
                             .stretch_limit = c->stretch_limit,
                             .compression = c->compression,
                             .constraint = c->constraint,
                             .constraint_user = c->constraint_user,
                             .time = w->time,
                             .max_speed = w->def.max_speed,
                             .link_strength = c->input.link_strength,
                             .levels = &c->levels,
                             .contact_groups = c->contacts.group,
                             .air = &w->air,
                             .use_avx2 = w->use_avx2};
}

static void update_rest(vo_rt_cloth *c, float speed, float dt) {
    vo_rt_cloth_state *s = &c->state;
    s->rest_time = c->sleep_speed > 0 && speed < c->sleep_speed ? s->rest_time + dt : 0;
}

/* The cloths of a group sleep together. */
static void update_sleep(vo_rt_cloth *leader) {
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->state.rest_time < SLEEP_TIME) return;
    for (vo_rt_cloth *c = leader; c; c = c->next_member) {
        vo_rt_front *f = &c->mesh.front;
        c->state.is_sleeping = true;
        memset(f->velocity, 0, (size_t)f->vertex_end * sizeof *f->velocity);
    }
}

static void count_contacts(vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    int count = 0;
    for (int i = 1; i < f->vertex_end; i++) count += (f->flags[i] & VO_RT_VERTEX_CONTACT) != 0;
    c->stats.contacts = count;
    c->stats.inside_vertices = c->contacts.inside;
    c->stats.trapped_vertices = c->contacts.trapped;
}

/* Contacts with bodies, and the start of the minor step. */
static void begin_simulation(vo_rt_cloth *c, float dt) {
    double t0 = vo_now();
    vo_rt_bodies_select(c, dt);
    vo_rt_contact_bodies bodies = vo_rt_bodies_near(c);
    const vo_rt_fabric *fabric = &c->input.fabric;
    vo_rt_front *f = &c->mesh.front;
    vo_rt_contact_find(&c->contacts, f, &bodies, fabric->thickness, fabric->friction, dt);
    double t1 = vo_now();
    vo_rt_solve_def def = solve_def(c, dt);
    vo_rt_solve_begin(&c->minor, c->asset, f, c->contacts.contact, c->contacts.count, &def);
    c->stats.collide_s += t1 - t0;
    c->stats.solve_s += vo_now() - t1;
}

static void run_substeps(vo_rt_cloth *c) {
    double start = vo_now();
    for (int k = 0; k < c->minor.substeps; k++) vo_rt_solve_run(&c->minor, k);
    c->stats.solve_s += vo_now() - start;
}

/* Velocities, and verification of the contacts with bodies. */
static void end_simulation(vo_rt_cloth *c, float dt) {
    vo_rt_front *f = &c->mesh.front;
    double t1 = vo_now();
    vo_rt_solve_result result = vo_rt_solve_end(&c->minor);
    double t2 = vo_now();
    vo_rt_contact_bodies bodies = vo_rt_bodies_near(c);
    if (c->has_group) bodies.sphere = vo_rt_self_spheres(&c->leader->self, c->member);
    if (result.is_finite)
        vo_rt_contact_verify(&c->contacts, f, &bodies, c->input.fabric.thickness, dt);
    sum_touches(c);
    count_contacts(c);
    c->stats.collide_s += vo_now() - t2;
    c->stats.solve_s += t2 - t1;
    c->stats.clamped_velocities += result.clamped_velocities;
    update_bounds(c);
    c->needs_recovery = !result.is_finite || !vo_rt_is_coordinate(c->state.min) ||
                        !vo_rt_is_coordinate(c->state.max);
    if (!c->needs_recovery) update_rest(c, result.max_speed, dt);
}

/* Without simulation, particles follow the animated pose. */
static void follow_pose(vo_rt_cloth *c, float dt) {
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        vo_rt_vec3 x = f4_xyz(f->target[i]);
        vo_rt_vec3 v = f3_scale(1 / dt, f3_sub(x, f4_xyz(f->position[i])));
        float speed = f3_length(v), limit = c->world->def.max_speed;
        if (speed > limit) v = f3_scale(limit / speed, v);
        f->previous[i] = f->position[i];
        f->velocity[i] = f4_make(v, f->velocity[i].w);
        f->position[i] = f4_make(x, f->position[i].w);
    }
    update_bounds(c);
}

/* Frame at the end of this minor step, on the way to that of the end of the world step. */
static vo_rt_transform next_frame(const vo_rt_cloth *c) {
    const vo_rt_step *step = &c->world->step;
    int done = c->state.steps_since_move, left = step->steps - step->minor - step->span;
    if (left <= 0) return c->input.transform;
    return vo_rt_frame_lerp(c->state.frame, c->input.transform, (float)done / (float)(done + left));
}

/* Duration of the move that begins. */
static float begin_move(vo_rt_cloth *c, float s) {
    vo_rt_cloth_state *state = &c->state;
    float dt = (float)state->steps_since_move * c->world->h;
    double start = vo_now();
    if (state->needs_targets || !vo_rt_cloth_simulates(c)) vo_rt_pose_set_targets(c, s);
    store_shown(&c->mesh.front);
    vo_rt_transform frame = next_frame(c);
    vo_rt_frame_carry(c, state->frame, frame, dt);
    state->frame = frame;
    c->stats.pose_s += vo_now() - start;
    state->move_steps = state->steps_since_move;
    state->steps_since_move = 0;
    state->move_advances = state->advances < VO_RT_HISTORY ? state->advances : VO_RT_HISTORY;
    state->advances = 0;
    c->has_moved = true;
    return dt;
}

static void end_move(vo_rt_cloth *c) { c->stats.cost += vo_rt_budget_move_cost(c); }

static void move_alone(vo_rt_cloth *c, float s) {
    float dt = begin_move(c, s);
    if (vo_rt_cloth_simulates(c)) {
        begin_simulation(c, dt);
        run_substeps(c);
        end_simulation(c, dt);
        if (!c->needs_recovery) update_sleep(c);
    } else {
        follow_pose(c, dt);
        c->state.may_intersect = true;
    }
    end_move(c);
}

/* Substeps of all cloths of a group alternate, between queries for collisions. */
static void move_group(vo_rt_cloth *leader, float s) {
    bool moves = false;
    for (vo_rt_cloth *c = leader; c; c = c->next_member) {
        moves |= c->moves;
        if (c->moves) c->move_dt = begin_move(c, s);
    }
    if (!moves) return;
    for (vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->moves) begin_simulation(c, c->move_dt);
    vo_rt_groups_solve(leader);
    for (vo_rt_cloth *c = leader; c; c = c->next_member) {
        if (!c->moves) continue;
        end_simulation(c, c->move_dt);
        end_move(c);
    }
    update_sleep(leader);
}

typedef struct move_arg {
    vo_rt_world *world;
    float s;
} move_arg;

static void move(void *arg, int begin, int end, int chunk) {
    const move_arg *a = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_rt_cloth *c = a->world->active[i];
        if (c->has_group && c->leader == c)
            move_group(c, a->s);
        else if (!c->has_group && c->moves)
            move_alone(c, a->s);
    }
}

/* Cloths whose state is not finite start again at the animated pose. */
static void recover_cloths(vo_rt_world *w) {
    for (int i = 0; i < w->active_count; i++) {
        vo_rt_cloth *c = w->active[i];
        if (!c->needs_recovery) continue;
        vo_rt_cloth_reset_state(c);
        c->stats.recovered_cloths++;
    }
}

void vo_rt_move_cloths(vo_rt_world *w, float s) {
    move_arg arg = {w, s};
    vo_rt_groups_reserve(w);
    if (!vo_threads_run(w->threads, w->active_count, 1, move, &arg)) w->step.tasks_failed = true;
    recover_cloths(w);
}
