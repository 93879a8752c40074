/* Sampling of outlines, and pairing of points along seams.
 *
 *     side a   o----+----+----o----+----o      o corner of an outline or a notch of both sides
 *              |    |    |    |    |    |      + evenly spaced in between
 *     side b   o---+---o---+---o---+----o
 *
 * A seam is divided at the corners and common notches of both sides, mapped by fraction of length;
 * a corner of a and one of b that nearly coincide are merged. Each interval has the same number of
 * points on both sides, as many as the longer or finer one needs. Edges without a seam are divided
 * evenly. */
#ifndef VO_GARMENT_PATTERN_SAMPLE_H
#define VO_GARMENT_PATTERN_SAMPLE_H

#include "garment/pattern.h"

typedef struct vo_outline_point {
    int edge;  /* index over all panels */
    double at; /* m from its start */
} vo_outline_point;

typedef struct vo_outline_point_pair {
    vo_outline_point side[2];
    int seam;
} vo_outline_point_pair;

typedef struct vo_samples {
    const vo_pattern *pattern;
    int edge_count;
    int *base;    /* [panels + 1] first edge of each panel */
    double *size; /* [edges] m, target distance of points */
    int *seam;    /* [edges] seam of the edge, or -1 */
    int point_count, point_capacity;
    vo_outline_point *point; /* by edge and position; includes the start of every edge */
    int *first;              /* [edges + 1] into `point` */
    int pair_count, pair_capacity;
    vo_outline_point_pair *pair;
} vo_samples;

/* Samples with edges of about `length` (m). VO_BAD_DATA if an edge is in two seams, or notches
 * cross. */
vo_result vo_samples_create(const vo_pattern *pattern, double length, vo_samples *out);
void vo_samples_free(vo_samples *s);
/* Returns the index of the point of a pair. */
int vo_samples_find(const vo_samples *s, vo_outline_point point);

/* pattern_place.c: returns an axis by name, NULL if there is none; maps a point of a panel to its
 * initial position, m. */
const vo_limb_axis *vo_pattern_find_axis(const vo_pattern *p, const vo_panel_mesh_def *def,
                                         const char *name);
vo_vec3 vo_panel_placement_map(const vo_panel_placement *point, const vo_limb_axis *axis,
                               vo_vec2 p);

#endif
