/* Clustered test functions (Bergou et al. 2007, "TRACKS"): the mesh is divided into patches of
 * similar size, and each test function is the mass of the vertices of one patch, so that the
 * centres of mass of the patches are tracked. For comparison with harmonic test functions. */
#ifndef VO_UPSAMPLE_SIMULATE_CLUSTERS_H
#define VO_UPSAMPLE_SIMULATE_CLUSTERS_H

#include "upsample/pairs.h"

/* Divides the vertices into `count` clusters, 1 to vertex_count: seeds by farthest points along
 * edges, then rounds of Lloyd's algorithm. cluster[vertex_count] receives 0 to count - 1; every
 * cluster has a vertex. Deterministic. */
vo_result vo_upsample_clusters_find(vo_context *ctx, const vo_upsample_mesh *mesh, int count,
                                    int *cluster);
/* Orthonormal rows [count][vertex_count] of the mass-weighted indicator functions of clusters. */
vo_result vo_upsample_clusters_rows(vo_context *ctx, const vo_upsample_mesh *mesh, int count,
                                    float *rows);

#endif
