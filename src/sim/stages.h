/* The stages of a step, each with its timer and its statistics. Called by step.c and relax.c. */
#ifndef VO_SIM_STAGES_H
#define VO_SIM_STAGES_H

#include "sim/state.h"

/* Sets the end-of-step targets of obstacles and handles. */
void vo_stage_move(vo_sim *sim, vo_step_span t);
/* Teleports obstacles that are too fast, and separates cloth from obstacles that appeared inside
 * it. Needs vo_stage_move; moves again after a teleport. */
vo_result vo_stage_make_room(vo_sim *sim, vo_step_span t);
/* Finds the contacts of the step. */
vo_result vo_stage_contact(vo_sim *sim, double dt);
/* Takes one linearised backward Euler step and applies it to the rows if it could be solved. */
vo_step_outcome vo_stage_solve(vo_sim *sim, double dt);
/* Projects stretches back into their limits. */
void vo_stage_limit(vo_sim *sim, double dt);
/* Continuous collision detection and response from the last state to the new one. */
vo_result vo_stage_collide(vo_sim *sim, double dt);
/* Accepts the new state: writes rows and surface to meshes, handles and obstacles. */
void vo_stage_commit(vo_sim *sim, double dt);

#endif
