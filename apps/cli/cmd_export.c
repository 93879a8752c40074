/* voile export: frames of a run in other formats. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "signal_handler.h"
#include "text.h"

#include <string.h>

typedef struct export_watch {
    progress bar;
    bool output_failed;
    int count, frame; /* exported frames, the last one */
} export_watch;

/* A vo_progress_fn: shows the progress; false if the user cancels or the output fails. */
static bool after_frame(void *user, const vo_progress *state) {
    export_watch *watch = user;
    signal_wait_for_frame(true);
    watch->count++;
    watch->frame = state->frame;
    progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    if (watch->output_failed) return false;
    return !signal_received() || state->frame == state->last;
}

/* Prints the command that exports the remaining frames. */
static int fail_cancelled(const export_watch *watch, const cli_args *args) {
    char run[CLI_PATH], output[CLI_PATH] = "", memory[40] = "", last[20] = "";
    if (args->output) vo_shell_quote(args->output, output, sizeof output);
    if (args->memory > 0) snprintf(memory, sizeof memory, " --memory %.15g", args->memory);
    if (args->frames.last >= 0) snprintf(last, sizeof last, "%d", args->frames.last);
    return cli_fail(
        CLI_CANCELLED,
        "cancelled after frame %d. Continue with: voile export %s%s%s%s%s%s%s%s%s --frames "
        "%d:%s",
        watch->frame, vo_shell_quote(args->operand, run, sizeof run), args->output ? " -o " : "",
        output, args->topology ? " --topology " : "", args->topology ? args->topology : "",
        args->flat ? " --flat" : "", args->obstacles ? " --obstacles" : "", memory,
        args->quiet ? " --quiet" : "", watch->frame + 1, last);
}

/* Prints the result and returns the exit code. */
static int end_export(vo_context *ctx, vo_result result, export_watch *watch,
                      const cli_args *args) {
    progress_end(&watch->bar);
    if (result == VO_CANCELLED && watch->output_failed) return CLI_SYSTEM_ERROR;
    if (result == VO_CANCELLED && watch->count == 0)
        return cli_fail(CLI_CANCELLED, "cancelled during set-up; nothing was exported");
    if (result == VO_CANCELLED) return fail_cancelled(watch, args);
    if (result != VO_OK) return cli_fail_runs(ctx, result, 1, &args->operand);
    if (!args->quiet)
        printf("exported %s frame%s to %s%s\n", text_count(watch->count).s,
               text_plural(watch->count), args->output ? args->output : args->operand,
               args->output ? "" : "/obj");
    return CLI_DONE;
}

/* Checks combinations of options. */
static int check_args(const cli_args *args) {
    if (!args->flat || (args->topology && strcmp(args->topology, "original") == 0)) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR, "--flat is for --topology original.");
}

int cmd_export(const cli_args *args) {
    int code = check_args(args);
    if (code == CLI_DONE) code = cli_need_run(args->operand);
    if (code != CLI_DONE) return code;
    export_watch watch = {.bar = progress_create(args->quiet)};
    cli_log log = {.before_warning = progress_hide, .user = &watch.bar, .cancellable = true};
    vo_context *ctx;
    code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    vo_export_def def = vo_export_def_default();
    def.folder = args->operand;
    def.output = args->output;
    def.first = args->frames.first;
    def.last = args->frames.last;
    def.obstacles = args->obstacles;
    if (args->topology && strcmp(args->topology, "original") == 0)
        def.topology = VO_TOPOLOGY_ORIGINAL;
    def.surface = args->flat ? VO_SURFACE_FLAT : VO_SURFACE_SMOOTH;
    def.progress = after_frame;
    def.user = &watch;
    signal_wait_for_frame(false);
    signal_install();
    code = end_export(ctx, vo_run_export_obj(ctx, &def), &watch, args);
    vo_context_destroy(ctx);
    return code;
}
