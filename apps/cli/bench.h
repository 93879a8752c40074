/* voile: the named benchmarks. One list serves `voile bench`, its help and its manual page. */
#ifndef VOILE_CLI_BENCH_H
#define VOILE_CLI_BENCH_H

#include "cli.h"

/* X(name, description) */
#define CLI_BENCHMARKS(X)                                                                      \
    X(sheet, "a square sheet of 20,000 faces pinned at two corners, 8 substeps of 5 ms a "     \
             "frame: milliseconds per substep, one thread against two (or --threads)")         \
    X(scaling, "the same cloth from 5,000 to 80,000 faces: what a face costs, against a cost " \
               "that grows linearly")                                                          \
    X(solvers, "a sheet of 5,000 faces: conjugate gradients against the direct solver, where " \
               "the build has one")

/* Run by name only: ccd needs data, contact takes minutes, render measures another module. */
#define CLI_BENCH_CCD                                                                       \
    "continuous collision detection on queries with exact results: false negatives, false " \
    "positives, nanoseconds per query"
int bench_ccd(const cli_args *args);
#define CLI_BENCH_CONTACT                                                                         \
    "scenes of contact at about 33,000 faces: milliseconds per substep in each stage, one "       \
    "thread (or --threads); ratio is contact and collide against assemble and solve, "            \
    "failsafe counts nodes beyond the impact zones of the response, intersect intersecting face " \
    "pairs"
int bench_contact(const cli_args *args);
#define CLI_BENCH_RENDER                                                                       \
    "an image of 1280 x 720 pixels of a skirt of 50,000 faces on a mannequin: seconds by the " \
    "clock and of processor time, two threads (or --threads)"
int bench_render(const cli_args *args);
#define CLI_BENCH_RT                                                                            \
    "the real-time library against its targets: major step of a T-shirt on a static and a "     \
    "walking body, memory, transitions, leaf lists, fronts of several sizes, 12 walkers, a "    \
    "parade of 1,000 characters, upsampling of a skirt, and three scenes with self-collision, " \
    "adaptive and at the "                                                                      \
    "finest level"
int bench_rt(const cli_args *args);

/* Adds a cloth with a single fabric. */
vo_result bench_add_cloth(vo_scene *scene, const vo_mesh *mesh, const vo_fabric *fabric);

#endif
