/* Garments of a scene file (add_garment.c). */
#include "codec/obj.h"
#include "core/file.h"
#include "scene/build.h"
#include "scene/keys.h"
#include "scene/load/load.h"

/* ---- fabrics of the pattern ----------------------------------------------------------------- */

/* Finds the first candidate name of a pattern's fabric for which a file exists. */
static vo_result name_fabric(vo_loader *loader, vo_json_cursor at, const char *pattern,
                             const char *fabric, char name[VO_PATH_SIZE]) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < VO_GARMENT_FABRIC_NAMES; i++) {
        bool found = false;
        vo_garment_fabric_name(pattern, fabric, i, name);
        VO_TRY(vo_loader_find(loader, at, name, &found, path));
        if (found) return VO_OK;
    }
    return vo_json_fail(at,
                        "there is no fabric \"%.100s\", neither a file of that name nor "
                        "fabrics/%.100s.json among the assets; set materials",
                        fabric, fabric);
}

/* Without `materials` the garment gets those of its pattern, so that a run keeps them. */
static vo_result put_materials(vo_loader *loader, const vo_json_cursor *at,
                               const vo_pattern *pattern) {
    vo_json_cursor list, item;
    char name[VO_PATH_SIZE];
    VO_TRY(vo_json_put_array(at, "materials", &list));
    for (int i = 0; i < pattern->fabric_count; i++) {
        VO_TRY(name_fabric(loader, vo_json_get(at, "pattern"), pattern->file, pattern->fabric[i],
                           name));
        VO_TRY(vo_json_put_object(&list, NULL, &item));
        VO_TRY(vo_json_put_string(&item, "data", name));
        VO_TRY(vo_json_put_copy(&item, "damping", vo_json_get(at, "damping")));
        VO_TRY(vo_json_put_copy(&item, "strain_limits", vo_json_get(at, "strain_limits")));
    }
    return vo_scene_check_part(loader->doc, *at, vo_garment_keys);
}

/* ---- the character -------------------------------------------------------------------------- */

static vo_result find_character(const vo_loader *loader, const vo_json_cursor *at, int *out) {
    int count = loader->scene->character_count;
    *out = vo_get_int(at, "character", 0);
    if (*out < count) return VO_OK;
    return vo_json_fail(vo_json_get(at, "character"),
                        count ? "there is no character %d; the scene has %d"
                              : "there is no character %d; the scene has none (characters: %d)",
                        *out, count);
}

/* ---- one garment ---------------------------------------------------------------------------- */

static vo_result load_mesh(vo_loader *loader, const vo_json_cursor *at, vo_garment_parts *parts) {
    char path[VO_PATH_SIZE];
    if (!vo_has(at, "materials"))
        return vo_json_fail(vo_json_get(at, "materials"), "is missing; a garment from a mesh needs "
                                                          "it");
    VO_TRY(vo_loader_file(loader, at, "mesh", path));
    parts->cloth.placement =
        vo_body_placement(vo_scene_character_body(loader->scene, parts->fitted.character));
    return vo_at_fault(vo_json_get(at, "mesh"),
                       vo_obj_load(loader->ctx, path, VO_MESH_FOR_CLOTH, &parts->cloth.mesh));
}

static vo_fitted_pattern_def read_fit(const vo_json_cursor *at) {
    vo_fitted_pattern_def how = {.edge_length = vo_get_real(at, "edge_length"),
                                 .face_target = vo_get_int(at, "faces", 0),
                                 .fit = vo_get_bool(at, "fit")};
    if (how.face_target) how.edge_length = 0;
    return how;
}

static vo_result load_pattern(vo_loader *loader, const vo_json_cursor *at,
                              vo_garment_parts *parts) {
    char path[VO_PATH_SIZE], warning[VO_BODY_WARNING_TEXT];
    vo_json_cursor file = vo_json_get(at, "pattern");
    parts->fitted.how = read_fit(at);
    parts->fitted.base_faces = vo_get_int(at, "base_faces", 0);
    VO_TRY(vo_loader_file(loader, at, "pattern", path));
    vo_result result = vo_scene_fit_garment(loader->scene, path, parts, warning);
    if (warning[0])
        VO_TRY(vo_warn_body(loader, &loader->shape_warnings, parts->fitted.character, warning));
    VO_TRY(vo_at_fault(file, result));
    return vo_has(at, "materials") ? VO_OK : put_materials(loader, at, parts->fitted.cut.pattern);
}

static vo_result fill_parts(vo_loader *loader, const vo_json_cursor *at, vo_garment_parts *parts) {
    VO_TRY(vo_has(at, "mesh") ? load_mesh(loader, at, parts) : load_pattern(loader, at, parts));
    VO_TRY(vo_load_materials(loader, vo_json_get(at, "materials"), &parts->cloth));
    VO_TRY(vo_load_remeshing(loader, at, &parts->cloth.remeshing));
    parts->cloth.sides = vo_load_sides(at);
    return vo_at_fault(*at, vo_scene_adopt_garment(loader->scene, parts, NULL));
}

static vo_result load_garment(vo_loader *loader, vo_json_cursor at) {
    vo_garment_parts parts = {0};
    bool has_mesh = vo_has(&at, "mesh");
    if (has_mesh == vo_has(&at, "pattern"))
        return vo_json_fail(vo_json_get(&at, "pattern"),
                            has_mesh ? "pattern and mesh exclude each other"
                                     : "is missing; a garment needs a pattern or a mesh");
    VO_TRY(find_character(loader, &at, &parts.fitted.character));
    vo_result result = fill_parts(loader, &at, &parts);
    vo_garment_parts_free(loader->ctx, &parts);
    return result;
}

vo_result vo_load_garments(vo_loader *loader, vo_json_cursor garments) {
    int count = vo_json_length(garments);
    for (int i = 0; i < count; i++) {
        VO_TRY(vo_check_cancel(loader->ctx));
        VO_TRY(load_garment(loader, vo_json_item(&garments, i)));
        vo_report_work(loader->ctx, "loading garments", i + 1, count);
    }
    return VO_OK;
}

vo_result vo_load_pins(vo_loader *loader) {
    for (int c = 0; c < loader->scene->cloth_count; c++)
        VO_TRY(vo_scene_add_garment_pins(loader->scene, c));
    return VO_OK;
}
