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
 * to x0; from HOLD_PARTS on, all nodes of the cloths and obstacles that they belong to. Each of
 * these rounds stops one more of them at least, and of what is stopped nothing is found. Obstacles
 * that have no part in the trouble are never stopped.
 *
 * Once obstacles have yielded there is more room than the cloth had when it was held: it is let go
 * and climbs a second time, with the obstacles where they are now. So cloth that is squeezed can
 * still slide out. That is the bound on the worst case: twice HOLD_PARTS and the number of parts.
 *
 * Why it ends soon: rounds are no measure of work, since one may have ten pairs or a million. So a
 * round counts for as many as its work is worth: pairs that were looked at and contacts that were
 * swept over, against what a round may cost for each node. Where everything is in trouble at once,
 * the ladder is climbed in a few rounds. */
#include "collide/response.h"

#include "collide/clump.h"
#include "collide/response_hold.h"
#include "core/memory.h"

#include <string.h>

/* Rounds at which the ladder changes its ways. */
enum {
    IMPULSES = 4,     /* up to here a few sweeps (rung 1), then as many as it takes (rung 2) */
    IMPATIENT = 40,   /* from here on nodes are held back after fewer attempts */
    HOLD_SOON = 80,   /* at once */
    HOLD_TOP = 110,   /* at once, and at x0 */
    HOLD_PARTS = 140, /* whole cloths and obstacles stay at x0 */
};
enum { IMPULSE_SWEEPS = 6, ZONE_SWEEPS = 200 };
enum { UNSOLVED = 2 };        /* failures that a contact which missed its goal counts for */
enum { FEW = 32 };            /* impacts for which it is not worth while to leave rung 1 early */
enum { ZONE_CONTACTS = 128 }; /* that zones may have for each node */
enum { CLUMP_PAIRS = 256 };   /* beyond which, for each node, what may collide is a clump */

/* Pairs and swept contacts that make a round: so many for each node, and so many in any case. */
enum { ROUND_WORK = 64, LEAST_ROUND_WORK = 1 << 21 };

/* Impulses that leave this part of the impacts are given up for zones. */
static const double useless = 0.8;

struct vo_response {
    vo_context *ctx;
    int node_count;
    vo_impact_list impacts;
    vo_zones zones;
    vo_holds holds;
    unsigned char *moved;   /* [node_count] since the last search */
    unsigned char *stopped; /* [part_count] as a whole */
    vo_vec3 *wish;          /* [node_count] m, x1 as it was given */
    int part_count;
    bool begun; /* zones, holds, stopped and wish belong to this step */
};

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result create_arrays(vo_response *r) {
    r->moved = vo_new_array(r->ctx, unsigned char, r->node_count);
    r->wish = vo_new_array(r->ctx, vo_vec3, r->node_count);
    r->stopped = vo_new_array(r->ctx, unsigned char, r->part_count);
    bool ok = r->node_count == 0 || (r->moved && r->wish && r->stopped);
    return ok ? VO_OK : vo_fail_memory(r->ctx, "the collision response");
}

vo_result vo_response_create(vo_context *ctx, const vo_surface *surface, vo_response **out) {
    vo_response *r = vo_new(ctx, vo_response);
    *out = NULL;
    if (!r) return vo_fail_memory(ctx, "the collision response");
    r->ctx = ctx;
    r->node_count = surface->node_count;
    r->part_count = surface->part_count;
    vo_result result = vo_impact_list_create(ctx, r->node_count, &r->impacts);
    if (result == VO_OK) result = vo_zones_create(ctx, r->node_count, &r->zones);
    if (result == VO_OK) result = vo_holds_create(ctx, r->node_count, &r->holds);
    if (result == VO_OK) result = create_arrays(r);
    if (result == VO_OK)
        *out = r;
    else
        vo_response_destroy(r);
    return result;
}

void vo_response_destroy(vo_response *r) {
    if (!r) return;
    vo_impact_list_free(&r->impacts);
    vo_zones_free(&r->zones);
    vo_holds_free(&r->holds);
    vo_free_array(r->ctx, r->moved, r->node_count);
    vo_free_array(r->ctx, r->wish, r->node_count);
    vo_free_array(r->ctx, r->stopped, r->part_count);
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
    int found;     /* impacts of the search before the last */
    int64_t work;  /* of the round under way */
    double reach;  /* m, that no node may go beyond: then a zone has no solution */
    bool crowded;  /* the last look at what collides did not get to its end */
    bool squeezed; /* nodes have been held back */
    bool again;    /* obstacles have yielded, and the cloth climbs a second time */
} step;

/* The longest way of a node, of those that lead anywhere. */
static double longest_way(const vo_surface *surface) {
    double longest2 = 0;
    for (int i = 0; i < surface->node_count; i++) {
        double way2 = v3_length2(v3_sub(surface->x1[i], surface->x0[i]));
        if (way2 > longest2 && way2 < INFINITY) longest2 = way2;
    }
    return sqrt(longest2);
}

/* Makes zones and holds ready; most steps have no impact and need neither. */
static void begin(step *s) {
    if (s->r->begun) return;
    s->r->begun = true;
    s->report->longest = longest_way(s->surface);
    s->reach = 2 * (s->report->longest + s->def->thickness);
    vo_zones_clear(&s->r->zones, s->surface);
    vo_holds_clear(&s->r->holds);
    memset(s->r->stopped, 0, (size_t)s->r->part_count);
    memcpy(s->r->wish, s->surface->x1, (size_t)s->r->node_count * sizeof *s->r->wish);
}

/* Positions that are not numbers lead nowhere: their nodes stay. */
static void hold_lost_nodes(step *s) {
    vo_surface *surface = s->surface;
    for (int i = 0; i < s->r->node_count; i++) {
        if (v3_is_finite(surface->x1[i])) continue;
        begin(s);
        surface->x1[i] = surface->x0[i];
        vo_holds_raise_node(&s->r->holds, &s->r->zones, i, VO_LEVEL_TOP);
    }
    if (s->r->begun) vo_holds_place(&s->r->holds, &s->r->zones, surface, s->r->moved);
}

/* ---- what collides -------------------------------------------------------------------------- */

/* Holds the nodes of a pair at x0: those that can be moved, or all. */
static void hold_pair(step *s, const vo_feature_pair *pair, bool all) {
    for (int k = 0; k < 4; k++)
        if (all || s->surface->inverse_mass[pair->node[k]] > 0)
            vo_holds_raise_node(&s->r->holds, &s->r->zones, pair->node[k], VO_LEVEL_TOP);
}

/* Puts what is held of a clump where it belongs, and counts it. False if nothing was. */
static bool place_clump(step *s) {
    vo_holds *h = &s->r->holds;
    if (h->raised_count == 0) return false;
    s->report->crowded_nodes += h->raised_count;
    if (s->report->clump_node < 0) s->report->clump_node = h->raised[h->raised_count / 2];
    s->squeezed = true;
    vo_holds_place(h, &s->r->zones, s->surface, s->r->moved);
    return true;
}

/* Some pairs out of too many: their cloth is held. Once it is, so are obstacles. A pair that is
 * listed has a node that moves, and what is held does not: so each look holds one more node at
 * least, and they come to an end. */
static void hold_clump(step *s, int count, const vo_feature_pair *pairs) {
    begin(s);
    for (int i = 0; i < count; i++) hold_pair(s, &pairs[i], false);
    if (place_clump(s)) return;
    for (int i = 0; i < count; i++) hold_pair(s, &pairs[i], true);
    place_clump(s);
}

/* Not even the places where something might collide could be listed: nothing moves at all. */
static void hold_everything(step *s) {
    begin(s);
    for (int i = 0; i < s->r->node_count; i++)
        vo_holds_raise_node(&s->r->holds, &s->r->zones, i, VO_LEVEL_TOP);
    place_clump(s);
    s->r->impacts.count = s->r->impacts.found = 0;
    s->crowded = false;
}

static void hold_impacts(step *s) {
    const vo_impact_list *list = &s->r->impacts;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < list->count; i++) hold_pair(s, &list->impact[i].pair, pass == 1);
        if (place_clump(s)) return;
    }
}

/* Looks for what collides. What is too much is held, and another look is needed. */
static vo_result look(step *s, const unsigned char *moved) {
    vo_response *r = s->r;
    const vo_feature_pair *pairs;
    int count;
    VO_TRY(vo_candidates_swept(s->candidates, moved, &count, &pairs));
    s->crowded =
        vo_candidates_crowded(s->candidates) || count > vo_clump_bound(CLUMP_PAIRS, r->node_count);
    s->work += count;
    if (s->crowded) {
        if (count == 0)
            hold_everything(s);
        else
            hold_clump(s, count, pairs);
        return VO_OK;
    }
    if (r->node_count > 0) memset(r->moved, 0, (size_t)r->node_count);
    VO_TRY(vo_impacts_find(s->surface, s->def->thickness, s->round >= HOLD_SOON, count, pairs,
                           &r->impacts, r->moved));
    s->crowded = r->impacts.crowded;
    if (s->crowded) {
        begin(s);
        hold_impacts(s);
    }
    return VO_OK;
}

/* Finds what collides: among all pairs, or among those with a node that moved. From here on nodes
 * are marked for the next search. */
static vo_result find(step *s, const unsigned char *moved) {
    s->found = s->r->impacts.count;
    VO_TRY(look(s, moved));
    while (s->crowded) VO_TRY(look(s, NULL));
    s->report->passes++;
    s->report->impacts += s->r->impacts.found;
    return VO_OK;
}

/* Takes in what was found. */
static vo_result take_in(step *s) {
    vo_response *r = s->r;
    vo_friction friction = {s->def->friction, s->def->obstacle_friction};
    for (int i = 0; i < r->zones.count; i++) r->zones.contact[i].live = false;
    for (int i = 0; i < r->impacts.count; i++) {
        int index;
        VO_TRY(vo_zones_add(&r->zones, s->surface, &r->impacts.impact[i], friction, &index));
        vo_zone_contact *c = &r->zones.contact[index];
        if (c->zoned) c->failures += c->unsolved ? UNSOLVED : 1;
        c->zoned |= s->round > IMPULSES;
    }
    return VO_OK;
}

/* How many failures a pair may have before its nodes are held back. */
static int patience(const step *s) {
    if (s->round >= HOLD_SOON) return 0;
    return s->round >= IMPATIENT || s->squeezed ? 4 : 16;
}

/* The least level for the nodes of a contact that is held back. */
static int least_level(const step *s, bool hopeless) {
    if (s->round >= HOLD_TOP || s->again) return VO_LEVEL_TOP;
    return hopeless ? VO_LEVEL_HELD + 1 : VO_LEVEL_FREE;
}

/* Holds all of a cloth or obstacle. */
static void stop_part(step *s, int part) {
    vo_response *r = s->r;
    const vo_surface_part *p = &s->surface->part[part];
    if (r->stopped[part]) return;
    r->stopped[part] = 1;
    for (int i = p->node_begin; i < p->node_end; i++)
        vo_holds_raise_node(&r->holds, &r->zones, i, VO_LEVEL_TOP);
}

/* Rungs 3 to 5, where rung 2 has failed often enough or can do nothing. */
static void hold_back(step *s) {
    vo_response *r = s->r;
    for (int i = 0; i < r->zones.count; i++) {
        vo_zone_contact *c = &r->zones.contact[i];
        if (!c->live) continue;
        bool hopeless = c->zoned && c->hopeless;
        if (!hopeless && c->failures <= patience(s) && vo_zones_movable(&r->zones, c)) continue;
        vo_holds_raise(&r->holds, &r->zones, s->surface, c, least_level(s, hopeless));
        for (int k = 0; k < 4 && s->round >= HOLD_PARTS; k++)
            stop_part(s, s->surface->node_part[c->impact.pair.node[k]]);
    }
    s->squeezed |= r->holds.raised_count > 0;
    vo_holds_place(&r->holds, &r->zones, s->surface, r->moved);
}

/* Nodes that a zone without a solution has thrown away, further than anything goes in this step. */
static void hold_runaways(step *s) {
    const vo_surface *surface = s->surface;
    for (int i = 0; i < s->r->node_count; i++)
        if (s->r->moved[i] && !(v3_distance(surface->x1[i], surface->x0[i]) <= s->reach))
            vo_holds_raise_node(&s->r->holds, &s->r->zones, i, VO_LEVEL_HELD);
    vo_holds_place(&s->r->holds, &s->r->zones, s->surface, s->r->moved);
}

/* What a zone could do nothing about collides for certain if it collided before and is crushed now:
 * it is held back without another search, and what is left of the zone is solved again. Not while
 * the cloth climbs for the second time: then it is held only where it must be. */
static bool hold_crushed(step *s) {
    vo_response *r = s->r;
    for (int i = 0; i < r->zones.count && !s->again; i++) {
        vo_zone_contact *c = &r->zones.contact[i];
        if (c->live && c->zoned && c->crushed)
            vo_holds_raise(&r->holds, &r->zones, s->surface, c, least_level(s, true));
    }
    bool any = r->holds.raised_count > 0;
    s->squeezed |= any;
    vo_holds_place(&r->holds, &r->zones, s->surface, r->moved);
    return any;
}

/* Whether zones have more contacts than they may. */
static bool zones_are_full(const step *s) {
    return s->r->zones.count > vo_clump_bound(ZONE_CONTACTS, s->r->node_count);
}

static vo_result solve_zones(step *s, int sweeps) {
    vo_zones *zones = &s->r->zones;
    VO_TRY(vo_zones_solve(zones, s->surface->x1, sweeps, s->r->moved));
    s->work += zones->swept;
    return VO_OK;
}

/* One round's answer to what was found. */
static vo_result answer(step *s) {
    if (zones_are_full(s)) {
        hold_impacts(s);
        return VO_OK;
    }
    VO_TRY(take_in(s));
    hold_back(s);
    int sweeps = s->round <= IMPULSES ? IMPULSE_SWEEPS : ZONE_SWEEPS;
    if (s->round <= IMPULSES) s->report->impulses += s->r->impacts.count;
    VO_TRY(solve_zones(s, sweeps));
    if (hold_crushed(s)) VO_TRY(solve_zones(s, sweeps));
    hold_runaways(s);
    return VO_OK;
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
        if (given) level += VO_LEVEL_TOP; /* rung 5 */
        if (level > worst) report->worst_node = i;
        worst = vo_max_int(worst, level);
    }
}

/* A node of a zone where nothing was held. */
static void name_zone(const vo_zones *zones, vo_response_report *report) {
    for (int i = 0; i < zones->count && report->worst_node < 0; i++)
        if (zones->contact[i].zoned) report->worst_node = zones->contact[i].impact.pair.node[0];
}

/* Whether impulses have not helped, and will not. */
static bool leaves_impulses(const step *s) {
    int count = s->r->impacts.count;
    return s->round > 2 && s->round <= IMPULSES && count > FEW && count > useless * s->found;
}

/* How many rounds the work since the last one counts for. */
static int rounds_worth(const step *s) {
    int64_t round = (int64_t)ROUND_WORK * s->r->node_count + LEAST_ROUND_WORK;
    return 1 + (int)(s->work / round < HOLD_PARTS ? s->work / round : HOLD_PARTS);
}

/* Rounds until nothing is found. */
static vo_result climb(step *s) {
    while (s->r->impacts.count > 0) {
        begin(s);
        s->round += rounds_worth(s);
        s->work = 0;
        if (leaves_impulses(s)) s->round = IMPULSES + 1;
        VO_TRY(answer(s));
        VO_TRY(find(s, s->r->moved));
    }
    return VO_OK;
}

/* Whether something with a given motion fell behind it. */
static bool any_yielded(const vo_holds *h, const vo_surface *surface) {
    for (int i = 0; i < h->node_count; i++)
        if (h->level[i] > VO_LEVEL_HELD && !(surface->inverse_mass[i] > 0)) return true;
    return false;
}

/* Lets the cloth go, with all that is known of impacts, and solves from what it wanted. Nodes that
 * were lost stay. */
static vo_result try_again(step *s) {
    vo_response *r = s->r;
    vo_surface *surface = s->surface;
    s->again = true;
    s->round = IMPULSES;
    vo_zones_restart(&r->zones);
    for (int i = 0; i < r->node_count; i++) {
        if (!(surface->inverse_mass[i] > 0)) continue;
        if (v3_is_finite(r->wish[i])) {
            r->moved[i] |= !v3_equal(surface->x1[i], r->wish[i]);
            surface->x1[i] = r->wish[i];
            vo_holds_release(&r->holds, i);
        } else {
            vo_zones_fix(&r->zones, i);
        }
    }
    for (int p = 0; p < r->part_count; p++) r->stopped[p] &= surface->part[p].obstacle;
    VO_TRY(solve_zones(s, ZONE_SWEEPS));
    hold_runaways(s);
    return find(s, r->moved);
}

vo_result vo_respond(vo_response *response, const vo_response_def *def, vo_surface *surface,
                     vo_candidates *candidates, vo_response_report *report) {
    step s = {
        .r = response, .def = def, .surface = surface, .candidates = candidates, .report = report};
    *report = (vo_response_report){.worst_node = -1, .clump_node = -1};
    response->begun = false;
    hold_lost_nodes(&s);
    VO_TRY(find(&s, NULL));
    VO_TRY(climb(&s));
    if (!response->begun) return VO_OK;
    if (any_yielded(&response->holds, surface)) {
        VO_TRY(try_again(&s));
        VO_TRY(climb(&s));
    }
    report->zones = vo_zones_count(&response->zones);
    count_holds(&response->holds, surface, report);
    name_zone(&response->zones, report);
    return VO_OK;
}
