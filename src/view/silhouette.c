#include "view/silhouette.h"

/* Returns the face on the other side of an edge; -1 at a border. */
static int face_across(const vo_mesh *mesh, int face, int edge) {
    const int *side = mesh->edge_face[edge];
    return side[0] == face ? side[1] : side[0];
}

double vo_silhouette_factor(const vo_mesh *mesh, double threshold, const double *factor, int face) {
    double own = factor[face], result = own;
    for (int i = 0; i < 3; i++) {
        int other = face_across(mesh, face, mesh->face_edge[face][i]);
        if (other >= 0 && factor[other] - own > threshold)
            result = vo_max(result, 0.5 * (own + factor[other]));
    }
    return result;
}
