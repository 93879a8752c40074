#include "collide/pair_cache/obstacle_cache.h"

#include "collide/pair_cache/broad_phase.h"
#include "collide/pair_cache/cluster.h"
#include "core/memory.h"

static void free_csr_cache(vo_context *ctx, vo_csr_cache *l) {
    vo_free_array(ctx, l->begin, l->begin_capacity);
    vo_free_array(ctx, l->item, l->item_capacity);
}

void vo_obstacle_cache_free(vo_context *ctx, vo_obstacle_cache *k) {
    for (int p = 0; p < k->part_count; p++) vo_bvh_free(ctx, &k->rigid_tree[p].tree);
    vo_bvh_free(ctx, &k->world_tree);
    vo_free_array(ctx, k->part, k->cluster_capacity);
    vo_free_array(ctx, k->rest_box, k->rest_capacity);
    vo_free_array(ctx, k->rigid_tree, k->part_capacity);
    free_csr_cache(ctx, &k->face);
    free_csr_cache(ctx, &k->node);
    free_csr_cache(ctx, &k->own_node);
    free_csr_cache(ctx, &k->own_edge);
    free_csr_cache(ctx, &k->node_clusters);
    *k = (vo_obstacle_cache){0};
}

/* Copies the lists from `first` to `end`, with `shift` subtracted from every item. */
static bool copy_list(vo_context *ctx, const vo_csr *l, int first, int end, int shift,
                      vo_csr_cache *k) {
    int from = l->begin[first], items = l->begin[end] - from;
    k->count = end - first;
    if (!vo_reserve(ctx, &k->begin, &k->begin_capacity, k->count + 1) ||
        !vo_reserve(ctx, &k->item, &k->item_capacity, items))
        return false;
    for (int i = 0; i <= k->count; i++) k->begin[i] = l->begin[first + i] - from;
    for (int i = 0; i < items; i++) k->item[i] = l->item[from + i] - shift;
    return true;
}

void vo_csr_cache_append(const vo_csr_cache *k, int first, int shift, vo_csr *to) {
    int from = to->begin[first], items = k->begin[k->count];
    for (int i = 0; i <= k->count; i++) to->begin[first + i] = from + k->begin[i];
    for (int i = 0; i < items; i++) to->item[from + i] = k->item[i] + shift;
    to->item_count = from + items;
}

static bool copy_lists(vo_context *ctx, const vo_surface *s, const vo_clusters *c, int first_part,
                       vo_obstacle_cache *k) {
    int first = c->cloth_count, node = s->cloth_node_count;
    int edge = first_part < s->part_count ? s->part[first_part].edge_begin : s->edge_count;
    return copy_list(ctx, &c->face, first, c->count, s->cloth_face_count, &k->face) &&
           copy_list(ctx, &c->node, first, c->count, node, &k->node) &&
           copy_list(ctx, &c->own_node, first, c->count, node, &k->own_node) &&
           copy_list(ctx, &c->own_edge, first, c->count, edge, &k->own_edge) &&
           copy_list(ctx, &c->node_clusters, node, s->node_count, first, &k->node_clusters);
}

/* Sets the counts last, so that a failure leaves an empty cache. */
static bool copy_clusters(vo_context *ctx, const vo_surface *s, const vo_clusters *c,
                          int first_part, vo_obstacle_cache *k) {
    int first = c->cloth_count, count = c->count - first;
    k->cluster_count = 0;
    if (!vo_reserve(ctx, &k->part, &k->cluster_capacity, count) ||
        !vo_reserve(ctx, &k->rest_box, &k->rest_capacity, count) ||
        !copy_lists(ctx, s, c, first_part, k))
        return false;
    for (int i = 0; i < count; i++) {
        k->part[i] = c->part[first + i] - first_part;
        k->rest_box[i] = c->rest_box[first + i];
    }
    k->cluster_count = count;
    k->face_count = s->face_count - s->cloth_face_count;
    return true;
}

static void move_trees(vo_broad_phase *w, int first_part, int count, vo_obstacle_cache *k) {
    for (; k->part_count < count; k->part_count++)
        k->rigid_tree[k->part_count] = (vo_obstacle_cache_tree){0};
    for (int p = 0; p < count; p++) {
        vo_rigid_broad_phase *f = &w->rigid[first_part + p];
        if (!f->rest) continue;
        k->rigid_tree[p] = (vo_obstacle_cache_tree){f->tree, f->rest};
        f->tree = (vo_bvh){0};
        f->rest = NULL;
    }
}

vo_result vo_obstacle_cache_save(vo_context *ctx, const vo_surface *s, const vo_clusters *clusters,
                                 vo_broad_phase *broad_phase, vo_obstacle_cache *k) {
    int first_part = vo_surface_first_obstacle(s);
    int parts = s->part_count - first_part;
    bool cached = vo_obstacle_cache_matches(k, s);
    if (!vo_reserve(ctx, &k->rigid_tree, &k->part_capacity, parts) ||
        (!cached && !copy_clusters(ctx, s, clusters, first_part, k)))
        return vo_fail_memory(ctx, "the obstacle cache");
    move_trees(broad_phase, first_part, parts, k);
    vo_bvh_free(ctx, &k->world_tree);
    k->world_tree = broad_phase->obstacle_tree;
    broad_phase->obstacle_tree = (vo_bvh){0};
    return VO_OK;
}
