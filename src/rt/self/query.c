/* A query, and the steps of the response that are applied in each substep. */
#include "rt/self/self_private.h"

/* Pairs whose anchors come closer than this multiple of the contact distance are contacts. */
static const float CONTACT_RANGE = 2.5f;
enum { MAX_ROUNDS = 2 };

/* Moves the pairs that are contacts to the front of the list; keeps their order. */
static void select_contacts(vo_rt_self_set *set) {
    set->contact_count = 0;
    for (int i = 0; i < set->pair_count; i++) {
        vo_rt_self_pair p = set->pair[i];
        float left = p.distance - f_max(vo_rt_self_approach(set, &p), 0);
        if (!(left < CONTACT_RANGE * p.gap) || vo_rt_self_is_exempt(set, &p)) continue;
        set->pair[i] = set->pair[set->contact_count];
        set->pair[set->contact_count++] = p;
    }
    set->counts.contacts += set->contact_count;
}

static void bound(vo_rt_self_set *set) {
    vo_rt_self_bound_by_drift(set);
    vo_rt_self_bound_by_stars(set);
    for (int i = 0; i < set->pair_count; i++)
        if (!vo_rt_self_is_exempt(set, &set->pair[i])) vo_rt_self_bound_by_pair(set, &set->pair[i]);
}

/* Searches pairs and adjusts the displacements to them; again if that brings other features
 * together. False if the pairs exceed the memory. */
static bool detect(vo_rt_self_set *set, const vo_rt_self_query *query) {
    vo_rt_self_gather(set, query->is_static);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        vo_rt_self_measure_stars(set);
        vo_rt_self_init_bounds(set);
        if (!vo_rt_self_find_pairs(set, query)) return false;
        if (vo_rt_self_predict(set)) return true;
    }
    vo_rt_self_undo_adjustment(set); /* all displacements are scaled instead */
    return true;
}

/* With too many pairs for the memory anchors do not move. Bounds of pairs beyond it are then
 * computed at once, and contacts are those that fit. */
void vo_rt_self_find(vo_rt_self_set *set, const vo_rt_self_query *query) {
    if (!detect(set, query) && !query->is_static) {
        set->counts.overflows++;
        vo_rt_self_query still = *query;
        still.is_static = true;
        detect(set, &still);
    }
    if (!set->is_static) vo_rt_self_limit_drift(set);
    bound(set);
    select_contacts(set);
}

/* --- Clamp ------------------------------------------------------------------------------------ */

static int clamp_member(vo_rt_self_set *set, const vo_rt_self_member *m, float s) {
    vo_rt_front *f = &m->mesh->front;
    int count = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        int v = m->first + i;
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->drift[v]));
        vo_rt_vec3 anchor = f3_add_scaled(f4_xyz(set->x[v]), s, path);
        vo_rt_vec3 d = f3_sub(f4_xyz(f->position[i]), anchor);
        float length2 = f3_length2(d), bound = set->bound[v];
        if (length2 <= bound * bound || !(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        vo_rt_vec3 x = anchor; /* also of a position that is not finite */
        if (isfinite(length2)) x = f3_add_scaled(anchor, bound / sqrtf(length2), d);
        f->position[i] = f4_make(x, f->position[i].w);
        count++;
    }
    return count;
}

int vo_rt_self_clamp(vo_rt_self_set *set, float s) {
    int count = 0;
    for (int k = 0; k < set->member_count; k++)
        if (set->member[k].moves) count += clamp_member(set, &set->member[k], s);
    return count;
}

void vo_rt_self_finish(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) {
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->drift[v]));
        set->x[v] = f4_make(f3_add(f4_xyz(set->x[v]), path), set->bound[v]);
    }
}
