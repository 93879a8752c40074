/* voile simulate, voile resume: runs on disk, with progress and a way to stop. */
#include "cli.h"

#include "json_out.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "stop.h"
#include "text.h"

#include <string.h>

/* What the callback of a run knows. */
typedef struct run_watch {
    const char *folder;
    int asked; /* the last frame that this call alone wants, and the run does not know; or -1 */
    bool json;
    cli_log log;
    progress bar;
    bool output_failed; /* standard output, which --json is for, cannot be written any more */
    int first, last;    /* frames written by this call; last is -1 before any */
    int safe;           /* frame from which the run can be gone on with; -1: none */
    bool begun;         /* there was a frame, if only one that is not kept */
    bool sewing;        /* garments of the scene, before any frame */
    double elapsed_s;
} run_watch;

/* A frame's statistics, with the names of stats.jsonl. */
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

/* One line. */
static void print_frame_json(const vo_progress *state) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    print_stats(&j, state->stats);
    json_close(&j, '}');
    json_end(&j);
}

/* Shows the progress; false once the user or a broken output ends the run. */
static bool after_frame(void *user, const vo_progress *state) {
    run_watch *watch = user;
    stop_ends_frame(true);
    watch->sewing = false;
    watch->begun = true;
    if (!state->unkept) {
        watch->first = watch->last < 0 ? state->frame : watch->first;
        watch->last = state->frame;
    }
    watch->elapsed_s = state->elapsed_s;
    if (watch->json && !state->unkept)
        print_frame_json(state);
    else if (!watch->json)
        progress_show(&watch->bar, state);
    watch->output_failed = !cli_flush();
    if (watch->output_failed) return false;
    return !stop_asked() || state->frame == state->last;
}

/* The same while garments are sewn, before any frame. */
static bool while_sewing(void *user, const vo_sew_progress *state) {
    run_watch *watch = user;
    stop_ends_frame(false);
    watch->sewing = true;
    watch->elapsed_s = state->elapsed_s;
    progress_show_sewing(&watch->bar, state);
    return !stop_asked();
}

/* The last line of --json: how the run ended. */
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

/* The run came to its end. */
static int end_done(const run_watch *watch, const cli_args *args, const char *quoted) {
    if (args->json) {
        print_end_json(watch, "done", NULL, CLI_DONE);
    } else if (!args->quiet && watch->last < 0) {
        printf("nothing left to do in %s\n", watch->folder);
    } else if (!args->quiet) {
        printf(
            "frames %d to %d are in %s (%s). Look at them with: voile info %s, voile export %s\n",
            watch->first, watch->last, watch->folder, text_seconds(watch->elapsed_s).s, quoted,
            quoted);
    }
    return CLI_DONE;
}

/* What a call that goes on must say beside the folder: " --frames :40", or nothing. */
typedef struct more_words {
    char s[32];
} more_words;

static more_words more_to_say(const run_watch *watch) {
    more_words more = {""};
    if (watch->asked >= 0) snprintf(more.s, sizeof more.s, " --frames :%d", watch->asked);
    return more;
}

/* It was stopped; what is there can be gone on with. */
static int end_stopped(const run_watch *watch, const cli_args *args, const char *quoted) {
    if (watch->last >= 0)
        cli_say("stopped after frame %d. Go on with: voile resume %s%s", watch->last, quoted,
                more_to_say(watch).s);
    else
        cli_say("stopped %s, before the first frame that is kept. Nothing is lost: start again "
                "with the same call.",
                watch->sewing  ? "while sewing"
                : watch->begun ? "in the preroll"
                               : "while the scene was set up");
    if (watch->output_failed) return CLI_MACHINE; /* cli_finish says so */
    if (args->json) print_end_json(watch, "stopped", NULL, CLI_STOPPED);
    return CLI_STOPPED;
}

/* It failed; what was written before is still good. */
static int end_failed(const run_watch *watch, const cli_args *args, int code, const char *message,
                      const char *quoted) {
    if (watch->safe >= 0 && code == CLI_MACHINE)
        cli_say("frames up to %d are safe. Go on with: voile resume %s%s", watch->safe, quoted,
                more_to_say(watch).s);
    if (args->json) print_end_json(watch, "failed", message, code);
    return code;
}

/* Reading fails like writing. Whether it was the scene or a file it names shows when only they are
 * read again. */
static int exit_of_failure(vo_context *ctx, vo_result result, const char *scene,
                           const vo_run_def *def, run_watch *watch) {
    if (result != VO_IO_FAILED || !scene) return cli_exit_of(result);
    vo_scene *again = NULL;
    watch->log.silent = true;
    vo_result loading = vo_scene_load(ctx, scene, def->set_count, def->sets, &again);
    vo_scene_destroy(again);
    return loading == VO_IO_FAILED ? CLI_BAD_DATA : CLI_MACHINE;
}

/* Says how it went and picks the exit code. */
static int end_run(vo_context *ctx, vo_result result, const char *scene, const vo_run_def *def,
                   run_watch *watch, const cli_args *args) {
    char message[CLI_PATH], quoted[CLI_PATH];
    snprintf(message, sizeof message, "%s", vo_context_message(ctx));
    vo_path_quoted(watch->folder, quoted, sizeof quoted);
    progress_end(&watch->bar);
    if (result == VO_OK) return end_done(watch, args, quoted);
    if (result == VO_STOPPED) return end_stopped(watch, args, quoted);
    int code = exit_of_failure(ctx, result, scene, def, watch);
    cli_say("%s", message);
    memory_advise(ctx, result);
    return end_failed(watch, args, code, message, quoted);
}

/* Which of the two would count could only be guessed. */
static int refuse_both_adapts(const cli_args *args) {
    for (int i = 0; args->adapt && i < args->set_count; i++)
        if (strncmp(args->sets[i], "adapt=", 6) == 0)
            return cli_fail(CLI_BAD_CALL, "--adapt %s and --set %s exclude each other.",
                            args->adapt, args->sets[i]);
    return CLI_DONE;
}

/* --adapt is a setting like others; there is room for one more than the words can name. */
static int add_adapt(const cli_args *args) {
    static const char *const settings[] = {"adapt=none", "adapt=full", "adapt=view"};
    if (!args->adapt) return args->set_count;
    for (int i = 0; i < 3; i++)
        if (strcmp(args->adapt, strchr(settings[i], '=') + 1) == 0)
            args->sets[args->set_count] = settings[i];
    return args->set_count + 1;
}

/* Both commands; `scene` is NULL to resume. */
static int run(const cli_args *args, const char *scene, const char *folder) {
    run_watch watch = {.folder = folder,
                       .asked = scene ? -1 : args->frames.last,
                       .json = args->json,
                       .bar = progress_create(args->quiet || args->json),
                       .last = -1,
                       .safe = -1};
    watch.log = (cli_log){.before_warning = progress_step_aside, .user = &watch.bar, .stops = true};
    if (!args->json) cli_drop_output(); /* the run is what matters, not its progress */
    vo_context *ctx;
    int code = cli_open(args, &watch.log, &ctx);
    if (code != CLI_DONE) return code;
    vo_run_def def = vo_run_def_default();
    def.folder = folder;
    def.last_frame = args->frames.last;
    def.overwrite = args->force;
    def.set_count = add_adapt(args);
    def.sets = args->sets;
    def.progress = after_frame;
    def.sewing = while_sewing;
    def.user = &watch;
    def.safe_frame = &watch.safe;
    stop_ends_frame(false);
    stop_watch();
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

int cmd_simulate(const cli_args *args) {
    char made[CLI_PATH];
    const char *folder = args->output ? args->output : made;
    if (args->frames.first != 0)
        return cli_fail(CLI_BAD_CALL,
                        "simulate starts at frame 0, not %d: every frame needs the one before. To "
                        "go on with a run, use \"voile resume DIR\".",
                        args->frames.first);
    int code = refuse_both_adapts(args);
    if (code == CLI_DONE) code = cli_need_input(args->operand);
    if (code != CLI_DONE) return code;
    if (cli_is_folder(args->operand))
        return cli_fail(CLI_BAD_DATA,
                        "%s: is a folder; simulate wants a scene file. To go on with "
                        "a run, use \"voile resume\".",
                        args->operand);
    if (!args->output && !default_folder(args->operand, made, sizeof made))
        return cli_fail(CLI_BAD_CALL, "%s: cannot make a folder's name of it; use -o DIR.",
                        args->operand);
    return run(args, args->operand, folder);
}

int cmd_resume(const cli_args *args) {
    if (args->frames.first != 0)
        return cli_fail(CLI_BAD_CALL,
                        "resume always goes on after the last intact frame; give only the last "
                        "one: --frames :%d.",
                        args->frames.last >= 0 ? args->frames.last : args->frames.first);
    int code = cli_need_run(args->operand);
    return code == CLI_DONE ? run(args, NULL, args->operand) : code;
}
