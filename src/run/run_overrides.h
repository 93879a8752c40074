/* Overrides that a resumed run may have. */
#ifndef VO_RUN_RUN_OVERRIDES_H
#define VO_RUN_RUN_OVERRIDES_H

#include "scene/scene.h"

/* VO_BAD_DATA, with the key, if an override changes the initial state of the run, which it could
 * not affect any more. `changed` is the scene of `frame` with all overrides. */
vo_result vo_run_check_overrides(vo_context *ctx, const char *folder, int frame,
                                 const vo_scene *changed, int override_count,
                                 const char *const *overrides);

#endif
