/* voile check: report as text or JSON. */
#ifndef VOILE_CLI_CHECK_REPORT_H
#define VOILE_CLI_CHECK_REPORT_H

#include "json_out.h"

#include <voile/check.h>

/* Numbers of one frame. */
typedef struct check_row {
    int frame;
    int self_pairs, cloth_pairs, obstacle_pairs;
    int inside_nodes;
    double max_depth;
    double max_strain, min_strain;
    int inverted_faces, lost_nodes;
    int lagging_nodes;
    double max_lag;
    int frozen_substeps;
    bool complete;
} check_row;

/* Findings are printed at once; frames are stored and printed at the end. */
typedef struct check_report {
    const char *path, *kind;
    bool json;
    bool mesh, scene;   /* the only row is that of a mesh or scene; else one row per frame */
    bool out_of_memory; /* memory for rows could not be allocated */
    const char *ply;    /* PLY file that was written; NULL: none */
    json_out out;
    int fatal, other;
    int unread; /* frames that are missing, damaged or cannot be read */
    int row_count, row_capacity;
    check_row *row;
} check_report;

/* Begins the report; path, kind, json, mesh and scene are set. */
void check_report_begin(check_report *report);
/* Callbacks of vo_check (vo_finding_fn, vo_inspection_fn); `user` is the report. */
void check_report_finding(void *user, bool fatal, const char *text);
void check_report_inspected(void *user, int frame, const vo_inspection *inspection);
/* Prints the summary, unless the check was aborted for a reason other than a finding. */
void check_report_end(check_report *report, bool ok, bool aborted);
void check_report_free(check_report *report);

#endif
