/* Internals of vo_compare:
 *
 *      compare.c           the call: selection of frames and cameras, loop over the frames
 *      compare_names.c     names and labels that distinguish the runs
 *      compare_measure.c   frame of a run -> G-buffer -> measures
 *      compare_scene.c     warns about differences between the scenes of two runs
 *      compare_sum.c       distributions over the frames, speed-ups
 *      compare_write.c     frames.csv, runs.csv, compare.json
 *      compare_plots.c     plots of time and fidelity over the frames
 */
#ifndef VO_RUN_COMPARE_H
#define VO_RUN_COMPARE_H

#include "picture/gbuffer.h"
#include "run/reader.h"
#include "run/render.h"

#include <voile/compare.h>

enum { VO_COMPARE_REFERENCE = 1, VO_COMPARE_MAX_RUNS = 16 };

/* Indices of the measures in VO_COMPARE_FIELDS. */
enum {
#define X(name, unit, meaning) VO_COMPARE_##name,
    VO_COMPARE_FIELDS(X)
#undef X
        VO_COMPARE_FIELD_COUNT
};
const char *vo_compare_field_name(int field);
double vo_compare_field_value(const vo_frame_comparison *frame, int field);
vo_distribution *vo_compare_field_distribution(vo_run_comparison *run, int field);

/* One of the compared runs: the current frame, its model and its G-buffer. */
typedef struct vo_compare_run {
    vo_context *ctx;
    vo_run_reader *reader;
    vo_frame_list frames;      /* those in the requested range */
    vo_render_session session; /* used for its model only */
    vo_gbuffer_pass pass;
    vo_edge_lengths edges;
} vo_compare_run;

/* VO_BAD_ARGUMENT if this build cannot trace rays. The options, which select the surface, must
 * outlive the run. Does not open the reader; closing an empty run is allowed. */
vo_result vo_compare_run_open(vo_context *ctx, const vo_render_options *options,
                              vo_compare_run *run);
void vo_compare_run_close(vo_compare_run *run);

/* View of a frame, the same for all runs. */
typedef struct vo_compare_view {
    vo_camera camera;
    vo_vec2 frame;   /* pixels; size of the centred part that is measured */
    vo_vec3 origin;  /* m, of the model */
    bool everything; /* obstacles are rendered as well */
} vo_compare_view;

/* Centre of the bounding box of all cloth in the current frame. */
vo_vec3 vo_compare_centre(const vo_compare_run *run);
/* Renders the G-buffer of the current frame. */
vo_result vo_compare_run_render(vo_compare_run *run, const vo_compare_view *view);
/* Measures of the G-buffer alone: pixels, edges, bound of popping (m, from the statistics). */
vo_result vo_compare_measure_own(vo_compare_run *run, double popping, vo_frame_comparison *out);
/* Measures against the reference. */
vo_result vo_compare_measure_pair(const vo_compare_run *run, const vo_compare_run *reference,
                                  double wavelength, vo_frame_comparison *out);

/* compare_names.c: sets `name` and `label` of all runs; false without memory. */
bool vo_compare_name_runs(vo_context *ctx, const vo_compare_def *def, vo_comparison *c);

/* compare_scene.c: warns about differences between the scenes of two runs, except in how they
 * adapt. */
vo_result vo_compare_scenes(vo_context *ctx, const char *folder, const char *reference);

/* Computes distributions and speed-ups from the frames. */
vo_result vo_comparison_sum(vo_context *ctx, vo_comparison *c);

/* Write files to an existing folder. */
vo_result vo_comparison_write(vo_context *ctx, const vo_comparison *c, const char *folder);
vo_result vo_comparison_plot(vo_context *ctx, const vo_comparison *c, const char *folder);

#endif
