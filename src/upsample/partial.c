#include "upsample/partial.h"

#include "core/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* True for names of states.h: a number, "-frames-", "-coarse-" or "-fine-", a number, ".vof" or
 * ".vof.tmp". */
static bool is_state(const char *name) {
    static const char *const kinds[] = {"-frames-", "-coarse-", "-fine-"};
    if (!isdigit((unsigned char)name[0])) return false;
    while (isdigit((unsigned char)*name)) name++;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(name, kinds[i], length) != 0) continue;
        const char *end = name + length;
        while (isdigit((unsigned char)*end)) end++;
        return end > name + length && (strcmp(end, ".vof") == 0 || strcmp(end, ".vof.tmp") == 0);
    }
    return false;
}

vo_result vo_upsample_partial_remove(vo_context *ctx, const char *folder) {
    char path[VO_PATH_SIZE];
    DIR *list = opendir(folder);
    if (!list) return VO_OK;
    vo_result result = VO_OK;
    for (struct dirent *entry; result == VO_OK && (entry = readdir(list));) {
        if (!is_state(entry->d_name)) continue;
        vo_path_join(path, sizeof path, folder, entry->d_name);
        if (unlink(path) != 0)
            result = vo_fail(ctx, VO_IO_FAILED, "%s: cannot remove: %s", path, strerror(errno));
    }
    closedir(list);
    if (result == VO_OK && rmdir(folder) != 0 && errno != ENOTEMPTY && errno != EEXIST)
        result = vo_fail(ctx, VO_IO_FAILED, "%s: cannot remove: %s", folder, strerror(errno));
    return result;
}
