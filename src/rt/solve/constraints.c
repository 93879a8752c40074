/* Attachments, distance limits, backstops, tethers and seam links. */
#include "rt/solve/constraints.h"

#include <float.h>

/* Angular frequency, 1/s, of an attachment of weight 1/2. */
static const float ATTACHMENT_RATE = 60;
/* Speed, m/s, at which links of strength 1 close. */
static const float LINK_SPEED = 3;
/* Shorter distances, m, have no direction. */
static const float LEAST_DISTANCE = 1e-9f;

static void add_slot(vo_rt_slots *slots, int i) {
    if (slots->end == 0) slots->begin = i;
    slots->end = i + 1;
}

static float inverse_mass(const vo_rt_front *front, int i) {
    bool is_free = (front->flags[i] & VO_RT_VERTEX_USED) && !(front->target[i].w >= 1);
    return is_free && front->mass[i] > 0 ? 1 / front->mass[i] : 0;
}

static void sort_slot(const vo_rt_front *front, int i, vo_rt_pose_slots *out) {
    float weight = front->target[i].w;
    const vo_rt_vertex_maps *maps = &front->maps[i];
    if (weight >= 1) add_slot(&out->prescribed, i);
    if (weight > 0 && weight < 1) add_slot(&out->pulled, i);
    if (maps->max_distance < FLT_MAX) add_slot(&out->limited, i);
    if (maps->backstop > -FLT_MAX && maps->backstop_radius > 0) add_slot(&out->backstop, i);
}

vo_rt_pose_slots vo_rt_begin_vertices(vo_rt_front *front) {
    vo_rt_pose_slots slots = {0};
    float mass = 0;
    int count = 0;
    for (int i = 0; i < front->vertex_end; i++) {
        front->position[i].w = inverse_mass(front, i);
        front->previous[i] = front->position[i];
        if (!(front->flags[i] & VO_RT_VERTEX_USED)) continue;
        sort_slot(front, i, &slots);
        mass += front->mass[i];
        count++;
    }
    slots.mean_mass = count > 0 ? mass / (float)count : 0;
    return slots;
}

static void set_position(vo_rt_front *front, int i, vo_rt_vec3 x) {
    front->position[i] = f4_make(x, front->position[i].w);
}

void vo_rt_move_prescribed(vo_rt_front *front, vo_rt_slots slots, float s) {
    for (int i = slots.begin; i < slots.end; i++) {
        vo_rt_vec3 target = f4_xyz(front->target[i]);
        if (!(front->target[i].w >= 1) || !(front->flags[i] & VO_RT_VERTEX_USED)) continue;
        if (!f3_is_finite(target)) continue;
        vo_rt_vec3 x = s < 1 ? f3_lerp(f4_xyz(front->previous[i]), target, s) : target;
        set_position(front, i, x);
    }
}

void vo_rt_pull_attached(vo_rt_front *front, vo_rt_slots slots, float h) {
    for (int i = slots.begin; i < slots.end; i++) {
        float weight = front->target[i].w;
        vo_rt_vec3 target = f4_xyz(front->target[i]);
        if (!(weight > 0) || !(front->position[i].w > 0) || !f3_is_finite(target)) continue;
        float rate = ATTACHMENT_RATE * h * weight / (1 - weight), stiffness = rate * rate;
        float s = stiffness < 1e6f ? stiffness / (1 + stiffness) : 1;
        set_position(front, i, f3_lerp(f4_xyz(front->position[i]), target, s));
    }
}

void vo_rt_limit_distance(vo_rt_front *front, vo_rt_slots slots) {
    for (int i = slots.begin; i < slots.end; i++) {
        float limit = f_max(front->maps[i].max_distance, 0);
        if (!(limit < FLT_MAX) || !(front->position[i].w > 0)) continue;
        vo_rt_vec3 target = f4_xyz(front->target[i]);
        vo_rt_vec3 d = f3_sub(f4_xyz(front->position[i]), target);
        float distance2 = f3_length2(d);
        if (!(distance2 > limit * limit) || !f3_is_finite(target)) continue;
        set_position(front, i, f3_add_scaled(target, limit / sqrtf(distance2), d));
    }
}

void vo_rt_apply_backstops(vo_rt_front *front, vo_rt_slots slots) {
    for (int i = slots.begin; i < slots.end; i++) {
        const vo_rt_vertex_maps *maps = &front->maps[i];
        float radius = maps->backstop_radius;
        if (!(maps->backstop > -FLT_MAX) || !(radius > 0) || !(front->position[i].w > 0)) continue;
        vo_rt_vec3 normal = f4_xyz(front->normal[i]), target = f4_xyz(front->target[i]);
        if (!(f3_length2(normal) > 0.5f) || !f3_is_finite(target)) continue;
        vo_rt_vec3 centre = f3_add_scaled(target, -(maps->backstop + radius), normal);
        vo_rt_vec3 d = f3_sub(f4_xyz(front->position[i]), centre);
        float distance = f3_length(d);
        if (!(distance < radius)) continue;
        if (distance < LEAST_DISTANCE) d = normal, distance = 1;
        set_position(front, i, f3_add_scaled(centre, radius / distance, d));
    }
}

/* Changes the distance of two vertices from `distance` to `length`; d is b - a. */
static void set_distance(vo_rt_front *front, int a, int b, vo_rt_vec3 d, float distance,
                         float length) {
    float wa = front->position[a].w, wb = front->position[b].w;
    if (!(wa + wb > 0) || !(distance > LEAST_DISTANCE)) return;
    float s = (distance - length) / (distance * (wa + wb));
    set_position(front, a, f3_add_scaled(f4_xyz(front->position[a]), s * wa, d));
    set_position(front, b, f3_add_scaled(f4_xyz(front->position[b]), -(s * wb), d));
}

void vo_rt_project_tethers(const vo_rt_asset *asset, vo_rt_front *front) {
    for (int i = 0; i < asset->tether_count; i++) {
        const vo_rt_tether *tether = &asset->tether[i];
        int a = tether->vertex + 1, b = tether->anchor + 1;
        vo_rt_vec3 d = f3_sub(f4_xyz(front->position[b]), f4_xyz(front->position[a]));
        float distance2 = f3_length2(d);
        if (!(distance2 > tether->length * tether->length)) continue;
        set_distance(front, a, b, d, sqrtf(distance2), tether->length);
    }
}

void vo_rt_project_links(const vo_rt_asset *asset, vo_rt_front *front, float strength, float h) {
    if (!(strength > 0)) return;
    float rate = strength < 1 ? ATTACHMENT_RATE * h * strength / (1 - strength) : 1e6f;
    float kept = 1 / (1 + rate * rate);
    for (int i = 0; i < asset->link_count; i++) {
        int a = asset->link[i].a + 1, b = asset->link[i].b + 1;
        vo_rt_vec3 d = f3_sub(f4_xyz(front->position[b]), f4_xyz(front->position[a]));
        /* front.velocity holds the positions at the start of the substep. */
        float start = f3_distance(f4_xyz(front->velocity[b]), f4_xyz(front->velocity[a]));
        float distance = f3_length(d), length = f_max(distance * kept, start - LINK_SPEED * h);
        set_distance(front, a, b, d, distance, length);
    }
}
