/* SIMD kernels of the narrow phase: cluster motions, pair distances, and box tests of the features
 * of two clusters. */
#ifndef VO_COLLIDE_PAIR_CACHE_DISTANCE_KERNEL_H
#define VO_COLLIDE_PAIR_CACHE_DISTANCE_KERNEL_H

#include "collide/pair_cache/cluster.h"
#include "collide/pair_cache/pair.h"

/* Distances of four pairs. */
typedef struct vo_distance_lanes {
    double weight[4][4];    /* [node][lane], as in vo_proximity */
    double offset[3][4];    /* from the second feature to the first */
    double squared[4];      /* squared distance */
    double min_distance[4]; /* lower bound of the distance that accounts for rounding */
} vo_distance_lanes;

/* Boxes of eight features, rounded outward to float. */
typedef struct vo_box8 {
    float min[3][8], max[3][8];
} vo_box8;

/* Boxes and indices of the features of one kind of a cluster. */
typedef struct vo_feature_boxes {
    const vo_box8 *box;
    const vo_box8 *whole; /* bounds of the cluster, in lane 0 */
    const int *id;
    int count;
} vo_feature_boxes;

/* Criterion for the list of two clusters. */
typedef struct vo_list_rule {
    float limit;     /* m, largest expiry to list */
    float thickness; /* m, of the entry: thinner pairs have a thickness offset (pair_cache.h) */
    bool one_part;   /* both clusters belong to one part: pairs may be thinner or share nodes */
} vo_list_rule;

/* Output of the list kernels, with capacity for all pairs of two clusters. */
typedef struct vo_pair_output {
    vo_local_pair *pair;
    float *expiry;
    int count;
} vo_pair_output;

typedef struct vo_candidates_kernels {
    /* Computes the motion of cluster c between two sets of positions, with residual and radius
     * rounded up, and its box at the end. Reads one double beyond the last node. */
    void (*fit_motion)(const vo_clusters *clusters, int c, const vo_vec3 *from, const vo_vec3 *to,
                       vo_cluster_motion *motion, vo_box *end);

    /* Computes the distances of `count` pairs of one kind at x0, given their nodes. Writes (count +
     * 3) / 4 blocks. */
    void (*measure)(const vo_surface *s, vo_feature_kind kind, int count, const int (*node)[4],
                    vo_distance_lanes *out);

    /* Writes the indices of the expiries up to `threshold`; returns their number. */
    int (*select_expired)(const float *expiry, int count, float threshold, int *index);

    /* Writes the boxes at x0 of cluster c and of its features: own nodes, faces, own edges; each
     * kind is padded with empty boxes to a multiple of eight. */
    void (*fill_boxes)(const vo_surface *s, const vo_clusters *clusters, int c, vo_box8 *out);

    /* Append the node-face or edge-edge pairs (a == b: each pair once) that share no node and whose
     * expiry, from their boxes, is within the rule. `swapped`: the nodes belong to the second
     * cluster. */
    void (*list_node_faces)(const vo_surface *s, const vo_feature_boxes *nodes,
                            const vo_feature_boxes *faces, bool swapped, const vo_list_rule *rule,
                            vo_pair_output *out);
    void (*list_edges)(const vo_surface *s, const vo_feature_boxes *a, const vo_feature_boxes *b,
                       const vo_list_rule *rule, vo_pair_output *out);
} vo_candidates_kernels;

extern const vo_candidates_kernels vo_candidates_kernels_base, vo_candidates_kernels_avx2;

/* Returns the kernels for this processor. */
static inline const vo_candidates_kernels *vo_candidates_kernels_for(const vo_context *ctx) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) return &vo_candidates_kernels_avx2;
#endif
    (void)ctx;
    return &vo_candidates_kernels_base;
}

/* Returns the number of blocks of eight that hold the boxes of `features` features. */
static inline int vo_box8_count(int features) { return (features + 7) / 8; }

#endif
