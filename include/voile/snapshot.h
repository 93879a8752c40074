/* Voile: snapshots of a simulation in memory. */
#ifndef VOILE_SNAPSHOT_H
#define VOILE_SNAPSHOT_H

#include <voile/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The complete state of a simulation between two substeps: meshes, solver, handles, obstacles, live
 * inputs (<voile/live.h>), statistics, budget and interactive camera. A simulation that is restored
 * continues with the same bits as one that was never interrupted. */
typedef struct vo_snapshot vo_snapshot;

/* Saves the state. *out must be destroyed before the simulation's context; on failure it is NULL.
 * Here and below, arguments that are NULL are VO_BAD_ARGUMENT, without a message if there is no
 * simulation. */
VO_API vo_result vo_sim_save_snapshot(vo_sim *sim, vo_snapshot **out);

/* Restores a state into the simulation that was saved, or into another one of the same scene; for
 * one of another scene it is VO_BAD_ARGUMENT. Also
 * repairs a simulation whose remeshing or solver rebuild failed. After a failure only another
 * vo_sim_restore_snapshot or vo_sim_destroy may follow; a NULL snapshot changes nothing. */
VO_API vo_result vo_sim_restore_snapshot(vo_sim *sim, const vo_snapshot *snapshot);

/* Bytes of memory that the snapshot occupies; 0 for NULL. */
VO_API size_t vo_snapshot_size(const vo_snapshot *snapshot);

/* Releases the memory. NULL is allowed. */
VO_API void vo_snapshot_destroy(vo_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
