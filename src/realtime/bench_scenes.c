/* The scenes of Jain et al. 2005, "Multi-resolution collision handling for cloth-like simulations":
 * time per frame against the same code with its front at the finest level, time of the hierarchy,
 * memory, colours, and the pairs that each stage of the detection leaves. */
#include "realtime/bench.h"

#include "core/memory.h"

#include <stdio.h>

/* A scene with its targets and the figures of the paper (section Results), ms. */
typedef struct scene_case {
    const char *name, *scene;
    double target, max_target;
    double paper, paper_max;               /* multi-resolution */
    double paper_finest, paper_finest_max; /* without */
} scene_case;

static const double MIN_RATIO = 4, PAPER_RATIO = 5;

typedef struct scene_rows {
    vo_bench *b;
    const scene_case *c;
    vo_bench_scene adaptive, finest;
    bool has_finest;
} scene_rows;

static double largest(const double *values, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, values[i]);
    return most;
}

/* Reports a row; its name is that of the scene with `part`. */
static void report(const scene_rows *s, const char *part, vo_bench_row row) {
    char name[48];
    snprintf(name, sizeof name, "%s%s", s->c->name, part);
    row.name = name;
    vo_bench_report(s->b, row);
}

static void describe_stages(const vo_bench_scene *s, char *text, size_t size) {
    const double *ms = s->stage_ms;
    snprintf(text, size,
             "poses %.2f, adaption %.2f, solve %.2f, bodies %.2f, self-collision "
             "%.2f, output %.2f ms",
             ms[0], ms[1], ms[2], ms[3], ms[4], ms[5]);
}

static void report_times(const scene_rows *s, const vo_bench_scene *run, bool is_finest) {
    char text[200], limit[200];
    const double *ms = run->ms[VO_BENCH_TIME_frame];
    const scene_case *c = s->c;
    describe_stages(run, limit, sizeof limit);
    snprintf(text, sizeof text,
             "frame of 1/60 s of %s%s, mean of frames 1 to %d, %.0f leaf triangles", c->scene,
             is_finest ? " at the finest level everywhere" : "", run->count,
             run->counts.triangles / run->count);
    report(s, is_finest ? "-finest" : "",
           (vo_bench_row){.text = text,
                          .value = vo_bench_mean(ms, run->count),
                          .unit = "ms",
                          .target = is_finest ? (double)NAN : c->target,
                          .paper = is_finest ? c->paper_finest : c->paper,
                          .limit = limit});
    snprintf(text, sizeof text, "longest frame of 1 to %d, %.3f leaf triangles in the mean",
             run->count, run->counts.triangles / run->count);
    report(s, is_finest ? "-finest-max" : "-max",
           (vo_bench_row){.text = text,
                          .value = largest(ms, run->count),
                          .unit = "ms",
                          .target = is_finest ? (double)NAN : c->max_target,
                          .paper = is_finest ? c->paper_finest_max : c->paper_max,
                          .limit = "frames with further searches and with adaption"});
}

static void report_hierarchy(const scene_rows *s) {
    char text[160];
    const double *ms = s->adaptive.ms[VO_BENCH_TIME_adaption];
    int count = s->adaptive.count;
    snprintf(text, sizeof text,
             "updates of the hierarchy per frame: criteria, splits, joins, leaf lists; at most "
             "%.2f ms",
             largest(ms, count));
    report(s, "-hierarchy",
           (vo_bench_row){.text = text,
                          .value = vo_bench_mean(ms, count),
                          .unit = "ms",
                          .target = 1,
                          .paper = 10,
                          .limit = "criteria of all leaf edges, permission of edits beside cloth"});
}

/* With m colours at the finest level, the paper expects about m + m / 4 in all. */
static void report_colours(const scene_rows *s) {
    char text[160];
    const vo_bench_scene *a = &s->adaptive;
    int even = a->even_colours, odd = a->odd_colours;
    int finest = a->max_level % 2 ? odd : even;
    snprintf(text, sizeof text,
             "colours of all levels: %d of even and %d of odd ones; three slots each for "
             "transitional triangles, %d in all",
             even, odd, 3 * (even + odd));
    report(s, "-colours",
           (vo_bench_row){.text = text,
                          .value = even + odd,
                          .unit = "sets",
                          .target = (double)NAN,
                          .paper = 1.25 * finest,
                          .limit = "constraint 2 across levels: all triangles around a triangle, "
                                   "its parent and its children differ"});
}

static void report_culling(const scene_rows *s, const char *part, double before, double after,
                           const char *text, const char *limit) {
    if (!(before > 0)) return;
    report(s, part,
           (vo_bench_row){.text = text,
                          .value = 100 * (1 - after / before),
                          .unit = "%",
                          .target = (double)NAN,
                          .is_minimum = true,
                          .paper = (double)NAN,
                          .limit = limit});
}

static void report_detection(const scene_rows *s) {
    enum { FEATURES = 15 }; /* of two faces: six vertices against faces, nine pairs of edges */
    const vo_bench_scene_counts *n = &s->adaptive.counts;
    char limit[160];
    if (!(n->queries > 0)) return;
    snprintf(limit, sizeof limit, "%.1f queries per frame; %.3g pairs of faces, %.3g in clusters",
             n->queries / s->adaptive.count, n->face_pairs / n->queries,
             n->cluster_pairs / n->queries);
    report_culling(s, "-culled-clusters", n->face_pairs, n->cluster_pairs,
                   "stages 1 and 2: pairs of faces culled by boxes of clusters in the voxel hash",
                   limit);
    snprintf(limit, sizeof limit,
             "%.3g pairs of faces per query remain; colours decide all but %.3g pairs, whose "
             "vertices are compared",
             n->box_pairs / n->queries, n->compared_pairs / n->queries);
    report_culling(s, "-culled-boxes", n->cluster_pairs, n->box_pairs,
                   "stages 2 and 4: of the remaining pairs, those culled by boxes of faces and "
                   "calm common vertices",
                   limit);
    snprintf(limit, sizeof limit, "%.3g distances per query", n->feature_pairs / n->queries);
    report_culling(s, "-culled-features", FEATURES * n->box_pairs, n->feature_pairs,
                   "stage 3: of the vertex-face and edge-edge pairs of these faces, those culled "
                   "by slabs, owners, boxes and common vertices",
                   limit);
    snprintf(limit, sizeof limit, "%.3g near pairs per query", n->near_pairs / n->queries);
    report_culling(s, "-culled-distances", n->feature_pairs, n->near_pairs,
                   "stage 3: of the computed distances, those above the query radius", limit);
}

static void report_finest(const scene_rows *s) {
    char text[160];
    int count = s->finest.count;
    double adaptive = vo_bench_mean(s->adaptive.ms[VO_BENCH_TIME_frame], count);
    double finest = vo_bench_mean(s->finest.ms[VO_BENCH_TIME_frame], count);
    report_times(s, &s->finest, true);
    report(s, "-ratio",
           (vo_bench_row){.text = "time at the finest level everywhere relative to that of the "
                                  "adaptive front (paper: 5 to 7, relative to another program)",
                          .value = finest / adaptive,
                          .unit = "ratio",
                          .target = MIN_RATIO,
                          .is_minimum = true,
                          .paper = PAPER_RATIO,
                          .limit = "fraction of the cloth that is close to other cloth or curved"});
    snprintf(
        text, sizeof text,
        "pool with the whole hierarchy, %.2f MB, relative to the same without its trees; trees "
        "%.2f, leaf lists %.2f MB",
        1e-6 * s->finest.pool_bytes, 1e-6 * s->finest.tree_bytes, 1e-6 * s->finest.list_bytes);
    report(s, "-memory",
           (vo_bench_row){.text = text,
                          .value =
                              s->finest.pool_bytes / (s->finest.pool_bytes - s->finest.tree_bytes),
                          .unit = "ratio",
                          .target = 2,
                          .paper = 2,
                          .limit = "edges of 80 and triangles of 68 bytes on all levels"});
}

/* Rows that need the run at the finest level. */
static bool wants_finest(const vo_bench *b, const char *name) {
    static const char *const parts[] = {"-finest", "-finest-max", "-ratio", "-memory"};
    char row[48];
    for (int i = 0; i < 4; i++) {
        snprintf(row, sizeof row, "%s%s", name, parts[i]);
        if (vo_bench_wants(b, row)) return true;
    }
    return false;
}

static vo_result run_scene(vo_bench *b, const scene_case *c) {
    static const char *const overrides[] = {"adapt=none"};
    scene_rows s = {.b = b, .c = c, .has_finest = wants_finest(b, c->name)};
    vo_result result = vo_bench_run_scene(b, c->scene, b->def->repeat, 0, NULL, &s.adaptive);
    if (result == VO_OK) {
        report_times(&s, &s.adaptive, false);
        report_hierarchy(&s);
        report_colours(&s);
        report_detection(&s);
    }
    if (result == VO_OK && s.has_finest)
        result = vo_bench_run_scene(b, c->scene, 1, 1, overrides, &s.finest);
    if (result == VO_OK && s.has_finest) report_finest(&s);
    if (result == VO_OK && b->def->plots)
        result = vo_bench_plot_scene(b, c->scene, &s.adaptive, s.has_finest ? &s.finest : NULL);
    vo_bench_scene_free(b, &s.adaptive);
    vo_bench_scene_free(b, &s.finest);
    return result;
}

vo_result vo_bench_drape(vo_bench *b) {
    return run_scene(b, &(scene_case){"drape", "drape-rabbit", 6, 10, 40, 55, 250, 400});
}

vo_result vo_bench_curtains(vo_bench *b) {
    return run_scene(b, &(scene_case){"curtains", "curtains", 6, (double)NAN, 40, 65, 250, 400});
}

vo_result vo_bench_trousers(vo_bench *b) {
    return run_scene(
        b, &(scene_case){"trousers", "squat-trousers", 2.5, (double)NAN, 45, 45, 270, 270});
}
