#define _XOPEN_SOURCE 700 /* realpath */
/* Finds the files that a scene refers to and chooses the names of their copies in a run. */
#include "core/file.h"
#include "core/memory.h"
#include "scene/build.h"
#include "scene/load/load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLACES = 4, MAX_NAME = 200 };

/* The folders in which a relative name is searched for, in this order. */
static int list_places(const char *folder, char place[MAX_PLACES][VO_PATH_SIZE]) {
    int count = 0;
    if (folder) snprintf(place[count++], VO_PATH_SIZE, "%s", folder);
    snprintf(place[count++], VO_PATH_SIZE, ".");
    if (folder) vo_path_join(place[count++], VO_PATH_SIZE, folder, "..");
    const char *assets = getenv("VOILE_ASSETS");
    if (assets && assets[0]) snprintf(place[count++], VO_PATH_SIZE, "%s", assets);
    return count;
}

bool vo_scene_find_file(const char *folder, const char *name, char path[VO_PATH_SIZE]) {
    char place[MAX_PLACES][VO_PATH_SIZE];
    int count = list_places(folder, place);
    for (int i = 0; i < count; i++) {
        if (strlen(place[i]) + strlen(name) + 2 > VO_PATH_SIZE) continue;
        vo_path_join(path, VO_PATH_SIZE, place[i], name);
        if (vo_file_exists(path)) return true;
    }
    return false;
}

static vo_result report_missing(vo_json_cursor at, const char *name, int count,
                                char place[MAX_PLACES][VO_PATH_SIZE]) {
    if (name[0] == '/') return vo_json_fail(at, "there is no file \"%s\"", name);
    char list[480] = "", full[MAX_PLACES][PATH_MAX];
    for (int i = 0; i < count; i++) {
        bool repeated = false;
        if (!realpath(place[i], full[i]) && snprintf(full[i], PATH_MAX, "%s", place[i]) >= PATH_MAX)
            break;
        for (int k = 0; k < i; k++) repeated = repeated || strcmp(full[k], full[i]) == 0;
        size_t length = strlen(list), room = sizeof list - length;
        if (!repeated &&
            snprintf(list + length, room, "%s\"%s\"", i ? ", " : "", full[i]) >= (int)room)
            break; /* the list is truncated */
    }
    return vo_json_fail(at, "there is no file \"%.150s\" in any of %s", name, list);
}

vo_result vo_loader_find(vo_loader *loader, vo_json_cursor at, const char *name, bool *found,
                         char path[VO_PATH_SIZE]) {
    char place[MAX_PLACES][VO_PATH_SIZE];
    int count = list_places(loader->folder, place);
    for (int i = 0; i < count; i++)
        if (strlen(place[i]) + strlen(name) + 2 > VO_PATH_SIZE)
            return vo_json_fail(at, "the path is too long: \"%.60s...\"", name);
    bool is_found = vo_scene_find_file(loader->folder, name, path);
    if (found) *found = is_found;
    return is_found || found ? VO_OK : report_missing(at, name, count, place);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True for the copy of an input in a run: inputs/NUMBER-NAME beside the scene file. */
static bool is_stored(const vo_loader *loader, const char *name, const char *path) {
    char own[VO_PATH_SIZE];
    vo_path_join(own, sizeof own, loader->folder, name);
    if (strcmp(own, path) != 0 || strncmp(name, "inputs/", 7) != 0) return false;
    size_t digits = strspn(name + 7, "0123456789");
    return digits > 0 && name[7 + digits] == '-' && !strchr(name + 7, '/');
}

static bool is_taken(const vo_loader *loader, const char *stored) {
    char path[VO_PATH_SIZE];
    for (int i = 0; i < loader->scene->input_count; i++)
        if (strcmp(loader->scene->input[i].stored, stored) == 0) return true;
    vo_path_join(path, sizeof path, loader->folder, stored);
    return vo_file_exists(path);
}

/* Writes inputs/INDEX-NAME; a long name is shortened at its front, which keeps the extension. Names
 * of files that already exist in the folder are skipped. */
static void make_stored_name(const vo_loader *loader, const char *path, char *out, size_t size) {
    const char *name = base_name(path);
    if (strlen(name) > MAX_NAME) name += strlen(name) - MAX_NAME;
    for (int number = loader->scene->input_count;; number++) {
        snprintf(out, size, "inputs/%d-%s", number, name);
        if (!is_taken(loader, out)) return;
    }
}

static vo_result add_input(vo_scene *scene, const char *path, const char *stored) {
    if (!vo_reserve(scene->ctx, &scene->input, &scene->input_capacity, scene->input_count + 1))
        return vo_fail_memory(scene->ctx, path);
    vo_scene_input input = {vo_copy_string(scene->ctx, path), NULL};
    if (input.path) input.stored = vo_copy_string(scene->ctx, stored);
    if (!input.stored) {
        vo_free_string(scene->ctx, input.path);
        return vo_fail_memory(scene->ctx, path);
    }
    scene->input[scene->input_count++] = input;
    return VO_OK;
}

/* Makes a file an input of the scene; each file is stored once. */
static vo_result store_input(vo_loader *loader, const char *name, const char *path,
                             const char **stored) {
    vo_scene *scene = loader->scene;
    for (int i = 0; i < scene->input_count; i++)
        if (strcmp(scene->input[i].path, path) == 0) {
            *stored = scene->input[i].stored;
            return VO_OK;
        }
    char made[MAX_NAME + 32];
    make_stored_name(loader, path, made, sizeof made);
    VO_TRY(add_input(scene, path, is_stored(loader, name, path) ? name : made));
    *stored = scene->input[scene->input_count - 1].stored;
    return VO_OK;
}

vo_result vo_loader_input(vo_loader *loader, vo_json_cursor at, const char *name,
                          char path[VO_PATH_SIZE], const char **stored) {
    VO_TRY(vo_loader_find(loader, at, name, NULL, path));
    return store_input(loader, name, path, stored);
}

vo_result vo_loader_file(vo_loader *loader, const vo_json_cursor *at, const char *key,
                         char path[VO_PATH_SIZE]) {
    const char *stored;
    VO_TRY(vo_loader_input(loader, vo_json_get(at, key), vo_get_string(at, key), path, &stored));
    return vo_json_put_string(at, key, stored);
}
