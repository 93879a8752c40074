/* Patterns: a finely sewn garment, and a coarse base mesh sampled from it.
 *
 *     pattern, graded to the body ──► fine panels ──► sewn around the body ──► positions
 *                                └──► coarse panels ──► located by material coordinates ──► base
 *
 * Both meshes have the same panels in material space, before elastic edges shorten it. Points of
 * the coarse outline may lie slightly outside the fine one; they take the nearest point of its
 * border. */
#include "cook/cook.h"
#include "core/memory.h"
#include "mesh/locate.h"
#include "sew/sew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_FACES = 316, MAX_SEARCH = 16 };

#define FACE_TOLERANCE 0.02 /* of the requested number; ends the search */
#define FACE_WARNING   0.15 /* a larger difference is logged */

/* ---- resolution of the base mesh ------------------------------------------------------------- */

static vo_panel_mesh_def panel_def(const vo_fitted_pattern *cut, bool has_body, double edge) {
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    def.edge_length = edge;
    def.axis_count = has_body ? VO_LIMB_AXES : 0;
    def.axis = cut->axis;
    return def;
}

/* Keeps the garment whose number of faces is closer to the target; destroys the other. */
static void keep_closer(int target, vo_garment *candidate, vo_garment **best) {
    if (*best &&
        abs(candidate->mesh->face_count - target) >= abs((*best)->mesh->face_count - target)) {
        vo_garment_destroy(candidate);
        return;
    }
    vo_garment_destroy(*best);
    *best = candidate;
}

/* Searches the edge length for about `target` faces by bisection of its logarithm. */
static vo_result mesh_base(const vo_fitted_pattern *cut, bool has_body, int target,
                           vo_garment **out) {
    double area = 0;
    *out = NULL;
    for (int i = 0; i < cut->pattern->panel_count; i++)
        area += vo_pattern_panel_area(&cut->pattern->panel[i]);
    double middle = sqrt(vo_max(area, 1e-9) / (0.433 * target)), low = middle / 4,
           high = 4 * middle;
    for (int i = 0; i < MAX_SEARCH; i++) {
        vo_panel_mesh_def def = panel_def(cut, has_body, i == 0 ? middle : sqrt(low * high));
        vo_garment *garment;
        vo_result result = vo_check_cancel(cut->pattern->ctx);
        if (result == VO_OK) result = vo_garment_create(cut->pattern, &def, &garment);
        if (result != VO_OK) {
            vo_garment_destroy(*out);
            *out = NULL;
            return result;
        }
        int faces = garment->mesh->face_count;
        *(faces > target ? &low : &high) = def.edge_length;
        keep_closer(target, garment, out);
        if (abs(faces - target) <= FACE_TOLERANCE * target) break;
    }
    return VO_OK;
}

static void warn_about_faces(const vo_cooking *c, int faces, int target) {
    if (abs(faces - target) <= FACE_WARNING * target) return;
    vo_log_line(c->ctx, VO_LOG_WARNING,
                "%s: the base mesh has %d faces instead of %d, because its seams and outlines need "
                "them; set face_count to at least %d, or simplify the outlines",
                c->def->input, faces, target, faces);
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* A point of the panel near a vert: the centre of one of its faces, for vo_locate. */
static void find_insides(const vo_mesh *mesh, vo_vec2 *inside) {
    for (int f = 0; f < mesh->face_count; f++) {
        const int *v = mesh->face_vert[f];
        vo_vec2 sum = v2_add(v2_add(mesh->vert_u[v[0]], mesh->vert_u[v[1]]), mesh->vert_u[v[2]]);
        for (int i = 0; i < 3; i++) inside[v[i]] = v2_scale(1.0 / 3, sum);
    }
}

/* Sets the nodes of the unsewn coarse mesh to the positions of the sewn fine one. */
static vo_result sample_positions(const vo_locator *locator, const vo_mesh *fine, vo_mesh *coarse) {
    vo_vec2 *inside = vo_new_array(coarse->ctx, vo_vec2, coarse->vert_count);
    if (!inside) return vo_fail_memory(coarse->ctx, "a base mesh");
    find_insides(coarse, inside);
    for (int v = 0; v < coarse->vert_count; v++) {
        vo_face_location at =
            vo_locate(locator, coarse->vert_patch[v], coarse->vert_u[v], inside[v]);
        vo_vec3 x = v3_zero();
        for (int i = 0; i < 3 && at.face >= 0; i++)
            x = v3_add(x,
                       v3_scale(at.weight[i], fine->node_x[vo_mesh_face_node(fine, at.face, i)]));
        if (at.face >= 0) coarse->node_x[coarse->vert_node[v]] = x;
    }
    vo_free_array(coarse->ctx, inside, coarse->vert_count);
    return VO_OK;
}

/* Replaces the material coordinates of the sewn mesh by those of the panels before elastic edges
 * shortened them, in which both meshes agree. */
static vo_result restore_coordinates(vo_cooking *c, const vo_fitted_pattern *cut, bool has_body,
                                     vo_mesh *sewn) {
    vo_panel_mesh_def def = panel_def(cut, has_body, cut->garment->edge_length);
    vo_garment *flat;
    VO_TRY(vo_garment_create(cut->pattern, &def, &flat));
    VO_REQUIRE(c->ctx, flat->mesh->vert_count == sewn->vert_count);
    memcpy(sewn->vert_u, flat->mesh->vert_u, (size_t)sewn->vert_count * sizeof *sewn->vert_u);
    vo_garment_destroy(flat);
    return VO_OK;
}

static vo_result sample_base(vo_cooking *c, const vo_fitted_pattern *cut, vo_mesh *sewn,
                             bool has_body, vo_garment *base) {
    vo_locator locator;
    VO_TRY(restore_coordinates(c, cut, has_body, sewn));
    VO_TRY(vo_locator_create(c->ctx, sewn, cut->pattern->panel_count, &locator));
    vo_result result = sample_positions(&locator, sewn, base->mesh);
    vo_locator_free(&locator);
    if (result != VO_OK) return result;
    vo_garment_apply_elastic(base, cut->pattern);
    return vo_pattern_merge(base->mesh, base->stitch_count, base->stitch, &c->base);
}

vo_result vo_cook_sample_base(vo_context *ctx, const vo_fitted_pattern *cut, int faces,
                              const vo_mesh *sewn, vo_mesh **out) {
    vo_cooking c = {.ctx = ctx};
    vo_garment *base;
    vo_mesh *copy;
    *out = NULL;
    VO_TRY(mesh_base(cut, true, faces > 0 ? faces : DEFAULT_FACES, &base));
    vo_result result = vo_mesh_copy(ctx, sewn, &copy);
    if (result == VO_OK) {
        result = sample_base(&c, cut, copy, true, base);
        vo_mesh_destroy(copy);
    }
    vo_garment_destroy(base);
    *out = c.base;
    return result;
}

/* ---- the pattern ----------------------------------------------------------------------------- */

static vo_result copy_labels(vo_cooking *c, const vo_pattern *pattern) {
    int count = pattern->label_count;
    if (count == 0) return VO_OK;
    c->label = vo_alloc_zero(c->ctx, (size_t)count * sizeof *c->label);
    c->pinned = vo_alloc_zero(c->ctx, (size_t)count * sizeof *c->pinned);
    c->label_count = count;
    if (!c->label || !c->pinned) return vo_fail_memory(c->ctx, "labels");
    for (int i = 0; i < count; i++) {
        c->pinned[i] = pattern->label[i].pinned;
        c->label[i] = vo_copy_string(c->ctx, pattern->label[i].name);
        if (!c->label[i]) return vo_fail_memory(c->ctx, "labels");
    }
    return VO_OK;
}

static vo_result set_fabric(vo_cooking *c, const vo_sew_def *sew, const vo_pattern *pattern) {
    vo_material *material;
    vo_result result = vo_sew_load_materials(c->ctx, sew, pattern, &material);
    if (result == VO_OK)
        c->report.fabric = vo_cook_materials(c->base, pattern->fabric_count, material);
    vo_sew_free_materials(c->ctx, pattern->fabric_count, material);
    return result;
}

static vo_result sew_and_sample(vo_cooking *c, const vo_sew_def *sew, const vo_wearer *wearer,
                                const vo_fitted_pattern *cut) {
    int target = c->def->face_count > 0 ? c->def->face_count : DEFAULT_FACES;
    vo_garment *base;
    vo_mesh *sewn = NULL;
    VO_TRY(copy_labels(c, cut->pattern));
    VO_TRY(vo_cook_check_attachments(c)); /* before the long simulation */
    VO_TRY(mesh_base(cut, c->body != NULL, target, &base));
    vo_result result = vo_sew_fitted_pattern(c->ctx, sew, wearer, cut, &sewn, &c->report.sew);
    if (result == VO_OK) result = sample_base(c, cut, sewn, c->body != NULL, base);
    if (result == VO_OK) {
        c->report.input_faces = sewn->face_count;
        warn_about_faces(c, c->base->face_count, target);
        for (int n = 0; n < c->base->node_count; n++)
            c->base->node_x[n] = xf_point(wearer->to_world, c->base->node_x[n]);
        result = set_fabric(c, sew, cut->pattern);
    }
    vo_mesh_destroy(sewn);
    vo_garment_destroy(base);
    return result;
}

static vo_result dress(vo_cooking *c, const vo_sew_def *sew, const vo_wearer *wearer) {
    vo_fitted_pattern_def how = {sew->edge_length, sew->face_target, sew->fit};
    vo_fitted_pattern cut;
    VO_TRY(vo_fitted_pattern_create(c->ctx, sew->pattern, wearer, &how, &cut));
    vo_result result = sew_and_sample(c, sew, wearer, &cut);
    vo_fitted_pattern_free(&cut);
    return result;
}

vo_result vo_cook_pattern(vo_cooking *c) {
    vo_sew_def sew = c->def->sew;
    vo_wearer wearer;
    sew.pattern = c->def->input;
    c->report.uv_scale = 1;
    VO_TRY(vo_sew_check_def(c->ctx, &sew));
    VO_TRY(vo_sew_create_body(c->ctx, &sew, &c->body));
    VO_TRY(vo_sew_create_wearer(c->ctx, &sew, c->body, &wearer));
    vo_result result = dress(c, &sew, &wearer);
    vo_wearer_free(&wearer);
    return result;
}
