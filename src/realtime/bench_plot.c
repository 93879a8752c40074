/* Plots of the time per frame of a scene, as figures 6 to 8 of Jain et al. 2005. */
#include "realtime/bench.h"

#include "core/file.h"
#include "core/memory.h"
#include "picture/plot.h"

#include <stdio.h>

static const char *const LEGEND[VO_BENCH_TIME_COUNT] = {
#define X(name, legend) legend,
    VO_BENCH_TIMES(X)
#undef X
};

/* A panel with a curve per time; `frames` are the numbers of the frames. */
static vo_plot make_panel(const vo_bench_scene *s, const char *title, const double *frames,
                          vo_plot_line line[VO_BENCH_TIME_COUNT]) {
    for (int k = 0; k < VO_BENCH_TIME_COUNT; k++)
        line[k] = (vo_plot_line){LEGEND[k], s->count, frames, s->ms[k]};
    return (vo_plot){.title = title,
                     .x_label = "frame",
                     .from_zero = true,
                     .line_count = VO_BENCH_TIME_COUNT,
                     .line = line};
}

vo_result vo_bench_plot_scene(vo_bench *b, const char *name, const vo_bench_scene *adaptive,
                              const vo_bench_scene *finest) {
    char file[64];
    vo_plot_line line[2][VO_BENCH_TIME_COUNT];
    vo_plot plot[2];
    int count = adaptive->count;
    double *frames = vo_new_array(b->ctx, double, count);
    if (!frames) return vo_fail_memory(b->ctx, "a plot");
    for (int i = 0; i < count; i++) frames[i] = i + 1;
    plot[0] = make_panel(adaptive, "Adaptive: milliseconds per frame", frames, line[0]);
    if (finest)
        plot[1] =
            make_panel(finest, "Finest level everywhere: milliseconds per frame", frames, line[1]);
    snprintf(file, sizeof file, "%s-frames", name);
    vo_result result = vo_folder_create(b->ctx, b->def->plots);
    vo_figure figure = {finest ? 2 : 1, plot};
    if (result == VO_OK) result = vo_figure_save(b->ctx, &figure, b->def->plots, file);
    vo_free_array(b->ctx, frames, count);
    return result;
}
