/* Where outlines get points, and which of them are sewn together.
 *
 *     side a   o----+----+----o----+----o      o corner of an outline or a notch of both sides
 *              |    |    |    |    |    |      + in between, evenly
 *     side b   o---+---o---+---o---+----o
 *
 * A seam is cut at the corners and common notches of both sides, carried over by fraction of
 * length; a corner of a and one of b that nearly meet count as meeting. Each part has the same
 * number of points on both sides, as many as the longer or finer one needs. Edges in no seam are
 * divided evenly. */
#ifndef VO_SCENE_PATTERN_SAMPLE_H
#define VO_SCENE_PATTERN_SAMPLE_H

#include "scene/pattern.h"

typedef struct vo_stop {
    int edge;  /* counted through all panels */
    double at; /* m from its start */
} vo_stop;

typedef struct vo_stop_pair {
    vo_stop side[2];
    int seam;
} vo_stop_pair;

typedef struct vo_samples {
    const vo_pattern *pattern;
    int edge_count;
    int *base;    /* [panels + 1] first edge of each panel */
    double *size; /* [edges] m, wanted distance of points */
    int *seam;    /* [edges] the seam it is in, or -1 */
    int stop_count, stop_capacity;
    vo_stop *stop; /* by edge and place; the start of every edge is one */
    int *first;    /* [edges + 1] into stop */
    int pair_count, pair_capacity;
    vo_stop_pair *pair;
} vo_samples;

/* With edges of about `length`. VO_BAD_DATA where an edge is in two seams, or notches cross. */
vo_result vo_samples_create(const vo_pattern *pattern, double length, vo_samples *out);
void vo_samples_free(vo_samples *s);
/* The index of the stop at a place that a pair names. */
int vo_samples_find(const vo_samples *s, vo_stop place);

/* Where panels go. NULL without such an axis. */
const vo_pattern_axis *vo_pattern_find_axis(const vo_pattern *p, const vo_garment_def *def,
                                            const char *name);
vo_vec3 vo_pattern_place_point(const vo_pattern_place *place, const vo_pattern_axis *axis,
                               vo_vec2 p);

#endif
