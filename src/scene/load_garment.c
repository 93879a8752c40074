/* Garments of a scene file: patterns cut for a character, or meshes that were sewn before. Each
 * becomes a cloth; those from patterns are sewn when a simulation starts (sim/sew_start.c). */
#include "codec/obj.h"
#include "core/file.h"
#include "core/memory.h"
#include "mesh/refine.h"
#include "scene/build.h"
#include "scene/keys.h"
#include "scene/load.h"

#include <stdio.h>
#include <string.h>

/* ---- fabrics of the pattern ----------------------------------------------------------------- */

/* The name by which the scene can name a fabric of the pattern: as it is, beside the pattern, or in
 * the assets' folder of fabrics. */
static vo_result name_fabric(vo_loader *loader, vo_json_at at, const char *pattern,
                             const char *fabric, char name[VO_PATH_SIZE]) {
    char path[VO_PATH_SIZE], folder[VO_PATH_SIZE];
    vo_path_folder(folder, sizeof folder, pattern);
    for (int i = 0; i < 4; i++) {
        bool found = false;
        if (i == 0) snprintf(name, VO_PATH_SIZE, "%.200s", fabric);
        if (i == 1) snprintf(name, VO_PATH_SIZE, "%.2000s/%.200s", folder, fabric);
        if (i == 2) snprintf(name, VO_PATH_SIZE, "fabrics/%.200s.json", fabric);
        if (i == 3) snprintf(name, VO_PATH_SIZE, "%.2000s/../fabrics/%.200s.json", folder, fabric);
        VO_TRY(vo_loader_find(loader, at, name, &found, path));
        if (found) return VO_OK;
    }
    return vo_json_fail(at,
                        "there is no fabric \"%.100s\", neither a file of that name nor "
                        "fabrics/%.100s.json among the assets; give `materials`",
                        fabric, fabric);
}

/* Without `materials` the garment gets those of its pattern, so that a run keeps them. */
static vo_result put_materials(vo_loader *loader, const vo_json_at *at, const vo_pattern *pattern) {
    vo_json_at list, item;
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

/* ---- the wearer ----------------------------------------------------------------------------- */

static vo_result find_body(const vo_loader *loader, const vo_json_at *at, int *character,
                           const vo_body **out) {
    const vo_scene *scene = loader->scene;
    *character = vo_get_int(at, "character", 0);
    if (*character < scene->character_count) {
        *out = vo_scene_character_body(scene, *character);
        return VO_OK;
    }
    return vo_json_fail(vo_json_get(at, "character"),
                        scene->character_count ? "there is no character %d; the scene has %d"
                                               : "there is no character %d; the scene has none "
                                                 "(characters: %d)",
                        *character, scene->character_count);
}

/* ---- one garment ---------------------------------------------------------------------------- */

static vo_result take_mesh(vo_loader *loader, const vo_json_at *at, const vo_body *body,
                           vo_cloth_parts *parts) {
    char path[VO_PATH_SIZE];
    if (!vo_has(at, "materials"))
        return vo_json_fail(vo_json_get(at, "materials"), "is missing; a garment from a mesh needs "
                                                          "it");
    VO_TRY(vo_loader_file(loader, at, "mesh", path));
    parts->placement = vo_body_placement(body);
    return vo_at_fault(vo_json_get(at, "mesh"),
                       vo_obj_load(loader->ctx, path, VO_MESH_FOR_CLOTH, &parts->mesh));
}

static vo_cut_def read_cut(const vo_json_at *at) {
    vo_cut_def how = {.edge_length = vo_get_real(at, "edge_length"),
                      .face_target = vo_get_int(at, "faces", 0),
                      .fit = vo_get_bool(at, "fit")};
    if (how.face_target) how.edge_length = 0;
    return how;
}

/* Takes the cut of a garment that is there, if it is of this pattern for such a body. */
static bool has_cut(const vo_scene *scene, const char *path, const vo_body *body,
                    vo_scene_garment *g) {
    for (int c = 0; c < scene->cloth_count; c++) {
        const vo_scene_garment *other = scene->cloth[c].garment;
        if (!other || other->like != c || strcmp(other->cut.pattern->file, path) != 0 ||
            other->how.edge_length != g->how.edge_length ||
            other->how.face_target != g->how.face_target || other->how.fit != g->how.fit)
            continue;
        if (!vo_body_is_alike(vo_scene_character_body(scene, other->character), body)) continue;
        g->like = c;
        g->cut = other->cut;
        return true;
    }
    return false;
}

static vo_result cut_anew(vo_loader *loader, const char *path, const vo_body *body,
                          vo_scene_garment *g) {
    vo_wearer wearer;
    VO_TRY(vo_wearer_create(loader->ctx, body, &wearer));
    vo_result result = VO_OK;
    if (g->how.fit && wearer.odd[0]) /* it is not redrawn for him */
        result = vo_tell_of_body(loader, &loader->odd_forms, g->character, wearer.odd);
    if (result == VO_OK) result = vo_cut_create(loader->ctx, path, &wearer, &g->how, &g->cut);
    vo_wearer_free(&wearer);
    return result;
}

/* The number of the cloth that `g` becomes is g->like, unless its cut is another's. */
static vo_result take_pattern(vo_loader *loader, const vo_json_at *at, const vo_body *body,
                              vo_cloth_parts *parts, vo_scene_garment *g) {
    char path[VO_PATH_SIZE];
    vo_json_at file = vo_json_get(at, "pattern");
    g->how = read_cut(at);
    VO_TRY(vo_loader_file(loader, at, "pattern", path));
    if (!has_cut(loader->scene, path, body, g))
        VO_TRY(vo_at_fault(file, cut_anew(loader, path, body, g)));
    parts->placement = vo_wearer_place(body);
    const vo_garment *panels = g->cut.garment;
    VO_TRY(vo_at_fault(
        file, vo_pattern_merge(panels->mesh, panels->link_count, panels->link, &parts->mesh)));
    return vo_has(at, "materials") ? VO_OK : put_materials(loader, at, g->cut.pattern);
}

static vo_result take_cloth(vo_loader *loader, vo_json_at at, vo_cloth_parts *parts,
                            vo_scene_garment *g) {
    vo_scene *scene = loader->scene;
    VO_TRY(vo_load_materials(loader, vo_json_get(&at, "materials"), parts));
    VO_TRY(vo_load_remeshing(loader, &at, &parts->remeshing));
    parts->sides = vo_load_sides(&at);
    VO_TRY(vo_at_fault(at, vo_scene_take_cloth(scene, parts, NULL)));
    if (!g->cut.pattern) return VO_OK;
    vo_scene_garment *garment = vo_new(loader->ctx, vo_scene_garment);
    if (!garment) return vo_fail_memory(loader->ctx, "a garment");
    *garment = *g;
    g->cut = (vo_cut){0};
    scene->cloth[scene->cloth_count - 1].garment = garment;
    return VO_OK;
}

static vo_result load_garment(vo_loader *loader, vo_json_at at) {
    const vo_body *body = NULL;
    vo_cloth_parts parts = {0};
    vo_scene_garment g = {.like = loader->scene->cloth_count};
    bool has_mesh = vo_has(&at, "mesh");
    if (has_mesh == vo_has(&at, "pattern"))
        return vo_json_fail(vo_json_get(&at, "pattern"),
                            has_mesh ? "pattern and mesh exclude each other"
                                     : "is missing; a garment needs a pattern or a mesh");
    VO_TRY(find_body(loader, &at, &g.character, &body));
    vo_result result = has_mesh ? take_mesh(loader, &at, body, &parts)
                                : take_pattern(loader, &at, body, &parts, &g);
    int own = loader->scene->cloth_count; /* as long as it has not become one */
    if (result == VO_OK) result = take_cloth(loader, at, &parts, &g);
    if (g.like == own) vo_cut_free(&g.cut);
    vo_cloth_parts_free(loader->ctx, &parts);
    return result;
}

vo_result vo_load_garments(vo_loader *loader, vo_json_at garments) {
    for (int i = 0; i < vo_json_length(garments); i++) {
        VO_TRY(vo_check_stop(loader->ctx));
        VO_TRY(load_garment(loader, vo_json_item(&garments, i)));
    }
    return VO_OK;
}

/* Pinned labels follow the body. */
static vo_result add_pins(vo_scene *scene, const vo_pattern *pattern, int cloth, int obstacle) {
    for (int i = 0; i < pattern->label_count; i++) {
        if (!pattern->label[i].pinned) continue;
        vo_handle_def pin = vo_handle_def_default();
        pin.cloth = cloth;
        pin.label = i + 1;
        pin.stiffness = scene->def.handle_stiffness;
        VO_TRY(vo_scene_add_handle(scene, &pin, NULL));
        scene->handle[scene->handle_count - 1].obstacle = obstacle;
    }
    return VO_OK;
}

vo_result vo_load_pins(vo_loader *loader) {
    vo_scene *scene = loader->scene;
    for (int c = 0; c < scene->cloth_count; c++) {
        const vo_scene_garment *garment = scene->cloth[c].garment;
        if (!garment) continue;
        int obstacle = scene->character[garment->character].obstacle;
        VO_TRY(add_pins(scene, garment->cut.pattern, c, obstacle));
    }
    return VO_OK;
}
