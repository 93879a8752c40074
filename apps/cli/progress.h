/* voile: progress display of a run.
 *
 * On a terminal one line is redrawn at most ten times per second:
 *
 *     [=========>           ]  frame 41/100  41 %  20,000 faces  0.31 s/frame  18 s left
 *
 * Otherwise plain lines are printed, one per frame but at most one per second. */
#ifndef VOILE_CLI_PROGRESS_H
#define VOILE_CLI_PROGRESS_H

#include <voile/run.h>

#include <stdio.h>

typedef enum progress_mode { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR } progress_mode;

typedef struct progress {
    FILE *file;
    progress_mode mode;
    bool colour;
    bool line_open;  /* the current line of the terminal contains the bar */
    double shown_at; /* s, time of the last output; negative: none */
    double seen_at;  /* s, elapsed time of the last frame; negative: none yet */
    double frame_s;  /* s per frame, exponentially weighted mean; negative: unknown */
} progress;

/* Returns a display on standard output: a bar on a terminal, else lines; nothing if `quiet`. */
progress progress_create(bool quiet);

/* Shows a completed frame. */
void progress_show(progress *bar, const vo_progress *state);

/* Shows the progress of sewing, before the first frame:
 *
 *     [=====>      ]  sewing dress (1/2)  41 %  pulling together, 12.0 mm apart  3.1 s */
void progress_show_sewing(progress *bar, const vo_sew_progress *state);

/* Erases the bar, so that other text can be printed. */
void progress_clear(progress *bar);

/* progress_clear with the signature of cli_log.before_warning. */
void progress_hide(void *bar);

/* Keeps the bar and starts a new line. */
void progress_end(progress *bar);

#endif
