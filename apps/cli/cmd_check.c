/* voile check: defects of a scene, a mesh or a run. */
#include "cli.h"

#include "check_report.h"
#include "message.h"
#include "signal_handler.h"

#include <string.h>
#include <strings.h>

/* Names of the kinds of input. */
static const char *const kind_names[] = {
    [VO_CHECK_RUN] = "run",
    [VO_CHECK_SCENE] = "scene",
    [VO_CHECK_CLOTH] = "mesh",
    [VO_CHECK_OBSTACLE] = "obstacle mesh",
};

/* Compares without regard to case. */
static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* Kind of input by its path. */
static vo_check_kind kind_of(const char *path, bool obstacle) {
    if (cli_is_folder(path)) return VO_CHECK_RUN;
    if (!ends_with(path, ".obj")) return VO_CHECK_SCENE;
    return obstacle ? VO_CHECK_OBSTACLE : VO_CHECK_CLOTH;
}

/* Rejects options that do not apply to the kind of input. */
static int check_options(const cli_args *args, vo_check_kind kind) {
    bool range = args->frames.first != 0 || args->frames.last >= 0;
    if (args->obstacle && kind != VO_CHECK_OBSTACLE)
        return cli_fail(CLI_USAGE_ERROR, "--obstacle is for meshes, and %s is a %s", args->operand,
                        kind_names[kind]);
    if ((range || args->frame >= 0) && kind != VO_CHECK_RUN)
        return cli_fail(CLI_USAGE_ERROR, "--%s is for runs, and %s is a %s",
                        range ? "frames" : "frame", args->operand, kind_names[kind]);
    if (args->frame >= 0 && !args->ply)
        return cli_fail(CLI_USAGE_ERROR,
                        "--frame selects the frame of --ply FILE, which was not given; to "
                        "check one frame use --frames N:N");
    return CLI_DONE;
}

/* Prints whether the PLY file was written. */
static void print_ply(const cli_args *args, bool wrote_ply) {
    if (!args->ply || args->json) return;
    if (wrote_ply)
        printf("wrote %s\n", args->ply);
    else
        printf("no defect to show; %s is not written\n", args->ply);
}

/* A vo_inspection_fn: adds the frame to the report. Signals end the check after a frame from here
 * on. */
static void after_frame(void *report, int frame, const vo_inspection *inspection) {
    signal_wait_for_frame(true);
    check_report_inspected(report, frame, inspection);
}

static int check(vo_context *ctx, const cli_args *args, vo_check_kind kind, check_report *report) {
    bool wrote_ply = false;
    vo_check_def def = vo_check_def_default();
    def.kind = kind;
    def.path = args->operand;
    def.first = args->frames.first;
    def.last = args->frames.last;
    def.ply = args->ply;
    def.ply_frame = args->frame;
    def.finding = check_report_finding;
    def.inspected = after_frame;
    def.user = report;
    def.unreadable_frames = &report->unread;
    check_report_begin(report);
    vo_result result = vo_check(ctx, &def, &wrote_ply);
    bool failed = result != VO_OK && result != VO_BAD_DATA;
    report->ply = wrote_ply ? args->ply : NULL;
    check_report_end(report, result == VO_OK, failed);
    if (failed) return cli_fail_runs(ctx, result, kind == VO_CHECK_RUN, &args->operand);
    if (report->out_of_memory) return cli_fail(CLI_SYSTEM_ERROR, "out of memory for the report");
    print_ply(args, wrote_ply);
    return result == VO_OK ? CLI_DONE : CLI_BAD_DATA;
}

int cmd_check(const cli_args *args) {
    int code = cli_need_input(args->operand);
    if (code != CLI_DONE) return code;
    vo_check_kind kind = kind_of(args->operand, args->obstacle);
    if (kind == VO_CHECK_SCENE)
        code = cli_need_scene(args->operand,
                              "a scene (JSON text), a mesh (.obj) or the folder of a run");
    if (code != CLI_DONE) return code;
    code = check_options(args, kind);
    if (code == CLI_DONE && kind == VO_CHECK_RUN) code = cli_need_run(args->operand);
    if (code != CLI_DONE) return code;
    vo_context *ctx;
    /* notes on the scene's files are part of the result */
    bool notes = kind == VO_CHECK_SCENE && !args->json;
    cli_log log = {.notes = notes ? stdout : NULL, .cancellable = true};
    code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    signal_wait_for_frame(false);
    signal_install();
    check_report report = {.path = args->operand,
                           .kind = kind_names[kind],
                           .json = args->json,
                           .scene = kind == VO_CHECK_SCENE,
                           .mesh = kind == VO_CHECK_CLOTH || kind == VO_CHECK_OBSTACLE,
                           .out = {stdout, false}};
    code = check(ctx, args, kind, &report);
    check_report_free(&report);
    vo_context_destroy(ctx);
    return code;
}
