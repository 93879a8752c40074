/* What may be changed in the scene of a run that is resumed. */
#ifndef VO_SIM_RUN_SETS_H
#define VO_SIM_RUN_SETS_H

#include "scene/scene.h"

/* Settings that only count at the start would be recorded and have no effect: VO_BAD_DATA, with the
 * first such key. `changed` is the run's scene of `frame` with all of them. */
vo_result vo_run_check_sets(vo_context *ctx, const char *folder, int frame, const vo_scene *changed,
                            int set_count, const char *const *sets);

#endif
