/* Resolves intersections of the initial state, of obstacles that appear among cloth, and after
 * remeshing; logs those that remain. */
#include "collide/untangle/untangle.h"

#include "core/plural.h"
#include "sim/sim.h"

#include <stdio.h>

/* Number of tangles that are logged individually; the others are only counted. */
enum { MAX_LOGGED = 5 };

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

/* Returns how to separate cloth: `in_scene`, or the advice of the scene. */
static const char *separation_advice(const vo_sim *sim, const char *in_scene) {
    return sim->scene->separation_advice ? sim->scene->separation_advice : in_scene;
}

static void log_tangle(const vo_sim *sim, const vo_tangle *t, const char *when) {
    char first[32], second[32];
    part_name(sim, t->part[0], first, sizeof first);
    part_name(sim, t->part[1], second, sizeof second);
    if (t->reason == VO_TANGLE_INSIDE)
        vo_log_line(sim->ctx, VO_LOG_WARNING,
                    "%sface %d of %s lies inside %s, at (%.4g, %.4g, %.4g) m; %s", when,
                    own_face(sim, t->face[0]), first, second, t->position.x, t->position.y,
                    t->position.z, separation_advice(sim, "move it outside in the scene"));
    else if (t->reason == VO_TANGLE_OUTSIDE)
        vo_log_line(sim->ctx, VO_LOG_WARNING,
                    "%sface %d of %s lies outside %s, a container (its normals point inwards), at "
                    "(%.4g, %.4g, %.4g) m; move it inside in the scene, or reverse the faces of "
                    "the obstacle",
                    when, own_face(sim, t->face[0]), first, second, t->position.x, t->position.y,
                    t->position.z);
    else
        vo_log_line(sim->ctx, VO_LOG_WARNING,
                    "%sface %d of %s and face %d of %s intersect (pairs in the region: %d), at "
                    "(%.4g, %.4g, %.4g) m, and could not be separated (%s); %s",
                    when, own_face(sim, t->face[0]), first, own_face(sim, t->face[1]), second,
                    t->pairs, t->position.x, t->position.y, t->position.z,
                    vo_tangle_reason_text(t->reason),
                    separation_advice(sim, "move them apart in the scene"));
}

static void log_report(const vo_sim *sim, const vo_untangle_report *r) {
    char when[24] = ""; /* no frame number before the first step */
    if (sim->stats.frame != 0) snprintf(when, sizeof when, "frame %d: ", sim->stats.frame);
    if (r->pairs_before && r->pairs_after == 0)
        vo_log_line(sim->ctx, VO_LOG_INFO,
                    "%s%s separated; nodes moved by at most "
                    "%.3g m",
                    when,
                    vo_count_words(r->pairs_before, "intersecting pair of faces was",
                                   "intersecting pairs of faces were")
                        .s,
                    r->max_motion);
    for (int i = 0; i < r->tangle_count && i < MAX_LOGGED; i++)
        log_tangle(sim, &r->tangle[i], when);
    if (r->tangle_count > MAX_LOGGED)
        vo_log_line(sim->ctx, VO_LOG_WARNING, "%s%d more tangle%s", when,
                    r->tangle_count - MAX_LOGGED, vo_plural(r->tangle_count - MAX_LOGGED));
}

/* Returns true if a fan of faces around one node has too many pairs to test, even without
 * intersections. */
static bool is_large_fan(const vo_dense_region *region) {
    return (int64_t)region->max_valence * (region->max_valence - 1) / 2 > VO_CONTOUR_STAR_PAIRS;
}

static vo_result reject_dense_region(const vo_sim *sim, const vo_dense_region *region,
                                     const char *text) {
    const char *advice = is_large_fan(region)
                             ? "reduce the number of faces at the node"
                             : "the mesh has collapsed there, or its layers coincide: spread them "
                               "out in the scene";
    if (sim->scene->separation_advice)
        return vo_fail(sim->ctx, VO_BAD_DATA, "%s; %s", text, sim->scene->separation_advice);
    return vo_fail(sim->ctx, VO_BAD_DATA,
                   "%s; %s, or set disable to [\"separation\", \"collision\"]", text, advice);
}

/* Fails before the first step, because the scene is invalid; later only logs a warning. */
static vo_result warn_dense_region(const vo_sim *sim, const vo_dense_region *region) {
    char name[32], fault[128] = "intersect: too many to separate", text[512];
    if (region->face < 0) return VO_OK;
    part_name(sim, sim->contact.surface.face_part[region->face], name, sizeof name);
    if (is_large_fan(region))
        snprintf(fault, sizeof fault, "%d meet at one node: too many to separate",
                 region->max_valence);
    snprintf(text, sizeof text,
             "%s: around its face %d, %d faces lie within %.3g mm of (%.4g, %.4g, %.4g) m and %s",
             name, own_face(sim, region->face), region->face_count, 1e3 * region->radius,
             region->position.x, region->position.y, region->position.z, fault);
    bool begun = sim->stats.frame > 0 || sim->stats.substeps > 0; /* frame 0 includes the preroll */
    if (!begun) return reject_dense_region(sim, region, text);
    vo_log_line(sim->ctx, VO_LOG_WARNING, "frame %d: %s", sim->stats.frame, text);
    return VO_OK;
}

/* Copies cloth positions from the surface to the meshes. */
static void store_positions(vo_sim *sim, const vo_vec3 *x) {
    sim->rows_current = false;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->cloth[c].mesh->node_count; i++)
            sim->cloth[c].mesh->node_x[i] = x[sim->cloth[c].first_node + i];
}

/* Untangles surface.x0 and stores the result in the meshes, unless it fails. Nodes without
 * intersections do not move. */
static vo_result untangle(vo_sim *sim, vo_soup soup, bool can_cancel) {
    vo_surface *s = &sim->contact.surface;
    vo_untangle_def def = vo_untangle_def_default();
    vo_untangler *untangler = NULL;
    vo_untangle_report report = {0};
    def.soup = soup;
    def.leave_clean = true;
    def.can_cancel = can_cancel;
    def.gap = vo_min(def.gap, 0.5 * sim->scene->def.repulsion_thickness);
    VO_TRY(vo_untangler_create(sim->ctx, &def, s->x0, &untangler));
    vo_result result = vo_untangle(untangler, s->x0, &report);
    if (result == VO_BAD_DATA) { /* positions out of range: the step handles them */
        vo_log_line(sim->ctx, VO_LOG_WARNING, "%s", vo_context_message(sim->ctx));
        report.dense_region.face = -1;
        result = VO_OK;
    }
    if (result == VO_OK) log_report(sim, &report);
    if (result == VO_OK) result = warn_dense_region(sim, &report.dense_region);
    if (result == VO_OK && report.max_motion > 0) {
        store_positions(sim, s->x0);
        sim->stats.untangled += vo_max_int(report.pairs_before - report.pairs_after, 0);
    }
    vo_untangler_destroy(untangler);
    return result;
}

/* Flags of a part. Bodies of characters are solid regardless of the orientation of their faces;
 * other obstacles are solid behind their faces. */
static unsigned char part_flags(const vo_sim *sim, int p) {
    const vo_surface_part *part = &sim->contact.surface.part[p];
    bool body = part->obstacle && sim->scene->obstacle[p - sim->cloth_count].body;
    unsigned obstacle = body ? VO_SOUP_OBSTACLE : VO_SOUP_OBSTACLE | VO_SOUP_ORIENTED;
    return (unsigned char)((part->obstacle ? obstacle : 0) | (part->present ? 0 : VO_SOUP_ABSENT));
}

vo_result vo_sim_untangle(vo_sim *sim, bool can_cancel) {
    const vo_surface *s = &sim->contact.surface;
    unsigned off = VO_DISABLE_COLLISION | VO_DISABLE_SEPARATION | VO_DISABLE_PHYSICS;
    if (sim->scene->def.disable & off) return VO_OK;
    unsigned char *flags = vo_alloc_zero(sim->ctx, (size_t)s->part_count + 1);
    if (!flags) return vo_fail_memory(sim->ctx, "untangling");
    for (int p = 0; p < s->part_count; p++) flags[p] = part_flags(sim, p);
    vo_result result = untangle(sim, vo_soup_from_surface(s, flags), can_cancel);
    vo_candidates_invalidate(sim->contact.candidates);
    vo_free(sim->ctx, flags, (size_t)s->part_count + 1);
    return result;
}

vo_result vo_sim_resolve_intersections(vo_sim *sim, bool can_cancel) {
    vo_step_span t = {vo_sim_now(sim), vo_sim_now(sim), sim->dt};
    vo_sim_gather_state(sim);
    vo_sim_obstacles_set_targets(sim, t);
    vo_sim_handles_move(sim, t);
    vo_sim_contact_set_targets(sim, sim->dt);
    return vo_sim_untangle(sim, can_cancel);
}

vo_result vo_sim_fit_to_scene(vo_sim *sim) {
    int before = sim->stats.untangled;
    VO_TRY(vo_sim_resolve_intersections(sim, true));
    sim->untangled = sim->stats.untangled - before;
    return VO_OK;
}

/* ---- after remeshing ------------------------------------------------------------------------ */

static int count_nodes(const vo_sim *sim) {
    int count = 0;
    for (int c = 0; c < sim->cloth_count; c++) count += sim->cloth[c].mesh->node_count;
    return count;
}

static void record_positions(const vo_sim *sim, vo_pop *pop) {
    for (int c = 0; c < sim->cloth_count; c++)
        for (int n = 0; n < sim->cloth[c].mesh->node_count; n++)
            (pop++)->from = sim->cloth[c].mesh->node_x[n];
}

/* Sets the end positions and keeps the entries that moved; returns their number. */
static int list_moved(const vo_sim *sim, vo_pop *pop) {
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
    record_positions(sim, pop);
    VO_TRY(vo_sim_resolve_intersections(sim, false));
    int count = list_moved(sim, pop);
    for (int i = 0; i < count; i++)
        stats->popping = vo_max(stats->popping, v3_distance(pop[i].from, pop[i].to));
    stats->popping_px = vo_max(stats->popping_px, vo_sim_view_measure_popping(sim, count, pop));
    return VO_OK;
}
