/* Voile: simulation, the state of a scene as it changes over time. */
#ifndef VOILE_SIM_H
#define VOILE_SIM_H

#include <voile/scene.h>
#include <voile/sew.h>
#include <voile/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_sim vo_sim;

/* Creates a simulation in the initial state of the scene, which must outlive it; *out is NULL on
 * failure. Sews the garments of the scene first. Removes intersections of the initial state, unless
 * VO_DISABLE_SEPARATION is set, and relaxes cloth with strains above 0.5; both are logged.
 * Progress is reported as "sewing garments" and "creating the simulation"; VO_CANCELLED frees
 * everything. Time starts at 0, or below 0 if the scene has a preroll, whose frames have negative
 * numbers. */
VO_API vo_result vo_sim_create(vo_context *ctx, const vo_scene *scene, vo_sim **out);
/* Like vo_sim_create; calls `progress` (may be NULL) with `user` after each step of sewing.
 * VO_CANCELLED if it returns false. */
VO_API vo_result vo_sim_create_with_progress(vo_context *ctx, const vo_scene *scene,
                                             vo_sew_progress_fn *progress, void *user,
                                             vo_sim **out);
VO_API void vo_sim_destroy(vo_sim *sim); /* NULL is allowed */

/* Simulates one substep of frame_time / frame_steps seconds. The last substep of a frame also
 * remeshes the cloths with remeshing, which changes the indices of nodes, verts and faces, and
 * inspects the result: frame_steps calls are equal to one vo_sim_step_frame. Invalidates all views.
 *
 * A substep without a numerical solution is not a failure; the statistics count it
 * (frozen_substeps). VO_NO_MEMORY in the solver freezes the cloth in this substep, and the next
 * call may succeed. After a failure of remeshing (VO_NO_MEMORY, or VO_IO_FAILED if Embree fails,
 * with view.occlusion) only vo_sim_restore_snapshot and vo_sim_destroy may follow. */
VO_API vo_result vo_sim_step(vo_sim *sim);

/* Simulates the remaining substeps of the current frame by vo_sim_step. The inspection at its end
 * counts intersections exactly and separates faces that remeshing has made intersect. Polls the
 * cancel callback of the context before each substep: VO_CANCELLED, and a later call continues. */
VO_API vo_result vo_sim_step_frame(vo_sim *sim);

/* Sets the current pose of an interactive camera, which replaces the scene's cameras. Call it
 * before each frame; used with VO_ADAPT_VIEW only. Future poses are extrapolated from the previous
 * ones, with a margin for the uncertainty. `is_cut`: the camera has not moved here continuously,
 * and its earlier poses are discarded. Several calls at the same time: the last one applies. NULL:
 * the scene's cameras apply again. Frame files do not store the camera, snapshots do.
 *
 * VO_BAD_ARGUMENT with the name of the member, and the earlier poses are kept, if a value is not
 * finite, the axes are not orthonormal and right-handed, the field of view is empty, a side has
 * more than 16384 pixels, or pixels are not square; tolerance 0.001. */
VO_API vo_result vo_sim_set_camera(vo_sim *sim, const vo_camera *camera, bool is_cut);

/* Current time, s. */
VO_API double vo_sim_time(const vo_sim *sim);
/* Number of frames completed since time 0; negative during the preroll. */
VO_API int vo_sim_frame(const vo_sim *sim);

/* Arrays of a cloth, which belong to the simulation and are valid until its next step or
 * restore. */
VO_API vo_mesh_view vo_sim_get_cloth(const vo_sim *sim, int cloth);

/* Surface of a cloth between its nodes. */
typedef enum vo_surface_kind {
    VO_SURFACE_SMOOTH, /* curved faces that interpolate all nodes with continuous tangents;
                          creases (labelled edges) stay sharp. For display: it deviates from the
                          surface for which collisions are resolved and may intersect.
                          vo_sim_sample_input_mesh also smooths folds that the input mesh is too
                          coarse to represent, except at nodes listed by handles */
    VO_SURFACE_FLAT,   /* the simulated triangles */
} vo_surface_kind;

/* Samples the cloth at the nodes of its input mesh (vo_cloth_def.mesh), independently of remeshing:
 * writes positions (m) and velocities (m/s) of the first `count` nodes of that mesh in its order.
 * Either array may be NULL. Verts are located by their material coordinates; a node with several
 * verts, on a seam, gets the mean of their values. Nodes without a face keep their initial
 * positions. Without remeshing the result equals the nodes of vo_sim_get_cloth. Takes time in
 * proportion to the sizes of both meshes. VO_BAD_ARGUMENT if the cloth does not exist or `count`
 * exceeds the nodes of its input mesh. */
VO_API vo_result vo_sim_sample_input_mesh(const vo_sim *sim, int cloth, vo_surface_kind surface,
                                          int count, vo_vec3 *positions, vo_vec3 *velocities);

/* Arrays of an obstacle at the current time, which belong to the simulation and are valid until its
 * next step or restore. node_count is 0 while the obstacle is absent. */
VO_API vo_mesh_view vo_sim_get_obstacle(const vo_sim *sim, int obstacle);

/* Statistics since the beginning of the current frame. Between frames they are those of the
 * completed frame. `intersections` and `inside_nodes` are counted at the end of a frame and 0
 * within it; vo_sim_inspect (<voile/check.h>) counts them at any time. */
VO_API vo_stats vo_sim_get_stats(const vo_sim *sim);

/* Kinetic, gravitational and elastic energy of all cloth, J. */
typedef struct vo_energy {
    double kinetic, gravity, stretch, bend;
} vo_energy;
/* Computes the energy of the current state. */
VO_API vo_energy vo_sim_get_energy(const vo_sim *sim);

/* Hash of the state: states with the same bits have the same hash. */
VO_API uint64_t vo_sim_hash(const vo_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
