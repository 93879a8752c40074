#include "collide/pair_cache/cluster.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "spatial/bvh.h"

#include <string.h>

/* ---- patches of material space -------------------------------------------------------------- */

/* Unites the verts of each face. */
static void join_verts(const vo_surface *s, int *up) {
    for (int v = 0; v < s->vert_count; v++) up[v] = v;
    for (int f = 0; f < s->cloth_face_count; f++)
        for (int k = 1; k < 3; k++) vo_union_find_join(up, s->face_vert[f][0], s->face_vert[f][k]);
}

/* State of the construction. Groups are connected patches of cloths and whole obstacles, in the
 * order of their first faces. */
typedef struct build {
    const vo_surface *s;
    vo_clusters *out;
    int face_count; /* faces to cluster: all, or those of cloths */
    int group_count;
    int *group;       /* [face_count] */
    int *group_begin; /* [group_count + 1] into `order` */
    int *order;       /* [face_count] faces by group */
    int *scratch;     /* [vert_count + node_count] */
    vo_box *box;      /* [face_count] in the order of `order` */
    int *member;      /* [face_count] of one group, and the start of each cluster in it */
    int *member_begin;
    vo_bvh tree; /* scratch */
} build;

/* Numbers the groups. The key of a group is a vert for a cloth and the part for an obstacle. */
static void number_groups(build *b) {
    const vo_surface *s = b->s;
    int *up = b->scratch, *group_of_key = b->group_begin; /* capacity vert_count + part_count */
    join_verts(s, up);
    for (int i = 0; i < s->vert_count + s->part_count; i++) group_of_key[i] = -1;
    for (int f = 0; f < b->face_count; f++) {
        int key = f < s->cloth_face_count ? vo_union_find_root(up, s->face_vert[f][0])
                                          : s->vert_count + s->face_part[f];
        if (group_of_key[key] < 0) group_of_key[key] = b->group_count++;
        b->group[f] = group_of_key[key];
    }
}

/* Sorts faces by group. */
static void sort_groups(build *b) {
    int *begin = b->group_begin;
    memset(begin, 0, (size_t)(b->group_count + 2) * sizeof *begin);
    for (int f = 0; f < b->face_count; f++) begin[b->group[f] + 2]++;
    for (int g = 0; g < b->group_count; g++) begin[g + 2] += begin[g + 1];
    for (int f = 0; f < b->face_count; f++) b->order[begin[b->group[f] + 1]++] = f;
}

/* Returns the bounds of a face in material space, or in the frame of the obstacle. */
static vo_box rest_box(const vo_surface *s, int f) {
    const int *n = s->face[f];
    vo_box box = box_empty();
    if (f >= s->cloth_face_count) {
        const vo_surface_part *part = &s->part[s->face_part[f]];
        const vo_vec3 *x = part->rest ? part->rest : s->x0 + part->node_begin;
        for (int k = 0; k < 3; k++) box = box_add(box, x[n[k] - part->node_begin]);
        return box;
    }
    for (int k = 0; k < 3; k++) {
        vo_vec2 u = s->vert_u[s->face_vert[f][k]];
        box = box_add(box, v3(u.x, u.y, 0));
    }
    return box;
}

/* ---- clusters ------------------------------------------------------------------------------- */

/* Appends a cluster of the faces `member`, which are relative to `first` in `order`. */
static void add_cluster(build *b, int first, int count, const int *member) {
    vo_clusters *out = b->out;
    int c = out->count++;
    vo_box box = box_empty();
    for (int i = 0; i < count; i++) {
        out->face.item[out->face.item_count++] = b->order[first + member[i]];
        box = box_join(box, b->box[first + member[i]]);
    }
    int f = out->face.item[out->face.begin[c]];
    out->face.begin[c + 1] = out->face.item_count;
    out->part[c] = b->s->face_part[f];
    out->rest_box[c] = box;
    if (f < b->s->cloth_face_count) out->cloth_count = out->count;
}

/* Splits a group of faces into clusters. */
static vo_result split_group(build *b, int g) {
    int first = b->group_begin[g], n = b->group_begin[g + 1] - first, count;
    int *member = b->member, *begin = b->member_begin;
    VO_TRY(vo_bvh_group(b->out->ctx, &b->tree, b->box + first, n, VO_CLUSTER_FACES, member, begin,
                        &count));
    for (int i = 0; i < count; i++)
        add_cluster(b, first, begin[i + 1] - begin[i], member + begin[i]);
    return VO_OK;
}

/* Appends the cached clusters of the obstacles with all their lists. */
static void add_cached(build *b, const vo_obstacle_cache *cache) {
    const vo_surface *s = b->s;
    vo_clusters *out = b->out;
    int first = out->count, first_part = vo_surface_first_obstacle(s);
    out->count += cache->cluster_count;
    for (int i = 0; i < cache->cluster_count; i++) {
        out->part[first + i] = first_part + cache->part[i];
        out->rest_box[first + i] = cache->rest_box[i];
    }
    vo_csr_cache_append(&cache->face, first, s->cloth_face_count, &out->face);
    vo_csr_cache_append(&cache->node, first, s->cloth_node_count, &out->node);
    vo_csr_cache_append(&cache->own_node, first, s->cloth_node_count, &out->own_node);
    vo_csr_cache_append(&cache->own_edge, first, s->part[first_part].edge_begin, &out->own_edge);
    vo_csr_cache_append(&cache->node_clusters, s->cloth_node_count, first, &out->node_clusters);
}

/* Separates the patches along z by more than their width. */
static void separate_patches(build *b) {
    vo_clusters *out = b->out;
    vo_box all = box_empty();
    for (int c = 0; c < out->cloth_count; c++) all = box_join(all, out->rest_box[c]);
    double span = vo_max(all.max.x - all.min.x, all.max.y - all.min.y);
    for (int c = 0; c < out->cloth_count; c++) {
        int g = b->group[out->face.item[out->face.begin[c]]];
        out->rest_box[c].min.z = out->rest_box[c].max.z = 4 * span * g;
    }
}

/* Lists the nodes of a cluster, each once, and the features that it owns. `last_cluster` holds the
 * last cluster that contained each node. */
static void list_features(build *b, int c, int *last_cluster) {
    const vo_surface *s = b->s;
    vo_clusters *out = b->out;
    for (int i = out->face.begin[c]; i < out->face.begin[c + 1]; i++) {
        int f = out->face.item[i];
        for (int k = 0; k < 3; k++) {
            int n = s->face[f][k];
            if (last_cluster[n] != c) out->node.item[out->node.item_count++] = n;
            last_cluster[n] = c;
            if (s->owns[f] & VO_OWNS_NODE << k) out->own_node.item[out->own_node.item_count++] = n;
            if (s->owns[f] & VO_OWNS_EDGE << k)
                out->own_edge.item[out->own_edge.item_count++] = s->face_edge[f][k];
        }
    }
    out->node.begin[c + 1] = out->node.item_count;
    out->own_node.begin[c + 1] = out->own_node.item_count;
    out->own_edge.begin[c + 1] = out->own_edge.item_count;
}

/* Lists the clusters of each of the first `nodes` nodes, which are those of the clusters listed
 * before. */
static void list_inverse(vo_clusters *out, int nodes) {
    int *begin = out->node_clusters.begin;
    memset(begin, 0, (size_t)(nodes + 2) * sizeof *begin);
    for (int i = 0; i < out->node.item_count; i++) begin[out->node.item[i] + 2]++;
    for (int n = 0; n < nodes; n++) begin[n + 2] += begin[n + 1];
    for (int c = 0; c < out->count; c++)
        for (int i = out->node.begin[c]; i < out->node.begin[c + 1]; i++)
            out->node_clusters.item[begin[out->node.item[i] + 1]++] = c;
}

static void find_self_thickness(const vo_surface *s, vo_clusters *out) {
    for (int c = out->cloth_count; c < out->count; c++)
        out->max_self_thickness[c] = out->min_self_thickness[c] = INFINITY;
    for (int c = 0; c < out->cloth_count; c++) {
        double min = INFINITY, max = 0;
        for (int i = out->node.begin[c]; i < out->node.begin[c + 1]; i++) {
            min = vo_min(min, s->max_self_thickness[out->node.item[i]]);
            max = vo_max(max, s->max_self_thickness[out->node.item[i]]);
        }
        out->max_self_thickness[c] = max;
        out->min_self_thickness[c] = min;
    }
}

/* Fills part_begin; clusters are sorted by part. */
static void list_parts(vo_clusters *out) {
    int c = 0;
    for (int p = 0; p <= out->part_count; p++) {
        while (c < out->count && out->part[c] < p) c++;
        out->part_begin[p] = c;
    }
}

static vo_result make_clusters(build *b, const vo_obstacle_cache *cache) {
    sort_groups(b);
    for (int i = 0; i < b->face_count; i++) b->box[i] = rest_box(b->s, b->order[i]);
    for (int g = 0; g < b->group_count; g++) VO_TRY(split_group(b, g));
    separate_patches(b);
    int *last_cluster = b->scratch, nodes = cache ? b->s->cloth_node_count : b->s->node_count;
    for (int n = 0; n < nodes; n++) last_cluster[n] = -1;
    for (int c = 0; c < b->out->count; c++) list_features(b, c, last_cluster);
    list_inverse(b->out, nodes);
    if (cache) add_cached(b, cache);
    find_self_thickness(b->s, b->out);
    list_parts(b->out);
    return VO_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool new_csr(vo_context *ctx, vo_csr *l, int count, int items) {
    return VO_PADDED_NEW(ctx, l->begin, count) && VO_PADDED_NEW(ctx, l->item, items);
}

static void free_csr(vo_context *ctx, vo_csr *l, int count, int items) {
    VO_PADDED_FREE(ctx, l->begin, count);
    VO_PADDED_FREE(ctx, l->item, items);
}

static bool allocate(vo_clusters *out, const vo_surface *s) {
    vo_context *ctx = out->ctx;
    int n = out->capacity, faces = s->face_count;
    return VO_PADDED_NEW(ctx, out->part, n) && VO_PADDED_NEW(ctx, out->part_begin, s->part_count) &&
           VO_PADDED_NEW(ctx, out->max_self_thickness, n) &&
           VO_PADDED_NEW(ctx, out->min_self_thickness, n) && VO_PADDED_NEW(ctx, out->rest_box, n) &&
           new_csr(ctx, &out->face, n, faces) && new_csr(ctx, &out->node, n, 3 * faces) &&
           new_csr(ctx, &out->own_node, n, s->node_count) &&
           new_csr(ctx, &out->own_edge, n, s->edge_count) &&
           new_csr(ctx, &out->node_clusters, s->node_count, 3 * faces);
}

/* Bound on the number of clusters: halving leaves clusters of at least half the largest size,
 * except in groups that are smaller. */
static int max_clusters(const build *b, const vo_obstacle_cache *cache) {
    return b->face_count / (VO_CLUSTER_FACES / 2) + b->group_count +
           (cache ? cache->cluster_count : 0);
}

static bool allocate_build(vo_context *ctx, build *b, int keys, int scratch) {
    int n = b->face_count;
    return VO_PADDED_NEW(ctx, b->group, n) && VO_PADDED_NEW(ctx, b->group_begin, keys) &&
           VO_PADDED_NEW(ctx, b->order, n) && VO_PADDED_NEW(ctx, b->scratch, scratch) &&
           VO_PADDED_NEW(ctx, b->box, n) && VO_PADDED_NEW(ctx, b->member, n) &&
           VO_PADDED_NEW(ctx, b->member_begin, n);
}

static void free_build(vo_context *ctx, build *b, int keys, int scratch) {
    int n = b->face_count;
    vo_bvh_free(ctx, &b->tree);
    VO_PADDED_FREE(ctx, b->group, n);
    VO_PADDED_FREE(ctx, b->group_begin, keys);
    VO_PADDED_FREE(ctx, b->order, n);
    VO_PADDED_FREE(ctx, b->scratch, scratch);
    VO_PADDED_FREE(ctx, b->box, n);
    VO_PADDED_FREE(ctx, b->member, n);
    VO_PADDED_FREE(ctx, b->member_begin, n);
}

vo_result vo_clusters_create(vo_context *ctx, const vo_surface *s, const vo_obstacle_cache *cache,
                             vo_clusters *out) {
    *out = (vo_clusters){.ctx = ctx,
                         .part_count = s->part_count,
                         .node_count = s->node_count,
                         .edge_count = s->edge_count,
                         .face_count = s->face_count};
    if (!vo_obstacle_cache_matches(cache, s)) cache = NULL;
    build b = {.s = s, .out = out, .face_count = cache ? s->cloth_face_count : s->face_count};
    int keys = s->vert_count + s->part_count + 2, scratch = s->node_count + s->vert_count;
    bool ok = allocate_build(ctx, &b, keys, scratch);
    if (ok) {
        number_groups(&b);
        out->capacity = max_clusters(&b, cache);
        ok = allocate(out, s);
    }
    vo_result result = ok ? make_clusters(&b, cache) : vo_fail_memory(ctx, "clusters of faces");
    free_build(ctx, &b, keys, scratch);
    if (result != VO_OK) vo_clusters_free(out);
    return result;
}

void vo_clusters_free(vo_clusters *c) {
    vo_context *ctx = c->ctx;
    int n = c->capacity, faces = c->face_count;
    VO_PADDED_FREE(ctx, c->part, n);
    VO_PADDED_FREE(ctx, c->part_begin, c->part_count);
    VO_PADDED_FREE(ctx, c->max_self_thickness, n);
    VO_PADDED_FREE(ctx, c->min_self_thickness, n);
    VO_PADDED_FREE(ctx, c->rest_box, n);
    free_csr(ctx, &c->face, n, faces);
    free_csr(ctx, &c->node, n, 3 * faces);
    free_csr(ctx, &c->own_node, n, c->node_count);
    free_csr(ctx, &c->own_edge, n, c->edge_count);
    free_csr(ctx, &c->node_clusters, c->node_count, 3 * faces);
    *c = (vo_clusters){0};
}
