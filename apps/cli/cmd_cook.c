/* voile cook: converts a pattern or a mesh to a garment file of the real-time library. */
#include "cli.h"

#include "asset_info.h"
#include "message.h"
#include "progress.h"
#include "sew_options.h"
#include "signal_handler.h"
#include "text.h"

#include <string.h>

enum { MAX_LABELS = 64, MAX_LABEL_TEXT = 4096 };

/* Words of --attach, which the definition refers to. */
typedef struct labels {
    char text[MAX_LABEL_TEXT];
    const char *label[MAX_LABELS];
    int count;
} labels;

/* ---- the call -------------------------------------------------------------------------------- */

/* Reads the level of --base-output. */
static int read_base_level(const cli_args *args, int max_level, int *out) {
    double level = 0;
    const cli_number number = {"base-level", args->base_level, 0, max_level, &level};
    if (args->base_level && !args->base_output)
        return cli_fail(CLI_USAGE_ERROR, "--base-level needs --base-output FILE.obj.");
    int code = cli_read_numbers(1, &number);
    if (code == CLI_DONE && level != (int)level)
        return cli_fail(CLI_USAGE_ERROR, "--base-level needs a whole number, not \"%s\".",
                        args->base_level);
    *out = (int)level;
    return code;
}

static int read_numbers(const cli_args *args, vo_cook_def *def) {
    double levels = def->max_level;
    const cli_number numbers[] = {{"height", args->height, 0.5, 3, &def->sew.mannequin.height},
                                  {"build", args->build, -1, 1, &def->sew.mannequin.build},
                                  {"figure", args->figure, -1, 1, &def->sew.mannequin.figure},
                                  {"edge", args->edge, 1e-3, 1, &def->sew.edge_length},
                                  {"uv-scale", args->uv_scale, 1e-6, 1e6, &def->uv_scale},
                                  {"friction", args->friction, 0, 1000, &def->friction},
                                  {"tolerance", args->tolerance, 1e-9, 1e6, &def->tolerance},
                                  {"levels", args->levels, 0, VO_RT_MAX_LEVEL, &levels}};
    int code = cli_read_numbers(sizeof numbers / sizeof *numbers, numbers);
    if (code != CLI_DONE) return code;
    if (levels != (int)levels)
        return cli_fail(CLI_USAGE_ERROR, "--levels needs a whole number, not \"%s\".",
                        args->levels);
    def->max_level = (int)levels;
    return CLI_DONE;
}

/* Splits --attach at its commas. */
static int read_labels(const char *words, labels *out) {
    out->count = 0;
    if (!words) return CLI_DONE;
    if (strlen(words) >= sizeof out->text)
        return cli_fail(CLI_USAGE_ERROR, "--attach is longer than %d characters.",
                        MAX_LABEL_TEXT - 1);
    strcpy(out->text, words);
    for (char *at = out->text; at;) {
        char *comma = strchr(at, ',');
        if (comma) *comma = 0;
        if (*at == 0)
            return cli_fail(CLI_USAGE_ERROR, "--attach needs LABEL,LABEL,..., not \"%s\".", words);
        if (out->count == MAX_LABELS)
            return cli_fail(CLI_USAGE_ERROR, "--attach takes at most %d labels.", MAX_LABELS);
        out->label[out->count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return CLI_DONE;
}

static bool has_mannequin_options(const cli_args *args) {
    return args->height || args->build || args->figure;
}

static int check_body_options(const cli_args *args) {
    if (args->no_body && (args->body || args->mannequin || has_mannequin_options(args)))
        return cli_fail(CLI_USAGE_ERROR, "--no-body excludes the options that describe the body.");
    if (args->body && (args->mannequin || has_mannequin_options(args)))
        return cli_fail(CLI_USAGE_ERROR,
                        "--mannequin, --height, --build and --figure are for the mannequin; --body "
                        "is another one.");
    if ((args->units || args->up) && !args->body)
        return cli_fail(CLI_USAGE_ERROR,
                        "--units and --up describe the file of --body, which is missing.");
    return CLI_DONE;
}

static int read_call(const cli_args *args, labels *words, vo_cook_def *def) {
    *def = vo_cook_def_default();
    def->input = args->operand;
    def->face_count = args->faces;
    def->sew.body = args->body;
    def->sew.fabric = args->fabric;
    def->sew.no_body = args->no_body;
    def->sew.fit = !args->no_fit;
    def->mesh_on_body = args->body || args->mannequin || has_mannequin_options(args);
    def->skin = !args->no_skin;
    def->tethers = !args->no_tethers;
    def->maps = args->maps;
    def->links = args->links;
    def->render = args->render;
    cli_read_body_axes(args, &def->sew);
    int code = check_body_options(args);
    if (code == CLI_DONE) code = read_numbers(args, def);
    if (code == CLI_DONE) code = read_labels(args->attach, words);
    def->attachment_count = words->count;
    def->attachments = words->label;
    return code;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Checks that inputs can be read, outputs can be written and no input is overwritten. */
static int check_files(const cli_args *args) {
    const char *const in[] = {args->operand, args->body, args->maps, args->links, args->render};
    const char *const out[] = {args->output, args->base_output};
    for (int i = 0; i < 5; i++) {
        int code = in[i] ? cli_need_input(in[i]) : CLI_DONE;
        if (code != CLI_DONE) return code;
        for (int k = 0; k < 2; k++)
            if (cli_is_same_file(in[i], out[k]))
                return cli_fail(CLI_USAGE_ERROR, "%s: is an input and would be overwritten.",
                                out[k]);
    }
    if (cli_is_same_file(out[0], out[1]))
        return cli_fail(CLI_USAGE_ERROR, "%s: would be written twice.", out[0]);
    int code = cli_need_output(out[0]);
    return code == CLI_DONE ? cli_need_output(out[1]) : code;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool report_sew_progress(void *user, const vo_sew_progress *p) {
    progress_show_sewing(user, p);
    return !signal_received();
}

/* Distances of the levels from the input mesh. */
static void print_levels(const vo_cook_report *report, int max_level) {
    if (report->detected_levels > 0)
        printf("  subdivision connectivity: coarsened %d times\n", report->detected_levels);
    else
        printf("  remeshed from %s faces\n", text_count(report->input_faces).s);
    for (int k = 0; k <= max_level; k++)
        printf("  level %d: at most %.2f mm from the input, %.2f mm rms\n", k,
               1000 * report->level_max_error[k], 1000 * report->level_rms_error[k]);
}

static void json_levels(json_out *j, const vo_cook_report *report, int max_level) {
    json_int(j, "detected_levels", report->detected_levels);
    json_open(j, "level_max_error_m", '[');
    for (int k = 0; k <= max_level; k++) json_real(j, NULL, report->level_max_error[k]);
    json_close(j, ']');
    json_open(j, "level_rms_error_m", '[');
    for (int k = 0; k <= max_level; k++) json_real(j, NULL, report->level_rms_error[k]);
    json_close(j, ']');
}

static void print_json(const cli_args *args, const vo_rt_asset_info *info,
                       const vo_cook_report *report) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "file", args->output);
    asset_info_json(&j, info);
    json_int(&j, "input_faces", report->input_faces);
    json_real(&j, "area_m2", report->area);
    if (args->tolerance) json_levels(&j, report, info->max_level);
    json_real(&j, "uv_scale_m", report->uv_scale);
    json_open(&j, "fabric", '{');
    json_real(&j, "density", (double)report->fabric.density);
    json_real(&j, "stretch_compliance", (double)report->fabric.stretch_compliance);
    json_real(&j, "bend_stiffness", (double)report->fabric.bend_stiffness);
    json_real(&j, "friction", (double)report->fabric.friction);
    json_real(&j, "thickness", (double)report->fabric.thickness);
    json_close(&j, '}');
    json_open(&j, "bone_names", '[');
    for (int i = 0; i < report->bone_count; i++) json_text(&j, NULL, report->bone_names[i]);
    json_close(&j, ']');
    json_real(&j, "wall_s", report->wall_s);
    json_close(&j, '}');
    json_end(&j);
}

static void print_report(const cli_args *args, const vo_rt_asset *asset,
                         const vo_cook_report *report) {
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    if (args->json) {
        print_json(args, &info, report);
    } else if (!args->quiet) {
        printf("%s: %s bytes, cooked in %s\n", args->output, text_count((long long)info.bytes).s,
               text_seconds(report->wall_s).s);
        asset_info_print(&info);
        if (args->tolerance) print_levels(report, info.max_level);
    }
}

static int save(vo_context *ctx, const cli_args *args, const vo_rt_asset *asset, int base_level) {
    vo_result result = vo_cook_save(ctx, asset, args->output);
    if (result == VO_OK && args->base_output)
        result = vo_cook_save_level(ctx, asset, base_level, args->base_output);
    return result == VO_OK ? CLI_DONE : cli_fail_result(ctx, result);
}

static int cook(vo_context *ctx, const cli_args *args, progress *bar) {
    vo_cook_report report;
    vo_rt_asset *asset;
    vo_cook_def def;
    labels words;
    int base_level = 0, code = read_call(args, &words, &def);
    if (code == CLI_DONE) code = read_base_level(args, def.max_level, &base_level);
    if (code != CLI_DONE) return code;
    def.sew.progress = report_sew_progress;
    def.sew.user = bar;
    vo_result result = vo_cook(ctx, &def, &asset, &report);
    progress_clear(bar);
    if (result == VO_CANCELLED) return cli_fail(CLI_CANCELLED, "cancelled; nothing was written");
    if (result != VO_OK) return cli_fail_result(ctx, result);
    code = save(ctx, args, asset, base_level);
    if (code == CLI_DONE) print_report(args, asset, &report);
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    return code;
}

int cmd_cook(const cli_args *args) {
    vo_context *ctx;
    progress bar = progress_create(args->quiet || args->json);
    cli_log log = {.before_warning = progress_hide, .user = &bar, .cancellable = true};
    if (!args->output) return cli_fail(CLI_USAGE_ERROR, "cook needs an output: -o FILE.vrt.");
    int code = check_files(args);
    if (code == CLI_DONE) code = cli_open(args, &log, &ctx);
    if (code != CLI_DONE) return code;
    signal_install();
    signal_wait_for_frame(false);
    code = cook(ctx, args, &bar);
    vo_context_destroy(ctx);
    return code;
}
