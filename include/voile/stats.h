/* Voile: statistics of a frame: its cost and its events. One list defines the struct, the keys of
 * stats.jsonl, the output of `voile info` and the documentation. */
#ifndef VOILE_STATS_H
#define VOILE_STATS_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stages of a step, in order: X(name, description). Each is a timer in seconds. */
#define VO_STAGES(X)                                          \
    X(move, "moves obstacles and handles")                    \
    X(contact, "proximity queries and contacts")              \
    X(assemble, "assembly of forces and the system matrix")   \
    X(solve, "solution of the linear system")                 \
    X(limit, "strain limiting")                               \
    X(collide, "continuous collision detection and response") \
    X(view, "visibility and projected size of each face")     \
    X(remesh, "remeshing, and the rebuild of the solver")     \
    X(inspect, "exact count of intersections")                \
    X(write, "frame file and statistics")

/* Identity and size of a frame: X(name, type, format, meaning). */
#define VO_STAT_HEAD(X)                                                \
    X(frame, int, "%d", "number of the frame; 0 is the initial state") \
    X(time, double, "%.9g", "simulated time, s")                       \
    X(cloths, int, "%d", "cloths")                                     \
    X(faces, int, "%d", "faces of all cloths")                         \
    X(edges, int, "%d", "edges of all cloths")                         \
    X(nodes, int, "%d", "nodes of all cloths")                         \
    X(verts, int, "%d", "verts of all cloths")                         \
    X(wall_s, double, "%.6f",                                          \
      "wall-clock time, s; frame 0: set-up without loading and sewing, and the preroll")

/* Events of a frame: sums over its substeps, and extremes at its end. */
#define VO_STAT_FIELDS(X)                                                                          \
    X(substeps, int, "%d", "substeps, including halved ones")                                      \
    X(iterations, int, "%d", "iterations of the linear solver")                                    \
    X(direct_solves, int, "%d",                                                                    \
      "systems passed to the direct solver because the iterative one failed")                      \
    X(step_halvings, int, "%d", "substeps repeated with half the step size")                       \
    X(frozen_substeps, int, "%d", "substeps without a solution, in which the cloth did not move")  \
    X(limit_passes, int, "%d", "solves of strain limiting")                                        \
    X(contacts, int, "%d", "contacts in the solve, maximum over the substeps")                     \
    X(impacts, int, "%d", "collisions found by continuous collision detection")                    \
    X(impulses, int, "%d", "collisions resolved by individual impulses")                           \
    X(zones, int, "%d", "impact zones: groups of collisions resolved together")                    \
    X(truncated_nodes, int, "%d", "nodes whose motion was shortened to avoid a collision")         \
    X(frozen_nodes, int, "%d", "nodes fixed, or moved rigidly with an obstacle, for a substep")    \
    X(lagging_nodes, int, "%d", "obstacle nodes and pinned nodes that lag behind their motion")    \
    X(untangled, int, "%d", "intersecting face pairs that were separated")                         \
    X(splits, int, "%d", "edge splits")                                                            \
    X(collapses, int, "%d", "edge collapses")                                                      \
    X(flips, int, "%d", "edge flips")                                                              \
    X(rejected_edits, int, "%d", "edits rejected because they would intersect another surface")    \
    X(deferred_edits, int, "%d", "edits deferred because they would visibly pop")                  \
    X(popping, double, "%.6g",                                                                     \
      "largest displacement of a surface point, visible or not, by remeshing and by the "          \
      "untangling after it, m")                                                                    \
    X(popping_px, double, "%.4g",                                                                  \
      "largest screen-space displacement by the same, pixels, over all points in the images of "   \
      "the cameras; with `adapt` `view` and `occlusion`, visible points only")                     \
    X(visible_faces, int, "%d",                                                                    \
      "front faces visible to cameras now or within the anticipation window; counted before "      \
      "remeshing, so it may exceed `faces`")                                                       \
    X(occluded_faces, int, "%d",                                                                   \
      "faces that would be visible without occlusion; counted likewise")                           \
    X(budget_excess, double, "%.4g",                                                               \
      "relative excess over the budget of `view`, in faces at the end of the frame or seconds of " \
      "the frame: 0.1 is 10 %; 0: within the budget")                                              \
    X(budget_missed, int, "%d",                                                                    \
      "1 if the budget is exceeded with the longest edges that it sets; else 0")                   \
    X(broad_phase_updates, int, "%d", "substeps that updated the broad phase")                     \
    X(broad_phase_s, double, "%.6f", "time of the broad phase within contact and collide, s")      \
    X(solver_residual, double, "%.3g", "largest relative residual that was accepted")              \
    X(max_strain, double, "%.9g", "largest principal stretch minus one")                           \
    X(min_strain, double, "%.9g", "smallest principal stretch minus one")                          \
    X(limit_excess, double, "%.6g", "largest excess of a stretch over its limits")                 \
    X(beyond_limits, int, "%d", "faces whose stretch exceeds its limits by more than 0.01")        \
    X(max_speed, double, "%.9g", "largest node speed, m/s")                                        \
    X(intersections, int, "%d",                                                                    \
      "intersecting face pairs at the end of the frame; -1: not counted")                          \
    X(inside_nodes, int, "%d", "nodes inside closed obstacles at the end of the frame")

typedef struct vo_stats {
#define X(name, type, format, meaning) type name;
    VO_STAT_HEAD(X)
    VO_STAT_FIELDS(X)
#undef X
    struct {
#define X(name, meaning) double name;
        VO_STAGES(X)
#undef X
    } stage;
} vo_stats;

#ifdef __cplusplus
}
#endif
#endif
