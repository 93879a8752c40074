/* Untangling by contour minimisation: driver.
 *
 * Each step finds the contours (contour.h), pushes nodes out of closed obstacles (inside.c), pushes
 * the regions bounded by contours back or shortens the contours (push.c), and converts the pushes
 * into a motion of the cloth (move.c). Once nothing intersects, gaps between the surfaces are
 * opened (gap.c).
 *
 * Steps may increase the cost temporarily. The best state is kept; if it has not improved for
 * several steps, the next attempt restarts from it with larger neighbourhoods and smooths the cloth
 * around the contours, which opens folds that pass through themselves or others. */
#include "collide/untangle/untangle.h"

#include "collide/untangle/untangle_private.h"
#include "core/memory.h"
#include "math/bounds.h"

#include <string.h>

enum { MAX_RESTARTS = 7, STALL_STEPS = 12, MAX_TIGHTENINGS = 12 };

/* Budget of tested face pairs, per face and in total. Sheets that pass through each other need a
 * few thousand per face. */
enum { TESTS_PER_FACE = 20000, MIN_TESTS = 20000000 };

#define MIN_TIGHTEN_STRETCH 1.12 /* edges are tightened from this stretch on */

vo_untangle_def vo_untangle_def_default(void) { return (vo_untangle_def){.gap = 0.0005}; }

static vo_result check_positions(vo_context *ctx, int node_count, const vo_vec3 *x) {
    for (int n = 0; n < node_count; n++)
        if (!v3_is_bounded(x[n]))
            return vo_fail(ctx, VO_BAD_DATA,
                           "node %d is at %g, %g, %g; untangling requires finite coordinates", n,
                           x[n].x, x[n].y, x[n].z);
    return VO_OK;
}

vo_result vo_untangler_create(vo_context *ctx, const vo_untangle_def *def, const vo_vec3 *x,
                              vo_untangler **out) {
    *out = NULL;
    VO_TRY(check_positions(ctx, def->soup.node_count, x));
    vo_untangler *u = vo_new(ctx, vo_untangler);
    if (!u) return vo_fail_memory(ctx, "untangling");
    u->ctx = ctx;
    u->def = *def;
    vo_result result = vo_contours_create(ctx, &def->soup, x, &u->contours);
    if (result == VO_OK) result = vo_untangle_topology(u, x);
    if (result == VO_OK)
        *out = u;
    else
        vo_untangler_destroy(u);
    return result;
}

void vo_untangler_destroy(vo_untangler *u) {
    if (!u) return;
    vo_contours_free(&u->contours);
    vo_untangle_free_topology(u);
    vo_free_array(u->ctx, u->tangle, u->tangle_capacity);
    vo_delete(u->ctx, u);
}

vo_result vo_untangle_poll_cancel(const vo_untangler *u) {
    return u->def.can_cancel ? vo_check_cancel(u->ctx) : VO_OK;
}

static void copy_positions(const vo_untangler *u, vo_vec3 *to, const vo_vec3 *from) {
    if (u->def.soup.node_count > 0) memcpy(to, from, (size_t)u->def.soup.node_count * sizeof *to);
}

/* Cost of a state: the length of all contours, and a constant for each contour and touching
 * pair. */
static double contour_cost(const vo_untangler *u) {
    const vo_contours *c = &u->contours;
    double sum = c->length;
    for (int i = 0; i < c->touching_count; i++)
        sum += 0.1 * u->node_size[c->soup.face[c->touching[i].a][0]];
    for (int i = 0; i < c->contour_count; i++)
        sum += 0.1 * u->node_size[c->soup.face[c->vertex[c->contour[i].begin].segment[0]][0]];
    return sum;
}

/* Moves x by one step from the current contours. */
static void step_once(vo_untangler *u, vo_vec3 *x) {
    vo_untangle_clear_pushes(u);
    vo_untangle_push_inside(u, x);
    vo_untangle_push_contours(u, x);
    vo_untangle_move(u, x);
}

/* Limits of an attempt. */
typedef struct effort_limit {
    int iterations;     /* total, as counted in the report */
    int levels;         /* restarts */
    double max_stretch; /* edge stretch; each restart allows more */
} effort_limit;

static void set_level(vo_untangler *u, const effort_limit *p, int level) {
    u->level = level;
    u->max_stretch = p->max_stretch + 0.1 * level;
    for (int n = 0; n < u->def.soup.node_count; n++) u->exit_direction[n] = v3_zero();
}

/* Restores the best state. */
static vo_result restore(vo_untangler *u, vo_vec3 *x) {
    copy_positions(u, x, u->best_x);
    return vo_contours_find(&u->contours, x);
}

/* Returns true if the iterations or tests are used up. */
static bool is_exhausted(const vo_untangler *u, const effort_limit *p,
                         const vo_untangle_report *report) {
    return report->iterations == p->iterations || u->contours.tested > u->max_tests;
}

/* Returns true if no node has moved since the best state: then no step at this level will. */
static bool is_stalled(const vo_untangler *u, const vo_vec3 *x) {
    return memcmp(u->best_x, x, (size_t)u->def.soup.node_count * sizeof *x) == 0;
}

/* Steps until nothing intersects or no progress is made. Precondition: u->contours are those of x,
 * without a dense region. Leaves the best state in x, and its contours. */
static vo_result resolve(vo_untangler *u, const effort_limit *p, vo_vec3 *x,
                         vo_untangle_report *report) {
    double best = INFINITY;
    int stalled_steps = 0;
    set_level(u, p, 0);
    while (!vo_untangle_is_clean(u)) {
        double now = u->contours.over_budget ? INFINITY : contour_cost(u);
        if (now < 0.99 * best) {
            best = now;
            copy_positions(u, u->best_x, x);
            stalled_steps = 0;
        } else if (++stalled_steps > STALL_STEPS * (1 + u->level) || u->contours.over_budget ||
                   is_stalled(u, x)) {
            stalled_steps = 0;
            VO_TRY(restore(u, x));
            if (u->level == p->levels) return VO_OK;
            set_level(u, p, u->level + 1);
            report->restarts++;
        }
        if (is_exhausted(u, p, report)) return restore(u, x);
        VO_TRY(vo_untangle_poll_cancel(u));
        step_once(u, x);
        report->iterations++;
        VO_TRY(vo_contours_find(&u->contours, x));
    }
    return VO_OK;
}

/* Initialises the positions and contours for the first step. */
static vo_result prepare(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    const vo_contours *c = &u->contours;
    if (u->mark > INT32_MAX / 2) {
        memset(u->node_mark, 0, (size_t)u->def.soup.node_count * sizeof *u->node_mark);
        u->mark = 0;
    }
    copy_positions(u, u->start_x, x);
    vo_untangle_set_obstacles(u, x);
    VO_TRY(vo_contours_find(&u->contours, x));
    if (c->over_budget) return VO_OK;
    report->contours_before = c->contour_count;
    report->pairs_before = c->pair_count;
    report->length_before = c->length;
    if (!u->def.push_out) return VO_OK;
    vo_untangle_eject(u, x);
    return vo_contours_find(&u->contours, x);
}

/* Iteration limit: a sheet's width takes as many steps as it has faces across. */
static int iteration_limit(const vo_untangler *u) {
    if (u->def.max_iterations > 0) return u->def.max_iterations;
    return 400 + 10 * (int)sqrt((double)u->def.soup.face_count);
}

/* Returns the largest stretch of an edge that has moved. */
static double largest_stretch(const vo_untangler *u, const vo_vec3 *x) {
    double largest = 0;
    for (int e = 0; e < u->def.soup.edge_count; e++) {
        const int *n = u->def.soup.edge[e];
        if (v3_distance(x[n[0]], u->start_x[n[0]]) + v3_distance(x[n[1]], u->start_x[n[1]]) == 0)
            continue;
        if (u->edge_rest[e] > 0)
            largest = vo_max(largest, v3_distance(x[n[0]], x[n[1]]) / u->edge_rest[e]);
    }
    return largest;
}

/* Reduces the stretch that restarts have allowed: restores edges regardless of intersections and
 * untangles again, with the limits of a first attempt. Keeps the previous state if that fails. */
static vo_result tighten(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    for (int round = 0; round < MAX_TIGHTENINGS; round++) {
        double before = largest_stretch(u, x);
        if (before < MIN_TIGHTEN_STRETCH) break;
        VO_TRY(vo_untangle_poll_cancel(u));
        copy_positions(u, u->clean_x, x);
        u->max_stretch = vo_max(VO_UNTANGLE_MAX_STRETCH, before - 0.1);
        vo_untangle_limit_strain(u, x, vo_untangle_list_moved(u, x), 8);
        VO_TRY(vo_contours_find(&u->contours, x));
        effort_limit p = {.iterations = report->iterations + 30, .max_stretch = u->max_stretch};
        if (!u->contours.over_budget) VO_TRY(resolve(u, &p, x, report));
        if (vo_untangle_is_clean(u) && largest_stretch(u, x) < 0.99 * before) continue;
        copy_positions(u, x, u->clean_x);
        return vo_contours_find(&u->contours, x);
    }
    return VO_OK;
}

static double max_displacement(const vo_untangler *u, const vo_vec3 *x) {
    double max_stretch = 0;
    for (int n = 0; n < u->def.soup.node_count; n++)
        max_stretch = vo_max(max_stretch, v3_distance(x[n], u->start_x[n]));
    return max_stretch;
}

/* Fills the report and lists the remaining tangles. */
static vo_result finish(vo_untangler *u, const vo_vec3 *x, vo_untangle_report *report) {
    report->clean = vo_untangle_is_clean(u);
    report->contours_after = u->contours.contour_count;
    report->pairs_after = u->contours.pair_count;
    report->length_after = u->contours.length;
    report->max_motion = max_displacement(u, x);
    VO_TRY(vo_untangle_list_tangles(u, x));
    VO_TRY(vo_untangle_list_inside(u, x));
    report->tangle = u->tangle;
    report->tangle_count = u->tangle_count;
    for (int i = 0; i < u->tangle_count; i++)
        report->inside_count += u->tangle[i].reason >= VO_TANGLE_INSIDE;
    return VO_OK;
}

/* Finds the dense region. Faces of obstacles may intersect each other. */
static vo_dense_region find_dense_region(const vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    int cloths = c->face_count[0] ? c->face[0][c->face_count[0] - 1] + 1 : 0;
    return vo_dense_region_find(c->soup.face_count, c->soup.face, cloths, x);
}

vo_result vo_untangle(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    *report = (vo_untangle_report){.dense_region.face = -1};
    VO_TRY(check_positions(u->ctx, u->def.soup.node_count, x));
    VO_TRY(prepare(u, x, report));
    if (u->contours.over_budget) {
        report->dense_region = find_dense_region(u, x);
        return VO_OK;
    }
    u->max_tests =
        u->contours.tested + MIN_TESTS + (int64_t)TESTS_PER_FACE * u->def.soup.face_count;
    bool clean = report->pairs_before == 0 && u->contours.pair_count == 0;
    if (clean && u->def.leave_clean) return finish(u, x, report);
    effort_limit p = {iteration_limit(u), MAX_RESTARTS, VO_UNTANGLE_MAX_STRETCH};
    VO_TRY(resolve(u, &p, x, report));
    if (vo_untangle_is_clean(u)) {
        VO_TRY(tighten(u, x, report));
        VO_TRY(vo_untangle_relax(u, x));
        VO_TRY(vo_untangle_open_gaps(u, x, &report->gap));
    }
    return finish(u, x, report);
}
