#include "progress.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_MIN = 8, BAR_MAX = 40, LINE_MAX_WIDTH = 240 };

/* Returns the mode for a file: a bar on a terminal with cursor control, else lines. */
static progress_mode mode_of(FILE *file) {
    const char *terminal = getenv("TERM");
    if (!isatty(fileno(file))) return PROGRESS_LINES;
    return terminal && strcmp(terminal, "dumb") != 0 ? PROGRESS_BAR : PROGRESS_LINES;
}

progress progress_create(bool quiet) {
    const char *no_colour = getenv("NO_COLOR");
    return (progress){.file = stdout,
                      .mode = quiet ? PROGRESS_NONE : mode_of(stdout),
                      .colour = !no_colour || !no_colour[0],
                      .shown_at = -1,
                      .seen_at = -1,
                      .frame_s = -1};
}

/* Returns the width of the terminal in columns; 80 if it is unknown. */
static int terminal_width(FILE *file) {
    struct winsize size;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

/* Updates the mean time per frame. The first frame of a call is excluded, because its time includes
 * loading. */
static void measure(progress *bar, const vo_progress *state) {
    if (bar->seen_at >= 0) {
        double seconds = state->elapsed_s - bar->seen_at;
        bar->frame_s = bar->frame_s < 0 ? seconds : 0.8 * bar->frame_s + 0.2 * seconds;
    }
    bar->seen_at = state->elapsed_s;
}

/* Returns the completed fraction of the work, k / n for frame k of n: frame 0 is the initial
 * state. */
static double fraction(const vo_progress *state) {
    if (state->frame < 0) return 0;
    return state->last > 0 ? (double)state->frame / state->last : 1;
}

/* Writes the text after the bar: "frame 41/100  41 %  20,000 faces  0.31 s/frame  18 s left". */
static void describe(const progress *bar, const vo_progress *state, char *out, size_t size) {
    char end[48] = "", faces[80] = "", time[160] = "";
    const char *what = state->frame < 0 ? "preroll, frame" : "frame";
    if (state->last >= 0)
        snprintf(end, sizeof end, "/%d  %3.0f %%", state->last, 100 * fraction(state));
    if (state->stats)
        snprintf(faces, sizeof faces, "  %s faces", text_count(state->stats->faces).s);
    if (bar->frame_s >= 0 && state->last > state->frame)
        snprintf(time, sizeof time, "  %s/frame  %s left", text_seconds(bar->frame_s).s,
                 text_seconds(bar->frame_s * (state->last - state->frame)).s);
    else if (bar->frame_s >= 0)
        snprintf(time, sizeof time, "  %s/frame", text_seconds(bar->frame_s).s);
    snprintf(out, size, "%s %d%s%s%s", what, state->frame, end, faces, time);
}

/* Prints a bar "[====>    ]" of `width` columns, brackets included; `done` from 0 to 1. */
static void draw_bar(FILE *file, int width, double done, bool colour) {
    int inside = width - 2, full = (int)(done * inside);
    if (full > inside) full = inside;
    fputs(colour ? "[\033[32m" : "[", file);
    for (int i = 0; i < inside; i++) fputc(i < full ? '=' : i == full ? '>' : ' ', file);
    fputs(colour ? "\033[0m]" : "]", file);
}

/* Replaces the current line by a bar and text; a negative `done` means unknown and omits the bar.
 */
static void draw_line(progress *bar, const char *words, double done) {
    int width = terminal_width(bar->file) - 1;
    int left = width - (int)strlen(words) - 2;
    fputc('\r', bar->file);
    if (left >= BAR_MIN && done >= 0) {
        draw_bar(bar->file, left < BAR_MAX ? left : BAR_MAX, done, bar->colour);
        fputs("  ", bar->file);
    }
    fprintf(bar->file, "%.*s\033[K", width, words);
    bar->line_open = true;
}

/* Returns true if enough time has passed since the last output, or for the last frame; records the
 * time of the output. */
static bool is_due(progress *bar, bool last) {
    if (bar->mode == PROGRESS_NONE) return false;
    double now = text_clock(), pause = bar->mode == PROGRESS_BAR ? 0.1 : 1.0;
    bool due = bar->shown_at < 0 || now - bar->shown_at >= pause || last;
    if (due) bar->shown_at = now;
    return due;
}

/* Prints the text as a line, or with a bar. */
static void show(progress *bar, const char *words, double done) {
    if (bar->mode == PROGRESS_BAR)
        draw_line(bar, words, done);
    else
        fprintf(bar->file, "%s\n", words);
    fflush(bar->file);
}

void progress_show(progress *bar, const vo_progress *state) {
    char words[LINE_MAX_WIDTH];
    measure(bar, state);
    if (!is_due(bar, state->frame == state->last)) return;
    describe(bar, state, words, sizeof words);
    show(bar, words, state->last >= 0 ? fraction(state) : -1);
}

/* Writes the name of a pattern file without folders and extension. */
static void garment_name(const char *file, char *out, size_t size) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* Writes the text after the bar while a garment is sewn. */
static void describe_sewing(const vo_sew_progress *p, char *out, size_t size) {
    char name[48], phase[64];
    garment_name(p->pattern, name, sizeof name);
    if (p->phase == VO_SEW_PULLING)
        snprintf(phase, sizeof phase, "pulling together, %.1f mm apart", 1000 * p->gap);
    else
        snprintf(phase, sizeof phase, "coming to rest, %.0f mm/s", 1000 * p->speed);
    snprintf(out, size, "sewing %s (%d/%d)  %3.0f %%  %s  %s", name, p->garment + 1, p->garments,
             100 * p->done, phase, text_seconds(p->elapsed_s).s);
}

void progress_show_sewing(progress *bar, const vo_sew_progress *state) {
    char words[LINE_MAX_WIDTH];
    if (!is_due(bar, false)) return;
    describe_sewing(state, words, sizeof words);
    show(bar, words, state->done);
}

void progress_clear(progress *bar) {
    if (!bar->line_open) return;
    fputs("\r\033[K", bar->file);
    fflush(bar->file);
    bar->line_open = false;
}

void progress_hide(void *bar) { progress_clear(bar); }

void progress_end(progress *bar) {
    if (!bar->line_open) return;
    fputc('\n', bar->file);
    fflush(bar->file);
    bar->line_open = false;
}
