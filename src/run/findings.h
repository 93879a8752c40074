/* Findings of a check: messages, and counters of findings that are reported once for many frames.
 */
#ifndef VO_RUN_FINDINGS_H
#define VO_RUN_FINDINGS_H

#include "sim/inspect.h"

/* A defect that occurs in several frames: the first is reported in full, the others are counted. */
typedef struct vo_repeated_defect {
    int frames;               /* after the first one */
    int first, last;          /* of these */
    int max_count, max_frame; /* largest number of faces or nodes among them */
} vo_repeated_defect;

typedef struct vo_findings {
    vo_context *ctx;
    const vo_check_def *def;
    int fatal;      /* number of fatal findings */
    int unreadable; /* frames that are missing or damaged */
    bool advised;   /* the remedy was part of a message */
    bool writing_ply, wrote_ply;
    bool found_pairs, found_inside, found_inverted; /* reported for an earlier frame */
    vo_repeated_defect pairs, inside, inverted;
    /* Obstacles that lag behind their motions: frames, and the one with the largest lag. */
    int lagging_frames, max_lag_frame, max_lag_nodes, max_lag_obstacle, max_lag_node;
    double max_lag; /* m */
    vo_vec3 max_lag_position;
    int64_t frozen_substeps;
    int frozen_frames, first_frozen_frame;
    /* Implausible strain. */
    int strained_frames, first_strained_frame, max_strain_frame;
    double max_strain;
    bool realtime;      /* engine of the last frame */
    int capsule_frames; /* in which cloth intersects, or is inside, characters made of capsules */
} vo_findings;

/* Passes a message to the caller. */
void vo_findings_add(vo_findings *f, bool fatal, const char *format, ...) VO_PRINTF(3, 4);

/* Result of a check: VO_BAD_DATA if any finding was fatal. A failure to read or load the input is a
 * finding itself; other failures (memory, a PLY file that cannot be written) are returned. */
vo_result vo_findings_conclude(vo_findings *f, vo_result result);

/* Source of an inspection. */
typedef struct vo_inspected {
    const char *name; /* file or folder, for messages */
    int frame;
    bool fatal;         /* intersections are errors */
    bool mesh;          /* a single mesh: messages name no cloth or obstacle */
    bool capsules;      /* it intersects a character that it collides with as capsules */
    const char *advice; /* remedy for intersections, at most 150 characters */
} vo_inspected;

/* Reports an inspection: the numbers to def->inspected, its defects as messages. */
void vo_findings_inspected(vo_findings *f, const vo_inspected *where,
                           const vo_inspection *inspection);
/* After all frames: one message each for repeated defects, and one warning each for lagging
 * obstacles, frozen substeps, implausible strain and capsules. */
void vo_findings_after_frames(vo_findings *f);
/* Writes the PLY file if this frame is the one to show; `in` has inspected it last. */
vo_result vo_findings_write_ply(vo_findings *f, int frame, vo_inspector *in,
                                const vo_inspection *inspection);

/* check_ply.c: saves the meshes that were inspected last as a PLY file with colours (see vo_check).
 */
vo_result vo_inspector_save_ply(vo_inspector *in, const char *path);

/* check_run.c: the frames of a run. */
vo_result vo_check_frames(vo_findings *f);

#endif
