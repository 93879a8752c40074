/* The coarse simulation of a scene with the detail of a .vru file, as a game would run it. */
#ifndef VO_UPSAMPLE_PLAYBACK_H
#define VO_UPSAMPLE_PLAYBACK_H

#include "upsample/detail.h"
#include "upsample/simulate/engine.h"

typedef struct vo_upsample_playback {
    vo_context *ctx;
    vo_upsample_detail detail;
    vo_upsample_engine engine;
    vo_rt_vec3 *vertex; /* [detail.charts.vertex_count] m, detail mesh; the first N are nodes */
    double coarse_s, fine_s; /* s of the last step of the world: simulation, detail */
} vo_upsample_playback;

/* Opens a scene of the garment, after its preroll, and computes the detail of frame 0. VO_BAD_DATA
 * if its coarse cloth has another number of vertices. The file must stay valid. `rank`: as
 * vo_upsample_detail_create. */
vo_result vo_upsample_playback_open(const vo_vru *vru, int rank, const char *scene,
                                    int override_count, const char *const *overrides,
                                    vo_upsample_playback *out);
void vo_upsample_playback_close(vo_upsample_playback *playback);

/* Advances by a frame. */
vo_result vo_upsample_playback_step(vo_upsample_playback *playback);

/* Positions [N][3] of the detail, m. */
const float *vo_upsample_playback_positions(const vo_upsample_playback *playback);

/* Counts free vertices inside bodies in their current pose; *depth: the largest depth, m. */
int vo_upsample_playback_count_inside(const vo_upsample_playback *playback, const float *positions,
                                      double *depth);

/* Number of frames of the scene from frame 0 on, at most `most` if that is above 0. VO_BAD_DATA if
 * the scene has no end and `most` is 0. */
vo_result vo_upsample_playback_count_frames(const vo_upsample_playback *playback, int most,
                                            int *count);

/* Meshes of the obstacles that are present, in their current pose; writes at most `capacity`,
 * returns their number. */
int vo_upsample_playback_list_obstacles(const vo_upsample_playback *playback, int capacity,
                                        const vo_mesh **meshes);

#endif
