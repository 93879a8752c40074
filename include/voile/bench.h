/* Voile: measurements of the real-time library (docs/performance.md). */
#ifndef VOILE_BENCH_H
#define VOILE_BENCH_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One figure. Strings are valid during the call only. */
typedef struct vo_bench_row {
    const char *name;  /* unique, "tshirt-static" */
    const char *text;  /* what was measured, with counts */
    double value;      /* in `unit` */
    const char *unit;  /* "ms", "us", "%" */
    double target;     /* of the design: the largest permitted value, or the smallest; NaN: none */
    bool is_minimum;   /* larger values are better: the target is the smallest permitted value */
    double paper;      /* of Simnett et al. 2010 on a Core i7 920; of Jain et al. 2005 on a PC of
                          3.4 GHz for drape, curtains and trousers; of Kavan et al. 2011 for
                          upsampling; NaN: none */
    bool met;          /* value <= target, or >= for a minimum; true without a target */
    const char *limit; /* what limits the figure: measured parts, or inferred from the code */
} vo_bench_row;

/* Called once per row, in the thread of the caller, as soon as it is measured. */
typedef void vo_bench_row_fn(void *user, const vo_bench_row *row);

/* Defaults of vo_bench_rt_def_default in square brackets. */
typedef struct vo_bench_rt_def {
    const char *assets; /* ["assets"] folder with garments/, motions/ and scenes/ */
    const char *only;   /* [NULL] measures the rows whose names begin with this; NULL: all */
    int repeat;         /* [5] repetitions, of which the best is kept; 1 to 1000. The scenes at
                           their finest level run once */
    int max_frames;     /* [0] measures only so many frames of each scene; 0: all of its frames */
    const char *plots;  /* [NULL] folder for plots of the time per frame of the scenes, SVG and PNG;
                           NULL: none */
    vo_bench_row_fn *row;
    void *user;
} vo_bench_rt_def;

VO_API vo_bench_rt_def vo_bench_rt_def_default(void);

/* Measures the real-time library on this machine. Work is deterministic: step k is the same in
 * every repetition, so a time is the mean over steps of their best times. Single-threaded rows are
 * processor time of the calling thread. VO_BAD_ARGUMENT if no row has the name. Takes
 * minutes in all. */
VO_API vo_result vo_bench_rt(vo_context *ctx, const vo_bench_rt_def *def);

#ifdef __cplusplus
}
#endif
#endif
