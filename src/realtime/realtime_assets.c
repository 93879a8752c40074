/* Assets of the cloths of a scene. Equal garments of equal bodies share one: their positions agree
 * in the frames of their wearers. */
#include "cook/cook.h"
#include "core/plural.h"
#include "garment/wear.h"
#include "realtime/realtime_private.h"

#include <string.h>

/* m, largest distance between corresponding nodes of garments that share an asset. */
static const double SHARED_TOLERANCE = 1e-6;

static vo_transform placement_of(const vo_scene *scene, int c) {
    const vo_scene_garment *garment = scene->cloth[c].garment;
    if (!garment) return xf_identity();
    return vo_wearer_to_world(vo_scene_character_body(scene, garment->character));
}

static bool has_node_handle(const vo_scene *scene, int c) {
    for (int i = 0; i < scene->handle_count; i++)
        if (scene->handle[i].def.cloth == c && scene->handle[i].def.label < 0) return true;
    return false;
}

/* Copy of the current mesh of a cloth, in the frame of its wearer. */
static vo_result copy_local(const vo_realtime *r, int c, vo_mesh **out) {
    vo_transform back = xf_inverse(r->cloth[c].placement);
    VO_TRY(vo_mesh_copy(r->ctx, r->sim->cloth[c].mesh, out));
    for (int n = 0; n < (*out)->node_count; n++)
        (*out)->node_x[n] = xf_point(back, (*out)->node_x[n]);
    return VO_OK;
}

/* Base mesh of a cloth without pattern. */
static vo_result coarsen(const vo_realtime *r, int c, vo_mesh **mesh, bool *is_original) {
    int faces = r->sim->scene->def.realtime.faces, before = (*mesh)->face_count;
    if (faces > 0 && faces < before && has_node_handle(r->sim->scene, c)) {
        vo_log_line(r->ctx, VO_LOG_WARNING,
                    "realtime.faces: cloth %d keeps its %d faces, because handles refer to its "
                    "nodes; use labels of the mesh",
                    c, before);
        faces = 0;
    }
    if (faces > 0) VO_TRY(vo_cook_coarsen(r->ctx, faces, mesh));
    *is_original = (*mesh)->face_count == before;
    return VO_OK;
}

static vo_result create_base(const vo_realtime *r, int c, vo_mesh **out, bool *is_original) {
    const vo_scene_garment *garment = r->sim->scene->cloth[c].garment;
    vo_mesh *mesh;
    *out = NULL;
    *is_original = false;
    VO_TRY(copy_local(r, c, &mesh));
    vo_result result;
    if (garment && garment->cut.pattern) {
        int faces =
            garment->base_faces > 0 ? garment->base_faces : r->sim->scene->def.realtime.faces;
        result = vo_cook_sample_base(r->ctx, &garment->cut, faces, mesh, out);
        vo_mesh_destroy(mesh);
        return result;
    }
    result = coarsen(r, c, &mesh, is_original);
    if (result == VO_OK)
        *out = mesh;
    else
        vo_mesh_destroy(mesh);
    return result;
}

int vo_realtime_layer(const vo_scene *scene, int c) {
    const vo_scene_garment *garment = scene->cloth[c].garment;
    int layer = 0;
    for (int i = 0; garment && i < c; i++) {
        const vo_scene_garment *other = scene->cloth[i].garment;
        if (other && other->character == garment->character) layer++;
    }
    return layer;
}

vo_rt_fabric vo_realtime_fabric(const vo_realtime *r, int c, const vo_mesh *mesh) {
    const vo_scene_cloth *cloth = &r->sim->scene->cloth[c];
    const vo_scene_def *def = &r->sim->scene->def;
    vo_rt_fabric fabric = vo_cook_materials(mesh, cloth->material_count, cloth->material);
    float air = (float)(def->wind_density / 1.2); /* the library assumes 1.2 kg/m^3 */
    fabric.friction = (float)def->obstacle_friction;
    fabric.damping = (float)def->realtime.damping;
    fabric.thickness += (float)(vo_realtime_layer(r->sim->scene, c) * def->repulsion_thickness);
    fabric.drag *= air;
    fabric.lift *= air;
    return fabric;
}

/* True if a handle pins the vertex for the whole run. */
static bool is_pinned(const vo_scene *scene, int c, int origin, int label) {
    for (int i = 0; i < scene->handle_count; i++) {
        const vo_handle_def *def = &scene->handle[i].def;
        if (def->cloth != c || def->kind != VO_HANDLE_NODE || def->start > 0 || isfinite(def->end))
            continue;
        if (def->label >= 0 && label == def->label) return true;
        for (int k = 0; def->label < 0 && k < def->node_count; k++)
            if (def->nodes[k] == origin) return true;
    }
    return false;
}

vo_result vo_realtime_add_asset(vo_realtime *r, vo_rt_asset *asset, int first_cloth,
                                vo_realtime_asset **out) {
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    vo_realtime_asset *a = &r->asset[r->asset_count++];
    a->asset = asset;
    a->first_cloth = first_cloth;
    a->face_count = info.triangle_count;
    a->node_count = info.vertex_count;
    a->face = vo_alloc_zero(r->ctx, (size_t)a->face_count * sizeof *a->face);
    a->node = vo_alloc_zero(r->ctx, (size_t)a->node_count * sizeof *a->node);
    *out = a;
    return a->face && a->node ? VO_OK : vo_fail_memory(r->ctx, "an asset");
}

void vo_realtime_free_assets(vo_realtime *r) {
    for (int i = 0; i < r->asset_count; i++) {
        vo_realtime_asset *a = &r->asset[i];
        vo_free_array(r->ctx, a->face, a->face_count);
        vo_free_array(r->ctx, a->node, a->node_count);
        vo_rt_asset_destroy(a->asset);
    }
    vo_free_array(r->ctx, r->asset, r->sim->scene->cloth_count);
}

/* Replaces an asset by a copy with the detail mesh. */
static vo_result add_detail(const vo_realtime *r, vo_rt_asset **asset) {
    vo_rt_message message = {{0}};
    vo_rt_asset *detailed;
    vo_result result =
        vo_rt_asset_add_detail(&r->ctx->allocator, *asset, r->detail, &detailed, &message);
    vo_rt_asset_destroy(*asset);
    *asset = detailed;
    return result == VO_OK ? VO_OK : vo_fail(r->ctx, result, "detail mesh: %s", message.text);
}

static vo_result cook_base(vo_realtime *r, int c, const vo_mesh *base, bool is_original) {
    vo_rt_asset_def def = vo_rt_asset_def_default();
    float *attachment = vo_alloc_zero(r->ctx, (size_t)base->node_count * sizeof *attachment);
    vo_realtime_asset *a;
    vo_rt_asset *asset;
    if (!attachment) return vo_fail_memory(r->ctx, "an asset");
    for (int n = 0; n < base->node_count; n++)
        attachment[n] = is_pinned(r->sim->scene, c, is_original ? n : -1, base->node_label[n]);
    def.max_level = r->sim->scene->def.realtime.levels;
    def.fabric = vo_realtime_fabric(r, c, base);
    def.attachment = attachment;
    vo_result result = vo_cook_mesh(r->ctx, base, &def, &asset);
    vo_free_array(r->ctx, attachment, base->node_count);
    VO_TRY(result);
    if (r->detail && c == r->detail_cloth) VO_TRY(add_detail(r, &asset));
    VO_TRY(vo_realtime_add_asset(r, asset, c, &a));
    VO_REQUIRE(r->ctx, a->face_count == base->face_count && a->node_count == base->node_count);
    for (int f = 0; f < base->face_count; f++) {
        a->face[f][0] = base->face_label[f];
        a->face[f][1] = base->vert_patch ? base->vert_patch[base->face_vert[f][0]] : 0;
    }
    for (int n = 0; n < base->node_count; n++) {
        a->node[n][0] = is_original ? n : -1;
        a->node[n][1] = base->node_label[n];
    }
    return VO_OK;
}

/* True if cloth c is a garment equal to the one that the asset was made of. */
static bool is_equal(const vo_realtime *r, const vo_realtime_asset *a, int c) {
    const vo_scene *scene = r->sim->scene;
    const vo_scene_garment *g = scene->cloth[c].garment, *h = scene->cloth[a->first_cloth].garment;
    const vo_mesh *m = r->sim->cloth[c].mesh, *n = r->sim->cloth[a->first_cloth].mesh;
    if (!g || !h || g->like != h->like || !g->cut.pattern || g->base_faces != h->base_faces ||
        m->node_count != n->node_count)
        return false;
    vo_transform to = xf_mul(r->cloth[a->first_cloth].placement, xf_inverse(r->cloth[c].placement));
    for (int i = 0; i < m->node_count; i++)
        if (!(v3_distance(xf_point(to, m->node_x[i]), n->node_x[i]) <= SHARED_TOLERANCE))
            return false;
    return true;
}

static vo_result create_asset(vo_realtime *r, int c) {
    vo_mesh *base;
    bool is_original;
    for (int a = 0; a < r->asset_count; a++)
        if (is_equal(r, &r->asset[a], c)) {
            r->cloth[c].asset = a;
            return VO_OK;
        }
    VO_TRY(create_base(r, c, &base, &is_original));
    r->cloth[c].asset = r->asset_count;
    vo_result result = cook_base(r, c, base, is_original);
    vo_mesh_destroy(base);
    return result;
}

vo_result vo_realtime_create_assets(vo_realtime *r) {
    int count = r->sim->scene->cloth_count;
    for (int c = 0; c < count; c++) r->cloth[c].placement = placement_of(r->sim->scene, c);
    for (int c = 0; c < count; c++) {
        VO_TRY(vo_check_cancel(r->ctx));
        VO_TRY(create_asset(r, c));
        vo_report_work(r->ctx, "cooking cloths", c + 1, count);
    }
    return VO_OK;
}

vo_result vo_realtime_find_assets(vo_realtime *r) {
    for (int c = 0; c < r->sim->scene->cloth_count; c++)
        r->cloth[c].placement = placement_of(r->sim->scene, c);
    return VO_OK;
}
