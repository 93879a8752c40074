/* voile: files of collision queries with exact answers.
 *
 * The form of Wang, Ferguson et al. 2021, "A large-scale benchmark and an inclusion-based algorithm
 * for continuous collision detection": CSV without a head, 8 rows a query (four points at the
 * start, the same at the end), columns x-num,x-den,y-num,y-den,z-num,z-den,truth. Coordinates are
 * fractions whose value is a double; truth is 1 where the parts touch, the same in all 8 rows. A
 * folder called vertex-face or edge-edge above the file tells the kind. */
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

/* Reads every *.csv below `folder`. Says what is wrong, with file and line, and returns the exit
 * code where it cannot. ccd_set_free is due in both cases. */
int ccd_set_read(const char *folder, ccd_set *set);
void ccd_set_free(ccd_set *set);

#endif
