/* voile info: statistics of a run, or the contents of a character or garment file. */
#include "cli.h"

#include "asset_info.h"
#include "character_info.h"
#include "json_out.h"
#include "message.h"
#include "text.h"

#include <math.h>

/* Minimum, maximum and mean of `count` values; null if there are none. */
static void range_json(json_out *j, const char *key, vo_min_max_mean range, int count) {
    if (count == 0) {
        json_text(j, key, NULL);
        return;
    }
    json_open(j, key, '{');
    json_real(j, "min", range.min);
    json_real(j, "max", range.max);
    json_real(j, "mean", range.mean);
    json_close(j, '}');
}

/* A statistic of `count` values; null if there are none. */
static void real_json(json_out *j, const char *key, double value, int count) {
    json_real(j, key, count ? value : NAN);
}

static void texts_json(json_out *j, const char *key, int count, char *const *line) {
    json_open(j, key, '[');
    for (int i = 0; i < count; i++) json_text(j, NULL, line[i]);
    json_close(j, ']');
}

/* Prints one object on one line. */
static void print_json(const vo_run_info *info) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_int(&j, "frames", info->frames);
    range_json(&j, "faces", info->faces, info->frames_with_stats);
    range_json(&j, "nodes", info->nodes, info->frames_with_stats);
    range_json(&j, "verts", info->verts, info->frames_with_stats);
    range_json(&j, "wall_s", info->wall_s, info->frames_with_timings);
    real_json(&j, "setup_s", info->setup_s, info->setup_s > 0);
    real_json(&j, "wall_total_s", info->wall_total_s, info->wall_total_s > 0);
    json_open(&j, "stages", '{');
#define X(name, meaning) real_json(&j, #name, info->stage_mean_s.name, info->frames_with_timings);
    VO_STAGES(X)
#undef X
    json_close(&j, '}');
    real_json(&j, "max_strain", info->max_strain, info->frames_with_stats);
    real_json(&j, "max_intersections", info->max_intersections,
              info->max_intersections >= 0 ? info->frames_with_stats : 0);
    real_json(&j, "max_inside_nodes", info->max_inside_nodes, info->frames_with_stats);
    texts_json(&j, "overrides", info->overrides, info->override_text);
    texts_json(&j, "warnings", info->warnings, info->warning);
    json_close(&j, '}');
    json_end(&j);
}

/* A range of whole numbers. */
static void count_row(const char *name, vo_min_max_mean range) {
    printf("%-10s %12s %12s %12s\n", name, text_count((long long)range.min).s,
           text_count((long long)range.max).s, text_count((long long)(range.mean + 0.5)).s);
}

/* Seconds of a stage and its fraction of the frame. */
static void stage_row(const char *name, double seconds, double all, const char *meaning) {
    double percent = all > 0 ? 100 * seconds / all : 0;
    printf("%-10s %12.6f %10.1f %%   %s\n", name, seconds, percent, meaning);
}

/* Prints the times without frame 0. */
static void print_times(const vo_run_info *info) {
    printf("%-10s %12.6f %12.6f %12.6f\n", "seconds", info->wall_s.min, info->wall_s.max,
           info->wall_s.mean);
    printf("\n%-10s %12s %12s\n", "stage", "mean s", "share");
#define X(name, meaning) stage_row(#name, info->stage_mean_s.name, info->wall_s.mean, meaning);
    VO_STAGES(X)
#undef X
}

/* Prints the statistics, if there are any. */
static void print_statistics(const vo_run_info *info) {
    if (info->wall_total_s > 0) printf(", %s in all", text_seconds(info->wall_total_s).s);
    if (!info->frames_with_stats) {
        printf(", no statistics\n");
        return;
    }
    printf(", largest strain %.3g\n", info->max_strain);
    if (info->max_intersections >= 0)
        printf("%s intersection%s and ", text_count(info->max_intersections).s,
               text_plural(info->max_intersections));
    printf("%s node%s inside obstacles in the worst frame%s\n\n",
           text_count(info->max_inside_nodes).s, text_plural(info->max_inside_nodes),
           info->max_intersections >= 0 ? "" : "; intersections: use voile check");
    printf("%-10s %12s %12s %12s\n", "per frame", "min", "max", "mean");
    count_row("faces", info->faces);
    count_row("nodes", info->nodes);
    count_row("verts", info->verts);
    if (info->frames_with_timings) print_times(info);
    if (info->setup_s > 0)
        printf("\nframe 0 took %s: set-up and preroll, not included above\n",
               text_seconds(info->setup_s).s);
}

/* Prints everything as text. */
static void print_table(const char *folder, const vo_run_info *info) {
    printf("%s: %s frame%s", folder, text_count(info->frames).s, text_plural(info->frames));
    if (info->frames > 0) printf(", %d to %d", info->first_frame, info->last_frame);
    print_statistics(info);
    if (info->overrides) printf("\noverrides of resumed runs:\n");
    for (int i = 0; i < info->overrides; i++) printf("  %s\n", info->override_text[i]);
    printf("\n%s", info->warnings ? "warnings:\n" : "no warnings\n");
    for (int i = 0; i < info->warnings; i++) printf("  %s\n", info->warning[i]);
}

static int run_info(vo_context *ctx, const cli_args *args) {
    vo_run_info info;
    vo_result result = vo_run_get_info(ctx, args->operand, &info);
    if (result != VO_OK) return cli_fail_runs(ctx, result, 1, &args->operand);
    if (args->json)
        print_json(&info);
    else
        print_table(args->operand, &info);
    bool is_readable = info.frames > 0 || info.warnings == 0;
    vo_run_info_free(ctx, &info);
    return is_readable ? CLI_DONE : CLI_BAD_DATA;
}

/* CLI_DONE for a folder of a run, a garment file, and a file that can hold a character. */
static int need_operand(const char *path) {
    int code = cli_need_input(path);
    if (code != CLI_DONE || cli_is_folder(path))
        return code == CLI_DONE ? cli_need_run(path) : code;
    if (is_character_file(path) || is_asset_file(path)) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA,
                    "%s: info describes the folder of a run, a character file (.glb, .gltf, "
                    ".fbx, .dae, .bvh, .obj) or a garment file (.vrt); for a scene or a mesh use "
                    "\"voile check\"",
                    path);
}

int cmd_info(const cli_args *args) {
    int code = need_operand(args->operand);
    if (code != CLI_DONE) return code;
    vo_context *ctx;
    cli_log log = {0};
    code = cli_open(&(cli_args){.threads = 1, .memory = -1}, &log, &ctx);
    if (code != CLI_DONE) return code;
    code = cli_is_folder(args->operand)   ? run_info(ctx, args)
           : is_asset_file(args->operand) ? asset_info(ctx, args)
                                          : character_info(ctx, args);
    vo_context_destroy(ctx);
    return code;
}
