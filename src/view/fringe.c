#include "view/fringe.h"

static bool is_hidden(const vo_fringe_def *def, int face) {
    return (def->asked[face] & ~def->seen[face]) != 0;
}

/* Nodes are worth what the faces around them count that some eye sees. Whether any is hidden from
 * one. */
static bool begin(const vo_mesh *mesh, const vo_fringe_def *def, const double *factor,
                  double *worth) {
    bool any = false;
    for (int n = 0; n < mesh->node_count; n++) worth[n] = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        if (is_hidden(def, f)) any = true;
        if (!(def->asked[f] & def->seen[f])) continue;
        for (int k = 0; k < 3; k++) {
            int n = vo_mesh_face_node(mesh, f, k);
            worth[n] = vo_max(worth[n], factor[f]);
        }
    }
    return any;
}

/* Along the edges of a face; whether that changed anything that matters to a face. */
static bool hand_on(const vo_mesh *mesh, const vo_fringe_def *def, int face, double least,
                    double *worth) {
    bool changed = false;
    for (int k = 0; k < 3; k++) {
        int a = vo_mesh_face_node(mesh, face, k), b = vo_mesh_face_node(mesh, face, (k + 1) % 3);
        double fall = def->fall * v3_distance(mesh->node_x[a], mesh->node_x[b]);
        int low = worth[a] < worth[b] ? a : b, high = low == a ? b : a;
        double handed = worth[high] - fall;
        if (!(handed > worth[low] && handed > least)) continue;
        worth[low] = handed;
        changed = true;
    }
    return changed;
}

/* Hands worth on until nothing changes: about as many rounds as there are faces across the fringe,
 * or fewer, as their order is turned round each time. Fringes that are wider, and cloth that has
 * collapsed into a point, are not followed to their end. */
static void hand_around(const vo_mesh *mesh, const vo_fringe_def *def, const double *factor,
                        double *worth) {
    enum { MOST_ROUNDS = 1000 };
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (int i = 0; i < mesh->face_count; i++) {
            int f = round % 2 ? mesh->face_count - 1 - i : i;
            if (is_hidden(def, f)) changed |= hand_on(mesh, def, f, factor[f], worth);
        }
    }
}

void vo_fringe_soften(const vo_mesh *mesh, const vo_fringe_def *def, double *factor,
                      double *worth) {
    if (!begin(mesh, def, factor, worth)) return;
    hand_around(mesh, def, factor, worth);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3 && is_hidden(def, f); k++)
            factor[f] = vo_max(factor[f], worth[vo_mesh_face_node(mesh, f, k)]);
}
