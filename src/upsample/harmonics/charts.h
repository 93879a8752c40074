/* Vertices of a mesh in material space: a node on a seam has one per side.
 *
 * Meshes of training pairs store material coordinates per corner; renderers and the detail mesh of
 * garment files need vertices with one coordinate each. */
#ifndef VO_UPSAMPLE_HARMONICS_CHARTS_H
#define VO_UPSAMPLE_HARMONICS_CHARTS_H

#include "mesh/mesh.h"
#include "upsample/pairs.h"

typedef struct vo_upsample_charts {
    vo_context *ctx;
    int vertex_count, triangle_count;
    int capacity;           /* of node and coordinate */
    int *node;              /* [vertex_count] vertex of the mesh; vertex i < N is node i */
    vo_rt_vec2 *coordinate; /* [vertex_count] m */
    int32_t *triangle;      /* [3 triangle_count] vertices */
    bool is_single;         /* every node has one vertex: the mesh is one chart without cuts */
} vo_upsample_charts;

vo_result vo_upsample_charts_create(vo_context *ctx, const vo_upsample_mesh *mesh,
                                    vo_upsample_charts *out);
void vo_upsample_charts_free(vo_upsample_charts *charts);

/* Creates a cloth mesh for rendering, with the positions of the rest shape. */
vo_result vo_upsample_charts_create_mesh(const vo_upsample_charts *charts,
                                         const vo_upsample_mesh *mesh, vo_mesh **out);

#endif
