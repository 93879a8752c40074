/* Voile: live inputs of a simulation, which a host program may change between any two substeps.
 *
 * The scene stays constant; live inputs are stored in the simulation and replace the corresponding
 * values of the scene from the next substep on. Targets are those of the END of the next substep
 * (vo_sim_time plus frame_time / frame_steps): nodes move there along straight lines and stay there
 * until another target is set. If a substep is halved, targets are interpolated. A host that sets
 * the targets of every substep to the values of a scene's motions at these times gets the same bits
 * as that scene, unless a substep is halved.
 *
 * Frame files of a run do not contain live inputs. Snapshots (<voile/snapshot.h>) do.
 *
 * Every call returns VO_BAD_ARGUMENT for an index that does not exist and for a value that is not
 * valid; the message names the argument, and the inputs keep their earlier values. A simulation
 * that is NULL is VO_BAD_ARGUMENT without a message. */
#ifndef VOILE_LIVE_H
#define VOILE_LIVE_H

#include <voile/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Similarity transformation p -> translate + scale * rotation p. */
typedef struct vo_placement {
    vo_vec3 translate;  /* m */
    double scale;       /* positive; 1 keeps the size */
    double rotation[4]; /* unit quaternion w, x, y, z, to 1e-6; used without normalising it */
} vo_placement;

/* Returns the identity: no translation, scale 1, no rotation. */
VO_API vo_placement vo_placement_identity(void);

/* Sets the pose of an obstacle at the end of the next substep. It transforms the mesh as placed by
 * the scene. NULL: the scene's motion applies again. VO_BAD_ARGUMENT for characters, which accept
 * vertices only. */
VO_API vo_result vo_sim_set_obstacle_pose(vo_sim *sim, int obstacle, const vo_placement *pose);

/* Sets the positions, m, of all nodes of an obstacle at the end of the next substep. `velocities`,
 * m/s, may be NULL; they are the velocities that vo_sim_get_obstacle and the prediction of
 * occlusion use, in place of the displacement per substep. The arrays are copied. Both NULL, with a
 * count of 0: the scene's motion applies again. */
VO_API vo_result vo_sim_set_obstacle_vertices(vo_sim *sim, int obstacle, int count,
                                              const vo_vec3 *positions, const vo_vec3 *velocities);

/* Sets the pose of a handle at the end of the next substep, in place of its motion. When the handle
 * becomes active its nodes are attached to the pose at the beginning of that substep: the last
 * target or, before the first one, the pose of the scene's motion. NULL: the scene's motion applies
 * again. Handles of kind VO_HANDLE_GLUE and those that follow a character have no pose. */
VO_API vo_result vo_sim_set_handle_target(vo_sim *sim, int handle, const vo_placement *pose);

/* Sets the factor, 0 to 1, by which the strength of a handle is multiplied; 1 at first. Below 1 a
 * hard handle becomes a spring. With 0 the handle lets go; a later positive weight attaches it to
 * its nodes where they are then. */
VO_API vo_result vo_sim_set_handle_weight(vo_sim *sim, int handle, double weight);

/* Sets the acceleration of gravity, m/s^2. */
VO_API vo_result vo_sim_set_gravity(vo_sim *sim, vo_vec3 gravity);

/* Sets the density of the air, kg/m^3, its velocity, m/s, and the linear drag tangential to the
 * cloth, kg/(m^2 s). */
VO_API vo_result vo_sim_set_wind(vo_sim *sim, double density, vo_vec3 velocity, double drag);

/* Sets the Coulomb friction coefficients of cloth on cloth and of cloth on obstacles. */
VO_API vo_result vo_sim_set_friction(vo_sim *sim, double cloth, double obstacle);

/* Replaces a material of a cloth; its fabric is copied. NULL: the scene's material applies again.
 * Rebuilds the solver, which takes about as long as a remeshing. If that runs out of memory, the
 * simulation fails in every later step until a snapshot is restored. */
VO_API vo_result vo_sim_set_material(vo_sim *sim, int cloth, int material,
                                     const vo_material_def *def);

#ifdef __cplusplus
}
#endif
#endif
