/* What the files of the view share. */
#ifndef VO_SIM_VIEW_LOCAL_H
#define VO_SIM_VIEW_LOCAL_H

#include "sim/sim.h"

/* view.c: a camera of the scene in the picture of this frame; false: it is not through this one. */
bool vo_sim_camera_now(const vo_sim *sim, int camera, vo_camera *out);

/* The camera that the caller gives, likewise. It was told when the frame began. */
vo_camera vo_sim_guided_now(const vo_sim *sim);

/* Whether everything counts as seen, wherever cameras stand. */
bool vo_sim_view_sees_all(const vo_sim *sim);

/* view_budget.c: the shortest edge on the screen that a budget begins with. */
double vo_sim_least_pixels(const vo_sim *sim);

/* Before anything is looked at. */
void vo_sim_view_open_budget(vo_sim *sim);

/* view_watch.c: lists who watches, and what they see of each cloth. */
vo_result vo_sim_view_find_watchers(vo_sim *sim);

#endif
