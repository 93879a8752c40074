/* Occlusion falloff: the view factor falls gradually from visible to occluded faces.
 *
 *      factor    1 |------.                       visible | occluded
 *                  |       `.
 *                  |         `.
 *         occluded |           `------------
 *                  +------|-----|-----------> m along the cloth
 *                         0   margin
 *
 * The boundary of the occluded region depends on the shape of a fold, and the shape on its
 * resolution. With a step in the factor the two oscillate: coarse folds move into view, are refined
 * and move out of view, and cloth that should come to rest does not. With a gradual falloff a small
 * change of visibility is a small change of resolution.
 *
 * A face that one viewpoint sees is visible here even if it is occluded from others; its factor is
 * that of the first.
 *
 * This is the counterpart of the frustum margin (factor.h) with distances along the edges of
 * occluded faces: a point one centimetre behind a visible layer may be far from it along the cloth.
 */
#ifndef VO_VIEW_OCCLUSION_FALLOFF_H
#define VO_VIEW_OCCLUSION_FALLOFF_H

#include "mesh/mesh.h"

typedef struct vo_occlusion_falloff_def {
    double slope; /* 1/m, decrease of the factor along the cloth; positive */
    const unsigned char
        *candidate; /* [face_count] bits of the viewpoints that see a face if nothing occludes it */
    const unsigned char *visible; /* [face_count] bits of the viewpoints that see it */
} vo_occlusion_falloff_def;

/* Raises the factors [face_count] of faces that are occluded from some viewpoint. `node_factor`
 * [node_count] is scratch. */
void vo_occlusion_falloff_apply(const vo_mesh *mesh, const vo_occlusion_falloff_def *def,
                                double *factor, double *node_factor);

#endif
