/* The world of a scene: rates, cloths, wind, fans, cameras. */
#include "math/quat.h"
#include "realtime/realtime_private.h"

#include <stdio.h>
#include <string.h>

#define POSE_RATE  60.0 /* poses of bodies per second, at least */
#define MAJOR_RATE 30.0 /* adaptions per second */

/* Bytes reserved per leaf triangle, and per base triangle for everything else. */
enum {
    LEAF_BYTES = 640,
    SELF_BYTES = 2400,
    OBSTACLE_BYTES = 512,
    BASE_BYTES = 2048,
    CLOTH_BYTES = 1 << 16
};

vo_result vo_realtime_fail(const vo_realtime *r, vo_result result, const char *object, int index) {
    if (result == VO_NO_MEMORY && !vo_rt_world_message(r->world)[0])
        return vo_fail_memory(r->ctx, "the real-time world");
    return vo_fail(r->ctx, result, "%s %d: %s", object, index, vo_rt_world_message(r->world));
}

/* Whole numbers of poses per frame and of simulation steps per pose, so that the state at the end
 * of a frame belongs to the pose of the bodies at that time. */
static void set_rates(vo_realtime *r) {
    const vo_scene_def *def = &r->sim->scene->def;
    double poses = vo_max(1, ceil(def->frame_time * POSE_RATE - 1e-6));
    double steps = vo_max(1, ceil(def->realtime.rate * def->frame_time / poses - 1e-6));
    r->pose_steps = (int)vo_min(poses, 1e6);
    r->minor_steps = (int)vo_min(steps, 1e3);
}

static float minor_rate(const vo_realtime *r) {
    return (float)(r->pose_steps * r->minor_steps / r->sim->scene->def.frame_time);
}

/* Memory for the refinement of all cloths. */
static size_t pool_bytes(const vo_realtime *r) {
    double bytes = 0, most = 1u << 30, least = 32u << 20;
    int levels = r->sim->scene->def.realtime.levels;
    int leaf_bytes = LEAF_BYTES + (r->sim->scene->def.realtime.self_collision ? SELF_BYTES : 0);
    for (int c = 0; c < r->sim->cloth_count; c++) {
        const vo_realtime_asset *a = &r->asset[r->cloth[c].asset];
        bytes += a->face_count * (leaf_bytes * pow(4, levels) + BASE_BYTES) + CLOTH_BYTES;
    }
    for (int i = 0; r->sim->scene->def.realtime.self_collision && i < r->sim->obstacle_count; i++)
        bytes += (double)OBSTACLE_BYTES * r->sim->obstacle[i].mesh->face_count;
    return (size_t)vo_clamp(bytes, least, most);
}

vo_result vo_realtime_create_world(vo_realtime *r) {
    const vo_scene_def *scene = &r->sim->scene->def;
    vo_rt_world_def def = vo_rt_world_def_default();
    vo_rt_message message = {{0}};
    set_rates(r);
    float rate = minor_rate(r);
    if (!(rate >= 30 && rate <= 1000))
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "realtime.rate: %g steps per second with frames of %g s; frames must last "
                       "at most 1/30 s per step and the rate must be at most 1000",
                       (double)rate, scene->frame_time);
    def.allocator = r->ctx->allocator;
    def.threads = vo_context_thread_count(r->ctx);
    def.max_cloths = vo_max_int(1, r->sim->cloth_count);
    def.max_bodies = vo_max_int(1, r->sim->obstacle_count);
    def.pool_bytes = pool_bytes(r);
    def.gravity = vo_rt_vec3_of(scene->gravity);
    def.minor_rate = rate;
    def.minor_per_major = vo_max_int(1, (int)lround((double)rate / MAJOR_RATE));
    def.substeps = scene->realtime.substeps;
    def.max_steps_per_call = vo_max_int(def.max_steps_per_call, r->minor_steps + 1);
    def.lod.edge_pixels = (float)scene->view.min_edge_pixels;
    if (scene->adapt != VO_ADAPT_VIEW) def.lod.far_distance = 0;
    vo_rt_budget_mode mode =
        scene->realtime.budget_clock ? VO_RT_BUDGET_CLOCK : VO_RT_BUDGET_COUNTED;
    def.budget_mode = scene->realtime.budget_ms > 0 ? mode : VO_RT_BUDGET_NONE;
    def.budget_ms = (float)scene->realtime.budget_ms;
    vo_result result = vo_rt_world_create(&def, &r->world, &message);
    if (result == VO_NO_MEMORY) return vo_fail_memory(r->ctx, "the real-time world");
    return result == VO_OK ? VO_OK : vo_fail(r->ctx, result, "realtime: %s", message.text);
}

/* Largest elongation that all materials of a cloth permit; 0.05 without limits. */
static float stretch_limit(const vo_scene_cloth *cloth) {
    double limit = INFINITY;
    for (int i = 0; i < cloth->material_count; i++)
        limit = vo_min(limit, cloth->material[i].stretch_max - 1);
    return isfinite(limit) ? (float)vo_clamp(limit, 0.001, 1) : 0.05f;
}

static vo_result create_cloth(vo_realtime *r, int c) {
    const vo_scene *scene = r->sim->scene;
    vo_realtime_cloth *cloth = &r->cloth[c];
    const vo_realtime_asset *asset = &r->asset[cloth->asset];
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset->asset;
    def.transform = vo_rt_transform_of(cloth->placement);
    def.solver =
        scene->def.realtime.solver == VO_REALTIME_VERLET ? VO_RT_SOLVER_VERLET : VO_RT_SOLVER_XPBD;
    def.max_level = scene->def.realtime.levels;
    if (scene->def.adapt == VO_ADAPT_NONE) {
        def.min_level = def.max_level;
        def.adaption.min_length = 0;
    }
    def.stretch_limit = stretch_limit(&scene->cloth[c]);
    def.compression = (float)scene->def.realtime.compression;
    def.self_collision = scene->def.realtime.self_collision;
    def.self_thickness = (float)scene->def.realtime.thickness;
    def.layer = vo_realtime_layer(scene, c);
    def.user = (uint64_t)c;
    vo_result result = vo_rt_cloth_create(r->world, &def, &cloth->cloth);
    if (result != VO_OK) return vo_realtime_fail(r, result, "cloth", c);
    vo_rt_fabric fabric = vo_realtime_fabric(r, c, scene->cloth[c].mesh);
    result = vo_rt_cloth_set_fabric(cloth->cloth, fabric);
    return result == VO_OK ? VO_OK : vo_realtime_fail(r, result, "cloth", c);
}

vo_result vo_realtime_create_cloths(vo_realtime *r) {
    for (int c = 0; c < r->sim->cloth_count; c++) VO_TRY(create_cloth(r, c));
    return VO_OK;
}

void vo_realtime_free_cloths(vo_realtime *r) {
    for (int c = 0; c < r->sim->scene->cloth_count; c++)
        vo_free_array(r->ctx, r->cloth[c].slot_node, r->cloth[c].slot_capacity);
    vo_free_array(r->ctx, r->cloth, r->sim->scene->cloth_count);
}

/* ---- environment ---------------------------------------------------------------------------- */

static vo_rt_fan fan_at(const vo_sim *sim, const vo_fan_def *def, double t) {
    vo_transform pose = vo_sim_motion_pose(sim, def->motion, t);
    vo_vec3 direction = q_rotate(pose.rotation, v3_normalize(def->direction));
    return (vo_rt_fan){.position = vo_rt_vec3_of(xf_point(pose, def->position)),
                       .direction = vo_rt_vec3_of(direction),
                       .speed = (float)def->speed,
                       .angle = (float)(def->angle * VO_PI / 180),
                       .range = (float)def->range};
}

static vo_rt_camera camera_at(const vo_scene *scene, int i, double t) {
    vo_camera c = vo_scene_eval_camera(scene, i, t);
    vo_quat q = q_from_axes(c.right, c.up, v3_scale(-1, c.forward));
    return (vo_rt_camera){.position = vo_rt_vec3_of(c.position),
                          .rotation = {(float)q.x, (float)q.y, (float)q.z, (float)q.w},
                          .fov_y = (float)(2 * atan(c.tan_y)),
                          .aspect = (float)(c.tan_x / c.tan_y),
                          .height_pixels = (float)c.height};
}

/* Sets the active cameras, with `adapt` view; lights are not cameras. */
static vo_result set_cameras(vo_realtime *r, double t) {
    enum { MAX_CAMERAS = 4 };
    const vo_scene *scene = r->sim->scene;
    vo_rt_camera camera[MAX_CAMERAS];
    int count = 0;
    if (scene->def.adapt != VO_ADAPT_VIEW) return VO_OK;
    for (int i = 0; i < scene->camera_count && count < MAX_CAMERAS; i++)
        if (!scene->camera[i].light && vo_scene_camera_is_active(scene, i, t))
            camera[count++] = camera_at(scene, i, t);
    return vo_rt_world_set_cameras(r->world, count, camera);
}

static vo_result set_all(vo_realtime *r, double t) {
    const vo_scene *scene = r->sim->scene;
    vo_rt_fan fan[VO_SCENE_MAX_FANS];
    for (int i = 0; i < scene->fan_count; i++) fan[i] = fan_at(r->sim, &scene->fan[i], t);
    VO_TRY(vo_rt_world_set_wind(r->world, vo_rt_vec3_of(scene->def.wind_velocity), 0));
    if (scene->fan_count > 0) VO_TRY(vo_rt_world_set_fans(r->world, scene->fan_count, fan));
    return set_cameras(r, t);
}

vo_result vo_realtime_set_environment(vo_realtime *r, double t) {
    vo_result result = set_all(r, t);
    if (result == VO_OK) return VO_OK;
    return vo_fail(r->ctx, result, "wind, fans and cameras: %s", vo_rt_world_message(r->world));
}

/* ---- keys without effect -------------------------------------------------------------------- */

static bool has_velocity(const vo_scene *scene) {
    for (int c = 0; c < scene->cloth_count; c++)
        for (int n = 0; n < scene->cloth[c].mesh->node_count && !scene->cloth[c].garment; n++)
            if (v3_length(scene->cloth[c].mesh->node_v[n]) > 0) return true;
    return false;
}

static bool has_lower_limit(const vo_scene *scene) {
    for (int c = 0; c < scene->cloth_count; c++)
        for (int i = 0; i < scene->cloth[c].material_count; i++)
            if (scene->cloth[c].material[i].stretch_min > 0) return true;
    return false;
}

static bool has_other_handle(const vo_scene *scene) {
    for (int i = 0; i < scene->handle_count; i++)
        if (scene->handle[i].def.kind != VO_HANDLE_NODE) return true;
    return false;
}

void vo_realtime_warn(const vo_realtime *r) {
    const vo_scene *scene = r->sim->scene;
    const struct {
        bool applies;
        const char *name;
    } key[] = {{has_velocity(scene), "velocities of cloths"},
               {has_lower_limit(scene), "lower strain_limits"},
               {has_other_handle(scene), "handles of type circle, glue and soft"},
               {scene->def.wind_drag > 0, "wind.drag"},
               {scene->def.disable != 0, "disable"},
               {vo_sim_has_budget(r->sim), "view.budget_faces and view.budget_seconds"}};
    char list[256] = "";
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        size_t length = strlen(list);
        if (key[i].applies)
            snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", key[i].name);
    }
    if (list[0])
        vo_log_line(r->ctx, VO_LOG_WARNING, "engine: realtime ignores %s; use quality for them",
                    list);
}
