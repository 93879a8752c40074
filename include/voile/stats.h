/* Voile: what a frame cost and what happened in it. One list serves the struct, stats.jsonl,
 * `voile info` and the documentation. */
#ifndef VOILE_STATS_H
#define VOILE_STATS_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stages of the step, in order: X(name, what it does). Each is a timer in seconds. */
#define VO_STAGES(X)                                                  \
    X(move, "obstacles and handles to their new place")               \
    X(contact, "features that are close, and their contacts")         \
    X(assemble, "forces and matrix")                                  \
    X(solve, "linear system")                                         \
    X(limit, "strain limiting")                                       \
    X(collide, "continuous collision and response")                   \
    X(view, "what cameras see of each face")                          \
    X(remesh, "meshes follow the cloth, and the solver follows them") \
    X(inspect, "exact count of intersections")                        \
    X(write, "frame file and statistics")

/* What a frame is and holds: X(name, type, format, meaning). */
#define VO_STAT_HEAD(X)                                                \
    X(frame, int, "%d", "number of the frame; 0 is the initial state") \
    X(time, double, "%.9g", "simulated time, s")                       \
    X(cloths, int, "%d", "cloths")                                     \
    X(faces, int, "%d", "faces of all cloths")                         \
    X(edges, int, "%d", "edges of all cloths")                         \
    X(nodes, int, "%d", "nodes of all cloths")                         \
    X(verts, int, "%d", "verts of all cloths")                         \
    X(wall_s, double, "%.6f",                                          \
      "seconds the frame took; frame 0: its set-up without reading and sewing, and the preroll")

/* What happened in it: counters over its substeps, and extremes at its end. */
#define VO_STAT_FIELDS(X)                                                                        \
    X(substeps, int, "%d", "substeps taken, cut ones included")                                  \
    X(iterations, int, "%d", "iterations of the linear solver")                                  \
    X(direct_solves, int, "%d", "systems that the direct solver had to take over")               \
    X(step_cuts, int, "%d", "substeps repeated with half the step")                              \
    X(held_steps, int, "%d", "substeps given up: the cloth was held where it was")               \
    X(limit_passes, int, "%d", "solves that brought stretches back within their limits")         \
    X(contacts, int, "%d", "contacts in the solve, the most of any substep")                     \
    X(impacts, int, "%d", "collisions found on the way of a substep")                            \
    X(impulses, int, "%d", "of them stopped one by one")                                         \
    X(zones, int, "%d", "impact zones: groups of collisions solved together")                    \
    X(cut_nodes, int, "%d", "nodes that went only part of their way to avoid a collision")       \
    X(stopped_nodes, int, "%d", "nodes held, or carried by an obstacle, for a substep")          \
    X(yielded_nodes, int, "%d", "nodes of obstacles, or pinned, that fell behind their motion")  \
    X(untangled, int, "%d", "intersecting pairs of faces that were put apart")                   \
    X(splits, int, "%d", "edges that remeshing split")                                           \
    X(collapses, int, "%d", "edges that it collapsed")                                           \
    X(flips, int, "%d", "edges that it flipped")                                                 \
    X(refused_edits, int, "%d",                                                                  \
      "times that an edit was refused, since it would have passed through something")            \
    X(put_off_edits, int, "%d", "times that an edit was put off, since it would have been seen") \
    X(popping, double, "%.6g",                                                                   \
      "m; the furthest that a point of the surface, seen or not, was moved by remeshing, and "   \
      "by putting apart what that had tangled")                                                  \
    X(popping_px, double, "%.4g",                                                                \
      "the same in pixels of the scene's cameras, of all points in their pictures, fronts and "  \
      "backs; with `adapt` `view` and its `occlusion` of those that nothing hides")              \
    X(seen_faces, int, "%d",                                                                     \
      "faces that cameras see the front of, now or soon; of the meshes as they were before the " \
      "frame's remeshing, so they may be more than `faces`")                                     \
    X(hidden_faces, int, "%d", "that they would see but for what is before them; of the same")   \
    X(budget_excess, double, "%.4g",                                                             \
      "how far the frame is above the budget of `view`, relative to it: 0.1 is a tenth too "     \
      "many faces at its end, or seconds for all of it; 0: within it")                           \
    X(budget_missed, int, "%d",                                                                  \
      "1: it is above, though edges on the screen are as long as a budget makes them; else 0")   \
    X(searches, int, "%d", "substeps in which trees were walked")                                \
    X(tree_s, double, "%.6f", "seconds of contact and collide that trees took")                  \
    X(solver_residual, double, "%.3g", "worst relative residual that was accepted")              \
    X(max_strain, double, "%.9g", "largest principal stretch minus one")                         \
    X(min_strain, double, "%.9g", "smallest principal stretch minus one")                        \
    X(limit_excess, double, "%.6g", "furthest that a stretch is beyond its limits")              \
    X(beyond_limits, int, "%d", "faces with a stretch beyond its limits by more than 0.01")      \
    X(max_speed, double, "%.9g", "fastest node, m/s")                                            \
    X(intersections, int, "%d", "pairs of faces that intersect at the frame's end")              \
    X(inside_nodes, int, "%d", "nodes inside closed obstacles at the frame's end")

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
