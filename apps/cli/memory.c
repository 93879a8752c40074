#include "memory.h"

#include "message.h"

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

/* The limit of a control group below a folder of the system; INFINITY: it has none. Where a
 * container shows its own group as the root, that one counts. */
static double group_limit(const char *folder, const char *group, const char *file) {
    char path[CLI_PATH];
    snprintf(path, sizeof path, "%s%s/%s", folder, group, file);
    double limit = read_number(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, file);
    double root = read_number(path, "");
    if (root >= 0 && (limit < 0 || root < limit)) limit = root;
    return limit >= 0 ? limit : (double)SIZE_MAX;
}

/* Lines of /proc/self/cgroup are "0::/group" (version 2) or "4:memory:/group" (version 1). */
static double groups_limit(void) {
    char line[1024];
    double least = (double)SIZE_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return least;
    while (fgets(line, sizeof line, file)) {
        double limit = least;
        char *memory = strstr(line, ":memory:");
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            limit = group_limit("/sys/fs/cgroup", line + 3, "memory.max");
        else if (memory)
            limit = group_limit("/sys/fs/cgroup/memory", memory + 8, "memory.limit_in_bytes");
        if (limit < least) least = limit;
    }
    fclose(file);
    return least;
}

double memory_available(void) {
    double system = system_available(), groups = groups_limit();
    return system < groups ? system : groups;
}

size_t memory_limit(const cli_args *args) {
    if (args->memory < 0) return 0;
    double bytes = args->memory > 0 ? args->memory * GIB : CLI_MEMORY_SHARE * memory_available();
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
}

void memory_advise(const vo_context *ctx, vo_result result) {
    vo_memory memory = vo_context_memory(ctx);
    if (result != VO_NO_MEMORY || !memory.refused) return;
    cli_say("the limit is what --memory says, or %.0f %% of the memory that was available at the "
            "start. Close other programs, make the scene smaller (fewer characters, longer edges), "
            "or give --memory GIB with more than %.3g.",
            100 * CLI_MEMORY_SHARE, (double)memory.limit / GIB);
}
