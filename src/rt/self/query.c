/* A query: near pairs, contacts, bounds. */
#include "rt/self/self_private.h"

/* Pairs that come closer than this multiple of the contact distance by their predictions are
 * contacts. */
static const float CONTACT_RANGE = 2.5f;

enum { RADIUS_HALVINGS = 3 };

/* Moves the pairs that are contacts to the front of the list; keeps their order. */
static void select_contacts(vo_rt_self_set *set) {
    set->contact_count = 0;
    for (int i = 0; i < set->pair_count; i++) {
        vo_rt_self_pair p = set->pair[i];
        float left = p.distance - f_max(vo_rt_self_approach(set->drift, &p), 0);
        if (!(left < CONTACT_RANGE * p.gap) || vo_rt_self_is_exempt(set, &p)) continue;
        set->pair[i] = set->pair[set->contact_count];
        set->pair[set->contact_count++] = p;
    }
    set->counts.contacts += set->contact_count;
}

void vo_rt_self_search(vo_rt_self_set *set, const vo_rt_self_query *query) {
    vo_rt_self_measure_stars(set, set->drift);
    vo_rt_self_find_calm(set);
    vo_rt_self_find_flat(set);
    vo_rt_self_find_pairs(set, query, false);
    for (int k = 0; k < RADIUS_HALVINGS && set->is_full; k++) {
        for (int v = 0; v < set->cloth_vertex_count; v++) set->radius[v] *= 0.5f;
        vo_rt_self_find_pairs(set, query, false);
    }
}

void vo_rt_self_find(vo_rt_self_set *set, const vo_rt_self_query *query) {
    float largest = f_max(query->static_radius, VO_RT_SELF_STATIC_RADIUS);
    set->max_radius = query->is_static ? largest : VO_RT_SELF_MAX_RADIUS;
    vo_rt_self_gather(set, query->is_static);
    vo_rt_self_search(set, query);
    if (query->is_static) vo_rt_self_find_bounds(set, set->drift);
    select_contacts(set);
}

void vo_rt_self_finish(vo_rt_self_set *set) {
    vo_rt_self_find_bounds(set, set->move);
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        vo_rt_vec3 path = f3_add(set->shift, f4_xyz(set->move[v]));
        set->x[v] = f4_make(f3_add(f4_xyz(set->x[v]), path), set->bound[v]);
    }
}
