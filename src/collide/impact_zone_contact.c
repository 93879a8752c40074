/* Contacts of impact zones: creation from an impact, and updates when the pair collides again. */
#include "collide/impact_zone.h"

#include "collide/arrays.h"
#include "core/memory.h"

#include <string.h>

enum { MAX_RETRIES = 2 }; /* pairs that need more get a separating plane */

static vo_vec3 impact_sum(const vo_impact *m, const vo_vec3 *x) {
    return vo_weighted_sum(m->weight, m->pair.node, x);
}

/* x_i += w_i / m_i impulse */
static void apply(const vo_impact_zones *z, const vo_impact *m, vo_vec3 impulse, vo_vec3 *x) {
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double mobility = m->weight[i] * z->mobility[node];
        if (mobility != 0) x[node] = v3_add_scaled(x[node], mobility, impulse);
    }
}

static vo_vec3 impulse_of(const vo_impact_contact *c) {
    return v3_add_scaled(c->friction_impulse, c->normal_impulse, c->impact.normal);
}

/* Returns the newest contact of a pair, -1 if there is none. */
static int find_contact(const vo_impact_zones *z, const vo_feature_pair *pair) {
    int c = z->first_contact[pair->node[0]];
    while (c >= 0 && memcmp(&z->contact[c].impact.pair, pair, sizeof *pair) != 0)
        c = z->contact[c].next;
    return c;
}

static vo_result new_contact(vo_impact_zones *z, const vo_surface *surface, const vo_impact *impact,
                             int *out) {
    if (!vo_reserve(z->ctx, &z->contact, &z->capacity, z->count + 1))
        return vo_fail_memory(z->ctx, "contacts");
    int *first = &z->first_contact[impact->pair.node[0]];
    z->contact[z->count] = (vo_impact_contact){
        .impact = *impact, .start_offset = impact_sum(impact, surface->x0), .next = *first};
    *out = *first = z->count++;
    return VO_OK;
}

/* Replaces the impact of a contact; its normal impulse follows the new normal. */
static void update_contact(vo_impact_zones *z, vo_surface *surface, vo_impact_contact *c,
                           const vo_impact *impact) {
    apply(z, &c->impact, v3_negate(impulse_of(c)), surface->x1);
    c->impact = *impact;
    c->start_offset = impact_sum(impact, surface->x0);
    c->friction_impulse = v3_add_scaled(
        c->friction_impulse, -v3_dot(c->friction_impulse, impact->normal), impact->normal);
    apply(z, &c->impact, impulse_of(c), surface->x1);
}

/* Removes a contact from the solution. */
static void remove_contact(vo_impact_zones *z, vo_surface *surface, vo_impact_contact *c) {
    apply(z, &c->impact, v3_negate(impulse_of(c)), surface->x1);
    c->normal_impulse = 0;
    c->friction_impulse = v3_zero();
    for (int k = 0; k < 4; k++) c->impact.weight[k] = 0;
}

/* Adds corner-corner contacts across the separating plane at x0; see the header. The target
 * distance is chosen so that x0 satisfies it. */
static vo_result add_plane_contacts(vo_impact_zones *z, const vo_surface *surface,
                                    const vo_impact *impact, int failures, int *out) {
    int split = impact->pair.kind == VO_NODE_FACE ? 1 : 2;
    vo_impact corner = *impact;
    corner.normal = impact->start_direction;
    corner.target_distance = vo_min(1.2 * impact->start_distance, impact->target_distance);
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++) {
            for (int k = 0; k < 4; k++) corner.weight[k] = k == i ? 1 : k == j ? -1 : 0;
            VO_TRY(new_contact(z, surface, &corner, out));
            z->contact[*out].is_plane = true;
            z->contact[*out].failures = failures;
        }
    return VO_OK;
}

/* Returns true if x0 nearly satisfies a contact. Otherwise it comes from features that rotated
 * around each other, and may be infeasible. */
static bool holds_at_x0(const vo_surface *surface, const vo_impact *impact) {
    return v3_dot(impact->normal, impact_sum(impact, surface->x0)) > 0.5 * impact->target_distance;
}

/* Adds the contact of an impact whose pair has none yet. */
static vo_result add_first_contact(vo_impact_zones *z, const vo_surface *surface,
                                   const vo_impact *impact, vo_friction friction, int *out) {
    if (!holds_at_x0(surface, impact)) return add_plane_contacts(z, surface, impact, 0, out);
    VO_TRY(new_contact(z, surface, impact, out));
    z->contact[*out].friction =
        vo_pair_touches_obstacle(surface, impact->pair.node) ? friction.obstacle : friction.cloth;
    return VO_OK;
}

/* Updates the contact of an impact whose pair has one, *out. */
static vo_result update_existing(vo_impact_zones *z, vo_surface *surface, const vo_impact *impact,
                                 int *out) {
    vo_impact_contact *c = &z->contact[*out];
    if (c->is_plane) return VO_OK;
    c->retries += !c->unsolved;
    if (c->retries <= MAX_RETRIES && holds_at_x0(surface, impact)) {
        update_contact(z, surface, c, impact);
        return VO_OK;
    }
    int failures = c->failures;
    remove_contact(z, surface, c);
    return add_plane_contacts(z, surface, impact, failures, out);
}

vo_result vo_impact_zones_add(vo_impact_zones *z, vo_surface *surface, const vo_impact *impact,
                              vo_friction friction, int *out) {
    *out = find_contact(z, &impact->pair);
    if (*out < 0)
        VO_TRY(add_first_contact(z, surface, impact, friction, out));
    else
        VO_TRY(update_existing(z, surface, impact, out));
    vo_impact_zones_join(z, impact->pair.node);
    z->contact[*out].active = true;
    return VO_OK;
}
