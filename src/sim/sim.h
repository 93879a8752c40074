/* Internal interface of the simulation module. The mutable state is in sim/state.h, the constant
 * scene in scene/scene.h. */
#ifndef VO_SIM_SIM_H
#define VO_SIM_SIM_H

#include "codec/vof.h"
#include "integrate/strain_limit.h"
#include "material/bend.h"
#include "material/stretch.h"
#include "sim/state.h"

/* sim.c: like vo_sim_create, but skips untangling and relaxing the initial state, which a saved
 * frame replaces. */
vo_result vo_sim_create_for_frames(vo_context *ctx, const vo_scene *scene, vo_sim **out);
/* Like vo_sim_create_at without solver, contacts and preparation of the initial state: for the
 * real-time engine, and for reading its frames. vo_sim_step fails. */
vo_result vo_sim_create_without_solver(vo_context *ctx, const vo_scene *scene,
                                       vo_vec3 *const *cloth_x, vo_sim **out);
/* Creates a simulation of the scene's initial state without sewing. cloth_x[c] are the positions
 * of the nodes of cloth c, m, at rest; NULL, as an entry or as a whole: those of the scene, with
 * its initial velocities. vo_sim_create (src/sew) passes the positions of sewn garments. */
vo_result vo_sim_create_at(vo_context *ctx, const vo_scene *scene, vo_vec3 *const *cloth_x,
                           vo_sim **out);
/* Fails with VO_BAD_ARGUMENT if this build cannot simulate the scene. */
vo_result vo_sim_check_scene(vo_context *ctx, const vo_scene *scene);

/* live.c: allocates the arrays for live vertices of an obstacle. */
vo_result vo_sim_reserve_live_vertices(vo_sim *sim, int obstacle);
/* Replaces a material by `live`, taking ownership of its fabric; NULL: by the scene's. The solver
 * must be rebuilt afterwards. */
void vo_sim_replace_material(vo_sim *sim, int cloth, int material, const vo_material *live);

/* Largest plausible strain: real cloth does not stretch to more than twice its length. Larger
 * strains are logged as warnings. */
#define VO_MAX_PLAUSIBLE_STRAIN 1.0

/* warn.c: increments the counter of a warning, at most once per frame. Returns true the first time:
 * then it must be logged. */
bool vo_sim_count_warning(vo_sim *sim, vo_sim_warning kind, int frame);
/* Logs the warnings that applied in more than one frame, with the number of frames. */
void vo_sim_log_warning_counts(const vo_sim *sim);

/* handles.c */
vo_result vo_sim_handles_create(vo_sim *sim);
/* Resets all handles to the nodes that the scene names; none is active. */
vo_result vo_sim_handles_reset(vo_sim *sim);
vo_result vo_sim_handle_reserve(vo_sim *sim, int handle, int count);
void vo_sim_handles_free(vo_sim *sim);
/* Lists the global node pairs that glue handles couple; returns their number. */
int vo_sim_handles_list_ties(const vo_sim *sim, int (*ties)[2]);
/* Fills sim->constraints for a step of dt from `begin` to `end`. */
void vo_sim_handles_move(vo_sim *sim, vo_step_span t);
/* Commits the step that vo_sim_handles_move prepared: its attachments become valid. */
void vo_sim_handles_commit(vo_sim *sim);
/* Current index of a node of the scene's mesh; -1 if it was removed. */
int vo_sim_find_node(const vo_cloth_state *cloth, int node);
/* 1 from start to end, then falling as (1 - s)^4 over the fade time, else 0. */
double vo_handle_strength(const vo_handle_def *def, double t);
/* The same, times the live weight of a handle. */
double vo_sim_handle_strength(const vo_sim *sim, int handle, double t);
/* Returns the pose at time t of the scene's motion that handle i follows. A motion whose scale is 0
 * at a key, which is meant for obstacles, moves and rotates handles without scaling them. */
vo_transform vo_sim_handle_pose(const vo_sim *sim, int i, double t);
/* Returns true if it prescribes velocities at full strength. */
static inline bool vo_handle_is_hard(const vo_handle_def *def) {
    return def->kind == VO_HANDLE_NODE && def->stiffness == 0;
}
/* Attachment of a node to a handle, in the frame of its motion. */
vo_vec3 vo_handle_attach(const vo_handle_def *def, const vo_mesh *mesh, int node,
                         vo_transform to_motion);
/* Reserves memory for the constraints of all handles. */
vo_result vo_sim_handles_reserve(vo_sim *sim);
/* handles_body.c: binds the position x to the nearest face of a mesh; evaluates a binding for other
 * node positions of the mesh. */
vo_vec3 vo_mesh_bind_point(const vo_mesh *mesh, vo_vec3 x);
vo_vec3 vo_mesh_eval_binding(const vo_mesh *mesh, const vo_vec3 *node_x, vo_vec3 binding);
/* handles_remesh.c: marks the nodes that edits must preserve and those with prescribed velocities.
 */
void vo_sim_handles_mark_nodes(const vo_sim *sim, int cloth);
/* Updates the handles of a cloth after its mesh was edited. */
vo_result vo_sim_handles_update_nodes(vo_sim *sim, int cloth);

/* obstacles.c */
vo_result vo_sim_obstacles_create(vo_sim *sim);
void vo_sim_obstacles_free(vo_sim *sim);
/* Returns the pose of a motion of the scene at time t; identity for motion -1. */
vo_transform vo_sim_motion_pose(const vo_sim *sim, int motion, double t);
/* Returns true if obstacle i exists at time t. */
bool vo_sim_obstacle_exists(const vo_sim *sim, int i, double t);
/* Transform from the current pose of an obstacle to its pose at time t. Returns false if it is
 * unknown: bodies, obstacles without motion and degenerate scales. */
bool vo_sim_obstacle_displacement(const vo_sim *sim, int i, double t, vo_transform *out);
/* Places all obstacles at their poses at time t and sets their velocities. */
void vo_sim_obstacles_place(vo_sim *sim, double t);
/* Sets the targets of the obstacles in the contact surface for a step; commit stores the result. */
void vo_sim_obstacles_set_targets(vo_sim *sim, vo_step_span t);
void vo_sim_obstacles_commit(vo_sim *sim, double dt);
/* Lists the obstacle nodes that lag behind their motion, with the largest lag. */
void vo_sim_list_lagging_nodes(const vo_sim *sim, vo_inspection *out);
/* Moves an obstacle to its target of the step at once; it rests there until `end`. */
void vo_sim_teleport_obstacle(vo_sim *sim, int obstacle, double end);
/* teleport.c: teleports obstacles that move too far for a step of dt to `end`, with the cloths that
 * they wear. All targets must then be set again and intersections resolved. */
vo_result vo_sim_teleport_obstacles(vo_sim *sim, double end, double dt, bool *teleported);
void vo_sim_teleports_free(vo_sim *sim);

/* contact.c */
vo_result vo_sim_contact_create(vo_sim *sim);
/* Releases the contact state before it is created again for changed meshes; keeps what can be
 * reused. */
vo_result vo_sim_contact_drop(vo_sim *sim);
void vo_sim_contact_free(vo_sim *sim);
/* Sets the cloth positions, unconstrained targets and masses in the contact surface. */
void vo_sim_contact_set_targets(vo_sim *sim, double dt);
/* Finds the contacts of the step at the current positions and adds them to sim->constraints. */
vo_result vo_sim_contact_find(vo_sim *sim, double dt);
/* Warns about the dense region that made a step fail, once per frame. */
void vo_sim_contact_warn_frozen_region(vo_sim *sim);
/* Runs continuous collision detection and response from the current positions to those of the
 * solver, which it changes. */
vo_result vo_sim_contact_collide(vo_sim *sim, double dt);
/* friction.c: sets the friction of the contacts just found; measures the normal forces of the step
 * just solved for the next one. */
void vo_friction_add(const vo_sim_contact *contacts, int count, vo_vec3 gravity, double dt);
void vo_friction_measure(const vo_sim_contact *contacts, int count, const vo_implicit *solver,
                         double dt);

/* remesh.c: remeshes the cloths at the end of a frame and rebuilds everything that depends on their
 * topology. */
vo_result vo_sim_remesh_create(vo_sim *sim);
void vo_sim_remesh_free(vo_sim *sim);
vo_result vo_sim_remesh_cloths(vo_sim *sim);
/* Creates the editor of a mesh that was read from a frame. */
vo_result vo_sim_remesh_create_editor(vo_sim *sim, int cloth);

/* view.c: computes the visibility of each face at the start of remeshing, from whose arena it
 * allocates. */
vo_result vo_sim_view_create(vo_sim *sim);
void vo_sim_view_free(vo_sim *sim);
vo_result vo_sim_view_update(vo_sim *sim);
/* Opens the frusta of the current cameras for vo_sim_view_face_is_off_screen. */
void vo_sim_view_open_frusta(vo_sim *sim);
/* Returns true if a face is outside all frusta. */
bool vo_sim_view_face_is_off_screen(const vo_sim *sim, int cloth, int face);

/* view_budget.c: between sizing and edits, adjusts the shortest edge on the screen and the sizing
 * field to the budget; after the edits, updates the face density. */
void vo_sim_view_solve_budget(vo_sim *sim);
void vo_sim_view_update_density(vo_sim *sim);
/* Sets the face density, clamped; the default if it is not positive. */
void vo_sim_view_set_density(vo_sim *sim, double density);
/* Stores the consumption of the frame relative to the budget in the statistics. */
void vo_sim_view_report_budget(vo_sim *sim);

/* view_pop_limit.c: fills the pop limit of a cloth. Returns false if there is none. */
bool vo_sim_view_make_pop_limit(const vo_sim *sim, int cloth, vo_pop_limit *out);
/* Largest screen-space displacement, pixels, over the cameras that continue a shot; 0 without one.
 * With a view, visible points only. */
double vo_sim_view_measure_popping(const vo_sim *sim, int count, const vo_pop *pop);

/* Effective strain of a face: strain and curvature without offsets, and slack. */
typedef struct vo_effective_strain {
    vo_strain_offset shape;
    double slack;
} vo_effective_strain;

/* pop_filter.c: fading strain offsets, which keep remeshing from changing forces abruptly. Measures
 * the effective strain of all faces of a mesh before remeshing. `out` has face_count and `angle`
 * (scratch) edge_count entries; first_face is the global number of face 0. */
void vo_pop_filter_measure(const vo_implicit *solver, const vo_mesh *mesh, int first_face,
                           double *angle, vo_effective_strain *out);
/* Sets the offsets of the new faces so that their effective strain is `previous` [face_count]. */
void vo_pop_filter_begin(vo_implicit *solver, const vo_mesh *mesh, int first_face, double *angle,
                         const vo_effective_strain *previous);
/* Returns the current offset of a face. */
vo_strain_offset vo_pop_filter_offset(const vo_implicit *solver, int global_face);
/* Fades offsets and deviations of slack from its target over a step of dt. */
void vo_pop_filter_fade(vo_implicit *solver, double dt);

/* buckle.c: slack target of a face. */
double vo_sim_slack_target(const vo_sim *sim, int cloth, int face);
/* Updates the slack targets of all faces; reset also sets the slack to them at once. */
void vo_sim_update_slack_targets(vo_sim *sim);
void vo_sim_reset_slack(vo_sim *sim);

/* untangle.c: separates intersections at surface.x0 where the scene allows it and logs those that
 * remain. Changes positions of meshes only, not velocities. `can_cancel`: polls the cancel callback
 * of the context; on VO_CANCELLED the meshes are unchanged. Must be false within a frame, which
 * could not be continued. */
vo_result vo_sim_untangle(vo_sim *sim, bool can_cancel);
/* The same for the current state between two steps. */
vo_result vo_sim_resolve_intersections(vo_sim *sim, bool can_cancel);
/* The same after remeshing; the displacements are included in the popping statistics. */
vo_result vo_sim_untangle_edits(vo_sim *sim);
/* The same for a run that is resumed with a changed scene; the result is reported with the next
 * frame. */
vo_result vo_sim_fit_to_scene(vo_sim *sim);

/* rebuild.c, solver_state.c: rebuilds the solver for the current topology, and copies state between
 * it and the meshes. */
vo_result vo_sim_rebuild(vo_sim *sim);
/* Rebuilds the solver alone, for changed materials of the same meshes; its state is kept. */
vo_result vo_sim_rebuild_solver(vo_sim *sim);
void vo_sim_gather_state(vo_sim *sim);  /* meshes -> solver rows */
void vo_sim_scatter_state(vo_sim *sim); /* solver rows -> meshes */

/* step.c: advances all state over one substep, except the clock. */
vo_step_outcome vo_sim_advance(vo_sim *sim, vo_step_span t);

/* frame.c: fails if an earlier failure left the simulation without a complete state. */
vo_result vo_sim_check_intact(const vo_sim *sim);
/* Like vo_sim_step, without the inspection at the end of a frame. Sewing, which inspects
 * only its result, calls it. */
vo_result vo_sim_step_uninspected(vo_sim *sim);

/* For another engine: begins the statistics of a frame, unless it belongs to the preroll; ends the
 * current frame: advances the clock to the start of the next. */
void vo_sim_begin_frame(vo_sim *sim);
void vo_sim_end_frame(vo_sim *sim);
/* Time at which the current frame ends, s. */
double vo_sim_frame_end(const vo_sim *sim);

/* Adds the time that the caller took to write the frame, s, to the statistics of the frame. */
void vo_sim_add_write_time(vo_sim *sim, double seconds);

/* relax.c: relaxes an initial state whose strain is implausible, in steps that begin at rest, until
 * it is plausible or no longer improves. */
vo_result vo_sim_relax(vo_sim *sim);

/* mesh_measure.c: inputs of the stretching and bending formulas for a face, without offsets. */
vo_stretch_face vo_mesh_stretch_face(const vo_mesh *mesh, int face, vo_vec3 x[3]);
vo_bend_face vo_mesh_bend_face(const vo_mesh *mesh, int face);
/* The angle at an edge minus its rest angle, rad. */
double vo_mesh_bend_angle(const vo_mesh *mesh, int edge);
/* Sets element counters, strains and speeds from the current state. */
void vo_sim_measure(const vo_sim *sim, vo_stats *stats);
/* The same, and the intersections and nodes inside obstacles at the end of a frame. */
vo_result vo_sim_measure_frame(const vo_sim *sim, vo_stats *stats);
/* Raises *max and lowers *min to the largest and smallest principal stretch minus one. */
void vo_mesh_strain(const vo_mesh *mesh, double *max, double *min);

/* inspect.c: like vo_sim_inspect, for the cloths of the scene before untangling. */
vo_result vo_sim_inspect_initial(const vo_sim *sim, vo_inspection *out);

/* stats.c: starts a frame's statistics; one JSON line, as in stats.jsonl. */
void vo_stats_begin(vo_stats *stats, int frame, double time);
int vo_stats_print(const vo_stats *stats, char *line, size_t size);
vo_result vo_stats_parse(vo_context *ctx, const char *file, const char *line, size_t size,
                         vo_stats *out);

/* frame_write.c, frame_read.c: frame files. */
vo_result vo_sim_save(vo_sim *sim, vo_vof_writer *writer, const char *path);
/* Adds the meshes of all cloths, and the nodes of the scene that theirs are, to a writer. */
vo_result vo_sim_write_meshes(vo_sim *sim, vo_vof_writer *writer);
/* Adds the sections of a frame file to a writer that was begun. */
vo_result vo_sim_write_sections(vo_sim *sim, vo_vof_writer *writer);
/* Reads meshes, handles, obstacles and time of a frame for inspection. The solver is not updated,
 * so no step may follow. Other frames can be read after a failure. */
vo_result vo_sim_read_frame(vo_sim *sim, vo_vof_reader *reader, const char *path);
/* The same including the solver, so that the next step has the same result as in the original run.
 * After a failure only vo_sim_destroy may be called. */
vo_result vo_sim_restore(vo_sim *sim, vo_vof_reader *reader, const char *path);

#endif
