/* voile render: images and movies. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "signal_handler.h"
#include "text.h"
#include "view_words.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLOURS = 256 };

typedef struct render_watch {
    progress bar;
    bool output_failed;
    int count, frame; /* images written, frame of the last one */
    double elapsed_s;
} render_watch;

/* Parsed options. */
typedef struct render_call {
    vo_render_def def;
    unsigned colours[MAX_COLOURS];
} render_call;

/* ---- the call -------------------------------------------------------------------------------- */

/* "b23a48,2f5d8c" */
static int read_colours(const char *words, render_call *call) {
    int count = 0;
    for (const char *p = words; p && *p; count++) {
        size_t length = strcspn(p, ",");
        if (length != 6 || strspn(p, "0123456789abcdefABCDEF") < 6 || count == MAX_COLOURS)
            return cli_fail(CLI_USAGE_ERROR,
                            "--colors needs up to %d colours of six hexadecimal digits each, for "
                            "example b23a48,2f5d8c, not \"%s\".",
                            MAX_COLOURS, words);
        call->colours[count] = (unsigned)strtoul(p, NULL, 16);
        p += length + (p[length] == ',');
    }
    call->def.options.colour_count = count;
    call->def.options.colours = call->colours;
    return CLI_DONE;
}

/* A height, or none. */
static int read_ground(const char *words, vo_render_options *shot) {
    if (!words) return CLI_DONE;
    shot->ground = strcmp(words, "none") != 0;
    if (!shot->ground || view_read_real(words, &shot->ground_height)) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR, "--ground needs a height in metres or none, not \"%s\".",
                    words);
}

static int read_words(const cli_args *args, render_call *call) {
    vo_render_def *def = &call->def;
    *def = vo_render_def_default();
    if (!args->output)
        return cli_fail(CLI_USAGE_ERROR, "render needs an output: -o image.png, -o movie.mp4 or -o "
                                         "FOLDER.");
    if (args->frame >= 0 && (args->frames.first > 0 || args->frames.last >= 0))
        return cli_fail(CLI_USAGE_ERROR, "--frame and --frames exclude each other.");
    def->input = args->operand;
    def->output = args->output;
    def->first = args->frames.first;
    def->last = args->frames.last;
    def->frame = args->frame;
    def->options.wireframe = args->wire;
    def->options.surface = args->flat ? VO_SURFACE_FLAT : VO_SURFACE_SMOOTH;
    if (args->samples) def->options.samples = args->samples;
    def->override_size = args->size != NULL;
    int code = view_read_size(args->size, &def->options.width, &def->options.height);
    if (code == CLI_DONE)
        code = view_read_camera(args->camera, &def->options, &def->framing, &def->camera);
    if (code == CLI_DONE) code = read_colours(args->colours, call);
    if (code == CLI_DONE) code = read_ground(args->ground, &def->options);
    return code;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* A vo_progress_fn: shows the progress; false if the user cancels or the output fails. */
static bool after_frame(void *user, const vo_progress *state) {
    render_watch *watch = user;
    signal_wait_for_frame(true);
    watch->count++;
    watch->frame = state->frame;
    watch->elapsed_s = state->elapsed_s;
    progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    if (watch->output_failed) return false;
    return !signal_received() || state->frame == state->last;
}

/* Prints the result and returns the exit code. */
static int end_render(vo_context *ctx, vo_result result, render_watch *watch,
                      const cli_args *args) {
    progress_end(&watch->bar);
    if (result == VO_CANCELLED && watch->output_failed) return CLI_SYSTEM_ERROR;
    if (result == VO_CANCELLED && watch->count == 0)
        return cli_fail(CLI_CANCELLED, "cancelled during set-up; nothing was rendered");
    if (result == VO_CANCELLED)
        return cli_fail(CLI_CANCELLED, "cancelled after frame %d; the images up to there are in %s",
                        watch->frame, args->output);
    if (result != VO_OK)
        return cli_fail_runs(ctx, result, cli_is_folder(args->operand), &args->operand);
    if (!args->quiet)
        printf("%s image%s in %s (%s)\n", text_count(watch->count).s, text_plural(watch->count),
               args->output, text_seconds(watch->elapsed_s).s);
    return CLI_DONE;
}

int cmd_render(const cli_args *args) {
    render_call call;
    int code = read_words(args, &call);
    if (code == CLI_DONE)
        code = cli_is_folder(args->operand) ? cli_need_run(args->operand)
                                            : cli_need_input(args->operand);
    if (code != CLI_DONE) return code;
    render_watch watch = {.bar = progress_create(args->quiet)};
    cli_log log = {.before_warning = progress_hide, .user = &watch.bar, .cancellable = true};
    vo_context *ctx;
    code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    call.def.progress = after_frame;
    call.def.user = &watch;
    signal_wait_for_frame(false);
    signal_install();
    code = end_render(ctx, vo_render(ctx, &call.def), &watch, args);
    vo_context_destroy(ctx);
    return code;
}
