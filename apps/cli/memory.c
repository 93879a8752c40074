#include "memory.h"

#include "message.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIB 1073741824.0

/* The number after `key` in a file of lines; with "" that at its beginning. -1: there is none. */
static double read_number(const char *path, const char *key) {
    char line[512], *end;
    double value = -1;
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while (value < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        value = strtod(line + strlen(key), &end);
        if (end == line + strlen(key)) value = -1;
    }
    fclose(file);
    return value;
}

/* Without /proc/meminfo, the physical memory. */
static double system_available(void) {
    double kib = read_number("/proc/meminfo", "MemAvailable:");
    if (kib >= 0) return kib * 1024;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : 0;
}

/* Files of a version of control groups. The page cache is part of `used`, but is reclaimable. */
typedef struct group_files {
    const char *folder;
    const char *limit, *used; /* files of a group */
    const char *cache[2];     /* keys of its memory.stat */
} group_files;

static const group_files version_1 = {"/sys/fs/cgroup/memory",
                                      "memory.limit_in_bytes",
                                      "memory.usage_in_bytes",
                                      {"total_active_file ", "total_inactive_file "}};
static const group_files version_2 = {
    "/sys/fs/cgroup", "memory.max", "memory.current", {"active_file ", "inactive_file "}};

static double read_of_group(const group_files *files, const char *group, const char *file,
                            const char *key) {
    char path[CLI_PATH];
    int length = snprintf(path, sizeof path, "%s%s/%s", files->folder, group, file);
    return length > 0 && length < CLI_PATH ? read_number(path, key) : -1;
}

/* Bytes that one group still allows, at smallest 1; SIZE_MAX: it has no limit. */
static double room_of_group(const group_files *files, const char *group) {
    double limit = read_of_group(files, group, files->limit, "");
    if (limit < 0) return (double)SIZE_MAX;
    double used = read_of_group(files, group, files->used, "");
    for (int k = 0; k < 2; k++) {
        double cache = read_of_group(files, group, "memory.stat", files->cache[k]);
        if (cache > 0) used -= cache;
    }
    double room = used > 0 ? limit - used : limit;
    return room > 1 ? room : 1;
}

/* Smallest room of a group and its ancestors up to the root, which in a container is the
 * container's own group. Shortens `group` ("/a/b"). */
static double room_of_groups(const group_files *files, char *group) {
    double smallest = room_of_group(files, "");
    for (char *slash; (slash = strrchr(group, '/')); *slash = 0) {
        double room = room_of_group(files, group);
        if (room < smallest) smallest = room;
    }
    return smallest;
}

/* Lines of /proc/self/cgroup are "0::/group" (version 2) or "4:memory:/group" (version 1). */
static double groups_room(void) {
    char line[1024];
    double smallest = (double)SIZE_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return smallest;
    while (fgets(line, sizeof line, file)) {
        double room = smallest;
        char *memory = strstr(line, ":memory:");
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            room = room_of_groups(&version_2, line + 3);
        else if (memory)
            room = room_of_groups(&version_1, memory + 8);
        if (room < smallest) smallest = room;
    }
    fclose(file);
    return smallest;
}

double memory_available(void) {
    double system = system_available(), groups = groups_room();
    return system < groups ? system : groups;
}

static bool is_given;           /* the last limit is that of --memory */
static const char *advice_text; /* how the command needs less memory; "": unknown */

size_t memory_limit(const cli_args *args) {
    is_given = args->memory > 0;
    advice_text = args->memory_advice ? args->memory_advice : "";
    if (args->memory < 0) return 0;
    double bytes = args->memory > 0 ? args->memory * GIB : CLI_MEMORY_FRACTION * memory_available();
    if (bytes > 0 && bytes < 1) bytes = 1; /* 0 would be no limit */
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
}

const char *memory_limit_source(void) {
    static char text[80];
    if (is_given) return "that of --memory";
    snprintf(text, sizeof text, "%.0f %% of the memory that was available at the start",
             100 * CLI_MEMORY_FRACTION);
    return text;
}

void memory_advise(const vo_context *ctx, vo_result result) {
    vo_memory_usage memory = vo_context_get_memory_usage(ctx);
    if (result != VO_NO_MEMORY || !memory.denied_bytes) return;
    char advice[300];
    snprintf(advice, sizeof advice, "%s%s%s%sgive --memory GIB with more than %.3g.",
             is_given ? "" : "close other programs", !is_given && advice_text[0] ? ", " : "",
             advice_text, !is_given || advice_text[0] ? ", or " : "", (double)memory.limit / GIB);
    advice[0] = (char)toupper((unsigned char)advice[0]);
    cli_print("the limit is %s. %s", memory_limit_source(), advice);
}
