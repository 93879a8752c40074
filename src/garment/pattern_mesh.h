/* Shared state of the files that create a garment's mesh. */
#ifndef VO_GARMENT_PATTERN_MESH_H
#define VO_GARMENT_PATTERN_MESH_H

#include "garment/pattern_sample.h"

#include <stdio.h>

typedef struct vo_garment_mesher {
    vo_context *ctx;
    const vo_pattern *pattern;
    const vo_panel_mesh_def *def;
    vo_samples samples;
    vo_mesh_data data; /* node i and vert i are the same point */
    int flat_capacity;
    vo_vec2 *flat; /* [nodes] in the panel's coordinates */
    int panel_capacity;
    int *panel; /* [nodes] */
    int group_capacity;
    int *group; /* [nodes] */
    int point_capacity;
    int *point_node; /* [outline points] */
} vo_garment_mesher;

/* Adds a node and its vert; returns false without memory. */
bool vo_garment_mesher_add_node(vo_garment_mesher *t, int panel, vo_vec2 p);
vo_result vo_garment_mesher_group(vo_garment_mesher *t, const vo_garment *g);
/* Splits edges that would get more than two faces when the seams are closed. */
vo_result vo_garment_mesher_split_chords(vo_garment_mesher *t, const vo_garment *g, bool *closes);

#endif
