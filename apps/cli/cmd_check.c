/* voile check: defects of a scene, a mesh or a run. */
#include "cli.h"

#include "json_out.h"
#include "message.h"

#include <string.h>
#include <strings.h>

typedef vo_result check_fn(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user);

static vo_result check_cloth(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user) {
    return vo_check_mesh(ctx, path, VO_MESH_FOR_CLOTH, fn, user);
}

static vo_result check_obstacle(vo_context *ctx, const char *path, vo_finding_fn *fn, void *user) {
    return vo_check_mesh(ctx, path, VO_MESH_FOR_OBSTACLE, fn, user);
}

/* What can be checked, and how it is called. */
typedef struct check_kind {
    const char *name;
    check_fn *check;
} check_kind;

static const check_kind run_kind = {"run", vo_check_run}, mesh_kind = {"mesh", check_cloth},
                        obstacle_kind = {"obstacle mesh", check_obstacle},
                        scene_kind = {"scene", vo_check_scene};

typedef struct check_report {
    const char *path, *kind;
    bool json;
    json_out out;
    int fatal, other;
} check_report;

/* Capitals count as small letters. */
static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* Tells by looking what a path is. */
static check_kind kind_of(const char *path, bool obstacle) {
    if (cli_is_folder(path)) return run_kind;
    if (!ends_with(path, ".obj")) return scene_kind;
    return obstacle ? obstacle_kind : mesh_kind;
}

/* Counts a finding and prints it at once. */
static void on_finding(void *user, bool fatal, const char *text) {
    check_report *report = user;
    *(fatal ? &report->fatal : &report->other) += 1;
    if (!report->json) {
        printf("%s: %s\n", fatal ? "error" : "warning", text);
        return;
    }
    json_open(&report->out, NULL, '{');
    json_bool(&report->out, "fatal", fatal);
    json_text(&report->out, "text", text);
    json_close(&report->out, '}');
}

/* What stands before the findings. */
static void begin_report(check_report *report) {
    if (!report->json) return;
    json_open(&report->out, NULL, '{');
    json_text(&report->out, "path", report->path);
    json_text(&report->out, "kind", report->kind);
    json_open(&report->out, "findings", '[');
}

/* What stands after them. */
static void end_report(check_report *report, bool ok) {
    if (report->json) {
        json_close(&report->out, ']');
        json_bool(&report->out, "ok", ok);
        json_close(&report->out, '}');
        json_end(&report->out);
    } else if (report->fatal + report->other == 0) {
        printf("%s: %s without defects\n", report->path, report->kind);
    } else {
        printf("%s: %s with %d error%s and %d warning%s\n", report->path, report->kind,
               report->fatal, report->fatal == 1 ? "" : "s", report->other,
               report->other == 1 ? "" : "s");
    }
}

/* Bad data, and input that cannot be read, are findings; anything else is a failure of the check.
 */
static int finish(vo_context *ctx, vo_result result, check_report *report) {
    bool about_data = result == VO_BAD_DATA || result == VO_IO_FAILED;
    if (about_data && report->fatal == 0) on_finding(report, true, vo_context_message(ctx));
    bool ok = result == VO_OK && report->fatal == 0;
    end_report(report, ok);
    if (ok) return CLI_DONE;
    return result == VO_OK || about_data ? CLI_BAD_DATA : cli_fail_result(ctx, result);
}

int cmd_check(const cli_args *args) {
    int code = cli_need_input(args->operand);
    if (code != CLI_DONE) return code;
    check_kind kind = kind_of(args->operand, args->obstacle);
    if (args->obstacle && kind.check != check_obstacle)
        return cli_fail(CLI_BAD_CALL, "--obstacle is for meshes, and %s is a %s", args->operand,
                        kind.name);
    if (kind.check == vo_check_run) code = cli_need_run(args->operand);
    if (code != CLI_DONE) return code;
    vo_context *ctx;
    code = cli_open(args, NULL, &ctx);
    if (code != CLI_DONE) return code;
    check_report report = {
        .path = args->operand, .kind = kind.name, .json = args->json, .out = {stdout, false}};
    begin_report(&report);
    code = finish(ctx, kind.check(ctx, args->operand, on_finding, &report), &report);
    vo_context_destroy(ctx);
    return code;
}
