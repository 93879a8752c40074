/* What the two files that read our format share. */
#ifndef VO_SCENE_PATTERN_READ_H
#define VO_SCENE_PATTERN_READ_H

#include "scene/pattern_build.h"

typedef struct vo_pattern_reader {
    vo_pattern *p;
    double unit; /* m */
} vo_pattern_reader;

/* Complains if a value is not there. */
vo_result vo_pattern_require(vo_json_at at, const char *meaning);
/* A number between two limits; absent, it keeps its default. */
vo_result vo_pattern_read_between(vo_json_at at, double low, double high, double *out);
/* One line of 1 to 80 characters. */
vo_result vo_pattern_read_name(vo_json_at at, const char **out);
/* A panel, and its twin if it has one; `fabric` is the file's. */
vo_result vo_pattern_read_panel(vo_pattern_reader *r, vo_json_at at, const char *fabric);

#endif
