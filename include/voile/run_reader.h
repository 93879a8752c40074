/* Voile: read access to runs on disk (<voile/run.h> describes the folder).
 *
 *     vo_run_reader *reader;
 *     vo_run_reader_open(ctx, "out/run", &reader);
 *     for (int i = 0; i < vo_run_reader_frame_count(reader); i++) {
 *         vo_run_reader_read_frame(reader, vo_run_reader_frame_number(reader, i));
 *         vo_mesh_view cloth = vo_run_reader_get_cloth(reader, 0);
 *         ...
 *     }
 *     vo_run_reader_close(reader);
 *
 * A run may be finished, interrupted or in progress: frame files appear complete, so every listed
 * frame can be read while another process writes the next one. A reader never writes and never
 * takes the run's lock. Like all objects of a context, it must not be used by two threads at the
 * same time; several readers of one run are independent.
 *
 * Everything that a reader returns by pointer belongs to it.
 *
 * Calls with a result return VO_BAD_ARGUMENT for a NULL argument and a negative frame; the message
 * names the argument, but without a context or reader there is none. Other calls return -1, 0, NULL
 * or an empty view for a NULL reader and for an index out of range. */
#ifndef VOILE_RUN_READER_H
#define VOILE_RUN_READER_H

#include <voile/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_run_reader vo_run_reader;

/* Opens a run: lists its frames and reads scene.json and stats.jsonl, but no frame and no mesh.
 * VO_BAD_DATA if the folder is not that of a run or scene.json is malformed; lines of stats.jsonl
 * that cannot be parsed, as a crash may leave one, are ignored. On failure *out is NULL. */
VO_API vo_result vo_run_reader_open(vo_context *ctx, const char *folder, vo_run_reader **out);

/* Releases the reader with everything that it has returned. NULL is allowed. */
VO_API void vo_run_reader_close(vo_run_reader *reader);

/* Reads the list of frames, stats.jsonl and scene.json again, for a run in progress. Invalidates
 * statistics, segments and the text of the scene; if scene.json has changed, also the current
 * frame, its views and its scene. On failure the reader is unchanged. Costs as much as
 * vo_run_reader_open. */
VO_API vo_result vo_run_reader_refresh(vo_run_reader *reader);

/* ---- contents, as of the last refresh; none of these calls reads a file ---- */

/* Number of frames whose files exist. They are listed in ascending order; numbers may be missing.
 */
VO_API int vo_run_reader_frame_count(const vo_run_reader *reader);
/* Number of the i-th frame, 0 <= i < count; otherwise -1. */
VO_API int vo_run_reader_frame_number(const vo_run_reader *reader, int i);
/* Index of a frame in that list; -1 if it is not listed. O(log frames). */
VO_API int vo_run_reader_find_frame(const vo_run_reader *reader, int frame);
/* First frame that the run saves (start_frame of its scene); its file need not exist yet. */
VO_API int vo_run_reader_start_frame(const vo_run_reader *reader);

/* Statistics of a frame; NULL if stats.jsonl has no line for it. The line is written after the
 * frame, so the newest frame of a run in progress may have none. O(log frames). */
VO_API const vo_stats *vo_run_reader_find_stats(const vo_run_reader *reader, int frame);

/* Text of scene.json, zero-terminated. */
VO_API const char *vo_run_reader_scene_text(const vo_run_reader *reader);

/* Consecutive frames that were simulated with the same scene. Resuming a run with overrides begins
 * a new segment. */
typedef struct vo_segment {
    int first_frame, last_frame;  /* last_frame is -1 in the last segment, which has no end */
    int override_count;           /* changes that begin this segment; 0 in the first one */
    const char *const *overrides; /* [override_count] "key=value" */
} vo_segment;

/* Number of segments, at least 1. */
VO_API int vo_run_reader_segment_count(const vo_run_reader *reader);
/* Returns a segment, 0 <= segment < count; otherwise one whose frames are -1. */
VO_API vo_segment vo_run_reader_get_segment(const vo_run_reader *reader, int segment);

/* ---- frames ---- */

/* Reads a frame and verifies its checksums. The first frame of a segment also loads the scene, with
 * all meshes that it names; reading frames in ascending order loads each scene once. Invalidates
 * views of the frame before. VO_BAD_DATA if the file is damaged or does not fit the scene,
 * VO_IO_FAILED if it cannot be read; the message names the file, and the reader then has no current
 * frame. The result does not depend on the number of threads. */
VO_API vo_result vo_run_reader_read_frame(vo_run_reader *reader, int frame);

/* Number of the current frame, which was read last; -1 if there is none. */
VO_API int vo_run_reader_current_frame(const vo_run_reader *reader);
/* Time of the current frame, s; 0 without a frame. */
VO_API double vo_run_reader_time(const vo_run_reader *reader);

/* Arrays of a cloth or obstacle in the current frame, with velocities. Views are valid until the
 * next frame is read, or until refresh or close. Remeshing changes the numbers and indices of
 * nodes, verts and faces from frame to frame. node_count is 0 without a current frame, for an
 * obstacle that is absent at that time, and for an index out of range. */
VO_API vo_mesh_view vo_run_reader_get_cloth(const vo_run_reader *reader, int cloth);
VO_API vo_mesh_view vo_run_reader_get_obstacle(const vo_run_reader *reader, int obstacle);

/* Samples a cloth of the current frame at the nodes of its input mesh (vo_sim_sample_input_mesh).
 * VO_BAD_ARGUMENT without a current frame. */
VO_API vo_result vo_run_reader_sample_input_mesh(const vo_run_reader *reader, int cloth,
                                                 vo_surface_kind surface, int count,
                                                 vo_vec3 *positions, vo_vec3 *velocities);

/* ---- scene ---- */

/* Loads the scene that a frame was simulated with: overrides up to that frame are applied, cameras
 * are evaluated with vo_scene_eval_camera. The frame need not exist. *out belongs to the reader and
 * is valid until the scene or a frame of another segment is loaded, or until refresh or close.
 * Within the segment of the current frame this costs nothing; otherwise the current frame and its
 * views are invalidated. */
VO_API vo_result vo_run_reader_load_scene(vo_run_reader *reader, int frame, const vo_scene **out);

/* Writes the name of a cloth or obstacle of the loaded scene, truncated to `size` bytes: its file
 * without folder and extension ("dress"), else the type of its shape, else "cloth 3". Names need
 * not be unique. Returns `out`. */
VO_API const char *vo_run_reader_cloth_name(const vo_run_reader *reader, int cloth, char *out,
                                            size_t size);
VO_API const char *vo_run_reader_obstacle_name(const vo_run_reader *reader, int obstacle, char *out,
                                               size_t size);

#ifdef __cplusplus
}
#endif
#endif
