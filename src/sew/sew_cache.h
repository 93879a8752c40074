/* Sewn garments in the cache (codec/cache.h): positions and the report of sewing, with the lines
 * that it logged. */
#ifndef VO_SEW_SEW_CACHE_H
#define VO_SEW_SEW_CACHE_H

#include "sew/sew.h"

/* Hash of everything that the result of a task depends on, this code included. */
uint64_t vo_sew_key(const vo_sew_task *task);

/* Fills sewn[piece_count] and the report as sewing does, and logs what it logged. *was_stored is
 * false, and everything unchanged, if the result is not in the cache. */
vo_result vo_sew_read(const vo_sew_task *task, uint64_t key, vo_mesh **sewn, vo_sew_report *report,
                      bool *was_stored);

/* Lines that are logged while a task is sewn. */
typedef struct vo_sew_log {
    vo_context *ctx;
    vo_log_fn *log; /* of the caller, which receives the lines as well */
    void *user;
    char *text; /* lines: the digit of the level, the text, a newline */
    int size, capacity;
    bool failed; /* no memory: the result is not kept */
} vo_sew_log;

void vo_sew_log_begin(vo_context *ctx, vo_sew_log *log);
void vo_sew_log_end(vo_sew_log *log); /* restores the log of the caller */
void vo_sew_log_free(vo_sew_log *log);

/* Keeps the result of a task. */
void vo_sew_write(const vo_sew_task *task, uint64_t key, vo_mesh *const *sewn,
                  const vo_sew_report *report, const vo_sew_log *log);

#endif
