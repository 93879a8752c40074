/* Obstacle cache: obstacle data reused after remeshing.
 *
 * Remeshing replaces the faces of the cloths in every frame, and the candidates are created again.
 * Obstacles keep their topology, so their clusters are copied once and their BVHs are moved from
 * the old candidates to the new ones. For a dressed body this is most of the set-up time:
 *
 *     vo_candidates_save_obstacles(old, &cache) -> destroy old -> new surface
 *       -> vo_candidates_create(.., &cache)
 *
 * Indices of nodes, edges, faces, clusters and parts are relative to the first obstacle. */
#ifndef VO_COLLIDE_PAIR_CACHE_OBSTACLE_CACHE_H
#define VO_COLLIDE_PAIR_CACHE_OBSTACLE_CACHE_H

#include "collide/surface.h"
#include "spatial/bvh.h"

/* BVH over the clusters of a rigid part in its rest frame. */
typedef struct vo_obstacle_cache_tree {
    vo_bvh tree;
    const vo_vec3 *rest; /* rest positions that it was built from; NULL: not built */
} vo_obstacle_cache_tree;

/* Index lists in CSR form (vo_csr in cluster.h) of the clusters or nodes of obstacles. */
typedef struct vo_csr_cache {
    int count;  /* number of lists */
    int *begin; /* [count + 1] */
    int *item;  /* [begin[count]] */
    int begin_capacity, item_capacity;
} vo_csr_cache;

/* Zero-initialised: empty. */
typedef struct vo_obstacle_cache {
    int cluster_count, face_count, part_count;
    int cluster_capacity, part_capacity, rest_capacity;
    int *part;                                   /* [cluster_count] */
    vo_box *rest_box;                            /* [cluster_count] */
    vo_csr_cache face, node, own_node, own_edge; /* items of each cluster */
    vo_csr_cache node_clusters;                  /* clusters of each obstacle node */
    vo_obstacle_cache_tree *rigid_tree;          /* [part_count] */
    vo_bvh world_tree; /* over all clusters; topology of the rest pose, boxes outdated */
} vo_obstacle_cache;

void vo_obstacle_cache_free(vo_context *ctx, vo_obstacle_cache *cache);

struct vo_clusters;
struct vo_broad_phase;
/* Copies the clusters of the obstacles, unless already cached, and moves the BVHs out of
 * `broad_phase`. */
vo_result vo_obstacle_cache_save(vo_context *ctx, const vo_surface *surface,
                                 const struct vo_clusters *clusters,
                                 struct vo_broad_phase *broad_phase, vo_obstacle_cache *cache);

struct vo_csr;
/* Appends cached lists after the first `first` lists of `to`, with `shift` added to every item. */
void vo_csr_cache_append(const vo_csr_cache *from, int first, int shift, struct vo_csr *to);

/* Returns true if the cache belongs to the obstacles of this surface. */
static inline bool vo_obstacle_cache_matches(const vo_obstacle_cache *cache, const vo_surface *s) {
    return cache && cache->cluster_count &&
           cache->face_count == s->face_count - s->cloth_face_count &&
           cache->part_count == s->part_count - vo_surface_first_obstacle(s);
}

#endif
