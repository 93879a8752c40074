/* Level of detail of a cloth as a whole: visibility, distance, parking. Once per world step. */
#include "rt/world/world.h"

/* A cloth that has not been visible for this time is parked, s. */
static const float PARK_TIME = 0.5f;
/* The ball around a parked cloth is larger than in the bind pose by this factor. */
static const float PARKED_SCALE = 1.3f;
/* Cloths return to the next finer level at this fraction of a distance. */
static const float HYSTERESIS = 0.95f;
/* Cloth whose animated pose is stretched more than this (99th percentile) cannot be simulated from
 * there: a narrow skirt in the middle of a stride surrounds each leg, and would stay caught between
 * them. It follows the pose until that is possible, when the legs pass each other, or for this
 * time, s. */
static const float MAX_POSE_STRETCH = 0.25f, MAX_POSE_WAIT = 1;

/* Distance from the nearest camera; 0 without cameras. */
static float camera_distance(const vo_rt_world *w, const vo_rt_cloth *c) {
    vo_rt_vec3 center = f3_lerp(c->state.min, c->state.max, 0.5f);
    float nearest = w->input.camera_count > 0 ? INFINITY : 0;
    for (int i = 0; i < w->input.camera_count; i++)
        nearest = f_min(nearest, f3_distance(center, w->input.camera[i].position));
    return nearest;
}

static bool is_beyond(float distance, float limit, bool was_beyond) {
    return limit > 0 && distance > limit * (was_beyond ? HYSTERESIS : 1);
}

/* A parked cloth is represented by a ball around the animated position of one vertex. */
static void move_parked(vo_rt_cloth *c) {
    vo_rt_cloth_state *s = &c->state;
    vo_rt_vec3 center = vo_rt_pose_skin_vertex(c, c->middle_vertex);
    float duration = (float)c->world->step.steps * c->world->h;
    s->parked_velocity = f3_scale(1 / duration, f3_sub(center, s->parked_center));
    float speed = f3_length(s->parked_velocity), limit = c->world->def.max_speed;
    if (!(speed <= limit)) s->parked_velocity = f3(0, 0, 0);
    s->parked_center = center;
    float r = PARKED_SCALE * c->middle_radius;
    s->min = f3_sub(center, f3(r, r, r));
    s->max = f3_add(center, f3(r, r, r));
}

/* True if a cloth that is not visible may be parked: as a ball it must not be visible either. */
static bool can_park(const vo_rt_cloth *c) {
    const vo_rt_world *w = c->world;
    if (!w->def.lod.park_off_screen || c->asset->bone_count == 0 || !(c->input.blend > 0))
        return false;
    float r = PARKED_SCALE * c->middle_radius;
    vo_rt_vec3 center = vo_rt_pose_skin_vertex(c, c->middle_vertex), d = f3(r, r, r);
    return !vo_rt_criteria_sees(w, f3_sub(center, d), f3_add(center, d));
}

static bool is_pose_stretched(const vo_rt_cloth *c) {
    return vo_rt_solve_stretch(&c->mesh.front, 0.99f) > MAX_POSE_STRETCH;
}

/* True if a cloth that follows the animated pose waits for a better moment to leave it. */
static bool waits_for_pose(vo_rt_cloth *c) {
    vo_rt_cloth_state *s = &c->state;
    if (!s->follows_pose || s->is_parked || s->pose_wait >= MAX_POSE_WAIT || !is_pose_stretched(c))
        return false;
    s->pose_wait += (float)c->world->step.steps * c->world->h;
    return true;
}

void vo_rt_classify_cloth(vo_rt_cloth *c) {
    const vo_rt_world *w = c->world;
    const vo_rt_lod *lod = &w->def.lod;
    vo_rt_cloth_state *s = &c->state;
    if (s->is_parked) move_parked(c);
    s->is_visible = vo_rt_criteria_sees(w, s->min, s->max);
    s->hidden_time = s->is_visible ? 0 : s->hidden_time + (float)w->step.steps * w->h;
    bool parks = s->hidden_time >= PARK_TIME && (s->is_parked || can_park(c));
    c->restarts = parks != s->is_parked;
    float distance = camera_distance(w, c);
    float shape_distance = lod->shape_distance > 0 ? lod->shape_distance : lod->far_distance;
    bool uses_shapes = is_beyond(distance, shape_distance, s->uses_shapes);
    s->is_far = is_beyond(distance, lod->far_distance, s->is_far);
    bool is_distant =
        c->asset->bone_count > 0 && is_beyond(distance, lod->pose_distance, s->follows_pose);
    if (is_distant) s->pose_wait = 0;
    bool follows = is_distant || waits_for_pose(c);
    if (uses_shapes != s->uses_shapes || (s->follows_pose && !follows)) {
        /* the cloth may be inside the other part of a body */
        vo_rt_contact_reset(&c->contacts);
        s->arrives = true;
    }
    s->uses_shapes = uses_shapes;
    s->follows_pose = follows;
}

/* Gives all vertices the velocity of the animated pose, so that the cloth does not lag behind. */
static void set_velocity(vo_rt_cloth *c) {
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++)
        f->velocity[i] = f4_make(c->state.parked_velocity, f->velocity[i].w);
}

void vo_rt_classify_restart(vo_rt_cloth *c) {
    if (!c->restarts) return;
    vo_rt_pose_update(c);
    vo_rt_cloth_reset_state(c);
    if (c->state.is_parked)
        set_velocity(c);
    else
        c->state.parked_center = vo_rt_pose_skin_vertex(c, c->middle_vertex);
    c->state.is_parked = !c->state.is_parked;
    c->state.pose_wait = 0;
    if (!c->state.is_parked && is_pose_stretched(c)) c->state.follows_pose = true;
    c->restarts = false;
}
