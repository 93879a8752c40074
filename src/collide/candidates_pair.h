/* One pair of features: its nodes, its thickness, whether a step clears it.
 * Stateless over the surface's arrays. */
#ifndef VO_COLLIDE_CANDIDATES_PAIR_H
#define VO_COLLIDE_CANDIDATES_PAIR_H

#include "collide/candidates.h"

/* A pair by its features: a node and a face, or two edges, the lower one first. */
typedef struct vo_feature_key {
    int32_t a, b;
} vo_feature_key;

/* Two features that were measured and found near. */
typedef struct vo_near_hit {
    vo_feature_key key;
    vo_near near;
} vo_near_hit;

/* Nodes of a pair. False if the features have a node in common. */
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

/* The distance at which a pair begins to repel: node 2 is of the second part for faces and edges
 * alike, and obstacles' reach has no end. */
static inline double vo_pair_thickness(const vo_surface *s, const int node[4], double thickness) {
    if (s->node_part[node[0]] != s->node_part[node[2]]) return thickness;
    for (int i = 0; i < 4; i++) thickness = vo_min(thickness, s->reach[node[i]]);
    return thickness;
}

/* How much earlier than other pairs of its run a pair may come close before it is near: the
 * difference of their thicknesses, rounded down, and 0 if that is all (candidates_run.h). */
static inline float vo_pair_lead(double run_thickness, double thickness) {
    double lead = run_thickness - thickness;
    return lead > 0x1p-20 * run_thickness ? vo_float_below(lead) : 0;
}

/* Whether the closest points of two edges, given by their weights, are inside both. */
static inline bool vo_is_inside(const double weight[4]) {
    return weight[0] > 0 && weight[1] > 0 && weight[2] < 0 && weight[3] < 0;
}

/* A direction for features that touch at x0: across the face, or across both edges. */
vo_vec3 vo_pair_across(const vo_surface *s, const vo_feature_pair *pair);

/* By how much the two features may come closer on the way from x0 to x1, as far as their own nodes
 * tell; larger by what rounding may take off. */
double vo_pair_travel(const vo_surface *s, const vo_feature_pair *pair);

/* The lowest height along n of a node of the first feature over one of the second, with their nodes
 * at x; less what rounding may have added, and -infinity if there is no such number. */
double vo_pair_lowest(vo_feature_kind kind, vo_vec3 n, const vo_vec3 x[4]);

/* Whether a plane keeps two features apart from x0 to x1: further than `keep`, or than 0.9 of
 * their distance at x0. `*least` gets a number below that distance. A proof despite rounding: false
 * where in doubt. */
bool vo_pair_is_clear(const vo_surface *s, const vo_feature_pair *pair, double keep, double *least);

/* Sorts keys by a, then b. `spare` has the same room. */
void vo_sort_keys(int count, vo_feature_key *key, vo_feature_key *spare);

/* Puts hits into their order, which depends on the features alone: nodes and faces by node, part
 * and distance; then edges. Leaves out the faces that are not the nearest on their side. `order`
 * has room for count indices, `start` for node_count + 1 or edge_count + 1 whichever is more.
 * Returns how many are left; out[i] is where they go. */
int vo_select_near(const vo_surface *s, int count, const vo_near_hit *hit, int32_t *order,
                   int32_t *start, vo_near *out);

#endif
