/* Saved states of a training run, so that it continues after it was killed.
 *
 *     S-frames-K.vof          frames K n to K n + n - 1 of scene S, n = save_interval; key
 *     S-coarse-K.vof, ...     state of the coarse and the fine world after the last of them
 *
 * The files of a chunk K are complete when its frames are, which are written last; then the states
 * of the previous chunk are removed. The key is a hash of the scene and the definition: files of
 * other runs are ignored. */
#ifndef VO_UPSAMPLE_SIMULATE_STATES_H
#define VO_UPSAMPLE_SIMULATE_STATES_H

#include "upsample/simulate/engine.h"

typedef struct vo_upsample_states {
    vo_context *ctx;
    const char *folder; /* NULL: nothing is saved */
    int scene, interval;
    uint64_t key;
    vo_vof_writer *writer; /* owned */
} vo_upsample_states;

/* Creates the folder. */
vo_result vo_upsample_states_open(vo_context *ctx, const char *folder, int scene, int interval,
                                  uint64_t key, vo_upsample_states *out);
void vo_upsample_states_close(vo_upsample_states *states);

/* Saves the frames of the chunk that ends with `frame` and the states; nothing if no chunk ends
 * there. `fine` may be NULL. */
vo_result vo_upsample_states_save(vo_upsample_states *states, const vo_upsample_pairs *pairs,
                                  int frame, vo_upsample_engine *coarse, vo_upsample_engine *fine);
/* Restores the frames and states of the last complete chunk of at most `frame_count` frames; *frame
 * is its last frame, -1 if there is none. */
vo_result vo_upsample_states_restore(vo_upsample_states *states, vo_upsample_pairs *pairs,
                                     int frame_count, vo_upsample_engine *coarse,
                                     vo_upsample_engine *fine, int *frame);

#endif
