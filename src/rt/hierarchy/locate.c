/* Descends from a base triangle to the leaf that contains a point. */
#include "rt/hierarchy/mesh_private.h"

/* Barycentric coordinates of the local points, doubled. */
static const int8_t twice[6][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2},
                                   {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};

/* Twice twice the area of the triangle of barycentric points w, p, q, as a fraction. */
static float determinant(const float w[3], const int8_t p[3], const int8_t q[3]) {
    return w[0] * (float)(p[1] * q[2] - p[2] * q[1]) + w[1] * (float)(p[2] * q[0] - p[0] * q[2]) +
           w[2] * (float)(p[0] * q[1] - p[1] * q[0]);
}

/* Weights of a point of the divided triangle in an interior triangle; returns the smallest. */
static float child_weights(const vo_rt_interior_triangle *shape, const float w[3], float out[3]) {
    /* det(p0, p1, p2) of the doubled points is 8 areas: 2 per quarter. */
    float scale = 1 / (float)shape->quarters, least = 1;
    for (int k = 0; k < 3; k++) {
        const int8_t *p = twice[shape->point[(k + 1) % 3]], *q = twice[shape->point[(k + 2) % 3]];
        out[k] = scale * determinant(w, p, q);
        if (!(out[k] >= least)) least = out[k];
    }
    return least;
}

/* Child that contains the point, or the nearest to it; replaces the weights. */
static int descend(const vo_rt_triangle *t, float w[3]) {
    unsigned set = vo_rt_configurations[t->configuration].triangles;
    float best = -INFINITY, chosen[3] = {w[0], w[1], w[2]};
    int child = t->child[0];
    for (int slot = 0; set && best < 0; set &= set - 1, slot++) {
        float weight[3];
        float least = child_weights(&vo_rt_interior_triangles[vo_rt_lowest_bit(set)], w, weight);
        if (!(least > best)) continue;
        best = least;
        child = t->child[slot];
        for (int k = 0; k < 3; k++) chosen[k] = weight[k];
    }
    for (int k = 0; k < 3; k++) w[k] = chosen[k];
    return child;
}

void vo_rt_mesh_locate(const vo_rt_mesh *mesh, int base_triangle, const float weight[3],
                       int32_t slot[3], float leaf_weight[3]) {
    float w[3] = {weight[0], weight[1], weight[2]};
    const vo_rt_triangle *t = &mesh->triangle[base_triangle];
    while (t->configuration != 0) t = &mesh->triangle[descend(t, w)];
    for (int k = 0; k < 3; k++) {
        slot[k] = t->vertex[k];
        leaf_weight[k] = w[k];
    }
}
