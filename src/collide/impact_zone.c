#include "collide/impact_zone.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

/* Fraction of its target distance at which a contact is satisfied: more than twice the distance at
 * which it would be detected again (impact.h). Where the target is the distance at x0, tiny gaps
 * are detected again below nine tenths of it. */
static const double SATISFIED = 0.8, SATISFIED_REDUCED = 0.95;

/* Failures of a contact after which its zone reduces its target distances. */
enum { REDUCE_AFTER_FAILURES = 4 };

/* Violation at which a contact certainly collides: its gap is at the trigger distance (impact.h) or
 * negative. */
static const double GAP_CLOSED_VIOLATION = 0.98;

/* Relative gap changes below this are skipped: nodes that do not move need no new search. */
static const double MIN_RELATIVE_CHANGE = 1e-3;

/* Smallest squared weight of a node that is moved for a contact. */
static const double MIN_LEVERAGE = 0.01;

/* Sweeps between two checks of a zone, and the fraction of the violation that may remain if it
 * progresses. Between two squeezing obstacles it never does; in a stack of 40 layers the slowest
 * mode converges about as slowly. */
enum { CHECK_SWEEPS = 16 };
static const double PROGRESS_RATIO = 0.9;

/* Row updates per solve, so that large zones get fewer sweeps; about a tenth of a second. The next
 * round continues from there. */
enum { MAX_ROW_UPDATES = 4 << 20, MIN_SWEEPS = 8 };

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_impact_zones_create(vo_context *ctx, int node_count, vo_impact_zones *out) {
    *out = (vo_impact_zones){.ctx = ctx, .node_count = node_count};
    out->mobility = vo_new_array(ctx, double, node_count);
    out->parent = vo_new_array(ctx, int, node_count);
    out->first_contact = vo_new_array(ctx, int, node_count);
    out->zone_of = vo_new_array(ctx, int, node_count);
    out->x_before = vo_new_array(ctx, vo_vec3, node_count);
    out->dirty = vo_new_array(ctx, unsigned char, node_count);
    bool ok = out->mobility && out->parent && out->first_contact && out->zone_of && out->x_before &&
              out->dirty;
    if (ok || node_count == 0) return VO_OK;
    vo_impact_zones_free(out);
    return vo_fail_memory(ctx, "impact zones");
}

void vo_impact_zones_free(vo_impact_zones *z) {
    if (!z->ctx) return;
    vo_free_array(z->ctx, z->mobility, z->node_count);
    vo_free_array(z->ctx, z->parent, z->node_count);
    vo_free_array(z->ctx, z->first_contact, z->node_count);
    vo_free_array(z->ctx, z->zone_of, z->node_count);
    vo_free_array(z->ctx, z->x_before, z->node_count);
    vo_free_array(z->ctx, z->dirty, z->node_count);
    vo_free_array(z->ctx, z->contact, z->capacity);
    vo_free_array(z->ctx, z->row, z->row_capacity);
    vo_free_array(z->ctx, z->order, z->order_capacity);
    vo_free_array(z->ctx, z->start, z->start_capacity);
    vo_free_array(z->ctx, z->sweeps, z->sweeps_capacity);
    *z = (vo_impact_zones){0};
}

void vo_impact_zones_clear(vo_impact_zones *z, const vo_surface *surface) {
    size_t n = (size_t)z->node_count;
    z->surface = surface;
    z->count = 0;
    if (n == 0) return;
    memcpy(z->mobility, surface->inverse_mass, n * sizeof *z->mobility);
    memset(z->parent, -1, n * sizeof *z->parent);
    memset(z->first_contact, -1, n * sizeof *z->first_contact);
    memset(z->zone_of, -1, n * sizeof *z->zone_of);
    memset(z->dirty, 0, n);
}

/* ---- union-find of zones -------------------------------------------------------------------- */

/* The smaller index becomes the root, so that the roots do not depend on the order of unions. */
void vo_impact_zones_join(vo_impact_zones *z, const int node[4]) {
    int root = -1;
    for (int i = 0; i < 4; i++) {
        if (!(z->mobility[node[i]] > 0)) continue;
        if (z->parent[node[i]] < 0) z->parent[node[i]] = node[i];
        int other = vo_union_find_root(z->parent, node[i]);
        int low = root < 0 ? other : vo_min_int(root, other);
        if (root >= 0) z->parent[root] = low;
        z->parent[other] = low;
        root = low;
    }
}

/* Returns the root of the zone of a contact, -1 if none of its nodes is movable. */
static int contact_root(vo_impact_zones *z, const vo_impact_contact *c) {
    for (int i = 0; i < 4; i++) {
        int node = c->impact.pair.node[i];
        if (z->mobility[node] > 0) return vo_union_find_root(z->parent, node);
    }
    return -1;
}

/* Returns the change of the gap per unit impulse, 1/kg; 0 if the leverage is too small. */
static double contact_mobility(const vo_impact_zones *z, const vo_impact *m) {
    double sum = 0, largest = 0;
    for (int i = 0; i < 4; i++) {
        double mobility = z->mobility[m->pair.node[i]];
        sum += m->weight[i] * m->weight[i] * mobility;
        largest = vo_max(largest, mobility);
    }
    return sum > MIN_LEVERAGE * largest ? sum : 0;
}

bool vo_impact_zones_can_separate(const vo_impact_zones *z, const vo_impact_contact *c) {
    return contact_mobility(z, &c->impact) > 0;
}

void vo_impact_zones_fix(vo_impact_zones *z, int node) {
    z->mobility[node] = 0;
    if (z->parent[node] >= 0) z->dirty[vo_union_find_root(z->parent, node)] = 1;
}

void vo_impact_zones_restart(vo_impact_zones *z) {
    memcpy(z->mobility, z->surface->inverse_mass, (size_t)z->node_count * sizeof *z->mobility);
    for (int i = 0; i < z->count; i++) {
        vo_impact_contact *c = &z->contact[i];
        c->normal_impulse = 0;
        c->friction_impulse = v3_zero();
        c->failures = 0;
        c->unsolved = c->infeasible = c->gap_closed = false;
        c->active = c->in_zone = true;
        vo_impact_zones_join(z, c->impact.pair.node);
    }
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* Clamps the length of a vector. */
static vo_vec3 clamp_length(vo_vec3 a, double length) {
    double l = v3_length(a);
    return l > length ? v3_scale(length / l, a) : a;
}

static vo_vec3 row_sum(const vo_impact_row *r, const vo_vec3 *x) {
    return vo_weighted_sum(r->weight, r->node, x);
}

/* Solves one contact: the normal impulse that restores its target distance, and the friction
 * impulse that cancels sliding within the friction cone. */
static void solve_row(vo_impact_row *r, vo_vec3 *x) {
    vo_vec3 offset = row_sum(r, x);
    double violation = r->target_distance - v3_dot(r->normal, offset);
    double normal_impulse = vo_max(r->normal_impulse + violation / r->mobility, 0);
    vo_vec3 friction_impulse = r->friction_impulse;
    if (r->friction > 0) {
        vo_vec3 sliding = v3_sub(offset, r->start_offset);
        sliding = v3_add_scaled(sliding, -v3_dot(sliding, r->normal), r->normal);
        friction_impulse = clamp_length(v3_add_scaled(friction_impulse, -1 / r->mobility, sliding),
                                        r->friction * normal_impulse);
    }
    vo_vec3 change = v3_add_scaled(v3_sub(friction_impulse, r->friction_impulse),
                                   normal_impulse - r->normal_impulse, r->normal);
    double min_change = MIN_RELATIVE_CHANGE * r->target_distance / r->mobility;
    if (!(v3_length2(change) > min_change * min_change)) return;
    for (int i = 0; i < 4; i++)
        if (r->weighted_mobility[i] != 0)
            x[r->node[i]] = v3_add_scaled(x[r->node[i]], r->weighted_mobility[i], change);
    r->normal_impulse = normal_impulse;
    r->friction_impulse = friction_impulse;
}

/* One sweep over a zone. */
static void sweep_rows(vo_impact_row *row, int count, bool backwards, vo_vec3 *x) {
    for (int i = 0; i < count; i++) {
        vo_impact_row *r = &row[backwards ? count - 1 - i : i];
        if (r->mobility > 0) solve_row(r, x);
    }
}

/* Evaluates the violations of the rows. Returns their sum over the unsolved movable rows: 0 if
 * there is none. */
static double check_rows(vo_impact_row *row, int count, const vo_vec3 *x) {
    double total = 0;
    for (int i = 0; i < count; i++) {
        vo_impact_row *r = &row[i];
        double violation = 1 - v3_dot(r->normal, row_sum(r, x)) / r->target_distance;
        r->unsolved = !(violation <= 1 - r->satisfied_fraction);
        r->infeasible = r->unsolved && !(violation < PROGRESS_RATIO * r->violation);
        r->violation = violation;
        if (r->unsolved && r->mobility > 0) total += vo_min(violation, 1);
    }
    return total;
}

typedef struct solve_args {
    vo_impact_zones *zones;
    vo_vec3 *x;
    int sweeps;
} solve_args;

/* Returns true if nodes with prescribed motion belong to at least two parts. */
static bool has_two_prescribed_parts(const vo_surface *surface, const vo_impact_row *row,
                                     int count) {
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

/* Sweeps until all target distances are reached or the zone as a whole makes no progress, with a
 * check every few sweeps. Returns the number of sweeps. */
static int solve_zone(const solve_args *s, vo_impact_row *row, int count) {
    int sweeps = vo_min_int(s->sweeps, vo_max_int(MAX_ROW_UPDATES / count, MIN_SWEEPS));
    double total = INFINITY;
    bool stalled = false, squeezed = has_two_prescribed_parts(s->zones->surface, row, count);
    int done = 0;
    for (int step = 2; done < sweeps && total > 0 && !stalled; done += step) {
        double before = total;
        step = done < CHECK_SWEEPS ? 2 : CHECK_SWEEPS;
        for (int k = 0; k < step; k++) sweep_rows(row, count, k % 2 != 0, s->x);
        total = check_rows(row, count, s->x);
        stalled = step == CHECK_SWEEPS && !(total < PROGRESS_RATIO * before) && squeezed;
    }
    for (int i = 0; i < count && !stalled; i++)
        row[i].infeasible = row[i].unsolved && !(row[i].mobility > 0);
    return done;
}

static void solve_range(void *arg, int begin, int end, int chunk) {
    const solve_args *s = arg;
    const int *start = s->zones->start;
    (void)chunk;
    for (int i = begin; i < end; i++)
        s->zones->sweeps[i] = solve_zone(s, s->zones->row + start[i], start[i + 1] - start[i]);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Numbers the zones to solve, in the order of contacts. */
static int number_zones(vo_impact_zones *z) {
    int zones = 0;
    for (int i = 0; i < z->count; i++) {
        int root = contact_root(z, &z->contact[i]);
        if (root < 0 || z->zone_of[root] >= 0) continue;
        if (z->contact[i].active || z->dirty[root]) z->zone_of[root] = zones++;
    }
    return zones;
}

/* Returns the number of the zone of a contact, -1 if it need not be solved. */
static int zone_number(vo_impact_zones *z, const vo_impact_contact *c) {
    int root = contact_root(z, c);
    return root < 0 ? -1 : z->zone_of[root];
}

/* Counting sort of contacts by zone. start[k + 1] is first the insertion position of zone k, and so
 * its end afterwards. */
static vo_result sort_contacts(vo_impact_zones *z, int zones) {
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

/* Reduces the target distance to the distance at x0, at least half of the target
 * (impact_zone_contact.c). Planes already satisfy this. */
static void reduce_target(vo_impact_row *r, const vo_impact_contact *c) {
    double start_distance = v3_dot(c->impact.normal, c->start_offset);
    if (c->is_plane || !(start_distance < r->target_distance)) return;
    r->target_distance = vo_max(start_distance, 0.5 * r->target_distance);
    r->satisfied_fraction = SATISFIED_REDUCED;
}

static bool zone_is_reduced(const vo_impact_zones *z, int zone) {
    for (int i = z->start[zone]; i < z->start[zone + 1]; i++)
        if (z->contact[z->order[i]].failures >= REDUCE_AFTER_FAILURES) return true;
    return false;
}

static vo_impact_row make_row(const vo_impact_zones *z, const vo_impact_contact *c) {
    const vo_impact *m = &c->impact;
    vo_impact_row r = {.normal = m->normal,
                       .target_distance = m->target_distance,
                       .satisfied_fraction = SATISFIED,
                       .mobility = contact_mobility(z, m),
                       .friction = c->friction,
                       .start_offset = c->start_offset,
                       .friction_impulse = c->friction_impulse,
                       .normal_impulse = c->normal_impulse};
    for (int i = 0; i < 4; i++) {
        r.node[i] = m->pair.node[i];
        r.weight[i] = m->weight[i];
        r.weighted_mobility[i] = m->weight[i] * z->mobility[r.node[i]];
    }
    return r;
}

/* Creates the rows of the zones in their order; stores the positions of their nodes. */
static vo_result make_rows(vo_impact_zones *z, int zones, const vo_vec3 *x) {
    if (!vo_reserve(z->ctx, &z->row, &z->row_capacity, z->start[zones]))
        return vo_fail_memory(z->ctx, "impact zones");
    for (int zone = 0; zone < zones; zone++) {
        bool reduced = zone_is_reduced(z, zone);
        for (int i = z->start[zone]; i < z->start[zone + 1]; i++) {
            const vo_impact_contact *c = &z->contact[z->order[i]];
            z->row[i] = make_row(z, c);
            if (reduced) reduce_target(&z->row[i], c);
            for (int k = 0; k < 4; k++) z->x_before[z->row[i].node[k]] = x[z->row[i].node[k]];
        }
    }
    return VO_OK;
}

/* Copies impulses and flags back to the contacts, marks moved nodes, resets the zone numbers. */
static void store_rows(vo_impact_zones *z, int count, const vo_vec3 *x, unsigned char *moved) {
    for (int i = 0; i < count; i++) {
        const vo_impact_row *r = &z->row[i];
        vo_impact_contact *c = &z->contact[z->order[i]];
        c->normal_impulse = r->normal_impulse;
        c->friction_impulse = r->friction_impulse;
        c->unsolved = r->unsolved;
        c->infeasible = r->infeasible;
        c->gap_closed = r->infeasible && r->violation > GAP_CLOSED_VIOLATION;
        for (int k = 0; k < 4; k++)
            if (!v3_equal(x[r->node[k]], z->x_before[r->node[k]])) moved[r->node[k]] = 1;
        int root = contact_root(z, c);
        if (root >= 0) z->zone_of[root] = -1, z->dirty[root] = 0;
    }
}

vo_result vo_impact_zones_solve(vo_impact_zones *z, vo_vec3 *x, int sweeps, unsigned char *moved) {
    int zones = number_zones(z);
    VO_TRY(sort_contacts(z, zones));
    VO_TRY(make_rows(z, zones, x));
    solve_args args = {z, x, sweeps};
    vo_parallel_for(z->ctx, zones, 1, solve_range, &args);
    z->row_updates = 0;
    for (int i = 0; i < zones; i++)
        z->row_updates += (int64_t)z->sweeps[i] * (z->start[i + 1] - z->start[i]);
    store_rows(z, z->start[zones], x, moved);
    return VO_OK;
}

int vo_impact_zones_count(vo_impact_zones *z) {
    int zones = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < z->count; i++) {
            int root = z->contact[i].in_zone ? contact_root(z, &z->contact[i]) : -1;
            if (root < 0) continue;
            if (pass == 0 && z->zone_of[root] < 0) zones++;
            z->zone_of[root] = pass == 0 ? 0 : -1;
        }
    return zones;
}
