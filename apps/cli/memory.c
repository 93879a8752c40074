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

/* Without Linux's file the whole of the machine's memory has to do. */
static double system_available(void) {
    double kib = read_number("/proc/meminfo", "MemAvailable:");
    if (kib >= 0) return kib * 1024;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : 0;
}

/* Where a version of control groups keeps its numbers. Files that were read or written count as
 * used, but are given up when memory is asked for. */
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

/* Bytes that one group still allows, at least 1; SIZE_MAX: it has no limit. */
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

/* Each group is also bound by those above it, up to the root; where a container shows its own group
 * as the root, that one counts. Shortens `group` ("/a/b"). */
static double room_of_groups(const group_files *files, char *group) {
    double least = room_of_group(files, "");
    for (char *slash; (slash = strrchr(group, '/')); *slash = 0) {
        double room = room_of_group(files, group);
        if (room < least) least = room;
    }
    return least;
}

/* Lines of /proc/self/cgroup are "0::/group" (version 2) or "4:memory:/group" (version 1). */
static double groups_room(void) {
    char line[1024];
    double least = (double)SIZE_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return least;
    while (fgets(line, sizeof line, file)) {
        double room = least;
        char *memory = strstr(line, ":memory:");
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            room = room_of_groups(&version_2, line + 3);
        else if (memory)
            room = room_of_groups(&version_1, memory + 8);
        if (room < least) least = room;
    }
    fclose(file);
    return least;
}

double memory_available(void) {
    double system = system_available(), groups = groups_room();
    return system < groups ? system : groups;
}

static bool is_given;    /* the limit that was asked for last is the call's own */
static const char *less; /* what the command could do with less; "": nothing */

size_t memory_limit(const cli_args *args) {
    is_given = args->memory > 0;
    less = args->less ? args->less : "";
    if (args->memory < 0) return 0;
    double bytes = args->memory > 0 ? args->memory * GIB : CLI_MEMORY_SHARE * memory_available();
    if (bytes > 0 && bytes < 1) bytes = 1; /* 0 would be no limit */
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
}

const char *memory_limit_source(void) {
    static char share[80];
    if (is_given) return "what --memory says";
    snprintf(share, sizeof share, "%.0f %% of the memory that was available at the start",
             100 * CLI_MEMORY_SHARE);
    return share;
}

void memory_advise(const vo_context *ctx, vo_result result) {
    vo_memory memory = vo_context_memory(ctx);
    if (result != VO_NO_MEMORY || !memory.refused) return;
    char advice[300];
    snprintf(advice, sizeof advice, "%s%s%s%sgive --memory GIB with more than %.3g.",
             is_given ? "" : "close other programs", !is_given && less[0] ? ", " : "", less,
             !is_given || less[0] ? ", or " : "", (double)memory.limit / GIB);
    advice[0] = (char)toupper((unsigned char)advice[0]);
    cli_say("the limit is %s. %s", memory_limit_source(), advice);
}
