/* voile: how far a run is.
 *
 * On a terminal one line is drawn over and over, at most ten times a second:
 *
 *     [=========>           ]  frame 41/100  41 %  20,000 faces  0.31 s/frame  18 s left
 *
 * Elsewhere plain lines are printed, one a frame but at most one a second. */
#ifndef VOILE_CLI_PROGRESS_H
#define VOILE_CLI_PROGRESS_H

#include <voile/run.h>

#include <stdio.h>

typedef enum progress_mode { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR } progress_mode;

typedef struct progress {
    FILE *file;
    progress_mode mode;
    bool colour;
    bool line_open;  /* the bar stands on the terminal's line */
    double shown_at; /* s, when something was last printed; negative: never */
    double seen_at;  /* s, elapsed time of the last frame; negative: none yet */
    double frame_s;  /* seconds per frame, mean with more weight on the last; negative: unknown */
} progress;

/* Chooses the mode by what standard output is. */
progress progress_create(bool quiet);

void progress_show(progress *bar, const vo_progress *state);

/* Before frames there may be sewing:
 *
 *     [=====>      ]  sewing dress (1/2)  41 %  pulling together, 12.0 mm apart  3.1 s */
void progress_show_sewing(progress *bar, const vo_sew_progress *state);

/* Takes the bar off the line, so that something else can be printed. */
void progress_clear(progress *bar);

/* The same for cli_log.before_warning, which knows no kinds: makes room for a warning. */
void progress_step_aside(void *bar);

/* Leaves the bar as it is and goes to a new line. */
void progress_end(progress *bar);

#endif
