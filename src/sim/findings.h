/* What a check has found so far, and the sentences for it. */
#ifndef VO_SIM_FINDINGS_H
#define VO_SIM_FINDINGS_H

#include "sim/inspect.h"

typedef struct vo_findings {
    vo_context *ctx;
    const vo_check_def *def;
    int fatal;
    int unread;     /* frames that are not there, or are damaged */
    bool advised;   /* what to do was said */
    bool named;     /* the pairs of a frame were named one by one */
    bool picturing; /* the picture is being written, or could not be */
    bool pictured;  /* it is written */
    /* Of obstacles that yielded: frames, and the one in which a node was furthest behind. */
    int yielded_frames, worst_frame, worst_nodes, worst_obstacle, worst_node;
    double worst_behind; /* m */
    vo_vec3 worst_place;
    int64_t held_steps;          /* substeps in which the cloth was held still */
    int held_frames, first_held; /* frames that have any, and the first of them */
} vo_findings;

/* Hands a sentence on. */
void vo_found(vo_findings *f, bool fatal, const char *format, ...) VO_PRINTF(3, 4);

/* VO_BAD_DATA if anything was fatal. A failure to read or load is a finding itself; running out of
 * memory and a picture that cannot be written are not, and are returned as they are. */
vo_result vo_findings_conclude(vo_findings *f, vo_result result);

/* Where an inspection was made, and what that makes of it. */
typedef struct vo_inspected {
    const char *name; /* file or folder, for the sentences */
    int frame;
    bool fatal;         /* intersections are errors */
    bool mesh;          /* a single mesh: its faces belong to nothing */
    const char *advice; /* what to do about intersections, at most 150 letters */
} vo_inspected;

/* Reports an inspection: the numbers to whoever asked for them, what is wrong as sentences. */
void vo_findings_inspected(vo_findings *f, const vo_inspected *where,
                           const vo_inspection *inspection);
/* After all frames: what obstacles yielded, and where cloth was held still, a sentence for each.
 * They are no errors. */
void vo_findings_after_frames(vo_findings *f);
/* Writes the picture if it is to be of this one, which `in` made last. */
vo_result vo_findings_picture(vo_findings *f, int frame, vo_inspector *in,
                              const vo_inspection *inspection);

/* check_run.c: the frames of a run. */
vo_result vo_check_frames(vo_findings *f);

#endif
