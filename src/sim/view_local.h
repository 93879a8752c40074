/* Functions shared by the files of the view. */
#ifndef VO_SIM_VIEW_LOCAL_H
#define VO_SIM_VIEW_LOCAL_H

#include "sim/sim.h"

/* view_cameras.c: evaluates a camera of the scene at the current time. Returns false if it is
 * inactive. */
bool vo_sim_current_camera(const vo_sim *sim, int camera, vo_camera *out);

/* Returns the interactive camera, extrapolated from the start of the frame to the current time. */
vo_camera vo_sim_interactive_camera(const vo_sim *sim);

/* Returns true if all faces are treated as visible, independent of the cameras. */
bool vo_sim_view_is_full_detail(const vo_sim *sim);

/* view_budget.c: initial shortest edge on the screen of a budget, pixels. */
double vo_sim_min_edge_pixels(const vo_sim *sim);

/* Clamps the shortest edge to the range of the budget; call it before the view update. */
void vo_sim_view_begin_budget(vo_sim *sim);

/* view_pop_limit.c: lists the cameras in which remeshing may pop, and marks the faces that they
 * see. */
vo_result vo_sim_view_find_pop_cameras(vo_sim *sim);

#endif
