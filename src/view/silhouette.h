/* Silhouettes: boundaries between front-facing and back-facing cloth (Koh, Narain, O'Brien 2015,
 * section 3.3).
 *
 * The view factor is discontinuous there, for example 1 against 0.2, and the area-weighted mean at
 * a vert on the outline would be dominated by the large faces behind it. Where the factors across
 * an edge differ by more than a threshold, the face with the smaller factor takes the mean of the
 * two; the other keeps its own.
 *
 *      |  1   |  1  ||  0.2  |  0.2  |     ->    |  1   |  1  || 0.6  |  0.2  |
 *                   silhouette
 *
 * A face with several silhouette edges takes the largest mean. Means use the original values, so
 * the result is independent of the order of faces. The screen bound of the face, which is
 * proportional to nu^2 (view.h), is scaled with it. */
#ifndef VO_VIEW_SILHOUETTE_H
#define VO_VIEW_SILHOUETTE_H

#include "mesh/mesh.h"

/* Returns the new factor of a face; `factor` [face_count] holds the original values. */
double vo_silhouette_factor(const vo_mesh *mesh, double threshold, const double *factor, int face);

#endif
