#include "view/silhouette.h"

/* The face on the other side of an edge; -1 on a border. */
static int across(const vo_mesh *mesh, int face, int edge) {
    const int *side = mesh->edge_face[edge];
    return side[0] == face ? side[1] : side[0];
}

double vo_silhouette_factor(const vo_mesh *mesh, double threshold, const double *factor, int face) {
    double own = factor[face], most = own;
    for (int i = 0; i < 3; i++) {
        int other = across(mesh, face, mesh->face_edge[face][i]);
        if (other >= 0 && factor[other] - own > threshold)
            most = vo_max(most, 0.5 * (own + factor[other]));
    }
    return most;
}
