/* Voile: simulations on disk. A run is a folder:
 *
 *     scene.json         the scene with every default filled in; its inputs are in inputs/; what
 *                        was changed on resuming, and from which frame on, is under "overrides"
 *     inputs/            copies of the meshes, fabrics and motions the scene names
 *     frames/NNNN.vof    complete state of a frame, compressed and checksummed
 *     stats.jsonl        one line a frame
 *     .lock              held while a process writes; of no use to anybody else
 */
#ifndef VOILE_RUN_H
#define VOILE_RUN_H

#include <voile/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_progress {
    int frame;       /* just written */
    bool unkept;     /* it was not: a frame of the preroll (negative), or before start_frame */
    int first, last; /* of this call; last is -1 where the scene has no end */
    double elapsed_s;
    const vo_stats *stats; /* of that frame; NULL for exports */
} vo_progress;

/* Called after each frame, safely on disk unless it is not to be kept. False stops the run there
 * (VO_STOPPED). */
typedef bool vo_progress_fn(void *user, const vo_progress *progress);

typedef struct vo_run_def {
    const char *folder; /* where the run goes, or is */
    int last_frame;     /* stop after it; -1: the scene's own end. A new run keeps it as its end, so
                           that resuming it comes to the same one */
    bool overwrite;     /* start again where the folder already has frames; they are removed, and
                           with them what was exported of them to <folder>/obj (NNNN_CC.obj,
                           NNNN_obsJJ.obj). No other file is */
    int set_count;
    const char *const *sets; /* key=value, changes of the scene */
    vo_progress_fn *progress;
    vo_sew_progress_fn *sewing; /* of the scene's garments, before the first frame; may be NULL.
                                   False stops it (VO_STOPPED); the folder is as it was then */
    void *user;                 /* of both */
    int *safe_frame; /* gets the last frame from which the run can be gone on with, also where the
                        call fails; -1: none that this call has made or found. May be NULL */
} vo_run_def;

VO_API vo_run_def vo_run_def_default(void);

/* A path as a shell takes it, for commands in messages: in quotes only where it must be. Cut where
 * it does not fit; `size` is at least 8. Returns `out`. */
VO_API const char *vo_path_quoted(const char *path, char *out, size_t size);

/* Frame 0 is the initial state, or what the preroll made of it. A run that is stopped before its
 * first frame cannot be resumed. Leaves every finished frame on disk whatever happens. Overrides
 * that the scene has from another run count from the first frame of this one. */
VO_API vo_result vo_run_simulate(vo_context *ctx, const char *scene_path, const vo_run_def *def);

/* Goes on after the last intact frame; the same bits as a run that was never stopped. With sets the
 * scene changes from the next frame on, which scene.json records under "overrides". Overrides count
 * from their frames on also when those frames are made again; sets given for an earlier frame leave
 * later overrides as they are. What only counts at the start (the cloths' geometry) is refused as
 * VO_BAD_DATA, sets for a run that is finished as VO_BAD_CALL. */
VO_API vo_result vo_run_resume(vo_context *ctx, const vo_run_def *def);

typedef struct vo_range {
    double min, max, mean;
} vo_range;

typedef struct vo_run_info {
    int frames;                  /* files whose head and table are intact and whose size is right;
                                    vo_check_run reads them to the last byte */
    int first_frame, last_frame; /* of these; -1 without any */
    int described;               /* of these, those with a line in stats.jsonl */
    int timed;                   /* of those, the ones after frame 0 whose times are known */
    /* From the lines of stats.jsonl of these frames. The times leave out a frame whose line was
     * made good after a crash, since nobody knows how long it took, and frame 0, which is the start
     * and the preroll. */
    vo_range faces, nodes, verts, wall_s;
    double start_s;      /* what frame 0 took; 0: unknown */
    double wall_total_s; /* with it; 0: unknown */
    struct {
#define X(name, meaning) double name;
        VO_STAGES(X)
#undef X
    } stage_mean_s;
    double max_strain;
    int max_intersections, max_inside_nodes; /* of a frame */
    int warnings;
    char **warning; /* [warnings] */
    int overrides;
    char **override_text; /* [overrides] "from frame 5: gravity=[0, 0, 5]", by frame */
} vo_run_info;

VO_API vo_result vo_run_get_info(vo_context *ctx, const char *folder, vo_run_info *out);
VO_API void vo_run_info_free(vo_context *ctx, vo_run_info *info);

/* On which mesh cloth is exported. */
typedef enum vo_topology {
    VO_TOPOLOGY_ADAPTIVE, /* the simulated one, which remeshing changes from frame to frame */
    VO_TOPOLOGY_ORIGINAL, /* the user's own: the file that the scene names, line for line, with new
                             positions and velocities (vo_sim_original) */
} vo_topology;

typedef struct vo_export_def {
    const char *folder; /* of the run */
    const char *output; /* folder; NULL: <run>/obj */
    int first, last;    /* frames; last -1: to the end */
    bool obstacles;     /* also NNNN_obsJJ.obj */
    vo_topology topology;
    vo_surface_kind surface; /* of the original topology */
    vo_progress_fn *progress;
    void *user;
} vo_export_def;

VO_API vo_export_def vo_export_def_default(void);

/* One OBJ a frame and cloth, NNNN_CC.obj. Files of such names that are there are written over;
 * those of frames, cloths or obstacles that the run does not have stay, and the log tells of them.
 */
VO_API vo_result vo_run_export_obj(vo_context *ctx, const vo_export_def *def);

#ifdef __cplusplus
}
#endif
#endif
