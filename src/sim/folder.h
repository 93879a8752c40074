/* The folder of a run (see <voile/run.h>): names, the list of frames, the lock, the statistics. */
#ifndef VO_SIM_FOLDER_H
#define VO_SIM_FOLDER_H

#include "codec/vof.h"
#include "core/file.h"

#include <voile/stats.h>

void vo_folder_scene(char *out, size_t size, const char *folder); /* scene.json */
void vo_folder_stats(char *out, size_t size, const char *folder); /* stats.jsonl */
void vo_folder_frame(char *out, size_t size, const char *folder, int frame);

/* VO_BAD_DATA where the folder is not that of a run. */
/* VO_BAD_CALL where the folder, to which something else is to be written, is that of a run or one
 * of those in which the run keeps its own files. */
vo_result vo_folder_spare_run(vo_context *ctx, const char *folder);
vo_result vo_folder_need_run(vo_context *ctx, const char *folder);

/* Numbers of the frame files that are there, ascending; nothing is said about their contents. */
typedef struct vo_frame_list {
    int count, capacity;
    int *frame;
} vo_frame_list;
vo_result vo_folder_list(vo_context *ctx, const char *folder, vo_frame_list *out);
void vo_frame_list_free(vo_context *ctx, vo_frame_list *list);

/* To see how far something gets without reading every frame: the first, the last, and so many
 * between that none is far from one of them. */
int vo_frame_list_survey_count(const vo_frame_list *list);
int vo_frame_list_surveyed(const vo_frame_list *list, int i); /* frame, 0 <= i < count */

/* Why there is nothing to do: the run has no frames (VO_BAD_DATA), or none of those `listed` is
 * among those that were asked for (VO_BAD_CALL). */
vo_result vo_folder_fail_empty(vo_context *ctx, const char *folder, int listed);

/* Warns of frames that are missing between two that follow each other in the list. */
void vo_folder_tell_gap(vo_context *ctx, const char *folder, int before, int frame);

/* The first frame that the run keeps, by its scene.json. */
vo_result vo_folder_first_frame(vo_context *ctx, const char *folder, int *first);

/* Opens the file of a frame and checks it to the last byte, or head and table alone (see
 * codec/vof.h). The number it holds must be the one in its name. */
vo_result vo_folder_open_frame(vo_context *ctx, const char *folder, int frame, vo_vof_reader **out);
vo_result vo_folder_peek_frame(vo_context *ctx, const char *folder, int frame, vo_vof_reader **out);

/* Keeps two processes from writing one run. The lock ends with the process. Where the file system
 * has no locks, a warning says so and the run goes on without. */
vo_result vo_folder_lock(vo_context *ctx, const char *folder, int *lock);
void vo_folder_unlock(int lock);

/* Fails as vo_folder_lock does where another process has the lock; keeps none itself. */
vo_result vo_folder_need_unlocked(vo_context *ctx, const char *folder);

/* All lines of stats.jsonl that can be read, by file order; a missing file is an empty list. A line
 * that was cut off by a crash is left out. */
typedef struct vo_stats_list {
    int count, capacity;
    vo_stats *stats;
} vo_stats_list;
vo_result vo_folder_read_stats(vo_context *ctx, const char *folder, vo_stats_list *out);
vo_result vo_folder_write_stats(vo_context *ctx, const char *folder, const vo_stats_list *list);
vo_result vo_folder_append_stats(vo_context *ctx, const char *folder, const vo_stats *stats);
/* The last line of a frame; NULL: there is none. */
const vo_stats *vo_stats_list_find(const vo_stats_list *list, int frame);
void vo_stats_list_free(vo_context *ctx, vo_stats_list *list);

#endif
