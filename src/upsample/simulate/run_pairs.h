/* Training pairs from runs: the frames of a coarse and a fine run of one garment, sampled at the
 * nodes of its original meshes. The runs may be of either engine; remeshed cloth is sampled.
 *
 * The fine cloth of separate simulations does not follow the coarse one, unless the runs have been
 * made so; scenes give pairs that are aligned (simulate.h). */
#ifndef VO_UPSAMPLE_SIMULATE_RUN_PAIRS_H
#define VO_UPSAMPLE_SIMULATE_RUN_PAIRS_H

#include "upsample/pairs.h"

typedef struct vo_upsample_run_pairs_def {
    int run_count;           /* even: coarse and fine run of each sequence in turn */
    const char *const *runs; /* [run_count] folders */
    int max_frames;          /* of each sequence; 0 (default): all */
} vo_upsample_run_pairs_def;

/* Reads each pair of runs as a sequence: consecutive frames from the first one, 0 or later, that
 * both have. The cloth is that of the key `upsampling` of the coarse run's scene, by default the
 * first one. Of the stats, strain and distance are measured. *out is NULL on failure; VO_CANCELLED
 * if the context cancels. */
vo_result vo_upsample_read_runs(vo_context *ctx, const vo_upsample_run_pairs_def *def,
                                vo_upsample_pairs **out);

#endif
