/* Stages of the collision response (response.h). A round detects collisions, adds them to the zones
 * and responds at the stage that the round has reached; the loop ends when nothing collides.
 *
 * Bridson, Fedkiw, Anderson 2002, "Robust treatment of collisions, contact and friction for cloth
 * animation"; Harmon et al. 2008 (impact_zone.h).
 *
 * Correctness: a search covers every pair with a node marked as moved since the previous search,
 * and all movable nodes of colliding pairs are marked whether they moved or not. So a pair that is
 * not searched was not colliding when it was last searched, and has not moved since. An empty
 * search therefore proves that the whole step is free of collisions.
 *
 * Termination: from FREEZE_NODES_ROUND on each round moves all nodes of colliding pairs to x0; from
 * FREEZE_PARTS_ROUND on, all nodes of their cloths and obstacles. Each of these rounds freezes at
 * least one more part, and frozen features never collide. Obstacles that are not involved are never
 * frozen.
 *
 * Once obstacles have yielded there is more space than when the cloth was frozen: the cloth is
 * released and runs through the stages a second time, with the obstacles where they are now. So
 * squeezed cloth can still slide out. The worst case is twice FREEZE_PARTS_ROUND plus the number of
 * parts.
 *
 * Cost: rounds differ in work, since one may have ten pairs or a million. So a round advances the
 * round number by its work: tested pairs and row updates, relative to a budget per node. If
 * everything collides at once, the stages are passed in a few rounds. */
#include "collide/response.h"

#include "collide/dense_region.h"
#include "collide/failsafe.h"
#include "core/memory.h"

#include <string.h>

/* Round numbers at which the strategy changes. */
enum {
    IMPULSE_ROUNDS = 4,        /* up to here a few sweeps (stage 1), then full solves (stage 2) */
    REDUCED_EFFORT_ROUND = 40, /* from here on nodes are raised after fewer attempts */
    FREEZE_EARLY_ROUND = 80,   /* nodes are raised at once */
    FREEZE_NODES_ROUND = 110,  /* nodes are raised at once, to x0 */
    FREEZE_PARTS_ROUND = 140,  /* whole cloths and obstacles are set to x0 */
};
enum { IMPULSE_SWEEPS = 6, ZONE_SWEEPS = 200 };
enum { UNSOLVED_FAILURES = 2 }; /* failures added by a contact that missed its target distance */
enum { MIN_IMPACTS_TO_LEAVE = 32 }; /* below this number of impacts stage 1 is not left early */
enum { MAX_ZONE_CONTACTS = 128 };   /* budget of zone contacts per node */
enum { MAX_NODE_PAIRS = 256 };      /* candidate pairs per node; more are a dense region */

/* Work of one round in pairs and row updates: per node, and a minimum. */
enum { ROUND_WORK = 64, MIN_ROUND_WORK = 1 << 21 };

/* Fraction of impacts that must remain for impulses to be abandoned for zones. */
static const double MIN_REMAINING_FRACTION = 0.8;

struct vo_response {
    vo_context *ctx;
    int node_count;
    vo_impact_list impacts;
    vo_impact_zones zones;
    vo_failsafe failsafe;
    unsigned char *moved;       /* [node_count] moved since the last search */
    unsigned char *part_frozen; /* [part_count] the whole part is at x0 */
    vo_vec3 *target_x;          /* [node_count] m, x1 of the call */
    int part_count;
    bool started; /* zones, failsafe, part_frozen and target_x belong to this step */
};

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result create_arrays(vo_response *r) {
    r->moved = vo_new_array(r->ctx, unsigned char, r->node_count);
    r->target_x = vo_new_array(r->ctx, vo_vec3, r->node_count);
    r->part_frozen = vo_new_array(r->ctx, unsigned char, r->part_count);
    bool ok = r->node_count == 0 || (r->moved && r->target_x && r->part_frozen);
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
    if (result == VO_OK) result = vo_impact_zones_create(ctx, r->node_count, &r->zones);
    if (result == VO_OK) result = vo_failsafe_create(ctx, r->node_count, &r->failsafe);
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
    vo_impact_zones_free(&r->zones);
    vo_failsafe_free(&r->failsafe);
    vo_free_array(r->ctx, r->moved, r->node_count);
    vo_free_array(r->ctx, r->target_x, r->node_count);
    vo_free_array(r->ctx, r->part_frozen, r->part_count);
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
    int found;           /* impacts of the search before the last one */
    int64_t work;        /* work of the current round */
    double motion_limit; /* m, larger motions of a node indicate an infeasible zone */
    bool over_budget;    /* the last search was incomplete */
    bool squeezed;       /* nodes have been raised */
    bool second_pass;    /* obstacles have yielded, and the stages run a second time */
} step;

/* Returns the largest finite motion of a node. */
static double max_motion(const vo_surface *surface) {
    double max2 = 0;
    for (int i = 0; i < surface->node_count; i++) {
        double motion2 = v3_length2(v3_sub(surface->x1[i], surface->x0[i]));
        if (motion2 > max2 && motion2 < INFINITY) max2 = motion2;
    }
    return sqrt(max2);
}

/* Initialises zones and fail-safe on first use; most steps have no impact and need neither. */
static void start_step(step *s) {
    if (s->r->started) return;
    s->r->started = true;
    s->report->max_motion = max_motion(s->surface);
    s->motion_limit = 2 * (s->report->max_motion + s->def->thickness);
    vo_impact_zones_clear(&s->r->zones, s->surface);
    vo_failsafe_clear(&s->r->failsafe);
    memset(s->r->part_frozen, 0, (size_t)s->r->part_count);
    memcpy(s->r->target_x, s->surface->x1, (size_t)s->r->node_count * sizeof *s->r->target_x);
}

/* Raises nodes whose target position is not finite to x0. */
static void freeze_invalid_nodes(step *s) {
    vo_surface *surface = s->surface;
    for (int i = 0; i < s->r->node_count; i++) {
        if (v3_is_finite(surface->x1[i])) continue;
        start_step(s);
        surface->x1[i] = surface->x0[i];
        vo_failsafe_raise_node(&s->r->failsafe, &s->r->zones, i, VO_LEVEL_MAX);
    }
    if (s->r->started) vo_failsafe_apply(&s->r->failsafe, &s->r->zones, surface, s->r->moved);
}

/* ---- detection ------------------------------------------------------------------------------ */

/* Raises the nodes of a pair to x0: the movable ones, or all. */
static void freeze_pair(step *s, const vo_feature_pair *pair, bool all) {
    for (int k = 0; k < 4; k++)
        if (all || s->surface->inverse_mass[pair->node[k]] > 0)
            vo_failsafe_raise_node(&s->r->failsafe, &s->r->zones, pair->node[k], VO_LEVEL_MAX);
}

/* Moves the raised nodes of a dense region and counts them. Returns false if there were none. */
static bool apply_dense_freeze(step *s) {
    vo_failsafe *h = &s->r->failsafe;
    if (h->raised_count == 0) return false;
    s->report->dense_nodes += h->raised_count;
    if (s->report->dense_node < 0) s->report->dense_node = h->raised[h->raised_count / 2];
    s->squeezed = true;
    vo_failsafe_apply(h, &s->r->zones, s->surface, s->r->moved);
    return true;
}

/* Freezes the cloth of the listed pairs of a dense region or, if all of it is frozen, also the
 * obstacles. Terminates: a listed pair has a moving node, so each call freezes at least one more
 * node. */
static void freeze_dense_pairs(step *s, int count, const vo_feature_pair *pairs) {
    start_step(s);
    for (int i = 0; i < count; i++) freeze_pair(s, &pairs[i], false);
    if (apply_dense_freeze(s)) return;
    for (int i = 0; i < count; i++) freeze_pair(s, &pairs[i], true);
    apply_dense_freeze(s);
}

/* Freezes everything, for states in which even the cluster pairs exceed their budget. */
static void freeze_all(step *s) {
    start_step(s);
    for (int i = 0; i < s->r->node_count; i++)
        vo_failsafe_raise_node(&s->r->failsafe, &s->r->zones, i, VO_LEVEL_MAX);
    apply_dense_freeze(s);
    s->r->impacts.count = s->r->impacts.found_count = 0;
    s->over_budget = false;
}

static void freeze_impacts(step *s) {
    const vo_impact_list *list = &s->r->impacts;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < list->count; i++) freeze_pair(s, &list->impact[i].pair, pass == 1);
        if (apply_dense_freeze(s)) return;
    }
}

/* Searches for collisions. If a budget is exceeded, freezes the listed pairs and requires another
 * search. */
static vo_result search(step *s, const unsigned char *moved) {
    vo_response *r = s->r;
    const vo_feature_pair *pairs;
    int count;
    VO_TRY(vo_candidates_find_swept_pairs(s->candidates, moved, &count, &pairs));
    s->over_budget = vo_candidates_over_budget(s->candidates) ||
                     count > vo_pair_budget(MAX_NODE_PAIRS, r->node_count);
    s->work += count;
    if (s->over_budget) {
        if (count == 0)
            freeze_all(s);
        else
            freeze_dense_pairs(s, count, pairs);
        return VO_OK;
    }
    if (r->node_count > 0) memset(r->moved, 0, (size_t)r->node_count);
    VO_TRY(vo_impacts_find(s->surface, s->def->thickness, s->round >= FREEZE_EARLY_ROUND, count,
                           pairs, &r->impacts, r->moved));
    s->over_budget = r->impacts.over_budget;
    if (s->over_budget) {
        start_step(s);
        freeze_impacts(s);
    }
    return VO_OK;
}

/* Detects collisions among all pairs, or among those with a moved node. Marks nodes for the next
 * search. */
static vo_result detect(step *s, const unsigned char *moved) {
    s->found = s->r->impacts.count;
    VO_TRY(search(s, moved));
    while (s->over_budget) VO_TRY(search(s, NULL));
    s->report->passes++;
    s->report->impacts += s->r->impacts.found_count;
    return VO_OK;
}

/* Adds the detected impacts to the zones. */
static vo_result add_impacts(step *s) {
    vo_response *r = s->r;
    vo_friction friction = {s->def->friction, s->def->obstacle_friction};
    for (int i = 0; i < r->zones.count; i++) r->zones.contact[i].active = false;
    for (int i = 0; i < r->impacts.count; i++) {
        int index;
        VO_TRY(vo_impact_zones_add(&r->zones, s->surface, &r->impacts.impact[i], friction, &index));
        vo_impact_contact *c = &r->zones.contact[index];
        if (c->in_zone) c->failures += c->unsolved ? UNSOLVED_FAILURES : 1;
        c->in_zone |= s->round > IMPULSE_ROUNDS;
    }
    return VO_OK;
}

/* Returns the number of failures after which the nodes of a pair are raised. */
static int effort_limit(const step *s) {
    if (s->round >= FREEZE_EARLY_ROUND) return 0;
    return s->round >= REDUCED_EFFORT_ROUND || s->squeezed ? 4 : 16;
}

/* Returns the smallest level for the nodes of a raised contact. */
static int min_level(const step *s, bool infeasible) {
    if (s->round >= FREEZE_NODES_ROUND || s->second_pass) return VO_LEVEL_MAX;
    return infeasible ? VO_LEVEL_FROZEN + 1 : VO_LEVEL_FREE;
}

/* Raises all nodes of a cloth or obstacle to x0. */
static void freeze_part(step *s, int part) {
    vo_response *r = s->r;
    const vo_surface_part *p = &s->surface->part[part];
    if (r->part_frozen[part]) return;
    r->part_frozen[part] = 1;
    for (int i = p->node_begin; i < p->node_end; i++)
        vo_failsafe_raise_node(&r->failsafe, &r->zones, i, VO_LEVEL_MAX);
}

/* Stages 3 to 5, for contacts on which stage 2 has failed too often or that are infeasible. */
static void apply_failsafe(step *s) {
    vo_response *r = s->r;
    for (int i = 0; i < r->zones.count; i++) {
        vo_impact_contact *c = &r->zones.contact[i];
        if (!c->active) continue;
        bool infeasible = c->in_zone && c->infeasible;
        if (!infeasible && c->failures <= effort_limit(s) &&
            vo_impact_zones_can_separate(&r->zones, c))
            continue;
        vo_failsafe_raise(&r->failsafe, &r->zones, s->surface, c, min_level(s, infeasible));
        for (int k = 0; k < 4 && s->round >= FREEZE_PARTS_ROUND; k++)
            freeze_part(s, s->surface->node_part[c->impact.pair.node[k]]);
    }
    s->squeezed |= r->failsafe.raised_count > 0;
    vo_failsafe_apply(&r->failsafe, &r->zones, s->surface, r->moved);
}

/* Freezes nodes that an infeasible zone has moved further than any node moves in this step. */
static void freeze_runaways(step *s) {
    const vo_surface *surface = s->surface;
    for (int i = 0; i < s->r->node_count; i++)
        if (s->r->moved[i] && !(v3_distance(surface->x1[i], surface->x0[i]) <= s->motion_limit))
            vo_failsafe_raise_node(&s->r->failsafe, &s->r->zones, i, VO_LEVEL_FROZEN);
    vo_failsafe_apply(&s->r->failsafe, &s->r->zones, s->surface, s->r->moved);
}

/* Raises infeasible contacts whose gap is closed without another search, because they certainly
 * collide; the rest of the zone is solved again. Skipped in the second pass, in which cloth is
 * frozen only where a collision is detected. */
static bool raise_closed_gaps(step *s) {
    vo_response *r = s->r;
    for (int i = 0; i < r->zones.count && !s->second_pass; i++) {
        vo_impact_contact *c = &r->zones.contact[i];
        if (c->active && c->in_zone && c->gap_closed)
            vo_failsafe_raise(&r->failsafe, &r->zones, s->surface, c, min_level(s, true));
    }
    bool any = r->failsafe.raised_count > 0;
    s->squeezed |= any;
    vo_failsafe_apply(&r->failsafe, &r->zones, s->surface, r->moved);
    return any;
}

/* Returns true if the zones exceed their contact budget. */
static bool zones_are_full(const step *s) {
    return s->r->zones.count > vo_pair_budget(MAX_ZONE_CONTACTS, s->r->node_count);
}

static vo_result solve_zones(step *s, int sweeps) {
    vo_impact_zones *zones = &s->r->zones;
    VO_TRY(vo_impact_zones_solve(zones, s->surface->x1, sweeps, s->r->moved));
    s->work += zones->row_updates;
    return VO_OK;
}

/* Responds to the detected impacts of one round. */
static vo_result respond(step *s) {
    if (zones_are_full(s)) {
        freeze_impacts(s);
        return VO_OK;
    }
    VO_TRY(add_impacts(s));
    apply_failsafe(s);
    int sweeps = s->round <= IMPULSE_ROUNDS ? IMPULSE_SWEEPS : ZONE_SWEEPS;
    if (s->round <= IMPULSE_ROUNDS) s->report->impulses += s->r->impacts.count;
    VO_TRY(solve_zones(s, sweeps));
    if (raise_closed_gaps(s)) VO_TRY(solve_zones(s, sweeps));
    freeze_runaways(s);
    return VO_OK;
}

/* Counts the nodes of stages 3 to 5. */
static void count_raised(const vo_failsafe *h, const vo_surface *surface,
                         vo_response_report *report) {
    int worst = 0;
    for (int i = 0; i < h->node_count; i++) {
        int level = h->level[i];
        bool prescribed = !(surface->inverse_mass[i] > 0);
        if (prescribed && level <= VO_LEVEL_FROZEN) continue;
        report->lagging_nodes += prescribed;
        report->frozen_nodes += !prescribed && level >= VO_LEVEL_FROZEN;
        report->truncated_nodes += !prescribed && level > VO_LEVEL_FREE && level < VO_LEVEL_FROZEN;
        if (prescribed) level += VO_LEVEL_MAX; /* stage 5 */
        if (level > worst) report->worst_node = i;
        worst = vo_max_int(worst, level);
    }
}

/* Reports a node of a zone if no node was raised. */
static void find_zone_node(const vo_impact_zones *zones, vo_response_report *report) {
    for (int i = 0; i < zones->count && report->worst_node < 0; i++)
        if (zones->contact[i].in_zone) report->worst_node = zones->contact[i].impact.pair.node[0];
}

/* Returns true if impulses have hardly reduced the number of impacts. */
static bool should_leave_impulses(const step *s) {
    int count = s->r->impacts.count;
    return s->round > 2 && s->round <= IMPULSE_ROUNDS && count > MIN_IMPACTS_TO_LEAVE &&
           count > MIN_REMAINING_FRACTION * s->found;
}

/* Returns by how much the work since the last round advances the round number. */
static int round_increment(const step *s) {
    int64_t round = (int64_t)ROUND_WORK * s->r->node_count + MIN_ROUND_WORK;
    return 1 + (int)(s->work / round < FREEZE_PARTS_ROUND ? s->work / round : FREEZE_PARTS_ROUND);
}

/* Runs rounds until no collision is detected. */
static vo_result run_stages(step *s) {
    while (s->r->impacts.count > 0) {
        start_step(s);
        s->round += round_increment(s);
        s->work = 0;
        if (should_leave_impulses(s)) s->round = IMPULSE_ROUNDS + 1;
        VO_TRY(respond(s));
        VO_TRY(detect(s, s->r->moved));
    }
    return VO_OK;
}

/* Returns true if a node with prescribed motion has yielded. */
static bool any_obstacle_yielded(const vo_failsafe *h, const vo_surface *surface) {
    for (int i = 0; i < h->node_count; i++)
        if (h->level[i] > VO_LEVEL_FROZEN && !(surface->inverse_mass[i] > 0)) return true;
    return false;
}

/* Releases the cloth, keeps all contacts, and solves from the target positions. Nodes with invalid
 * targets stay fixed. */
static vo_result release_cloth(step *s) {
    vo_response *r = s->r;
    vo_surface *surface = s->surface;
    s->second_pass = true;
    s->round = IMPULSE_ROUNDS;
    vo_impact_zones_restart(&r->zones);
    for (int i = 0; i < r->node_count; i++) {
        if (!(surface->inverse_mass[i] > 0)) continue;
        if (v3_is_finite(r->target_x[i])) {
            r->moved[i] |= !v3_equal(surface->x1[i], r->target_x[i]);
            surface->x1[i] = r->target_x[i];
            vo_failsafe_release(&r->failsafe, i);
        } else {
            vo_impact_zones_fix(&r->zones, i);
        }
    }
    for (int p = 0; p < r->part_count; p++) r->part_frozen[p] &= surface->part[p].obstacle;
    VO_TRY(solve_zones(s, ZONE_SWEEPS));
    freeze_runaways(s);
    return detect(s, r->moved);
}

vo_result vo_response_apply(vo_response *response, const vo_response_def *def, vo_surface *surface,
                            vo_candidates *candidates, vo_response_report *report) {
    step s = {
        .r = response, .def = def, .surface = surface, .candidates = candidates, .report = report};
    *report = (vo_response_report){.worst_node = -1, .dense_node = -1};
    response->started = false;
    freeze_invalid_nodes(&s);
    VO_TRY(detect(&s, NULL));
    VO_TRY(run_stages(&s));
    if (!response->started) return VO_OK;
    if (any_obstacle_yielded(&response->failsafe, surface)) {
        VO_TRY(release_cloth(&s));
        VO_TRY(run_stages(&s));
    }
    report->zones = vo_impact_zones_count(&response->zones);
    count_raised(&response->failsafe, surface, report);
    find_zone_node(&response->zones, report);
    return VO_OK;
}
