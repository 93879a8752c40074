#include "scene/scene.h"

#include "core/memory.h"
#include "math/bounds.h"
#include "scene/build.h"

#include <string.h>

#define MAX_FRAME_STEPS 100000

#define UP_TO  " (up to " VO_MAX_NUMBER_TEXT ")"
#define SWITCH "0, or from 1e-15 to " VO_MAX_NUMBER_TEXT

vo_pose vo_pose_identity(void) { return (vo_pose){.scale = 1}; }

vo_view_settings vo_view_settings_default(void) {
    return (vo_view_settings){.back_facing = 0.2,
                              .occluded = 0.5,
                              .occluded_margin = 0.1,
                              .off_screen = 0.01,
                              .frustum_margin = 0.4,
                              .anticipation = 5,
                              .min_edge_pixels = 4,
                              .silhouette = 0.25,
                              .max_popping = 0.5,
                              .size_max = 0.3,
                              .full_detail_preroll = true,
                              .compensation = true,
                              .compensation_power = 10};
}

vo_realtime_settings vo_realtime_settings_default(void) {
    return (vo_realtime_settings){.rate = 120,
                                  .substeps = 4,
                                  .levels = 3,
                                  .offset = 0.003,
                                  .thickness = 0.002,
                                  .compression = 0.1,
                                  .damping = 0.2,
                                  .solver = VO_REALTIME_XPBD};
}

vo_scene_def vo_scene_def_default(void) {
    return (vo_scene_def){
        .frame_time = 0.04,
        .frame_steps = 8,
        .end_time = INFINITY,
        .end_frame = INFINITY,
        .preroll = -1,
        .gravity = {0, 0, -9.81},
        .wind_density = 1.2,
        .repulsion_thickness = 2e-3,
        .teleport_speed = 40,
        .collision_stiffness = 1e7,
        .friction = 0.6,
        .obstacle_friction = 0.3,
        .adapt = VO_ADAPT_FULL,
        .view = vo_view_settings_default(),
        .realtime = vo_realtime_settings_default(),
        .handle_stiffness = 1e3,
        .solver = VO_SOLVER_PCG,
        .solver_tolerance = 1e-3,
        .solver_max_iterations = 500,
    };
}

/* Message about invalid times, or NULL. */
static const char *time_defect(const vo_scene_def *d) {
    if (!vo_is_positive(d->frame_time)) return "frame_time must be positive" UP_TO;
    if (d->frame_steps < 1 || d->frame_steps > MAX_FRAME_STEPS)
        return "frame_steps must be 1 to 100,000";
    if (!vo_is_end_time(d->end_time) || d->end_time < 0)
        return "end_time must be at least 0, up to " VO_MAX_NUMBER_TEXT " or infinite";
    if (!vo_is_end_time(d->end_frame) || d->end_frame < 0)
        return "end_frame must be at least 0, up to " VO_MAX_NUMBER_TEXT " or infinite";
    if (isfinite(d->end_frame) && d->end_frame != floor(d->end_frame))
        return "end_frame must be a whole number";
    if (!vo_is_bounded(d->preroll) || d->preroll > VO_MAX_PREROLL_FRAMES * d->frame_time)
        return "preroll must last at most a million frames; negative: 1 s where there are "
               "characters";
    if (d->start_frame < 0) return "start_frame must be at least 0";
    return NULL;
}

static const char *physics_defect(const vo_scene_def *d) {
    if (!v3_is_bounded(d->gravity)) return "gravity must be three numbers" UP_TO;
    if (!vo_is_nonnegative(d->wind_density)) return "wind_density must be at least 0" UP_TO;
    if (!v3_is_bounded(d->wind_velocity)) return "wind_velocity must be three numbers" UP_TO;
    if (!vo_is_nonnegative(d->wind_drag)) return "wind_drag must be at least 0" UP_TO;
    if (!vo_is_positive(d->handle_stiffness)) return "handle_stiffness must be positive" UP_TO;
    return NULL;
}

static const char *contact_defect(const vo_scene_def *d) {
    if (!vo_is_positive(d->repulsion_thickness))
        return "repulsion_thickness must be positive" UP_TO;
    if (!vo_is_nonnegative(d->projection_thickness))
        return "projection_thickness must be at least 0" UP_TO;
    if (!vo_is_positive(d->collision_stiffness))
        return "collision_stiffness must be positive" UP_TO;
    if (!vo_is_positive(d->teleport_speed)) return "teleport_speed must be positive" UP_TO;
    if (!vo_is_nonnegative(d->friction)) return "friction must be at least 0" UP_TO;
    if (!vo_is_nonnegative(d->obstacle_friction))
        return "obstacle_friction must be at least 0" UP_TO;
    return NULL;
}

static bool is_fraction(double x) { return x >= VO_MIN_POSITIVE && x <= 1; }

/* True for a valid value of a feature that 0 disables. */
static bool is_switch(double x) { return x == 0 || vo_is_positive(x); }

static const char *view_defect(const vo_view_settings *v) {
    if (!is_fraction(v->back_facing)) return "view.back_facing must be above 0 and at most 1";
    if (!is_fraction(v->occluded)) return "view.occluded must be above 0 and at most 1";
    if (!is_switch(v->occluded_margin)) return "view.occluded_margin must be " SWITCH;
    if (!is_fraction(v->off_screen)) return "view.off_screen must be above 0 and at most 1";
    if (!is_switch(v->frustum_margin)) return "view.frustum_margin must be " SWITCH;
    if (!(v->anticipation >= 0 && v->anticipation <= 1000))
        return "view.anticipation must be 0 to 1000 frames";
    if (!is_switch(v->min_edge_pixels)) return "view.min_edge_pixels must be " SWITCH;
    if (!is_switch(v->silhouette) && v->silhouette != INFINITY)
        return "view.silhouette must be " SWITCH ", or infinite";
    if (!is_switch(v->max_popping) && v->max_popping != INFINITY)
        return "view.max_popping must be " SWITCH ", or infinite";
    if (!vo_is_positive(v->size_max)) return "view.size_max must be positive" UP_TO;
    if (!(v->compensation_power >= 1 && v->compensation_power <= 1e6))
        return "view.compensation_power must be between 1 and 1e6";
    if (v->visible_compensation_power != 0 &&
        !(v->visible_compensation_power >= 1 && v->visible_compensation_power <= 1e6))
        return "view.visible_compensation_power must be 0, or between 1 and 1e6";
    if (!is_switch(v->budget_faces)) return "view.budget_faces must be " SWITCH;
    if (!is_switch(v->budget_seconds)) return "view.budget_seconds must be " SWITCH;
    return NULL;
}

static const char *solver_defect(const vo_scene_def *d) {
    if (d->solver != VO_SOLVER_PCG && d->solver != VO_SOLVER_DIRECT)
        return "solver is not one of vo_linear_solver";
    if (!(d->solver_tolerance >= VO_MIN_POSITIVE && d->solver_tolerance < 1))
        return "solver_tolerance must lie between 0 and 1";
    if (d->solver_max_iterations < 1) return "solver_max_iterations must be at least 1";
    if (d->adapt != VO_ADAPT_NONE && d->adapt != VO_ADAPT_FULL && d->adapt != VO_ADAPT_VIEW)
        return "adapt is not one of vo_adapt";
    if (d->disable >= 2u * VO_DISABLE_FRACTURE)
        return "disable has bits that are not of vo_disable";
    return NULL;
}

static const char *realtime_defect(const vo_scene_def *d) {
    const vo_realtime_settings *r = &d->realtime;
    if (d->engine != VO_ENGINE_QUALITY && d->engine != VO_ENGINE_REALTIME)
        return "engine is not one of vo_engine";
    if (d->engine == VO_ENGINE_REALTIME && !(v3_length(d->gravity) <= 1e6))
        return "gravity must be at most 1e6 m/s^2 with the engine realtime";
    if (!(r->rate >= 30 && r->rate <= 1000)) return "realtime.rate must be 30 to 1000 per second";
    if (r->substeps < 1 || r->substeps > 64) return "realtime.substeps must be 1 to 64";
    if (r->levels < 0 || r->levels > 6) return "realtime.levels must be 0 to 6";
    if (r->faces < 0 || r->faces > 65535) return "realtime.faces must be 0 to 65535";
    if (r->budget_ms != 0 && !(r->budget_ms >= 1e-3 && r->budget_ms <= 1e4))
        return "realtime.budget_ms must be 0, or 0.001 to 10,000 ms";
    if (r->budget_clock && r->budget_ms <= 0)
        return "realtime.budget_clock needs realtime.budget_ms above 0";
    if (!(r->offset >= 0 && r->offset <= 0.1)) return "realtime.offset must be 0 to 0.1 m";
    if (!(r->thickness >= 0 && r->thickness <= 0.1)) return "realtime.thickness must be 0 to 0.1 m";
    if (!(r->compression >= 0 && r->compression <= 1)) return "realtime.compression must be 0 to 1";
    if (!(r->damping >= 0 && r->damping <= 100)) return "realtime.damping must be 0 to 100 1/s";
    if (r->bodies != VO_REALTIME_MESHES && r->bodies != VO_REALTIME_CAPSULES)
        return "realtime.bodies is not one of vo_realtime_bodies";
    if (r->solver != VO_REALTIME_XPBD && r->solver != VO_REALTIME_VERLET)
        return "realtime.solver is not one of vo_realtime_solver";
    return NULL;
}

vo_result vo_scene_check_def(vo_context *ctx, const vo_scene_def *def) {
    const char *defect = time_defect(def);
    if (!defect) defect = physics_defect(def);
    if (!defect) defect = contact_defect(def);
    if (!defect) defect = solver_defect(def);
    if (!defect) defect = view_defect(&def->view);
    if (!defect) defect = realtime_defect(def);
    return defect ? vo_fail(ctx, VO_BAD_ARGUMENT, "%s", defect) : VO_OK;
}

/* Effective projection thickness: positive, at most the repulsion thickness. */
static double projection_thickness(const vo_scene_def *d) {
    if (d->projection_thickness == 0) return 0.1 * d->repulsion_thickness;
    return vo_min(d->projection_thickness, d->repulsion_thickness);
}

vo_result vo_scene_create(vo_context *ctx, const vo_scene_def *given, vo_scene **out) {
    vo_scene_def def = given ? *given : vo_scene_def_default();
    *out = NULL;
    VO_TRY(vo_scene_check_def(ctx, &def));
    vo_scene *scene = vo_new(ctx, vo_scene);
    if (!scene) return vo_fail_memory(ctx, "a scene");
    scene->ctx = ctx;
    scene->def = def;
    scene->def.projection_thickness = projection_thickness(&def);
    *out = scene;
    return VO_OK;
}

void vo_scene_remove_cloths(vo_scene *scene, int count) {
    for (int i = count; i < scene->cloth_count; i++) {
        vo_scene_cloth *cloth = &scene->cloth[i];
        vo_cloth_parts parts = {.mesh = cloth->mesh,
                                .material_count = cloth->material_count,
                                .material = cloth->material};
        vo_cloth_parts_free(scene->ctx, &parts);
        if (cloth->garment) {
            if (cloth->garment->like == i) vo_fitted_pattern_free(&cloth->garment->cut);
            vo_delete(scene->ctx, cloth->garment);
        }
    }
    scene->cloth_count = count;
}

void vo_scene_remove_handles(vo_scene *scene, int count) {
    for (int i = count; i < scene->handle_count; i++)
        vo_free_array(scene->ctx, scene->handle[i].nodes, scene->handle[i].def.node_count);
    scene->handle_count = count;
}

static void free_cloths(vo_scene *scene) {
    vo_scene_remove_cloths(scene, 0);
    vo_free_array(scene->ctx, scene->cloth, scene->cloth_capacity);
}

static void free_motions(vo_scene *scene) {
    for (int i = 0; i < scene->motion_count; i++) vo_motion_free(scene->ctx, &scene->motion[i]);
    vo_free_array(scene->ctx, scene->motion, scene->motion_capacity);
}

static void free_handles(vo_scene *scene) {
    vo_scene_remove_handles(scene, 0);
    vo_free_array(scene->ctx, scene->handle, scene->handle_capacity);
}

static void free_obstacles(vo_scene *scene) {
    for (int i = 0; i < scene->obstacle_count; i++) {
        vo_mesh_destroy(scene->obstacle[i].mesh);
        vo_body_destroy(scene->obstacle[i].body);
    }
    vo_free_array(scene->ctx, scene->obstacle, scene->obstacle_capacity);
    vo_free_array(scene->ctx, scene->character, scene->character_capacity);
}

static void free_cameras(vo_scene *scene) {
    for (int i = 0; i < scene->camera_count; i++) {
        vo_free_string(scene->ctx, scene->camera[i].name);
        vo_camera_path_free(scene->ctx, &scene->camera[i].path);
    }
    vo_free_array(scene->ctx, scene->camera, scene->camera_capacity);
    vo_free_array(scene->ctx, scene->shot, scene->shot_capacity);
}

static void free_inputs(vo_scene *scene) {
    for (int i = 0; i < scene->input_count; i++) {
        vo_free_string(scene->ctx, scene->input[i].path);
        vo_free_string(scene->ctx, scene->input[i].stored);
    }
    vo_free_array(scene->ctx, scene->input, scene->input_capacity);
}

void vo_scene_destroy(vo_scene *scene) {
    if (!scene) return;
    free_cloths(scene);
    free_motions(scene);
    free_handles(scene);
    free_obstacles(scene);
    free_cameras(scene);
    free_inputs(scene);
    vo_json_free(&scene->resolved);
    vo_delete(scene->ctx, scene);
}

const char *vo_scene_input_path(const vo_scene *scene, const char *stored) {
    for (int i = 0; i < scene->input_count; i++)
        if (strcmp(scene->input[i].stored, stored) == 0) return scene->input[i].path;
    return NULL;
}

/* Rounds up, except for rounding errors. */
int vo_scene_preroll_frames(const vo_scene *scene) {
    double seconds = scene->def.preroll;
    if (seconds < 0) seconds = scene->character_count > 0 ? 1 : 0;
    return (int)ceil(vo_min(seconds / scene->def.frame_time, VO_MAX_PREROLL_FRAMES) - 1e-6);
}

int vo_scene_last_frame(const vo_scene_def *def) {
    double last = vo_min(def->end_frame, ceil(def->end_time / def->frame_time - 1e-6));
    return last < 1e9 ? (int)last : -1;
}

vo_scene_def vo_scene_get_def(const vo_scene *scene) { return scene->def; }
int vo_scene_cloth_count(const vo_scene *scene) { return scene->cloth_count; }
int vo_scene_obstacle_count(const vo_scene *scene) { return scene->obstacle_count; }
int vo_scene_camera_count(const vo_scene *scene) { return scene->camera_count; }
