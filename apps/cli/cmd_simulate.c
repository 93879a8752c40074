/* voile simulate, voile resume: runs on disk, with progress and cancelling. */
#include "cli.h"

#include "json_out.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "signal_handler.h"
#include "text.h"

#include <string.h>

/* State of the callbacks of a run. */
typedef struct run_watch {
    const char *folder;
    int asked; /* last frame that was requested when resuming, which the run does not record; or -1
                */
    bool json;
    cli_log log;
    progress bar;
    bool output_failed; /* standard output, to which --json writes, cannot be written */
    int first, last;    /* frames written by this call; last is -1 before any */
    int resumable;      /* last frame from which the run can be resumed; -1: none */
    bool begun;         /* a frame was computed, saved or not */
    bool sewing;        /* garments, before the first frame */
    double elapsed_s;
} run_watch;

/* Prints the statistics of a frame with the names of stats.jsonl. */
static void print_stats(json_out *j, const vo_stats *stats) {
#define X(name, type, format, meaning) json_real(j, #name, (double)stats->name);
    VO_STAT_HEAD(X)
#undef X
    json_open(j, "stages", '{');
#define X(name, meaning) json_real(j, #name, stats->stage.name);
    VO_STAGES(X)
#undef X
    json_close(j, '}');
#define X(name, type, format, meaning) json_real(j, #name, (double)stats->name);
    VO_STAT_FIELDS(X)
#undef X
}

/* Prints the statistics of a frame as one line. */
static void print_frame_json(const vo_progress *state) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    print_stats(&j, state->stats);
    json_close(&j, '}');
    json_end(&j);
}

/* A vo_progress_fn: shows the progress; false if the user cancels or the output fails. */
static bool after_frame(void *user, const vo_progress *state) {
    run_watch *watch = user;
    signal_wait_for_frame(true);
    watch->sewing = false;
    watch->begun = true;
    if (!state->discarded) {
        watch->first = watch->last < 0 ? state->frame : watch->first;
        watch->last = state->frame;
    }
    watch->elapsed_s = state->elapsed_s;
    if (watch->json && !state->discarded)
        print_frame_json(state);
    else if (!watch->json)
        progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    if (watch->output_failed) return false;
    return !signal_received() || state->frame == state->last;
}

/* A vo_sew_progress_fn: the same while garments are sewn, before the first frame. */
static bool while_sewing(void *user, const vo_sew_progress *state) {
    run_watch *watch = user;
    signal_wait_for_frame(false);
    watch->sewing = true;
    watch->elapsed_s = state->elapsed_s;
    progress_show_sewing(&watch->bar, state);
    return !signal_received();
}

/* Prints the last line of --json: the result of the run. */
static void print_end_json(const run_watch *watch, const char *end, const char *message, int code) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "end", end);
    json_text(&j, "folder", watch->folder);
    json_int(&j, "frames", watch->last < 0 ? 0 : watch->last - watch->first + 1);
    json_int(&j, "last_frame", watch->last);
    json_real(&j, "wall_s", watch->elapsed_s);
    json_int(&j, "exit_code", code);
    if (message) json_text(&j, "message", message);
    json_close(&j, '}');
    json_end(&j);
}

/* Prints the summary of a completed run. */
static int end_done(const run_watch *watch, const cli_args *args, const char *quoted) {
    if (args->json) {
        print_end_json(watch, "done", NULL, CLI_DONE);
    } else if (!args->quiet && watch->last < 0) {
        printf("%s: complete, nothing to do\n", watch->folder);
    } else if (!args->quiet) {
        printf(
            "frames %d to %d are in %s (%s). Next: voile info %s, voile render %s -o movie.mp4\n",
            watch->first, watch->last, watch->folder, text_seconds(watch->elapsed_s).s, quoted,
            quoted);
    }
    return CLI_DONE;
}

/* Arguments of the resuming command after the folder: " --frames :40", or nothing. */
typedef struct resume_words {
    char s[32];
} resume_words;

static resume_words resume_arguments(const run_watch *watch) {
    resume_words more = {""};
    if (watch->asked >= 0) snprintf(more.s, sizeof more.s, " --frames :%d", watch->asked);
    return more;
}

/* Prints how to continue a cancelled run. */
static int end_cancelled(const run_watch *watch, const cli_args *args, const char *quoted) {
    if (watch->last >= 0)
        cli_print("cancelled after frame %d. Continue with: voile resume %s%s", watch->last, quoted,
                  resume_arguments(watch).s);
    else
        cli_print("cancelled %s, before the first saved frame; run the same "
                  "command again",
                  watch->sewing  ? "while sewing"
                  : watch->begun ? "in the preroll"
                                 : "during set-up");
    if (watch->output_failed) return CLI_SYSTEM_ERROR; /* cli_finish prints the reason */
    if (args->json) print_end_json(watch, "cancelled", NULL, CLI_CANCELLED);
    return CLI_CANCELLED;
}

/* Prints how to continue a failed run, whose saved frames are intact. */
static int end_failed(const run_watch *watch, const cli_args *args, int code, const char *message,
                      const char *quoted) {
    if (watch->resumable >= 0 && code == CLI_SYSTEM_ERROR)
        cli_print("frames up to %d are intact. Continue with: voile resume %s%s", watch->resumable,
                  quoted, resume_arguments(watch).s);
    if (args->json) print_end_json(watch, "failed", message, code);
    return code;
}

/* Distinguishes a failure to read the scene or its files, which is bad data, from a failure to
 * write, by loading the scene again. */
static int exit_of_failure(vo_context *ctx, vo_result result, const char *scene,
                           const vo_run_def *def, run_watch *watch) {
    if (result != VO_IO_FAILED || !scene) return cli_exit_of(result);
    vo_scene *again = NULL;
    watch->log.silent = true;
    vo_result loading = vo_scene_load(ctx, scene, def->override_count, def->overrides, &again);
    vo_scene_destroy(again);
    return loading == VO_IO_FAILED ? CLI_BAD_DATA : CLI_SYSTEM_ERROR;
}

/* Prints the result and returns the exit code. */
static int end_run(vo_context *ctx, vo_result result, const char *scene, const vo_run_def *def,
                   run_watch *watch, const cli_args *args) {
    char given[CLI_PATH], message[CLI_MESSAGE], quoted[CLI_PATH];
    snprintf(given, sizeof given, "%s", vo_context_message(ctx));
    cli_translate(given, message);
    vo_shell_quote(watch->folder, quoted, sizeof quoted);
    progress_end(&watch->bar);
    cli_print_repeats(&watch->log);
    if (result == VO_OK) return end_done(watch, args, quoted);
    if (result == VO_CANCELLED) return end_cancelled(watch, args, quoted);
    int code = exit_of_failure(ctx, result, scene, def, watch);
    cli_print("%s", message);
    cli_print_hint(given, quoted);
    memory_advise(ctx, result);
    return end_failed(watch, args, code, message, quoted);
}

/* An option that sets a key of the scene contradicts --set of the same key. */
static int refuse_both(const cli_args *args, const char *key, const char *value) {
    size_t length = strlen(key);
    for (int i = 0; value && i < args->override_count; i++)
        if (strncmp(args->overrides[i], key, length) == 0 && args->overrides[i][length] == '=')
            return cli_fail(CLI_USAGE_ERROR, "--%s %s and --set %s exclude each other.", key, value,
                            args->overrides[i]);
    return CLI_DONE;
}

/* Appends the setting KEY=VALUE of an option to the overrides. */
static void add_setting(const cli_args *args, const char *value, int count,
                        const char *const *settings, int *overrides) {
    for (int i = 0; value && i < count; i++)
        if (strcmp(value, strchr(settings[i], '=') + 1) == 0)
            args->overrides[(*overrides)++] = settings[i];
}

/* Appends --adapt and --engine to the overrides, whose array has two spare entries; returns their
 * number. */
static int add_options(const cli_args *args) {
    static const char *const adapt[] = {"adapt=none", "adapt=full", "adapt=view"};
    static const char *const engine[] = {"engine=quality", "engine=realtime"};
    int count = args->override_count;
    add_setting(args, args->adapt, 3, adapt, &count);
    add_setting(args, args->engine, 2, engine, &count);
    return count;
}

/* Runs both commands; `scene` is NULL to resume. */
static int run_simulation(const cli_args *args, const char *scene, const char *folder) {
    run_watch watch = {.folder = folder,
                       .asked = scene ? -1 : args->frames.last,
                       .json = args->json,
                       .bar = progress_create(args->quiet || args->json),
                       .last = -1,
                       .resumable = -1};
    watch.log = (cli_log){.before_warning = progress_hide, .user = &watch.bar, .cancellable = true};
    if (!args->json) cli_drop_output(); /* failing to print the progress does not end the run */
    vo_context *ctx;
    int code = cli_open(args, &watch.log, &ctx);
    if (code != CLI_DONE) return code;
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = args->frames.last;
    def.overwrite = args->force;
    def.override_count = add_options(args);
    def.overrides = args->overrides;
    def.progress = after_frame;
    def.sew_progress = while_sewing;
    def.user = &watch;
    def.resumable_frame = &watch.resumable;
    signal_wait_for_frame(false);
    signal_install();
    vo_result result = scene ? vo_run_simulate(ctx, scene, &def) : vo_run_resume(ctx, &def);
    code = end_run(ctx, result, scene, &def, &watch, args);
    vo_context_destroy(ctx);
    return code;
}

/* out/flag for conf/flag.json */
static bool default_folder(const char *scene, char *out, size_t size) {
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    int written = snprintf(out, size, "out/%.*s", length, name);
    return length > 0 && written > 0 && (size_t)written < size;
}

/* simulate cannot start in the middle; names the run that it would write. */
static int refuse_first_frame(const cli_args *args, const char *folder) {
    char quoted[CLI_PATH];
    return cli_fail(
        CLI_USAGE_ERROR,
        "simulate starts at frame 0, not %d, because every frame needs the previous one. To "
        "continue a run, use \"voile resume %s\".",
        args->frames.first, vo_shell_quote(folder, quoted, sizeof quoted));
}

int cmd_simulate(const cli_args *args) {
    char made[CLI_PATH] = "";
    const char *folder = args->output ? args->output : made;
    if (!args->output && !default_folder(args->operand, made, sizeof made))
        return cli_fail(CLI_USAGE_ERROR, "%s: cannot derive a folder name from it; use -o DIR.",
                        args->operand);
    if (args->frames.first != 0) return refuse_first_frame(args, folder);
    int code = refuse_both(args, "adapt", args->adapt);
    if (code == CLI_DONE) code = refuse_both(args, "engine", args->engine);
    if (code == CLI_DONE) code = cli_need_scene(args->operand, "a scene file (JSON text)");
    if (code != CLI_DONE) return code;
    if (cli_is_folder(args->operand))
        return cli_fail(CLI_BAD_DATA,
                        "%s: is a folder; simulate needs a scene file. To continue "
                        "a run, use \"voile resume\".",
                        args->operand);
    return run_simulation(args, args->operand, folder);
}

int cmd_resume(const cli_args *args) {
    if (args->frames.first != 0)
        return cli_fail(CLI_USAGE_ERROR,
                        "resume continues after the last intact frame; give only the last "
                        "one: --frames :%d.",
                        args->frames.last >= 0 ? args->frames.last : args->frames.first);
    int code = cli_need_run(args->operand);
    return code == CLI_DONE ? run_simulation(args, NULL, args->operand) : code;
}
