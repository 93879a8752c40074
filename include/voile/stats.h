/* Voile: what a frame cost and what happened in it. One list serves the struct, stats.jsonl,
 * `voile info` and the documentation. */
#ifndef VOILE_STATS_H
#define VOILE_STATS_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stages of the step, in order: X(name, what it does). Each is a timer in seconds. */
#define VO_STAGES(X)                                    \
    X(move, "obstacles and handles to their new place") \
    X(assemble, "forces and matrix")                    \
    X(solve, "linear system")                           \
    X(limit, "strain limiting")                         \
    X(write, "frame file and statistics")

/* Counters and extremes of a frame: X(name, type, json format, how substeps combine, meaning). */
#define VO_STAT_FIELDS(X)                                                               \
    X(substeps, int, "%d", sum, "substeps taken, cut ones included")                    \
    X(iterations, int, "%d", sum, "iterations of the linear solver")                    \
    X(direct_solves, int, "%d", sum, "systems that were handed to the direct solver")   \
    X(step_cuts, int, "%d", sum, "substeps repeated with half the step")                \
    X(held_steps, int, "%d", sum, "substeps given up: the cloth was held where it was") \
    X(limit_passes, int, "%d", sum, "passes of strain limiting")                        \
    X(max_strain, double, "%.9g", max, "largest principal stretch minus one")           \
    X(min_strain, double, "%.9g", min, "smallest principal stretch minus one")          \
    X(max_speed, double, "%.9g", max, "fastest node, m/s")                              \
    X(solver_residual, double, "%.3g", max, "worst relative residual that was accepted")

typedef struct vo_stats {
    int frame;
    double time; /* s, simulated */
    int cloths, faces, edges, nodes, verts;
    double wall_s; /* the whole frame */
    struct {
#define X(name, meaning) double name;
        VO_STAGES(X)
#undef X
    } stage;
#define X(name, type, format, combine, meaning) type name;
    VO_STAT_FIELDS(X)
#undef X
} vo_stats;

#ifdef __cplusplus
}
#endif
#endif
