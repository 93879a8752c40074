#include "collide/zone.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

/* A contact has reached its goal when it has this part of it: more than twice the distance at which
 * it would be found again (impact.h). Where the goal is what x0 has, smallest gaps are found again
 * below nine tenths of it. */
static const double good_enough = 0.8, good_enough_modest = 0.95;

/* Failures of a contact that make its zone modest. */
enum { MODEST = 4 };

/* What misses this part of its goal collides: it is as close as that (impact.h), or behind. */
static const double crushed = 0.98;

/* Changes of a gap below this part of its goal are not made: nodes that do not move need not be
 * searched again. */
static const double negligible = 1e-3;

/* Square of the weight that a node must have to be moved for a contact's sake. */
static const double smallest_leverage = 0.01;

/* Sweeps from one look at a zone to the next, and what may be left of what was missed if goals come
 * nearer. Where two obstacles squeeze cloth they never do; in a stack of 40 layers the slowest part
 * of a solution comes about as slowly. */
enum { LOOK = 16 };
static const double progress = 0.9;

/* Rows solved in one go at most, so that large zones get fewer sweeps; about a tenth of a second.
 * The next round goes on from there. */
enum { MAX_WORK = 4 << 20, MIN_SWEEPS = 8 };

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_zones_create(vo_context *ctx, int node_count, vo_zones *out) {
    *out = (vo_zones){.ctx = ctx, .node_count = node_count};
    out->mobility = vo_new_array(ctx, double, node_count);
    out->parent = vo_new_array(ctx, int, node_count);
    out->first = vo_new_array(ctx, int, node_count);
    out->zone_of = vo_new_array(ctx, int, node_count);
    out->before = vo_new_array(ctx, vo_vec3, node_count);
    out->stirred = vo_new_array(ctx, unsigned char, node_count);
    bool ok =
        out->mobility && out->parent && out->first && out->zone_of && out->before && out->stirred;
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
    vo_free_array(z->ctx, z->before, z->node_count);
    vo_free_array(z->ctx, z->stirred, z->node_count);
    vo_free_array(z->ctx, z->contact, z->capacity);
    vo_free_array(z->ctx, z->row, z->row_capacity);
    vo_free_array(z->ctx, z->order, z->order_capacity);
    vo_free_array(z->ctx, z->start, z->start_capacity);
    vo_free_array(z->ctx, z->sweeps, z->sweeps_capacity);
    *z = (vo_zones){0};
}

void vo_zones_clear(vo_zones *z, const vo_surface *surface) {
    size_t n = (size_t)z->node_count;
    z->surface = surface;
    z->count = 0;
    if (n == 0) return;
    memcpy(z->mobility, surface->inverse_mass, n * sizeof *z->mobility);
    memset(z->parent, -1, n * sizeof *z->parent);
    memset(z->first, -1, n * sizeof *z->first);
    memset(z->zone_of, -1, n * sizeof *z->zone_of);
    memset(z->stirred, 0, n);
}

/* ---- the forest ----------------------------------------------------------------------------- */

/* The smaller index becomes the root, so that the forest does not depend on the order. */
void vo_zones_join(vo_zones *z, const int node[4]) {
    int root = -1;
    for (int i = 0; i < 4; i++) {
        if (!(z->mobility[node[i]] > 0)) continue;
        if (z->parent[node[i]] < 0) z->parent[node[i]] = node[i];
        int other = vo_forest_root(z->parent, node[i]);
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
        if (z->mobility[node] > 0) return vo_forest_root(z->parent, node);
    }
    return -1;
}

/* How far a unit impulse moves the closest points apart; 0 if the leverage is too small. */
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
    return contact_mobility(z, &c->impact) > 0;
}

void vo_zones_fix(vo_zones *z, int node) {
    z->mobility[node] = 0;
    if (z->parent[node] >= 0) z->stirred[vo_forest_root(z->parent, node)] = 1;
}

void vo_zones_restart(vo_zones *z) {
    memcpy(z->mobility, z->surface->inverse_mass, (size_t)z->node_count * sizeof *z->mobility);
    for (int i = 0; i < z->count; i++) {
        vo_zone_contact *c = &z->contact[i];
        c->push = 0;
        c->drag = v3_zero();
        c->failures = 0;
        c->unsolved = c->hopeless = c->crushed = false;
        c->live = c->zoned = true;
        vo_zones_join(z, c->impact.pair.node);
    }
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* Shortens a vector to a length. */
static vo_vec3 cut_to(vo_vec3 a, double length) {
    double l = v3_length(a);
    return l > length ? v3_scale(length / l, a) : a;
}

static vo_vec3 row_sum(const vo_zone_row *r, const vo_vec3 *x) {
    return vo_weighted_sum(r->weight, r->node, x);
}

/* Solves one contact by itself: the push that brings the gap to its goal, the drag that undoes the
 * sliding as far as friction allows. */
static void solve_row(vo_zone_row *r, vo_vec3 *x) {
    vo_vec3 between = row_sum(r, x);
    double missing = r->goal - v3_dot(r->normal, between);
    double push = vo_max(r->push + missing / r->mobility, 0);
    vo_vec3 drag = r->drag;
    if (r->friction > 0) {
        vo_vec3 slid = v3_sub(between, r->rest);
        slid = v3_add_scaled(slid, -v3_dot(slid, r->normal), r->normal);
        drag = cut_to(v3_add_scaled(drag, -1 / r->mobility, slid), r->friction * push);
    }
    vo_vec3 change = v3_add_scaled(v3_sub(drag, r->drag), push - r->push, r->normal);
    double least = negligible * r->goal / r->mobility;
    if (!(v3_length2(change) > least * least)) return;
    for (int i = 0; i < 4; i++)
        if (r->pull[i] != 0) x[r->node[i]] = v3_add_scaled(x[r->node[i]], r->pull[i], change);
    r->push = push;
    r->drag = drag;
}

/* One sweep over a zone. */
static void sweep_rows(vo_zone_row *row, int count, bool backwards, vo_vec3 *x) {
    for (int i = 0; i < count; i++) {
        vo_zone_row *r = &row[backwards ? count - 1 - i : i];
        if (r->mobility > 0) solve_row(r, x);
    }
}

/* Looks at what rows miss of their goals. Returns the sum over those that are not solved and could
 * be: 0 if there is none. */
static double judge_rows(vo_zone_row *row, int count, const vo_vec3 *x) {
    double missed = 0;
    for (int i = 0; i < count; i++) {
        vo_zone_row *r = &row[i];
        double missing = 1 - v3_dot(r->normal, row_sum(r, x)) / r->goal;
        r->unsolved = !(missing <= 1 - r->enough);
        r->hopeless = r->unsolved && !(missing < progress * r->missing);
        r->missing = missing;
        if (r->unsolved && r->mobility > 0) missed += vo_min(missing, 1);
    }
    return missed;
}

typedef struct solve_args {
    vo_zones *zones;
    vo_vec3 *x;
    int sweeps;
} solve_args;

/* Whether nodes with a given motion are of two parts at least. */
static bool is_between_two(const vo_surface *surface, const vo_zone_row *row, int count) {
    int first = -1;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) {
            int node = row[i].node[k], part = surface->node_part[node];
            if (surface->inverse_mass[node] > 0 || row[i].weight[k] == 0) continue;
            if (first < 0) first = part;
            if (part != first) return true;
        }
    return false;
}

/* Sweeps until all goals are reached, or as a whole they come no nearer; with a look every few
 * sweeps. Returns how many it made. */
static int solve_zone(const solve_args *s, vo_zone_row *row, int count) {
    int sweeps = vo_min_int(s->sweeps, vo_max_int(MAX_WORK / count, MIN_SWEEPS));
    double missed = INFINITY;
    bool stalled = false, between_two = is_between_two(s->zones->surface, row, count);
    int done = 0;
    for (int step = 2; done < sweeps && missed > 0 && !stalled; done += step) {
        double before = missed;
        step = done < LOOK ? 2 : LOOK;
        for (int k = 0; k < step; k++) sweep_rows(row, count, k % 2 != 0, s->x);
        missed = judge_rows(row, count, s->x);
        stalled = step == LOOK && !(missed < progress * before) && between_two;
    }
    for (int i = 0; i < count && !stalled; i++)
        row[i].hopeless = row[i].unsolved && !(row[i].mobility > 0);
    return done;
}

static void solve_range(void *arg, int begin, int end, int chunk) {
    const solve_args *s = arg;
    const int *start = s->zones->start;
    (void)chunk;
    for (int i = begin; i < end; i++)
        s->zones->sweeps[i] = solve_zone(s, s->zones->row + start[i], start[i + 1] - start[i]);
}

/* ---- which contacts, and what becomes of them ----------------------------------------------- */

/* Gives each zone that is to be solved a number, in the order of contacts. */
static int number_zones(vo_zones *z) {
    int zones = 0;
    for (int i = 0; i < z->count; i++) {
        int root = contact_root(z, &z->contact[i]);
        if (root < 0 || z->zone_of[root] >= 0) continue;
        if (z->contact[i].live || z->stirred[root]) z->zone_of[root] = zones++;
    }
    return zones;
}

/* The number of the zone of a contact, -1 if it need not be solved. */
static int zone_number(vo_zones *z, const vo_zone_contact *c) {
    int root = contact_root(z, c);
    return root < 0 ? -1 : z->zone_of[root];
}

/* Sorts contacts by zone: counts, sums, places. start[k + 1] is first the place to fill in zone k,
 * and so its end when all is placed. */
static vo_result sort_contacts(vo_zones *z, int zones) {
    if (!vo_reserve(z->ctx, &z->order, &z->order_capacity, z->count) ||
        !vo_reserve(z->ctx, &z->sweeps, &z->sweeps_capacity, zones) ||
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

/* A contact that asks for no more than x0 has: half of its goal at least (zone_contact.c). Planes
 * never ask for more than they can have. */
static void be_modest(vo_zone_row *r, const vo_zone_contact *c) {
    double had = v3_dot(c->impact.normal, c->rest);
    if (c->is_plane || !(had < r->goal)) return;
    r->goal = vo_max(had, 0.5 * r->goal);
    r->enough = good_enough_modest;
}

static bool is_modest(const vo_zones *z, int zone) {
    for (int i = z->start[zone]; i < z->start[zone + 1]; i++)
        if (z->contact[z->order[i]].failures >= MODEST) return true;
    return false;
}

static vo_zone_row make_row(const vo_zones *z, const vo_zone_contact *c) {
    const vo_impact *m = &c->impact;
    vo_zone_row r = {.normal = m->normal,
                     .goal = m->goal,
                     .enough = good_enough,
                     .mobility = contact_mobility(z, m),
                     .friction = c->friction,
                     .rest = c->rest,
                     .drag = c->drag,
                     .push = c->push};
    for (int i = 0; i < 4; i++) {
        r.node[i] = m->pair.node[i];
        r.weight[i] = m->weight[i];
        r.pull[i] = m->weight[i] * z->mobility[r.node[i]];
    }
    return r;
}

/* Rows for the contacts of the zones, in their order; remembers where their nodes are. */
static vo_result make_rows(vo_zones *z, int zones, const vo_vec3 *x) {
    if (!vo_reserve(z->ctx, &z->row, &z->row_capacity, z->start[zones]))
        return vo_fail_memory(z->ctx, "impact zones");
    for (int zone = 0; zone < zones; zone++) {
        bool modest = is_modest(z, zone);
        for (int i = z->start[zone]; i < z->start[zone + 1]; i++) {
            const vo_zone_contact *c = &z->contact[z->order[i]];
            z->row[i] = make_row(z, c);
            if (modest) be_modest(&z->row[i], c);
            for (int k = 0; k < 4; k++) z->before[z->row[i].node[k]] = x[z->row[i].node[k]];
        }
    }
    return VO_OK;
}

/* Takes the impulses from the rows, marks nodes that have moved, forgets the zones' numbers. */
static void take_rows(vo_zones *z, int count, const vo_vec3 *x, unsigned char *moved) {
    for (int i = 0; i < count; i++) {
        const vo_zone_row *r = &z->row[i];
        vo_zone_contact *c = &z->contact[z->order[i]];
        c->push = r->push;
        c->drag = r->drag;
        c->unsolved = r->unsolved;
        c->hopeless = r->hopeless;
        c->crushed = r->hopeless && r->missing > crushed;
        for (int k = 0; k < 4; k++)
            if (!v3_equal(x[r->node[k]], z->before[r->node[k]])) moved[r->node[k]] = 1;
        int root = contact_root(z, c);
        if (root >= 0) z->zone_of[root] = -1, z->stirred[root] = 0;
    }
}

vo_result vo_zones_solve(vo_zones *z, vo_vec3 *x, int sweeps, unsigned char *moved) {
    int zones = number_zones(z);
    VO_TRY(sort_contacts(z, zones));
    VO_TRY(make_rows(z, zones, x));
    solve_args args = {z, x, sweeps};
    vo_parallel_for(z->ctx, zones, 1, solve_range, &args);
    z->swept = 0;
    for (int i = 0; i < zones; i++)
        z->swept += (int64_t)z->sweeps[i] * (z->start[i + 1] - z->start[i]);
    take_rows(z, z->start[zones], x, moved);
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
