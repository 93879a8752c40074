#include "upsample_print.h"

#include "json_out.h"
#include "message.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- training -------------------------------------------------------------------------------- */

static const char *const kinds[] = {"harmonic", "laplacian", "tikhonov",
                                    "linear",   "cutoff",    "none"};
static const char *const bases[] = {"barycentric", "loop", "none"};

static void json_fit(json_out *j, const vo_upsample_fit_def *fit) {
    json_open(j, "fit", '{');
    json_text(j, "regularisation", kinds[fit->regularisation]);
    json_text(j, "base", bases[fit->base]);
    json_int(j, "harmonics", fit->harmonic_count);
    json_real(j, "gamma_first", fit->gamma_first);
    json_real(j, "gamma_last", fit->gamma_last);
    json_real(j, "exponent", fit->exponent);
    json_int(j, "history", fit->history);
    json_close(j, '}');
}

static void json_report(const char *file, const vo_upsample_report *r) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "file", file);
    json_int(&j, "coarse_vertices", r->coarse_vertices);
    json_int(&j, "fine_vertices", r->fine_vertices);
    json_int(&j, "frames", r->frames);
    json_int(&j, "sequences", r->sequences);
    json_int(&j, "test_functions", r->test_functions);
    json_int(&j, "harmonics", r->harmonics);
    json_bool(&j, "harmonics_were_stored", r->harmonics_were_stored);
    json_fit(&j, &r->fit);
    json_int(&j, "modes", r->mode_count);
    json_real(&j, "error_rms_m", r->error_rms);
    json_real(&j, "base_error_rms_m", r->base_error_rms);
    json_real(&j, "mode_error_rms_m", r->mode_error_rms);
    json_real(&j, "validated_rms_m", r->validated_rms);
    json_real(&j, "strain", r->max_strain);
    json_real(&j, "penetration_m", r->max_penetration);
    json_real(&j, "tracking_error", r->max_tracking_error);
    json_real(&j, "coarse_s", r->coarse_s);
    json_real(&j, "fine_s", r->fine_s);
    json_real(&j, "simulation_s", r->simulation_s);
    json_real(&j, "harmonics_s", r->harmonics_s);
    json_real(&j, "fit_s", r->fit_s);
    json_real(&j, "compression_error_m", r->compression_error);
    json_int(&j, "file_bytes", (long long)r->file_bytes);
    json_int(&j, "operator_bytes", (long long)r->operator_bytes);
    json_close(&j, '}');
    json_end(&j);
}

static void print_simulation(const vo_upsample_report *r) {
    if (r->simulation_s <= 0) return;
    printf("  simulated in      %s: %.2f ms per frame coarse, %.1f ms fine\n",
           text_seconds(r->simulation_s).s, 1000 * r->coarse_s, 1000 * r->fine_s);
    printf(
        "  fine cloth        strain %.1f %%, %.2f mm inside bodies, tracked to %.1e of its size\n",
        100 * r->max_strain, 1000 * r->max_penetration, r->max_tracking_error);
}

void upsample_print_report(const cli_args *args, const char *file, const vo_upsample_report *r) {
    if (args->json) {
        json_report(file, r);
        return;
    }
    if (args->quiet) return;
    printf("%s: %s bytes\n", file, text_count((long long)r->file_bytes).s);
    printf("  vertices          %s to %s\n", text_count(r->coarse_vertices).s,
           text_count(r->fine_vertices).s);
    printf("  frames            %s in %d sequence%s, %d test functions\n", text_count(r->frames).s,
           r->sequences, text_plural(r->sequences), r->test_functions);
    print_simulation(r);
    printf("  harmonics         %s %s %s\n", text_count(r->harmonics).s,
           r->harmonics_were_stored ? "read in" : "computed in", text_seconds(r->harmonics_s).s);
    printf("  fitted in         %s: base %s, %s, exponent %.3g\n", text_seconds(r->fit_s).s,
           bases[r->fit.base], kinds[r->fit.regularisation], r->fit.exponent);
    printf("  error             %.2f mm rms (%.2f mm of the base operator)\n", 1000 * r->error_rms,
           1000 * r->base_error_rms);
    if (r->validated_rms > 0) printf("  cross-validated   %.2f mm rms\n", 1000 * r->validated_rms);
    if (r->mode_count)
        printf("  oscillatory modes %d: %.2f mm rms\n", r->mode_count, 1000 * r->mode_error_rms);
    if (args->asset) printf("  garment           %s\n", args->asset);
}

/* ---- runs ------------------------------------------------------------------------------------ */

void upsample_print_run(const cli_args *args, const vo_upsample_run_report *r) {
    if (args->json) {
        json_out j = {stdout, false};
        json_open(&j, NULL, '{');
        json_int(&j, "frames", r->frames);
        json_int(&j, "coarse_vertices", r->coarse_vertices);
        json_int(&j, "fine_vertices", r->fine_vertices);
        json_real(&j, "simulation_s", r->simulation_s);
        json_real(&j, "detail_s", r->detail_s);
        json_real(&j, "operator_s", r->operator_s);
        json_real(&j, "operator_cold_s", r->operator_cold_s);
        json_int(&j, "operator_bytes", (long long)r->operator_bytes);
        json_int(&j, "inside_vertices", r->inside_vertices);
        json_real(&j, "max_depth_m", r->max_depth);
        json_close(&j, '}');
        json_end(&j);
        return;
    }
    if (args->quiet) return;
    printf("%s frames, %s to %s vertices\n", text_count(r->frames).s,
           text_count(r->coarse_vertices).s, text_count(r->fine_vertices).s);
    printf("  coarse simulation %.3f ms per step\n", 1000 * r->simulation_s);
    printf("  upsampling        %.3f ms per step\n", 1000 * r->detail_s);
    printf("  operators         %.3f ms, %.3f ms from memory; %s bytes\n", 1000 * r->operator_s,
           1000 * r->operator_cold_s, text_count((long long)r->operator_bytes).s);
    printf("  inside bodies     at most %d vertices, %.2f mm\n", r->inside_vertices,
           1000 * r->max_depth);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void json_surface(json_out *j, const vo_upsample_surface_result *s) {
    json_open(j, NULL, '{');
    json_text(j, "name", s->name);
#define X(name, unit, meaning) json_real(j, #name, s->name);
    VO_UPSAMPLE_MEASURES(X)
#undef X
    json_close(j, '}');
}

static void json_comparison(FILE *file, const vo_upsample_comparison *c) {
    json_out j = {file, false};
    json_open(&j, NULL, '{');
    json_int(&j, "frames", c->frames);
    json_real(&j, "coarse_s", c->coarse_s);
    json_real(&j, "fine_s", c->fine_s);
    json_open(&j, "surfaces", '[');
    for (int i = 0; i < c->surface_count; i++) json_surface(&j, &c->surface[i]);
    json_surface(&j, &c->fine);
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

/* The result whose name is "loop"; NULL if there is none. */
static const vo_upsample_surface_result *find_loop(const vo_upsample_comparison *c) {
    for (int i = 0; i < c->surface_count; i++)
        if (strcmp(c->surface[i].name, "loop") == 0) return &c->surface[i];
    return NULL;
}

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static void print_surface(const vo_upsample_surface_result *s,
                          const vo_upsample_surface_result *loop, int number) {
    printf("%-16s %8.2f %8.1f %8.2f %9.3f %9.3f %9.3f", text_label(s->name, number, 16).s,
           1000 * s->position_rms, 1000 * s->position_max, s->normal_angle, s->wrinkle_ratio,
           s->wrinkle_error, s->wrinkle_difference);
    if (isnan(s->inside_vertices))
        printf(" %7s", "");
    else
        printf(" %7.0f", s->inside_vertices);
    if (loop)
        printf("   %5.2f %5.2f %5.2f", ratio(s->position_rms, loop->position_rms),
               ratio(s->normal_angle, loop->normal_angle),
               ratio(s->wrinkle_error, loop->wrinkle_error));
    printf("\n");
}

static void print_comparison(const vo_upsample_comparison *c) {
    printf("%s frames; relative to Loop: position, normals, wrinkles\n\n", text_count(c->frames).s);
    printf("%-16s %8s %8s %8s %9s %9s %9s %7s   %17s\n", "surface", "rms mm", "max mm", "angle",
           "wrinkles", "error", "differ", "inside", "relative to Loop");
    for (int i = 0; i < c->surface_count; i++) print_surface(&c->surface[i], find_loop(c), i);
    printf("%-16s %8s %8s %8s %9s %9s %9s %7.0f\n", "fine", "", "", "", "1", "", "",
           c->fine.inside_vertices);
}

static int save_comparison(const char *folder, const vo_upsample_comparison *c) {
    char path[CLI_PATH];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot make the folder: %s", folder,
                        strerror(errno));
    int code = cli_join(folder, "compare.json", path);
    if (code != CLI_DONE) return code;
    FILE *file = fopen(path, "w");
    if (file) json_comparison(file, c);
    if (!file || fclose(file) != 0)
        return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot write: %s", path, strerror(errno));
    return CLI_DONE;
}

int upsample_print_comparison(const cli_args *args, const vo_upsample_comparison *c) {
    if (args->json)
        json_comparison(stdout, c);
    else
        print_comparison(c);
    return args->output ? save_comparison(args->output, c) : CLI_DONE;
}
