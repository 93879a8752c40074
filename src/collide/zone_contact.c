/* Contacts: what becomes of an impact that is found, again and again. */
#include "collide/zone.h"

#include "collide/arrays.h"
#include "core/memory.h"

#include <string.h>

enum { MAX_LOOKS = 2 }; /* pairs that need more are kept apart by a plane */

static vo_vec3 impact_sum(const vo_impact *m, const vo_vec3 *x) {
    return vo_weighted_sum(m->weight, m->pair.node, x);
}

/* x_i += w_i / m_i impulse */
static void apply(const vo_zones *z, const vo_impact *m, vo_vec3 impulse, vo_vec3 *x) {
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double pull = m->weight[i] * z->mobility[node];
        if (pull != 0) x[node] = v3_add_scaled(x[node], pull, impulse);
    }
}

static vo_vec3 impulse_of(const vo_zone_contact *c) {
    return v3_add_scaled(c->drag, c->push, c->impact.normal);
}

/* The newest contact of a pair, -1 if there is none. */
static int find_contact(const vo_zones *z, const vo_feature_pair *pair) {
    int c = z->first[pair->node[0]];
    while (c >= 0 && memcmp(&z->contact[c].impact.pair, pair, sizeof *pair) != 0)
        c = z->contact[c].next;
    return c;
}

static vo_result new_contact(vo_zones *z, const vo_surface *surface, const vo_impact *impact,
                             int *out) {
    if (!vo_reserve(z->ctx, &z->contact, &z->capacity, z->count + 1))
        return vo_fail_memory(z->ctx, "contacts");
    int *first = &z->first[impact->pair.node[0]];
    z->contact[z->count] = (vo_zone_contact){
        .impact = *impact, .rest = impact_sum(impact, surface->x0), .next = *first};
    *out = *first = z->count++;
    return VO_OK;
}

/* Replaces what was known of a contact: its push turns with the normal. */
static void look_again(vo_zones *z, vo_surface *surface, vo_zone_contact *c,
                       const vo_impact *impact) {
    apply(z, &c->impact, v3_negate(impulse_of(c)), surface->x1);
    c->impact = *impact;
    c->rest = impact_sum(impact, surface->x0);
    c->drag = v3_add_scaled(c->drag, -v3_dot(c->drag, impact->normal), impact->normal);
    apply(z, &c->impact, impulse_of(c), surface->x1);
}

/* Takes a contact out of the solution. */
static void drop(vo_zones *z, vo_surface *surface, vo_zone_contact *c) {
    apply(z, &c->impact, v3_negate(impulse_of(c)), surface->x1);
    c->push = 0;
    c->drag = v3_zero();
    for (int k = 0; k < 4; k++) c->impact.weight[k] = 0;
}

/* Corner against corner across the plane between the features at x0; see the header. The goal is so
 * that x0 has what zone.c takes for reached. */
static vo_result add_plane(vo_zones *z, const vo_surface *surface, const vo_impact *impact,
                           int failures, int *out) {
    int split = impact->pair.kind == VO_NODE_FACE ? 1 : 2;
    vo_impact corner = *impact;
    corner.normal = impact->apart;
    corner.goal = vo_min(1.2 * impact->distance, impact->goal);
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++) {
            for (int k = 0; k < 4; k++) corner.weight[k] = k == i ? 1 : k == j ? -1 : 0;
            VO_TRY(new_contact(z, surface, &corner, out));
            z->contact[*out].is_plane = true;
            z->contact[*out].failures = failures;
        }
    return VO_OK;
}

/* Whether x0 heeds a contact, nearly at least. One that it does not heed comes from features that
 * turned around each other, and asks for what may be impossible. */
static bool holds_at_start(const vo_surface *surface, const vo_impact *impact) {
    return v3_dot(impact->normal, impact_sum(impact, surface->x0)) > 0.5 * impact->goal;
}

/* The contact for an impact whose pair has none yet. */
static vo_result first_look(vo_zones *z, const vo_surface *surface, const vo_impact *impact,
                            vo_friction friction, int *out) {
    if (!holds_at_start(surface, impact)) return add_plane(z, surface, impact, 0, out);
    VO_TRY(new_contact(z, surface, impact, out));
    z->contact[*out].friction =
        vo_pair_touches_obstacle(surface, impact->pair.node) ? friction.obstacle : friction.cloth;
    return VO_OK;
}

/* The contact for an impact whose pair had one, *out. */
static vo_result next_look(vo_zones *z, vo_surface *surface, const vo_impact *impact, int *out) {
    vo_zone_contact *c = &z->contact[*out];
    if (c->is_plane) return VO_OK;
    c->looks += !c->unsolved;
    if (c->looks <= MAX_LOOKS && holds_at_start(surface, impact)) {
        look_again(z, surface, c, impact);
        return VO_OK;
    }
    int failures = c->failures;
    drop(z, surface, c);
    return add_plane(z, surface, impact, failures, out);
}

vo_result vo_zones_add(vo_zones *z, vo_surface *surface, const vo_impact *impact,
                       vo_friction friction, int *out) {
    *out = find_contact(z, &impact->pair);
    if (*out < 0)
        VO_TRY(first_look(z, surface, impact, friction, out));
    else
        VO_TRY(next_look(z, surface, impact, out));
    vo_zones_join(z, impact->pair.node);
    z->contact[*out].live = true;
    return VO_OK;
}
