/* What the files that make a garment's mesh share. */
#ifndef VO_SCENE_PATTERN_MESH_H
#define VO_SCENE_PATTERN_MESH_H

#include "scene/pattern_sample.h"

#include <stdio.h>

typedef struct vo_tailor {
    vo_context *ctx;
    const vo_pattern *pattern;
    const vo_garment_def *def;
    vo_samples samples;
    vo_mesh_data data; /* node i and vert i are the same point */
    int flat_capacity;
    vo_vec2 *flat; /* [nodes] in the panel's coordinates */
    int panel_capacity;
    int *panel; /* [nodes] */
    int group_capacity;
    int *group; /* [nodes] */
    int stop_capacity;
    int *stop_node; /* [stops] */
} vo_tailor;

/* A node and its vert; false without memory. */
bool vo_tailor_add_node(vo_tailor *t, int panel, vo_vec2 p);
vo_result vo_tailor_group(vo_tailor *t, const vo_garment *g);
/* Splits edges that closing the seams would give more than two faces. */
vo_result vo_tailor_part_chords(vo_tailor *t, const vo_garment *g, bool *closes);

#endif
