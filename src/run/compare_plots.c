#include "core/memory.h"
#include "picture/plot.h"
#include "run/compare.h"

#include <stdio.h>
#include <string.h>

/* Values of the curves: for each run x, then y or its sum over the frames up to there. */
typedef struct curves {
    vo_context *ctx;
    const vo_comparison *comparison;
    size_t count;  /* frames of all runs */
    double *value; /* [2 count] */
    vo_plot_line line[VO_COMPARE_MAX_RUNS];
} curves;

static size_t count_frames(const vo_comparison *c) {
    size_t count = 0;
    for (int i = 0; i < c->run_count; i++) count += (size_t)c->run[i].frame_count;
    return count;
}

/* Fills x and y of a run from one measure; in a sum, frames without it add 0. */
static void fill_curve(const vo_run_comparison *run, int field, bool summed, double *x, double *y) {
    double sum = 0;
    for (int i = 0; i < run->frame_count; i++) {
        double value = vo_compare_field_value(&run->frame[i], field);
        x[i] = run->frame[i].frame;
        if (isfinite(value)) sum += value;
        y[i] = summed ? sum : value;
    }
}

static vo_result make_curves(curves *k, int field, bool summed) {
    const vo_comparison *c = k->comparison;
    k->count = count_frames(c);
    k->value = vo_new_array(k->ctx, double, 2 * k->count);
    if (!k->value) return vo_fail_memory(k->ctx, "a plot");
    double *at = k->value;
    for (int i = 0; i < c->run_count; i++) {
        int n = c->run[i].frame_count;
        fill_curve(&c->run[i], field, summed, at, at + n);
        k->line[i] = (vo_plot_line){c->run[i].label, n, at, at + n};
        at += 2 * n;
    }
    return VO_OK;
}

/* Panel of one measure with a curve per run. */
typedef struct panel {
    const char *title;
    int field;
    bool summed, from_zero;
    int guide_count;
    double guide[VO_MAX_GUIDES];
} panel;

static const panel time_panels[] = {
    {"Seconds per frame", VO_COMPARE_seconds, false, true, 0, {0}},
    {"Seconds in total", VO_COMPARE_seconds, true, true, 0, {0}},
};

static const panel mesh_panels[] = {
    {"Faces", VO_COMPARE_faces, false, true, 0, {0}},
    {"Median edge length on screen, pixels", VO_COMPARE_edge_50, false, true, 0, {0}},
};

enum { POPPING_PANEL = 3 };

static const panel fidelity_panels[] = {
    {"Silhouette IoU", VO_COMPARE_silhouette_iou, false, false, 1, {0.97}},
    {"Wrinkle power relative to the reference",
     VO_COMPARE_wrinkle_ratio,
     false,
     false,
     2,
     {0.9, 1.1}},
    {"Mean angle between normals, degrees", VO_COMPARE_normal_angle, false, true, 0, {0}},
    {"Popping, pixels", VO_COMPARE_popping, false, true, 1, {1}},
};

enum { MAX_PANELS = 4 };

static vo_result plot_panels(vo_context *ctx, const vo_comparison *c, int count,
                             const panel *panels, const char *folder, const char *name) {
    curves curve[MAX_PANELS];
    vo_plot plot[MAX_PANELS];
    vo_result result = VO_OK;
    for (int i = 0; i < count; i++) {
        curve[i] = (curves){.ctx = ctx, .comparison = c};
        if (result == VO_OK) result = make_curves(&curve[i], panels[i].field, panels[i].summed);
        plot[i] = (vo_plot){.title = panels[i].title,
                            .x_label = "frame",
                            .from_zero = panels[i].from_zero,
                            .guide_count = panels[i].guide_count,
                            .guide = {panels[i].guide[0], panels[i].guide[1]},
                            .line_count = c->run_count,
                            .line = curve[i].line};
    }
    if (result == VO_OK) result = vo_figure_save(ctx, &(vo_figure){count, plot}, folder, name);
    for (int i = 0; i < count; i++) vo_free_array(ctx, curve[i].value, 2 * curve[i].count);
    return result;
}

#define PANELS(list) (int)(sizeof(list) / sizeof(list)[0]), list

/* Popping is known for the cameras of the scene only. */
static bool has_popping(const vo_comparison *c) {
    for (int i = 0; i < c->run_count; i++)
        if (c->run[i].all.popping.frames > 0) return true;
    return false;
}

vo_result vo_comparison_plot(vo_context *ctx, const vo_comparison *c, const char *folder) {
    VO_TRY(plot_panels(ctx, c, PANELS(time_panels), folder, "time"));
    VO_TRY(plot_panels(ctx, c, PANELS(mesh_panels), folder, "mesh"));
    panel fidelity[MAX_PANELS];
    memcpy(fidelity, fidelity_panels, sizeof fidelity_panels);
    if (!has_popping(c)) {
        fidelity[POPPING_PANEL].title = "Upper bound of popping, pixels";
        fidelity[POPPING_PANEL].field = VO_COMPARE_popping_bound;
    }
    return plot_panels(ctx, c, PANELS(fidelity), folder, "fidelity");
}
