/* voile: files of collision queries with exact results.
 *
 * The format of Wang, Ferguson et al. 2021, "A large-scale benchmark and an inclusion-based
 * algorithm for continuous collision detection": CSV without a header, 8 rows per query (four
 * points at the start, the same at the end), columns x-num,x-den,y-num,y-den,z-num,z-den,truth.
 * Coordinates are fractions whose value is a double; truth is 1 if the elements touch, and equal in
 * all 8 rows. The name of a folder above the file, vertex-face or edge-edge, is the kind of its
 * queries. */
#ifndef VOILE_CLI_CCD_QUERIES_H
#define VOILE_CLI_CCD_QUERIES_H

#include "message.h"

typedef struct ccd_query {
    vo_vec3 start[4], end[4];
    bool touch;
} ccd_query;

typedef struct ccd_file {
    char path[CLI_PATH];
    bool edges; /* edge-edge; else vertex-face */
    int count;
    ccd_query *queries; /* [count] */
} ccd_file;

typedef struct ccd_set {
    int count, capacity;
    ccd_file *files; /* [count], in the order of their names */
} ccd_set;

/* Reads every *.csv below `folder`. Returns CLI_DONE, or another exit code after printing a message
 * with file and line. ccd_set_free must be called in both cases. */
int ccd_set_read(const char *folder, ccd_set *set);
void ccd_set_free(ccd_set *set);

#endif
