/* Sewing of a scene's garments at the creation of a simulation: the garments of each character are
 * one task in the frame of its body. Equal garments on equal bodies are sewn once. */
#include "core/plural.h"
#include "core/timer.h"
#include "mesh/refine.h"
#include "sew/sew.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

/* The garments of one character. */
typedef struct outfit {
    const vo_body *body;
    int character; /* index in the scene */
    int count;
    int *cloth; /* [count] of the scene, the innermost first */
    vo_sew_piece *piece;
    vo_mesh **sewn; /* [count] in the wearer's frame; NULL: another one's */
} outfit;

static void free_outfit(vo_context *ctx, outfit *o) {
    for (int i = 0; o->sewn && i < o->count; i++) vo_mesh_destroy(o->sewn[i]);
    vo_free_array(ctx, o->cloth, o->count);
    vo_free_array(ctx, o->piece, o->count);
    vo_free_array(ctx, o->sewn, o->count);
    *o = (outfit){0};
}

static bool wears(const vo_scene *scene, int cloth, int character) {
    const vo_scene_garment *garment = scene->cloth[cloth].garment;
    return garment && garment->character == character;
}

static vo_result fill_outfit(vo_context *ctx, const vo_scene *scene, int character, outfit *o) {
    int count = 0;
    for (int c = 0; c < scene->cloth_count; c++) count += wears(scene, c, character);
    if (count == 0) return VO_OK;
    o->cloth = vo_new_array(ctx, int, count);
    o->piece = vo_new_array(ctx, vo_sew_piece, count);
    o->sewn = vo_alloc_zero(ctx, (size_t)count * sizeof *o->sewn);
    o->count = count;
    if (!o->cloth || !o->piece || !o->sewn) return vo_fail_memory(ctx, "sewing");
    for (int c = 0, i = 0; c < scene->cloth_count; c++) {
        if (!wears(scene, c, character)) continue;
        const vo_scene_cloth *cloth = &scene->cloth[c];
        const vo_fitted_pattern *cut = &cloth->garment->cut;
        o->cloth[i] = c;
        o->piece[i++] = (vo_sew_piece){.pattern = cut->pattern,
                                       .garment = cut->garment,
                                       .material_count = cloth->material_count,
                                       .material = cloth->material,
                                       .axis_count = VO_LIMB_AXES,
                                       .axis = cut->axis};
    }
    o->body = vo_scene_character_body(scene, character);
    o->character = character;
    return VO_OK;
}

/* ---- equality ------------------------------------------------------------------------------- */

static bool same_bytes(int count, size_t size, const void *a, const void *b) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static bool same_material(const vo_material *a, const vo_material *b) {
    const vo_fabric *f = a->fabric, *g = b->fabric;
    return a->density_mult == b->density_mult && a->stretching_mult == b->stretching_mult &&
           a->bending_mult == b->bending_mult && f->density == g->density &&
           same_bytes(1, sizeof f->linear, &f->linear, &g->linear) && !f->table == !g->table &&
           same_bytes(1, sizeof f->bend, f->bend, g->bend) &&
           (!f->table || same_bytes(VO_STRETCH_TABLE, sizeof *f->table, f->table, g->table));
}

static bool same_garment(const vo_scene *scene, int a, int b) {
    const vo_scene_cloth *m = &scene->cloth[a], *n = &scene->cloth[b];
    if (m->garment->like != n->garment->like || m->material_count != n->material_count)
        return false;
    for (int i = 0; i < m->material_count; i++)
        if (!same_material(&m->material[i], &n->material[i])) return false;
    return true;
}

/* True if both consist of the same fitted patterns in the same order, and so for equal bodies. */
static bool same_outfit(const vo_scene *scene, const outfit *a, const outfit *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (!same_garment(scene, a->cloth[i], b->cloth[i])) return false;
    return true;
}

/* ---- sewing --------------------------------------------------------------------------------- */

/* All outfits of the scene. */
typedef struct wardrobe {
    vo_context *ctx;
    const vo_scene *scene;
    vo_vec3 *
        *cloth_x; /* [scene->cloth_count] output: positions of sewn garments, NULL for others */
    int count;    /* characters */
    outfit *outfit;
    bool solver;        /* the simulation can be stepped */
    int garments, sewn; /* of outfits that are sewn, not taken from an equal one; done so far */
    double start_s;
    vo_sew_progress_fn *progress;
    void *user;
} wardrobe;

/* vo_sew_progress_fn: converts the progress of one outfit to that of all outfits. */
static bool report_progress(void *user, const vo_sew_progress *own) {
    const wardrobe *w = user;
    vo_sew_progress all = *own;
    all.garment += w->sewn;
    all.garments = w->garments;
    all.done = (w->sewn + own->done * own->garments) / w->garments;
    vo_sew_report_work(w->ctx, all.done);
    if (!w->progress) return true;
    all.elapsed_s = vo_now() - w->start_s;
    return w->progress(w->user, &all);
}

static vo_result sew_around(const vo_mesh *body, wardrobe *w, outfit *o) {
    vo_sew_report report;
    char name[40];
    snprintf(name, sizeof name, "characters[%d]", o->character);
    vo_sew_task task = {.ctx = w->ctx,
                        .body = body,
                        .body_name = name,
                        .piece_count = o->count,
                        .piece = o->piece,
                        .thickness = w->scene->def.repulsion_thickness,
                        .gravity = v3(0, 0, -9.81),
                        .progress = report_progress,
                        .user = w};
    VO_TRY(vo_sew_outfit(&task, o->sewn, &report));
    w->sewn += o->count;
    vo_log_line(w->ctx, VO_LOG_INFO,
                "%d garment%s %s: %d faces, seams %.1f mm apart before they were joined, strain up "
                "to %.1f %%, %.1f s",
                o->count, vo_plural(o->count), report.was_stored ? "read from the cache" : "sewn",
                report.faces, 1000 * report.gap, 100 * report.max_strain, report.wall_s);
    for (int i = 0; i < o->count; i++)
        while (o->sewn[i]->node_count < w->scene->cloth[o->cloth[i]].mesh->node_count)
            VO_TRY(vo_mesh_refine(&o->sewn[i], 1));
    return VO_OK;
}

static vo_result sew_outfit(wardrobe *w, outfit *o) {
    vo_wearer wearer;
    VO_TRY(vo_wearer_create(w->ctx, o->body, &wearer));
    vo_result result = sew_around(wearer.mesh, w, o);
    vo_wearer_free(&wearer);
    return result;
}

/* Sets the positions of an outfit from an equal one, moved to the wearer of `o`. */
static vo_result place_outfit(wardrobe *w, const outfit *o, const outfit *from) {
    vo_transform to_world = vo_wearer_to_world(o->body);
    for (int i = 0; i < o->count; i++) {
        int cloth = o->cloth[i], nodes = from->sewn[i]->node_count;
        VO_REQUIRE(w->ctx, w->scene->cloth[cloth].mesh->node_count == nodes);
        vo_vec3 *x = w->cloth_x[cloth] = vo_new_array(w->ctx, vo_vec3, nodes);
        if (!x) return vo_fail_memory(w->ctx, "sewing");
        for (int n = 0; n < nodes; n++) x[n] = xf_point(to_world, from->sewn[i]->node_x[n]);
    }
    return VO_OK;
}

/* Index of the first outfit equal to that of a character; its own if there is no earlier one. */
static int first_like(const vo_scene *scene, const outfit *all, int character) {
    int first = 0;
    while (first < character && !same_outfit(scene, &all[first], &all[character])) first++;
    return first;
}

static vo_result fill_all(wardrobe *w) {
    for (int c = 0; c < w->count; c++) {
        VO_TRY(vo_check_cancel(w->ctx));
        VO_TRY(fill_outfit(w->ctx, w->scene, c, &w->outfit[c]));
        if (first_like(w->scene, w->outfit, c) == c) w->garments += w->outfit[c].count;
    }
    return VO_OK;
}

static vo_result dress_all(wardrobe *w) {
    VO_TRY(fill_all(w));
    for (int c = 0; c < w->count; c++) {
        VO_TRY(vo_check_cancel(w->ctx));
        outfit *own = &w->outfit[c];
        int first = first_like(w->scene, w->outfit, c);
        if (own->count == 0) continue;
        if (first == c) VO_TRY(sew_outfit(w, own));
        VO_TRY(place_outfit(w, own, &w->outfit[first]));
    }
    if (w->garments > 0) vo_sew_report_work(w->ctx, 1);
    return VO_OK;
}

static vo_result sew_garments(wardrobe *w) {
    w->outfit = vo_alloc_zero(w->ctx, (size_t)w->count * sizeof *w->outfit);
    if (!w->outfit) return vo_fail_memory(w->ctx, "sewing");
    vo_result result = dress_all(w);
    for (int c = 0; c < w->count; c++) free_outfit(w->ctx, &w->outfit[c]);
    vo_free_array(w->ctx, w->outfit, w->count);
    return result;
}

static bool has_garments(const vo_scene *scene) {
    for (int c = 0; c < scene->cloth_count; c++)
        if (scene->cloth[c].garment) return true;
    return false;
}

static void free_positions(wardrobe *w) {
    for (int c = 0; c < w->scene->cloth_count && w->cloth_x; c++)
        vo_free_array(w->ctx, w->cloth_x[c], w->scene->cloth[c].mesh->node_count);
    vo_free_array(w->ctx, w->cloth_x, w->scene->cloth_count);
}

static vo_result create_sim(const wardrobe *w, vo_sim **out) {
    return w->solver ? vo_sim_create_at(w->ctx, w->scene, w->cloth_x, out)
                     : vo_sim_create_without_solver(w->ctx, w->scene, w->cloth_x, out);
}

static vo_result create_dressed(wardrobe *w, vo_sim **out) {
    VO_TRY(sew_garments(w));
    return create_sim(w, out);
}

static vo_result sew_and_create(vo_context *ctx, const vo_scene *scene, bool solver,
                                vo_sew_progress_fn *progress, void *user, vo_sim **out) {
    wardrobe w = {.ctx = ctx,
                  .scene = scene,
                  .count = scene->character_count,
                  .solver = solver,
                  .start_s = vo_now(),
                  .progress = progress,
                  .user = user};
    *out = NULL;
    VO_TRY(vo_sim_check_scene(ctx, scene));
    if (!has_garments(scene)) return create_sim(&w, out);
    w.cloth_x = vo_alloc_zero(ctx, (size_t)scene->cloth_count * sizeof *w.cloth_x);
    vo_result result = w.cloth_x ? create_dressed(&w, out) : vo_fail_memory(ctx, "sewing");
    free_positions(&w);
    return result;
}

vo_result vo_sim_create_with_progress(vo_context *ctx, const vo_scene *scene,
                                      vo_sew_progress_fn *progress, void *user, vo_sim **out) {
    return sew_and_create(ctx, scene, true, progress, user, out);
}

vo_result vo_sim_create_sewn(vo_context *ctx, const vo_scene *scene, vo_sew_progress_fn *progress,
                             void *user, vo_sim **out) {
    return sew_and_create(ctx, scene, false, progress, user, out);
}

vo_result vo_sim_create(vo_context *ctx, const vo_scene *scene, vo_sim **out) {
    return vo_sim_create_with_progress(ctx, scene, NULL, NULL, out);
}
