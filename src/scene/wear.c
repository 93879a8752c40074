#include "scene/wear.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- the wearer ----------------------------------------------------------------------------- */

/* Bodies of files with y up are longer from front to back than high. */
static void tell_odd(vo_wearer *w, const char *what) {
    vo_vec3 size = vo_mesh_size(w->mesh);
    snprintf(w->odd, sizeof w->odd, "%s; patterns are not fitted to it%s", what,
             size.y > 1.5 * size.z
                 ? ". It lies on its back or face: does its file have y up (up_axis, --up)?"
                 : "");
}

/* Sizes, where he has such as people have. */
static vo_result measure(const vo_context *ctx, vo_wearer *w) {
    enum { NECK = 1, LEFT_ARM = 2 }; /* of vo_pattern_axes */
    vo_result result = vo_body_measure(w->mesh, w->axis[LEFT_ARM].origin.z, &w->sizes);
    if (result == VO_OK) result = vo_body_measure_neck(w->mesh, w->axis[NECK].origin, &w->sizes);
    if (result != VO_BAD_DATA) return result;
    tell_odd(w, vo_context_message(ctx));
    w->sizes = (vo_body_sizes){0};
    return VO_OK;
}

vo_transform vo_wearer_place(const vo_body *body) {
    vo_transform place = vo_body_placement(body);
    place.scale = 1;
    return place;
}

vo_result vo_wearer_create(vo_context *ctx, const vo_body *body, vo_wearer *out) {
    double scale = vo_body_placement(body).scale;
    *out = (vo_wearer){.to_world = vo_wearer_place(body)};
    VO_TRY(vo_mesh_copy(ctx, vo_body_rest(body), &out->mesh));
    vo_transform back = xf_inverse(out->to_world);
    for (int n = 0; n < out->mesh->node_count; n++)
        out->mesh->node_x[n] = xf_point(back, out->mesh->node_x[n]);
    vo_body_axes(body, out->axis);
    for (int i = 0; i < VO_PATTERN_AXES; i++)
        out->axis[i].origin = v3_scale(scale, out->axis[i].origin);
    vo_result result = measure(ctx, out);
    if (result != VO_OK) vo_wearer_free(out);
    return result;
}

void vo_wearer_free(vo_wearer *w) {
    vo_mesh_destroy(w->mesh);
    *w = (vo_wearer){0};
}

/* ---- the garment ---------------------------------------------------------------------------- */

static vo_result cut_out(const vo_wearer *wearer, const vo_cut_def *def, vo_cut *out) {
    vo_garment_def garment = vo_garment_def_default();
    if (def->fit) VO_TRY(vo_pattern_fit(out->pattern, &wearer->sizes));
    garment.edge_length = def->edge_length;
    if (def->face_target > 0) garment.face_target = def->face_target;
    garment.axis_count = wearer->mesh ? VO_PATTERN_AXES : 0;
    garment.axis = out->axis;
    VO_TRY(vo_garment_create(out->pattern, &garment, &out->garment));
    vo_garment_tighten(out->garment, out->pattern);
    return VO_OK;
}

vo_result vo_cut_create(vo_context *ctx, const char *path, const vo_wearer *wearer,
                        const vo_cut_def *def, vo_cut *out) {
    *out = (vo_cut){0};
    const vo_pattern_axis *axis = wearer->mesh ? wearer->axis : vo_pattern_axes;
    memcpy(out->axis, axis, sizeof out->axis);
    vo_result result = vo_pattern_load(ctx, path, &out->pattern);
    if (result == VO_OK) result = cut_out(wearer, def, out);
    if (result != VO_OK) vo_cut_free(out);
    return result;
}

void vo_cut_free(vo_cut *cut) {
    vo_garment_destroy(cut->garment);
    vo_pattern_destroy(cut->pattern);
    *cut = (vo_cut){0};
}
