/* voile check: what is printed, for people or as JSON. */
#ifndef VOILE_CLI_CHECK_REPORT_H
#define VOILE_CLI_CHECK_REPORT_H

#include "json_out.h"

#include <voile/check.h>

/* What is kept of a frame. */
typedef struct check_row {
    int frame;
    int self_pairs, cloth_pairs, obstacle_pairs;
    int inside_nodes;
    double max_depth;
    double max_strain, min_strain;
    int inverted_faces, lost_nodes;
    int yielded_nodes;
    double max_behind;
    int held_steps;
    bool complete;
} check_row;

/* Findings are printed as they come; frames are kept and printed after them. */
typedef struct check_report {
    const char *path, *kind;
    bool json;
    bool mesh, scene;    /* the one row is of that; else there is one a frame */
    bool out_of_room;    /* for rows */
    const char *picture; /* file that was written; NULL: none */
    json_out out;
    int fatal, other;
    int unread; /* frames that are missing, or cannot be read */
    int row_count, row_capacity;
    check_row *row;
} check_report;

void check_report_begin(check_report *report);
/* A vo_finding_fn and a vo_inspected_fn; `user` is the report. */
void check_report_finding(void *user, bool fatal, const char *text);
void check_report_inspected(void *user, int frame, const vo_inspection *inspection);
/* A check that was broken off for another reason than a finding has no summary. */
void check_report_end(check_report *report, bool ok, bool broken_off);
void check_report_free(check_report *report);

#endif
