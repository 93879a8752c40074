/* Untangling, step by step.
 *
 * Each step finds the contours (contour.h), lets obstacles push out what is inside them
 * (untangle_inside.c) and contours push the regions that they cut off, or shorten themselves
 * (untangle_push.c), and turns the pushes into a motion of cloth (untangle_move.c). Once nothing
 * intersects, surfaces are given room (untangle_gap.c).
 *
 * Steps may make things worse for a while. The best state is kept; when it has not become better
 * for some steps, the next try starts from it with a larger reach and smooths the cloth around the
 * contours: whatever is folded through itself, or through others, opens when it becomes smooth. */
#include "collide/untangle.h"

#include "collide/untangle_private.h"
#include "core/memory.h"
#include "math/bounds.h"

#include <string.h>

enum { LEVELS = 7, PATIENCE = 12, TIGHTENINGS = 12 };

/* Pairs of faces looked at for each face, and in addition for all, before it is given up. Sheets
 * that pass through each other need a few thousand a face. */
enum { TESTS = 20000, MORE_TESTS = 20000000 };

#define STRETCHED 1.12 /* edges are worth tightening from here on */

vo_untangle_def vo_untangle_def_default(void) { return (vo_untangle_def){.gap = 0.0005}; }

static vo_result check_numbers(vo_context *ctx, int node_count, const vo_vec3 *x) {
    for (int n = 0; n < node_count; n++)
        if (!v3_is_bounded(x[n]))
            return vo_fail(ctx, VO_BAD_DATA,
                           "node %d is at %g, %g, %g: nothing can be untangled there", n, x[n].x,
                           x[n].y, x[n].z);
    return VO_OK;
}

vo_result vo_untangler_create(vo_context *ctx, const vo_untangle_def *def, const vo_vec3 *x,
                              vo_untangler **out) {
    *out = NULL;
    VO_TRY(check_numbers(ctx, def->soup.node_count, x));
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

static void copy(const vo_untangler *u, vo_vec3 *to, const vo_vec3 *from) {
    if (u->def.soup.node_count > 0) memcpy(to, from, (size_t)u->def.soup.node_count * sizeof *to);
}

/* How bad a state is: the length of all contours, and something for faces that only touch. */
static double badness(const vo_untangler *u) {
    const vo_contours *c = &u->contours;
    double sum = c->length;
    for (int i = 0; i < c->touching_count; i++)
        sum += 0.1 * u->node_size[c->soup.face[c->touching[i].a][0]];
    for (int i = 0; i < c->contour_count; i++)
        sum += 0.1 * u->node_size[c->soup.face[c->vertex[c->contour[i].begin].segment[0]][0]];
    return sum;
}

/* One step from the contours that were just found. */
static void step(vo_untangler *u, vo_vec3 *x) {
    vo_untangle_clear(u);
    vo_untangle_push_inside(u, x);
    vo_untangle_push_contours(u, x);
    vo_untangle_move(u, x);
}

/* How long to try. */
typedef struct patience {
    int iterations; /* in all, counted in the report */
    int levels;     /* restarts */
    double longest; /* of edges; each restart allows more */
} patience;

static void set_level(vo_untangler *u, const patience *p, int level) {
    u->level = level;
    u->longest = p->longest + 0.1 * level;
    for (int n = 0; n < u->def.soup.node_count; n++) u->way[n] = v3_zero();
}

/* Back to the best state. */
static vo_result restore(vo_untangler *u, vo_vec3 *x) {
    copy(u, x, u->best);
    return vo_contours_find(&u->contours, x);
}

/* Whether it has taken as long as it may. */
static bool is_spent(const vo_untangler *u, const patience *p, const vo_untangle_report *report) {
    return report->iterations == p->iterations || u->contours.tested > u->most_tested;
}

/* Whether no node has moved since the best state: then none will with this reach. */
static bool stands_still(const vo_untangler *u, const vo_vec3 *x) {
    return memcmp(u->best, x, (size_t)u->def.soup.node_count * sizeof *x) == 0;
}

/* Steps until nothing intersects, or nothing helps; u->contours are those of x, which is no clump.
 * Leaves the best state in x, and its contours. */
static vo_result resolve(vo_untangler *u, const patience *p, vo_vec3 *x,
                         vo_untangle_report *report) {
    double best = INFINITY;
    int waited = 0;
    set_level(u, p, 0);
    while (!vo_untangle_is_clean(u)) {
        double now = u->contours.crowded ? INFINITY : badness(u);
        if (now < 0.99 * best) {
            best = now;
            copy(u, u->best, x);
            waited = 0;
        } else if (++waited > PATIENCE * (1 + u->level) || u->contours.crowded ||
                   stands_still(u, x)) {
            waited = 0;
            VO_TRY(restore(u, x));
            if (u->level == p->levels) return VO_OK;
            set_level(u, p, u->level + 1);
            report->restarts++;
        }
        if (is_spent(u, p, report)) return restore(u, x);
        step(u, x);
        report->iterations++;
        VO_TRY(vo_contours_find(&u->contours, x));
    }
    return VO_OK;
}

/* Takes places and makes ready for the first step. */
static vo_result prepare(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    const vo_contours *c = &u->contours;
    if (u->mark > INT32_MAX / 2) {
        memset(u->node_mark, 0, (size_t)u->def.soup.node_count * sizeof *u->node_mark);
        u->mark = 0;
    }
    copy(u, u->start, x);
    vo_untangle_place(u, x);
    VO_TRY(vo_contours_find(&u->contours, x));
    if (c->crowded) return VO_OK;
    report->contours_before = c->contour_count;
    report->pairs_before = c->pair_count;
    report->length_before = c->length;
    if (!u->def.push_out) return VO_OK;
    vo_untangle_eject(u, x);
    return vo_contours_find(&u->contours, x);
}

/* By the way that a step goes: a sheet's width takes as many steps as it has faces across. */
static int iteration_limit(const vo_untangler *u) {
    if (u->def.max_iterations > 0) return u->def.max_iterations;
    return 400 + 10 * (int)sqrt((double)u->def.soup.face_count);
}

/* The largest stretch of an edge that has moved. */
static double largest_stretch(const vo_untangler *u, const vo_vec3 *x) {
    double largest = 0;
    for (int e = 0; e < u->def.soup.edge_count; e++) {
        const int *n = u->def.soup.edge[e];
        if (v3_distance(x[n[0]], u->start[n[0]]) + v3_distance(x[n[1]], u->start[n[1]]) == 0)
            continue;
        if (u->edge_rest[e] > 0)
            largest = vo_max(largest, v3_distance(x[n[0]], x[n[1]]) / u->edge_rest[e]);
    }
    return largest;
}

/* Later tries let cloth stretch. Once it is out, it may slide to where it need not: edges are put
 * right whatever that does, and what intersects then is untangled again, with the patience of a
 * first try. */
static vo_result tighten(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    for (int round = 0; round < TIGHTENINGS; round++) {
        double before = largest_stretch(u, x);
        if (before < STRETCHED) break;
        copy(u, u->safe, x);
        u->longest = vo_max(VO_UNTANGLE_LONGEST, before - 0.1);
        vo_untangle_limit(u, x, vo_untangle_list_moved(u, x), 8);
        VO_TRY(vo_contours_find(&u->contours, x));
        patience p = {.iterations = report->iterations + 30, .longest = u->longest};
        if (!u->contours.crowded) VO_TRY(resolve(u, &p, x, report));
        if (vo_untangle_is_clean(u) && largest_stretch(u, x) < 0.99 * before) continue;
        copy(u, x, u->safe);
        return vo_contours_find(&u->contours, x);
    }
    return VO_OK;
}

static double longest_way(const vo_untangler *u, const vo_vec3 *x) {
    double longest = 0;
    for (int n = 0; n < u->def.soup.node_count; n++)
        longest = vo_max(longest, v3_distance(x[n], u->start[n]));
    return longest;
}

/* Says what is left. */
static vo_result finish(vo_untangler *u, const vo_vec3 *x, vo_untangle_report *report) {
    report->clean = vo_untangle_is_clean(u);
    report->contours_after = u->contours.contour_count;
    report->pairs_after = u->contours.pair_count;
    report->length_after = u->contours.length;
    report->moved = longest_way(u, x);
    VO_TRY(vo_untangle_list_tangles(u, x));
    report->tangle = u->tangle;
    report->tangle_count = u->tangle_count;
    for (int i = 0; i < u->tangle_count; i++)
        report->inside_count += u->tangle[i].why == VO_TANGLE_INSIDE;
    return VO_OK;
}

/* Says where the clump is. Faces of obstacles may be among each other as they like. */
static vo_clump find_clump(const vo_untangler *u, const vo_vec3 *x) {
    const vo_contours *c = &u->contours;
    int cloths = c->face_count[0] ? c->face[0][c->face_count[0] - 1] + 1 : 0;
    return vo_clump_find(c->soup.face_count, c->soup.face, cloths, x);
}

vo_result vo_untangle(vo_untangler *u, vo_vec3 *x, vo_untangle_report *report) {
    *report = (vo_untangle_report){.clump.face = -1};
    VO_TRY(check_numbers(u->ctx, u->def.soup.node_count, x));
    VO_TRY(prepare(u, x, report));
    if (u->contours.crowded) {
        report->clump = find_clump(u, x);
        return VO_OK;
    }
    u->most_tested = u->contours.tested + MORE_TESTS + (int64_t)TESTS * u->def.soup.face_count;
    bool clean = report->pairs_before == 0 && u->contours.pair_count == 0;
    if (clean && u->def.leave_clean) return finish(u, x, report);
    patience p = {iteration_limit(u), LEVELS, VO_UNTANGLE_LONGEST};
    VO_TRY(resolve(u, &p, x, report));
    if (vo_untangle_is_clean(u)) {
        VO_TRY(tighten(u, x, report));
        VO_TRY(vo_untangle_relax(u, x));
        VO_TRY(vo_untangle_gap(u, x, &report->gap));
    }
    return finish(u, x, report);
}
