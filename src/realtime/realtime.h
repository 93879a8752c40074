/* The real-time engine of runs: simulates a scene with libvoile-rt (<voile/rt.h>).
 *
 * A vo_sim without solver (vo_sim_create_sewn, vo_sim_create_for_frames) holds the scene's objects:
 * it evaluates obstacles and bodies, measures the cloth and defines the frame files. The world of
 * the real-time library computes the motion. After each frame the leaves of each cloth become its
 * mesh in the vo_sim.
 *
 *     assets    sewn garments and meshes to assets, shared by equal garments     realtime_assets.c
 *     bodies    obstacles to bodies; their poses                                 realtime_bodies.c
 *     handles   handles to attachments                                           realtime_handles.c
 *     world     cloths, wind, fans, cameras                                      realtime_world.c
 *     leaves    leaf meshes to meshes with material space                        realtime_leaves.c
 *     state     sections of frame files                                          realtime_state.c
 *     warn      warnings about the cloth after a frame                           realtime_warn.c
 *     frame     the frame, statistics                                            realtime.c */
#ifndef VO_REALTIME_REALTIME_H
#define VO_REALTIME_REALTIME_H

#include "codec/vof.h"
#include "sim/sim.h"

#include <voile/rt.h>

typedef struct vo_realtime vo_realtime;

/* Fails if an obstacle or the surface of a character is open, which bodies must not be; names it.
 * vo_realtime_create fails likewise, but after garments have been sewn. */
vo_result vo_realtime_check_scene(vo_context *ctx, const vo_scene *scene);
/* Creates the engine in the initial state of a simulation without solver, which must outlive it;
 * *out is NULL on failure. Logs keys of the scene that have no effect. */
vo_result vo_realtime_create(vo_sim *sim, vo_realtime **out);
/* Creates the engine in the state of a frame. `first` is the frame that contains the assets, the
 * first of the run; both readers may be the same. `path` is the file name in messages. */
vo_result vo_realtime_restore(vo_sim *sim, vo_vof_reader *first, vo_vof_reader *frame,
                              const char *path, vo_realtime **out);
/* The same, with a detail mesh on the asset of a cloth. `detail` is read during the call. */
vo_result vo_realtime_create_detailed(vo_sim *sim, int cloth, const vo_rt_detail_def *detail,
                                      vo_realtime **out);
void vo_realtime_destroy(vo_realtime *realtime); /* NULL is allowed */

/* Advances by one frame, with its statistics. */
vo_result vo_realtime_step_frame(vo_realtime *realtime);
/* The same in parts, for engines that advance together: begin, every pose of the bodies in turn,
 * end. The meshes of the simulation and the statistics are not updated. */
int vo_realtime_pose_count(const vo_realtime *realtime); /* poses per frame */
void vo_realtime_begin_frame(vo_realtime *realtime);
vo_result vo_realtime_step_pose(vo_realtime *realtime, int pose);
void vo_realtime_end_frame(vo_realtime *realtime);
/* Updates the meshes of the simulation. */
vo_result vo_realtime_update_meshes(vo_realtime *realtime);

/* After the last frame of a run: logs intersections that remain, unless they were logged. */
void vo_realtime_warn_end(vo_realtime *realtime);

/* Objects of the real-time library, owned by the engine. */
vo_rt_world *vo_realtime_get_world(vo_realtime *realtime);
vo_rt_cloth *vo_realtime_get_cloth(const vo_realtime *realtime, int cloth);
const vo_rt_asset *vo_realtime_get_asset(const vo_realtime *realtime, int cloth);
/* kg/m^2 of a cloth. */
float vo_realtime_get_density(const vo_realtime *realtime, int cloth);
/* Sets weight[base vertices of the cloth] to 1 where a handle holds the vertex at any time, else to
 * that of the asset. */
void vo_realtime_list_attachments(const vo_realtime *realtime, int cloth, float *weight);
/* Depth of a point inside the bodies, m; negative or 0: outside of all. */
double vo_realtime_measure_depth(const vo_realtime *realtime, vo_vec3 x);

/* Writes a frame file. `with_assets`: the first frame of a run. */
vo_result vo_realtime_save(vo_realtime *realtime, vo_vof_writer *writer, bool with_assets,
                           const char *path);

/* True if cloth collides with capsules on the bones of obstacle i in place of its surface. */
bool vo_realtime_has_capsules(const vo_scene *scene, int i);

#endif
