#include "run/export_files.h"

#include "core/file.h"
#include "core/plural.h"
#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void vo_export_name_print(vo_export_name name, char out[VO_EXPORT_NAME]) {
    snprintf(out, VO_EXPORT_NAME, name.obstacle ? "%04d_obs%02d.obj" : "%04d_%02d.obj", name.frame,
             name.index);
}

/* False unless the text is exactly what vo_export_name_print writes. */
static bool read_name(const char *text, vo_export_name *out) {
    vo_export_name name = {.obstacle = strstr(text, "_obs") != NULL};
    char again[VO_EXPORT_NAME];
    if (strlen(text) >= 32) return false;
    if (sscanf(text, name.obstacle ? "%8d_obs%8d" : "%8d_%8d", &name.frame, &name.index) != 2)
        return false;
    vo_export_name_print(name, again);
    *out = name;
    return name.frame >= 0 && name.index >= 0 && strcmp(text, again) == 0;
}

void vo_export_folder(char *out, size_t size, const char *run) {
    vo_path_join(out, size, run, "obj");
}

static vo_result remove_from(vo_context *ctx, const char *folder, DIR *dir) {
    char path[VO_PATH_SIZE];
    vo_export_name name;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!read_name(entry->d_name, &name)) continue;
        vo_path_join(path, sizeof path, folder, entry->d_name);
        if (unlink(path) != 0 && errno != EISDIR && errno != EPERM)
            return vo_fail(ctx, VO_IO_FAILED, "%s: cannot remove the old export: %s", path,
                           strerror(errno));
    }
    return VO_OK;
}

vo_result vo_exports_remove(vo_context *ctx, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return VO_OK;
    vo_result result = remove_from(ctx, folder, dir);
    closedir(dir);
    return result;
}

static bool is_own(vo_export_name name, vo_export_extent own) {
    return name.frame >= own.first && name.frame <= own.last &&
           name.index < (name.obstacle ? own.obstacles : own.cloths);
}

void vo_exports_warn_others(vo_context *ctx, const char *folder, vo_export_extent own) {
    DIR *dir = opendir(folder);
    vo_export_name name;
    char first[VO_EXPORT_NAME] = "";
    int count = 0;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!read_name(entry->d_name, &name) || is_own(name, own)) continue;
        count++;
        if (!first[0] || strcmp(entry->d_name, first) < 0) vo_export_name_print(name, first);
    }
    closedir(dir);
    if (count)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "%s: contains %d exported file%s of frames, cloths or obstacles that this run "
                    "does not have, the first is %s; remove them or choose another folder",
                    folder, count, vo_plural(count), first);
}
