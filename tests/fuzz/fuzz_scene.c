/* Scene files: any input gives a message or a valid scene that can be simulated. File names are
 * resolved relative to assets/scenes.
 *
 * Creating a mannequin takes a second, and few differ between inputs, so mannequins are cached: the
 * linker replaces vo_mannequin_create by __wrap_vo_mannequin_create (tests/CMakeLists.txt). The
 * mannequins of all shipped scenes are created before the first input, once for all child processes
 * of the driver. */
#include "character/mannequin.h"
#include "scene/load/load.h"
#include "sim/sim.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***list);
vo_result __real_vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def,
                                     vo_mannequin *out);
vo_result __wrap_vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def,
                                     vo_mannequin *out);

static void require(bool condition) {
    if (!condition) abort();
}

/* ---- cached mannequins ----------------------------------------------------------------------- */

enum { MAX_CACHED = 64 };
static vo_context *cache_ctx; /* owns the cache; NULL: no cache */
static vo_mannequin_def cached_def[MAX_CACHED];
static vo_mannequin cached[MAX_CACHED];
static int cached_count;

static bool same_body(const vo_mannequin_def *a, const vo_mannequin_def *b) {
    return a->height == b->height && a->build == b->build && a->figure == b->figure &&
           a->shoulders == b->shoulders && a->chest == b->chest && a->waist == b->waist &&
           a->hips == b->hips && a->limbs == b->limbs && a->faces == b->faces;
}

vo_result __wrap_vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def,
                                     vo_mannequin *out) {
    for (int i = 0; i < cached_count; i++)
        if (same_body(&cached_def[i], def)) return vo_mannequin_copy(ctx, &cached[i], out);
    vo_result result = __real_vo_mannequin_create(ctx, def, out);
    if (result != VO_OK || !cache_ctx || cached_count == MAX_CACHED) return result;
    if (vo_mannequin_copy(cache_ctx, out, &cached[cached_count]) == VO_OK)
        cached_def[cached_count++] = *def;
    return result;
}

static void free_cache(void) {
    for (int i = 0; i < cached_count; i++) vo_mannequin_free(cache_ctx, &cached[i]);
    cached_count = 0;
    vo_context_destroy(cache_ctx);
    cache_ctx = NULL;
}

static bool is_scene(const char *name) {
    const char *end = strrchr(name, '.');
    return end && strcmp(end, ".json") == 0;
}

/* Loads a shipped scene, which fills the cache. */
static void load_shipped(const char *name) {
    char path[4096];
    vo_scene *scene;
    snprintf(path, sizeof path, VOILE_SOURCE_DIR "/assets/scenes/%s", name);
    require(vo_scene_load(cache_ctx, path, 0, NULL, &scene) == VO_OK);
    vo_scene_destroy(scene);
}

int LLVMFuzzerInitialize(int *count, char ***list) {
    (void)count, (void)list;
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    require(vo_context_create(&def, &cache_ctx) == VO_OK);
    DIR *folder = opendir(VOILE_SOURCE_DIR "/assets/scenes");
    require(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_scene(entry->d_name)) load_shipped(entry->d_name);
    closedir(folder);
    atexit(free_cache);
    return 0;
}

/* ---- invariants ----------------------------------------------------------------------------- */

static void check_mesh(const vo_mesh *mesh) {
    for (int n = 0; n < mesh->node_count; n++)
        require(v3_is_finite(mesh->node_x[n]) && v3_is_finite(mesh->node_v[n]));
}

static void check_handle(const vo_scene *scene, const vo_handle_def *handle) {
    require(handle->cloth >= 0 && handle->cloth < scene->cloth_count);
    require(handle->motion >= -1 && handle->motion < scene->motion_count);
    for (int i = 0; i < handle->node_count; i++)
        require(handle->nodes[i] >= 0 &&
                handle->nodes[i] < scene->cloth[handle->cloth].mesh->node_count);
}

static void check_motion(const vo_motion *motion) {
    require(motion->key_count > 0);
    double first = motion->key[0].time, last = motion->key[motion->key_count - 1].time;
    for (int i = -1; i <= 11; i++) {
        vo_transform pose = vo_motion_pose(motion, first + (last - first) * i / 10);
        require(v3_is_finite(pose.translation) && pose.scale > 0 && isfinite(pose.scale));
        require(fabs(q_dot(pose.rotation, pose.rotation) - 1) < 1e-9);
    }
}

/* Preconditions of the simulation: indices in range, finite numbers. */
static void check_scene(const vo_scene *scene) {
    require(scene->cloth_count > 0 && scene->def.frame_time > 0 && scene->def.frame_steps > 0);
    for (int i = 0; i < scene->cloth_count; i++) {
        const vo_scene_cloth *cloth = &scene->cloth[i];
        check_mesh(cloth->mesh);
        for (int f = 0; f < cloth->mesh->face_count; f++)
            require(cloth->mesh->face_label[f] >= 0 &&
                    cloth->mesh->face_label[f] < cloth->material_count);
    }
    for (int i = 0; i < scene->obstacle_count; i++) {
        check_mesh(scene->obstacle[i].mesh);
        require(scene->obstacle[i].motion < scene->motion_count);
    }
    for (int i = 0; i < scene->motion_count; i++) check_motion(&scene->motion[i]);
    for (int i = 0; i < scene->handle_count; i++) check_handle(scene, &scene->handle[i].def);
}

/* Simulates two substeps of small scenes; the state must stay finite. */
static void simulate(vo_context *ctx, const vo_scene *scene) {
    int faces = 0;
    for (int i = 0; i < scene->cloth_count; i++) faces += scene->cloth[i].mesh->face_count;
    if (faces > 400) return;
    vo_sim *sim;
    vo_result result = vo_sim_create(ctx, scene, &sim);
    require(result == VO_OK || result == VO_NO_MEMORY || result == VO_BAD_ARGUMENT);
    if (result != VO_OK) return;
    for (int i = 0; i < 2; i++) {
        result = vo_sim_step(sim);
        require(result == VO_OK || result == VO_NO_MEMORY);
    }
    for (int i = 0; i < sim->cloth_count; i++) check_mesh(sim->cloth[i].mesh);
    vo_sim_destroy(sim);
}

static vo_result load(vo_context *ctx, const char *text, size_t size, vo_scene **out) {
    vo_json_doc doc;
    *out = NULL;
    VO_TRY(vo_json_parse(ctx, "fuzz.json", text, size, &doc));
    return vo_scene_load_document(ctx, VOILE_SOURCE_DIR "/assets/scenes/fuzz.json", &doc, INT_MAX,
                                  0, NULL, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    vo_context *ctx;
    if (vo_context_create(&def, &ctx) != VO_OK) return 0;
    vo_scene *scene;
    vo_result result = load(ctx, (const char *)data, size, &scene);
    require((result == VO_OK) == (scene != NULL));
    require(result != VO_BAD_ARGUMENT);
    if (scene) {
        check_scene(scene);
        simulate(ctx, scene);
    } else {
        require(strstr(vo_context_message(ctx), "fuzz.json") || result == VO_NO_MEMORY);
    }
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return 0;
}
