/* Clusters: about a dozen faces that are adjacent in material space, and bounds on their relative
 * motion.
 *
 * Cloth hardly stretches, so the faces of a cluster move almost like a rigid body, and so do two
 * adjacent clusters. Only the relative motion that remains after subtracting a common rigid motion
 * can change distances. For a step from x to x + d and any u, w, m let
 *
 *     d(x) = u + w x (x - m) + e(x)        (translation, linearised rotation w, residual)
 *
 * For two points with difference v the new difference is (1 + [w]) v + e1 - e2. Since w x v is
 * perpendicular to v, its length is at least |v| - |e1| - |e2|. This holds exactly, for rotations
 * of any size, at every time of the linear trajectories, and for all points of faces and edges,
 * whose residual e is a convex combination of the residuals of their nodes. So two features of
 * clusters A and B approach each other by at most
 *
 *     approach(A, B) = |uA - uB - w x (cA - cB)| + |wA - wB| (rA + rB) / 2 + sA + sB,
 *
 * where u, w, s are the mean translation, the fitted rotation and the largest residual of each
 * cluster, c and r its centre and radius, and w the mean of wA and wB (u and m are means likewise).
 * The sum of the approach bounds over the steps since a distance was measured bounds the change of
 * that distance; pair_cache.h is built on this.
 *
 * For a falling, swinging or rotating cloth the approach bounds are a tenth of its motion or less.
 * Rejected: subtracting the motion of the whole cloth as one rigid motion (useless once the cloth
 * swings or bends), and bounds per face or per pair (ten times as many values to update in every
 * step). */
#ifndef VO_COLLIDE_PAIR_CACHE_CLUSTER_H
#define VO_COLLIDE_PAIR_CACHE_CLUSTER_H

#include "collide/pair_cache/obstacle_cache.h"
#include "collide/pair_cache/pair.h"
#include "spatial/aabb.h"

enum {
    VO_CLUSTER_FACES = 16, /* maximum */
    VO_CLUSTER_NODES = 3 * VO_CLUSTER_FACES,
};

/* Index lists in CSR form: the items of list c are item[begin[c]] to item[begin[c + 1] - 1]. */
typedef struct vo_csr {
    int *begin, *item;
    int item_count;
} vo_csr;

/* All clusters, those of cloths first. A cluster belongs to one part and to one connected patch of
 * material space. */
typedef struct vo_clusters {
    vo_context *ctx;
    int count, cloth_count;
    int *part;                                          /* [count] */
    int *part_begin;                                    /* [part_count + 1] */
    int part_count, node_count, edge_count, face_count; /* counts of the surface */
    int capacity;                                       /* allocated clusters */
    double *max_self_thickness;                         /* [count] m, maximum over its nodes */
    double *min_self_thickness;                         /* [count] m, minimum over its nodes */
    vo_box *rest_box; /* [count] bounds in material space, with the patches separated along z, or of
                         obstacles in the rest pose */
    vo_csr face, node;         /* its faces and all their nodes */
    vo_csr own_node, own_edge; /* nodes and edges owned by its faces (surface.h) */
    vo_csr node_clusters;      /* clusters of each node */
} vo_clusters;

/* A feature pair of two clusters as local indices into their own nodes, faces or own edges: the
 * index of the first cluster in the low byte. VO_PAIR_SWAPPED: the node belongs to the second
 * cluster, the face to the first. */
typedef uint16_t vo_local_pair;
enum { VO_PAIR_SWAPPED = 0x80 };
_Static_assert((int)VO_CLUSTER_NODES <= (int)VO_PAIR_SWAPPED,
               "local indices of nodes and edges have seven bits");

static inline vo_local_pair vo_local_pair_of(int first, int second, bool swapped) {
    return (vo_local_pair)(first | (swapped ? VO_PAIR_SWAPPED : 0) | second << 8);
}

/* Return the feature pair of clusters a and b. */
static inline vo_feature_key vo_node_face_key(const vo_clusters *k, int a, int b,
                                              vo_local_pair pair) {
    bool swapped = pair & VO_PAIR_SWAPPED;
    int of_node = swapped ? b : a, of_face = swapped ? a : b;
    return (vo_feature_key){k->own_node.item[k->own_node.begin[of_node] + (pair & 0x7f)],
                            k->face.item[k->face.begin[of_face] + (pair >> 8)]};
}
static inline vo_feature_key vo_edge_edge_key(const vo_clusters *k, int a, int b,
                                              vo_local_pair pair) {
    int p = k->own_edge.item[k->own_edge.begin[a] + (pair & 0x7f)];
    int q = k->own_edge.item[k->own_edge.begin[b] + (pair >> 8)];
    return (vo_feature_key){vo_min_int(p, q), vo_max_int(p, q)};
}

/* Creates the clusters of a surface. `cache` may be NULL; if it matches the obstacles of the
 * surface, their clusters are copied from it. */
vo_result vo_clusters_create(vo_context *ctx, const vo_surface *surface,
                             const vo_obstacle_cache *cache, vo_clusters *out);
void vo_clusters_free(vo_clusters *clusters);

/* Motion of a cluster in a step, see above. */
typedef struct vo_cluster_motion {
    vo_vec3 centre, translation, rotation;
    double radius, residual;
} vo_cluster_motion;

/* Returns the approach bound of two clusters (m), rounded up. */
static inline double vo_cluster_approach_bound(const vo_cluster_motion *a,
                                               const vo_cluster_motion *b) {
    vo_vec3 turn = v3_scale(0.5, v3_add(a->rotation, b->rotation));
    vo_vec3 gap = v3_sub(v3_sub(a->translation, b->translation),
                         v3_cross(turn, v3_sub(a->centre, b->centre)));
    double rotation_gap = v3_distance(a->rotation, b->rotation) * 0.5 * (a->radius + b->radius);
    return (v3_length(gap) + rotation_gap + a->residual + b->residual) * (1 + 0x1p-40);
}

#endif
