/* voile check: defects of a scene, a mesh or a run. */
#include "cli.h"

#include "check_report.h"
#include "message.h"
#include "stop.h"

#include <string.h>
#include <strings.h>

/* What can be checked, and how it is called. */
static const char *const kind_names[] = {
    [VO_CHECK_RUN] = "run",
    [VO_CHECK_SCENE] = "scene",
    [VO_CHECK_CLOTH] = "mesh",
    [VO_CHECK_OBSTACLE] = "obstacle mesh",
};

/* Capitals count as small letters. */
static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* Tells by looking what a path is. */
static vo_check_kind kind_of(const char *path, bool obstacle) {
    if (cli_is_folder(path)) return VO_CHECK_RUN;
    if (!ends_with(path, ".obj")) return VO_CHECK_SCENE;
    return obstacle ? VO_CHECK_OBSTACLE : VO_CHECK_CLOTH;
}

/* Options that the kind at hand, or another option, gives no meaning. */
static int need_sense(const cli_args *args, vo_check_kind kind) {
    bool range = args->frames.first != 0 || args->frames.last >= 0;
    if (args->obstacle && kind != VO_CHECK_OBSTACLE)
        return cli_fail(CLI_BAD_CALL, "--obstacle is for meshes, and %s is a %s", args->operand,
                        kind_names[kind]);
    if ((range || args->frame >= 0) && kind != VO_CHECK_RUN)
        return cli_fail(CLI_BAD_CALL, "--%s is for runs, and %s is a %s",
                        range ? "frames" : "frame", args->operand, kind_names[kind]);
    if (args->frame >= 0 && !args->ply)
        return cli_fail(CLI_BAD_CALL, "--frame says what --ply FILE shows, which was not given; to "
                                      "check one frame use --frames N:N");
    return CLI_DONE;
}

/* Says what became of the picture. */
static void tell_picture(const cli_args *args, bool pictured) {
    if (!args->ply || args->json) return;
    if (pictured)
        printf("pictured in %s\n", args->ply);
    else
        printf("there is nothing to picture; %s is not written\n", args->ply);
}

/* Reports it; from here on there are frames to be finished, and no more set-up. */
static void after_frame(void *report, int frame, const vo_inspection *inspection) {
    stop_ends_frame(true);
    check_report_inspected(report, frame, inspection);
}

static int check(vo_context *ctx, const cli_args *args, vo_check_kind kind, check_report *report) {
    bool pictured = false;
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
    def.unread = &report->unread;
    check_report_begin(report);
    vo_result result = vo_check(ctx, &def, &pictured);
    bool failed = result != VO_OK && result != VO_BAD_DATA;
    report->picture = pictured ? args->ply : NULL;
    check_report_end(report, result == VO_OK, failed);
    if (failed) return cli_fail_result(ctx, result);
    if (report->out_of_room) return cli_fail(CLI_MACHINE, "out of memory for the report");
    tell_picture(args, pictured);
    return result == VO_OK ? CLI_DONE : CLI_BAD_DATA;
}

int cmd_check(const cli_args *args) {
    int code = cli_need_input(args->operand);
    if (code != CLI_DONE) return code;
    vo_check_kind kind = kind_of(args->operand, args->obstacle);
    code = need_sense(args, kind);
    if (code == CLI_DONE && kind == VO_CHECK_RUN) code = cli_need_run(args->operand);
    if (code != CLI_DONE) return code;
    vo_context *ctx;
    /* what a scene's files were taken for is part of the answer */
    bool notes = kind == VO_CHECK_SCENE && !args->json;
    cli_log log = {.notes = notes ? stdout : NULL, .stops = true};
    code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    stop_ends_frame(false);
    stop_watch();
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
