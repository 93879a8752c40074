/* Training: simulation of pairs, fit, files (voile/upsample.h). */
#include "core/file.h"
#include "core/memory.h"
#include "core/timer.h"
#include "upsample/detail.h"
#include "upsample/file/vru.h"
#include "upsample/fit/fit.h"
#include "upsample/fitting.h"
#include "upsample/pairs_view.h"
#include "upsample/partial.h"
#include "upsample/simulate/run_pairs.h"
#include "upsample/simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

vo_upsample_train_def vo_upsample_train_def_default(void) {
    return (vo_upsample_train_def){
        .test_functions = -1, .save_interval = 100, .fit = vo_upsample_fit_def_default()};
}

vo_upsample_refit_def vo_upsample_refit_def_default(void) {
    return (vo_upsample_refit_def){.fit = vo_upsample_fit_def_default()};
}

/* ---- simulation ----------------------------------------------------------------------------- */

/* Sums computing times for the report. */
typedef struct watch {
    const vo_upsample_train_def *def;
    double coarse_s, fine_s;
    int frames;
} watch;

static bool after_frame(void *user, const vo_upsample_progress *progress) {
    watch *w = user;
    w->coarse_s += progress->coarse_s;
    w->fine_s += progress->fine_s;
    w->frames++;
    return !w->def->progress || w->def->progress(w->def->user, progress);
}

static vo_result simulate(vo_context *ctx, const vo_upsample_train_def *def, const char *folder,
                          vo_upsample_report *report, vo_upsample_pairs **out) {
    watch w = {.def = def};
    vo_upsample_simulate_def s = vo_upsample_simulate_def_default();
    s.test_kind = def->test_kind;
    s.test_functions = def->test_functions;
    s.max_frames = def->max_frames;
    s.override_count = def->override_count;
    s.overrides = def->overrides;
    s.folder = folder;
    s.save_interval = def->save_interval;
    s.progress = after_frame;
    s.user = &w;
    double start = vo_now();
    VO_TRY(vo_upsample_simulate(ctx, def->scene_count, def->scenes, &s, out));
    report->simulation_s = vo_now() - start;
    report->coarse_s = w.frames ? w.coarse_s / w.frames : 0;
    report->fine_s = w.frames ? w.fine_s / w.frames : 0;
    return VO_OK;
}

/* ---- report --------------------------------------------------------------------------------- */

static double max_of(double a, float b) { return (double)b > a ? (double)b : a; }

static void describe_pairs(const vo_upsample_pairs *p, vo_upsample_report *report) {
    report->fine_vertices = p->fine.vertex_count;
    report->coarse_vertices = p->coarse.vertex_count;
    report->frames = p->frame_count;
    report->sequences = p->sequence_count;
    report->test_functions = p->test_function_count;
    for (int f = 0; f < p->frame_count; f++) {
        report->max_strain = max_of(report->max_strain, p->stats[f].strain);
        report->max_penetration = max_of(report->max_penetration, p->stats[f].penetration);
        report->max_tracking_error = max_of(report->max_tracking_error, p->stats[f].tracking_error);
    }
}

static void describe_operator(const vo_upsample_operator *op, vo_upsample_report *report) {
    vo_upsample_operator_stats stats = vo_upsample_operator_measure(op);
    report->fit = op->parameters;
    report->mode_count = op->mode_count;
    report->error_rms = (double)op->error.rms;
    report->base_error_rms = (double)op->error.base_rms;
    report->mode_error_rms = (double)op->error.mode_rms;
    report->operator_bytes = stats.base_bytes + stats.residual_bytes + stats.mode_bytes;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Writes the garment with the operators of the file. */
static vo_result save_asset(const vo_vru *vru, const vo_upsample_output *output,
                            vo_upsample_report *report) {
    vo_upsample_detail detail;
    VO_TRY(vo_upsample_detail_create(vru, output->rank, &detail));
    report->compression_error = detail.error_rms;
    vo_result result = vo_upsample_detail_save(&detail, output->asset);
    vo_upsample_detail_free(&detail);
    return result;
}

/* Warns about pairs in which the fine cloth does not follow the coarse one. */
static void check_distance(const vo_upsample_pairs *p, const char *file) {
    double most = 0, size = (double)vo_upsample_mesh_size(&p->fine);
    for (int f = 0; f < p->frame_count; f++) most = fmax(most, (double)p->stats[f].distance);
    if (most > 0.25 * size)
        vo_log_line(
            p->ctx, VO_LOG_WARNING,
            "%s: the fine cloth is up to %.2f m (RMS) away from the coarse one, which has a "
            "size of %.2f m; use the same motion and the same wind for both",
            file, most, size);
}

/* Fits an operator to sequences of the pairs and writes the files. */
static vo_result fit_and_save(vo_vru *vru, const vo_upsample_refit_def *def,
                              vo_upsample_report *report) {
    const vo_upsample_output *output = &def->output;
    int first = def->first_sequence, count = def->sequence_count;
    vo_upsample_pairs view;
    vo_upsample_operator *op;
    vo_upsample_fit_times times;
    struct stat info;
    if (count == 0) count = vru->pairs->sequence_count - first;
    VO_TRY(vo_upsample_pairs_view(vru->pairs, first, count, &view));
    vo_result result =
        vo_upsample_fit_timed(&view, &def->fit, def->choose_exponent, def->validate, &op, &times);
    describe_pairs(&view, report);
    vo_upsample_pairs_close_view(&view);
    if (result != VO_OK) return result;
    describe_operator(op, report);
    report->harmonics = times.harmonics;
    report->harmonics_were_stored = times.harmonics_were_stored;
    report->harmonics_s = times.harmonics_s;
    report->fit_s = times.fit_s;
    report->validated_rms = times.validated_rms;
    VO_TRY(vo_vru_set_operator_of(vru, output->name ? output->name : "default", first, count, op));
    VO_TRY(vo_vru_save(vru, output->file));
    if (stat(output->file, &info) == 0) report->file_bytes = (size_t)info.st_size;
    return output->asset ? save_asset(vru, output, report) : VO_OK;
}

static vo_result check_output(vo_context *ctx, const vo_upsample_output *output) {
    if (!output->file) return vo_fail(ctx, VO_BAD_ARGUMENT, "output.file is missing");
    if (output->rank < VO_UPSAMPLE_RANK_AUTO)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "output.rank is %d; use 0 for dense operators",
                       output->rank);
    return VO_OK;
}

/* Name of the folder of the saved states. */
static vo_result name_partial(vo_context *ctx, const char *file, char out[VO_PATH_SIZE]) {
    int length = snprintf(out, VO_PATH_SIZE, "%s.partial", file);
    if (length < VO_PATH_SIZE) return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT, "%s: the path is too long", file);
}

/* Fits an operator to pairs, which it takes over. */
static vo_result fit_pairs(vo_context *ctx, const vo_upsample_train_def *def,
                           vo_upsample_pairs *pairs, vo_upsample_report *report) {
    vo_vru *vru;
    VO_TRY(vo_vru_create(ctx, pairs, def->scene_count, def->scenes, &vru));
    check_distance(pairs, def->output.file);
    const vo_upsample_refit_def fit = {
        .output = def->output, .fit = def->fit, .choose_exponent = def->choose_exponent};
    vo_result result = fit_and_save(vru, &fit, report);
    vo_vru_destroy(vru);
    return result;
}

static vo_result train_with_scenes(vo_context *ctx, const vo_upsample_train_def *def,
                                   vo_upsample_report *report) {
    char folder[VO_PATH_SIZE];
    vo_upsample_pairs *pairs;
    VO_TRY(name_partial(ctx, def->output.file, folder));
    if (def->restart) VO_TRY(vo_upsample_partial_remove(ctx, folder));
    VO_TRY(simulate(ctx, def, folder, report, &pairs));
    VO_TRY(fit_pairs(ctx, def, pairs, report));
    return vo_upsample_partial_remove(ctx, folder);
}

static vo_result train_with_runs(vo_context *ctx, const vo_upsample_train_def *def,
                                 vo_upsample_report *report) {
    const vo_upsample_run_pairs_def runs = {def->run_count, def->runs, def->max_frames};
    vo_upsample_pairs *pairs;
    VO_TRY(vo_upsample_read_runs(ctx, &runs, &pairs));
    return fit_pairs(ctx, def, pairs, report);
}

vo_result vo_upsample_train(vo_context *ctx, const vo_upsample_train_def *def,
                            vo_upsample_report *report) {
    vo_upsample_report local;
    if (!report) report = &local;
    *report = (vo_upsample_report){0};
    VO_TRY(check_output(ctx, &def->output));
    VO_TRY(vo_upsample_fit_def_validate(ctx, &def->fit));
    if (def->scene_count > 0 && def->run_count > 0)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "there are both scenes and runs; give one of them");
    if (def->run_count > 0) return train_with_runs(ctx, def, report);
    if (def->scene_count < 1 || def->scene_count > VO_VRU_MAX_SCENES)
        return vo_fail(ctx, VO_BAD_ARGUMENT, "scene_count is %d; use 1 to %d", def->scene_count,
                       VO_VRU_MAX_SCENES);
    return train_with_scenes(ctx, def, report);
}

vo_result vo_upsample_refit(vo_context *ctx, const vo_upsample_refit_def *def,
                            vo_upsample_report *report) {
    vo_upsample_report local;
    vo_upsample_refit_def resolved = *def;
    vo_vru *vru;
    if (!report) report = &local;
    *report = (vo_upsample_report){0};
    if (!def->input) return vo_fail(ctx, VO_BAD_ARGUMENT, "input is missing");
    if (!resolved.output.file) resolved.output.file = def->input;
    VO_TRY(check_output(ctx, &resolved.output));
    VO_TRY(vo_vru_load(ctx, def->input, &vru));
    vo_result result = fit_and_save(vru, &resolved, report);
    vo_vru_destroy(vru);
    return result;
}
