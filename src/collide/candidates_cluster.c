#include "collide/candidates_cluster.h"

#include "collide/arrays.h"
#include "core/memory.h"
#include "spatial/bvh.h"

#include <string.h>

/* ---- patches of fabric ---------------------------------------------------------------------- */

/* Joins the verts of each face. */
static void join_verts(const vo_surface *s, int *up) {
    for (int v = 0; v < s->vert_count; v++) up[v] = v;
    for (int f = 0; f < s->cloth_face_count; f++)
        for (int k = 1; k < 3; k++) vo_forest_join(up, s->face_vert[f][0], s->face_vert[f][k]);
}

/* What a build needs. Groups are patches of cloths and whole obstacles, in the order of their first
 * faces. */
typedef struct build {
    const vo_surface *s;
    vo_clusters *out;
    int face_count; /* of faces to be clustered: all, or those of cloths */
    int group_count;
    int *group;       /* [face_count] */
    int *group_begin; /* [group_count + 1] into `order` */
    int *order;       /* [face_count] faces by group */
    int *scratch;     /* [vert_count + node_count] */
    vo_box *box;      /* [face_count] in the order of `order` */
    int *member;      /* [face_count] and where each cluster begins in it, of one group */
    int *member_begin;
    vo_bvh tree; /* for its memory */
} build;

/* Numbers the groups. A cloth's group is named by a vert, an obstacle's by its part. */
static void number_groups(build *b) {
    const vo_surface *s = b->s;
    int *up = b->scratch, *name = b->group_begin; /* room for vert_count + part_count */
    join_verts(s, up);
    for (int i = 0; i < s->vert_count + s->part_count; i++) name[i] = -1;
    for (int f = 0; f < b->face_count; f++) {
        int key = f < s->cloth_face_count ? vo_forest_root(up, s->face_vert[f][0])
                                          : s->vert_count + s->face_part[f];
        if (name[key] < 0) name[key] = b->group_count++;
        b->group[f] = name[key];
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

/* Where a face is before anything moves: in the fabric, or in the obstacle's own frame. */
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

/* Takes the boxes of `member`, counted from `first` in `order`, as the next cluster. */
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
    out->rest[c] = box;
    if (f < b->s->cloth_face_count) out->cloth_count = out->count;
}

/* Cuts a group of faces into clusters. */
static vo_result cut_group(build *b, int g) {
    int first = b->group_begin[g], n = b->group_begin[g + 1] - first, count;
    int *member = b->member, *begin = b->member_begin;
    VO_TRY(vo_bvh_group(b->out->ctx, &b->tree, b->box + first, n, VO_CLUSTER_FACES, member, begin,
                        &count));
    for (int i = 0; i < count; i++)
        add_cluster(b, first, begin[i + 1] - begin[i], member + begin[i]);
    return VO_OK;
}

/* The obstacles' clusters as they were, with all their lists. */
static void add_kept(build *b, const vo_kept_obstacles *kept) {
    const vo_surface *s = b->s;
    vo_clusters *out = b->out;
    int first = out->count, first_part = vo_surface_first_obstacle(s);
    out->count += kept->cluster_count;
    for (int i = 0; i < kept->cluster_count; i++) {
        out->part[first + i] = first_part + kept->part[i];
        out->rest[first + i] = kept->rest[i];
    }
    vo_kept_place(&kept->face, first, s->cloth_face_count, &out->face);
    vo_kept_place(&kept->node, first, s->cloth_node_count, &out->node);
    vo_kept_place(&kept->own_node, first, s->cloth_node_count, &out->own_node);
    vo_kept_place(&kept->own_edge, first, s->part[first_part].edge_begin, &out->own_edge);
    vo_kept_place(&kept->of_node, s->cloth_node_count, first, &out->of_node);
}

/* Puts patches apart along z, further than they are wide. */
static void spread_patches(build *b) {
    vo_clusters *out = b->out;
    vo_box all = box_empty();
    for (int c = 0; c < out->cloth_count; c++) all = box_join(all, out->rest[c]);
    double span = vo_max(all.max.x - all.min.x, all.max.y - all.min.y);
    for (int c = 0; c < out->cloth_count; c++) {
        int g = b->group[out->face.item[out->face.begin[c]]];
        out->rest[c].min.z = out->rest[c].max.z = 4 * span * g;
    }
}

/* Nodes of a cluster, each once, and the features it owns. `seen` holds the last cluster that had a
 * node. */
static void list_features(build *b, int c, int *seen) {
    const vo_surface *s = b->s;
    vo_clusters *out = b->out;
    for (int i = out->face.begin[c]; i < out->face.begin[c + 1]; i++) {
        int f = out->face.item[i];
        for (int k = 0; k < 3; k++) {
            int n = s->face[f][k];
            if (seen[n] != c) out->node.item[out->node.item_count++] = n;
            seen[n] = c;
            if (s->owns[f] & VO_OWNS_NODE << k) out->own_node.item[out->own_node.item_count++] = n;
            if (s->owns[f] & VO_OWNS_EDGE << k)
                out->own_edge.item[out->own_edge.item_count++] = s->face_edge[f][k];
        }
    }
    out->node.begin[c + 1] = out->node.item_count;
    out->own_node.begin[c + 1] = out->own_node.item_count;
    out->own_edge.begin[c + 1] = out->own_edge.item_count;
}

/* Clusters of each of the first `nodes`, which are those of all clusters so far. */
static void list_inverse(vo_clusters *out, int nodes) {
    int *begin = out->of_node.begin;
    memset(begin, 0, (size_t)(nodes + 2) * sizeof *begin);
    for (int i = 0; i < out->node.item_count; i++) begin[out->node.item[i] + 2]++;
    for (int n = 0; n < nodes; n++) begin[n + 2] += begin[n + 1];
    for (int c = 0; c < out->count; c++)
        for (int i = out->node.begin[c]; i < out->node.begin[c + 1]; i++)
            out->of_node.item[begin[out->node.item[i] + 1]++] = c;
}

static void measure_reach(const vo_surface *s, vo_clusters *out) {
    for (int c = out->cloth_count; c < out->count; c++)
        out->reach[c] = out->least_reach[c] = INFINITY;
    for (int c = 0; c < out->cloth_count; c++) {
        double least = INFINITY, most = 0;
        for (int i = out->node.begin[c]; i < out->node.begin[c + 1]; i++) {
            least = vo_min(least, s->reach[out->node.item[i]]);
            most = vo_max(most, s->reach[out->node.item[i]]);
        }
        out->reach[c] = most;
        out->least_reach[c] = least;
    }
}

/* Which clusters each part has; they are in the order of parts. */
static void list_parts(vo_clusters *out) {
    int c = 0;
    for (int p = 0; p <= out->part_count; p++) {
        while (c < out->count && out->part[c] < p) c++;
        out->part_begin[p] = c;
    }
}

static vo_result make_clusters(build *b, const vo_kept_obstacles *kept) {
    sort_groups(b);
    for (int i = 0; i < b->face_count; i++) b->box[i] = rest_box(b->s, b->order[i]);
    for (int g = 0; g < b->group_count; g++) VO_TRY(cut_group(b, g));
    spread_patches(b);
    int *seen = b->scratch, nodes = kept ? b->s->cloth_node_count : b->s->node_count;
    for (int n = 0; n < nodes; n++) seen[n] = -1;
    for (int c = 0; c < b->out->count; c++) list_features(b, c, seen);
    list_inverse(b->out, nodes);
    if (kept) add_kept(b, kept);
    measure_reach(b->s, b->out);
    list_parts(b->out);
    return VO_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool new_lists(vo_context *ctx, vo_lists *l, int count, int items) {
    return VO_PADDED_NEW(ctx, l->begin, count) && VO_PADDED_NEW(ctx, l->item, items);
}

static void free_lists(vo_context *ctx, vo_lists *l, int count, int items) {
    VO_PADDED_FREE(ctx, l->begin, count);
    VO_PADDED_FREE(ctx, l->item, items);
}

static bool allocate(vo_clusters *out, const vo_surface *s) {
    vo_context *ctx = out->ctx;
    int n = out->capacity, faces = s->face_count;
    return VO_PADDED_NEW(ctx, out->part, n) && VO_PADDED_NEW(ctx, out->part_begin, s->part_count) &&
           VO_PADDED_NEW(ctx, out->reach, n) && VO_PADDED_NEW(ctx, out->least_reach, n) &&
           VO_PADDED_NEW(ctx, out->rest, n) && new_lists(ctx, &out->face, n, faces) &&
           new_lists(ctx, &out->node, n, 3 * faces) &&
           new_lists(ctx, &out->own_node, n, s->node_count) &&
           new_lists(ctx, &out->own_edge, n, s->edge_count) &&
           new_lists(ctx, &out->of_node, s->node_count, 3 * faces);
}

/* Halving leaves clusters of half the largest size or more, but for groups that are smaller. */
static int most_clusters(const build *b, const vo_kept_obstacles *kept) {
    return b->face_count / (VO_CLUSTER_FACES / 2) + b->group_count +
           (kept ? kept->cluster_count : 0);
}

static bool allocate_build(vo_context *ctx, build *b, int names, int scratch) {
    int n = b->face_count;
    return VO_PADDED_NEW(ctx, b->group, n) && VO_PADDED_NEW(ctx, b->group_begin, names) &&
           VO_PADDED_NEW(ctx, b->order, n) && VO_PADDED_NEW(ctx, b->scratch, scratch) &&
           VO_PADDED_NEW(ctx, b->box, n) && VO_PADDED_NEW(ctx, b->member, n) &&
           VO_PADDED_NEW(ctx, b->member_begin, n);
}

static void free_build(vo_context *ctx, build *b, int names, int scratch) {
    int n = b->face_count;
    vo_bvh_free(ctx, &b->tree);
    VO_PADDED_FREE(ctx, b->group, n);
    VO_PADDED_FREE(ctx, b->group_begin, names);
    VO_PADDED_FREE(ctx, b->order, n);
    VO_PADDED_FREE(ctx, b->scratch, scratch);
    VO_PADDED_FREE(ctx, b->box, n);
    VO_PADDED_FREE(ctx, b->member, n);
    VO_PADDED_FREE(ctx, b->member_begin, n);
}

vo_result vo_clusters_create(vo_context *ctx, const vo_surface *s, const vo_kept_obstacles *kept,
                             vo_clusters *out) {
    *out = (vo_clusters){.ctx = ctx,
                         .part_count = s->part_count,
                         .node_count = s->node_count,
                         .edge_count = s->edge_count,
                         .face_count = s->face_count};
    if (!vo_kept_fits(kept, s)) kept = NULL;
    build b = {.s = s, .out = out, .face_count = kept ? s->cloth_face_count : s->face_count};
    int names = s->vert_count + s->part_count + 2, scratch = s->node_count + s->vert_count;
    bool ok = allocate_build(ctx, &b, names, scratch);
    if (ok) {
        number_groups(&b);
        out->capacity = most_clusters(&b, kept);
        ok = allocate(out, s);
    }
    vo_result result = ok ? make_clusters(&b, kept) : vo_fail_memory(ctx, "clusters of faces");
    free_build(ctx, &b, names, scratch);
    if (result != VO_OK) vo_clusters_free(out);
    return result;
}

void vo_clusters_free(vo_clusters *c) {
    vo_context *ctx = c->ctx;
    int n = c->capacity, faces = c->face_count;
    VO_PADDED_FREE(ctx, c->part, n);
    VO_PADDED_FREE(ctx, c->part_begin, c->part_count);
    VO_PADDED_FREE(ctx, c->reach, n);
    VO_PADDED_FREE(ctx, c->least_reach, n);
    VO_PADDED_FREE(ctx, c->rest, n);
    free_lists(ctx, &c->face, n, faces);
    free_lists(ctx, &c->node, n, 3 * faces);
    free_lists(ctx, &c->own_node, n, c->node_count);
    free_lists(ctx, &c->own_edge, n, c->edge_count);
    free_lists(ctx, &c->of_node, c->node_count, 3 * faces);
    *c = (vo_clusters){0};
}
