#include "garment/wear.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- wearer ---------------------------------------------------------------------------------- */

/* Writes the warning about implausible sizes. Bodies of files with y up are longer from front to
 * back than high. */
static void report_implausible(vo_wearer *w, const char *what) {
    vo_vec3 size = vo_mesh_size(w->mesh);
    snprintf(w->implausible, sizeof w->implausible, "%s; patterns are not fitted to it%s", what,
             size.y > 1.5 * size.z
                 ? "; it lies on its back or face: if its file has y up, set up_axis"
                 : "");
}

/* Measures the body; implausible proportions are reported in `implausible`. */
static vo_result measure_wearer(const vo_context *ctx, vo_wearer *w) {
    enum { NECK = 1, LEFT_ARM = 2 }; /* indices of vo_default_limb_axes */
    vo_result result = vo_body_measure(w->mesh, w->axis[LEFT_ARM].origin.z, &w->sizes);
    if (result == VO_OK) result = vo_body_measure_neck(w->mesh, w->axis[NECK].origin, &w->sizes);
    if (result != VO_BAD_DATA) return result;
    report_implausible(w, vo_context_message(ctx));
    w->sizes = (vo_body_sizes){0};
    return VO_OK;
}

vo_transform vo_wearer_to_world(const vo_body *body) {
    vo_transform place = vo_body_placement(body);
    place.scale = 1;
    return place;
}

vo_result vo_wearer_create(vo_context *ctx, const vo_body *body, vo_wearer *out) {
    double scale = vo_body_placement(body).scale;
    *out = (vo_wearer){.to_world = vo_wearer_to_world(body)};
    VO_TRY(vo_mesh_copy(ctx, vo_body_rest_mesh(body), &out->mesh));
    vo_transform back = xf_inverse(out->to_world);
    for (int n = 0; n < out->mesh->node_count; n++)
        out->mesh->node_x[n] = xf_point(back, out->mesh->node_x[n]);
    vo_body_get_axes(body, out->axis);
    for (int i = 0; i < VO_LIMB_AXES; i++)
        out->axis[i].origin = v3_scale(scale, out->axis[i].origin);
    vo_result result = measure_wearer(ctx, out);
    if (result != VO_OK) vo_wearer_free(out);
    return result;
}

void vo_wearer_free(vo_wearer *w) {
    vo_mesh_destroy(w->mesh);
    *w = (vo_wearer){0};
}

/* ---- garment -------------------------------------------------------------------------------- */

static vo_result cut_out(const vo_wearer *wearer, const vo_fitted_pattern_def *def,
                         vo_fitted_pattern *out) {
    vo_panel_mesh_def garment = vo_panel_mesh_def_default();
    if (def->fit) VO_TRY(vo_pattern_fit(out->pattern, &wearer->sizes));
    garment.edge_length = def->edge_length;
    if (def->face_target > 0) garment.face_target = def->face_target;
    garment.axis_count = wearer->mesh ? VO_LIMB_AXES : 0;
    garment.axis = out->axis;
    VO_TRY(vo_garment_create(out->pattern, &garment, &out->garment));
    vo_garment_apply_elastic(out->garment, out->pattern);
    return VO_OK;
}

vo_result vo_fitted_pattern_create(vo_context *ctx, const char *path, const vo_wearer *wearer,
                                   const vo_fitted_pattern_def *def, vo_fitted_pattern *out) {
    *out = (vo_fitted_pattern){0};
    const vo_limb_axis *axis = wearer->mesh ? wearer->axis : vo_default_limb_axes;
    memcpy(out->axis, axis, sizeof out->axis);
    vo_result result = vo_pattern_load(ctx, path, &out->pattern);
    if (result == VO_OK) result = cut_out(wearer, def, out);
    if (result != VO_OK) vo_fitted_pattern_free(out);
    return result;
}

void vo_fitted_pattern_free(vo_fitted_pattern *cut) {
    vo_garment_destroy(cut->garment);
    vo_pattern_destroy(cut->pattern);
    *cut = (vo_fitted_pattern){0};
}
