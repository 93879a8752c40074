#include "collide/response_hold.h"

#include "core/memory.h"

#include <string.h>

enum { MAX_CARRY_PASSES = 16 }; /* layers that a motion is carried through */

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_holds_create(vo_context *ctx, int node_count, vo_holds *out) {
    *out = (vo_holds){.ctx = ctx, .node_count = node_count};
    out->level = vo_new_array(ctx, unsigned char, node_count);
    out->state = vo_new_array(ctx, unsigned char, node_count);
    out->wish = vo_new_array(ctx, vo_vec3, node_count);
    out->carry = vo_new_array(ctx, vo_vec3, node_count);
    out->raised = vo_new_array(ctx, int, node_count);
    bool ok = out->level && out->state && out->wish && out->carry && out->raised;
    if (ok || node_count == 0) return VO_OK;
    vo_holds_free(out);
    return vo_fail_memory(ctx, "nodes that are held");
}

void vo_holds_free(vo_holds *h) {
    if (!h->ctx) return;
    vo_free_array(h->ctx, h->level, h->node_count);
    vo_free_array(h->ctx, h->state, h->node_count);
    vo_free_array(h->ctx, h->wish, h->node_count);
    vo_free_array(h->ctx, h->carry, h->node_count);
    vo_free_array(h->ctx, h->raised, h->node_count);
    *h = (vo_holds){0};
}

void vo_holds_clear(vo_holds *h) {
    h->raised_count = 0;
    if (h->node_count == 0) return;
    memset(h->level, 0, (size_t)h->node_count);
    memset(h->state, 0, (size_t)h->node_count);
}

/* ---- raising -------------------------------------------------------------------------------- */

void vo_holds_raise_node(vo_holds *h, vo_zones *zones, int node, int level) {
    if (h->level[node] >= level) return;
    h->level[node] = (unsigned char)level;
    if (!(h->state[node] & VO_HOLD_RAISED)) h->raised[h->raised_count++] = node;
    h->state[node] |= VO_HOLD_RAISED;
    vo_zones_fix(zones, node);
}

/* The lowest level of nodes that can be moved; if there is none, the lowest at which given motions
 * begin to yield, or of what has begun. */
static int lowest_level(const vo_holds *h, const vo_surface *surface, const int node[4]) {
    int lowest = VO_LEVEL_TOP, given = VO_LEVEL_TOP;
    bool any = false;
    for (int i = 0; i < 4; i++) {
        int level = h->level[node[i]];
        given = vo_min_int(given, vo_max_int(level, VO_LEVEL_HELD));
        if (!(surface->inverse_mass[node[i]] > 0)) continue;
        lowest = vo_min_int(lowest, level);
        any = true;
    }
    return any ? lowest : given;
}

void vo_holds_raise(vo_holds *h, vo_zones *zones, const vo_surface *surface,
                    const vo_zone_contact *contact, int least) {
    const int *node = contact->impact.pair.node;
    int level = vo_max_int(lowest_level(h, surface, node) + 1, least);
    level = vo_min_int(level, VO_LEVEL_TOP);
    for (int i = 0; i < 4; i++) {
        bool given = !(surface->inverse_mass[node[i]] > 0);
        if (!given || level > VO_LEVEL_HELD) vo_holds_raise_node(h, zones, node[i], level);
    }
}

void vo_holds_release(vo_holds *h, int node) {
    h->level[node] = VO_LEVEL_FREE;
    h->state[node] = 0;
}

/* ---- placing -------------------------------------------------------------------------------- */

/* The motion of one side of a contact (0 or 1), if all that counts of it has a known one. */
static bool side_motion(const vo_holds *h, const vo_surface *s, const vo_impact *m, int side,
                        vo_vec3 *out) {
    double total = 0;
    *out = v3_zero();
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double weight = side == 0 ? m->weight[i] : -m->weight[i];
        if (!(weight > 0)) continue;
        bool known = h->state[node] & VO_HOLD_KNOWN;
        if (!known && s->inverse_mass[node] > 0) return false;
        vo_vec3 motion = known ? h->carry[node] : v3_sub(s->x1[node], s->x0[node]);
        *out = v3_add_scaled(*out, weight, motion);
        total += weight;
    }
    *out = v3_scale(total > 0 ? 1 / total : 0, *out);
    return total > 0;
}

/* Gives the motion of one side to those nodes of the other that were free and are raised now. Of
 * several motions the largest counts: it is the one that pushes. */
static bool carry_across(vo_holds *h, const vo_surface *s, const vo_impact *m, int side) {
    vo_vec3 motion;
    bool changed = false;
    if (!side_motion(h, s, m, side, &motion)) return false;
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double weight = side == 0 ? -m->weight[i] : m->weight[i];
        if (!(weight > 0 && s->inverse_mass[node] > 0 && (h->state[node] & VO_HOLD_RAISED)))
            continue;
        bool known = h->state[node] & VO_HOLD_KNOWN;
        if (known && !(v3_length2(motion) > 1.0001 * v3_length2(h->carry[node]))) continue;
        h->carry[node] = motion;
        h->state[node] |= VO_HOLD_KNOWN;
        changed = true;
    }
    return changed;
}

/* Motions pass from what is given to what is pushed, layer by layer. */
static void find_carries(vo_holds *h, const vo_zones *zones, const vo_surface *s) {
    bool changed = true;
    for (int pass = 0; pass < MAX_CARRY_PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < zones->count; i++) {
            const vo_zone_contact *c = &zones->contact[i];
            if (!c->live && !(c->push > 0)) continue;
            changed |= carry_across(h, s, &c->impact, 0);
            changed |= carry_across(h, s, &c->impact, 1);
        }
    }
}

/* The table of the header. */
static vo_vec3 position_at(const vo_holds *h, int node, vo_vec3 x0) {
    int level = h->level[node];
    vo_vec3 carried = v3_add(x0, h->carry[node]);
    if (level <= VO_LEVEL_CUT) return v3_lerp(carried, h->wish[node], ldexp(1, 1 - 2 * level));
    if (level == VO_LEVEL_HELD) return carried;
    if (level >= VO_LEVEL_TOP) return x0;
    return v3_add_scaled(x0, ldexp(1, VO_LEVEL_HELD - level), h->carry[node]);
}

void vo_holds_place(vo_holds *h, const vo_zones *zones, vo_surface *s, unsigned char *moved) {
    bool fresh = false;
    for (int i = 0; i < h->raised_count; i++) {
        int node = h->raised[i];
        if (h->state[node] & VO_HOLD_KNOWN) continue;
        bool given = !(s->inverse_mass[node] > 0);
        h->wish[node] = s->x1[node];
        h->carry[node] = given ? v3_sub(s->x1[node], s->x0[node]) : v3_zero();
        if (given) h->state[node] |= VO_HOLD_KNOWN;
        fresh |= !given && h->level[node] < VO_LEVEL_TOP;
    }
    if (fresh) find_carries(h, zones, s);
    for (int i = 0; i < h->raised_count; i++) {
        int node = h->raised[i];
        s->x1[node] = position_at(h, node, s->x0[node]);
        h->state[node] = VO_HOLD_KNOWN;
        moved[node] = 1;
    }
    h->raised_count = 0;
}
