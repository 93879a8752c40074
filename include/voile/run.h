/* clang-format off */
/* Voile: runs, simulations on disk. A run is a folder (docs/cache-format.md):
 *
 *     scene.json         the scene with all defaults; "overrides" lists the changes made by
 *                        resuming and the frames from which they apply
 *     inputs/            copies of the meshes, fabrics and motions that the scene names
 *     frames/NNNN.vof    complete state of a frame, compressed, with checksums
 *     stats.jsonl        one line per frame
 *     .lock              locked while a process writes the run
 *
 * <voile/run_reader.h> reads runs. */
/* clang-format on */
#ifndef VOILE_RUN_H
#define VOILE_RUN_H

#include <voile/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_progress {
    int frame;             /* just completed */
    bool discarded;        /* not saved: a frame of the preroll (negative) or before start_frame */
    int first, last;       /* frames of this call; last is -1 if the scene has no end */
    double elapsed_s;      /* s, since the call began */
    const vo_stats *stats; /* of the frame; NULL if there are none */
} vo_progress;

/* Called after each frame, in the thread of the caller. Returns false to cancel: the call then ends
 * with VO_CANCELLED, and everything up to this frame is complete. After the last frame the return
 * value has no effect. */
typedef bool vo_progress_fn(void *user, const vo_progress *progress);

typedef struct vo_run_def {
    const char *folder; /* folder of the run; required */
    int last_frame;     /* last frame to simulate; -1: the end of the scene. A new run records it,
                           so that resuming ends at the same frame */
    bool overwrite;     /* replace an existing run: its frames and its exports in <folder>/obj
                           (NNNN_CC.obj, NNNN_obsJJ.obj) are removed, other files are kept */
    int override_count;
    const char *const *overrides; /* [override_count] "key=value", changes of the scene */
    vo_progress_fn *progress;     /* called after each frame; may be NULL */
    vo_sew_progress_fn
        *sew_progress;    /* called while garments are sewn, before the first frame; may be NULL.
                             Returns false to cancel; the folder is then unchanged */
    void *user;           /* argument of both callbacks */
    int *resumable_frame; /* out, may be NULL: last frame from which the run can be resumed, set on
                             failure too; -1 if there is none */
} vo_run_def;

/* Returns a definition without overrides and callbacks that ends with the scene. */
VO_API vo_run_def vo_run_def_default(void);

/* Writes a path as a word of a shell command, quoted only if necessary, truncated to `size` bytes
 * (at least 8). Returns `out`. */
VO_API const char *vo_shell_quote(const char *path, char *out, size_t size);

/* Simulates a scene file into a new run. Frame 0 is the state after the preroll, or the initial
 * state. Every completed frame stays on disk, whatever happens later. A run that is cancelled
 * before its first frame cannot be resumed. If scene_path is the scene.json of a resumed run, its
 * overrides apply from the first frame. VO_BAD_ARGUMENT if the folder contains a run and
 * `overwrite` is not set, or if another process writes it. */
VO_API vo_result vo_run_simulate(vo_context *ctx, const char *scene_path, const vo_run_def *def);

/* Resumes a run after its last intact frame. The frames have the same bits as those of an
 * uninterrupted run. Overrides apply from the next frame on and are recorded in scene.json.
 * Recorded overrides also apply when frames are simulated again; new overrides for an earlier frame
 * do not replace recorded later ones. VO_BAD_DATA for overrides of the initial state (geometry of
 * cloths), VO_BAD_ARGUMENT for overrides of a finished run. */
VO_API vo_result vo_run_resume(vo_context *ctx, const vo_run_def *def);

typedef struct vo_min_max_mean {
    double min, max, mean;
} vo_min_max_mean;

typedef struct vo_run_info {
    int frames;                  /* files with intact header and section table and the right size;
                                    vo_check_run verifies all bytes */
    int first_frame, last_frame; /* first and last of those files; -1 without frames */
    int frames_with_stats;       /* frames with a line in stats.jsonl */
    int frames_with_timings;     /* frames after frame 0 whose times are known */
    /* Over the frames with statistics. Times exclude frame 0, which is set-up and preroll, and
     * frames whose line was restored after a crash. */
    vo_min_max_mean faces, nodes, verts, wall_s;
    double setup_s;      /* s, time of frame 0; 0: unknown */
    double wall_total_s; /* s, including set-up; 0: unknown */
    struct {
#define X(name, meaning) double name;
        VO_STAGES(X)
#undef X
    } stage_mean_s;
    double max_strain;
    int max_intersections, max_inside_nodes; /* largest numbers in a frame; -1: not counted */
    int warnings;
    char **warning; /* [warnings] */
    int overrides;
    char **override_text; /* [overrides] "from frame 5: gravity=[0, 0, 5]", by frame */
} vo_run_info;

/* Summarises a run from its statistics; of frames only header and section table are read. Polls the
 * cancel callback of the context before each frame and calls the work callback after it. The caller
 * frees *out; on failure it is empty. */
VO_API vo_result vo_run_get_info(vo_context *ctx, const char *folder, vo_run_info *out);
/* Frees the contents of *info. */
VO_API void vo_run_info_free(vo_context *ctx, vo_run_info *info);

/* Mesh on which cloth is exported. */
typedef enum vo_topology {
    VO_TOPOLOGY_ADAPTIVE, /* the simulated mesh, which remeshing changes from frame to frame */
    VO_TOPOLOGY_ORIGINAL, /* the input mesh: the file that the scene names, line by line, with new
                             positions and velocities (vo_sim_sample_input_mesh) */
} vo_topology;

/* Defaults of vo_export_def_default in square brackets. */
typedef struct vo_export_def {
    const char *folder;       /* folder of the run; required */
    const char *output;       /* [NULL] folder for the OBJ files; NULL: <folder>/obj */
    int first, last;          /* [0, -1] frames; last -1: to the end */
    bool obstacles;           /* [false] also writes NNNN_obsJJ.obj */
    vo_topology topology;     /* [VO_TOPOLOGY_ADAPTIVE] */
    vo_surface_kind surface;  /* [VO_SURFACE_SMOOTH] with VO_TOPOLOGY_ORIGINAL */
    vo_progress_fn *progress; /* [NULL] called after each frame */
    void *user;               /* [NULL] for progress */
} vo_export_def;

VO_API vo_export_def vo_export_def_default(void);

/* Writes one OBJ file per frame and cloth, NNNN_CC.obj, replacing existing ones. Files of other
 * frames, cloths or obstacles are kept; a warning states their number. Polls the cancel callback of
 * the context before each frame. */
VO_API vo_result vo_run_export_obj(vo_context *ctx, const vo_export_def *def);

#ifdef __cplusplus
}
#endif
#endif
