/* Folder of a run (<voile/run.h>): file names, list of frames, lock, statistics. */
#ifndef VO_RUN_FOLDER_H
#define VO_RUN_FOLDER_H

#include "codec/vof.h"
#include "core/file.h"

#include <voile/stats.h>

void vo_folder_scene(char *out, size_t size, const char *folder); /* scene.json */
void vo_folder_stats(char *out, size_t size, const char *folder); /* stats.jsonl */
void vo_folder_frame(char *out, size_t size, const char *folder, int frame);

/* VO_BAD_DATA unless the folder is that of a run. */
vo_result vo_folder_need_run(vo_context *ctx, const char *folder);
/* VO_BAD_ARGUMENT if the folder, as an output, is that of a run or one in which a run keeps its own
 * files. */
vo_result vo_folder_spare_run(vo_context *ctx, const char *folder);

/* Numbers of the existing frame files, ascending; their contents are not read. */
typedef struct vo_frame_list {
    int count, capacity;
    int *frame;
} vo_frame_list;
vo_result vo_folder_list(vo_context *ctx, const char *folder, vo_frame_list *out);
void vo_frame_list_free(vo_context *ctx, vo_frame_list *list);
int vo_frame_list_find(const vo_frame_list *list, int frame); /* index; -1: not listed */

/* Samples of the list for extents: at most 60 frames, evenly spaced, the first and last included.
 */
int vo_frame_list_sample_count(const vo_frame_list *list);
int vo_frame_list_sample(const vo_frame_list *list, int i); /* frame, 0 <= i < count */

/* Failure of a call without frames: VO_BAD_DATA if the run has none (listed 0), VO_BAD_ARGUMENT if
 * none of them is in the requested range. */
vo_result vo_folder_fail_empty(vo_context *ctx, const char *folder, int listed);

/* Warns about frames that are missing between two consecutive ones of the list. */
void vo_folder_warn_gap(vo_context *ctx, const char *folder, int before, int frame);

/* Opens the file of a frame and verifies all of it, or its header and section table only (see
 * codec/vof.h). The frame number in the file must be that of its name. */
vo_result vo_folder_open_frame(vo_context *ctx, const char *folder, int frame, vo_vof_reader **out);
vo_result vo_folder_peek_frame(vo_context *ctx, const char *folder, int frame, vo_vof_reader **out);

/* Locks the run against a second writing process; the lock ends with the process. Where the file
 * system has no locks, logs a warning and succeeds. */
vo_result vo_folder_lock(vo_context *ctx, const char *folder, int *lock);
void vo_folder_unlock(int lock);

/* Fails like vo_folder_lock if another process holds the lock; holds none afterwards. */
vo_result vo_folder_need_unlocked(vo_context *ctx, const char *folder);

/* Lines of stats.jsonl by frame, one per frame: the last line of a frame replaces earlier ones.
 * Lines that cannot be parsed are left out; a missing file is an empty list. */
typedef struct vo_stats_list {
    int count, capacity;
    vo_stats *stats;
} vo_stats_list;
vo_result vo_folder_read_stats(vo_context *ctx, const char *folder, vo_stats_list *out);
vo_result vo_folder_write_stats(vo_context *ctx, const char *folder, const vo_stats_list *list);
vo_result vo_folder_append_stats(vo_context *ctx, const char *folder, const vo_stats *stats);
const vo_stats *vo_stats_list_find(const vo_stats_list *list, int frame); /* NULL: none */
void vo_stats_list_free(vo_context *ctx, vo_stats_list *list);

#endif
