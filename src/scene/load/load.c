/* Loads a scene file. */
#include "scene/load/load.h"

#include "core/file.h"
#include "core/memory.h"
#include "scene/keys.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Length of a frame and of a substep, from frame_time, fps or timestep. */
static vo_result read_frame_time(const vo_json_cursor *root, vo_scene_def *def) {
    bool has_fps = vo_has(root, "fps"), has_frame_time = vo_has(root, "frame_time");
    if (has_fps && has_frame_time)
        return vo_json_fail(vo_json_get(root, "fps"), "frame_time and fps exclude each other");
    def->frame_steps = vo_get_int(root, "frame_steps", 1);
    if (has_frame_time || has_fps) {
        def->frame_time = has_fps ? 1 / vo_get_real(root, "fps") : vo_get_real(root, "frame_time");
        return VO_OK;
    }
    if (!vo_has(root, "timestep"))
        return vo_json_fail(vo_json_get(root, "frame_time"),
                            "is missing; a scene needs frame_time, fps or timestep");
    def->frame_steps = vo_get_int(root, "save_frames", 1);
    def->frame_time = def->frame_steps * vo_get_real(root, "timestep");
    return VO_OK;
}

/* Reads preroll and start_frame. A scene with characters has a preroll of 1 s by default. */
static vo_result read_preroll(const vo_json_cursor *root, vo_scene_def *def) {
    bool has_characters = vo_json_length(vo_json_get(root, "characters")) > 0;
    if (!vo_has(root, "preroll")) VO_TRY(vo_json_put_real(root, "preroll", has_characters ? 1 : 0));
    def->preroll = vo_get_real(root, "preroll");
    if (def->preroll > VO_MAX_PREROLL_FRAMES * def->frame_time)
        return vo_json_fail(vo_json_get(root, "preroll"),
                            "%g s exceed the limit of %g frames of %g s; 1 to 2 s are enough for "
                            "cloth to settle",
                            def->preroll, VO_MAX_PREROLL_FRAMES, def->frame_time);
    def->start_frame = vo_get_int(root, "start_frame", 0);
    return VO_OK;
}

/* Reads `duration` and `end_time`, which have the same meaning. If both are present, the one that
 * ARCSim reads is used: duration beside timestep, end_time otherwise. */
static void read_end(const vo_json_cursor *root, vo_scene_def *def) {
    double duration = vo_get_limit(root, "duration", INFINITY);
    bool by_timestep = !vo_has(root, "frame_time") && !vo_has(root, "fps");
    def->end_time = vo_get_limit(root, "end_time", INFINITY);
    def->end_frame = vo_get_limit(root, "end_frame", INFINITY);
    if (isinf(duration)) return;
    if (by_timestep || isinf(def->end_time)) def->end_time = duration;
    if (!by_timestep)
        vo_log_line(root->ctx, VO_LOG_INFO,
                    "%s: duration: the scene ends after %g s (ARCSim would ignore this key beside "
                    "frame_time)",
                    root->file, def->end_time);
}

static void read_wind(const vo_json_cursor *root, vo_scene_def *def) {
    vo_json_cursor wind = vo_json_get(root, "wind");
    def->wind_density = vo_get_real(&wind, "density");
    def->wind_velocity = vo_get_vec3(&wind, "velocity");
    def->wind_drag = vo_get_real(&wind, "drag");
}

static unsigned disable_bit(const char *word) {
    for (int i = 0; vo_disable_words[i]; i++)
        if (strcmp(word, vo_disable_words[i]) == 0) return 1u << i;
    return 0;
}

/* One word, or an array of words. */
static unsigned read_disable(vo_json_cursor at) {
    const char *word = "";
    if (vo_json_kind(at) == VO_JSON_STRING) {
        (void)vo_json_read_string(at, &word);
        return disable_bit(word);
    }
    unsigned bits = 0;
    for (int i = 0; i < vo_json_length(at); i++) {
        (void)vo_json_read_string(vo_json_item(&at, i), &word);
        bits |= disable_bit(word);
    }
    return bits;
}

static vo_result read_solver(const vo_json_cursor *root, vo_scene_def *def) {
    vo_json_cursor at = vo_json_get(root, "solver");
    def->solver = (vo_linear_solver)vo_get_word(&at, "method", vo_solver_words);
    def->solver_tolerance = vo_get_real(&at, "tolerance");
    def->solver_max_iterations = vo_get_int(&at, "max_iterations", 1);
    if (def->solver_tolerance >= 1)
        return vo_json_fail(vo_json_get(&at, "tolerance"), "must be less than 1, is %g",
                            def->solver_tolerance);
    return VO_OK;
}

/* Reads the contact settings. Only the projection thickness has no default; 0 selects a tenth of
 * the repulsion thickness. */
static void read_contact(const vo_json_cursor *root, vo_scene_def *def) {
    vo_json_cursor magic = vo_json_get(root, "magic");
    def->repulsion_thickness = vo_get_real(&magic, "repulsion_thickness");
    def->projection_thickness = vo_get_real(&magic, "projection_thickness");
    def->teleport_speed = vo_get_real(&magic, "teleport_speed");
    def->collision_stiffness = vo_get_real(&magic, "collision_stiffness");
    def->friction = vo_get_real(root, "friction");
    def->obstacle_friction = vo_get_real(root, "obs_friction");
}

static vo_view_settings read_view(const vo_json_cursor *root) {
    vo_json_cursor at = vo_json_get(root, "view");
    return (vo_view_settings){.back_facing = vo_get_real(&at, "back_facing"),
                              .occluded = vo_get_real(&at, "occluded"),
                              .occluded_margin = vo_get_real(&at, "occluded_margin"),
                              .off_screen = vo_get_real(&at, "off_screen"),
                              .frustum_margin = vo_get_real(&at, "frustum_margin"),
                              .anticipation = vo_get_real(&at, "anticipation"),
                              .min_edge_pixels = vo_get_real(&at, "min_edge_pixels"),
                              .silhouette = vo_get_limit(&at, "silhouette", INFINITY),
                              .max_popping = vo_get_limit(&at, "max_popping", INFINITY),
                              .size_max = vo_get_real(&at, "size_max"),
                              .full_detail_preroll = vo_get_bool(&at, "full_detail_preroll"),
                              .two_sided = vo_get_bool(&at, "two_sided"),
                              .occlusion = vo_get_bool(&at, "occlusion"),
                              .compensation = vo_get_bool(&at, "compensation"),
                              .compensation_power = vo_get_real(&at, "compensation_power"),
                              .visible_compensation_power =
                                  vo_get_real(&at, "visible_compensation_power"),
                              .budget_faces = vo_get_real(&at, "budget_faces"),
                              .budget_seconds = vo_get_real(&at, "budget_seconds")};
}

/* Reads all members. The defaults of files are those of ARCSim, not of vo_scene_def_default. */
static vo_result read_def(const vo_json_cursor *root, vo_scene_def *def) {
    *def = (vo_scene_def){0};
    VO_TRY(read_frame_time(root, def));
    read_end(root, def);
    VO_TRY(read_preroll(root, def));
    def->gravity = vo_get_vec3(root, "gravity");
    read_wind(root, def);
    read_contact(root, def);
    def->disable = read_disable(vo_json_get(root, "disable"));
    vo_json_cursor magic = vo_json_get(root, "magic");
    def->adapt = (vo_adapt)vo_get_word(root, "adapt", vo_adapt_words);
    if (vo_get_bool(&magic, "fixed_high_res_mesh")) def->adapt = VO_ADAPT_NONE;
    def->view = read_view(root);
    def->handle_stiffness = vo_get_real(&magic, "handle_stiffness");
    def->engine = (vo_engine)vo_get_word(root, "engine", vo_engine_words);
    def->realtime = vo_load_realtime(root);
    return read_solver(root, def);
}

/* Transform from the file's units and axes to metres and z up: a quarter turn about x for y up, a
 * quarter turn back about y for x up. */
static vo_transform read_frame(const vo_json_cursor *root) {
    static const double metres[] = {1, 0.01, 0.001, 0.0254, 0.3048}; /* as vo_unit_words */
    double h = sqrt(0.5);
    vo_quat turn[] = {{h, 0, -h, 0}, {h, h, 0, 0}, {1, 0, 0, 0}}; /* as vo_axis_words */
    return (vo_transform){v3_zero(), metres[vo_get_word(root, "units", vo_unit_words)],
                          turn[vo_get_word(root, "up_axis", vo_axis_words)]};
}

/* Warns about gravity in the file's axes: up_axis rotates the geometry, but not gravity. */
static void warn_about_gravity(const vo_json_cursor *root, vo_vec3 g) {
    if (strcmp(vo_get_string(root, "up_axis"), "z") == 0) return;
    if (fabs(g.z) >= vo_max(fabs(g.x), fabs(g.y))) return;
    vo_log_line(root->ctx, VO_LOG_WARNING,
                "%s: gravity: [%g, %g, %g] does not point along z; up_axis turns the geometry so "
                "that z is up, but not gravity and wind",
                root->file, g.x, g.y, g.z);
}

static void warn_unimplemented(const vo_json_doc *doc, const char *unimplemented) {
    if (unimplemented[0])
        vo_log_line(doc->ctx, VO_LOG_WARNING, "%s: not implemented, ignored: %s", doc->file,
                    unimplemented);
}

/* Builds all objects of the checked document, each after those that it refers to. */
static vo_result build(vo_loader *loader) {
    vo_json_cursor root = vo_json_root(loader->doc);
    loader->frame = read_frame(&root);
    warn_about_gravity(&root, loader->scene->def.gravity);
    VO_TRY(vo_load_crowd(loader, &root));
    VO_TRY(vo_load_motions(loader, vo_json_get(&root, "motions")));
    vo_json_cursor cloths = vo_json_get(&root, "cloths"), garments = vo_json_get(&root, "garments");
    if (!vo_json_is_present(cloths) && vo_json_length(garments) == 0)
        return vo_json_fail(cloths, "is missing");
    VO_TRY(vo_load_cloths(loader, cloths));
    VO_TRY(vo_load_obstacles(loader, &root));
    VO_TRY(vo_load_cameras(loader, &root));
    VO_TRY(vo_load_crowd_lod(loader, vo_json_get(&root, "characters")));
    VO_TRY(vo_load_characters(loader, vo_json_get(&root, "characters")));
    VO_TRY(vo_load_garments(loader, vo_json_get(&root, "garments")));
    VO_TRY(vo_load_handles(loader, vo_json_get(&root, "handles")));
    VO_TRY(vo_load_fans(loader, &root));
    return vo_load_pins(loader);
}

/* Fails for a document of another kind, which its keys identify. */
static vo_result reject_other_kind(const vo_json_cursor *root) {
    static const struct {
        const char *key[2]; /* both are present; NULL: only the first is required */
        const char *kind;
    } kinds[] = {
        {{"panels", NULL}, "a pattern, not a scene; sew it, or name it as pattern of a garment"},
        {{"pattern", "properties"},
         "a pattern, not a scene; sew it, or name it as pattern of a garment"},
        {{"density", "stretching"}, "a fabric, not a scene; name it as data of a material"},
        {{"density", "bending"}, "a fabric, not a scene; name it as data of a material"},
        {{"steps", NULL}, "a motion, not a scene; name it as motion of a character"},
    };
    if (vo_json_kind(*root) != VO_JSON_OBJECT || vo_has(root, "cloths")) return VO_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (vo_has(root, kinds[i].key[0]) && (!kinds[i].key[1] || vo_has(root, kinds[i].key[1])))
            return vo_fail(root->ctx, VO_BAD_DATA, "%s: is %s", root->file, kinds[i].kind);
    return VO_OK;
}

static vo_result check_and_create(vo_json_doc *doc, vo_scene **out) {
    char unimplemented[640];
    vo_json_cursor given = vo_json_root(doc);
    VO_TRY(reject_other_kind(&given));
    VO_TRY(vo_scene_check(doc, unimplemented, sizeof unimplemented));
    warn_unimplemented(doc, unimplemented);
    vo_scene_def def;
    vo_json_cursor root = vo_json_root(doc);
    VO_TRY(read_def(&root, &def));
    return vo_at_fault(root, vo_scene_create(doc->ctx, &def, out));
}

static vo_result build_scene(vo_context *ctx, const char *path, vo_json_doc *doc, vo_scene **out) {
    vo_scene *scene;
    VO_TRY(check_and_create(doc, &scene));
    vo_loader *loader = vo_new(ctx, vo_loader);
    vo_result result = loader ? VO_OK : vo_fail_memory(ctx, path);
    if (loader) {
        loader->ctx = ctx;
        loader->doc = doc;
        loader->scene = scene;
        vo_path_folder(loader->folder, sizeof loader->folder, path);
        result = build(loader);
        vo_free_array(ctx, loader->grid, loader->grid_capacity);
        vo_free_array(ctx, loader->size_warnings.character, loader->size_warnings.capacity);
        vo_free_array(ctx, loader->shape_warnings.character, loader->shape_warnings.capacity);
        vo_delete(ctx, loader);
    }
    if (result != VO_OK) {
        vo_scene_destroy(scene);
        return result;
    }
    scene->resolved = *doc;
    *doc = (vo_json_doc){0};
    *out = scene;
    return VO_OK;
}

vo_result vo_scene_load_document(vo_context *ctx, const char *path, vo_json_doc *doc, int frame,
                                 int override_count, const char *const *overrides, vo_scene **out) {
    *out = NULL;
    vo_result result = vo_scene_apply_recorded_overrides(doc, frame);
    if (result == VO_OK) result = vo_scene_apply_overrides(doc, override_count, overrides);
    if (result == VO_OK) result = build_scene(ctx, path, doc, out);
    vo_json_free(doc);
    return result;
}

vo_result vo_scene_load_at(vo_context *ctx, const char *path, int frame, int override_count,
                           const char *const *overrides, vo_scene **out) {
    *out = NULL;
    if (!path || strlen(path) >= VO_PATH_SIZE - 64)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "the path of the scene is missing or too long");
    vo_json_doc doc;
    VO_TRY(vo_json_load(ctx, path, &doc));
    return vo_scene_load_document(ctx, path, &doc, frame, override_count, overrides, out);
}

vo_result vo_scene_load(vo_context *ctx, const char *path, int override_count,
                        const char *const *overrides, vo_scene **out) {
    return vo_scene_load_at(ctx, path, INT_MAX, override_count, overrides, out);
}
