/* Shared by the two files that read Voile's pattern format. */
#ifndef VO_GARMENT_PATTERN_READ_H
#define VO_GARMENT_PATTERN_READ_H

#include "garment/pattern_build.h"

typedef struct vo_pattern_reader {
    vo_pattern *p;
    double unit; /* m per unit of the file */
} vo_pattern_reader;

/* Fails if a value is missing. */
vo_result vo_pattern_require(vo_json_cursor at, const char *meaning);
/* Reads a number between two limits; keeps the default if it is missing. */
vo_result vo_pattern_read_between(vo_json_cursor at, double low, double high, double *out);
/* Reads one line of 1 to 80 characters. */
vo_result vo_pattern_read_name(vo_json_cursor at, const char **out);
/* Reads a panel, and its twin if it has one; `fabric` is the default of the file. */
vo_result vo_pattern_read_panel(vo_pattern_reader *r, vo_json_cursor at, const char *fabric);

#endif
