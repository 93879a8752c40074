/* Training pairs from scenes: the coarse and the fine cloth of a scene are simulated together with
 * the real-time library, each in a world of its own; the fine cloth follows the coarse one.
 *
 *     scene               the coarse cloth; the key `upsampling` has the changes that make it fine
 *     per pose            1. the coarse world advances
 *     of the bodies       2. the fine world advances, with tracking constraints (follow.h)
 *     per frame           positions of both are appended to the pairs
 *
 * Frames begin with frame 0 of the scene, after its preroll. With a folder, the state is saved at
 * regular intervals; a call with the same scenes and definition continues from there and returns
 * the same bits as one that was not interrupted. */
#ifndef VO_UPSAMPLE_SIMULATE_SIMULATE_H
#define VO_UPSAMPLE_SIMULATE_SIMULATE_H

#include "upsample/pairs.h"

#include <voile/upsample.h>

typedef struct vo_upsample_simulate_def {
    vo_upsample_test_kind test_kind; /* default harmonic, which needs ARPACK */
    int test_functions;              /* T; -1 (default): that of each scene */
    const float *test_rows; /* [test_functions][N] in place of those of test_kind; NULL (default) */
    int max_frames;         /* per scene; 0 (default): all. Scenes without end need it */
    bool coarse_only;       /* no fine simulation: fine_frames remain 0; default false */
    int override_count;     /* changes of all scenes, as "key=value" */
    const char *const *overrides;
    int fine_override_count; /* further changes, of the fine scenes */
    const char *const *fine_overrides;
    const char *folder;                /* of the saved states; NULL (default): none */
    int save_interval;                 /* frames between saved states; default 100 */
    vo_upsample_progress_fn *progress; /* NULL: none */
    void *user;
} vo_upsample_simulate_def;

vo_upsample_simulate_def vo_upsample_simulate_def_default(void);

/* Simulates the scenes, each a sequence of the pairs. All must have the same garment and length of
 * frames. *out is NULL on failure; VO_CANCELLED if the context or `progress` cancels. */
vo_result vo_upsample_simulate(vo_context *ctx, int scene_count, const char *const *scenes,
                               const vo_upsample_simulate_def *def, vo_upsample_pairs **out);

#endif
