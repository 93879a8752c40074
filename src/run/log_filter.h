/* Log of a run without repetitions.
 *
 * Warnings of a simulation begin with "frame N: ". Two of them are of the same kind if they differ
 * in numbers only, and repetitions if they also name the same objects: numbers after "cloth",
 * "obstacle" and the like, and indices of key paths. A warning is logged for its first frame only;
 * at the end of the run one line per warning counts the other frames. Of one kind the warnings
 * about the first VO_MAX_FILTERED_OBJECTS objects are logged; one line counts those about others.
 * All other lines pass. */
#ifndef VO_RUN_LOG_FILTER_H
#define VO_RUN_LOG_FILTER_H

#include "core/context.h"

enum { VO_MAX_FILTERED_KINDS = 16, VO_MAX_FILTERED_OBJECTS = 8, VO_FILTERED_TEXT = 200 };

typedef struct vo_filtered_warning {
    uint64_t key;                /* hash of the text with its objects, without other numbers */
    int first_frame;             /* logged in full */
    int more, from, to;          /* further frames: number, first and last */
    char text[VO_FILTERED_TEXT]; /* without "frame N: " */
} vo_filtered_warning;

typedef struct vo_filtered_kind {
    uint64_t key; /* hash of the text without numbers */
    int count;
    vo_filtered_warning warning[VO_MAX_FILTERED_OBJECTS];
    int others, from, to; /* warnings about further objects: number, first and last frame */
} vo_filtered_kind;

typedef struct vo_log_filter {
    vo_context *ctx;
    vo_log_fn *log; /* of the context, behind the filter */
    void *log_user;
    int count;
    vo_filtered_kind kind[VO_MAX_FILTERED_KINDS]; /* later kinds are not filtered */
} vo_log_filter;

/* Installs the filter in the context. It must stay at its address until the end. */
void vo_log_filter_begin(vo_log_filter *filter, vo_context *ctx);
/* Logs the counts and restores the log of the context. */
void vo_log_filter_end(vo_log_filter *filter);

#endif
