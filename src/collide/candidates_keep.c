#include "collide/candidates_keep.h"

#include "collide/candidates_cluster.h"
#include "collide/candidates_walk.h"
#include "core/memory.h"

void vo_kept_obstacles_free(vo_context *ctx, vo_kept_obstacles *k) {
    for (int p = 0; p < k->part_count; p++) vo_bvh_free(ctx, &k->tree[p].tree);
    vo_free_array(ctx, k->part, k->cluster_capacity);
    vo_free_array(ctx, k->rest, k->rest_capacity);
    vo_free_array(ctx, k->begin, k->begin_capacity);
    vo_free_array(ctx, k->face, k->face_capacity);
    vo_free_array(ctx, k->tree, k->part_capacity);
    *k = (vo_kept_obstacles){0};
}

static bool reserve(vo_context *ctx, vo_kept_obstacles *k, int clusters, int faces, int parts) {
    return vo_reserve(ctx, &k->part, &k->cluster_capacity, clusters) &&
           vo_reserve(ctx, &k->rest, &k->rest_capacity, clusters) &&
           vo_reserve(ctx, &k->begin, &k->begin_capacity, clusters + 1) &&
           vo_reserve(ctx, &k->face, &k->face_capacity, faces) &&
           vo_reserve(ctx, &k->tree, &k->part_capacity, parts);
}

static void take_clusters(const vo_surface *s, const vo_clusters *c, int first_part,
                          vo_kept_obstacles *k) {
    int first = c->cloth_count, from = c->face.begin[first];
    k->cluster_count = c->count - first;
    k->face_count = c->face.begin[c->count] - from;
    for (int i = 0; i < k->cluster_count; i++) {
        k->part[i] = c->part[first + i] - first_part;
        k->rest[i] = c->rest[first + i];
    }
    for (int i = 0; i <= k->cluster_count; i++) k->begin[i] = c->face.begin[first + i] - from;
    for (int i = 0; i < k->face_count; i++)
        k->face[i] = c->face.item[from + i] - s->cloth_face_count;
}

static void take_trees(vo_walks *w, int first_part, int count, vo_kept_obstacles *k) {
    for (; k->part_count < count; k->part_count++) k->tree[k->part_count] = (vo_kept_tree){0};
    for (int p = 0; p < count; p++) {
        vo_frame_walk *f = &w->frame[first_part + p];
        if (!f->rest) continue;
        k->tree[p] = (vo_kept_tree){f->tree, f->rest};
        f->tree = (vo_bvh){0};
        f->rest = NULL;
    }
}

vo_result vo_kept_take(vo_context *ctx, const vo_surface *s, const vo_clusters *clusters,
                       vo_walks *walks, vo_kept_obstacles *k) {
    int first_part = vo_surface_first_obstacle(s);
    int parts = s->part_count - first_part;
    if (!reserve(ctx, k, clusters->count, s->face_count - s->cloth_face_count, parts))
        return vo_fail_memory(ctx, "the obstacles' clusters");
    take_clusters(s, clusters, first_part, k);
    take_trees(walks, first_part, parts, k);
    return VO_OK;
}
