/* Voile: a simulation, the changing half of a scene. */
#ifndef VOILE_SIM_H
#define VOILE_SIM_H

#include <voile/scene.h>
#include <voile/sew.h>
#include <voile/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_sim vo_sim;

/* The scene must outlive the simulation. Time starts at 0, or before it where the scene has a
 * preroll, whose frames have negative numbers. It starts with the initial state, of which what
 * intersects is put apart (unless VO_DISABLE_SEPARATION), and what is stretched by more than half
 * gives way first; the log tells. */
VO_API vo_result vo_sim_create(vo_context *ctx, const vo_scene *scene, vo_sim **out);
/* The same, told how far the sewing of the scene's garments is, which is most of the time that this
 * takes. Once `progress` returns false it ends with VO_STOPPED, after a step of sewing. */
VO_API vo_result vo_sim_create_watched(vo_context *ctx, const vo_scene *scene,
                                       vo_sew_progress_fn *progress, void *user, vo_sim **out);
VO_API void vo_sim_destroy(vo_sim *sim);

/* One substep of frame_time / frame_steps seconds; with the last one of a frame the meshes of
 * cloths with remeshing follow them: nodes and faces get other numbers. Numeric trouble never fails
 * it: it is counted in the statistics. Fails without memory: when the direct solver is needed for
 * the first time, the cloth is held for this substep and the next may go on; when remeshing fails,
 * nothing but vo_sim_destroy is left. With view.occlusion it fails, in the same way, where Embree
 * does (VO_IO_FAILED). */
VO_API vo_result vo_sim_step(vo_sim *sim);

/* All substeps of one frame, then the exact count of intersections; what remeshing may have tangled
 * in spite of its guard is put apart. */
VO_API vo_result vo_sim_step_frame(vo_sim *sim);

/* A camera that nobody has prescribed, as it is now, in place of the scene's own: to be told before
 * each frame, with VO_ADAPT_VIEW. Where it will be is guessed from what it did, and around that
 * more is kept fine than around a path that is known. `jump`: it has not come there from where it
 * was last. Of several at the same time the last one counts. NULL: from now on the scene's own
 * cameras count again. It is no part of the state, so frames do not keep it. One that is no camera
 * (not finite, axes that are not orthonormal or left-handed, without an opening, with more than
 * 16384 pixels a side or pixels that are not square; to a thousandth) is VO_BAD_CALL with the
 * member's name, and what was told before still counts. */
VO_API vo_result vo_sim_set_camera(vo_sim *sim, const vo_camera *camera, bool jump);

VO_API double vo_sim_time(const vo_sim *sim);
VO_API int vo_sim_frame(const vo_sim *sim);

/* Arrays of one cloth, valid until the next step. */
VO_API vo_mesh_view vo_sim_cloth(const vo_sim *sim, int cloth);

/* How a surface is read between its nodes. */
typedef enum vo_surface_kind {
    VO_SURFACE_SMOOTH, /* curved faces that pass through all nodes and have common tangents there;
                          creases (labelled edges) stay sharp. To look at: it is not exactly the
                          surface that collisions were resolved for. vo_sim_original also
                          rounds folds that the mesh asked for is too coarse to show, but
                          leaves nodes that handles name */
    VO_SURFACE_FLAT,   /* the faces as they were simulated */
} vo_surface_kind;

/* The cloth on the mesh that it was given to the scene with, whatever remeshing did to it since:
 * positions (m) and velocities (m/s) of the first `count` of that mesh's nodes, in its own order.
 * Either array may be NULL. Each vert is found by its material position; a node on a seam gets the
 * mean of what its verts say. Nodes of no face stay where they were given. Without remeshing these
 * are the nodes of vo_sim_cloth. Where the scene refined the mesh at the start, its own nodes come
 * first. Takes time in proportion to both meshes. More nodes than the cloth was given and a cloth
 * that is not there are VO_BAD_CALL. */
VO_API vo_result vo_sim_original(const vo_sim *sim, int cloth, vo_surface_kind surface, int count,
                                 vo_vec3 *positions, vo_vec3 *velocities);

/* Obstacle at the current time. node_count is 0 outside its life. */
VO_API vo_mesh_view vo_sim_obstacle(const vo_sim *sim, int obstacle);

/* Since the current frame began. Intersections and nodes inside obstacles are those of the end of
 * the last frame, and 0 within one; vo_sim_inspect (<voile/check.h>) counts at any time. */
VO_API vo_stats vo_sim_get_stats(const vo_sim *sim);

/* Kinetic, gravitational and elastic energy of all cloth, J. */
typedef struct vo_energy {
    double kinetic, gravity, stretch, bend;
} vo_energy;
VO_API vo_energy vo_sim_energy(const vo_sim *sim);

/* Fingerprint of the state: same bits, same number. */
VO_API uint64_t vo_sim_hash(const vo_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
