/* The loops that candidates spend their time in, four lanes at a time: motions of clusters,
 * distances of pairs, and the boxes of two clusters' features. */
#ifndef VO_COLLIDE_CANDIDATES_KERNEL_H
#define VO_COLLIDE_CANDIDATES_KERNEL_H

#include "collide/candidates_cluster.h"
#include "collide/candidates_pair.h"

/* Four pairs, measured. */
typedef struct vo_measured {
    double weight[4][4]; /* [node][lane], as in vo_near */
    double offset[3][4]; /* from the second feature to the first */
    double squared[4];   /* of the distance */
    double least[4];     /* the distance, less than it is by what rounding may have added */
} vo_measured;

/* Boxes of eight features, rounded outward. */
typedef struct vo_box8 {
    float min[3][8], max[3][8];
} vo_box8;

/* Boxes of a cluster's features of one kind, and which features they are. */
typedef struct vo_feature_boxes {
    const vo_box8 *box;
    const vo_box8 *whole; /* its first lane is round all features of the cluster */
    const int *id;
    int count;
} vo_feature_boxes;

/* Which pairs of two clusters are listed. */
typedef struct vo_list_rule {
    float limit;     /* m, lows are not above it */
    float thickness; /* m, of the run: pairs that are thinner have a lead (candidates_run.h) */
    bool one_part;   /* only then some may be, or have nodes in common */
} vo_list_rule;

/* Where listed pairs go: there is room for all there can be. */
typedef struct vo_listed {
    vo_local_pair *pair;
    float *low;
    int count;
} vo_listed;

typedef struct vo_candidates_kernels {
    /* The motion of cluster c between two sets of positions, larger by what rounding may take off,
     * and its box at the end. Reads a number beyond the last node. */
    void (*move)(const vo_clusters *clusters, int c, const vo_vec3 *from, const vo_vec3 *to,
                 vo_cluster_motion *motion, vo_box *end);

    /* Measures `count` pairs of one kind at x0, of which `node` are the nodes. Writes
     * (count + 3) / 4 blocks. */
    void (*measure)(const vo_surface *s, vo_feature_kind kind, int count, const int (*node)[4],
                    vo_measured *out);

    /* Indices of the lows that are not above `at`, of `count`; returns how many. */
    int (*collect)(const float *low, int count, float at, int *index);

    /* Boxes at x0 of a cluster, whole, and of its features: its own nodes, its faces, its own
     * edges, each kind filled up to eight with empty boxes. */
    void (*fill_boxes)(const vo_surface *s, const vo_clusters *clusters, int c, vo_box8 *out);

    /* Adds the pairs of nodes and faces, or of edges (a == b: each once), that have no node in
     * common and whose lows, by their boxes, are within the rule. `turned`: nodes are those of the
     * second cluster. */
    void (*list_node_faces)(const vo_surface *s, const vo_feature_boxes *nodes,
                            const vo_feature_boxes *faces, bool turned, const vo_list_rule *rule,
                            vo_listed *out);
    void (*list_edges)(const vo_surface *s, const vo_feature_boxes *a, const vo_feature_boxes *b,
                       const vo_list_rule *rule, vo_listed *out);
} vo_candidates_kernels;

extern const vo_candidates_kernels vo_candidates_kernels_base, vo_candidates_kernels_avx2;

/* The copy that this processor can run. */
static inline const vo_candidates_kernels *vo_candidates_kernels_for(const vo_context *ctx) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (ctx->use_avx2) return &vo_candidates_kernels_avx2;
#endif
    (void)ctx;
    return &vo_candidates_kernels_base;
}

/* How many blocks of eight so many features take. */
static inline int vo_box8_count(int features) { return (features + 7) / 8; }

#endif
