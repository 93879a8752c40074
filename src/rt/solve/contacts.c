/* Contacts with moving planes and Coulomb friction. */
#include "rt/solve/constraints.h"

void vo_rt_begin_contacts(vo_rt_front *front, vo_rt_contact *contacts, int count) {
    for (int i = 0; i < count; i++) {
        vo_rt_contact *c = &contacts[i];
        c->impulse = 0;
        c->force_impulse = f3(0, 0, 0);
        if (c->other) continue;
        vo_rt_vec4 *x = &front->position[c->vertex];
        float distance = f3_dot(c->normal, f3_sub(f4_xyz(*x), c->point));
        if (distance < 0 && x->w > 0)
            *x = f4_make(f3_add_scaled(f4_xyz(*x), -distance, c->normal), x->w);
    }
}

/* --- Groups -------------------------------------------------------------------------------- */

/* Contacts at the start of the list that can be grouped. */
static int count_groupable(const vo_rt_contact *contacts, int count) {
    int last = 0, repeats = 0;
    for (int i = 0; i < count; i++) {
        int vertex = contacts[i].vertex;
        repeats = vertex == last ? repeats + 1 : 0;
        if (contacts[i].other || vertex < last || repeats > 1) return i;
        last = vertex;
    }
    return count;
}

static bool is_second(const vo_rt_contact *contacts, int i) {
    return i > 0 && contacts[i].vertex == contacts[i - 1].vertex;
}

/* Group of the first one of the second contacts. */
static int second_group(const vo_rt_contact *contacts, int grouped) {
    int first = 0;
    for (int i = 0; i < grouped; i++) first += !is_second(contacts, i);
    return (first + VO_RT_LANES - 1) / VO_RT_LANES;
}

static void fill_lane(vo_rt_contact_group *g, int lane, const vo_rt_contact *c) {
    const float point[3] = {c->point.x, c->point.y, c->point.z};
    const float normal[3] = {c->normal.x, c->normal.y, c->normal.z};
    const float velocity[3] = {c->velocity.x, c->velocity.y, c->velocity.z};
    if (lane == 0) *g = (vo_rt_contact_group){0};
    g->vertex[lane] = c->vertex;
    g->friction[lane] = c->friction;
    for (int k = 0; k < 3; k++) {
        g->point[k][lane] = point[k];
        g->normal[k][lane] = normal[k];
        g->velocity[k][lane] = velocity[k];
    }
}

int vo_rt_group_contacts(vo_rt_contact_group *groups, const vo_rt_contact *contacts, int count,
                         int *grouped) {
    *grouped = count_groupable(contacts, count);
    int next[2] = {0, VO_RT_LANES * second_group(contacts, *grouped)};
    for (int i = 0; i < *grouped; i++) {
        int place = next[is_second(contacts, i)]++;
        fill_lane(&groups[place / VO_RT_LANES], place % VO_RT_LANES, &contacts[i]);
    }
    return (next[1] + VO_RT_LANES - 1) / VO_RT_LANES;
}

void vo_rt_store_impulses(const vo_rt_contact_group *groups, vo_rt_contact *contacts, int grouped) {
    int next[2] = {0, VO_RT_LANES * second_group(contacts, grouped)};
    for (int i = 0; i < grouped; i++) {
        int place = next[is_second(contacts, i)]++, lane = place % VO_RT_LANES;
        const vo_rt_contact_group *g = &groups[place / VO_RT_LANES];
        contacts[i].impulse = g->impulse[lane];
        contacts[i].force_impulse = f3(g->force[0][lane], g->force[1][lane], g->force[2][lane]);
    }
}

/* --- One at a time ------------------------------------------------------------------------- */

/* Displacement by friction: reduces the tangential part of `slip`, the displacement relative to the
 * surface, by at most `limit`. */
static vo_rt_vec3 apply_friction(vo_rt_vec3 slip, vo_rt_vec3 normal, float limit) {
    vo_rt_vec3 tangential = f3_add_scaled(slip, -f3_dot(slip, normal), normal);
    float length2 = f3_length2(tangential);
    float s = length2 > limit * limit ? limit / sqrtf(length2) : 1;
    return f3_scale(-s, tangential);
}

static void project_contact(vo_rt_front *front, vo_rt_contact *c, float time, float h) {
    vo_rt_vec4 *x = &front->position[c->vertex];
    vo_rt_vec3 plane = f3_add_scaled(c->point, time, c->velocity);
    float depth = -f3_dot(c->normal, f3_sub(f4_xyz(*x), plane));
    if (!(depth > 0) || !(x->w > 0)) return;
    vo_rt_vec3 motion = f3_sub(f4_xyz(*x), f4_xyz(front->velocity[c->vertex]));
    vo_rt_vec3 slip = f3_add_scaled(motion, -h, c->velocity);
    vo_rt_vec3 move = apply_friction(slip, c->normal, c->friction * depth);
    move = f3_add_scaled(move, depth, c->normal);
    *x = f4_make(f3_add(f4_xyz(*x), move), x->w);
    float mass_over_h = 1 / (x->w * h);
    c->impulse += depth * mass_over_h;
    c->force_impulse = f3_add_scaled(c->force_impulse, mass_over_h, move);
}

/* The same for a point between two vertices, which move in proportion to their weights and inverse
 * masses. */
static void project_edge_point(vo_rt_front *front, vo_rt_contact *c, float time, float h) {
    vo_rt_vec4 *x = &front->position[c->vertex], *y = &front->position[c->other];
    float t = c->other_weight, wx = (1 - t) * x->w, wy = t * y->w, w = (1 - t) * wx + t * wy;
    vo_rt_vec3 point = f3_lerp(f4_xyz(*x), f4_xyz(*y), t);
    vo_rt_vec3 plane = f3_add_scaled(c->point, time, c->velocity);
    float depth = -f3_dot(c->normal, f3_sub(point, plane));
    if (!(depth > 0) || !(w > 0)) return;
    vo_rt_vec3 start =
        f3_lerp(f4_xyz(front->velocity[c->vertex]), f4_xyz(front->velocity[c->other]), t);
    vo_rt_vec3 slip = f3_add_scaled(f3_sub(point, start), -h, c->velocity);
    vo_rt_vec3 move = apply_friction(slip, c->normal, c->friction * depth);
    move = f3_add_scaled(move, depth, c->normal);
    *x = f4_make(f3_add_scaled(f4_xyz(*x), wx / w, move), x->w);
    *y = f4_make(f3_add_scaled(f4_xyz(*y), wy / w, move), y->w);
    float mass_over_h = 1 / (w * h);
    c->impulse += depth * mass_over_h;
    c->force_impulse = f3_add_scaled(c->force_impulse, mass_over_h, move);
}

void vo_rt_project_contacts(vo_rt_front *front, vo_rt_contact *contacts, int count, float time,
                            float h) {
    for (int i = 0; i < count; i++) {
        if (contacts[i].other)
            project_edge_point(front, &contacts[i], time, h);
        else
            project_contact(front, &contacts[i], time, h);
    }
}
