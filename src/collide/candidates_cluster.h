/* Clusters: a dozen faces that lie together in the fabric, and how they move.
 *
 * Cloth hardly stretches, so the faces of a cluster move almost like one rigid body, and so do two
 * clusters side by side. What counts for contact is only what is left when such a common motion is
 * taken off. For a step from x to x + d and any u, w, m let
 *
 *     d(x) = u + w x (x - m) + e(x)        (a shift, a turn by w, and the rest)
 *
 * For two points with difference v the new difference is (1 + [w]) v + e1 - e2, and since w x v is
 * perpendicular to v, it is no shorter than |v| - |e1| - |e2|. This holds exactly, for turns of any
 * size, at every moment of the straight ways, and for all points of faces and edges, whose rest e
 * is a mean of that of their nodes. So two features of clusters A and B come closer to each other
 * by no more than
 *
 *     travel(A, B) = |uA - uB - w x (cA - cB)| + |wA - wB| (rA + rB) / 2 + sA + sB,
 *
 * where u, w, s are the mean shift, the fitted turn and the largest rest within each cluster, c and
 * r its centre and radius, and w the mean of wA and wB (u and m are means likewise). Sums of
 * travels over steps bound what distances have lost since they were measured: the base of
 * everything in candidates_run.h.
 *
 * A falling, swinging, turning cloth has travels of a tenth of its motion and less. What was
 * rejected: the motion of a whole cloth taken off as one drift (nothing is left of it once the
 * cloth swings or turns), and single faces or pairs instead of clusters (ten times as many numbers
 * to keep up to date at every step). */
#ifndef VO_COLLIDE_CANDIDATES_CLUSTER_H
#define VO_COLLIDE_CANDIDATES_CLUSTER_H

#include "collide/candidates_keep.h"
#include "collide/candidates_pair.h"
#include "spatial/aabb.h"

enum {
    VO_CLUSTER_FACES = 16, /* at most */
    VO_CLUSTER_NODES = 3 * VO_CLUSTER_FACES,
};

/* Lists one after the other: those of cluster c are item[begin[c]] to item[begin[c + 1]]. */
typedef struct vo_lists {
    int *begin, *item;
    int item_count;
} vo_lists;

/* All clusters, cloths' first. A cluster belongs to one part, and to one patch of fabric. */
typedef struct vo_clusters {
    vo_context *ctx;
    int count, cloth_count;
    int *part;                                          /* [count] */
    int *part_begin;                                    /* [part_count + 1] */
    int part_count, node_count, edge_count, face_count; /* of the surface */
    int capacity;                                       /* clusters that there is room for */
    double *reach;                                      /* [count] largest of its nodes' */
    double *least_reach;                                /* [count] smallest of its nodes' */
    vo_box *rest;                /* [count] where it is in the fabric or, of obstacles, at the
                                    beginning; patches of fabric apart along z */
    vo_lists face, node;         /* the faces and all their nodes */
    vo_lists own_node, own_edge; /* features that are found here */
    vo_lists of_node;            /* for each node the clusters it is in */
} vo_clusters;

/* Two features of two clusters, by their places among the clusters' own nodes, faces or own edges:
 * the first one's in the low byte. VO_PAIR_TURNED: the node is of the second cluster, the face of
 * the first. */
typedef uint16_t vo_local_pair;
enum { VO_PAIR_TURNED = 0x80 };
_Static_assert((int)VO_CLUSTER_NODES <= (int)VO_PAIR_TURNED,
               "places of nodes and edges have seven bits");

static inline vo_local_pair vo_local_pair_of(int first, int second, bool turned) {
    return (vo_local_pair)(first | (turned ? VO_PAIR_TURNED : 0) | second << 8);
}

/* The features of a pair of clusters a and b. */
static inline vo_feature_key vo_node_face_key(const vo_clusters *k, int a, int b,
                                              vo_local_pair pair) {
    bool turned = pair & VO_PAIR_TURNED;
    int of_node = turned ? b : a, of_face = turned ? a : b;
    return (vo_feature_key){k->own_node.item[k->own_node.begin[of_node] + (pair & 0x7f)],
                            k->face.item[k->face.begin[of_face] + (pair >> 8)]};
}
static inline vo_feature_key vo_edge_edge_key(const vo_clusters *k, int a, int b,
                                              vo_local_pair pair) {
    int p = k->own_edge.item[k->own_edge.begin[a] + (pair & 0x7f)];
    int q = k->own_edge.item[k->own_edge.begin[b] + (pair >> 8)];
    return (vo_feature_key){vo_min_int(p, q), vo_max_int(p, q)};
}

/* `kept`, unless it is NULL or about other obstacles, spares looking for theirs. */
vo_result vo_clusters_create(vo_context *ctx, const vo_surface *surface,
                             const vo_kept_obstacles *kept, vo_clusters *out);
void vo_clusters_free(vo_clusters *clusters);

/* How a cluster moves, see above. */
typedef struct vo_cluster_motion {
    vo_vec3 centre, shift, turn;
    double radius, rest;
} vo_cluster_motion;

/* By how much features of the two may come closer; larger by what rounding may take off. */
static inline double vo_cluster_travel(const vo_cluster_motion *a, const vo_cluster_motion *b) {
    vo_vec3 turn = v3_scale(0.5, v3_add(a->turn, b->turn));
    vo_vec3 gap = v3_sub(v3_sub(a->shift, b->shift), v3_cross(turn, v3_sub(a->centre, b->centre)));
    double twist = v3_distance(a->turn, b->turn) * 0.5 * (a->radius + b->radius);
    return (v3_length(gap) + twist + a->rest + b->rest) * (1 + 0x1p-40);
}

#endif
