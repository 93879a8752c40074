/* voile: the named benchmarks. One list serves `voile bench`, its help and its manual page. */
#ifndef VOILE_CLI_BENCH_H
#define VOILE_CLI_BENCH_H

#include "cli.h"

/* X(name, what is measured) */
#define CLI_BENCHMARKS(X)                                                                      \
    X(sheet, "a square sheet of 20,000 faces pinned at two corners, 8 substeps of 5 ms a "     \
             "frame: milliseconds per substep, one thread against two (or --threads)")         \
    X(scaling, "the same cloth from 5,000 to 80,000 faces: what a face costs, against a cost " \
               "that grows linearly")                                                          \
    X(solvers, "a sheet of 5,000 faces: conjugate gradients against the direct solver, where " \
               "the build has one")

/* Run by name only: the first needs data, the second takes minutes, the third draws. */
#define CLI_BENCH_CCD \
    "continuous collision against exact answers: misses, false alarms, nanoseconds a query"
int bench_ccd(const cli_args *args);
#define CLI_BENCH_CONTACT                                                                    \
    "scenes of contact at about 33,000 faces: milliseconds per substep in each stage, one "  \
    "thread (or --threads); ratio is contact and collide against assemble and solve, above " \
    "counts nodes beyond the second rung of the response, meet intersecting pairs of faces"
int bench_contact(const cli_args *args);
#define CLI_BENCH_RENDER                                                                        \
    "a picture of 1280 x 720 pixels of a skirt of 50,000 faces on a mannequin: seconds by the " \
    "clock and of processor time, two threads (or --threads)"
int bench_render(const cli_args *args);

/* A cloth that is all of one fabric. */
vo_result bench_add_cloth(vo_scene *scene, const vo_mesh *mesh, const vo_fabric *fabric);

#endif
