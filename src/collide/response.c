/* The ladder of response.h. A round finds what collides, takes it in, and answers on the rung that
 * the round has come to; it ends when nothing is found.
 *
 * Bridson, Fedkiw, Anderson 2002, "Robust treatment of collisions, contact and friction for cloth
 * animation"; Harmon et al. 2008 (zone.h).
 *
 * Why what is not searched again is clean: a search covers every pair of which a node is marked as
 * moved since the search before, and all nodes of colliding pairs that have a position to choose
 * are marked whether they moved or not. So a pair that is left out was not found colliding when it
 * was last searched, and has not moved since. An empty search therefore proves the whole step.
 *
 * Why it ends: see the rounds below. From HOLD_TOP on each round takes all nodes of what collides
 * to x0, and the round HOLD_ALL takes all nodes there; after it nothing moves, so nothing is found.
 * That is the bound on the worst case: HOLD_ALL + 1 searches. */
#include "collide/response.h"

#include "collide/response_hold.h"
#include "core/memory.h"

#include <string.h>

/* Rounds at which the ladder changes its ways. */
enum {
    IMPULSES = 4,   /* up to here a few sweeps (rung 1), then as many as it takes (rung 2) */
    IMPATIENT = 40, /* from here on nodes are held back after fewer attempts */
    HOLD_SOON = 80, /* at once */
    HOLD_TOP = 110, /* at once, and at x0 */
    HOLD_ALL = 140, /* everything stays at x0 */
};
enum { IMPULSE_SWEEPS = 6, ZONE_SWEEPS = 200 };
enum { UNSOLVED = 3 }; /* attempts that one without a solution counts for beyond the first */

struct vo_response {
    vo_context *ctx;
    int node_count;
    vo_impact_list impacts;
    vo_zones zones;
    vo_holds holds;
    unsigned char *moved; /* [node_count] since the last search */
    bool begun;           /* zones and holds belong to this step */
};

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_response_create(vo_context *ctx, const vo_surface *surface, vo_response **out) {
    vo_response *r = vo_new(ctx, vo_response);
    *out = NULL;
    if (!r) return vo_fail_memory(ctx, "the collision response");
    r->ctx = ctx;
    r->node_count = surface->node_count;
    vo_result result = vo_zones_create(ctx, r->node_count, &r->zones);
    if (result == VO_OK) result = vo_holds_create(ctx, r->node_count, &r->holds);
    if (result == VO_OK) {
        r->moved = vo_new_array(ctx, unsigned char, r->node_count);
        if (!r->moved && r->node_count > 0) result = vo_fail_memory(ctx, "the collision response");
    }
    if (result == VO_OK)
        *out = r;
    else
        vo_response_destroy(r);
    return result;
}

void vo_response_destroy(vo_response *r) {
    if (!r) return;
    vo_impact_list_free(r->ctx, &r->impacts);
    vo_zones_free(&r->zones);
    vo_holds_free(&r->holds);
    vo_free_array(r->ctx, r->moved, r->node_count);
    vo_delete(r->ctx, r);
}

/* ---- a step --------------------------------------------------------------------------------- */

typedef struct step {
    vo_response *r;
    const vo_response_def *def;
    vo_surface *surface;
    vo_candidates *candidates;
    vo_response_report *report;
    int round;
} step;

/* Makes zones and holds ready; most steps have no impact and need neither. */
static void begin(step *s) {
    if (s->r->begun) return;
    s->r->begun = true;
    vo_zones_clear(&s->r->zones, s->surface->inverse_mass);
    vo_holds_clear(&s->r->holds);
    memset(s->r->moved, 0, (size_t)s->r->node_count);
}

/* Positions that are not numbers lead nowhere: their nodes stay. */
static void hold_lost_nodes(step *s) {
    vo_surface *surface = s->surface;
    for (int i = 0; i < s->r->node_count; i++) {
        if (v3_is_finite(surface->x1[i])) continue;
        begin(s);
        surface->x1[i] = surface->x0[i];
        vo_holds_hold(&s->r->holds, &s->r->zones, i);
    }
    if (s->r->begun) vo_holds_place(&s->r->holds, &s->r->zones, surface, s->r->moved);
}

/* Finds what collides: among all pairs, or among those with a node that moved. */
static vo_result find(step *s, const unsigned char *moved) {
    vo_response *r = s->r;
    const vo_feature_pair *pairs;
    int count;
    VO_TRY(vo_candidates_swept(s->candidates, moved, &count, &pairs));
    VO_TRY(vo_impacts_find(s->surface, s->def->thickness, count, pairs, &r->impacts));
    s->report->passes++;
    s->report->impacts += r->impacts.count;
    return VO_OK;
}

/* Takes in what was found. Of the nodes only those are marked that can be moved: one corner of a
 * floor would mark all that lies on it. */
static vo_result take_in(step *s) {
    vo_response *r = s->r;
    vo_friction friction = {s->def->friction, s->def->obstacle_friction};
    memset(r->moved, 0, (size_t)r->node_count);
    for (int i = 0; i < r->zones.count; i++) r->zones.contact[i].live = false;
    for (int i = 0; i < r->impacts.count; i++) {
        const vo_impact *impact = &r->impacts.impact[i];
        int index;
        VO_TRY(vo_zones_add(&r->zones, s->surface, impact, friction, &index));
        vo_zone_contact *c = &r->zones.contact[index];
        if (c->zoned && c->unsolved) c->found += UNSOLVED;
        c->zoned |= s->round > IMPULSES;
        for (int k = 0; k < 4; k++)
            r->moved[impact->pair.node[k]] |= s->surface->inverse_mass[impact->pair.node[k]] > 0;
    }
    return VO_OK;
}

/* How often a pair may be found colliding before its nodes are held back. */
static int patience(int round) { return round < IMPATIENT ? 16 : round < HOLD_SOON ? 3 : 0; }

/* Rungs 3 to 5, where rung 2 has failed often enough or can do nothing. */
static void hold_back(step *s) {
    vo_response *r = s->r;
    int least = s->round >= HOLD_TOP ? VO_LEVEL_TOP : VO_LEVEL_FREE;
    for (int i = 0; i < r->zones.count; i++) {
        vo_zone_contact *c = &r->zones.contact[i];
        if (!c->live) continue;
        if (c->found <= patience(s->round) && vo_zones_movable(&r->zones, c)) continue;
        vo_holds_raise(&r->holds, &r->zones, s->surface, c, least);
    }
    if (s->round >= HOLD_ALL) vo_holds_hold_all(&r->holds, &r->zones);
    vo_holds_place(&r->holds, &r->zones, s->surface, r->moved);
}

/* One round's answer to what was found. */
static vo_result answer(step *s) {
    VO_TRY(take_in(s));
    hold_back(s);
    int sweeps = s->round <= IMPULSES ? IMPULSE_SWEEPS : ZONE_SWEEPS;
    if (s->round <= IMPULSES) s->report->impulses += s->r->impacts.count;
    return vo_zones_solve(&s->r->zones, s->surface->x1, sweeps, s->r->moved);
}

/* Counts rungs 3 to 5. */
static void count_holds(const vo_holds *h, const vo_surface *surface, vo_response_report *report) {
    int worst = 0;
    for (int i = 0; i < h->node_count; i++) {
        int level = h->level[i];
        bool given = !(surface->inverse_mass[i] > 0);
        if (given && level <= VO_LEVEL_HELD) continue;
        report->yielded_nodes += given;
        report->held_nodes += !given && level >= VO_LEVEL_HELD;
        report->cut_nodes += !given && level > VO_LEVEL_FREE && level < VO_LEVEL_HELD;
        if (level > worst) report->worst_node = i;
        worst = vo_max_int(worst, level);
    }
}

/* A node of a zone where nothing was held. */
static void name_zone(const vo_zones *zones, vo_response_report *report) {
    for (int i = 0; i < zones->count && report->worst_node < 0; i++)
        if (zones->contact[i].zoned) report->worst_node = zones->contact[i].impact.pair.node[0];
}

vo_result vo_respond(vo_response *response, const vo_response_def *def, vo_surface *surface,
                     vo_candidates *candidates, vo_response_report *report) {
    step s = {response, def, surface, candidates, report, 0};
    *report = (vo_response_report){.worst_node = -1};
    response->begun = false;
    hold_lost_nodes(&s);
    VO_TRY(find(&s, NULL));
    while (response->impacts.count > 0) {
        begin(&s);
        s.round++;
        VO_TRY(answer(&s));
        VO_TRY(find(&s, response->moved));
    }
    if (!response->begun) return VO_OK;
    report->zones = vo_zones_count(&response->zones);
    count_holds(&response->holds, surface, report);
    name_zone(&response->zones, report);
    return VO_OK;
}
