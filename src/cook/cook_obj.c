/* Meshes from OBJ files: material coordinates in metres, requested number of faces. */
#include "codec/obj.h"
#include "cook/cook.h"
#include "cook/levels.h"
#include "sew/sew.h"

#include <math.h>

static double world_area(const vo_mesh *mesh) {
    double area = 0;
    for (int f = 0; f < mesh->face_count; f++) area += v3_length(vo_mesh_face_normal(mesh, f)) / 2;
    return area;
}

/* Scales texture coordinates to metres. */
static vo_result scale_coordinates(vo_cooking *c) {
    double scale = c->def->uv_scale, area = world_area(c->base);
    if (scale == 0) scale = sqrt(area / vo_cook_area(c->base));
    if (!(scale > 0 && scale < 1e9 && area > 0))
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: has an area of %g m^2 in 3D and of %g in texture coordinates; unwrap "
                       "the mesh again, or set uv_scale",
                       c->def->input, area, vo_cook_area(c->base));
    for (int v = 0; v < c->base->vert_count; v++)
        c->base->vert_u[v] = v2_scale(scale, c->base->vert_u[v]);
    c->report.uv_scale = scale;
    return VO_OK;
}

/* Coarsens the base mesh; the original becomes the render mesh. */
static vo_result coarsen(vo_cooking *c) {
    int target = c->def->face_count;
    if (target == 0 || c->base->face_count <= target) return VO_OK;
    if (c->def->links)
        return vo_fail(c->ctx, VO_BAD_DATA,
                       "%s: has %d faces, more than face_count %d, and cannot be coarsened because "
                       "links refer to its vertices; set face_count to %d or 0, or link a coarser "
                       "mesh",
                       c->def->input, c->base->face_count, target, c->base->face_count);
    if (!c->def->render) VO_TRY(vo_mesh_copy(c->ctx, c->base, &c->render));
    VO_TRY(vo_cook_coarsen(c->ctx, target, &c->base));
    if (c->base->face_count > 1.15 * target)
        vo_log_line(c->ctx, VO_LOG_WARNING,
                    "%s: the base mesh has %d faces instead of %d, because outlines, seams and "
                    "labelled nodes are kept; set face_count to at least %d, or simplify them",
                    c->def->input, c->base->face_count, target, c->base->face_count);
    return VO_OK;
}

static vo_result set_fabric(vo_cooking *c) {
    vo_material material = {.density_mult = 1, .stretching_mult = 1, .bending_mult = 1};
    c->report.fabric = vo_rt_fabric_default();
    if (!c->def->sew.fabric) return VO_OK;
    VO_TRY(vo_sew_load_fabric(c->ctx, c->def->input, c->def->sew.fabric, &material.fabric));
    c->report.fabric = vo_cook_materials(c->base, 1, &material);
    vo_fabric_destroy(material.fabric);
    return VO_OK;
}

vo_result vo_cook_obj(vo_cooking *c) {
    if (c->def->mesh_on_body) VO_TRY(vo_sew_create_body(c->ctx, &c->def->sew, &c->body));
    VO_TRY(vo_obj_load(c->ctx, c->def->input, VO_MESH_FOR_CLOTH, &c->base));
    c->report.input_faces = c->base->face_count;
    VO_TRY(scale_coordinates(c));
    if (c->def->tolerance > 0)
        VO_TRY(vo_cook_create_levels(c));
    else
        VO_TRY(coarsen(c));
    return set_fabric(c);
}
