/* Garments of a scene: a pattern fitted to a character, or a mesh that was sewn before. Each
 * becomes a cloth; those from patterns are sewn when a simulation is created (sew/sew_scene.c).
 * Used by the public calls and by the file loader (load_garment.c). */
#include "core/file.h"
#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"

#include <stdio.h>
#include <string.h>

vo_garment_def vo_garment_def_default(void) {
    vo_garment_def def = {.fit = true,
                          .edge_length = 0.03,
                          .damping = 0.002,
                          .stretch_min = -INFINITY,
                          .stretch_max = INFINITY,
                          .remeshing = vo_remeshing_def_default()};
    def.remeshing.enabled = true;
    def.remeshing.refine_angle = 0.4;
    def.remeshing.refine_compression = 0.01;
    def.remeshing.refine_velocity = 1;
    def.remeshing.size_min = 0.015;
    def.remeshing.size_max = 0.1;
    def.remeshing.aspect_min = 0.2;
    return def;
}

/* ---- fitting -------------------------------------------------------------------------------- */

/* Reuses the fitted pattern of an earlier garment with the same pattern on an equal body. */
static bool reuse_cut(const vo_scene *scene, const char *path, const vo_body *body,
                      vo_scene_garment *g) {
    for (int c = 0; c < scene->cloth_count; c++) {
        const vo_scene_garment *other = scene->cloth[c].garment;
        if (!other || other->like != c || strcmp(other->cut.pattern->file, path) != 0 ||
            other->how.edge_length != g->how.edge_length ||
            other->how.face_target != g->how.face_target || other->how.fit != g->how.fit)
            continue;
        if (!vo_body_has_equal_rest(vo_scene_character_body(scene, other->character), body))
            continue;
        g->like = c;
        g->cut = other->cut;
        return true;
    }
    return false;
}

static vo_result create_cut(const vo_scene *scene, const char *path, const vo_body *body,
                            vo_garment_parts *parts, char warning[VO_BODY_WARNING_TEXT]) {
    vo_scene_garment *g = &parts->fitted;
    vo_wearer wearer;
    VO_TRY(vo_wearer_create(scene->ctx, body, &wearer));
    if (g->how.fit) snprintf(warning, VO_BODY_WARNING_TEXT, "%s", wearer.implausible);
    vo_result result = vo_fitted_pattern_create(scene->ctx, path, &wearer, &g->how, &g->cut);
    parts->owns_cut = result == VO_OK;
    vo_wearer_free(&wearer);
    return result;
}

vo_result vo_scene_fit_garment(const vo_scene *scene, const char *path, vo_garment_parts *parts,
                               char warning[VO_BODY_WARNING_TEXT]) {
    vo_scene_garment *g = &parts->fitted;
    const vo_body *body = vo_scene_character_body(scene, g->character);
    warning[0] = 0;
    g->like = scene->cloth_count;
    if (!reuse_cut(scene, path, body, g)) VO_TRY(create_cut(scene, path, body, parts, warning));
    parts->cloth.placement = vo_wearer_to_world(body);
    const vo_garment *panels = g->cut.garment;
    return vo_pattern_merge(panels->mesh, panels->stitch_count, panels->stitch, &parts->cloth.mesh);
}

/* ---- adding --------------------------------------------------------------------------------- */

vo_result vo_scene_adopt_garment(vo_scene *scene, vo_garment_parts *parts, int *id) {
    vo_scene_garment *garment = NULL;
    int cloth;
    if (parts->fitted.cut.pattern) {
        garment = vo_new(scene->ctx, vo_scene_garment);
        if (!garment) return vo_fail_memory(scene->ctx, "a garment");
        *garment = parts->fitted;
    }
    vo_result result = vo_scene_adopt_cloth(scene, &parts->cloth, &cloth);
    if (result != VO_OK) {
        if (garment) vo_delete(scene->ctx, garment);
        return result;
    }
    scene->cloth[cloth].garment = garment;
    parts->owns_cut = false;
    if (id) *id = cloth;
    return VO_OK;
}

void vo_garment_parts_free(vo_context *ctx, vo_garment_parts *parts) {
    if (parts->owns_cut) vo_fitted_pattern_free(&parts->fitted.cut);
    vo_cloth_parts_free(ctx, &parts->cloth);
    *parts = (vo_garment_parts){0};
}

static vo_result add_pins(vo_scene *scene, int cloth) {
    const vo_scene_garment *garment = scene->cloth[cloth].garment;
    const vo_pattern *pattern = garment->cut.pattern;
    for (int i = 0; i < pattern->label_count; i++) {
        if (!pattern->label[i].pinned) continue;
        vo_handle_def pin = vo_handle_def_default();
        pin.cloth = cloth;
        pin.label = i + 1;
        pin.stiffness = scene->def.handle_stiffness;
        VO_TRY(vo_scene_add_handle(scene, &pin, NULL));
        scene->handle[scene->handle_count - 1].obstacle =
            scene->character[garment->character].obstacle;
    }
    return VO_OK;
}

vo_result vo_scene_add_garment_pins(vo_scene *scene, int cloth) {
    int before = scene->handle_count;
    if (!scene->cloth[cloth].garment) return VO_OK;
    vo_result result = add_pins(scene, cloth);
    if (result != VO_OK) vo_scene_remove_handles(scene, before);
    return result;
}

/* ---- calls ---------------------------------------------------------------------------------- */

void vo_garment_fabric_name(const char *pattern, const char *fabric, int candidate,
                            char name[VO_PATH_SIZE]) {
    char folder[VO_PATH_SIZE];
    vo_path_folder(folder, sizeof folder, pattern);
    switch (candidate) {
    case 0:
        snprintf(name, VO_PATH_SIZE, "%.200s", fabric);
        break;
    case 1:
        snprintf(name, VO_PATH_SIZE, "%.2000s/%.200s", folder, fabric);
        break;
    case 2:
        snprintf(name, VO_PATH_SIZE, "fabrics/%.200s.json", fabric);
        break;
    default:
        snprintf(name, VO_PATH_SIZE, "%.2000s/../fabrics/%.200s.json", folder, fabric);
    }
}

static vo_result load_fabric(vo_context *ctx, const vo_pattern *pattern, int i, vo_fabric **out) {
    char name[VO_PATH_SIZE], path[VO_PATH_SIZE];
    for (int k = 0; k < VO_GARMENT_FABRIC_NAMES; k++) {
        vo_garment_fabric_name(pattern->file, pattern->fabric[i], k, name);
        if (vo_scene_find_file(NULL, name, path)) return vo_fabric_load(ctx, path, out);
    }
    return vo_fail(ctx, VO_BAD_DATA,
                   "%s: there is no fabric \"%.100s\", neither a file of that name nor "
                   "fabrics/%.100s.json among the assets; set materials",
                   pattern->file, pattern->fabric[i], pattern->fabric[i]);
}

/* The materials of the pattern's own fabrics. */
static vo_result load_materials(vo_context *ctx, const vo_garment_def *def,
                                const vo_pattern *pattern, vo_cloth_parts *parts) {
    int count = pattern->fabric_count;
    parts->material = vo_alloc_zero(ctx, vo_array_bytes((size_t)count, sizeof *parts->material));
    if (!parts->material) return vo_fail_memory(ctx, "materials");
    parts->material_count = count;
    for (int i = 0; i < count; i++) {
        parts->material[i] = (vo_material){.density_mult = 1,
                                           .stretching_mult = 1,
                                           .bending_mult = 1,
                                           .damping = def->damping,
                                           .stretch_min = def->stretch_min,
                                           .stretch_max = def->stretch_max};
        VO_TRY(load_fabric(ctx, pattern, i, &parts->material[i].fabric));
    }
    return VO_OK;
}

static vo_result fit_pattern(vo_scene *scene, const vo_garment_def *def, vo_garment_parts *parts) {
    char path[VO_PATH_SIZE], warning[VO_BODY_WARNING_TEXT];
    if (!vo_scene_find_file(NULL, def->pattern, path))
        return vo_fail(scene->ctx, VO_BAD_DATA, "pattern: there is no file \"%.200s\"",
                       def->pattern);
    vo_result result = vo_scene_fit_garment(scene, path, parts, warning);
    if (warning[0])
        vo_log_line(scene->ctx, VO_LOG_WARNING, "character of obstacle %d: %s", def->character,
                    warning);
    return result;
}

static vo_result copy_mesh(const vo_scene *scene, const vo_garment_def *def,
                           vo_garment_parts *parts) {
    const vo_body *body = vo_scene_character_body(scene, parts->fitted.character);
    parts->cloth.placement = vo_body_placement(body);
    return vo_mesh_copy(scene->ctx, def->mesh, &parts->cloth.mesh);
}

static vo_result fill_parts(vo_scene *scene, const vo_garment_def *def, vo_garment_parts *parts) {
    VO_TRY(def->mesh ? copy_mesh(scene, def, parts) : fit_pattern(scene, def, parts));
    parts->cloth.remeshing = def->remeshing;
    parts->cloth.sides = def->sides;
    if (def->material_count > 0)
        return vo_cloth_parts_copy_materials(scene->ctx, def->material_count, def->materials,
                                             &parts->cloth);
    return load_materials(scene->ctx, def, parts->fitted.cut.pattern, &parts->cloth);
}

/* Index of the character that is this obstacle, or -1. */
static int find_character(const vo_scene *scene, int obstacle) {
    for (int i = 0; i < scene->character_count; i++)
        if (scene->character[i].obstacle == obstacle) return i;
    return -1;
}

static const char *garment_defect(const vo_garment_def *def) {
    if (!def->pattern == !def->mesh) return "a garment needs either a pattern or a mesh";
    if (def->material_count < 0 || (def->material_count > 0 && !def->materials))
        return "material_count must be the number of materials";
    if (def->mesh && def->material_count == 0)
        return "materials: a garment from a mesh needs at least one";
    if (def->faces < 0) return "faces must be at least 0";
    if (def->base_faces < 0) return "base_faces must be at least 0";
    if (def->faces == 0 && !vo_is_positive(def->edge_length)) return "edge_length must be positive";
    return NULL;
}

vo_result vo_scene_add_garment(vo_scene *scene, const vo_garment_def *def, int *id) {
    vo_context *ctx = scene->ctx;
    if (!def) return vo_fail(ctx, VO_BAD_ARGUMENT, "a garment needs a definition");
    const char *defect = garment_defect(def);
    if (defect) return vo_fail(ctx, VO_BAD_ARGUMENT, "%s", defect);
    int character = find_character(scene, def->character), cloth;
    if (character < 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "character: obstacle %d is not a character",
                       def->character);
    vo_garment_parts parts = {
        .fitted = {.character = character,
                   .base_faces = def->base_faces,
                   .how = {.edge_length = def->faces > 0 ? 0 : def->edge_length,
                           .face_target = def->faces,
                           .fit = def->fit}}};
    vo_result result = fill_parts(scene, def, &parts);
    if (result == VO_OK) result = vo_scene_adopt_garment(scene, &parts, &cloth);
    vo_garment_parts_free(ctx, &parts);
    if (result != VO_OK) return result;
    result = vo_scene_add_garment_pins(scene, cloth);
    if (result != VO_OK) vo_scene_remove_cloths(scene, cloth);
    if (result == VO_OK && id) *id = cloth;
    return result;
}
