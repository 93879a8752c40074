/* voile export: a run's frames in other formats. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "stop.h"
#include "text.h"

#include <string.h>

typedef struct export_watch {
    progress bar;
    bool output_failed;
    int count, frame; /* files' frames so far, the last of them */
} export_watch;

/* Shows the progress; false once the user or a broken output ends it. */
static bool after_frame(void *user, const vo_progress *state) {
    export_watch *watch = user;
    stop_ends_frame(true);
    watch->count++;
    watch->frame = state->frame;
    progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    if (watch->output_failed) return false;
    return !stop_asked() || state->frame == state->last;
}

/* Says with which call the frames after the last one come to the same place in the same way. */
static int fail_stopped(const export_watch *watch, const cli_args *args) {
    char run[CLI_PATH], output[CLI_PATH] = "", memory[40] = "", last[20] = "";
    if (args->output) vo_path_quoted(args->output, output, sizeof output);
    if (args->memory > 0) snprintf(memory, sizeof memory, " --memory %.15g", args->memory);
    if (args->frames.last >= 0) snprintf(last, sizeof last, "%d", args->frames.last);
    return cli_fail(CLI_STOPPED,
                    "stopped after frame %d. Go on with: voile export %s%s%s%s%s%s%s%s%s --frames "
                    "%d:%s",
                    watch->frame, vo_path_quoted(args->operand, run, sizeof run),
                    args->output ? " -o " : "", output, args->topology ? " --topology " : "",
                    args->topology ? args->topology : "", args->flat ? " --flat" : "",
                    args->obstacles ? " --obstacles" : "", memory, args->quiet ? " --quiet" : "",
                    watch->frame + 1, last);
}

/* Says how it went and picks the exit code. */
static int end_export(vo_context *ctx, vo_result result, export_watch *watch,
                      const cli_args *args) {
    progress_end(&watch->bar);
    if (result == VO_STOPPED && watch->output_failed) return CLI_MACHINE;
    if (result == VO_STOPPED && watch->count == 0)
        return cli_fail(CLI_STOPPED, "stopped while the scene was set up; nothing was exported.");
    if (result == VO_STOPPED) return fail_stopped(watch, args);
    if (result != VO_OK) return cli_fail_result(ctx, result);
    if (!args->quiet)
        printf("exported %s frame%s to %s%s\n", text_count(watch->count).s,
               watch->count == 1 ? "" : "s", args->output ? args->output : args->operand,
               args->output ? "" : "/obj");
    return CLI_DONE;
}

/* What goes with what. */
static int check_args(const cli_args *args) {
    if (!args->flat || (args->topology && strcmp(args->topology, "original") == 0)) return CLI_DONE;
    return cli_fail(CLI_BAD_CALL, "--flat is for --topology original.");
}

int cmd_export(const cli_args *args) {
    int code = check_args(args);
    if (code == CLI_DONE) code = cli_need_run(args->operand);
    if (code != CLI_DONE) return code;
    export_watch watch = {.bar = progress_create(args->quiet)};
    cli_log log = {.before_warning = progress_step_aside, .user = &watch.bar, .stops = true};
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
    stop_ends_frame(false);
    stop_watch();
    code = end_export(ctx, vo_run_export_obj(ctx, &def), &watch, args);
    vo_context_destroy(ctx);
    return code;
}
