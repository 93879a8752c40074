/* voile compare: differences in appearance and cost of runs. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "signal_handler.h"
#include "text.h"
#include "view_words.h"

#include <math.h>
#include <string.h>

typedef struct compare_watch {
    progress bar;
    bool output_failed;
    int frame; /* the last one; -1: none yet */
} compare_watch;

/* ---- the call -------------------------------------------------------------------------------- */

static int read_wavelength(const char *words, double *out) {
    if (!words) return CLI_DONE;
    if (view_read_real(words, out) && *out > 0 && *out <= 1024) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR,
                    "--wavelength needs pixels, above 0 and at most 1024, not \"%s\".", words);
}

static int read_slow(const char *words, double *out) {
    if (!words || (view_read_real(words, out) && *out >= 0)) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR, "--slow needs m/s, at least 0, not \"%s\".", words);
}

static int need_runs(const cli_args *args) {
    if (args->operand_count < 2)
        return cli_fail(CLI_USAGE_ERROR,
                        "compare needs at least two runs: the one to compare and the "
                        "reference.");
    if (args->operand_count > 16)
        return cli_fail(CLI_USAGE_ERROR, "compare takes 16 runs at most, not %d.",
                        args->operand_count);
    for (int i = 0; i < args->operand_count; i++) {
        int code = cli_need_run(args->operands[i]);
        if (code != CLI_DONE) return code;
    }
    return CLI_DONE;
}

static int read_words(const cli_args *args, vo_compare_def *def) {
    vo_framing_mode fit = VO_FRAMING_WHOLE_RUN;
    *def = vo_compare_def_default();
    def->run_count = args->operand_count;
    def->runs = args->operands;
    def->first = args->frames.first;
    def->last = args->frames.last;
    def->output = args->output;
    def->images = args->pictures;
    def->options.surface = args->flat ? VO_SURFACE_FLAT : VO_SURFACE_SMOOTH;
    if (args->every) def->step = args->every;
    if (args->pictures && !args->output)
        return cli_fail(CLI_USAGE_ERROR, "--pictures needs a folder: -o DIR.");
    int code = view_read_size(args->size, &def->width, &def->height);
    if (code == CLI_DONE) code = view_read_camera(args->camera, &def->options, &fit, &def->camera);
    if (code == CLI_DONE) code = read_wavelength(args->wavelength, &def->wavelength);
    if (code == CLI_DONE) code = read_slow(args->slow, &def->slow);
    if (code == CLI_DONE && fit == VO_FRAMING_PER_FRAME)
        code = cli_fail(CLI_USAGE_ERROR,
                        "--camera fit=each: all frames are rendered from one position.");
    return code;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Formats a number with `digits` decimals, or a dash if it is not finite. */
static text number(double value, int digits) {
    text out;
    snprintf(out.s, sizeof out.s, "%.*f", digits, value);
    if (!isfinite(value)) snprintf(out.s, sizeof out.s, "-");
    return out;
}

/* "2.50x" */
static text times(double value) {
    text out = number(value, 2);
    if (isfinite(value)) snprintf(out.s, sizeof out.s, "%.2fx", value);
    return out;
}

static text count(double value) {
    return isfinite(value) ? text_count((long long)(value + 0.5)) : number(value, 0);
}

/* As in table 1 of Koh et al. 2015. */
static void print_costs(const vo_comparison *c) {
    printf("%-16s %25s   %25s   %23s\n", "", "faces", "verts", "seconds a frame");
    printf("%-16s %8s %8s %7s   %8s %8s %7s   %7s %7s %7s  %8s\n", "run", "min", "max", "mean",
           "min", "max", "mean", "min", "max", "mean", "speed-up");
    for (int i = 0; i < c->run_count; i++) {
        const vo_run_comparison *r = &c->run[i];
        printf("%-16s %8s %8s %7s   %8s %8s %7s   %7s %7s %7s  %8s\n", text_label(r->name, i, 16).s,
               count(r->all.faces.min).s, count(r->all.faces.max).s, count(r->all.faces.mean).s,
               count(r->all.verts.min).s, count(r->all.verts.max).s, count(r->all.verts.mean).s,
               number(r->all.seconds.min, 3).s, number(r->all.seconds.max, 3).s,
               number(r->all.seconds.mean, 3).s, times(r->speed_up).s);
    }
}

/* Notes speed-ups that omit frames; the first frame never has a time. */
static void print_untimed(const vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++) {
        const vo_run_comparison *r = &c->run[i];
        int timed = r->frame_count - (r->frame_count > 0 && r->frame[0].frame <= 0);
        if (i == c->reference || r->speed_up_frames >= timed) continue;
        printf("%s: frames with times of both runs (in stats.jsonl): %d of %d; %s\n",
               text_label(r->name, i, 16).s, r->speed_up_frames, timed,
               r->speed_up_frames ? "the speed-up is over these" : "there is no speed-up");
    }
}

static void print_measure(const char *name, const vo_distribution *s, int digits) {
    printf("  %-32s %10s %10s %10s %10s %10s\n", name, number(s->mean, digits).s,
           number(s->min, digits).s, number(s->p1, digits).s, number(s->p99, digits).s,
           number(s->max, digits).s);
}

static void print_likeness(const vo_comparison *c, int run) {
    const vo_run_comparison *r = &c->run[run];
    char title[200];
    snprintf(title, sizeof title, "%s against %s", text_label(r->name, run, 12).s,
             text_label(c->run[c->reference].name, c->reference, 12).s);
    printf("\n%-34s %10s %10s %10s %10s %10s\n", title, "mean", "min", "1 %", "99 %", "max");
    print_measure("silhouette IoU", &r->all.silhouette_iou, 4);
    char slow[64];
    snprintf(slow, sizeof slow, "  in %d frame%s to %.3g m/s", r->slow_silhouette_iou.frames,
             text_plural(r->slow_silhouette_iou.frames), c->slow);
    print_measure(slow, &r->slow_silhouette_iou, 4);
    print_measure("angle between normals, degrees", &r->all.normal_angle, 3);
    print_measure("wrinkle power, relative", &r->all.wrinkle_ratio, 3);
    print_measure("depth difference, m", &r->all.depth_difference, 5);
    if (r->all.popping.frames) print_measure("popping, pixels", &r->all.popping, 3);
    print_measure("popping bound, pixels", &r->all.popping_bound, 3);
}

static void print_edges(const vo_comparison *c) {
    printf("\n%-34s %10s %10s %10s %10s %10s\n", "edge lengths on screen, pixels", "5 %", "25 %",
           "50 %", "75 %", "95 %");
    for (int i = 0; i < c->run_count; i++) {
        const vo_run_comparison *r = &c->run[i];
        printf("  %-32s %10s %10s %10s %10s %10s\n", text_label(r->name, i, 32).s,
               number(r->all.edge_5.mean, 2).s, number(r->all.edge_25.mean, 2).s,
               number(r->all.edge_50.mean, 2).s, number(r->all.edge_75.mean, 2).s,
               number(r->all.edge_95.mean, 2).s);
    }
}

/* "0 to 4, 7, 9 to 12" */
static void print_frames(const char *what, const char *name, int n, const int *frame) {
    if (n == 0) return;
    printf("%s %s: frame%s", what, name, text_plural(n));
    for (int i = 0; i < n;) {
        int last = i;
        while (last + 1 < n && frame[last + 1] == frame[last] + 1) last++;
        printf(last > i ? "%s %d to %d" : "%s %d", i ? "," : "", frame[i], frame[last]);
        i = last + 1;
    }
    printf("\n");
}

static void print_faces(const vo_comparison *c) {
    printf("\n%-34s %10s %10s %10s\n", "visible faces", "mean", "min", "max");
    for (int i = 0; i < c->run_count; i++) {
        const vo_distribution *s = &c->run[i].all.visible_faces;
        printf("  %-32s %10s %10s %10s\n", text_label(c->run[i].name, i, 32).s, count(s->mean).s,
               count(s->min).s, count(s->max).s);
    }
}

/* The whole names of runs whose labels are shortened. */
static void print_names(const vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++)
        if (strlen(c->run[i].name) > 12) printf("run %d: %s\n", i, c->run[i].name);
}

static void print_tables(const vo_comparison *c) {
    const vo_run_comparison *reference = &c->run[c->reference];
    printf("%s frame%s, reference %s, %d x %d pixels, %s\n\n", text_count(reference->frame_count).s,
           text_plural(reference->frame_count), reference->name, c->width, c->height,
           c->framed ? "framing camera" : "the scene's camera");
    print_names(c);
    print_costs(c);
    print_untimed(c);
    for (int i = 0; i < c->run_count; i++)
        if (i != c->reference) print_likeness(c, i);
    print_faces(c);
    print_edges(c);
    for (int i = 0; i < c->run_count; i++) {
        const vo_run_comparison *r = &c->run[i];
        print_frames("only in", r->name, r->only_here_count, r->only_here);
        print_frames("not in", r->name, r->only_reference_count, r->only_reference);
    }
}

static int print_json(vo_context *ctx, const vo_comparison *c) {
    char *words;
    vo_result result = vo_comparison_to_json(ctx, c, &words);
    if (result != VO_OK) return cli_fail_result(ctx, result);
    fputs(words, stdout);
    vo_comparison_json_free(ctx, words);
    return CLI_DONE;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* A vo_progress_fn: shows the progress; false if the user cancels or the output fails. */
static bool after_frame(void *user, const vo_progress *state) {
    compare_watch *watch = user;
    signal_wait_for_frame(true);
    watch->frame = state->frame;
    progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    return !watch->output_failed && !signal_received();
}

static int end_compare(vo_context *ctx, vo_result result, const cli_args *args,
                       const compare_watch *watch, vo_comparison *c) {
    if (result == VO_CANCELLED && watch->output_failed) return CLI_SYSTEM_ERROR;
    if (result == VO_CANCELLED && watch->frame < 0)
        return cli_fail(CLI_CANCELLED, "cancelled during set-up");
    if (result == VO_CANCELLED)
        return cli_fail(CLI_CANCELLED, "cancelled after frame %d", watch->frame);
    if (result != VO_OK) return cli_fail_runs(ctx, result, args->operand_count, args->operands);
    int code = CLI_DONE;
    if (args->json)
        code = print_json(ctx, c);
    else
        print_tables(c);
    if (args->output && !args->json && !args->quiet)
        printf("\ntables, plots%s are in %s\n", args->pictures ? " and pictures" : "",
               args->output);
    vo_comparison_free(ctx, c);
    return code;
}

int cmd_compare(const cli_args *args) {
    vo_compare_def def;
    int code = need_runs(args);
    if (code == CLI_DONE) code = read_words(args, &def);
    if (code != CLI_DONE) return code;
    compare_watch watch = {.bar = progress_create(args->quiet || args->json), .frame = -1};
    cli_log log = {.before_warning = progress_hide, .user = &watch.bar, .cancellable = true};
    vo_context *ctx;
    code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    def.progress = after_frame;
    def.user = &watch;
    signal_wait_for_frame(false);
    signal_install();
    vo_comparison comparison;
    vo_result result = vo_compare(ctx, &def, &comparison);
    progress_clear(&watch.bar);
    code = end_compare(ctx, result, args, &watch, &comparison);
    vo_context_destroy(ctx);
    return code;
}
