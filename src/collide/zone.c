#include "collide/zone.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

/* A contact has reached its goal when it has this part of it: more than twice the distance at which
 * it would be found again (impact.h). */
static const double good_enough = 0.8;

/* Square of the weight that a node must have to be moved for a contact's sake. */
static const double smallest_leverage = 0.01;

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_zones_create(vo_context *ctx, int node_count, vo_zones *out) {
    *out = (vo_zones){.ctx = ctx, .node_count = node_count};
    out->mobility = vo_new_array(ctx, double, node_count);
    out->parent = vo_new_array(ctx, int, node_count);
    out->first = vo_new_array(ctx, int, node_count);
    out->zone_of = vo_new_array(ctx, int, node_count);
    bool ok = out->mobility && out->parent && out->first && out->zone_of;
    if (ok || node_count == 0) return VO_OK;
    vo_zones_free(out);
    return vo_fail_memory(ctx, "impact zones");
}

void vo_zones_free(vo_zones *z) {
    if (!z->ctx) return;
    vo_free_array(z->ctx, z->mobility, z->node_count);
    vo_free_array(z->ctx, z->parent, z->node_count);
    vo_free_array(z->ctx, z->first, z->node_count);
    vo_free_array(z->ctx, z->zone_of, z->node_count);
    vo_free_array(z->ctx, z->contact, z->capacity);
    vo_free_array(z->ctx, z->order, z->order_capacity);
    vo_free_array(z->ctx, z->start, z->start_capacity);
    *z = (vo_zones){0};
}

void vo_zones_clear(vo_zones *z, const double *inverse_mass) {
    size_t n = (size_t)z->node_count;
    z->count = 0;
    if (n == 0) return;
    memcpy(z->mobility, inverse_mass, n * sizeof *z->mobility);
    memset(z->parent, -1, n * sizeof *z->parent);
    memset(z->first, -1, n * sizeof *z->first);
    memset(z->zone_of, -1, n * sizeof *z->zone_of);
}

/* ---- the forest ----------------------------------------------------------------------------- */

/* The root of a node's tree; halves the way for those who come later. */
static int find_root(int *parent, int node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

/* Makes one zone of all nodes of a contact that can be moved. The smaller index becomes the root,
 * so that the forest does not depend on the order. */
static void join_nodes(vo_zones *z, const int node[4]) {
    int root = -1;
    for (int i = 0; i < 4; i++) {
        if (!(z->mobility[node[i]] > 0)) continue;
        if (z->parent[node[i]] < 0) z->parent[node[i]] = node[i];
        int other = find_root(z->parent, node[i]);
        int low = root < 0 ? other : vo_min_int(root, other);
        if (root >= 0) z->parent[root] = low;
        z->parent[other] = low;
        root = low;
    }
}

/* The root of the zone of a contact, -1 if nothing of it can be moved. */
static int contact_root(vo_zones *z, const vo_zone_contact *c) {
    for (int i = 0; i < 4; i++) {
        int node = c->impact.pair.node[i];
        if (z->mobility[node] > 0) return find_root(z->parent, node);
    }
    return -1;
}

/* How far a unit impulse moves the closest points apart; 0 where only nodes far from these can be
 * moved: they would have to go ten times as far and more, with everything around them. */
static double contact_mobility(const vo_zones *z, const vo_impact *m) {
    double sum = 0, largest = 0;
    for (int i = 0; i < 4; i++) {
        double mobility = z->mobility[m->pair.node[i]];
        sum += m->weight[i] * m->weight[i] * mobility;
        largest = vo_max(largest, mobility);
    }
    return sum > smallest_leverage * largest ? sum : 0;
}

bool vo_zones_movable(const vo_zones *z, const vo_zone_contact *c) {
    for (int i = 0; i < 4; i++)
        if (z->mobility[c->impact.pair.node[i]] > 0) return true;
    return false;
}

void vo_zones_fix(vo_zones *z, int node) { z->mobility[node] = 0; }

/* ---- contacts ------------------------------------------------------------------------------- */

static vo_vec3 combine(const vo_impact *m, const vo_vec3 *x) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 4; i++) sum = v3_add_scaled(sum, m->weight[i], x[m->pair.node[i]]);
    return sum;
}

/* x_i += w_i / m_i impulse */
static void apply(const vo_zones *z, const vo_impact *m, vo_vec3 impulse, vo_vec3 *x) {
    for (int i = 0; i < 4; i++) {
        int node = m->pair.node[i];
        double s = m->weight[i] * z->mobility[node];
        if (s != 0) x[node] = v3_add_scaled(x[node], s, impulse);
    }
}

static vo_vec3 impulse_of(const vo_zone_contact *c) {
    return v3_add_scaled(c->drag, c->push, c->impact.normal);
}

static int find_contact(const vo_zones *z, const vo_feature_pair *pair) {
    int c = z->first[pair->node[0]];
    while (c >= 0 && memcmp(&z->contact[c].impact.pair, pair, sizeof *pair) != 0)
        c = z->contact[c].next;
    return c;
}

static vo_result new_contact(vo_zones *z, const vo_feature_pair *pair, int *out) {
    if (!vo_reserve(z->ctx, &z->contact, &z->capacity, z->count + 1))
        return vo_fail_memory(z->ctx, "contacts");
    *out = z->count++;
    z->contact[*out] = (vo_zone_contact){.next = z->first[pair->node[0]]};
    z->first[pair->node[0]] = *out;
    return VO_OK;
}

/* Replaces what was known of a contact: its push turns with the normal. */
static void look_again(vo_zones *z, vo_surface *surface, vo_zone_contact *c,
                       const vo_impact *impact) {
    apply(z, &c->impact, v3_negate(impulse_of(c)), surface->x1);
    c->impact = *impact;
    c->rest = combine(impact, surface->x0);
    c->drag = v3_add_scaled(c->drag, -v3_dot(c->drag, impact->normal), impact->normal);
    apply(z, &c->impact, impulse_of(c), surface->x1);
}

static double friction_of(const vo_surface *surface, const vo_feature_pair *pair,
                          vo_friction friction) {
    for (int i = 0; i < 4; i++)
        if (pair->node[i] >= surface->cloth_node_count) return friction.obstacle;
    return friction.cloth;
}

vo_result vo_zones_add(vo_zones *z, vo_surface *surface, const vo_impact *impact,
                       vo_friction friction, int *out) {
    *out = find_contact(z, &impact->pair);
    if (*out < 0) {
        VO_TRY(new_contact(z, &impact->pair, out));
        vo_zone_contact *c = &z->contact[*out];
        c->impact = *impact;
        c->rest = combine(impact, surface->x0);
        c->friction = friction_of(surface, &impact->pair, friction);
    } else {
        look_again(z, surface, &z->contact[*out], impact);
    }
    join_nodes(z, impact->pair.node);
    z->contact[*out].live = true;
    z->contact[*out].found++;
    return VO_OK;
}

/* ---- solving -------------------------------------------------------------------------------- */

/* Shortens a vector to a length. */
static vo_vec3 cut_to(vo_vec3 a, double length) {
    double l = v3_length(a);
    return l > length ? v3_scale(length / l, a) : a;
}

/* Solves one contact by itself. Returns how far from its goal it was, as a part of it. */
static double solve_contact(const vo_zones *z, vo_zone_contact *c, vo_vec3 *x) {
    const vo_impact *m = &c->impact;
    double mobility = contact_mobility(z, m);
    if (!(mobility > 0)) return 0;
    vo_vec3 between = combine(m, x), before = impulse_of(c);
    double missing = m->goal - v3_dot(m->normal, between);
    c->push = vo_max(c->push + missing / mobility, 0);
    vo_vec3 slid = v3_sub(between, c->rest);
    slid = v3_add_scaled(slid, -v3_dot(slid, m->normal), m->normal);
    c->drag = cut_to(v3_add_scaled(c->drag, -1 / mobility, slid), c->friction * c->push);
    apply(z, m, v3_sub(impulse_of(c), before), x);
    return missing / m->goal;
}

typedef struct solve_args {
    vo_zones *zones;
    vo_vec3 *x;
    int sweeps;
} solve_args;

/* Sweeps until all goals are reached. Contacts that miss theirs in the last sweep are unsolved. */
static void solve_zone(const solve_args *s, const int *order, int count) {
    vo_zone_contact *contact = s->zones->contact;
    bool reached = false;
    for (int sweep = 0; sweep < s->sweeps && !reached; sweep++) {
        reached = true;
        for (int i = 0; i < count; i++) {
            vo_zone_contact *c = &contact[order[sweep % 2 ? count - 1 - i : i]];
            c->unsolved = solve_contact(s->zones, c, s->x) > 1 - good_enough;
            reached = reached && !c->unsolved;
        }
    }
}

static void solve_range(void *arg, int begin, int end, int chunk) {
    const solve_args *s = arg;
    const int *start = s->zones->start;
    (void)chunk;
    for (int i = begin; i < end; i++)
        solve_zone(s, s->zones->order + start[i], start[i + 1] - start[i]);
}

/* Gives each zone with a live contact a number, in the order of contacts. */
static int number_zones(vo_zones *z) {
    int zones = 0;
    for (int i = 0; i < z->count; i++) {
        int root = z->contact[i].live ? contact_root(z, &z->contact[i]) : -1;
        if (root >= 0 && z->zone_of[root] < 0) z->zone_of[root] = zones++;
    }
    return zones;
}

/* The number of the zone of a contact, -1 if it need not be solved. */
static int zone_number(vo_zones *z, const vo_zone_contact *c) {
    int root = contact_root(z, c);
    return root < 0 ? -1 : z->zone_of[root];
}

/* Sorts contacts by zone: counts, sums, places. start[k] is first the place to fill in zone k, and
 * so the end of it when all is placed. */
static vo_result sort_contacts(vo_zones *z, int zones) {
    if (!vo_reserve(z->ctx, &z->order, &z->order_capacity, z->count) ||
        !vo_reserve(z->ctx, &z->start, &z->start_capacity, zones + 2))
        return vo_fail_memory(z->ctx, "impact zones");
    memset(z->start, 0, (size_t)(zones + 2) * sizeof *z->start);
    for (int i = 0; i < z->count; i++) {
        int zone = zone_number(z, &z->contact[i]);
        if (zone >= 0) z->start[zone + 2]++;
    }
    for (int i = 0; i < zones; i++) z->start[i + 2] += z->start[i + 1];
    for (int i = 0; i < z->count; i++) {
        int zone = zone_number(z, &z->contact[i]);
        if (zone >= 0) z->order[z->start[zone + 1]++] = i;
    }
    return VO_OK;
}

/* Marks the nodes of zones that were solved, and forgets which these were. */
static void finish_zones(vo_zones *z, int zones, unsigned char *moved) {
    for (int i = 0; i < z->start[zones]; i++) {
        const int *node = z->contact[z->order[i]].impact.pair.node;
        for (int k = 0; k < 4; k++)
            if (z->mobility[node[k]] > 0) moved[node[k]] = 1;
    }
    for (int i = 0; i < z->count; i++) {
        int root = contact_root(z, &z->contact[i]);
        if (root >= 0) z->zone_of[root] = -1;
    }
}

vo_result vo_zones_solve(vo_zones *z, vo_vec3 *x, int sweeps, unsigned char *moved) {
    int zones = number_zones(z);
    VO_TRY(sort_contacts(z, zones));
    solve_args args = {z, x, sweeps};
    vo_parallel_for(z->ctx, zones, 1, solve_range, &args);
    finish_zones(z, zones, moved);
    return VO_OK;
}

int vo_zones_count(vo_zones *z) {
    int zones = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < z->count; i++) {
            int root = z->contact[i].zoned ? contact_root(z, &z->contact[i]) : -1;
            if (root < 0) continue;
            if (pass == 0 && z->zone_of[root] < 0) zones++;
            z->zone_of[root] = pass == 0 ? 0 : -1;
        }
    return zones;
}
