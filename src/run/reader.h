/* Run reader: the files of a run folder and the state of one frame (<voile/run_reader.h>).
 *
 *     files      scene.json (text and document), stats.jsonl, list of frames, segments; replaced as
 *                a whole by a refresh, so that a failure leaves the old ones
 *     segment    scene and simulation of the segment of the current frame (run/segment.h), into
 *                which frames are read
 *
 * Export, render, compare, check and info read runs through it. */
#ifndef VO_RUN_READER_H
#define VO_RUN_READER_H

#include "run/folder.h"
#include "run/segment.h"

#include <voile/run_reader.h>

typedef struct vo_run_files {
    vo_bytes scene_text;
    vo_json_doc scene; /* scene_text, parsed; owns the strings of `override_text` */
    int start_frame;
    vo_stats_list stats;
    vo_frame_list frames;
    int override_count, override_capacity, segment_count, segment_capacity;
    const char **override_text; /* [override_count] by frame */
    vo_segment *segment;        /* [segment_count] */
} vo_run_files;

struct vo_run_reader {
    vo_context *ctx;
    char *folder;
    vo_run_files files;
    vo_run_segment segment;
    int frame; /* current one; -1: none */
};

/* Frames of the list with first <= frame <= last; last -1: no bound. */
vo_result vo_run_reader_select_frames(const vo_run_reader *reader, int first, int last,
                                      vo_frame_list *out);

/* The simulation that holds the current frame, and its scene. Not NULL after a frame was read. */
static inline vo_sim *vo_run_reader_sim(const vo_run_reader *reader) { return reader->segment.sim; }
static inline const vo_scene *vo_run_reader_scene(const vo_run_reader *reader) {
    return reader->segment.scene;
}

#endif
