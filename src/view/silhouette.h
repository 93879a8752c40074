/* Silhouettes: where front and back of the cloth meet (Koh, Narain, O'Brien 2015, section 3.3).
 *
 * The view factor jumps there, say from 1 to 0.2, and the mean that a vert on the outline takes by
 * area would be mostly that of the large faces behind it. So where factors differ by more than a
 * threshold across an edge, the less visible face takes the mean of the two. Visible faces keep
 * theirs.
 *
 *      |  1   |  1  ||  0.2  |  0.2  |     ->    |  1   |  1  || 0.6  |  0.2  |
 *                   silhouette
 *
 * A face with several such edges takes the largest mean. All means are of the values before, so the
 * order of faces does not matter. The screen bound of the face, which holds nu^2 as a factor
 * (view.h), rises with it. */
#ifndef VO_VIEW_SILHOUETTE_H
#define VO_VIEW_SILHOUETTE_H

#include "mesh/mesh.h"

/* The factor that a face takes; `factor` are those of all faces, [face_count]. */
double vo_silhouette_factor(const vo_mesh *mesh, double threshold, const double *factor, int face);

#endif
