/* What is known about obstacles, kept while the meshes of cloths change.
 *
 * Remeshing gives cloths new faces every frame, and candidates begin anew. Obstacles stay what they
 * are: their clusters are copied once, and the trees over them are handed from the candidates that
 * go to those that come. Of a dressed body that is most of what there is to set up:
 *
 *      vo_candidates_keep(old, &kept) -> destroy old -> new surface -> vo_candidates_create(..,
 * &kept)
 *
 * Nodes, edges, faces, clusters and parts are counted from the first of an obstacle, since those of
 * cloths come before. */
#ifndef VO_COLLIDE_CANDIDATES_KEEP_H
#define VO_COLLIDE_CANDIDATES_KEEP_H

#include "collide/surface.h"
#include "spatial/bvh.h"

/* The tree over the clusters of a rigid part in its own frame. */
typedef struct vo_kept_tree {
    vo_bvh tree;
    const vo_vec3 *rest; /* the positions that it was built for; NULL: not built yet */
} vo_kept_tree;

/* Lists (candidates_cluster.h) of the obstacles' clusters or nodes. */
typedef struct vo_kept_list {
    int count;  /* lists */
    int *begin; /* [count + 1] */
    int *item;  /* [begin[count]] */
    int begin_capacity, item_capacity;
} vo_kept_list;

/* Zero is nothing. */
typedef struct vo_kept_obstacles {
    int cluster_count, face_count, part_count;
    int cluster_capacity, part_capacity, rest_capacity;
    int *part;                                   /* [cluster_count] */
    vo_box *rest;                                /* [cluster_count] */
    vo_kept_list face, node, own_node, own_edge; /* of each cluster */
    vo_kept_list of_node;                        /* clusters of each node */
    vo_kept_tree *tree;                          /* [part_count] */
    vo_bvh world; /* over all clusters, as they are at rest; its boxes are not */
} vo_kept_obstacles;

void vo_kept_obstacles_free(vo_context *ctx, vo_kept_obstacles *kept);

struct vo_clusters;
struct vo_walks;
/* Takes over from clusters and walks, which lose their trees. What it has of these obstacles'
 * clusters already stays. */
vo_result vo_kept_take(vo_context *ctx, const vo_surface *surface,
                       const struct vo_clusters *clusters, struct vo_walks *walks,
                       vo_kept_obstacles *kept);

struct vo_lists;
/* Puts kept lists behind the first `first` ones, with items further on by `shift`. */
void vo_kept_place(const vo_kept_list *from, int first, int shift, struct vo_lists *to);

/* Whether it is about the obstacles of this surface. */
static inline bool vo_kept_fits(const vo_kept_obstacles *kept, const vo_surface *s) {
    return kept && kept->cluster_count && kept->face_count == s->face_count - s->cloth_face_count &&
           kept->part_count == s->part_count - vo_surface_first_obstacle(s);
}

#endif
