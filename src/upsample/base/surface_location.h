/* Correspondence of two resolutions of a garment: the coarse triangle below each fine vertex.
 *
 * The distance combines world and material space: |x - x'|^2 + |u - u'|^2, minimised over the
 * coarse triangles and the corners of the fine vertex. World space alone confuses layers that touch
 * in the rest shape; material space alone confuses panels that overlap there. Where the two meshes
 * have unrelated material coordinates, world space alone is used. */
#ifndef VO_UPSAMPLE_BASE_SURFACE_LOCATION_H
#define VO_UPSAMPLE_BASE_SURFACE_LOCATION_H

#include "upsample/pairs.h"

typedef struct vo_upsample_location {
    int triangle;     /* of the coarse mesh */
    double weight[3]; /* barycentric coordinates, sum 1. Beyond the border of the coarse mesh, whose
                         chords cut off curved hems, one may be as low as -1/2: the plane of the
                         triangle is continued */
} vo_upsample_location;

/* location[fine->vertex_count]. VO_BAD_DATA if the coarse mesh has no triangles. */
vo_result vo_upsample_locate(vo_context *ctx, const vo_upsample_mesh *coarse,
                             const vo_upsample_mesh *fine, vo_upsample_location *location);

#endif
