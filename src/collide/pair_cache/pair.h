/* Feature pairs: nodes, thickness, approach bound, and separation over a step. Stateless functions
 * on the arrays of a surface. */
#ifndef VO_COLLIDE_PAIR_CACHE_PAIR_H
#define VO_COLLIDE_PAIR_CACHE_PAIR_H

#include "collide/candidates.h"

/* A pair as feature indices: a node and a face, or two edges, the lower one first. */
typedef struct vo_feature_key {
    int32_t a, b;
} vo_feature_key;

/* A measured pair closer than its thickness. */
typedef struct vo_proximity_hit {
    vo_feature_key key;
    vo_proximity proximity;
} vo_proximity_hit;

/* Write the nodes of a pair; return false if the features share a node. */
static inline bool vo_node_face_nodes(const vo_surface *s, vo_feature_key key, int node[4]) {
    const int *face = s->face[key.b];
    node[0] = key.a;
    node[1] = face[0];
    node[2] = face[1];
    node[3] = face[2];
    return (face[0] != key.a) & (face[1] != key.a) & (face[2] != key.a);
}
static inline bool vo_edge_edge_nodes(const vo_surface *s, vo_feature_key key, int node[4]) {
    const int *a = s->edge[key.a], *b = s->edge[key.b];
    node[0] = a[0];
    node[1] = a[1];
    node[2] = b[0];
    node[3] = b[1];
    return (a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1]);
}

static inline bool vo_pair_nodes(const vo_surface *s, vo_feature_kind kind, vo_feature_key key,
                                 int node[4]) {
    return kind == VO_NODE_FACE ? vo_node_face_nodes(s, key, node)
                                : vo_edge_edge_nodes(s, key, node);
}

/* Returns the distance at which a pair begins to repel (m). Node 2 belongs to the second feature
 * for both kinds; max_self_thickness is infinite for obstacles. */
static inline double vo_pair_thickness(const vo_surface *s, const int node[4], double thickness) {
    if (s->node_part[node[0]] != s->node_part[node[2]]) return thickness;
    for (int i = 0; i < 4; i++) thickness = vo_min(thickness, s->max_self_thickness[node[i]]);
    return thickness;
}

/* Returns the thickness of the cache entry minus that of the pair, rounded down; 0 if it is
 * negligible (pair_cache.h). */
static inline float vo_pair_thickness_offset(double entry_thickness, double thickness) {
    double offset = entry_thickness - thickness;
    return offset > 0x1p-20 * entry_thickness ? vo_float_below(offset) : 0;
}

/* Returns true if the closest points of two edges, given by their weights, are interior to both. */
static inline bool vo_weights_are_interior(const double weight[4]) {
    return weight[0] > 0 && weight[1] > 0 && weight[2] < 0 && weight[3] < 0;
}

/* Returns a unit normal for features at distance zero at x0: normal to the face, or to both
 * edges. */
vo_vec3 vo_pair_fallback_normal(const vo_surface *s, const vo_feature_pair *pair);

/* Returns the approach bound of a pair in the step from x0 to x1, from its own nodes (m), rounded
 * up. */
double vo_pair_approach_bound(const vo_surface *s, const vo_feature_pair *pair);

/* Returns the smallest height along n of a node of the first feature above a node of the second,
 * with nodes at x, rounded down; -infinity if it is not finite. */
double vo_pair_min_height(vo_feature_kind kind, vo_vec3 n, const vo_vec3 x[4]);

/* Returns true if a plane separates the two features during the whole step by more than
 * `min_distance`, or by more than 0.9 of their distance at x0. Conservative under rounding: false
 * if it cannot be proved. *start_distance receives a lower bound of the distance at x0. */
bool vo_pair_is_separated(const vo_surface *s, const vo_feature_pair *pair, double min_distance,
                          double *start_distance);

/* Sorts keys by a, then b. `spare` has the same capacity. */
void vo_sort_keys(int count, vo_feature_key *key, vo_feature_key *spare);

/* Selects and orders the proximities to return, in an order that depends on the features alone:
 * node-face pairs by node, part and distance, then edge pairs. Drops faces that are not the nearest
 * on their side of a node. `order` has capacity `count`, `start` max(node_count, edge_count) + 1.
 * Writes to `out` and returns the number. */
int vo_select_proximities(const vo_surface *s, int count, const vo_proximity_hit *hit,
                          int32_t *order, int32_t *start, vo_proximity *out);

#endif
