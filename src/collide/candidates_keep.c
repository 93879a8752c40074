#include "collide/candidates_keep.h"

#include "collide/candidates_cluster.h"
#include "collide/candidates_walk.h"
#include "core/memory.h"

static void free_list(vo_context *ctx, vo_kept_list *l) {
    vo_free_array(ctx, l->begin, l->begin_capacity);
    vo_free_array(ctx, l->item, l->item_capacity);
}

void vo_kept_obstacles_free(vo_context *ctx, vo_kept_obstacles *k) {
    for (int p = 0; p < k->part_count; p++) vo_bvh_free(ctx, &k->tree[p].tree);
    vo_bvh_free(ctx, &k->world);
    vo_free_array(ctx, k->part, k->cluster_capacity);
    vo_free_array(ctx, k->rest, k->rest_capacity);
    vo_free_array(ctx, k->tree, k->part_capacity);
    free_list(ctx, &k->face);
    free_list(ctx, &k->node);
    free_list(ctx, &k->own_node);
    free_list(ctx, &k->own_edge);
    free_list(ctx, &k->of_node);
    *k = (vo_kept_obstacles){0};
}

/* Takes the lists from `first` to `end`, with items counted from `shift`. */
static bool take_list(vo_context *ctx, const vo_lists *l, int first, int end, int shift,
                      vo_kept_list *k) {
    int from = l->begin[first], items = l->begin[end] - from;
    k->count = end - first;
    if (!vo_reserve(ctx, &k->begin, &k->begin_capacity, k->count + 1) ||
        !vo_reserve(ctx, &k->item, &k->item_capacity, items))
        return false;
    for (int i = 0; i <= k->count; i++) k->begin[i] = l->begin[first + i] - from;
    for (int i = 0; i < items; i++) k->item[i] = l->item[from + i] - shift;
    return true;
}

void vo_kept_place(const vo_kept_list *k, int first, int shift, vo_lists *to) {
    int from = to->begin[first], items = k->begin[k->count];
    for (int i = 0; i <= k->count; i++) to->begin[first + i] = from + k->begin[i];
    for (int i = 0; i < items; i++) to->item[from + i] = k->item[i] + shift;
    to->item_count = from + items;
}

static bool take_lists(vo_context *ctx, const vo_surface *s, const vo_clusters *c, int first_part,
                       vo_kept_obstacles *k) {
    int first = c->cloth_count, node = s->cloth_node_count;
    int edge = first_part < s->part_count ? s->part[first_part].edge_begin : s->edge_count;
    return take_list(ctx, &c->face, first, c->count, s->cloth_face_count, &k->face) &&
           take_list(ctx, &c->node, first, c->count, node, &k->node) &&
           take_list(ctx, &c->own_node, first, c->count, node, &k->own_node) &&
           take_list(ctx, &c->own_edge, first, c->count, edge, &k->own_edge) &&
           take_list(ctx, &c->of_node, node, s->node_count, first, &k->of_node);
}

/* The counts come last: until then it is about nothing. */
static bool take_clusters(vo_context *ctx, const vo_surface *s, const vo_clusters *c,
                          int first_part, vo_kept_obstacles *k) {
    int first = c->cloth_count, count = c->count - first;
    k->cluster_count = 0;
    if (!vo_reserve(ctx, &k->part, &k->cluster_capacity, count) ||
        !vo_reserve(ctx, &k->rest, &k->rest_capacity, count) ||
        !take_lists(ctx, s, c, first_part, k))
        return false;
    for (int i = 0; i < count; i++) {
        k->part[i] = c->part[first + i] - first_part;
        k->rest[i] = c->rest[first + i];
    }
    k->cluster_count = count;
    k->face_count = s->face_count - s->cloth_face_count;
    return true;
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
    bool known = vo_kept_fits(k, s);
    if (!vo_reserve(ctx, &k->tree, &k->part_capacity, parts) ||
        (!known && !take_clusters(ctx, s, clusters, first_part, k)))
        return vo_fail_memory(ctx, "the obstacles' clusters");
    take_trees(walks, first_part, parts, k);
    vo_bvh_free(ctx, &k->world);
    k->world = walks->obstacle;
    walks->obstacle = (vo_bvh){0};
    return VO_OK;
}
