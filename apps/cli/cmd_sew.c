/* voile sew: sews a pattern into a garment. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "sew_options.h"
#include "signal_handler.h"
#include "text.h"

#include <string.h>

/* ---- the call -------------------------------------------------------------------------------- */

static int read_call(const cli_args *args, vo_sew_def *def) {
    const cli_number numbers[] = {{"height", args->height, 0.5, 3, &def->mannequin.height},
                                  {"build", args->build, -1, 1, &def->mannequin.build},
                                  {"figure", args->figure, -1, 1, &def->mannequin.figure},
                                  {"edge", args->edge, 1e-3, 1, &def->edge_length}};
    *def = vo_sew_def_default();
    def->pattern = args->operand;
    def->body = args->body;
    def->fabric = args->fabric;
    def->no_body = args->no_body;
    def->fit = !args->no_fit;
    cli_read_body_axes(args, def);
    int code = cli_read_numbers(sizeof numbers / sizeof *numbers, numbers);
    if (code != CLI_DONE) return code;
    if (args->faces && args->edge)
        return cli_fail(CLI_USAGE_ERROR, "--faces and --edge exclude each other.");
    if (args->faces) def->face_target = args->faces, def->edge_length = 0;
    if (def->body && (args->height || args->build || args->figure))
        return cli_fail(CLI_USAGE_ERROR, "--height, --build and --figure are for the mannequin; "
                                         "--body has its own size.");
    return CLI_DONE;
}

/* Rejects options that have no effect next to others. */
static int check_options(const cli_args *args) {
    const struct {
        const char *name;
        bool given, of_body; /* all are of patterns */
    } option[] = {{"body", args->body, true},      {"body-output", args->body_output, true},
                  {"height", args->height, true},  {"build", args->build, true},
                  {"figure", args->figure, true},  {"no-body", args->no_body, false},
                  {"fabric", args->fabric, false}, {"edge", args->edge, false},
                  {"faces", args->faces, false},   {"no-fit", args->no_fit, false},
                  {"svg", args->svg, false},       {"no-cache", args->no_cache, false}};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
        if (!option[i].given) continue;
        if (args->merge)
            return cli_fail(CLI_USAGE_ERROR, "--%s is for patterns; --merge joins two meshes.",
                            option[i].name);
        if (args->no_body && option[i].of_body)
            return cli_fail(CLI_USAGE_ERROR,
                            "--%s describes the body, but --no-body sews without one.",
                            option[i].name);
    }
    if ((args->units || args->up) && !args->body)
        return cli_fail(CLI_USAGE_ERROR,
                        "--units and --up describe the file of --body, which is missing.");
    if (args->threshold && !args->merge)
        return cli_fail(CLI_USAGE_ERROR, "--threshold needs --merge.");
    return CLI_DONE;
}

/* Checks that no file is written twice, or both read and written. */
static int check_files(const cli_args *args) {
    const char *const in[] = {args->operand, args->body, args->merge};
    const char *const out[] = {args->output, args->body_output, args->svg};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            if (cli_is_same_file(out[i], in[k]))
                return cli_fail(CLI_USAGE_ERROR, "%s: is an input and would be overwritten.",
                                out[i]);
        for (int k = 0; k < i; k++)
            if (cli_is_same_file(out[i], out[k]))
                return cli_fail(CLI_USAGE_ERROR, "%s: would be written twice.", out[i]);
    }
    return CLI_DONE;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* A vo_sew_progress_fn. */
static bool report_sew_progress(void *user, const vo_sew_progress *p) {
    progress_show_sewing(user, p);
    return !signal_received();
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_report(const cli_args *args, const vo_sew_report *r) {
    if (args->quiet) return;
    printf("%s: %s faces, %d seam%s closed", args->output, text_count(r->faces).s, r->seams,
           text_plural(r->seams));
    if (r->stitches) printf(" (%.1f mm apart before they were joined)", 1000 * r->gap);
    printf(", strain up to %.1f %%, ", 100 * r->max_strain);
    if (r->was_stored)
        printf("read from the cache in %s\n", text_seconds(r->wall_s).s);
    else
        printf("%d step%s in %s\n", r->steps, text_plural(r->steps), text_seconds(r->wall_s).s);
}

static int save(vo_context *ctx, const vo_mesh *mesh, const char *path) {
    vo_result result = mesh ? vo_mesh_save_obj(ctx, mesh, path) : VO_OK;
    return result == VO_OK ? CLI_DONE : cli_fail_result(ctx, result);
}

static int sew(vo_context *ctx, const cli_args *args, progress *bar) {
    vo_mesh *garment = NULL, *body = NULL;
    vo_sew_report report;
    vo_sew_def def;
    int code = read_call(args, &def);
    if (code != CLI_DONE) return code;
    if (args->svg) {
        vo_result drawn = vo_sew_save_svg(ctx, args->operand, args->svg);
        if (drawn != VO_OK) return cli_fail_result(ctx, drawn);
        if (!args->output) return CLI_DONE;
    }
    def.progress = report_sew_progress;
    def.user = bar;
    vo_result result = vo_sew(ctx, &def, &garment, &body, &report);
    progress_clear(bar);
    code = result == VO_OK          ? save(ctx, garment, args->output)
           : result == VO_CANCELLED ? cli_fail(CLI_CANCELLED, "cancelled; nothing was written")
                                    : cli_fail_result(ctx, result);
    if (code == CLI_DONE && args->body_output) code = save(ctx, body, args->body_output);
    if (code == CLI_DONE) print_report(args, &report);
    vo_mesh_destroy(garment);
    vo_mesh_destroy(body);
    return code;
}

/* ARCSim's merge: --merge is the flat mesh, the operand the one in the world. */
static int merge(vo_context *ctx, const cli_args *args) {
    vo_mesh *mesh;
    double distance = 1e-3;
    int code = cli_need_input(args->merge);
    const cli_number threshold = {"threshold", args->threshold, 0, 1, &distance};
    if (code == CLI_DONE) code = cli_read_numbers(1, &threshold);
    if (code != CLI_DONE) return code;
    vo_result result = vo_sew_merge(ctx, args->merge, args->operand, distance, &mesh);
    if (result != VO_OK) return cli_fail_result(ctx, result);
    vo_mesh_view view = vo_mesh_get_view(mesh);
    code = save(ctx, mesh, args->output);
    if (code == CLI_DONE && !args->quiet)
        printf("%s: %s faces, %d nodes of %d vertices\n", args->output,
               text_count(view.face_count).s, view.node_count, view.vert_count);
    vo_mesh_destroy(mesh);
    return code;
}

int cmd_sew(const cli_args *args) {
    vo_context *ctx;
    progress bar = progress_create(args->quiet);
    cli_log log = {.before_warning = progress_hide, .user = &bar};
    if (!args->output && (args->merge || !args->svg))
        return cli_fail(CLI_USAGE_ERROR, "sew needs an output: -o FILE.obj.");
    int code = check_options(args);
    if (code == CLI_DONE) code = cli_need_input(args->operand);
    if (code == CLI_DONE && args->body) code = cli_need_input(args->body);
    const char *const outputs[] = {args->output, args->body_output, args->svg};
    for (int i = 0; i < 3 && code == CLI_DONE; i++) code = cli_need_output(outputs[i]);
    if (code == CLI_DONE) code = check_files(args);
    if (code == CLI_DONE) code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    signal_install();
    signal_wait_for_frame(false);
    code = args->merge ? merge(ctx, args) : sew(ctx, args, &bar);
    vo_context_destroy(ctx);
    return code;
}
