/* States that intersect before the first step, when an obstacle appears among cloth, or after
 * remeshing: put apart where possible, and named where not. */
#include "collide/untangle.h"

#include "sim/sim.h"

#include <stdio.h>

/* Tangles that are named one by one; the others are only counted. */
enum { NAMED = 5 };

static const char *part_name(const vo_sim *sim, int part, char *text, size_t size) {
    if (part < sim->cloth_count)
        snprintf(text, size, "cloth %d", part);
    else
        snprintf(text, size, "obstacle %d", part - sim->cloth_count);
    return text;
}

/* The number of a face within its own mesh. */
static int own_face(const vo_sim *sim, int face) {
    const vo_surface *s = &sim->contact.surface;
    return face - s->part[s->face_part[face]].face_begin;
}

static void name_tangle(const vo_sim *sim, const vo_tangle *t, const char *when) {
    char first[32], second[32];
    part_name(sim, t->part[0], first, sizeof first);
    part_name(sim, t->part[1], second, sizeof second);
    if (t->why == VO_TANGLE_INSIDE)
        vo_log_line(
            sim->ctx, VO_LOG_WARNING,
            "%sface %d of %s lies inside %s, at (%.4g, %.4g, %.4g) m; move it out in the scene",
            when, own_face(sim, t->face[0]), first, second, t->place.x, t->place.y, t->place.z);
    else
        vo_log_line(sim->ctx, VO_LOG_WARNING,
                    "%sface %d of %s and face %d of %s intersect, with %d pairs around, at "
                    "(%.4g, %.4g, %.4g) m, and could not be put apart (%s); \"voile check\" draws "
                    "it with --ply",
                    when, own_face(sim, t->face[0]), first, own_face(sim, t->face[1]), second,
                    t->pairs, t->place.x, t->place.y, t->place.z, vo_tangle_why_text(t->why));
}

static void tell(const vo_sim *sim, const vo_untangle_report *r) {
    char when[24] = ""; /* before the first step there are no frames */
    if (sim->stats.frame != 0) snprintf(when, sizeof when, "frame %d: ", sim->stats.frame);
    if (r->pairs_before && r->pairs_after == 0)
        vo_log_line(sim->ctx, VO_LOG_INFO,
                    "%s%d pairs of faces intersected and were put apart; nodes moved by at most "
                    "%.3g m",
                    when, r->pairs_before, r->moved);
    for (int i = 0; i < r->tangle_count && i < NAMED; i++) name_tangle(sim, &r->tangle[i], when);
    if (r->tangle_count > NAMED)
        vo_log_line(sim->ctx, VO_LOG_WARNING, "%sand %d tangles more", when,
                    r->tangle_count - NAMED);
}

/* A fan may lie free, and is yet too large to be looked at pair by pair. */
static bool is_large_fan(const vo_clump *clump) {
    return (int64_t)clump->star * (clump->star - 1) / 2 > VO_CONTOUR_STARS;
}

static vo_result refuse_clump(const vo_sim *sim, const vo_clump *clump, const char *text) {
    const char *advice = is_large_fan(clump)
                             ? "let fewer meet"
                             : "the mesh has collapsed there, or its layers coincide: spread them "
                               "out in the scene";
    return vo_fail(sim->ctx, VO_BAD_DATA,
                   "%s; %s, or set disable to [\"separation\", \"collision\"]", text, advice);
}

/* Before the first step a clump is an error of the scene; later it is only told of, and left. */
static vo_result tell_of_clump(const vo_sim *sim, const vo_clump *clump) {
    char name[32], fault[128] = "pass through each other: too many to be put apart", text[512];
    if (clump->face < 0) return VO_OK;
    part_name(sim, sim->contact.surface.face_part[clump->face], name, sizeof name);
    if (is_large_fan(clump))
        snprintf(fault, sizeof fault, "%d meet at one node: too many to be told apart",
                 clump->star);
    snprintf(text, sizeof text,
             "%s: around its face %d, %d faces lie within %.3g mm of (%.4g, %.4g, %.4g) m and %s",
             name, own_face(sim, clump->face), clump->faces, 1e3 * clump->radius, clump->place.x,
             clump->place.y, clump->place.z, fault);
    bool begun = sim->stats.frame > 0 || sim->stats.substeps > 0; /* frame 0 is the preroll, too */
    if (!begun) return refuse_clump(sim, clump, text);
    vo_log_line(sim->ctx, VO_LOG_WARNING, "frame %d: %s", sim->stats.frame, text);
    return VO_OK;
}

static void take(vo_sim *sim, const vo_vec3 *x) {
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->cloth[c].mesh->node_count; i++)
            sim->cloth[c].mesh->node_x[i] = x[sim->cloth[c].first_node + i];
}

/* With everything at surface.x0. What does not intersect is not touched. */
static vo_result untangle(vo_sim *sim, vo_soup soup) {
    vo_surface *s = &sim->contact.surface;
    vo_untangle_def def = vo_untangle_def_default();
    vo_untangler *untangler = NULL;
    vo_untangle_report report = {0};
    def.soup = soup;
    def.leave_clean = true;
    def.gap = vo_min(def.gap, 0.5 * sim->scene->def.repulsion_thickness);
    VO_TRY(vo_untangler_create(sim->ctx, &def, s->x0, &untangler));
    vo_result result = vo_untangle(untangler, s->x0, &report);
    if (result == VO_BAD_DATA) { /* places beyond all bounds: the step deals with them */
        vo_log_line(sim->ctx, VO_LOG_WARNING, "%s", vo_context_message(sim->ctx));
        report.clump.face = -1;
        result = VO_OK;
    }
    if (result == VO_OK) tell(sim, &report);
    if (result == VO_OK) result = tell_of_clump(sim, &report.clump);
    if (result == VO_OK && report.moved > 0) {
        take(sim, s->x0);
        sim->stats.untangled += vo_max_int(report.pairs_before - report.pairs_after, 0);
    }
    vo_untangler_destroy(untangler);
    return result;
}

vo_result vo_sim_untangle(vo_sim *sim) {
    const vo_surface *s = &sim->contact.surface;
    unsigned off = VO_DISABLE_COLLISION | VO_DISABLE_SEPARATION | VO_DISABLE_PHYSICS;
    if (sim->scene->def.disable & off) return VO_OK;
    unsigned char *flags = vo_alloc_zero(sim->ctx, (size_t)s->part_count + 1);
    if (!flags) return vo_fail_memory(sim->ctx, "untangling");
    for (int p = 0; p < s->part_count; p++)
        flags[p] = (unsigned char)((s->part[p].obstacle ? VO_SOUP_OBSTACLE : 0) |
                                   (s->part[p].present ? 0 : VO_SOUP_ABSENT));
    vo_soup soup = {.node_count = s->node_count,
                    .edge_count = s->edge_count,
                    .face_count = s->face_count,
                    .part_count = s->part_count,
                    .face = (const int(*)[3])s->face,
                    .face_edge = (const int(*)[3])s->face_edge,
                    .edge = (const int(*)[2])s->edge,
                    .face_part = s->face_part,
                    .part_flags = flags,
                    .inverse_mass = s->inverse_mass};
    vo_result result = untangle(sim, soup);
    vo_candidates_forget(sim->contact.candidates);
    vo_free(sim->ctx, flags, (size_t)s->part_count + 1);
    return result;
}

vo_result vo_sim_make_fit(vo_sim *sim) {
    double t = vo_sim_time(sim);
    vo_sim_load_rows(sim);
    vo_sim_obstacles_aim(sim, t, sim->dt);
    vo_sim_handles_move(sim, t, t, sim->dt);
    vo_sim_contact_aim(sim, sim->dt);
    return vo_sim_untangle(sim);
}

vo_result vo_sim_fit_to_scene(vo_sim *sim) {
    int before = sim->stats.untangled;
    VO_TRY(vo_sim_make_fit(sim));
    sim->untangled = sim->stats.untangled - before;
    return VO_OK;
}

/* ---- after remeshing ------------------------------------------------------------------------ */

static int count_nodes(const vo_sim *sim) {
    int count = 0;
    for (int c = 0; c < sim->cloth_count; c++) count += sim->cloth[c].mesh->node_count;
    return count;
}

static void note_places(const vo_sim *sim, vo_pop *pop) {
    for (int c = 0; c < sim->cloth_count; c++)
        for (int n = 0; n < sim->cloth[c].mesh->node_count; n++)
            (pop++)->from = sim->cloth[c].mesh->node_x[n];
}

/* Keeps those that have moved; returns how many. */
static int note_moves(const vo_sim *sim, vo_pop *pop) {
    int kept = 0, next = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int n = 0; n < sim->cloth[c].mesh->node_count; n++, next++) {
            vo_pop moved = {pop[next].from, sim->cloth[c].mesh->node_x[n]};
            if (v3_distance(moved.from, moved.to) > 0) pop[kept++] = moved;
        }
    return kept;
}

vo_result vo_sim_untangle_edits(vo_sim *sim) {
    vo_stats *stats = &sim->stats;
    vo_pop *pop = vo_arena_array(&sim->remesh.arena, vo_pop, count_nodes(sim) + 1);
    if (!pop) return vo_fail_memory(sim->ctx, "untangling");
    note_places(sim, pop);
    VO_TRY(vo_sim_make_fit(sim));
    int count = note_moves(sim, pop);
    for (int i = 0; i < count; i++)
        stats->popping = vo_max(stats->popping, v3_distance(pop[i].from, pop[i].to));
    stats->popping_px = vo_max(stats->popping_px, vo_sim_view_popping(sim, count, pop));
    return VO_OK;
}
