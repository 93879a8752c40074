#include "view/occlusion_falloff.h"

static bool is_occluded(const vo_occlusion_falloff_def *def, int face) {
    return (def->candidate[face] & ~def->visible[face]) != 0;
}

/* Sets the factor of each node to the maximum over its visible faces. Returns true if a face is
 * occluded from some viewpoint. */
static bool init_node_factors(const vo_mesh *mesh, const vo_occlusion_falloff_def *def,
                              const double *factor, double *node_factor) {
    bool any = false;
    for (int n = 0; n < mesh->node_count; n++) node_factor[n] = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        if (is_occluded(def, f)) any = true;
        if (!(def->candidate[f] & def->visible[f])) continue;
        for (int k = 0; k < 3; k++) {
            int n = vo_mesh_face_node(mesh, f, k);
            node_factor[n] = vo_max(node_factor[n], factor[f]);
        }
    }
    return any;
}

/* Propagates factors along the edges of a face; returns true if a node factor that exceeds
 * `min_factor` changed. */
static bool propagate_face(const vo_mesh *mesh, const vo_occlusion_falloff_def *def, int face,
                           double min_factor, double *node_factor) {
    bool changed = false;
    for (int k = 0; k < 3; k++) {
        int a = vo_mesh_face_node(mesh, face, k), b = vo_mesh_face_node(mesh, face, (k + 1) % 3);
        double fall = def->slope * v3_distance(mesh->node_x[a], mesh->node_x[b]);
        int low = node_factor[a] < node_factor[b] ? a : b, high = low == a ? b : a;
        double propagated = node_factor[high] - fall;
        if (!(propagated > node_factor[low] && propagated > min_factor)) continue;
        node_factor[low] = propagated;
        changed = true;
    }
    return changed;
}

/* Propagates until nothing changes: about as many rounds as there are faces across the falloff,
 * fewer because the order alternates. The round limit bounds the work for very wide falloffs and
 * for collapsed cloth. */
static void propagate(const vo_mesh *mesh, const vo_occlusion_falloff_def *def,
                      const double *factor, double *node_factor) {
    enum { MAX_ROUNDS = 1000 };
    bool changed = true;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        for (int i = 0; i < mesh->face_count; i++) {
            int f = round % 2 ? mesh->face_count - 1 - i : i;
            if (is_occluded(def, f))
                changed |= propagate_face(mesh, def, f, factor[f], node_factor);
        }
    }
}

void vo_occlusion_falloff_apply(const vo_mesh *mesh, const vo_occlusion_falloff_def *def,
                                double *factor, double *node_factor) {
    if (!init_node_factors(mesh, def, factor, node_factor)) return;
    propagate(mesh, def, factor, node_factor);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3 && is_occluded(def, f); k++)
            factor[f] = vo_max(factor[f], node_factor[vo_mesh_face_node(mesh, f, k)]);
}
