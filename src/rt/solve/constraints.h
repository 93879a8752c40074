/* Constraints of single vertices and of pairs of base vertices, which are few. */
#ifndef VO_RT_SOLVE_CONSTRAINTS_H
#define VO_RT_SOLVE_CONSTRAINTS_H

#include "rt/solve/solve.h"

/* Vertices with constraints that refer to the animated pose, and a summary of their masses. */
typedef struct vo_rt_pose_slots vo_rt_pose_slots;

/* Starts a minor step: sets front.previous and the inverse masses. */
vo_rt_pose_slots vo_rt_begin_vertices(vo_rt_front *front);

/* Moves prescribed vertices to fraction s of the path from front.previous to their targets. Targets
 * that are not finite are ignored. */
void vo_rt_move_prescribed(vo_rt_front *front, vo_rt_slots slots, float s);
/* Pulls vertices to their targets like springs with the angular frequency 60 w / (1 - w) 1/s, so
 * that the effect does not depend on the number of substeps; integrated implicitly. */
void vo_rt_pull_attached(vo_rt_front *front, vo_rt_slots slots, float h);
/* Moves vertices into spheres around their targets. */
void vo_rt_limit_distance(vo_rt_front *front, vo_rt_slots slots);
/* Moves vertices out of spheres behind their targets; front.normal holds normals of the targets. */
void vo_rt_apply_backstops(vo_rt_front *front, vo_rt_slots slots);

/* Shortens tethers that exceed their length. */
void vo_rt_project_tethers(const vo_rt_asset *asset, vo_rt_front *front);
/* Pulls the ends of seam links together: strength 1 closes them at LINK_SPEED, less strength
 * weakens the pull like vo_rt_pull_attached. */
void vo_rt_project_links(const vo_rt_asset *asset, vo_rt_front *front, float strength, float h);

/* Starts a minor step: clears impulses, moves vertices that are behind their plane onto it without
 * a change of velocity. */
void vo_rt_begin_contacts(vo_rt_front *front, vo_rt_contact *contacts, int count);
/* Copies contacts to groups of eight; returns the number of groups. The first *grouped contacts of
 * the list are grouped: vertices in ascending order with at most two contacts each; points of edges
 * follow. The second contacts of vertices are in groups after those of the first. */
int vo_rt_group_contacts(vo_rt_contact_group *groups, const vo_rt_contact *contacts, int count,
                         int *grouped);
/* Copies the impulses back to the list. */
void vo_rt_store_impulses(const vo_rt_contact_group *groups, vo_rt_contact *contacts, int grouped);
/* Keeps vertices in front of their planes, `time` seconds after the start of the minor step, with
 * Coulomb friction: the tangential displacement of the substep relative to the surface is reduced
 * by at most friction times the normal correction. Accumulates impulses. The kernel
 * project_contacts does the same for groups. */
void vo_rt_project_contacts(vo_rt_front *front, vo_rt_contact *contacts, int count, float time,
                            float h);

#endif
