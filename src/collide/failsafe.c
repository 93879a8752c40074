#include "collide/failsafe.h"

#include "core/memory.h"

#include <string.h>

enum { MAX_MOTION_PASSES = 16 }; /* number of layers through which a motion is passed on */

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_failsafe_create(vo_context *ctx, int node_count, vo_failsafe *out) {
    *out = (vo_failsafe){.ctx = ctx, .node_count = node_count};
    out->level = vo_new_array(ctx, unsigned char, node_count);
    out->state = vo_new_array(ctx, unsigned char, node_count);
    out->target_x = vo_new_array(ctx, vo_vec3, node_count);
    out->contact_motion = vo_new_array(ctx, vo_vec3, node_count);
    out->raised = vo_new_array(ctx, int, node_count);
    bool ok = out->level && out->state && out->target_x && out->contact_motion && out->raised;
    if (ok || node_count == 0) return VO_OK;
    vo_failsafe_free(out);
    return vo_fail_memory(ctx, "the fail-safe of the collision response");
}

void vo_failsafe_free(vo_failsafe *h) {
    if (!h->ctx) return;
    vo_free_array(h->ctx, h->level, h->node_count);
    vo_free_array(h->ctx, h->state, h->node_count);
    vo_free_array(h->ctx, h->target_x, h->node_count);
    vo_free_array(h->ctx, h->contact_motion, h->node_count);
    vo_free_array(h->ctx, h->raised, h->node_count);
    *h = (vo_failsafe){0};
}

void vo_failsafe_clear(vo_failsafe *h) {
    h->raised_count = 0;
    if (h->node_count == 0) return;
    memset(h->level, 0, (size_t)h->node_count);
    memset(h->state, 0, (size_t)h->node_count);
}

/* ---- raising -------------------------------------------------------------------------------- */

void vo_failsafe_raise_node(vo_failsafe *h, vo_impact_zones *zones, int node, int level) {
    if (h->level[node] >= level) return;
    h->level[node] = (unsigned char)level;
    if (!(h->state[node] & VO_FAILSAFE_RAISED)) h->raised[h->raised_count++] = node;
    h->state[node] |= VO_FAILSAFE_RAISED;
    vo_impact_zones_fix(zones, node);
}

/* Returns the lowest level of the movable nodes; if there is none, the lowest level at which
 * prescribed motions yield or have yielded. */
static int lowest_level(const vo_failsafe *h, const vo_surface *surface, const int node[4]) {
    int lowest = VO_LEVEL_MAX, prescribed = VO_LEVEL_MAX;
    bool any = false;
    for (int i = 0; i < 4; i++) {
        int level = h->level[node[i]];
        prescribed = vo_min_int(prescribed, vo_max_int(level, VO_LEVEL_FROZEN));
        if (!(surface->inverse_mass[node[i]] > 0)) continue;
        lowest = vo_min_int(lowest, level);
        any = true;
    }
    return any ? lowest : prescribed;
}

void vo_failsafe_raise(vo_failsafe *h, vo_impact_zones *zones, const vo_surface *surface,
                       const vo_impact_contact *contact, int min_level) {
    const int *node = contact->impact.pair.node;
    int level = vo_max_int(lowest_level(h, surface, node) + 1, min_level);
    level = vo_min_int(level, VO_LEVEL_MAX);
    for (int i = 0; i < 4; i++) {
        bool prescribed = !(surface->inverse_mass[node[i]] > 0);
        if (!prescribed || level > VO_LEVEL_FROZEN)
            vo_failsafe_raise_node(h, zones, node[i], level);
    }
}

void vo_failsafe_release(vo_failsafe *h, int node) {
    h->level[node] = VO_LEVEL_FREE;
    h->state[node] = 0;
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Computes the motion of one side of a contact (0 or 1). Returns false if a node with weight on
 * that side has no known motion. */
static bool side_motion(const vo_failsafe *h, const vo_surface *s, const vo_impact *m, int side,
                        vo_vec3 *out) {
    double total = 0;
    *out = v3_zero();
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double weight = side == 0 ? m->weight[i] : -m->weight[i];
        if (!(weight > 0)) continue;
        bool known = h->state[node] & VO_FAILSAFE_HAS_MOTION;
        if (!known && s->inverse_mass[node] > 0) return false;
        vo_vec3 motion = known ? h->contact_motion[node] : v3_sub(s->x1[node], s->x0[node]);
        *out = v3_add_scaled(*out, weight, motion);
        total += weight;
    }
    *out = v3_scale(total > 0 ? 1 / total : 0, *out);
    return total > 0;
}

/* Assigns the motion of one side to the raised nodes of the other side that were free. The largest
 * of several motions wins, because it is the one that pushes. */
static bool pass_motion(vo_failsafe *h, const vo_surface *s, const vo_impact *m, int side) {
    vo_vec3 motion;
    bool changed = false;
    if (!side_motion(h, s, m, side, &motion)) return false;
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double weight = side == 0 ? -m->weight[i] : m->weight[i];
        if (!(weight > 0 && s->inverse_mass[node] > 0 && (h->state[node] & VO_FAILSAFE_RAISED)))
            continue;
        bool known = h->state[node] & VO_FAILSAFE_HAS_MOTION;
        if (known && !(v3_length2(motion) > 1.0001 * v3_length2(h->contact_motion[node]))) continue;
        h->contact_motion[node] = motion;
        h->state[node] |= VO_FAILSAFE_HAS_MOTION;
        changed = true;
    }
    return changed;
}

/* Propagates motions from prescribed nodes to pushed ones, layer by layer. */
static void find_contact_motions(vo_failsafe *h, const vo_impact_zones *zones,
                                 const vo_surface *s) {
    bool changed = true;
    for (int pass = 0; pass < MAX_MOTION_PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < zones->count; i++) {
            const vo_impact_contact *c = &zones->contact[i];
            if (!c->active && !(c->normal_impulse > 0)) continue;
            changed |= pass_motion(h, s, &c->impact, 0);
            changed |= pass_motion(h, s, &c->impact, 1);
        }
    }
}

/* Returns the position of a level; see the table in the header. */
static vo_vec3 position_at(const vo_failsafe *h, int node, vo_vec3 x0) {
    int level = h->level[node];
    vo_vec3 moved_along = v3_add(x0, h->contact_motion[node]);
    if (level <= VO_LEVEL_TRUNCATED)
        return v3_lerp(moved_along, h->target_x[node], ldexp(1, 1 - 2 * level));
    if (level == VO_LEVEL_FROZEN) return moved_along;
    if (level >= VO_LEVEL_MAX) return x0;
    return v3_add_scaled(x0, ldexp(1, VO_LEVEL_FROZEN - level), h->contact_motion[node]);
}

void vo_failsafe_apply(vo_failsafe *h, const vo_impact_zones *zones, vo_surface *s,
                       unsigned char *moved) {
    bool any_new = false;
    for (int i = 0; i < h->raised_count; i++) {
        int node = h->raised[i];
        if (h->state[node] & VO_FAILSAFE_HAS_MOTION) continue;
        bool prescribed = !(s->inverse_mass[node] > 0);
        h->target_x[node] = s->x1[node];
        h->contact_motion[node] = prescribed ? v3_sub(s->x1[node], s->x0[node]) : v3_zero();
        if (prescribed) h->state[node] |= VO_FAILSAFE_HAS_MOTION;
        any_new |= !prescribed && h->level[node] < VO_LEVEL_MAX;
    }
    if (any_new) find_contact_motions(h, zones, s);
    for (int i = 0; i < h->raised_count; i++) {
        int node = h->raised[i];
        s->x1[node] = position_at(h, node, s->x0[node]);
        h->state[node] = VO_FAILSAFE_HAS_MOTION;
        moved[node] = 1;
    }
    h->raised_count = 0;
}
