/* One resolution of a garment in simulation: a scene at level 0 of the real-time engine, and the
 * cloth that is upsampled. */
#ifndef VO_UPSAMPLE_SIMULATE_ENGINE_H
#define VO_UPSAMPLE_SIMULATE_ENGINE_H

#include "realtime/realtime.h"
#include "upsample/pairs.h"

typedef struct vo_upsample_engine {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    vo_realtime *realtime;
    int cloth; /* index in the scene */
} vo_upsample_engine;

/* Loads a scene with `override_count` changes, at level 0 of the engine realtime. On failure the
 * engine is empty. */
vo_result vo_upsample_engine_open(vo_context *ctx, const char *path, int override_count,
                                  const char *const *overrides, int cloth, vo_upsample_engine *out);
/* The same without the engine: `realtime` is NULL and left to the caller. The cloth is 0. */
vo_result vo_upsample_engine_load(vo_context *ctx, const char *path, int override_count,
                                  const char *const *overrides, vo_upsample_engine *out);
void vo_upsample_engine_close(vo_upsample_engine *engine);

/* Mesh of the cloth in its current state, with arrays of pairs of these sizes. */
void vo_upsample_engine_count(const vo_upsample_engine *engine, int *vertices, int *triangles);
void vo_upsample_engine_describe(const vo_upsample_engine *engine, vo_upsample_mesh *mesh);

/* Positions and velocities of the vertices, four floats each: x y z, m or m/s, and the inverse mass
 * of positions. Valid until the next step. */
const float *vo_upsample_engine_positions(const vo_upsample_engine *engine);
const float *vo_upsample_engine_velocities(const vo_upsample_engine *engine);
/* Writes the positions as three floats each. */
void vo_upsample_engine_copy_frame(const vo_upsample_engine *engine, float *out);

/* Allocates pairs of one sequence with the meshes of both engines and the coarse garment.
 * `name` of the scene or run is for messages. VO_BAD_DATA unless the fine cloth has more vertices
 * and the same size; *out then belongs to the caller as well. */
vo_result vo_upsample_engine_create_pairs(const vo_upsample_engine *coarse,
                                          const vo_upsample_engine *fine, const char *name,
                                          int frame_count, vo_upsample_pairs **out);

/* Measures the strain of edges at positions of four floats each. */
void vo_upsample_engine_measure_strain(const vo_upsample_engine *engine, const float *positions,
                                       vo_upsample_frame_stats *stats);
/* Measures strain and penetration of the current state. */
vo_result vo_upsample_engine_measure(const vo_upsample_engine *engine,
                                     vo_upsample_frame_stats *stats);

/* Saves the state to a file; continues from such a file bit-identically. */
vo_result vo_upsample_engine_save(vo_upsample_engine *engine, vo_vof_writer *writer,
                                  const char *path);
vo_result vo_upsample_engine_restore(vo_upsample_engine *engine, const char *path);

#endif
