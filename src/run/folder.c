#include "run/folder.h"

#include "core/memory.h"
#include "sim/sim.h"

#include <voile/run.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STATS_LINE = 2048, MAX_SAMPLES = 60 };

void vo_folder_scene(char *out, size_t size, const char *folder) {
    vo_path_join(out, size, folder, "scene.json");
}

void vo_folder_stats(char *out, size_t size, const char *folder) {
    vo_path_join(out, size, folder, "stats.jsonl");
}

void vo_folder_frame(char *out, size_t size, const char *folder, int frame) {
    char name[64];
    snprintf(name, sizeof name, "frames/%04d.vof", frame);
    vo_path_join(out, size, folder, name);
}

vo_result vo_folder_need_run(vo_context *ctx, const char *folder) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    if (vo_file_exists(path)) return VO_OK;
    return vo_fail(ctx, VO_BAD_DATA, "%s: not the folder of a run: it has no scene.json", folder);
}

/* False if folder/name does not exist. */
static bool stat_in(const char *folder, const char *name, struct stat *out) {
    char path[VO_PATH_SIZE];
    vo_path_join(path, sizeof path, folder, name);
    return stat(path, out) == 0;
}

static bool is_run(const char *folder) {
    struct stat scene, frames;
    return stat_in(folder, "scene.json", &scene) && stat_in(folder, "frames", &frames);
}

/* Compares files, not names: a folder has many spellings. */
static bool is_part_of_run(const char *folder) {
    static const char *const parts[] = {"../frames", "../inputs"};
    char above[VO_PATH_SIZE];
    struct stat own, part;
    vo_path_join(above, sizeof above, folder, "..");
    if (!stat_in(folder, ".", &own) || !is_run(above)) return false;
    for (int i = 0; i < 2; i++)
        if (stat_in(folder, parts[i], &part) && part.st_dev == own.st_dev &&
            part.st_ino == own.st_ino)
            return true;
    return false;
}

vo_result vo_folder_spare_run(vo_context *ctx, const char *folder) {
    if (!is_run(folder) && !is_part_of_run(folder)) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "%s: contains the files of a run; choose another output folder", folder);
}

/* ---- shell quoting -------------------------------------------------------------------------- */

/* Only characters that have no meaning in a shell. */
static bool is_plain(const char *path) {
    return path[0] && path[0] != '-' &&
           path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_./,:+=@%-")] == 0;
}

const char *vo_shell_quote(const char *path, char *out, size_t size) {
    if (is_plain(path)) {
        snprintf(out, size, "%s", path);
        return out;
    }
    if (path[0] == '-') { /* not an option */
        char relative[VO_PATH_SIZE];
        snprintf(relative, sizeof relative, "./%s", path);
        return vo_shell_quote(relative, out, size);
    }
    size_t n = 0;
    out[n++] = '\'';
    for (const char *p = path; *p && n + 6 < size; p++) {
        if (*p == '\'')
            memcpy(out + n, "'\\''", 4), n += 4;
        else
            out[n++] = *p;
    }
    out[n++] = '\'';
    out[n] = 0;
    return out;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Frame number of a file name; -1 unless it is exactly the name that a run gives: 7.vof is not. */
static int frame_number(const char *name) {
    char own[64];
    if (name[0] < '0' || name[0] > '9') return -1;
    errno = 0;
    long number = strtol(name, NULL, 10);
    if (errno != 0 || number > INT_MAX) return -1;
    snprintf(own, sizeof own, "%04ld.vof", number);
    return strcmp(name, own) == 0 ? (int)number : -1;
}

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static vo_result collect_frames(vo_context *ctx, DIR *dir, vo_frame_list *out) {
    for (struct dirent *entry; (entry = readdir(dir));) {
        int frame = frame_number(entry->d_name);
        if (frame < 0) continue;
        if (!vo_reserve(ctx, &out->frame, &out->capacity, out->count + 1))
            return vo_fail_memory(ctx, "the list of frames");
        out->frame[out->count++] = frame;
    }
    if (out->count) qsort(out->frame, (size_t)out->count, sizeof *out->frame, compare_ints);
    return VO_OK;
}

vo_result vo_folder_list(vo_context *ctx, const char *folder, vo_frame_list *out) {
    *out = (vo_frame_list){0};
    char path[VO_PATH_SIZE];
    vo_path_join(path, sizeof path, folder, "frames");
    DIR *dir = opendir(path);
    if (!dir && errno == ENOENT) return VO_OK;
    if (!dir) return vo_fail(ctx, VO_IO_FAILED, "%s: cannot read: %s", path, strerror(errno));
    vo_result result = collect_frames(ctx, dir, out);
    closedir(dir);
    if (result != VO_OK) vo_frame_list_free(ctx, out);
    return result;
}

void vo_frame_list_free(vo_context *ctx, vo_frame_list *list) {
    vo_free_array(ctx, list->frame, list->capacity);
    *list = (vo_frame_list){0};
}

/* Index of the first of `count` ascending numbers that is not less than `frame`; they are `stride`
 * bytes apart. */
static int lower_bound(const void *first, int count, size_t stride, int frame) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (*(const int *)(const void *)((const char *)first + (size_t)middle * stride) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int vo_frame_list_find(const vo_frame_list *list, int frame) {
    int i = lower_bound(list->frame, list->count, sizeof *list->frame, frame);
    return i < list->count && list->frame[i] == frame ? i : -1;
}

int vo_frame_list_sample_count(const vo_frame_list *list) {
    return vo_min_int(list->count, MAX_SAMPLES);
}

int vo_frame_list_sample(const vo_frame_list *list, int i) {
    int count = vo_frame_list_sample_count(list);
    return list->frame[count == 1 ? 0 : (int)((int64_t)i * (list->count - 1) / (count - 1))];
}

vo_result vo_folder_fail_empty(vo_context *ctx, const char *folder, int listed) {
    if (listed == 0) return vo_fail(ctx, VO_BAD_DATA, "%s: the run has no frames", folder);
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: has no frames in the requested range", folder);
}

void vo_folder_warn_gap(vo_context *ctx, const char *folder, int before, int frame) {
    if (frame == before + 2)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "%s: frame %d is missing; resume the run to simulate it again", folder,
                    before + 1);
    else if (frame > before + 2)
        vo_log_line(ctx, VO_LOG_WARNING,
                    "%s: frames %d to %d are missing; resume the run to simulate them again",
                    folder, before + 1, frame - 1);
}

/* Passes the reader on, or closes it if the file contains another frame than its name indicates. */
static vo_result accept_frame(vo_context *ctx, const char *path, int frame, vo_vof_reader *reader,
                              vo_vof_reader **out) {
    int found = vo_vof_frame(reader);
    if (found == frame) {
        *out = reader;
        return VO_OK;
    }
    vo_vof_close(reader);
    return vo_fail(
        ctx, VO_BAD_DATA,
        "%s: contains frame %d, but its name is that of frame %d; delete it and resume the run",
        path, found, frame);
}

/* vo_vof_open or vo_vof_peek. */
typedef vo_result open_fn(vo_context *ctx, const char *path, vo_vof_reader **out);

static vo_result open_frame(vo_context *ctx, const char *folder, int frame, open_fn *open,
                            vo_vof_reader **out) {
    char path[VO_PATH_SIZE];
    vo_vof_reader *reader;
    *out = NULL;
    vo_folder_frame(path, sizeof path, folder, frame);
    VO_TRY(open(ctx, path, &reader));
    return accept_frame(ctx, path, frame, reader, out);
}

vo_result vo_folder_open_frame(vo_context *ctx, const char *folder, int frame,
                               vo_vof_reader **out) {
    return open_frame(ctx, folder, frame, vo_vof_open, out);
}

vo_result vo_folder_peek_frame(vo_context *ctx, const char *folder, int frame,
                               vo_vof_reader **out) {
    return open_frame(ctx, folder, frame, vo_vof_peek, out);
}

/* ---- lock ----------------------------------------------------------------------------------- */

static vo_result fail_locked(vo_context *ctx, const char *folder) {
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "%s: another process is writing this run; wait for it, or use "
                   "another folder",
                   folder);
}

/* Retries: a process that only tests the lock holds it for an instant. */
static bool try_lock(int lock) {
    enum { TRIES = 5 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK) return false;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

vo_result vo_folder_lock(vo_context *ctx, const char *folder, int *lock) {
    char path[VO_PATH_SIZE];
    vo_path_join(path, sizeof path, folder, ".lock");
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0) return vo_fail(ctx, VO_IO_FAILED, "%s: cannot write: %s", path, strerror(errno));
    if (try_lock(*lock)) return VO_OK;
    if (errno != EWOULDBLOCK) {
        vo_log_line(ctx, VO_LOG_WARNING,
                    "%s: cannot lock: %s; make sure that no other process writes this run", path,
                    strerror(errno));
        return VO_OK;
    }
    vo_folder_unlock(*lock);
    *lock = -1;
    return fail_locked(ctx, folder);
}

vo_result vo_folder_need_unlocked(vo_context *ctx, const char *folder) {
    char path[VO_PATH_SIZE];
    vo_path_join(path, sizeof path, folder, ".lock");
    int lock = open(path, O_RDWR | O_CLOEXEC);
    bool locked = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    vo_folder_unlock(lock);
    return locked ? fail_locked(ctx, folder) : VO_OK;
}

void vo_folder_unlock(int lock) {
    if (lock >= 0) close(lock);
}

/* ---- statistics ----------------------------------------------------------------------------- */

/* Index of a frame's entry, or where it would be inserted. */
static int find_stats(const vo_stats_list *list, int frame) {
    const void *frames = list->stats ? (const void *)&list->stats->frame : NULL;
    return lower_bound(frames, list->count, sizeof *list->stats, frame);
}

/* Inserts by frame, or replaces the entry of that frame. */
static vo_result insert_stats(vo_context *ctx, const vo_stats *stats, vo_stats_list *list) {
    int at = find_stats(list, stats->frame);
    if (at == list->count || list->stats[at].frame != stats->frame) {
        if (!vo_reserve(ctx, &list->stats, &list->capacity, list->count + 1))
            return vo_fail_memory(ctx, "the statistics");
        memmove(&list->stats[at + 1], &list->stats[at],
                (size_t)(list->count - at) * sizeof *list->stats);
        list->count++;
    }
    list->stats[at] = *stats;
    return VO_OK;
}

static vo_result add_line(vo_context *ctx, const char *path, const char *line, size_t size,
                          vo_stats_list *out) {
    vo_stats stats;
    vo_result result = vo_stats_parse(ctx, path, line, size, &stats);
    if (result == VO_BAD_DATA || (result == VO_OK && stats.frame < 0)) return VO_OK;
    VO_TRY(result);
    return insert_stats(ctx, &stats, out);
}

static vo_result split_lines(vo_context *ctx, const char *path, const vo_bytes *bytes,
                             vo_stats_list *out) {
    const char *line = bytes->data, *end = bytes->data + bytes->size;
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) break; /* truncated by a crash */
        VO_TRY(add_line(ctx, path, line, (size_t)(stop - line), out));
        line = stop + 1;
    }
    return VO_OK;
}

vo_result vo_folder_read_stats(vo_context *ctx, const char *folder, vo_stats_list *out) {
    *out = (vo_stats_list){0};
    char path[VO_PATH_SIZE];
    vo_folder_stats(path, sizeof path, folder);
    if (!vo_file_exists(path)) return VO_OK;
    vo_bytes bytes;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = split_lines(ctx, path, &bytes, out);
    vo_bytes_free(ctx, &bytes);
    if (result != VO_OK) vo_stats_list_free(ctx, out);
    return result;
}

vo_result vo_folder_write_stats(vo_context *ctx, const char *folder, const vo_stats_list *list) {
    char path[VO_PATH_SIZE];
    vo_folder_stats(path, sizeof path, folder);
    size_t capacity = (size_t)list->count * STATS_LINE + 1, size = 0;
    char *text = vo_alloc(ctx, capacity);
    if (!text) return vo_fail_memory(ctx, "the statistics");
    for (int i = 0; i < list->count; i++)
        size += (size_t)vo_stats_print(&list->stats[i], text + size, STATS_LINE);
    vo_result result = vo_file_write(ctx, path, text, size);
    vo_free(ctx, text, capacity);
    return result;
}

vo_result vo_folder_append_stats(vo_context *ctx, const char *folder, const vo_stats *stats) {
    char path[VO_PATH_SIZE], line[STATS_LINE];
    vo_folder_stats(path, sizeof path, folder);
    int size = vo_stats_print(stats, line, sizeof line);
    return vo_file_append(ctx, path, line, (size_t)size);
}

const vo_stats *vo_stats_list_find(const vo_stats_list *list, int frame) {
    int i = find_stats(list, frame);
    return i < list->count && list->stats[i].frame == frame ? &list->stats[i] : NULL;
}

void vo_stats_list_free(vo_context *ctx, vo_stats_list *list) {
    vo_free_array(ctx, list->stats, list->capacity);
    *list = (vo_stats_list){0};
}
